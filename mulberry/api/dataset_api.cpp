#include <algorithm>

#include "mulberry/api/translate.hpp"
#include "mulberry/core/index.hpp"

namespace mulberry {

using api::Access;
using api::translated;

namespace api {

data::ReadOptions read_options(const ReadOptions& given) {
  data::ReadOptions out;
  if (!given.format.empty()) out.format = data::format_from_name(given.format);
  out.label_xml = given.label_xml;
  out.label_count = given.label_count;
  out.label_prefix = given.label_prefix;
  out.label_columns = given.label_columns;
  out.label_pattern = given.label_pattern;
  out.label_list = given.label_list;
  out.label_separator = given.label_separator;
  out.label_sets = given.label_sets;
  out.rules = {.implied = given.label_rules.implies, .exclusive = given.label_rules.exclusive};
  out.rules_file = given.label_rules_file;
  out.label_paths = given.label_paths;
  out.add_implied = given.add_implied;
  if (given.other_labels_are_features) out.other_labels = data::OtherLabels::features;
  out.ignore = given.ignore;
  out.text = given.text;
  out.target_columns = given.target_words;
  if (given.dates_as_parts) out.dates = data::Dates::parts;
  out.na_words = given.na;
  out.id_column = given.id_column;
  out.labels_optional = given.labels_optional;
  if (given.index_base) {
    if (*given.index_base != 0 && *given.index_base != 1) {
      throw core::Error(core::Code::parameter,
                        "index_base must be 0 or 1, got " + std::to_string(*given.index_base));
    }
    out.index_base = *given.index_base == 0 ? data::IndexBase::zero : data::IndexBase::one;
  }
  out.delimiter = given.delimiter;
  out.decimal = given.decimal;
  out.thousands = given.thousands;
  out.nominal = given.ordinal ? data::Nominal::ordinal : data::Nominal::one_hot;
  out.keep_missing = given.keep_missing;
  out.weight_column = given.weight_column;
  return out;
}

data::LabelSets label_sets(const std::vector<LabelSet>& given) {
  data::LabelSets out;
  for (const LabelSet& set : given) {
    out.names.push_back(set.name);
    out.members.push_back(set.labels);
  }
  return out;
}

std::vector<LabelSet> label_sets(const data::LabelSets& sets) {
  std::vector<LabelSet> out;
  for (std::size_t s = 0; s < sets.size(); ++s) {
    out.push_back({.name = sets.names[s], .labels = sets.members[s]});
  }
  return out;
}

LabelRules label_rules(const data::LabelRules& rules, const std::vector<std::string>& names) {
  data::NamedRules named = data::named_rules(rules, names);
  return {.implies = std::move(named.implied), .exclusive = std::move(named.exclusive)};
}

namespace {

void require_count(std::size_t found, std::int64_t expected, const std::string& what) {
  if (static_cast<std::int64_t>(found) == expected) return;
  throw core::Error(core::Code::data, "expected " + std::to_string(expected) + " " + what +
                                          ", got " + std::to_string(found));
}

// Sets name labels that exist, and none of them twice.
void require_sets(const data::LabelSets& sets, std::int64_t labels) {
  std::vector<bool> used(core::at(labels), false);
  for (std::size_t s = 0; s < sets.size(); ++s) {
    const auto& members = sets.members[s];
    bool fine = std::is_sorted(members.begin(), members.end());
    for (const core::Id l : members) {
      const bool known = l >= 0 && l < labels;
      fine = fine && known && !used[core::at(l)];
      if (known) used[core::at(l)] = true;
    }
    if (fine) continue;
    throw core::Error(core::Code::data, "expected increasing labels from 0 to " +
                                            std::to_string(labels - 1) +
                                            ", each in one set, found others in the set " +
                                            core::in_quotes(sets.names[s]));
  }
}

data::Dataset assemble(const DatasetParts& parts) {
  data::Dataset out;
  out.name = parts.name;
  out.x = Access::of(parts.features);
  out.attributes = out.x.cols();
  if (!parts.feature_names.empty()) {
    require_count(parts.feature_names.size(), out.x.cols(), "feature names");
  }
  out.feature_names = parts.feature_names;
  if (!parts.weights.empty()) require_count(parts.weights.size(), out.x.rows(), "weights");
  for (const double weight : parts.weights) {
    if (weight >= 0 && weight < 1e300) continue;
    throw core::Error(core::Code::data, "expected weights of at least 0, found another one");
  }
  out.weights = parts.weights;
  out.has_labels = parts.labels.has_value();
  if (!out.has_labels) return out;
  out.y = Access::of(*parts.labels);
  require_count(core::at(out.y.rows()), out.x.rows(), "rows of labels");
  out.label_names = parts.label_names;
  for (std::int64_t l = 1; parts.label_names.empty() && l <= out.y.count(); ++l) {
    out.label_names.push_back("label" + std::to_string(l));
  }
  require_count(out.label_names.size(), out.y.count(), "label names");
  auto sorted = out.label_names;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) {
    throw core::Error(core::Code::data, "expected different label names, found " +
                                            core::in_quotes(*twice) + " twice");
  }
  out.sets = label_sets(parts.label_sets);
  require_sets(out.sets, out.y.count());
  data::require_label_sets(out.y, out.sets);
  data::add_rules(out.rules, {parts.label_rules.implies, parts.label_rules.exclusive},
                  out.label_names, "the rules between labels");
  return out;
}

}  // namespace
}  // namespace api

Dataset::Dataset() : Dataset(DatasetParts{}) {}
Dataset::Dataset(const DatasetParts& parts)
    : Dataset(translated([&] { return Access::make(api::assemble(parts)); })) {}
Dataset::Dataset(std::shared_ptr<const void> state) : state_(std::move(state)) {}

Dataset Dataset::read(const std::string& path, const ReadOptions& options) {
  return translated(
      [&] { return Access::make(data::read_dataset(path, api::read_options(options))); });
}

const std::string& Dataset::name() const { return Access::of(*this).name; }
std::int64_t Dataset::rows() const { return Access::of(*this).rows(); }
std::int64_t Dataset::columns() const { return Access::of(*this).columns(); }
bool Dataset::has_labels() const { return Access::of(*this).has_labels; }
std::int64_t Dataset::label_count() const { return has_labels() ? Access::of(*this).labels() : 0; }
Features Dataset::features() const { return Access::part(*this, Access::of(*this).x); }

Labels Dataset::labels() const {
  if (!has_labels()) {
    throw Error(ErrorCode::data, "expected data with labels, found none",
                "Say which columns are labels in ReadOptions");
  }
  return Access::part(*this, Access::of(*this).y);
}

const std::vector<std::string>& Dataset::feature_names() const {
  return Access::of(*this).feature_names;
}
const std::vector<std::string>& Dataset::label_names() const {
  return Access::of(*this).label_names;
}
std::vector<LabelSet> Dataset::label_sets() const {
  return api::label_sets(Access::of(*this).sets);
}
LabelRules Dataset::label_rules() const {
  return api::label_rules(Access::of(*this).rules, label_names());
}
const std::vector<double>& Dataset::weights() const { return Access::of(*this).weights; }
const std::vector<std::string>& Dataset::notes() const { return Access::of(*this).notes; }

Dataset Dataset::take_rows(std::span<const std::int32_t> rows) const {
  return translated([&] {
    for (const std::int32_t row : rows) {
      if (row >= 0 && row < this->rows()) continue;
      throw core::Error(core::Code::usage, "expected rows from 0 to " +
                                               std::to_string(this->rows() - 1) + ", got " +
                                               std::to_string(row));
    }
    return Access::make(data::take_rows(Access::of(*this), rows));
  });
}

void Dataset::write(const std::string& path, std::string_view format) const {
  translated([&] {
    data::WriteOptions options;
    if (!format.empty()) options.format = data::format_from_name(format);
    data::write_dataset(Access::of(*this), path, options);
  });
}

std::vector<GeneratorInfo> list_generators() {
  std::vector<GeneratorInfo> out;
  for (const data::Generator& generator : data::generator_table()) {
    out.push_back({.id = std::string(generator.id),
                   .recipe = std::string(generator.recipe),
                   .uses = {generator.uses.begin(), generator.uses.end()}});
  }
  return out;
}

namespace {

// Takes an option that is set, if the generator uses it.
template <class T, class Out>
void take(const data::Generator& generator, const char* name, const std::optional<T>& given,
          Out& out) {
  if (!given) return;
  if (std::find(generator.uses.begin(), generator.uses.end(), name) == generator.uses.end()) {
    const std::vector<std::string> uses(generator.uses.begin(), generator.uses.end());
    throw core::Error(core::Code::parameter,
                      std::string(generator.id) + " has no option " + core::in_quotes(name),
                      "It has " + core::join(uses, ", "));
  }
  out = *given;
}

}  // namespace

Dataset generate(std::string_view id, const GenerateOptions& given, const Context& context) {
  return translated([&] {
    const data::Generator& generator = data::find_generator(id);
    data::GenerateOptions options = generator.defaults;
    take(generator, "rows", given.rows, options.rows);
    take(generator, "features", given.features, options.features);
    take(generator, "labels", given.labels, options.labels);
    take(generator, "cardinality", given.cardinality, options.cardinality);
    take(generator, "sparsity", given.sparsity, options.sparsity);
    take(generator, "noise", given.noise, options.noise);
    take(generator, "prevalence", given.prevalence, options.prevalence);
    take(generator, "dependence", given.dependence, options.dependence);
    take(generator, "set_sizes", given.set_sizes, options.set_sizes);
    return Access::make(data::generate(id, options, api::run_context(context)));
  });
}

}  // namespace mulberry

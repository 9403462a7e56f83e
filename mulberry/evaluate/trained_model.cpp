#include "mulberry/evaluate/trained_model.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/json_value.hpp"
#include "mulberry/core/mention.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/read/roles.hpp"
#include "mulberry/data/read/values/word_numbers.hpp"
#include "mulberry/data/row_window.hpp"
#include "mulberry/measures/ranking.hpp"
#include "mulberry/model/consistent/consistent_decisions.hpp"
#include "mulberry/model/model_file.hpp"
#include "mulberry/model/row_weights.hpp"

namespace mulberry::evaluate {
namespace {

// The parts of a file that have always been there, and without which no model can be used.
const std::string k_sections[] = {"model", "preprocessing", "sets",  "nominal",
                                  "text",  "source",        "rules", "words"};
constexpr std::size_t k_first_sections = 4;  // of 0.1.0

JsonValue spec_json(const Spec& spec);

JsonValue value_json(const SpecValue& value) {
  if (const auto* spec = std::get_if<Spec>(&value)) return spec_json(*spec);
  const auto& text = std::get<std::string>(value);
  if (text == "true" || text == "false") return text == "true";
  if (const auto whole = parse_integer(text)) return *whole;
  if (const auto real = parse_number(text)) return *real;
  return text;
}

JsonValue spec_json(const Spec& spec) {
  JsonValue params = JsonValue::object();
  for (const auto& [key, value] : spec.params) params[key] = value_json(value);
  JsonValue out = JsonValue::object();
  out.add("learner", spec.id);
  out.add("parameters", std::move(params));
  return out;
}

// A list for each name: the labels of sets, the words of nominal features.
void visit_lists(auto& v, std::vector<std::string>& names, auto& lists, const auto&... bounds) {
  v("names", names);
  lists.resize(names.size());
  for (std::size_t k = 0; k < lists.size(); ++k) v(std::to_string(k), lists[k], bounds...);
}

void visit_sets(auto& v, LabelSets& sets) {
  visit_lists(v, sets.names, sets.members, below(v.outputs()));
}

// `lists` holds the implications for as long as the file is being written.
void visit_rules(auto& v, LabelRules& rules, ImpliedLists& lists) {
  const Index labels = v.outputs();
  auto& [label, implied] = lists;
  label.clear();
  implied.clear();
  for (const Implication& rule : rules.implied) {
    label.push_back(rule.label);
    implied.push_back(rule.implied);
  }
  v("parent", rules.parent, whole(-1, labels - 1));
  v("label", label, below(labels));
  v("implied", implied, below(labels));
  v("exclusive", rules.exclusive, below(labels));
  v.require(label.size() == implied.size(), "implied", "needs one label for each");
  v.require(rules.parent.empty() || count_of(rules.parent) == labels || labels == 0, "parent",
            "needs one entry per label");
  for (const auto& group : rules.exclusive) {
    v.require(is_increasing(group), "exclusive", "is not a list of labels");
  }
  rules.implied.clear();
  for (std::size_t k = 0; k < std::min(label.size(), implied.size()); ++k) {
    rules.implied.push_back({label[k], implied[k]});
  }
}

void visit_nominal(auto& v, NominalFeatures& nominal) {
  v("coding", nominal.coding, up_to(Nominal::ordinal));
  visit_lists(v, nominal.names, nominal.values);
}

// A character that may be absent.
void visit_character(auto& v, const char* name, char& value) {
  std::string text(value == 0 ? 0 : 1, value);
  v.added(name, text);
  v.require(text.size() <= 1, name, "must be one character");
  value = text.empty() ? '\0' : text[0];
}

// Columns with units and dates, as lists: a letter per property of each.
void visit_forms(auto& v, std::vector<ColumnForm>& forms) {
  std::vector<std::string> names, units, dates;
  for (const ColumnForm& form : forms) {
    names.push_back(form.name);
    units.push_back(form.unit);
    dates.push_back(std::string(form.dates ? "d" : "") + (form.day_first ? "f" : "") +
                    (form.times ? "t" : ""));
  }
  v.added("form_names", names);
  v.added("form_units", units);
  v.added("form_dates", dates);
  v.require(names.size() == units.size() && names.size() == dates.size(), "form_names",
            "needs one form for each");
  forms.clear();
  for (std::size_t k = 0; k < std::min({names.size(), units.size(), dates.size()}); ++k) {
    const auto has = [&](char letter) { return dates[k].find(letter) != std::string::npos; };
    v.require(has('d') != !units[k].empty(), "form_units", "must be a unit, or dates");
    forms.push_back({names[k], units[k], has('d'), has('f'), has('t')});
  }
}

void visit_source(auto& v, ReadOptions& source) {
  std::string separator(1, source.label_separator);
  v("label_list", source.label_list);
  v("label_separator", separator);
  v("text", source.text);
  v("id", source.id_column);
  v("ignore", source.ignore);
  v("other_labels", source.other_labels, up_to(OtherLabels::features));
  v("na_words", source.na_words);
  v("unseen", source.unseen, up_to(Unseen::error));
  v.added("target_words", source.target_columns);
  v.added("dates", source.dates, up_to(Dates::parts));
  visit_forms(v, source.known_forms);
  visit_character(v, "decimal", source.decimal);
  visit_character(v, "thousands", source.thousands);
  visit_character(v, "label_paths", source.label_paths);
  v.added("add_implied", source.add_implied);
  v.require(separator.size() == 1, "label_separator", "must be one character");
  source.label_separator = separator[0];
}

// The part of the archive that is the same for every learner.
void visit_common(auto& v, TrainedModel& m) {
  v("learner", m.spec);
  v("feature_names", m.feature_names);
  v("label_names", m.label_names);
  v("columns", m.columns, whole(0, std::numeric_limits<Id>::max()));
  if (v.stores("target", !m.target.empty())) v("target", m.target);
  const Index labels = count_of(m.label_names);
  if (v.stores("never", !m.one_class.empty())) m.one_class.visit(v, labels);
  v.added("impute", m.preprocess.impute, up_to(Impute::mode));
  v("scale", m.preprocess.scale, up_to(FeatureScale::unit));
  v("tfidf", m.preprocess.tfidf);
  v("drop_constant", m.preprocess.drop_constant);
  Spec text_options = write_params("text", m.preprocess.text);
  v.added("text_options", text_options);
  m.preprocess.text = read_params<TextOptions>(text_options);
  v("preprocessing", m.preprocessing, ModelShape{m.columns, m.columns});
  v("rows", m.rows, any_count());
  v("data_name", m.data_name);
  v("fingerprint", m.fingerprint);
  v("converged", m.summary.converged);
  v("interrupted", m.summary.interrupted);
  v("objective", m.summary.objective, any_real());
  v("gap", m.summary.gap, any_real());
  v("rounds", m.summary.rounds, any_count());
  v.added("remarks", m.summary.remarks);
  v.require(m.feature_names.empty() || count_of(m.feature_names) == m.columns, "feature_names",
            "needs one name per feature");
  v.require(!m.label_names.empty(), "label_names", "is empty");
}

// Whether no label is in two sets.
bool are_disjoint(const LabelSets& sets, std::size_t labels) {
  std::vector<bool> taken(labels, false);
  for (const auto& members : sets.members) {
    if (members.empty() || !is_increasing(members)) return false;
    for (const Id l : members) {
      if (taken[at(l)]) return false;
      taken[at(l)] = true;
    }
  }
  return true;
}

std::string feature_text(const std::vector<std::string>& names, std::size_t j) {
  return j < names.size() ? in_quotes(names[j]) : "number " + std::to_string(j + 1);
}

}  // namespace

Features align_features(const Dataset& data, const std::vector<std::string>& names, Index columns) {
  if (names.empty() || data.feature_names.empty()) {
    if (data.columns() == columns) return data.x;
    throw Error(Code::data,
                "expected " + std::to_string(columns) + " features, as in training, found " +
                    std::to_string(data.columns()),
                "Use data with the features of the training data");
  }
  if (names == data.feature_names) return data.x;
  std::unordered_map<std::string, Id> where;
  for (std::size_t j = 0; j < data.feature_names.size(); ++j) {
    where.emplace(data.feature_names[j], static_cast<Id>(j));
  }
  std::vector<Id> order;
  for (std::size_t j = 0; j < names.size(); ++j) {
    const auto found = where.find(names[j]);
    if (found == where.end()) {
      throw Error(
          Code::data,
          "the feature " + feature_text(names, j) +
              " of the training data is missing; in its place is " +
              (j < data.feature_names.size() ? feature_text(data.feature_names, j) : "nothing"),
          "Use data with the features of the training data, in any order");
    }
    order.push_back(found->second);
  }
  return take_columns(data.x, order);
}

Labels align_labels(const Dataset& data, const std::vector<std::string>& names,
                    const LabelSets& sets) {
  if (!data.has_labels) {
    throw Error(Code::data, "expected labels to compare with, found none in the data",
                "Say which columns are labels, e.g. " + mention("label_count", "6") + " or " +
                    mention("label_xml", "FILE"));
  }
  if (data.label_names == names) return data.y;
  std::unordered_map<std::string, Id> where;
  for (std::size_t l = 0; l < names.size(); ++l) {
    where.emplace(names[l], static_cast<Id>(l));
  }
  std::vector<Id> place(data.label_names.size());
  std::vector<bool> found(names.size(), false);
  for (std::size_t l = 0; l < data.label_names.size(); ++l) {
    const auto known = where.find(data.label_names[l]);
    if (known == where.end()) {
      throw Error(Code::data,
                  "expected only labels that are known, found " + in_quotes(data.label_names[l]),
                  "Use data with the labels of the training data");
    }
    place[l] = known->second;
    found[at(known->second)] = true;
  }
  if (data.labels_listed) found.assign(found.size(), true);  // a label in no list is in no row
  for (const auto& members : sets.members) {
    for (const Id l : members) found[at(l)] = true;
  }
  for (std::size_t l = 0; l < found.size(); ++l) {
    if (found[l]) continue;
    throw Error(Code::data,
                "expected the label " + in_quotes(names[l]) + " in the data, found no such column",
                "Use data with the labels of the training data");
  }
  std::vector<std::vector<Id>> positives(at(data.rows())), missing(positives.size());
  for (std::size_t i = 0; i < positives.size(); ++i) {
    for (const Id l : data.y.row(static_cast<Index>(i))) positives[i].push_back(place[at(l)]);
    for (const Id l : data.y.missing_row(static_cast<Index>(i))) missing[i].push_back(place[at(l)]);
  }
  return {static_cast<Index>(names.size()), positives, missing};
}

std::string fingerprint(const Dataset& data) {
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  const auto add = [&](const auto& values) {
    XXH3_64bits_update(&state, values.data(), values.size() * sizeof(*values.data()));
  };
  const Index sizes[] = {data.rows(), data.columns(), data.labels()};
  XXH3_64bits_update(&state, sizes, sizeof sizes);
  if (data.x.is_sparse() && data.x.in_one_piece()) {
    add(data.x.sparse().start);
    add(data.x.sparse().index);
    add(data.x.sparse().value);
  } else if (data.x.is_sparse()) {
    Index start = 0;
    SparseLine line;
    add(std::span(&start, 1));
    for (Index i = 0; i < data.rows(); ++i) {
      data.x.visit_row(i, [&](const auto*, const auto*, Index count) { start += count; });
      add(std::span(&start, 1));
    }
    for (Index i = 0; i < data.rows(); ++i) add(data.x.sparse_row(i, line).index);
    for (Index i = 0; i < data.rows(); ++i) add(data.x.sparse_row(i, line).value);
  } else if (data.x.in_one_piece()) {
    add(data.x.dense().values());
  } else {
    RowWindow window(data.x);
    for (Index i = 0; i < data.rows(); ++i) add(window.values(i));
  }
  for (Index i = 0; i < data.y.rows(); ++i) {
    for (const auto ids : {data.y.row(i), data.y.missing_row(i)}) {
      const auto count = static_cast<Index>(ids.size());
      XXH3_64bits_update(&state, &count, sizeof count);
      add(ids);
    }
  }
  for (const auto* columns : {&data.texts, &data.words}) {
    for (const TextColumn& column : *columns) {
      for (Index i = 0; i < column.texts.rows(); ++i) {
        const std::string_view row = column.texts[i];
        const auto count = count_of(row);
        XXH3_64bits_update(&state, &count, sizeof count);
        add(row);
      }
    }
  }
  char text[17];
  std::snprintf(text, sizeof text, "%016llx",
                static_cast<unsigned long long>(XXH3_64bits_digest(&state)));
  return text;
}

TrainedModel train(const CompleteSpec& spec, const Dataset& data, const TrainOptions& options,
                   const Context& ctx) {
  const auto begin = std::chrono::steady_clock::now();
  TrainedModel out;
  out.spec = spec;
  out.feature_names = data.feature_names;
  out.label_names = data.label_names;
  out.sets = data.sets;
  out.rules = data.rules;
  out.nominal = data.nominal;
  out.columns = data.columns();
  out.rows = data.rows();
  out.data_name = data.name;
  const PreprocessOptions& preprocess =
      options.init != nullptr ? options.init->preprocess : options.preprocess;
  require_computable(data.x, data.feature_names,
                     takes_missing_features(spec) || preprocess.impute != Impute::none);
  if (data.reading) out.source = *data.reading;
  out.source.known_forms = data.forms;
  out.one_class =
      one_class_labels(data.y, spec.tags().weights ? data.weights : std::span<const double>());
  Model* init = nullptr;
  View view = view_of(data);
  if (spec.tags().weights) require_computable_weights(view);
  Features prepared;
  if (options.init != nullptr) {
    if (options.init->spec.id != out.spec.id || options.init->label_names != out.label_names) {
      throw Error(Code::usage, "the model to continue from is of another learner or other labels",
                  "Continue a model of " + out.spec.id + " over the same labels");
    }
    prepared = align_features(data, options.init->feature_names, options.init->columns);
    out.feature_names = options.init->feature_names;
    out.preprocessing = options.init->preprocessing;
    out.text = options.init->text;
    out.source = options.init->source;
    out.words = options.init->words;
    prepared = out.words.apply(data, out.text.apply(data, out.preprocessing.apply(prepared), ctx));
    init = options.init->model.get();
    // What the earlier rows had of a label, the model still knows.
    const OneClassLabels &before = options.init->one_class, &now = out.one_class;
    OneClassLabels both;
    std::ranges::set_intersection(before.never, now.never, std::back_inserter(both.never));
    std::ranges::set_intersection(before.always, now.always, std::back_inserter(both.always));
    out.one_class = both;
  } else {
    out.preprocessing = Preprocessing::fit(data.x, options.preprocess, ctx, data.nominal_columns,
                                           data.feature_names);
    out.text = TextStep::fit(data, out.preprocessing.apply(data.x), options.preprocess.text, ctx,
                             prepared);
    if (!data.words.empty()) out.words = TargetWords::fit(data, prepared, ctx, prepared);
  }
  out.preprocess = preprocess;
  view.x = &prepared;
  if (view.labels() > 0) require_memory_for(spec, view, ctx.threads());
  out.model = fit_learner(spec, view, ctx, init);
  out.summary = out.model->summary();
  if (out.summary.interrupted) out.summary.converged = false;
  out.results = out.model->results();
  if (options.keeps_origin) out.fingerprint = fingerprint(data);
  out.propensities = propensities(data.y);
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return out;
}

ReadOptions TrainedModel::reading(ReadOptions options) const {
  // The words of a text may be features and tags; a column of such a name is the feature.
  const std::unordered_set<std::string_view> features(feature_names.begin(), feature_names.end());
  options.known_labels.clear();
  for (const std::string& name : label_names) {
    if (!features.contains(name)) options.known_labels.push_back(name);
  }
  options.known_sets = sets.names;
  options.known_nominal = nominal;
  options.known_columns = columns;
  if (!feature_names.empty()) {
    options.known_features = std::make_shared<const std::unordered_set<std::string>>(
        feature_names.begin(), feature_names.end());
  }
  // Whatever the options leave open is as in training.
  if (!names_labels(options) && options.label_sets.empty()) {
    options.label_list = source.label_list;
    options.label_separator = source.label_separator;
    options.labels_optional = options.labels_optional || !source.label_list.empty();
  }
  options.remembered = options.text.empty() && options.id_column.empty() &&
                       options.ignore.empty() && options.target_columns.empty();
  if (options.target_columns.empty()) options.target_columns = source.target_columns;
  if (options.dates == Dates::refuse) options.dates = source.dates;
  options.known_forms = source.known_forms;
  if (options.decimal == '.' && options.thousands == 0) {
    options.decimal = source.decimal;
    options.thousands = source.thousands;
  }
  if (options.text.empty()) options.text = source.text;
  if (options.id_column.empty()) options.id_column = source.id_column;
  if (options.ignore.empty()) options.ignore = source.ignore;
  if (options.na_words.empty()) options.na_words = source.na_words;
  if (source.other_labels == OtherLabels::features) options.other_labels = source.other_labels;
  if (source.unseen == Unseen::error) options.unseen = source.unseen;
  if (options.label_paths == 0) options.label_paths = source.label_paths;
  if (source.add_implied && options.rules.empty() && options.rules_file.empty()) {
    options.add_implied = true;
    options.rules = named_rules(rules, label_names);
  }
  options.keep_missing = takes_missing();
  return options;
}

bool TrainedModel::takes_missing() const {
  return preprocessing.imputes() || takes_missing_features(CompleteSpec::inner(spec));
}

namespace {

// A column of words with the name of a numeric feature (one word, or codes) is no number.
void require_same_kinds(const Dataset& data, const std::vector<std::string>& names,
                        const NominalFeatures& known) {
  if (data.nominal.names.empty()) return;
  const WordNumbers features(names), words(known.names);
  for (std::size_t k = 0; k < data.nominal.names.size(); ++k) {
    const std::string& name = data.nominal.names[k];
    if (words.find(name) || !features.find(name)) continue;
    throw Error(Code::data,
                "expected numbers for the feature " + in_quotes(name) +
                    ", as in training, found words such as " +
                    in_quotes(data.nominal.values[k].front()),
                "Use data with the features of the training data");
  }
}

// Whatever overflowed on the way, in training or here, is told once, where it costs nothing.
void require_finite_scores(const Prediction& prediction, const std::vector<std::string>& labels) {
  const Matrix& scores = prediction.scores;
  const auto is_finite = [](double score) { return std::isfinite(score); };
  for (Index i = 0; i < scores.rows(); ++i) {
    const auto row = scores.row(i);
    const auto found = std::find_if_not(row.begin(), row.end(), is_finite);
    if (found == row.end()) continue;
    const auto label = at(found - row.begin());
    throw Error(Code::data,
                "expected finite scores, found " +
                    std::string(std::isnan(*found) ? "NaN" : "infinity") + " in row " +
                    std::to_string(i + 1) + " for the label " +
                    (label < labels.size() ? in_quotes(labels[label])
                                           : "number " + std::to_string(label + 1)),
                "The numbers are too large or too small to compute with: scale the features with " +
                    mention("scale", "standardise") +
                    ", or train with more moderate weights and parameters");
  }
}

}  // namespace

Prediction TrainedModel::predict(const Dataset& data, const Context& ctx) const {
  require_same_kinds(data, feature_names, nominal);
  const Features aligned = align_features(data, feature_names, columns);
  require_computable(aligned, feature_names, takes_missing());
  const Features numbers = preprocessing.apply(aligned);
  if (!preprocessing.does_nothing()) require_computable(numbers, {}, takes_missing());
  const Features prepared = words.apply(data, text.apply(data, numbers, ctx));
  const View view{.x = &prepared,
                  .sets = sets.empty() ? nullptr : &sets,
                  .rules = rules.empty() ? nullptr : &rules};
  Prediction out = model->predict(view, ctx);
  one_class.place(out);
  require_finite_scores(out, label_names);
  return out;
}

Labels TrainedModel::decide(const Prediction& prediction) const {
  return model::decide(prediction, sets.empty() ? nullptr : &sets);
}

std::vector<std::string> TrainedModel::seen_features() const {
  if (feature_names.empty() && columns > 0) return {};
  std::vector<std::string> out;
  if (preprocessing.drops) {
    for (const Id j : preprocessing.kept) out.push_back(feature_names[at(j)]);
  } else {
    out = feature_names;
  }
  const auto terms = text.feature_names();
  out.insert(out.end(), terms.begin(), terms.end());
  for (const std::string& column : words.names) {
    for (const std::string& label : label_names) out.push_back(column + ":" + label);
  }
  return out;
}

std::vector<std::string> TrainedModel::names_along(Axis axis, const std::vector<std::string>& given,
                                                   Index count, Index first) const {
  if (axis == Axis::labels) return label_names;
  if (axis == Axis::sets) return sets.names;
  if (axis == Axis::named) return given;
  std::vector<std::string> out;
  if (axis == Axis::features) out = seen_features();
  if (count_of(out) == count) return out;
  out.clear();
  for (Index k = 0; k < count; ++k) out.push_back(std::to_string(first + k));
  return out;
}

Labels TrainedModel::decide_consistently(const Prediction& prediction, const Context& ctx) const {
  if (rules.empty()) {
    throw Error(Code::unsupported,
                "expected a model that knows rules between its labels, found one without",
                "Train with " + mention("implies", "dog:animal") + ", " +
                    mention("exclusive", "day,night") + ", " + mention("label_paths", "/") +
                    " or data whose label file has a hierarchy");
  }
  return model::decide_consistently(prediction, sets.empty() ? nullptr : &sets, rules, ctx);
}

namespace {

JsonValue rules_json(const LabelRules& rules) {
  JsonValue implies = JsonValue::array(), exclusive = JsonValue::array();
  for (const auto& [label, implied] : rules.implications()) {
    implies.push_back(JsonValue(std::vector<Id>{label, implied}));
  }
  for (const auto& group : rules.exclusive) exclusive.push_back(JsonValue(group));
  JsonValue out = JsonValue::object();
  out.add("implies", std::move(implies));
  out.add("exclusive", std::move(exclusive));
  return out;
}

JsonValue text_json(const TextStep& text) {
  JsonValue out = JsonValue::object();
  for (std::size_t k = 0; k < text.parts.size(); ++k) {
    JsonValue part = JsonValue::object();
    part.add("features", text.parts[k].columns());
    part.add("hashed", text.parts[k].hashes());
    out[text.names[k]] = std::move(part);
  }
  return out;
}

}  // namespace

std::string TrainedModel::about_json() const {
  JsonValue training = JsonValue::object();
  training.add("data", data_name);
  training.add("fingerprint", fingerprint);
  training.add("rows", rows);
  training.add("converged", summary.converged);
  training.add("interrupted", summary.interrupted);
  training.add("objective", summary.objective);  // what is no number becomes null
  training.add("gap", summary.gap);
  training.add("rounds", summary.rounds);
  training.add("remarks", summary.remarks);
  JsonValue groups = JsonValue::object();
  for (std::size_t s = 0; s < sets.size(); ++s) groups[sets.names[s]] = sets.members[s];
  JsonValue steps = JsonValue::object();
  const std::vector<ParamInfo> of_text = describe_params<TextOptions>();
  for (const auto& [key, value] : write_params("preprocessing", preprocess).params) {
    const bool is_text = std::any_of(of_text.begin(), of_text.end(),
                                     [&](const ParamInfo& info) { return info.name == key; });
    if (!is_text || !text.empty()) steps[key] = value_json(value);
  }
  JsonValue out = spec_json(spec);
  out.add("expression", spec.text());
  out.add("training", std::move(training));
  out.add("columns", columns);
  out.add("features", feature_names);
  if (!text.empty()) out.add("text", text_json(text));
  out.add("labels", label_names);
  out.add("label_sets", std::move(groups));
  if (!rules.empty()) out.add("label_rules", rules_json(rules));
  out.add("preprocessing", std::move(steps));
  return out.dump();
}

void TrainedModel::save(const std::string& path) { written().save(path, about_json()); }

std::string TrainedModel::content() { return written().content(about_json()); }

ModelFileWriter TrainedModel::written() {
  ModelFileWriter file;
  for (const std::string& name : std::span(k_sections).first(k_first_sections)) {
    file.add_section({name, true, "0.1.0"});
  }
  if (!text.empty()) file.add_section({"text", true, "0.2.0"});
  if (!words.empty()) file.add_section({"words", true, "0.2.0"});
  file.add_section({"source", false, "0.2.0"});
  if (!rules.empty()) file.add_section({"rules", false, "0.2.0"});
  ArchiveWriter out(file);
  visit_common(out, *this);
  ArchiveWriter set_part = out.child("sets");
  visit_sets(set_part, sets);
  ArchiveWriter nominal_part = out.child("nominal");
  visit_nominal(nominal_part, nominal);
  if (!text.empty()) {
    ArchiveWriter text_part = out.child("text");
    text.visit(text_part);
  }
  if (!words.empty()) {
    ArchiveWriter word_part = out.child("words");
    words.visit(word_part);
  }
  ArchiveWriter source_part = out.child("source");
  visit_source(source_part, source);
  if (!rules.empty()) {
    ArchiveWriter rule_part = out.child("rules");
    visit_rules(rule_part, rules, implied_lists);
  }
  out("propensities", propensities, finite());
  ArchiveWriter model_part = out.child("model");
  model->write(model_part);
  return file;
}

TrainedModel TrainedModel::load(const std::string& path) {
  return read(ModelFileReader(path, k_sections));
}

TrainedModel TrainedModel::of_content(std::string content) {
  return read(ModelFileReader::of_content(std::move(content), k_sections));
}

TrainedModel TrainedModel::read(const ModelFileReader& file) {
  TrainedModel out;
  ArchiveReader in(file, {});
  visit_common(in, out);
  const Index labels = count_of(out.label_names);
  ArchiveReader set_part = in.child("sets", {out.columns, labels});
  visit_sets(set_part, out.sets);
  in.require(are_disjoint(out.sets, out.label_names.size()), "sets",
             "has a label in two sets, or an empty set");
  ArchiveReader nominal_part = in.child("nominal");
  if (nominal_part.has("names")) visit_nominal(nominal_part, out.nominal);
  ArchiveReader text_part = in.child("text");
  if (text_part.has("names")) out.text.visit(text_part);
  ArchiveReader word_part = in.child("words", {out.columns, labels});
  if (word_part.has("names")) out.words.visit(word_part);
  ArchiveReader source_part = in.child("source");
  if (source_part.has("label_list")) visit_source(source_part, out.source);
  ArchiveReader rule_part = in.child("rules", {out.columns, labels});
  if (rule_part.has("parent")) visit_rules(rule_part, out.rules, out.implied_lists);
  if (in.has("propensities")) in("propensities", out.propensities, finite().length(labels));
  try {
    const CompleteSpec known(out.spec);  // a learner and parameters that exist
    ArchiveReader model_part = in.child(
        "model", {out.preprocessing.width() + out.text.columns() + out.words.columns(), labels});
    out.model = known.learner().load(out.spec, model_part);
    out.results = out.model->results();
  } catch (const Error& error) {
    throw error.in_file(file.path());
  }
  return out;
}

}  // namespace mulberry::evaluate

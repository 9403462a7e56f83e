#include "mulberry/data/generate/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/generate/generators.hpp"

namespace mulberry::data {
namespace {

using Make = Dataset (*)(const GenerateOptions&, const Context&);

struct Entry {
  Generator generator;
  Make make;
};

constexpr std::string_view k_groups_recipe =
    "Twenty features, uniform on [0, 1], in four groups of five. Label k of L1..L4 is on if the "
    "sum of group k exceeds the threshold that gives it the requested prevalence; ";

const std::vector<Entry>& table() {
  static const std::string inde = std::string(k_groups_recipe) + "L5 is on if L1..L4 are off.";
  static const std::string equal =
      std::string(k_groups_recipe) +
      "then L2 is made equal to L1 and L4 to L3. L5 is on if L1..L4 are off.";
  static const std::string unions =
      std::string(k_groups_recipe) +
      "then L1 is replaced by (L2 or L3 or L4). L5 is on if L1..L4 are off.";
  static const std::vector<Entry> entries = {
      {{"data-inde", inde, {"rows", "prevalence"}, {.rows = 10000}}, generators::data_inde},
      {{"data-equal", equal, {"rows", "prevalence"}, {.rows = 10000}}, generators::data_equal},
      {{"data-union", unions, {"rows", "prevalence"}, {.rows = 10000}}, generators::data_union},
      {{"linear",
        "Normal features, a share of them (sparsity) set to 0. Each label has a random direction; "
        "its score is the projection, mixed with normal noise as sqrt(1 - noise^2) and noise. "
        "Label l belongs to the rows with the highest scores, as many as its frequency says: "
        "frequencies fall like 1/sqrt(l) and add up to the cardinality.",
        {"rows", "features", "labels", "cardinality", "sparsity", "noise"},
        {}},
       generators::linear},
      {{"label-sets",
        "Exclusive sets of classes. The class of the first set is uniform; each further set copies "
        "it (scaled to its number of classes) with the probability 'dependence' and is uniform "
        "otherwise. Every class has a normal centre; a row is the mean of its classes' centres, "
        "mixed with normal noise as sqrt(1 - noise^2) and noise.",
        {"rows", "features", "set_sizes", "dependence", "noise"},
        {.noise = 0.7, .set_sizes = {6, 3}}},
       generators::label_sets},
      {{"photos",
        "Pictures of coasts, mountains, woods and towns: the kind of scene decides how likely each "
        "label is, each label shifts a few of the picture's features, and normal noise is added.",
        {"rows"},
        {.rows = 600}},
       generators::photos},
      {{"cars",
        "Cars with a brand and a type, each exactly one: the brand decides how likely each type "
        "is, brand and type together decide the mean of every measurement, and normal noise is "
        "added. The measurements keep their units, so their scales differ.",
        {"rows"},
        {.rows = 600}},
       generators::cars},
      {{"tagged-text",
        "Notes to a help desk with an id, a text (body) and a list of tags. Every tag adds one of "
        "its six phrases to the text; for a share of them (noise), chance decides instead.",
        {"rows", "noise"},
        {.rows = 500, .noise = 0.1}},
       generators::tagged_text},
  };
  return entries;
}

const Entry& find_entry(std::string_view id) {
  std::vector<std::string> known;
  for (const Entry& entry : table()) {
    if (entry.generator.id == id) return entry;
    known.emplace_back(entry.generator.id);
  }
  throw Error(Code::parameter,
              fmt::format("expected the name of a generator, found {}", in_quotes(id)),
              did_you_mean(id, known, "The generators are " + join(known, ", ")));
}

template <class T>
void require_range(std::string_view name, T value, T low, T high) {
  if (value >= low && value <= high) return;
  throw Error(Code::parameter,
              fmt::format("expected {} between {} and {}, found {}", name, low, high, value),
              fmt::format("Choose another {}", name));
}

void check(const Generator& generator, const GenerateOptions& options) {
  constexpr Index most = std::numeric_limits<Id>::max();
  for (const std::string_view name : generator.uses) {
    if (name == "rows") require_range<Index>(name, options.rows, 1, most);
    if (name == "features") require_range<Index>(name, options.features, 1, most);
    if (name == "labels") require_range<Index>(name, options.labels, 1, most);
    if (name == "cardinality") {
      require_range<double>(name, options.cardinality, 0.0, static_cast<double>(options.labels));
    }
    if (name == "sparsity") require_range(name, options.sparsity, 0.0, 1.0);
    if (name == "noise") require_range(name, options.noise, 0.0, 1.0);
    if (name == "prevalence") require_range(name, options.prevalence, 0.0, 1.0);
    if (name == "dependence") require_range(name, options.dependence, 0.0, 1.0);
    if (name == "set_sizes") {
      require_range<Index>("the number of sets", count_of(options.set_sizes), 1, 1000);
      for (const Index size : options.set_sizes) require_range<Index>(name, size, 1, 1000000);
    }
  }
}

}  // namespace

std::vector<std::string> generators::numbered(const std::string& prefix, Index count) {
  std::vector<std::string> names;
  for (Index k = 1; k <= count; ++k) names.push_back(prefix + std::to_string(k));
  return names;
}

std::span<const Generator> generator_table() {
  static const std::vector<Generator> list = [] {
    std::vector<Generator> out;
    for (const Entry& entry : table()) out.push_back(entry.generator);
    return out;
  }();
  return list;
}

const Generator& find_generator(std::string_view id) { return find_entry(id).generator; }

std::size_t memory_of(const Generator& generator, const GenerateOptions& options) {
  constexpr double k_others = 30;  // columns, where their number is no option
  const auto uses = [&](std::string_view name) {
    return std::ranges::find(generator.uses, name) != generator.uses.end();
  };
  const double columns = uses("features") ? static_cast<double>(options.features) : k_others;
  const bool sparse = uses("sparsity") && options.sparsity > 0;
  const double cell = sparse ? (1 - options.sparsity) * (sizeof(double) + sizeof(Id))
                             : static_cast<double>(sizeof(double));
  return static_cast<std::size_t>(static_cast<double>(options.rows) * columns * cell);
}

Dataset generate(std::string_view id, const GenerateOptions& options, const Context& ctx) {
  const Entry& entry = find_entry(id);
  check(entry.generator, options);
  Dataset data = entry.make(options, ctx);
  data.name = id;
  data.attributes = data.columns();
  return data;
}

Dataset generate(std::string_view id, const Context& ctx) {
  return generate(id, find_generator(id).defaults, ctx);
}

}  // namespace mulberry::data

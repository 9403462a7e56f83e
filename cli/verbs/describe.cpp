// mulberry describe: figures about a data set.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/common.hpp"
#include "cli/output_forms.hpp"
#include "cli/picture_file.hpp"
#include "cli/verbs.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/json_text.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/describe/describe.hpp"
#include "mulberry/report/describe_picture.hpp"
#include "mulberry/report/table.hpp"

namespace mulberry::cli {
namespace {

using Json = nlohmann::ordered_json;

// Writes every figure of a description as JSON, under its name.
class JsonVisitor {
 public:
  template <class T>
  void operator()(const char* name, T& value) {
    out[name] = json(value);
  }
  Json out = Json::object();

 private:
  template <class T>
  static Json json(T& value) {
    if constexpr (std::is_same_v<T, double>) {
      return number_or_null<Json>(value);
    } else if constexpr (requires(JsonVisitor& v) { value.visit(v); }) {
      JsonVisitor inner;
      value.visit(inner);
      return inner.out;
    } else if constexpr (requires { value.push_back(value.front()); } &&
                         !std::is_same_v<T, std::string>) {
      Json list = Json::array();
      for (auto& item : value) list.push_back(json(item));
      return list;
    } else {
      return value;
    }
  }
};

std::string names_text(const std::vector<std::string>& names, Index count) {
  constexpr std::size_t k_most = 8;
  if (names.empty()) return "0";
  const std::vector<std::string> head(
      names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), k_most)));
  return fmt::format("{} ({}{})", count, join(head, ", "), names.size() > k_most ? ", ..." : "");
}

std::string figures(const Description& d) {
  std::string out = d.name + "\n";
  const auto line = [&](const char* name, const std::string& value) {
    out += fmt::format("  {:<22} {}\n", name, value);
  };
  line("rows", std::to_string(d.rows));
  line("features", d.features == d.columns
                       ? std::to_string(d.features)
                       : fmt::format("{} ({} columns for learners)", d.features, d.columns));
  line("stored", fmt::format("{}, {:.1f} % of the values are not 0", d.sparse ? "sparse" : "dense",
                             100 * d.feature_density));
  line("labels", std::to_string(d.labels));
  line("label cardinality", fmt::format("{:.3f} labels per row", d.label_cardinality));
  line("label density", fmt::format("{:.3f}", d.label_density));
  line("distinct label sets", std::to_string(d.distinct_label_sets));
  line("mean imbalance", fmt::format("{:.3f}", d.mean_imbalance));
  line("SCUMBLE",
       fmt::format("{:.3f} (how often rare labels occur with frequent ones, 0 to 1)", d.scumble));
  line("rows without a label", std::to_string(d.empty_rows));
  line("rows with every label", std::to_string(d.full_rows));
  line("labels never used", names_text(d.absent_labels, count_of(d.absent_labels)));
  line("constant features", names_text(d.constant_features, d.constant_feature_count));
  line("duplicate rows", d.conflicting_rows > 0
                             ? fmt::format("{}, {} of them with different labels", d.duplicate_rows,
                                           d.conflicting_rows)
                             : std::to_string(d.duplicate_rows));
  line("missing label cells", std::to_string(d.missing_cells));
  line("missing features",
       d.missing_features > 0
           ? fmt::format("{} cells; train with --impute mean or a learner that accepts them",
                         d.missing_features)
           : "0");
  if (!d.label_sets.empty()) line("exclusive label sets", join(d.label_sets, ", "));
  if (d.implications > 0) line("implied labels", std::to_string(d.implications));
  if (d.exclusions > 0) line("exclusive groups", std::to_string(d.exclusions));
  return out;
}

std::string broken_table(const Description& d) {
  if (d.implications + d.exclusions == 0) return "";
  if (d.broken_rules.empty()) return "\nNo row breaks a rule between labels.\n";
  Table table({{.title = "rule broken", .key = "rule", .right = false},
               {.title = "rows", .key = "rows"},
               {.title = "first row", .key = "first_row"}});
  for (const auto& [rule, rows, first, id] : d.broken_rules) {
    table.add({rule, TableCell::of(rows), id.empty() ? TableCell::of(first) : TableCell(id)});
  }
  return "\nRules between labels that rows break\n" + table.text(colours());
}

Table label_table(const Description& d, Index most) {
  std::vector<const LabelDescription*> order;
  for (const LabelDescription& label : d.per_label) order.push_back(&label);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto* a, const auto* b) { return a->count > b->count; });
  Table table({{.title = "label", .key = "label", .right = false},
               {.title = "rows", .key = "count"},
               {.title = "share", .key = "frequency"},
               {.title = "", .key = "", .right = false},
               {.title = "imbalance", .key = "imbalance"}});
  const double top = order.empty() ? 1 : std::max(1e-12, order.front()->frequency);
  const auto shown = std::min(order.size(), at(most));
  for (std::size_t k = 0; k < shown; ++k) {
    const LabelDescription& label = *order[k];
    table.add({label.name, TableCell::of(label.count), TableCell::of(label.frequency, 3),
               bar_text(label.frequency / top, 24), TableCell::of(label.imbalance, 1)});
  }
  return table;
}

std::string label_text(const Description& d, Index most) {
  std::string out = "\nLabels, most frequent first\n" + label_table(d, most).text(colours());
  const Index all = count_of(d.per_label);
  if (most < all) out += fmt::format("({} more; --labels {} shows all)\n", all - most, all);
  return out;
}

std::string pair_table(const Description& d) {
  if (!d.pairs_counted) {
    return "\nLabels that occur together are not counted: rows have too many labels for that.\n";
  }
  if (d.co_occurrences.empty()) return "";
  Table table({{.title = "label", .key = "first", .right = false},
               {.title = "and", .key = "second", .right = false},
               {.title = "rows", .key = "together"},
               {.title = "phi", .key = "phi"},
               {.title = "lift", .key = "lift"}});
  for (const PairDescription& pair : d.co_occurrences) {
    table.add({pair.first, pair.second, TableCell::of(pair.together), TableCell::of(pair.phi, 3),
               TableCell::of(pair.lift, 2)});
  }
  return "\nLabels that occur together\n" + table.text(colours());
}

int run_describe(const Args& args) {
  require_one_form(args);
  const Dataset data = read_with_missing(args.words()[0], args);
  const Run run(args, "describing");
  Description description =
      describe(data, {.pairs = args.integer("pairs", 10, 0, 100000)}, run.context());
  if (args.has("picture"))
    write_picture(args.text("picture"), describe_picture(data, run.context()));
  if (args.flag("json")) {
    JsonVisitor visitor;
    description.visit(visitor);
    print_data(json_text(visitor.out) + "\n");
    return 0;
  }
  if (args.flag("csv")) {
    print_data(
        label_table(description, args.integer("labels", description.labels, 0, 1000000)).csv());
    return 0;
  }
  print(figures(description) + label_text(description, args.integer("labels", 30, 0, 1000000)) +
        pair_table(description) + broken_table(description));
  if (args.has("picture")) print("\npicture: " + args.text("picture") + "\n");
  return 0;
}

}  // namespace

Verb describe_verb() {
  return {.name = "describe",
          .summary = "figures about a data set",
          .usage = "DATA [--picture F.svg] [--json]",
          .example =
              "mulberry generate photos -o photos.arff && mulberry describe photos.arff --picture "
              "photos.svg",
          .options = std::vector<Option>{picture_option("draw label frequencies and co-occurrence"),
                                         {.name = "labels",
                                          .value = "N",
                                          .help = "number of labels to list",
                                          .fallback = "30"},
                                         {.name = "pairs",
                                          .value = "N",
                                          .help = "number of label pairs to list",
                                          .fallback = "10"},
                                         csv_option("print one line per label")} +
                     run_options() + json_option() + data_options(),
          .least = 1,
          .most = 1,
          .run = run_describe};
}

}  // namespace mulberry::cli

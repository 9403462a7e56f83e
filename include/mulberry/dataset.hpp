// Dataset: features and labels with their names, from a file, from arrays, or made up.
//
//   const auto photos = mulberry::Dataset::read("photos.arff");          // labels from photos.xml
//   const auto songs = mulberry::Dataset::read("songs.csv", {.label_prefix = "tag_"});
//   const auto made = mulberry::generate("photos", {.rows = 200});
//   const mulberry::Dataset own({.features = x, .labels = y, .label_names = {"sky", "sea"}});
//
// Formats: ARFF with Mulan XML or MEKA options, libsvm, XMLRepo, CSV, TSV, JSON lines, npz, each
// plain, .gz or .zst. The format is found out from the content unless ReadOptions names it.
//
// Guarantees
// * Immutable, and cheap to copy.
// * Every mistake in a file is an Error with file, line and column. Sparse files stay sparse; peak
//   memory while reading is about that of the result.
// * Names without a given list are "label1", "label2", ...; features may be without names.
//
// Thread safety: may be read from several threads.
#pragma once

#include <mulberry/features.hpp>
#include <mulberry/labels.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mulberry {

// What a user may say about a data file. By default everything is found out from the file and, for
// ARFF, from the label XML next to it.
struct ReadOptions {
  std::string format =
      {};  // "arff", "libsvm", "xmlrepo", "csv", "tsv", "npz", "jsonl"; empty: found out

  // Which columns are labels, said in at most one of these ways.
  std::string label_xml = {};                   // a Mulan label file
  std::int64_t label_count = 0;                 // the first n columns; negative: the last n
  std::string label_prefix = {};                // columns whose name starts with this
  std::vector<std::string> label_columns = {};  // columns of these names
  std::string label_pattern = {};               // columns whose whole name matches this regex
  std::string label_list = {};                  // one column that lists the labels of a row
  char label_separator = ';';                   // between the labels of that list

  std::vector<std::string> label_sets = {};  // columns of words, or prefixes before '=' of labels
  // Rules between labels, in addition to those that the file has.
  LabelRules label_rules = {};
  std::string label_rules_file =
      {};                    // JSON; empty: NAME.rules.json next to tables, if there is one
  char label_paths = 0;      // labels are paths: with '/', a/b/c is below a/b, which is below a
  bool add_implied = false;  // rows get the labels that theirs imply
  // Labels that the file names and these options leave out are neither labels nor features, unless
  // they are to be features.
  bool other_labels_are_features = false;
  std::vector<std::string> ignore = {};  // columns that are neither features nor labels
  // Columns of free text: train learns their words, which become features.
  std::vector<std::string> text = {};
  // Columns of many words, each replaced by the shares of labels among its training rows.
  std::vector<std::string> target_words = {};
  bool dates_as_parts = false;  // dates become year, month, day, ...; otherwise they are an error
  std::vector<std::string> na = {};    // words that mean a missing value in columns of words
  std::string id_column = {};          // names the rows and is not a feature
  bool labels_optional = false;        // the file may have no labels at all
  std::optional<int> index_base = {};  // of libsvm columns, 0 or 1; without: found out
  char delimiter = 0;                  // of CSV; 0: found out
  char decimal = '.';                  // begins the fraction of numbers in tables
  char thousands = 0;                  // stands between thousands; 0: nothing does
  bool ordinal = false;       // words of a feature become 0, 1, 2, ... instead of a column each
  bool keep_missing = false;  // missing features become NaN; otherwise they are an error
  std::string weight_column = {};  // holds the weights of rows and is not a feature
};

struct DatasetParts {
  Features features = {};
  std::optional<Labels> labels = {};            // without: data to predict
  std::string name = {};                        // for people
  std::vector<std::string> feature_names = {};  // one per column, or empty
  std::vector<std::string> label_names = {};    // one per label, or empty: label1, label2, ...
  std::vector<LabelSet> label_sets = {};
  LabelRules label_rules = {};
  std::vector<double> weights = {};  // one per row, or empty: all 1
};

class MULBERRY_API Dataset {
 public:
  Dataset();  // no rows
  // Throws Error when the parts do not fit each other.
  explicit Dataset(const DatasetParts& parts);
  static Dataset read(const std::string& path, const ReadOptions& options = {});

  const std::string& name() const;
  std::int64_t rows() const;
  std::int64_t columns() const;      // features
  std::int64_t label_count() const;  // 0 without labels
  bool has_labels() const;
  Features features() const;
  Labels labels() const;  // throws Error without labels
  const std::vector<std::string>& feature_names() const;
  const std::vector<std::string>& label_names() const;
  std::vector<LabelSet> label_sets() const;
  LabelRules label_rules() const;                 // a hierarchy is a list of what labels imply
  const std::vector<double>& weights() const;     // empty: all 1
  const std::vector<std::string>& notes() const;  // what the reader wants the user to know

  // These rows, in this order; a row may come twice. Throws Error for a row that is not there.
  Dataset take_rows(std::span<const std::int32_t> rows) const;
  // The format follows the suffix unless it is named. The file appears complete or not at all.
  void write(const std::string& path, std::string_view format = {}) const;

 private:
  friend struct api::Access;
  explicit Dataset(std::shared_ptr<const void> state);
  std::shared_ptr<const void> state_;
};

// Made-up data with a stated recipe. The same id, options and seed give the same bits on any
// machine.
struct GeneratorInfo {
  std::string id = {};
  std::string recipe = {};             // how the data is made
  std::vector<std::string> uses = {};  // names of the options below that matter
};
MULBERRY_API std::vector<GeneratorInfo> list_generators();

// What is not set is the generator's own default; an option that it does not use is an Error.
struct GenerateOptions {
  std::optional<std::int64_t> rows = {}, features = {}, labels = {};
  std::optional<double> cardinality = {};  // mean number of labels per row
  std::optional<double> sparsity = {};     // share of features that are 0
  std::optional<double> noise = {};        // 0: the features decide; 1: they say nothing
  std::optional<double> prevalence = {};   // how often each of the first four labels occurs
  std::optional<double> dependence = {};   // 0: label sets are independent; 1: the first decides
  std::optional<std::vector<std::int64_t>> set_sizes = {};  // classes of each label set
};
MULBERRY_API Dataset generate(std::string_view id, const GenerateOptions& options = {},
                              const Context& context = Context(1));

}  // namespace mulberry

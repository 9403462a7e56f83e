// ReadOptions: what a user may specify about a data file. By default everything is detected from
// the file (and, for ARFF, from the label XML next to it).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "mulberry/data/dataset.hpp"
#include "mulberry/data/format.hpp"

namespace mulberry::data {

enum class IndexBase { automatic, zero, one };
// What becomes of a word that the training data does not have: 0 in all columns of its feature, or
// an error.
enum class Unseen { zero, error };
// What becomes of a column of dates: an error with what to do, or numbers for its parts.
enum class Dates { refuse, parts };
// What becomes of labels that the file names and the options leave out.
enum class OtherLabels { ignore, features };

struct ReadOptions {
  std::optional<Format> format = {};  // empty: detected from the content

  // The labels, named in at most one of these ways; any of them overrides the file.
  std::string label_xml = {};                   // a Mulan label file
  Index label_count = 0;                        // the first n columns; negative: the last n
  std::string label_prefix = {};                // columns whose name starts with this
  std::vector<std::string> label_columns = {};  // columns of these names
  std::string label_pattern = {};               // columns whose whole name matches this regex
  std::string label_list = {};                  // one column that lists the labels of a row
  char label_separator = ';';                   // separates the labels of that list

  // Exclusive sets: columns with string values, or prefixes before '=' of labels named as above.
  std::vector<std::string> label_sets = {};

  // Structure between labels, in addition to what the file says (label_rules.hpp).
  NamedRules rules = {};
  std::string rules_file = {};  // JSON; empty: NAME.rules.json next to tables, if there is one
  char label_paths = 0;         // labels are paths with this separator: a/b/c is below a/b
  bool add_implied = false;     // rows get the labels that theirs imply

  OtherLabels other_labels = OtherLabels::ignore;
  std::vector<std::string> ignore = {};  // columns that are neither features nor labels
  std::vector<std::string> text = {};    // columns of free text
  // Columns of many words, each word coded by how often labels come with it in training.
  std::vector<std::string> target_columns = {};
  Dates dates = Dates::refuse;
  std::string id_column = {};  // names the rows, is not a feature
  // Words that mean a missing value in columns of words, where by default only an empty cell does.
  std::vector<std::string> na_words = {};
  Unseen unseen = Unseen::zero;

  // Facts from the model that the data is for. Columns of these names are labels if nothing else
  // says which are; the words of nominal features get the codes that they had in training.
  std::vector<std::string> known_labels = {};
  std::vector<std::string> known_sets = {};
  NominalFeatures known_nominal = {};
  std::vector<ColumnForm> known_forms = {};  // of columns with units or dates
  bool remembered = false;  // text, ignore and id come from a model; columns may be absent
  // The names of the features, if they have names: other columns are left out.
  std::shared_ptr<const std::unordered_set<std::string>> known_features = {};
  Index known_columns = 0;  // number of features without names: omitted ones of a libsvm file are 0

  bool labels_optional = false;  // for prediction: the file may have no labels at all
  IndexBase index_base = IndexBase::automatic;  // libsvm
  char delimiter = 0;                           // CSV; 0: detected
  char decimal = '.';                           // of numbers in tables: 1,5 with a comma
  char thousands = 0;                           // between groups of digits: 1,234 with a comma
  Nominal nominal = Nominal::one_hot;           // for features of more than two values
  bool keep_missing = false;       // missing features become NaN; otherwise they are an error
  std::string weight_column = {};  // weights of rows, not a feature
};

}  // namespace mulberry::data

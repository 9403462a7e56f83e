// Dataset: features, labels and their names, as read from a file or made by a generator.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mulberry/data/features.hpp"
#include "mulberry/data/label_rules.hpp"
#include "mulberry/data/labels.hpp"
#include "mulberry/data/text/texts.hpp"

namespace mulberry::data {

enum class Nominal { one_hot, ordinal };  // how features of more than two words become numbers

// The nominal attributes of a file and their words, so that other files get the same codes.
struct NominalFeatures {
  std::vector<std::string> names = {};
  std::vector<std::vector<std::string>> values = {};  // of each attribute, in the order of codes
  Nominal coding = Nominal::one_hot;
  // The values of an attribute, or nullptr if it is not one of these.
  const std::vector<std::string>* find(std::string_view name) const;
};

// The columns [begin, begin + size) that one nominal attribute became: a single one that holds
// codes, or one for each of its values. A missing value is NaN in all of them.
struct NominalColumns {
  Id begin = 0, size = 1;
};

// How a column of a table writes its numbers, if not plainly, so that other files are read alike.
struct ColumnForm {
  std::string name = {};
  std::string unit = {};  // %, or the sign of a currency, before or after each number
  bool dates = false;     // split into year, month, day, weekday, days since 1970
  bool day_first = false, times = false;  // of dates: 17/5/2024; the hour is a part as well
};

struct ReadOptions;

struct Dataset {
  std::string name = {};  // relation or file name, for people
  Features x = {};
  Labels y = {};
  bool has_labels = true;                       // false for data to predict without truth
  std::vector<std::string> feature_names = {};  // one per column of x, or empty
  std::vector<std::string> label_names = {};    // one per label, always
  LabelRules rules = {};               // hierarchy, implications and exclusions, if declared
  LabelSets sets = {};                 // exclusive groups, if declared
  bool labels_listed = false;          // a label that no row lists is absent, not unknown
  std::vector<double> weights = {};    // one per row, or empty: all 1
  std::vector<TextColumn> texts = {};  // columns of free text, which are not part of x
  std::vector<TextColumn> words = {};  // columns of many words, coded by the labels they come with
  std::string id_name = {};            // the column of ids, and the id of each row; or empty
  std::vector<std::string> ids = {};
  std::shared_ptr<const ReadOptions> reading = {};   // how the file was read, if it was
  NominalFeatures nominal = {};                      // which columns of words there were
  std::vector<NominalColumns> nominal_columns = {};  // in increasing order; the rest is numeric
  std::vector<ColumnForm> forms = {};                // of columns with units or dates
  Index attributes = 0;                 // features as the file has them (before one-hot)
  std::vector<std::string> notes = {};  // notes of the reader for the user

  Index rows() const { return x.rows(); }
  Index columns() const { return x.cols(); }
  Index labels() const { return y.count(); }
};

// The features are not copied, only listed: a fold costs its labels and a list of rows.
Dataset take_rows(const Dataset& data, std::span<const Id> rows);

// Throws Error naming the first row that does not have exactly one label of each set.
void require_label_sets(const Labels& y, const LabelSets& sets);
// The class of each row within set s: an index into sets.members[s].
std::vector<Id> classes_of(const Labels& y, const LabelSets& sets, std::size_t s);

}  // namespace mulberry::data

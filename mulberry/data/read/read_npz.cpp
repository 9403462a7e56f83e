// NumPy .npz: the arrays X and Y, each dense or as the parts of a SciPy CSR matrix (X_data,
// X_indices, X_indptr, X_shape; for X also with the names of scipy.sparse.save_npz), and the other
// arrays of write_npz. The file is held in memory while it is read, so the peak is the memory of
// the file and the result.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <type_traits>
#include <unordered_set>

#include "mulberry/core/bounds.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/mention.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/bytes/chunked.hpp"
#include "mulberry/data/bytes/npy.hpp"
#include "mulberry/data/bytes/zip_reader.hpp"
#include "mulberry/data/read/numbered_labels.hpp"
#include "mulberry/data/read/readers.hpp"

namespace mulberry::data {
namespace {

constexpr Index k_largest_id = std::numeric_limits<Id>::max();

std::vector<char> read_all(ByteSource& bytes) {
  constexpr std::size_t k_first = std::size_t{1} << 12, k_largest = std::size_t{1} << 18;
  Chunked<char> content;
  std::vector<char> buffer(k_first);  // enough for a small file: no fresh pages for nothing
  while (const std::size_t got = bytes.read(buffer.data(), buffer.size())) {
    content.append(std::span<const char>(buffer).first(got));
    if (got == buffer.size() && got < k_largest) buffer.resize(2 * got);
  }
  return content.take();
}

class NpzReader {
 public:
  NpzReader(ByteSource& bytes, std::string path, const ReadOptions& options)
      : path_(std::move(path)),
        options_(options),
        bytes_(std::make_shared<std::vector<char>>(read_all(bytes))),
        zip_({bytes_->data(), bytes_->size()}, path_) {}

  Dataset read() {
    NumberedLabels names = label_names_from_options(options_, path_);
    Dataset data;
    read_apart(data);
    data.x = read_features(data);
    data.attributes = data.x.cols();
    read_names("feature_names", data.columns(), data.feature_names);
    read_labels(data, std::move(names));
    if (has("weights")) data.weights = read_weights(data.rows());
    if (has("name")) {
      with("name", [&](const NpyArray& array) {
        const auto texts = array.texts();
        if (texts.size() == 1) data.name = texts[0];
      });
    }
    return data;
  }

 private:
  bool has(const std::string& key) const { return zip_.contains(key + ".npy"); }

  // use(array); the array lives only during the call.
  template <class Use>
  std::invoke_result_t<const Use&, const NpyArray&> with(const std::string& key,
                                                         const Use& use) const {
    std::string storage;
    return use(NpyArray::parse(zip_.read(key + ".npy", storage), key, path_));
  }

  // The shape of a matrix, within what ids can number.
  std::pair<Index, Index> checked_shape(const NpyArray& array, Index rows, Index cols) const {
    if (std::max(rows, cols) > k_largest_id) {
      array.fail("at most 2147483647 rows and columns", std::to_string(std::max(rows, cols)),
                 "Split the data");
    }
    return {rows, cols};
  }

  // A part of a sparse matrix: X_data; or data, as scipy.sparse.save_npz names it (key "").
  static std::string part(const std::string& key, const char* name) {
    return key.empty() ? name : key + "_" + name;
  }

  bool has_sparse(const std::string& key) const {
    return has(part(key, "data")) || has(part(key, "indptr")) || has(part(key, "indices"));
  }

  [[noreturn]] void fail_missing(const std::string& key) const {
    std::vector<std::string> keys;
    for (const auto& name : zip_.names()) keys.push_back(name.substr(0, name.rfind(".npy")));
    throw Error(Code::format,
                "expected the array " + in_quotes(key) + " (or " + key + "_data, " + key +
                    "_indices, " + key + "_indptr and " + key + "_shape), found " +
                    (keys.empty() ? "no array" : in_quotes(join(keys, ", "))),
                "Save with numpy.savez(FILE, X=X, Y=Y)", {path_});
  }

  Csr read_sparse(const std::string& key) const {
    for (const char* name : {"data", "indices", "indptr", "shape"}) {
      if (!has(part(key, name))) fail_missing(key.empty() ? "X" : key);
    }
    if (has(part(key, "format"))) {
      with(part(key, "format"), [](const NpyArray& array) {
        const auto texts = array.texts();
        if (texts.size() == 1 && texts[0] == "csr") return;
        array.fail("the format csr", texts.empty() ? "nothing" : in_quotes(texts[0]),
                   "Convert it first: X.tocsr()");
      });
    }
    Csr out;
    std::tie(out.rows, out.cols) = with(part(key, "shape"), [&](const NpyArray& array) {
      const auto shape = array.integers(0, k_largest_id);
      if (shape.size() != 2)
        array.fail("two numbers", std::to_string(shape.size()), "Save X.shape");
      return std::pair(shape[0], shape[1]);
    });
    std::vector<double> value =
        with(part(key, "data"), [](const NpyArray& array) { return array.numbers(); });
    const auto stored = count_of(value);
    std::vector<Id> index = with(part(key, "indices"), [&](const NpyArray& array) {
      if (array.size() != stored) {
        array.fail(std::to_string(stored) + " values, as many as in " + part(key, "data"),
                   std::to_string(array.size()), "Save the parts of one matrix");
      }
      const auto wide = array.integers(0, std::max<Index>(out.cols - 1, 0));
      return std::vector<Id>(wide.begin(), wide.end());
    });
    std::vector<Index> start = with(part(key, "indptr"), [&](const NpyArray& array) {
      auto offsets = array.integers(0, stored);
      if (array.size() != out.rows + 1 || offsets.front() != 0 || offsets.back() != stored ||
          !std::is_sorted(offsets.begin(), offsets.end())) {
        array.fail("rising offsets from 0 to " + std::to_string(stored) + ", one more than rows",
                   "others", "Save the parts of one matrix");
      }
      return offsets;
    });
    tidy_sparse_rows(start, index, value, key.empty() ? "X" : key, path_);
    out.start = std::move(start);
    out.index = std::move(index);
    out.value = std::move(value);
    return out;
  }

  // Doubles stay where the file's bytes are, moved by less than eight bytes over the array's header
  // to be aligned: no second copy of a large matrix. Each array is read once.
  FixedMatrix read_dense(const std::string& key) const {
    auto storage = std::make_shared<std::string>();
    const auto array = NpyArray::parse(zip_.read(key + ".npy", *storage), key, path_);
    array.require_numbers("Save texts as a further array, such as texts, and name it in " +
                          mention("text", "texts"));
    array.require_dimensions(2);
    const auto [rows, cols] = checked_shape(array, array.shape()[0], array.shape()[1]);
    if (!array.plain_doubles() || array.size() == 0) return Matrix(rows, cols, array.numbers());
    const std::string_view values = array.bytes();
    char* to = const_cast<char*>(values.data());
    to -= reinterpret_cast<std::uintptr_t>(to) % alignof(double);
    std::memmove(to, values.data(), values.size());
    std::shared_ptr<const void> owner = bytes_;
    if (!storage->empty()) owner = storage;  // the member was deflated
    const std::span<const double> cells(reinterpret_cast<const double*>(to), at(array.size()));
    return {rows, cols, Array<double>::borrow(cells, std::move(owner))};
  }

  // The arrays of ids and of texts, which are named by options.
  void read_apart(Dataset& data) const {
    const auto texts_of = [&](const std::string& key) {
      if (!has(key)) fail_missing(key);
      return with(key, [](const NpyArray& array) { return array.texts(); });
    };
    for (const std::string& key : options_.text) {
      if (options_.remembered && !has(key)) continue;
      data.texts.push_back({key, Texts(texts_of(key))});
    }
    if (!options_.id_column.empty() && (!options_.remembered || has(options_.id_column))) {
      data.id_name = options_.id_column;
      data.ids = texts_of(options_.id_column);
    }
    Index rows = -1;
    const auto require_rows = [&](const std::string& key, Index count) {
      if (rows < 0) rows = count;
      if (count == rows) return;
      throw Error(Code::format,
                  "expected " + std::to_string(rows) + " rows in " + in_quotes(key) +
                      ", as in the other arrays, found " + std::to_string(count),
                  "Save arrays of the same rows", {path_});
    };
    for (const TextColumn& column : data.texts) require_rows(column.name, column.texts.rows());
    if (!data.ids.empty()) require_rows(data.id_name, count_of(data.ids));
    if (rows >= 0 && has("X")) {
      with("X", [&](const NpyArray& array) {
        if (!array.shape().empty()) require_rows("X", array.shape()[0]);
      });
    }
  }

  Features read_features(const Dataset& data) const {
    Features x;
    if (!data.texts.empty() && !has("X") && !has_sparse("X")) {
      return Matrix(data.texts.front().texts.rows(), 0);  // texts are enough
    }
    const bool from_scipy = !has("X") && !has_sparse("X") && has_sparse("");
    if (has_sparse("X") || from_scipy) {
      Csr parts = read_sparse(from_scipy ? "" : "X");
      require_plausible_features(parts.cols, parts.rows + parts.nonzeros(), {path_});
      x = Features(std::move(parts));
    } else if (has("X")) {
      x = Features(read_dense("X"));
    } else {
      fail_missing("X");
    }
    try {
      require_finite(x, {}, options_.keep_missing);
    } catch (const Error& error) {
      throw error.in_file(path_);
    }
    return x;
  }

  // The texts of an optional array, `count` of them, each once.
  void read_names(const std::string& key, Index count, std::vector<std::string>& out) const {
    if (!has(key)) return;
    out = with(key, [&](const NpyArray& array) {
      if (array.size() != count) {
        array.fail(std::to_string(count) + " names", std::to_string(array.size()),
                   "Save one name for each column");
      }
      auto names = array.texts();
      std::unordered_set<std::string_view> taken;
      for (const std::string& name : names) {
        if (!taken.insert(name).second) {
          array.fail("names that differ", in_quotes(name) + " twice", "Rename one of them");
        }
      }
      return names;
    });
  }

  std::vector<Id> read_ids(const std::string& key, Index count, Index high) const {
    return with(key, [&](const NpyArray& array) {
      const auto wide = array.integers(-1, high);
      if (array.size() != count) {
        array.fail(std::to_string(count) + " numbers", std::to_string(array.size()),
                   "Save one number for each label");
      }
      return std::vector<Id>(wide.begin(), wide.end());
    });
  }

  std::vector<double> read_weights(Index rows) const {
    return with("weights", [&](const NpyArray& array) {
      auto weights = array.numbers();
      const auto good = [](double w) { return w > 0 && std::isfinite(w); };
      if (array.size() != rows || !std::all_of(weights.begin(), weights.end(), good)) {
        array.fail(std::to_string(rows) + " positive numbers", "others", "Save one for each row");
      }
      return weights;
    });
  }

  Labels read_sparse_labels() const {
    const Csr y = read_sparse("Y");
    std::vector<Index> start = {0}, missing_start = {0};
    std::vector<Id> index, missing;
    for (Index i = 0; i < y.rows; ++i) {
      const SparseRow row = y.row(i);
      for (std::size_t k = 0; k < row.index.size(); ++k) {
        if (std::isnan(row.value[k])) {
          missing.push_back(row.index[k]);
        } else if (row.value[k] == 1) {
          index.push_back(row.index[k]);
        } else {
          throw Error(Code::data,
                      "expected labels of 0, 1 or NaN (missing), found " + shortest(row.value[k]) +
                          " in row " + std::to_string(i + 1) + " of Y",
                      "Save a matrix of 0 and 1", {path_});
        }
      }
      start.push_back(count_of(index));
      missing_start.push_back(count_of(missing));
    }
    require_plausible_labels(y.cols, y.rows + y.nonzeros(), {path_});
    return Labels::from_csr(y.cols, std::move(start), std::move(index), std::move(missing_start),
                            std::move(missing));
  }

  void read_labels(Dataset& data, NumberedLabels names) const {
    if (has_sparse("Y")) {
      data.y = read_sparse_labels();
    } else if (has("Y")) {
      const FixedMatrix y = read_dense("Y");
      require_plausible_labels(y.cols(), y.size(), {path_});
      try {
        data.y = labels_from_dense(y);
      } catch (const Error& error) {
        throw error.in_file(path_);
      }
    } else if (options_.labels_optional) {
      data.has_labels = false;
      return;
    } else {
      fail_missing("Y");
    }
    if (data.y.rows() != data.rows()) {
      throw Error(Code::format,
                  "expected as many rows in Y as in X, " + std::to_string(data.rows()) +
                      ", found " + std::to_string(data.y.rows()),
                  "Save matrices of the same rows", {path_});
    }
    if (options_.label_count > 0 && options_.label_count != data.labels()) {
      throw Error(Code::usage,
                  "expected " + std::to_string(options_.label_count) + " labels, found " +
                      std::to_string(data.labels()) + " columns in Y",
                  "Leave " + mention("label_count") + " out, or correct Y", {path_});
    }
    if (!names.names.empty() && count_of(names.names) != data.labels()) {
      throw Error(Code::usage,
                  "expected " + std::to_string(data.labels()) + " labels in " +
                      mention("label_xml") + ", found " + std::to_string(names.names.size()),
                  "Check that the label file belongs to the data", {path_});
    }
    if (names.names.empty()) {
      read_names("label_names", data.labels(), names.names);
      if (has("label_parent")) names.parents = read_parents(data.labels());
    }
    if (has("set_names")) data.sets = read_sets(data.labels());
    read_rules(data);
    name_labels(data, std::move(names), options_);
  }

  std::vector<Id> read_parents(Index labels) const {
    auto parents = read_ids("label_parent", labels, labels - 1);
    // Following parents from any label must end: at most as many steps as labels, counted once.
    std::vector<char> ends(parents.size(), 0);
    for (std::size_t l = 0; l < parents.size(); ++l) {
      std::vector<std::size_t> path;
      for (Id k = static_cast<Id>(l); k >= 0 && ends[at(k)] != 1; k = parents[at(k)]) {
        if (ends[at(k)] == 2) {
          throw Error(Code::format, "expected a tree in the array 'label_parent', found a circle",
                      "Give labels at the top the parent -1", {path_});
        }
        ends[at(k)] = 2;
        path.push_back(at(k));
      }
      for (const std::size_t k : path) ends[k] = 1;
    }
    return parents;
  }

  // Rules by number; a label file replaces names and rules alike.
  void read_rules(Dataset& data) const {
    if (!options_.label_xml.empty()) return;
    const auto numbers = [&](const std::string& key, Index high) {
      if (!has(key)) fail_missing(key);
      return with(key, [&](const NpyArray& array) { return array.integers(0, high); });
    };
    const auto fail = [&](const std::string& key) {
      throw Error(Code::format,
                  "expected rules between labels in " + in_quotes(key) + ", found others",
                  "Save them as " + mention(Action::convert) + " does", {path_});
    };
    const Index last = data.labels() - 1;
    if (has("rule_label")) {
      const auto label = numbers("rule_label", last), implied = numbers("rule_implied", last);
      if (label.size() != implied.size()) fail("rule_implied");
      for (std::size_t k = 0; k < label.size(); ++k) {
        if (label[k] == implied[k]) fail("rule_implied");
        data.rules.implied.push_back({static_cast<Id>(label[k]), static_cast<Id>(implied[k])});
      }
      std::ranges::sort(data.rules.implied);
    }
    if (!has("exclusive_start")) return;
    const auto labels = numbers("exclusive_labels", last);
    const auto start = numbers("exclusive_start", count_of(labels));
    if (!are_offsets(start, labels.size())) fail("exclusive_start");
    for (std::size_t g = 0; g + 1 < start.size(); ++g) {
      const std::vector<Id> group(labels.begin() + start[g], labels.begin() + start[g + 1]);
      if (group.size() < 2 || !is_increasing(group)) fail("exclusive_labels");
      data.rules.exclusive.push_back(group);
    }
  }

  LabelSets read_sets(Index labels) const {
    LabelSets sets;
    sets.names = with("set_names", [](const NpyArray& array) { return array.texts(); });
    sets.members.resize(sets.names.size());
    if (!has("set_of_label")) fail_missing("set_of_label");
    const auto set_of = read_ids("set_of_label", labels, count_of(sets.names) - 1);
    for (std::size_t l = 0; l < set_of.size(); ++l) {
      if (set_of[l] >= 0) {
        sets.members[at(set_of[l])].push_back(static_cast<Id>(l));
      }
    }
    return sets;
  }

  std::string path_;
  const ReadOptions& options_;
  std::shared_ptr<std::vector<char>> bytes_;  // the whole file
  ZipReader zip_;
};

}  // namespace

void tidy_sparse_rows(std::vector<Index>& start, std::vector<Id>& index, std::vector<double>& value,
                      const std::string& key, const std::string& path) {
  std::size_t kept = 0;
  std::vector<std::pair<Id, double>> row;
  for (std::size_t i = 0; i + 1 < start.size(); ++i) {
    row.clear();
    for (auto k = at(start[i]); k < at(start[i + 1]); ++k) row.emplace_back(index[k], value[k]);
    const auto by_index = [](const auto& a, const auto& b) { return a.first < b.first; };
    if (!std::is_sorted(row.begin(), row.end(), by_index)) {
      std::sort(row.begin(), row.end(), by_index);
    }
    start[i] = static_cast<Index>(kept);
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (k > 0 && row[k].first == row[k - 1].first) {
        throw Error(Code::format,
                    "expected each column once in a row of " + in_quotes(key) + ", found column " +
                        std::to_string(row[k].first) + " twice in row " + std::to_string(i + 1),
                    "Call sum_duplicates() before saving", {path});
      }
      if (row[k].second == 0) continue;
      index[kept] = row[k].first;
      value[kept++] = row[k].second;
    }
  }
  start.back() = static_cast<Index>(kept);
  index.resize(kept);
  value.resize(kept);
}

Dataset read_npz(ByteSource& bytes, const std::string& path, const ReadOptions& options) {
  return NpzReader(bytes, path, options).read();
}

}  // namespace mulberry::data

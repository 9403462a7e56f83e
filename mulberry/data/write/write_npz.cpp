// NumPy .npz: X and Y dense or, if the features are sparse, the parts of SciPy CSR matrices
// (X_data, X_indices, X_indptr, X_shape, and likewise for Y). Labels are bytes of 0 and 1, or
// doubles with NaN for missing ones. Names are unicode arrays: nothing is pickled.
#include <algorithm>
#include <bit>
#include <limits>

#include "mulberry/core/index.hpp"
#include "mulberry/data/bytes/utf8.hpp"
#include "mulberry/data/bytes/zip_writer.hpp"
#include "mulberry/data/write/writers.hpp"

namespace mulberry::data {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are written as they lie");

std::string npy_header(std::string_view type, std::span<const Index> shape) {
  std::string dictionary =
      "{'descr': '" + std::string(type) + "', 'fortran_order': False, 'shape': (";
  for (const Index size : shape) dictionary += std::to_string(size) + ",";
  dictionary += "), }";
  constexpr std::size_t k_fixed = 10, k_alignment = 64;
  const std::size_t used = k_fixed + dictionary.size() + 1;
  dictionary.append((k_alignment - used % k_alignment) % k_alignment, ' ');
  dictionary += '\n';
  std::string out("\x93NUMPY\1\0", 8);
  out += static_cast<char>(dictionary.size() & 0xff);
  out += static_cast<char>(dictionary.size() >> 8);
  return out + dictionary;
}

template <class T>
std::string_view bytes_of(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

class NpzWriter {
 public:
  explicit NpzWriter(ByteSink& sink) : zip_(sink) {}

  void array(const std::string& key, std::span<const Index> shape, std::span<const double> values) {
    add(key, "<f8", shape, bytes_of(values));
  }
  void array(const std::string& key, std::span<const Index> shape,
             std::span<const std::uint8_t> values) {
    add(key, "|u1", shape, bytes_of(values));
  }
  void list(const std::string& key, std::span<const double> values) {
    add_list(key, "<f8", values);
  }
  void list(const std::string& key, std::span<const std::uint8_t> values) {
    add_list(key, "|u1", values);
  }
  void list(const std::string& key, std::span<const Id> values) { add_list(key, "<i4", values); }
  void list(const std::string& key, std::span<const Index> values) { add_list(key, "<i8", values); }

  void list(const std::string& key, std::span<const std::string> texts) {
    std::vector<std::u32string> wide;
    std::size_t width = 1;
    for (const auto& text : texts) {
      wide.push_back(decode_utf8(text));
      width = std::max(width, wide.back().size());
    }
    std::vector<char32_t> cells(texts.size() * width, U'\0');
    for (std::size_t k = 0; k < wide.size(); ++k) {
      std::copy(wide[k].begin(), wide[k].end(), cells.begin() + static_cast<Index>(k * width));
    }
    const Index shape[] = {count_of(texts)};
    add(key, "<U" + std::to_string(width), shape, bytes_of(std::span<const char32_t>(cells)));
  }

  void finish() { zip_.finish(); }

 private:
  template <class T>
  void add_list(const std::string& key, std::string_view type, std::span<const T> values) {
    const Index shape[] = {count_of(values)};
    add(key, type, shape, bytes_of(values));
  }
  void add(const std::string& key, std::string_view type, std::span<const Index> shape,
           std::string_view values) {
    const std::string header = npy_header(type, shape);
    const std::string_view parts[] = {header, values};
    zip_.add(key + ".npy", parts);
  }

  ZipWriter zip_;
};

void write_features(const Features& given, NpzWriter& out) {
  const Features x = in_one_piece(given);
  const Index shape[] = {x.rows(), x.cols()};
  if (!x.is_sparse()) {
    out.array("X", shape, x.dense().values());
    return;
  }
  out.list("X_data", std::span<const double>(x.sparse().value));
  out.list("X_indices", std::span<const Id>(x.sparse().index));
  out.list("X_indptr", std::span<const Index>(x.sparse().start));
  out.list("X_shape", shape);
}

void write_labels_dense(const Labels& y, NpzWriter& out) {
  const Index shape[] = {y.rows(), y.count()};
  if (y.has_missing()) {
    out.array("Y", shape, to_dense(y).values());
    return;
  }
  std::vector<std::uint8_t> cells(at(y.rows() * y.count()), 0);
  for (Index i = 0; i < y.rows(); ++i) {
    for (const Id l : y.row(i)) cells[at(i * y.count() + l)] = 1;
  }
  out.array("Y", shape, cells);
}

void write_labels_sparse(const Labels& y, NpzWriter& out) {
  std::vector<Index> start = {0};
  std::vector<Id> index;
  std::vector<double> with_missing;
  for (Index i = 0; i < y.rows(); ++i) {
    const auto begin = count_of(index);
    index.insert(index.end(), y.row(i).begin(), y.row(i).end());
    const auto gaps = y.missing_row(i);
    index.insert(index.end(), gaps.begin(), gaps.end());
    std::sort(index.begin() + begin, index.end());
    start.push_back(count_of(index));
    if (!y.has_missing()) continue;
    for (auto k = at(begin); k < index.size(); ++k) {
      const bool missing = std::binary_search(gaps.begin(), gaps.end(), index[k]);
      with_missing.push_back(missing ? std::numeric_limits<double>::quiet_NaN() : 1.0);
    }
  }
  if (y.has_missing()) {
    out.list("Y_data", std::span<const double>(with_missing));
  } else {
    const std::vector<std::uint8_t> ones(index.size(), 1);
    out.list("Y_data", std::span<const std::uint8_t>(ones));
  }
  const Index shape[] = {y.rows(), y.count()};
  out.list("Y_indices", std::span<const Id>(index));
  out.list("Y_indptr", std::span<const Index>(start));
  out.list("Y_shape", shape);
}

// Rules as lists of label numbers: `rule_label` implies `rule_implied`; the groups that exclude
// each other one after another in `exclusive_labels`, group g from exclusive_start[g].
void write_rules(const LabelRules& rules, NpzWriter& out) {
  if (!rules.parent.empty()) out.list("label_parent", std::span<const Id>(rules.parent));
  if (!rules.implied.empty()) {
    std::vector<Id> label, implied;
    for (const Implication& rule : rules.implied) {
      label.push_back(rule.label);
      implied.push_back(rule.implied);
    }
    out.list("rule_label", std::span<const Id>(label));
    out.list("rule_implied", std::span<const Id>(implied));
  }
  if (rules.exclusive.empty()) return;
  std::vector<Id> labels, start = {0};
  for (const auto& group : rules.exclusive) {
    labels.insert(labels.end(), group.begin(), group.end());
    start.push_back(static_cast<Id>(labels.size()));
  }
  out.list("exclusive_labels", std::span<const Id>(labels));
  out.list("exclusive_start", std::span<const Id>(start));
}

void write_label_metadata(const Dataset& data, NpzWriter& out) {
  out.list("label_names", data.label_names);
  write_rules(data.rules, out);
  if (data.sets.empty()) return;
  std::vector<Id> set_of(data.label_names.size(), -1);
  for (std::size_t s = 0; s < data.sets.size(); ++s) {
    for (const Id l : data.sets.members[s]) set_of[at(l)] = static_cast<Id>(s);
  }
  out.list("set_names", data.sets.names);
  out.list("set_of_label", std::span<const Id>(set_of));
}

}  // namespace

void write_npz(const Dataset& data, ByteSink& sink) {
  NpzWriter out(sink);
  write_features(data.x, out);
  if (!data.feature_names.empty()) out.list("feature_names", data.feature_names);
  if (data.has_labels) {
    if (data.x.is_sparse()) {
      write_labels_sparse(data.y, out);
    } else {
      write_labels_dense(data.y, out);
    }
    write_label_metadata(data, out);
  }
  if (!data.ids.empty()) out.list(data.id_name, data.ids);
  for (const TextColumn& column : data.texts) {
    std::vector<std::string> rows;
    for (Index i = 0; i < column.texts.rows(); ++i) rows.emplace_back(column.texts[i]);
    out.list(column.name, rows);
  }
  if (!data.weights.empty()) out.list("weights", std::span<const double>(data.weights));
  if (!data.name.empty()) out.list("name", std::span(&data.name, 1));
  out.finish();
}

}  // namespace mulberry::data

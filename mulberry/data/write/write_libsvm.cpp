// libsvm and XMLRepo rows: "label,label index:value index:value". A row without labels starts with
// a blank; an empty row, which would be a blank line, gets one explicit zero.
#include "mulberry/core/error.hpp"
#include "mulberry/data/read/detect.hpp"
#include "mulberry/data/write/writers.hpp"

namespace mulberry::data {
namespace {

bool last_column_occurs(const Features& x) {
  const Index last = x.cols() - 1;
  for (Index i = 0; i < x.rows(); ++i) {
    if (x.at(i, last) != 0) return true;
  }
  return false;
}

class RowWriter {
 public:
  RowWriter(const Dataset& data, ByteSink& sink, Index base)
      : data_(data), sink_(sink), base_(base) {}

  void entry(Index column, double value) {
    blank_ = false;
    sink_.text(" ");
    sink_.integer(column + base_);
    sink_.text(":");
    sink_.number(value);
  }

  // With `mark_width`, an explicit zero in the last column tells readers the number of columns.
  void row(Index i, bool mark_width) {
    blank_ = true;
    if (data_.has_labels) labels(i);
    if (data_.x.is_sparse()) {
      const SparseRow row = data_.x.sparse_row(i);
      for (std::size_t k = 0; k < row.index.size(); ++k) {
        if (row.value[k] != 0) entry(row.index[k], row.value[k]);
      }
    } else {
      const auto row = data_.x.dense_row(i);
      for (std::size_t j = 0; j < row.size(); ++j) {
        if (row[j] != 0) entry(static_cast<Index>(j), row[j]);
      }
    }
    if (mark_width || blank_) empty_entry(i);
    sink_.text("\n");
  }

 private:
  void labels(Index i) {
    const auto row = data_.y.row(i);
    blank_ = row.empty();
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (k > 0) sink_.text(",");
      sink_.integer(row[k]);
    }
  }

  void empty_entry(Index i) {
    if (data_.columns() == 0) {
      throw Error(Code::unsupported,
                  "expected features or labels in every row, found neither in row " +
                      std::to_string(i + 1) + ": this format cannot hold such a row",
                  "Write an .arff or .npz file");
    }
    entry(data_.columns() - 1, 0);
  }

  const Dataset& data_;
  ByteSink& sink_;
  Index base_;
  bool blank_ = true;  // nothing of the row is written yet
};

void require_supported(const Dataset& data, std::string_view format) {
  require_no_weights(data, format);
  require_no_text(data, "libsvm and XMLRepo");
  require_no_missing_labels(data, format);
  require_no_missing_features(data, format);
}

}  // namespace

void write_libsvm(const Dataset& data, ByteSink& sink) {
  require_supported(data, "libsvm");
  if (data.rows() == 0) {
    throw Error(Code::unsupported,
                "expected rows, found none: libsvm files without rows do not record columns",
                "Write another format, such as .arff or .txt (XMLRepo)");
  }
  // Readers infer the number of labels from the largest one that occurs; if that is not the last, a
  // comment gives the number. Without features the comment also distinguishes the file from a table
  // without a header.
  const Index labels = labels_to_write(data);
  if (labels > 0 && (data.y.column(labels - 1).empty() || data.columns() == 0)) {
    sink.text(k_libsvm_labels);
    sink.integer(labels);
    sink.text("\n");
  }
  const bool mark = data.columns() > 0 && !last_column_occurs(data.x);
  RowWriter writer(data, sink, 1);
  for (Index i = 0; i < data.rows(); ++i) writer.row(i, mark && i == 0);
}

void write_xmlrepo(const Dataset& data, ByteSink& sink) {
  require_supported(data, "xmlrepo");
  sink.integer(data.rows());
  sink.text(" ");
  sink.integer(data.columns());
  sink.text(" ");
  sink.integer(labels_to_write(data));
  sink.text("\n");
  RowWriter writer(data, sink, 0);
  for (Index i = 0; i < data.rows(); ++i) writer.row(i, false);
}

}  // namespace mulberry::data

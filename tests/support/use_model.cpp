#include "tests/support/use_model.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/data/dataset.hpp"
#include "mulberry/data/read/read.hpp"
#include "mulberry/evaluate/trained_model.hpp"

namespace mulberry::tests {
namespace {

using namespace mulberry::core;
using namespace mulberry::data;
using namespace mulberry::model;
using namespace mulberry::evaluate;

constexpr Index k_widest = 20000;  // a model of more features is only loaded and shown

void require(bool condition, const char* problem) {
  if (!condition) throw std::runtime_error(problem);
}

// A file that exists only in memory.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : file_(memfd_create("model", MFD_CLOEXEC)) {
    require(file_ >= 0, "no memory file");
    require(write(file_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
            "no room for a memory file");
  }
  ~MemoryFile() { close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

Dataset rows_for(const TrainedModel& model, bool sparse, double missing) {
  constexpr Index k_rows = 4;
  Matrix x(k_rows, model.columns);
  for (Index i = 1; i < k_rows; ++i) {  // the first row is 0 throughout
    for (Index j = 0; j < x.cols(); ++j) x(i, j) = static_cast<double>((i * 7 + j * 3) % 5) - 1.5;
  }
  if (x.cols() > 0) x(2, 0) = missing;
  Dataset out;
  out.x = sparse ? Features(to_sparse(x)) : Features(std::move(x));
  out.has_labels = false;
  return out;
}

// For models of columns that are no numbers; some cells and words are missing.
constexpr const char* k_table =
    "number,gap,colour,day,note\n0,,red,2026-01-31,rain on the beach\n"
    "1.5,2,green,2024-02-29,\n-3,4,blue,1999-12-31,\"the sea, the sky\"\n";

bool knows_columns(const TrainedModel& model) {
  return !model.nominal.names.empty() || !model.source.text.empty() ||
         !model.source.target_columns.empty() || !model.source.ignore.empty();
}

void predict_rows(const TrainedModel& model, const Dataset& data) {
  const Context ctx(1);
  const Prediction prediction = model.predict(data, ctx);
  require(prediction.scores.rows() == data.rows(), "a prediction without the rows of the data");
  require(prediction.scores.cols() == count_of(model.label_names),
          "a prediction without the labels of the model");
  const auto& scores = prediction.scores.values();
  require(std::all_of(scores.begin(), scores.end(), [](double v) { return std::isfinite(v); }),
          "a prediction that is not finite");
  const Labels labels = model.decide(prediction);
  require(labels.rows() == data.rows() && labels.count() == prediction.scores.cols(),
          "decisions of another size than the scores");
  for (Index i = 0; i < labels.rows(); ++i) {
    for (const Id l : labels.row(i)) {
      require(l >= 0 && l < labels.count(), "a decision about no label");
    }
  }
}

void predict_once(const TrainedModel& model, bool sparse, double missing) {
  predict_rows(model, rows_for(model, sparse, missing));
}

}  // namespace

bool use_model_bytes(std::string_view bytes) {
  const MemoryFile file(bytes);
  try {
    const TrainedModel model = TrainedModel::load(file.path());
    require(!model.about_json().empty(), "nothing about the model");
    for (const Result& result : model.results) {
      const auto& values = result.values;
      require(count_of(values.values()) == values.rows() * values.cols(),
              "a result without the values of its rows and columns");
      require(result.rows != Axis::named || count_of(result.row_names) == values.rows(),
              "a result without the names of its rows");
      require(result.columns != Axis::named || count_of(result.column_names) == values.cols(),
              "a result without the names of its columns");
      require(result.rows != Axis::labels || values.rows() == count_of(model.label_names),
              "a result that is not about the labels");
      require(result.columns != Axis::labels || values.cols() == count_of(model.label_names),
              "a result that is not about the labels");
      require(count_of(model.names_along(result.rows, result.row_names, values.rows(), 1)) ==
                  values.rows(),
              "a result whose rows have other names");
    }
    if (model.columns > k_widest) return true;
    if (knows_columns(model)) {
      ReadOptions options;
      options.labels_optional = true;
      options = model.reading(std::move(options));
      predict_rows(model, read_dataset(open_bytes(k_table, "rows"), "rows", options));
      return true;
    }
    for (const bool sparse : {false, true}) {
      predict_once(model, sparse, 0.5);
      if (model.takes_missing()) {
        predict_once(model, sparse, std::numeric_limits<double>::quiet_NaN());
      }
    }
    return true;
  } catch (const Error& error) {
    require(!error.problem().empty(), "an error without a problem");
    return false;
  }
}

}  // namespace mulberry::tests

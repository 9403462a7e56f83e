#include "mulberry/measures/outcome.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/core/text.hpp"

namespace mulberry::measures {
namespace {

constexpr double k_slack = 1e-9;  // by which rounding may push a probability out of 0..1

std::string shape(Index rows, Index cols) {
  return std::to_string(rows) + " x " + std::to_string(cols);
}

void require_shape(const char* what, Index rows, Index cols, const Labels& truth) {
  if (rows == truth.rows() && cols == truth.count()) return;
  throw Error(Code::data,
              std::string("expected ") + what + " of the shape of the truth, " +
                  shape(truth.rows(), truth.count()) + " (rows x labels), found " +
                  shape(rows, cols),
              "Check that prediction and truth have the same rows and labels");
}

// Counts instead of stopping early, so that the loop is vectorised.
bool all_within(std::span<const double> values, double low, double high) {
  Index good = 0;
  for (const double v : values) good += (v >= low ? 1 : 0) & (v <= high ? 1 : 0);
  return good == count_of(values);
}

[[noreturn]] void report(const char* expected, double found, Index row, Index col) {
  throw Error(Code::data, std::string("expected ") + expected + ", found " + shortest(found) +
                              " in row " + std::to_string(row + 1) + ", column " +
                              std::to_string(col + 1));
}

}  // namespace

void require_fitting(const Labels& truth, const Outcome& outcome, const Context& ctx) {
  if (outcome.decided != nullptr) {
    require_shape("decisions", outcome.decided->rows(), outcome.decided->count(), truth);
    if (outcome.decided->has_missing()) {
      throw Error(Code::data, "expected a decision in every cell, found missing ones",
                  "Decide 0 or 1 for every label of every row");
    }
  }
  if (outcome.rules != nullptr) {
    for (const auto& [label, implied] : outcome.rules->implications()) {
      if (label >= 0 && implied >= 0 && std::max(label, implied) < truth.count()) continue;
      throw Error(Code::data,
                  "expected rules between labels 0 to " + std::to_string(truth.count() - 1) +
                      ", found one with " + std::to_string(label) + " and " +
                      std::to_string(implied),
                  "Count labels from 0");
    }
  }
  double low = std::numeric_limits<double>::lowest(), high = std::numeric_limits<double>::max();
  const char* expected = "finite scores";
  if (outcome.probabilities) {
    low = -k_slack;
    high = 1 + k_slack;
    expected = "probabilities between 0 and 1";
  }
  if (outcome.scores != nullptr) {
    MatrixView s = *outcome.scores;
    require_shape("scores", s.rows(), s.cols(), truth);
    parallel_chunks(ctx, s.rows(), 256, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        if (all_within(s.row(i), low, high)) continue;
        Index j = 0;
        while (s(i, j) >= low && s(i, j) <= high) ++j;
        report(expected, s(i, j), i, j);
      }
    });
  }
  if (outcome.top_scores != nullptr) {
    const Csr& s = *outcome.top_scores;
    require_shape("scores", s.rows, s.cols, truth);
    for (Index i = 0; i < s.rows; ++i) {
      const SparseRow row = s.row(i);
      for (std::size_t k = 0; k < row.value.size(); ++k) {
        if (!(row.value[k] >= low && row.value[k] <= high)) {
          report(expected, row.value[k], i, row.index[k]);
        }
      }
    }
  }
}

Matrix take_rows(MatrixView scores, std::span<const Id> rows) {
  Matrix out(count_of(rows), scores.cols());
  double* to = out.data();
  for (const Id i : rows) to = std::copy(scores.row(i).begin(), scores.row(i).end(), to);
  return out;
}

}  // namespace mulberry::measures

#include "mulberry/model/memory_need.hpp"

#include <fmt/format.h>

#include <limits>

#include "mulberry/core/error.hpp"
#include "mulberry/core/memory.hpp"
#include "mulberry/model/base_learner.hpp"
#include "mulberry/model/learner.hpp"

namespace mulberry::model {
namespace {

// A statement may be this much too high: less than a refusal may be wrong.
constexpr double k_tolerance = 1.3;

std::string bytes_text(double bytes) {
  constexpr double k_largest = 1e18;
  return size_text(static_cast<std::size_t>(std::min(bytes, k_largest)));
}

}  // namespace

MemoryNeed memory_need(const CompleteSpec& spec, const Extent& extent) {
  return spec.learner().memory(extent, spec);
}

MemoryNeed target_need(const Spec& base, const Extent& extent) {
  return find_base(base.id).memory(extent, base);
}

MemoryNeed labels_need(const Spec& base, const Extent& extent) {
  const BaseLearner& learner = find_base(base.id);
  MemoryNeed out = learner.memory_of_labels(extent, base);
  if (learner.listed_rows || !extent.picked) return out;
  out.fit += extent.features();
  out.predict += extent.asked_features();
  return out;
}

MemoryNeed separate_need(const MemoryNeed& column, const Extent& extent) {
  const double together = extent.at_once(extent.labels);
  return {.fit = extent.labels * column.model + together * (column.work() + 4 * extent.rows),
          .model = extent.labels * column.model,
          .predict = extent.scores() + together * column.predict};
}

double held_out_need(const CompleteSpec& spec, const Extent& extent, double folds) {
  folds = std::min(folds, std::max(1.0, extent.rows));
  Extent part = extent.of_picked(extent.rows * (1 - 1 / folds));
  part.asked = extent.rows / folds;
  part.threads = std::max(1.0, std::floor(extent.threads / folds));
  const MemoryNeed one = memory_need(spec, part);
  const double fold = std::max(one.fit, one.model + one.predict);
  // The scores of the folds, and of all rows.
  return extent.pieces() + 8 * extent.rows * folds + extent.at_once(folds) * fold +
         2 * extent.cells() + 8 * extent.rows;
}

void require_memory_for(const CompleteSpec& spec, const View& view, int threads) {
  const double limit = static_cast<double>(available_memory());
  const double need = memory_need(spec, extent_of(view, threads)).fit;
  if (need <= k_tolerance * limit) return;
  const double alone = memory_need(spec, extent_of(view, 1)).fit;
  const bool fewer = alone <= limit;
  throw Error(Code::memory,
              fmt::format("expected at most {} for training {}, which is what this process can "
                          "get, found that it takes about {}",
                          bytes_text(limit), spec.id(), bytes_text(need)),
              fewer ? "Use one thread: it then takes about " + bytes_text(alone)
                    : "Use fewer rows, features or labels, a learner that takes less, or a machine "
                      "with more memory");
}

std::string memory_sentence(const CompleteSpec& spec, const View& view, int threads) {
  const MemoryNeed need = memory_need(spec, extent_of(view, threads));
  return fmt::format(
      "training takes about {} on top of the data, the model {}, predictions of as many rows {}",
      bytes_text(need.fit), bytes_text(need.model), bytes_text(need.predict));
}

}  // namespace mulberry::model

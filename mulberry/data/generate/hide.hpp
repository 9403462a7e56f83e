// Deliberate damage to labels, for experiments with incomplete and wrong labels. The input is the
// truth, which the caller keeps. Rows are treated one by one, each with its own random stream, so a
// larger share hides everything that a smaller one hides, and more. Exclusive label sets are lost
// but with the mode `sets`.
#pragma once

#include <string_view>

#include "mulberry/core/context.hpp"
#include "mulberry/data/labels.hpp"

namespace mulberry::data {

enum class HideMode {
  negative,  // labels are hidden: their cells become 0, as in an incomplete list of labels
  missing,   // labels are hidden, and their cells are marked missing
  cells,     // any observed cell, 0 or 1, becomes missing with the probability `share`
  sets,      // all cells of an exclusive set become missing with the probability `share`
};

// The mode of one of the words above.
HideMode hide_mode_of(std::string_view word);

struct HideOptions {
  double share = 0.4;
  HideMode mode = HideMode::negative;
};

// In a row with c labels, round(share * c) are hidden, with halves rounded up, but never all
// (`cells` and `sets` have no such rule). Cells that were missing stay missing. Throws Error if the
// share is not in [0, 1], or if `sets` is asked for and there are none.
Labels hide_labels(const Labels& y, const HideOptions& options, const Context& ctx,
                   const LabelSets& sets = {});

// In a row with c labels, round(share * c) are replaced by others that the row does not have (as
// far as there are any), so the row keeps its number of labels. Missing cells are not touched.
Labels flip_labels(const Labels& y, double share, const Context& ctx);

}  // namespace mulberry::data

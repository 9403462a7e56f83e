// Damage done to labels on purpose, for experiments about incomplete and wrong labels. The truth is
// what goes in; the caller keeps it. Rows are treated one by one, each from its own random stream,
// so a larger share hides what a smaller one hid, and more. Exclusive label sets do not survive.
#pragma once

#include "mulberry/core/context.hpp"
#include "mulberry/data/labels.hpp"

namespace mulberry::data {

enum class HideMode {
  negative,  // labels are taken away: their cells say 0, as in an incomplete list of labels
  missing,   // the same labels, but their cells are marked missing
  cells,     // any observed cell, 0 or 1, becomes missing with the probability `share`
};

struct HideOptions {
  double share = 0.4;
  HideMode mode = HideMode::negative;
};

// Of a row with c labels, round(share * c) are hidden, halves upwards, but never all (`cells` has
// no such rule). Cells that were missing stay so. Throws Error when the share is not in [0, 1].
Labels hide_labels(const Labels& y, const HideOptions& options, const Context& ctx);

// Of a row with c labels, round(share * c) are replaced by others that the row does not have (as
// far as there are any), so the row keeps its number of labels. Missing cells are not touched.
Labels flip_labels(const Labels& y, double share, const Context& ctx);

}  // namespace mulberry::data

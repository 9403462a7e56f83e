// Iterative stratification: rows are dealt to parts so that every part has its share of every label
// (Sechidis, Tsoumakas and Vlahavas, ECML 2011) and, with `pairs`, of every two labels that occur
// together (Szymanski and Kajdanowicz, 2017). The rarest label goes first, because it has the least
// room; each of its rows goes to the part that still needs the label most. Unlike in the papers,
// ties are broken by the parts' need for the row's other labels, which balances all labels better.
//
// If labels are missing, the missing cells of each label are also dealt out evenly: together with
// the positives and the number of rows, this gives every part its share of the observed cells.
// Rows of one group stay together.
//
// Cost: O((entries + rows) * parts) on one thread, where the entries are the positive and missing
// cells and, with pairs, the pairs within each row. The result depends only on the arguments.
#pragma once

#include <span>
#include <vector>

#include "mulberry/core/context.hpp"
#include "mulberry/data/labels.hpp"

namespace mulberry::resample {

struct StratifyOptions {
  bool pairs = false;
  std::span<const Id> groups = {};  // group of each row, any numbers; empty: no groups
  bool labels = true;               // false: balance only the number of rows (useful with groups)
};

// The part of every row. shares: the share of the rows for each part, all above 0, sum 1. No part
// stays empty if there are at least as many rows (or groups) as parts.
std::vector<Id> stratify(const Labels& y, std::span<const double> shares,
                         const StratifyOptions& options, Random random, const Context& ctx);

}  // namespace mulberry::resample

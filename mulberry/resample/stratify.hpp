// Iterative stratification: rows are dealt to parts so that every part has its share of every label
// (Sechidis, Tsoumakas and Vlahavas, ECML 2011), and with `pairs` of every two labels that occur
// together (Szymanski and Kajdanowicz, 2017). The rarest label goes first, because it has the least
// room; each of its rows goes to the part that still wants the label most. Unlike the papers, ties
// are broken by what the parts want of the row's other labels, which balances all of them better.
//
// Where labels are missing, the missing cells of each label are dealt out evenly too: with the
// positives and the number of rows that leaves every part its share of the observed cells.
// Rows of one group stay together.
//
// Cost O((entries + rows) * parts), entries being the positive and missing cells, and with pairs
// the pairs within each row; one thread. The result depends on the arguments alone.
#pragma once

#include <span>
#include <vector>

#include "mulberry/core/context.hpp"
#include "mulberry/data/labels.hpp"

namespace mulberry::resample {

struct StratifyOptions {
  bool pairs = false;
  std::span<const Id> groups = {};  // group of each row, any numbers; empty: every row by itself
  bool labels = true;               // false: balance the number of rows only (useful with groups)
};

// The part of every row. shares: what each part should get of the rows, all above 0, sum 1. No part
// stays empty when there are at least as many rows (or groups) as parts.
std::vector<Id> stratify(const Labels& y, std::span<const double> shares,
                         const StratifyOptions& options, Random random, const Context& ctx);

}  // namespace mulberry::resample

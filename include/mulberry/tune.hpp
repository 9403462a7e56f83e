// Tuning: the parameters of a learner with the best cross-validated value of one measure.
//
//   const mulberry::TuneResult found = mulberry::tune("br_logistic", data,
//                                                     {.measure = "macro_f1", .trials = 20});
//   const mulberry::Model model = mulberry::train(found.best, data);
//
// The value of the winner is the best of many and therefore too good. With `outer` folds the whole
// search is repeated within each of them and judged on rows that it never saw: TuneResult::outer is
// the figure to report.
//
// Guarantees: the same trials and the same winner for any number of threads. Parameters that the
// learner's text sets stay as they are.
//
// Thread safety: may be called from any thread.
#pragma once

#include <mulberry/cross_validate.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mulberry {

struct TuneOptions {
  std::string measure = "micro_f1";
  std::string search = "random";  // "grid", "random", "halving"
  // "C=0.1,1,10; base.depth=2,4": values of your own. Empty: the ranges that the learner declares.
  std::string grid = {};
  std::int64_t trials = 30;            // drawn, or at most in a grid
  std::int64_t grid_points = 5;        // values of a range in a grid
  std::int64_t outer = 0;              // outer folds for an honest figure; 0: none
  CrossValidateOptions evaluate = {};  // splits within the search, preprocessing, conventions
};

struct Trial {
  std::string learner = {};  // as it was tried
  Estimate estimate = {};
  double share = 1;          // of the rows that it was judged on
  std::string failure = {};  // why there is no value
};

struct TuneResult {
  std::string best = {};  // the learner to train
  std::vector<Trial> trials = {};
  std::size_t best_trial = 0;
  std::optional<Estimate> outer = {};
  std::string json = {};  // all of it, as `mulberry tune --json` prints it
};

MULBERRY_API TuneResult tune(std::string_view learner, const Dataset& data,
                             const TuneOptions& options = {}, const Context& context = Context());

}  // namespace mulberry

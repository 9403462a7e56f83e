#include "mulberry/learners/mlr/mlr.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>
#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/core/memory.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/learners/common/training_notes.hpp"
#include "mulberry/learners/mlr/inputs.hpp"
#include "mulberry/math/dense/products.hpp"
#include "mulberry/measures/protocol.hpp"
#include "mulberry/resample/split.hpp"

namespace mulberry::learners::mlr {

std::vector<std::string> Common::notes(const View& view, bool exact) const {
  std::vector<std::string> out;
  if (uses_pairs()) {
    const bool single = precision == PairPrecision::single;
    add_kernel_note(view.size(), kernel, single ? KernelStorage::f32 : KernelStorage::f64,
                    "landmarks=500 takes a sample of the rows instead", out);
  }
  const std::size_t pairs = exact ? exact_bytes(*view.y) : 0;
  if (pairs >= k_much_memory) {
    out.push_back("the pairs of labels of all rows take " + size_text(pairs));
  }
  return out;
}

MemoryNeed Common::memory(const Extent& e, bool exact, bool searches) const {
  const double size = e.rows > 0 ? e.positives / e.rows : 0;
  const double pairs = exact ? 8 * e.positives * std::max(0.0, e.labels - size) : 0;
  const auto units = static_cast<double>(landmarks);
  const double values = uses_pairs()
                            ? kernel_need(e.rows, kernel, precision == PairPrecision::single)
                            : 8 * e.rows * units + 24 * units * units;
  const double blocks = 8 * 256 * (2 * e.labels + 256);
  const double width = landmarks > 0 ? units : e.columns;
  const double model = uses_pairs() ? form_need(e) : 8 * e.labels * width + 8 * units * units;
  const double history = exact ? 6 * (pairs + e.cells()) + 6 * e.cells() + pairs : 0;
  const double coefficients = e.cells() + pairs;
  double fit = e.pieces() + values + blocks + coefficients +
               std::max(history + e.cells(), e.cells() + model);
  if (searches) {
    const Extent part = e.of_picked(e.rows * (1 - 1 / static_cast<double>(folds)));
    Common one = *this;
    one.C = 1.0;
    const double cross = uses_pairs() ? 8 * part.rows * (e.rows - part.rows) : 0;
    fit = std::max(fit, e.pieces() + cross + part.cells() + one.memory(part, exact, false).fit);
  }
  return {.fit = fit, .model = model, .predict = e.asked_pieces() + form_predict_need(e)};
}

namespace {

constexpr double k_costs[] = {1e-3, 1e-2, 1e-1, 1, 1e1, 1e2};
constexpr double k_etas[] = {1.1, 1.5, 2, 5, 10};  // and half of the labels
// The area depends only on the order of the labels, which settles long before the coefficients.
constexpr double k_search_tolerance = 1e-2;
constexpr Index k_search_sweeps = 10;
// Candidates that are behind the best by this much on the first fold are not tried on the others;
// after two in a row that are below the best of their eta by this much, its larger costs are not
// tried at all.
constexpr double k_hopeless = 0.01;

// The values tried: from the smallest to the largest possible quadratic term of a row, which is
// reached at half the number of labels.
std::vector<double> eta_grid(Index labels) {
  std::vector<double> out(std::begin(k_etas), std::end(k_etas));
  const double most = static_cast<double>(labels) / 2;
  std::erase_if(out, [&](double eta) { return eta >= most; });
  out.push_back(std::max(most, k_etas[0]));
  return out;
}

// The candidates of a search on one fold after the other, with increasing costs, each starting from
// the previous solution. Candidates that fall behind on the first fold are dropped.
class Contest {
 public:
  Contest(Search& search, std::size_t costs, Index labels)
      : search_(search),
        costs_(costs),
        curves_(search.C.size(), ProtocolCurve(labels)),
        out_(search.C.size(), false) {}

  void run(const View& train, const View& test, const Settings& settings, const Context& ctx) {
    const Compact data(test);
    Inputs inputs(train, settings, ctx.quiet());
    const Inputs::Others others(inputs, test, ctx.quiet());
    PairMachine before;
    double best = 0, peak = 0;  // best areas on the first fold, over all and for this eta
    int fallen = 0;             // candidates in a row that are well below it
    for (std::size_t k = 0; k < search_.C.size(); ++k) {
      if (k % costs_ == 0) {
        before = {};
        peak = 0;
        fallen = 0;
      }
      ctx.step(static_cast<double>(k) / static_cast<double>(search_.C.size()));
      out_[k] = out_[k] || fallen > 1;
      if (out_[k]) continue;
      PairSettings machine = settings.machine(search_.C[k], search_.eta[k]);
      machine.tolerance = std::max(machine.tolerance, k_search_tolerance);
      machine.sweeps = std::min(machine.sweeps, k_search_sweeps);
      machine.certify = false;
      before = train_pairs(inputs.scores(), inputs.y(), machine, ctx.quiet(),
                           before.a.size() > 0 ? &before : nullptr);
      add(curves_[k], data.y(), others.scores(before.a, ctx.quiet()));
      if (!first_) continue;
      const double area = curves_[k].micro().value;
      peak = std::max(peak, area);
      best = std::max(best, area);
      fallen = area < peak - k_hopeless ? fallen + 1 : 0;
    }
    for (std::size_t k = 0; k < out_.size() && first_; ++k) {
      out_[k] = out_[k] || curves_[k].micro().value < best - k_hopeless;
    }
    first_ = false;
  }

  // The areas of the candidates that were tried on all folds; NaN for the others.
  std::vector<double> areas() const {
    std::vector<double> out;
    for (std::size_t k = 0; k < out_.size(); ++k) {
      out.push_back(out_[k] ? std::nan("") : curves_[k].micro().value);
    }
    return out;
  }

 private:
  void add(ProtocolCurve& curve, const Labels& y, MatrixView scores) {
    const Ties ties = rules_of({}).protocol_ties;
    for (Index i = 0; i < scores.rows(); ++i) {
      curve.add(ranker_.dense(scores.row(i), y.row(i), y.missing_row(i)), ties);
    }
  }

  Search& search_;
  std::size_t costs_;  // candidates with the same eta
  std::vector<ProtocolCurve> curves_;
  std::vector<char> out_;
  learners::Ranker ranker_{true};
  bool first_ = true;
};

Search search(const View& view, const Settings& settings, const Context& ctx) {
  Search out;
  const auto& C = settings.common.C;
  const std::vector<double> costs =
      C ? std::vector<double>{*C} : std::vector<double>(std::begin(k_costs), std::end(k_costs));
  const std::vector<double> etas =
      settings.eta ? std::vector<double>{*settings.eta} : eta_grid(view.labels());
  for (const double eta : etas) {
    for (const double cost : costs) {
      out.C.push_back(cost);
      out.eta.push_back(eta);
    }
  }
  const Compact data(view);
  const Labels& y = data.y();
  const View whole{.x = &data.x(), .y = &y};
  const auto folds = k_folds(y, {.folds = std::min(settings.common.folds, y.rows())}, ctx);
  Contest contest(out, costs.size(), y.count());
  for (std::size_t f = 0; f < folds.size(); ++f) {
    std::vector<Id> train_rows, test_rows;
    const auto share = static_cast<double>(folds.size());
    contest.run(part_of(whole, folds[f].train, train_rows),
                part_of(whole, folds[f].test, test_rows), settings,
                ctx.part(static_cast<double>(f) / share, static_cast<double>(f + 1) / share));
  }
  out.area = contest.areas();
  return out;
}

// The `top` best of each row, the lower index on ties.
std::vector<std::vector<Id>> best_labels(MatrixView scores, Index top) {
  std::vector<std::vector<Id>> out(at(scores.rows()));
  for (Index i = 0; i < scores.rows(); ++i) {
    auto& row = out[at(i)];
    const auto values = scores.row(i);
    for (Id l = 0; l < static_cast<Id>(scores.cols()); ++l) {
      if (top > 0 || values[at(l)] > 0) row.push_back(l);
    }
    if (top == 0 || top >= scores.cols()) continue;
    std::partial_sort(row.begin(), row.begin() + top, row.end(), [&](Id a, Id b) {
      const double of_a = values[at(a)];
      const double of_b = values[at(b)];
      return of_a != of_b ? of_a > of_b : a < b;
    });
    row.resize(at(top));
  }
  return out;
}

}  // namespace

// Labels of one class are always or never predicted, as in every learner.
std::vector<Id> constants_of(const Labels& y) {
  std::vector<Id> out;
  for (Index l = 0; l < y.count(); ++l) {
    const std::size_t yes = y.column(l).size();
    const std::size_t known = at(y.rows()) - y.missing_column(l).size();
    out.push_back(yes == 0 ? 0 : yes == known ? 1 : -1);
  }
  return out;
}

PairSettings Settings::machine(double C, double with_eta) const {
  return {.loss = loss,
          .exact = exact,
          .C = C,
          .eta = with_eta,
          .tolerance = common.tolerance,
          .sweeps = common.sweeps.value_or(exact ? 5000 : 50),
          .shuffle = common.shuffle};
}

std::size_t Search::best() const {
  std::size_t out = 0;
  for (std::size_t k = 1; k < area.size(); ++k) {
    if (area[k] > area[out] || std::isnan(area[out])) out = k;
  }
  return out;
}

Report report_of(const PairMachine& machine, double jitter) {
  return {.C = machine.C,
          .eta = std::nan(""),
          .change = machine.change,
          .objective = machine.primal,
          .gap = machine.gap(),
          .jitter = jitter,
          .sweeps = machine.sweeps,
          .converged = machine.converged};
}

Ranker fit(const View& view, const Settings& settings, const Context& ctx) {
  if (view.labels() < 2) {
    throw Error(Code::data, "expected at least 2 labels or classes to rank, found 1",
                "Use a learner that treats each label separately, for example svm");
  }
  if (settings.common.precision == PairPrecision::single && !settings.common.uses_pairs()) {
    throw Error(Code::parameter,
                "expected precision=full with kernel=linear or landmarks, found single",
                "Leave out precision");
  }
  Ranker out;
  out.top = settings.common.top;
  out.report.C = settings.common.C.value_or(1);
  out.report.eta = settings.eta.value_or(1.5);
  const bool chooses = (!settings.common.C || !settings.eta) && view.size() > 1;
  if (chooses) {
    out.search = search(view, settings, ctx.part(0, 0.9));
    const std::size_t best = out.search->best();
    out.report.C = out.search->C[best];
    out.report.eta = out.search->eta[best];
  }
  Inputs inputs(view, settings, ctx.quiet());
  const PairMachine machine =
      train_pairs(inputs.scores(), inputs.y(), settings.machine(out.report.C, out.report.eta),
                  ctx.part(chooses ? 0.9 : 0, 1));
  inputs.store(machine.a, out, ctx);
  out.constant = constants_of(inputs.y());
  const double eta = out.report.eta;
  out.report = report_of(machine, inputs.jitter());
  out.report.eta = eta;
  return out;
}

Prediction Ranker::predict(const View& view, const Context& ctx) const {
  const Compact data(view);
  Prediction out;
  if (form) {
    out.scores = form->scores(data.x(), {}, ctx);
  } else {
    out.scores = linear_scores(map ? Features(map->features(data.x(), ctx)) : data.x(), w, {}, ctx);
  }
  const bool plain = std::all_of(constant.begin(), constant.end(), [](Id c) { return c < 0; });
  if (plain && top == 0) return out;
  std::vector<std::vector<Id>> decided = best_labels(out.scores, top);
  for (auto& row : decided) {
    std::erase_if(row, [&](Id l) { return constant[at(l)] >= 0; });
    for (Id l = 0; l < static_cast<Id>(constant.size()); ++l) {
      if (constant[at(l)] == 1) row.push_back(l);
    }
  }
  out.decided = Labels(out.scores.cols(), decided);
  return out;
}

Summary Ranker::summary() const {
  return {.converged = report.converged,
          .objective = report.objective,
          .gap = report.gap,
          .rounds = report.sweeps};
}

std::vector<Result> Ranker::results() const {
  const double values[] = {report.C,      report.eta,       static_cast<double>(report.sweeps),
                           report.change, report.objective, report.gap,
                           report.jitter};
  std::vector<Result> out;
  Matrix row(1, static_cast<Index>(std::size(values)));
  std::copy(std::begin(values), std::end(values), row.row(0).begin());
  out.push_back(
      {.id = "training",
       .sentence =
           "how training ended: the relative change of the last sweep, the objective, the share of "
           "it that is at most above the optimum (nan: not known), and, for exact training, the "
           "amount added to the kernel's diagonal",
       .rows = Axis::named,
       .row_names = {"training"},
       .column_names = {"C", "eta", "sweeps", "change", "objective", "gap", "jitter"},
       .values = std::move(row)});
  if (form) out.push_back(form->result());
  if (!search) return out;
  Matrix tried(static_cast<Index>(search->C.size()), 1);
  std::vector<std::string> names;
  for (std::size_t k = 0; k < search->C.size(); ++k) {
    names.push_back("C=" + shortest(search->C[k]));
    if (!std::isnan(search->eta[k])) names.back() += " eta=" + shortest(search->eta[k]);
    tried(static_cast<Index>(k), 0) = search->area[k];
  }
  out.push_back({.id = "search",
                 .sentence = "cross-validated area under the protocol curve of each candidate; "
                             "none if it fell behind on the first fold",
                 .rows = Axis::named,
                 .row_names = names,
                 .column_names = {"area"},
                 .values = std::move(tried)});
  return out;
}

}  // namespace mulberry::learners::mlr

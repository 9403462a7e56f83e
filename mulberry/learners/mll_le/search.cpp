#include "mulberry/learners/mll_le/search.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>
#include <cmath>

#include "mulberry/core/parallel.hpp"
#include "mulberry/measures/measures.hpp"
#include "mulberry/resample/out_of_fold.hpp"

namespace mulberry::learners::mll_le {

namespace {

// A rough solution is enough to compare settings.
constexpr double k_tolerance = 1e-4;

const std::vector<double> k_weights = {1e-3, 1e-2, 1e-1, 1, 1e1, 1e2, 1e3};
const std::vector<double> k_tubes = {0.01, 0.1, 1};

// The place of the grid that is nearest to a value, by their ratio.
Index nearest(const std::vector<double>& grid, double value) {
  const auto distance = [&](double v) { return std::abs(std::log(v / std::max(value, 1e-12))); };
  return std::min_element(grid.begin(), grid.end(),
                          [&](double a, double b) { return distance(a) < distance(b); }) -
         grid.begin();
}

struct Coordinate {
  std::size_t place;  // in SearchOptions::open
  double Settings::* member;
  const std::vector<double>& grid;
};
const Coordinate k_alpha = {0, &Settings::alpha, k_weights};
const Coordinate k_beta = {1, &Settings::beta, k_weights};
const Coordinate k_gamma = {2, &Settings::gamma, k_weights};
const Coordinate k_delta = {3, &Settings::delta, k_weights};
const Coordinate k_eps = {4, &Settings::eps, k_tubes};

// A direction of the walk: these coordinates, each up (1) or down (-1) its grid. A smoother
// regressor and smoother numerical labels can replace each other, so both are also changed at once.
struct Direction {
  std::vector<std::pair<const Coordinate*, int>> parts;
};
const std::vector<Direction> k_directions = {
    {{{&k_alpha, 1}}}, {{{&k_gamma, 1}}}, {{{&k_alpha, 1}, {&k_gamma, -1}}},
    {{{&k_beta, 1}}},  {{{&k_eps, 1}}},   {{{&k_delta, 1}}}};

// The setting so many steps away, if it is within the grids.
std::optional<Settings> moved(const Settings& from, const Direction& direction, Index steps) {
  Settings out = from;
  for (const auto& [c, sign] : direction.parts) {
    const Index place = nearest(c->grid, from.*c->member) + sign * steps;
    if (place < 0 || place >= count_of(c->grid)) return std::nullopt;
    out.*c->member = c->grid[at(place)];
  }
  return out;
}

// One fold: what its settings share, and the last solution.
struct Part {
  Part(const View& view, const Fold& fold, const Shape& shape, const Context& ctx)
      : train(part_of(view, fold.train, train_rows)),
        test(part_of(view, fold.test, test_rows)),
        problem(train, shape, ctx),
        others(problem, test, ctx) {}

  Matrix scores(const Settings& settings, const Context& ctx) {
    const Enhancement found =
        problem.fit(settings, k_tolerance, u.size() > 0 ? &u : nullptr, false, ctx);
    u = found.u;
    return others.scores(found, ctx);
  }

  std::vector<Id> train_rows = {}, test_rows = {};
  View train, test;
  Problem problem;
  Problem::Others others;
  Matrix u = {};
};

class Searcher {
 public:
  Searcher(const View& view, const Shape& shape, const SearchOptions& options, const Context& ctx)
      : data_(view),
        options_(options),
        ctx_(ctx),
        folds_(k_folds(data_.y(), {.folds = std::min(options.folds, view.size())}, ctx)),
        parts_(folds_.size()) {
    parallel_for(ctx, count_of(folds_), [&](Index f) {
      const auto k = at(f);
      parts_[k] = std::make_unique<Part>(view, folds_[k], shape, ctx.quiet());
    });
  }

  Search run(Settings now) {
    double best = value_of(now);
    for (Index pass = 0; pass < options_.passes; ++pass) {
      const Settings before = now;
      for (const Direction& direction : k_directions) {
        if (!is_open(direction)) continue;
        const Settings centre = now;
        for (const Index side : {1, -1}) {
          for (Index steps = side;; steps += side) {
            const auto tried = moved(centre, direction, steps);
            if (!tried) break;
            const double score = value_of(*tried);
            if (score <= best) break;
            best = score;
            now = *tried;
          }
        }
      }
      if (now == before) break;
    }
    const auto tried = at(std::find(seen_.begin(), seen_.end(), now) - seen_.begin());
    out_.best = static_cast<Index>(tried);
    return out_;
  }

 private:
  bool is_open(const Direction& direction) const {
    return std::all_of(direction.parts.begin(), direction.parts.end(),
                       [&](const auto& part) { return options_.open[part.first->place]; });
  }

  // The measure, negated if less is better; remembered for a setting that was tried before.
  double value_of(const Settings& settings) {
    const auto known = std::find(seen_.begin(), seen_.end(), settings);
    if (known != seen_.end()) return sign_ * out_.value[at(known - seen_.begin())];
    const Matrix scores = out_of_fold(folds_, data_.y().rows(), data_.y().count(), ctx_.quiet(),
                                      [&](const Fold&, Index f, const Context& inner) {
                                        return parts_[at(f)]->scores(settings, inner);
                                      });
    const MeasureValue found =
        measure(options_.measure, data_.y(), {.scores = &scores}, {}, ctx_.quiet());
    sign_ = found.higher_is_better ? 1 : -1;
    seen_.push_back(settings);
    out_.alpha.push_back(settings.alpha);
    out_.beta.push_back(settings.beta);
    out_.gamma.push_back(settings.gamma);
    out_.delta.push_back(settings.delta);
    out_.eps.push_back(settings.eps);
    // Without a row to measure every setting is as good as another.
    out_.value.push_back(std::isnan(found.value) ? 0.0 : found.value);
    const auto done = static_cast<double>(seen_.size());
    ctx_.step(done / (done + 20));
    return sign_ * out_.value.back();
  }

  Compact data_;
  const SearchOptions& options_;
  const Context& ctx_;
  std::vector<Fold> folds_;
  std::vector<std::unique_ptr<Part>> parts_;
  std::vector<Settings> seen_;
  Search out_;
  double sign_ = 1;
};

}  // namespace

Search search_settings(const View& view, const Shape& shape, const Settings& start,
                       const SearchOptions& options, const Context& ctx) {
  return Searcher(view, shape, options, ctx).run(start);
}

}  // namespace mulberry::learners::mll_le

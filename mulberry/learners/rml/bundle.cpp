#include "mulberry/learners/rml/bundle.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/math/optimise/simplex_qp.hpp"

namespace mulberry::learners {

namespace {

constexpr Index k_least_planes = 20, k_most_planes = 500;
constexpr int k_idle_limit = 30;    // a plane may be dropped after this many solutions without use
constexpr Index k_crowded = 150;    // number of planes from which idle ones are dropped
constexpr int k_search_limit = 12;  // evaluations per line search
constexpr double k_search_enough =
    0.05;                      // share of the gap: a smaller gain is not worth an evaluation
constexpr double k_mix = 0.1;  // new planes are cut this far from best towards target

}  // namespace

Index Bundle::capacity(Index size, const BundleOptions& options) {
  const auto fit =
      static_cast<Index>(options.plane_bytes / (at(std::max<Index>(size, 1)) * sizeof(double)));
  return std::clamp(fit, k_least_planes, k_most_planes);
}

std::size_t Bundle::bytes(Index rows, Index size, const BundleOptions& options) {
  const auto m = at(capacity(size, options));
  return sizeof(double) * (m * at(size) + m * m + 4 * at(size) + 8 * at(rows));
}

Bundle::Bundle(const ScoreSpace& space, MeasureOracle oracle, BundleOptions options)
    : space_(space),
      oracle_(std::move(oracle)),
      options_(options),
      capacity_(capacity(space.size(), options)),
      gram_(at(capacity_ * capacity_)),
      anchor_(oracle_.truth().begin(), oracle_.truth().end()) {
  MULBERRY_ASSERT(space.rows() == oracle_.rows());
  for (Point* p : {&best_, &target_}) {
    p->point.assign(at(space.size()), 0.0);
    p->scores.assign(at(space.rows()), 0.0);
  }
  trial_ = change_ = cells_ = best_.scores;
  plane_.resize(at(space.size()));
  planes_.reserve(at(capacity_ * space.size()));
  planes_.assign(at(space.size()), 0.0);
  offset_ = {0.0};
  weight_ = {1.0};
  idle_ = {0};
  const Violation found = oracle_(best_.scores);
  best_.risk = found.value;  // all scores are 0
  if (found.loss > 0) add_plane(found);
}

blas::Block<const double> Bundle::plane_block() const {
  return {planes_.data(), planes(), space_.size(), space_.size()};
}

double Bundle::inner(const Point& a, const Point& b) const {
  return blas::dot(a.point, space_.by_rows() ? b.scores : b.point);
}

BundleCertificate Bundle::solve(double lambda, const Context& ctx) {
  MULBERRY_ASSERT(lambda > 0);
  BundleCertificate out;
  for (;; ++out.iterations) {
    ctx.check();
    best_.norm2 = inner(best_, best_);
    out.objective = objective(lambda);
    if (!std::isfinite(out.objective)) {
      throw Error(Code::data, "expected features of moderate size, found scores that overflow",
                  "Standardise the features");
    }
    const double enough = std::max(options_.tolerance * out.objective, options_.absolute);
    const double model = solve_planes(lambda, 0.01 * enough);
    out.lower = std::max(out.lower, model);
    out.converged = out.objective - out.lower <= enough;
    if (out.converged || out.iterations == options_.max_iterations) break;

    space_.scores(target_.point, target_.scores);
    target_.norm2 = inner(target_, target_);
    best_target_ = inner(best_, target_);
    for (std::size_t v = 0; v < change_.size(); ++v) {
      change_[v] = target_.scores[v] - best_.scores[v];
    }
    line_search(lambda, out.lower);

    const Trial mix = evaluate(lambda, k_mix);
    const double below = model - 0.5 * lambda * target_.norm2;  // the planes at target
    const bool cuts = mix.found.loss + slope_of(mix.found, target_.scores) > below;
    add_plane(mix.found);
    if (mix.value < objective(lambda)) move_best(mix);
    // A plane at target always cuts it off, so that no iteration is lost.
    if (!cuts) add_plane(oracle_(target_.scores));
  }
  return out;
}

// The plane of a labelling z has the gradient sum_v (z_v - anchor_v) psi_v and the loss of z: all
// gradients move by the same vector. Plane 0 becomes the plane of the new anchor.
void Bundle::anchor_at(std::span<const char> labelling) {
  MULBERRY_ASSERT(labelling.size() == anchor_.size());
  if (std::equal(labelling.begin(), labelling.end(), anchor_.begin())) return;
  const Index m = planes(), size = space_.size();
  for (std::size_t v = 0; v < cells_.size(); ++v) {
    cells_[v] = static_cast<double>(anchor_[v] - labelling[v]);
  }
  anchor_.assign(labelling.begin(), labelling.end());
  space_.combine(cells_, plane_);
  for (Index j = 1; j < m; ++j) {
    blas::axpy(1, plane_, std::span(planes_).subspan(at(j * size), at(size)));
  }
  // With d = plane_: <g + d, h + d> = <g, h> + <g, d> + <h, d> + <d, d>, where <g, d> is the
  // product of a moved plane less <d, d>.
  if (space_.by_rows()) space_.scores(plane_, cells_);
  const std::span<const double> dual = space_.by_rows() ? cells_ : plane_;
  std::vector<double> products(at(m));
  blas::gemv(1, plane_block(), blas::Op::plain, dual, 0, products);
  const double length2 = blas::dot(plane_, dual);
  for (Index j = 0; j < m; ++j) {
    for (Index k = 0; k < m; ++k) {
      double& value = gram_[at(j * capacity_ + k)];
      value = j == 0 || k == 0 ? 0 : value + products[at(j)] + products[at(k)] - length2;
    }
  }
  Index p = 0, q = 0;
  for (std::size_t v = 0; v < anchor_.size(); ++v) {
    if (anchor_[v] != 0) ++(oracle_.truth()[v] != 0 ? p : q);
  }
  offset_[0] = oracle_.loss().value(oracle_.rows(), oracle_.positives(), p, q);
  best_.risk = oracle_(best_.scores).value;
  for (std::size_t v = 0; v < anchor_.size(); ++v) {
    best_.risk -= static_cast<double>(anchor_[v]) * best_.scores[v];
  }
}

// Fills target_.point; returns the least value of (lambda/2)|theta|^2 + the planes, from below.
double Bundle::solve_planes(double lambda, double tolerance) {
  const Index m = planes();
  const SimplexQpResult found =
      solve_simplex_qp({gram_.data(), m, m, capacity_}, offset_, 1 / lambda, tolerance, weight_);
  for (std::size_t j = 0; j < weight_.size(); ++j) idle_[j] = weight_[j] > 0 ? 0 : idle_[j] + 1;
  blas::gemv(-1 / lambda, plane_block(), blas::Op::transposed, weight_, 0, target_.point);
  return found.value;
}

double Bundle::slope_of(const Violation& found, std::span<const double> direction) const {
  double sum = 0;
  for (std::size_t v = 0; v < direction.size(); ++v) {
    sum += static_cast<double>(found.cell[v] - anchor_[v]) * direction[v];
  }
  return sum;
}

Bundle::Trial Bundle::evaluate(double lambda, double t) {
  // Pointers: checked indices would take most of the time of these loops.
  const std::size_t n = trial_.size();
  MULBERRY_ASSERT(best_.scores.size() == n && change_.size() == n);
  const double *const from = best_.scores.data(), *const direction = change_.data();
  double* const trial = trial_.data();
  for (std::size_t v = 0; v < n; ++v) trial[v] = from[v] + t * direction[v];
  Trial out;
  out.t = t;
  out.found = oracle_(trial_);
  MULBERRY_ASSERT(out.found.cell.size() == n && anchor_.size() == n);
  const auto* const found = out.found.cell.data();
  const auto* const anchor = anchor_.data();
  double level = 0, slope = 0;
  for (std::size_t v = 0; v < n; ++v) {
    const auto change = static_cast<double>(found[v] - anchor[v]);
    level += change * trial[v];
    slope += change * direction[v];
  }
  out.risk = out.found.loss + level;
  const double along = best_target_ - best_.norm2;
  const double length2 = target_.norm2 - 2 * best_target_ + best_.norm2;
  out.value = 0.5 * lambda * (best_.norm2 + t * (2 * along + t * length2)) + out.risk;
  out.slope = lambda * (along + t * length2) + slope;
  return out;
}

// Brackets the minimum along the line by doubling, then narrows by the crossing of the two
// tangents, which bounds the remaining gain: the search ends when that is too small compared with
// the gap.
void Bundle::line_search(double lambda, double lower) {
  Trial best;
  best.value = objective(lambda);
  Trial left = best, right;
  bool left_slope = false, bracketed = false;
  double t = 1;
  for (int k = 0; k < k_search_limit; ++k) {
    const Trial trial = evaluate(lambda, t);
    if (trial.value < best.value) best = trial;
    if (trial.slope >= 0) {
      right = trial;
      bracketed = true;
    } else {
      left = trial;
      left_slope = true;
    }
    if (!bracketed) {
      t *= 2;
      continue;
    }
    const double width = right.t - left.t;
    t = left.t + 0.5 * width;
    if (left_slope && right.slope > left.slope) {
      const double cross =
          (right.value - left.value + left.slope * left.t - right.slope * right.t) /
          (left.slope - right.slope);
      const double bound = left.value + left.slope * (cross - left.t);
      if (best.value - bound <= k_search_enough * (best.value - lower)) break;
      t = std::clamp(cross, left.t + 0.1 * width, right.t - 0.1 * width);
    }
  }
  if (best.t > 0) move_best(best);
}

void Bundle::move_best(const Trial& trial) {
  const double t = trial.t;
  blas::axpy(t, change_, best_.scores);
  for (double& d : change_) d *= 1 - t;
  for (std::size_t i = 0; i < best_.point.size(); ++i) {
    best_.point[i] += t * (target_.point[i] - best_.point[i]);
  }
  best_.risk = trial.risk;
  best_.norm2 = inner(best_, best_);
  best_target_ = inner(best_, target_);
}

void Bundle::add_plane(const Violation& found) {
  for (std::size_t v = 0; v < cells_.size(); ++v) {
    cells_[v] = static_cast<double>(found.cell[v] - anchor_[v]);
  }
  if (planes() >= std::min(k_crowded, capacity_)) drop_idle();
  if (planes() == capacity_) merge_least_used();
  space_.combine(cells_, plane_);
  append(found.loss, 0);
}

// plane_ becomes the last plane.
void Bundle::append(double offset, double weight) {
  const Index m = planes();
  if (space_.by_rows()) space_.scores(plane_, cells_);
  const std::span<const double> dual = space_.by_rows() ? cells_ : plane_;
  planes_.insert(planes_.end(), plane_.begin(), plane_.end());
  offset_.push_back(offset);
  weight_.push_back(weight);
  idle_.push_back(0);
  std::vector<double> products(at(m + 1));
  blas::gemv(1, plane_block(), blas::Op::plain, dual, 0, products);
  for (Index j = 0; j <= m; ++j) {
    gram_[at(m * capacity_ + j)] = gram_[at(j * capacity_ + m)] = products[at(j)];
  }
}

// Drops planes without use for a while; if that frees nothing, all planes without use now.
void Bundle::drop_idle() {
  std::vector<char> drop(offset_.size(), 0);
  const auto mark = [&](int limit) {
    bool any = false;
    for (std::size_t j = 1; j < drop.size(); ++j) {
      drop[j] = idle_[j] >= limit ? 1 : 0;
      any = any || drop[j] != 0;
    }
    return any;
  };
  if (mark(k_idle_limit) || (planes() == capacity_ && mark(1))) remove(drop);
}

// The half of the planes with the smallest weights as one, weighted as they are: the average of
// planes below R is below R, and the current solution keeps its value.
void Bundle::merge_least_used() {
  std::vector<Id> order(offset_.size() - 1);
  std::iota(order.begin(), order.end(), Id{1});
  std::stable_sort(order.begin(), order.end(),
                   [&](Id a, Id b) { return weight_[at(a)] < weight_[at(b)]; });
  order.resize(order.size() / 2);
  std::vector<char> drop(offset_.size(), 0);
  std::vector<double> share(offset_.size(), 0.0);
  double total = 0, offset = 0;
  for (const Id j : order) {
    drop[at(j)] = 1;
    total += weight_[at(j)];
  }
  if (total > 0) {
    for (const Id j : order) {
      share[at(j)] = weight_[at(j)] / total;
      offset += share[at(j)] * offset_[at(j)];
    }
    blas::gemv(1, plane_block(), blas::Op::transposed, share, 0, plane_);
  }
  remove(drop);
  if (total > 0) {
    const std::vector<double> cells = cells_;  // of the plane that is about to be added
    append(offset, total);
    cells_ = cells;
  }
}

void Bundle::remove(const std::vector<char>& drop) {
  const Index size = space_.size();
  std::vector<Index> kept;
  for (std::size_t j = 0; j < drop.size(); ++j) {
    if (drop[j] == 0) kept.push_back(static_cast<Index>(j));
  }
  for (std::size_t k = 0; k < kept.size(); ++k) {
    const auto from = at(kept[k]);
    std::copy_n(planes_.begin() + kept[k] * size, size,
                planes_.begin() + static_cast<Index>(k) * size);
    offset_[k] = offset_[from];
    weight_[k] = weight_[from];
    idle_[k] = idle_[from];
    for (std::size_t l = 0; l < kept.size(); ++l) {
      gram_[k * at(capacity_) + l] = gram_[from * at(capacity_) + at(kept[l])];
    }
  }
  planes_.resize(kept.size() * at(size));
  offset_.resize(kept.size());
  weight_.resize(kept.size());
  idle_.resize(kept.size());
}

}  // namespace mulberry::learners

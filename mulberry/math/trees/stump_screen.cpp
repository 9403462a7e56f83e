#include "mulberry/math/trees/stump_screen.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "mulberry/core/parallel.hpp"
#include "mulberry/math/dense/vectors.hpp"

namespace mulberry::math {
namespace {

constexpr double k_infinity = std::numeric_limits<double>::infinity();
constexpr Index k_lanes = 8;
constexpr double k_unit = 0x1p30;  // sum of the weights of a label

typedef std::int32_t Ints __attribute__((vector_size(32), aligned(4), may_alias));
typedef float Floats __attribute__((vector_size(32), aligned(4), may_alias));

// For the rows on one side of a cut: a, their weight, and v = yes - a * centre.
struct Sums {
  Ints v, a;
};

std::int32_t rounded(double v) { return static_cast<std::int32_t>(v + std::copysign(0.5, v)); }

// Eight labels, row by row: eight times v, then eight times a.
class Panel {
 public:
  Panel(MatrixView signed_weights, Index first, StumpCriterion criterion)
      : values_(at(signed_weights.cols() * 2 * k_lanes), 0) {
    const Index lanes = std::min(k_lanes, signed_weights.rows() - first);
    for (Index lane = 0; lane < lanes; ++lane)
      fill(signed_weights.row(first + lane), lane, criterion);
  }

  const std::int32_t* data() const { return values_.data(); }
  const Sums& all() const { return all_; }
  double centre(Index lane) const { return centre_[lane]; }
  double unit(Index lane) const { return unit_[lane]; }  // weight of 1

 private:
  void fill(std::span<const double> weights, Index lane, StumpCriterion criterion) {
    double yes = 0, all = 0;
    for (const double w : weights) {
      yes += std::max(w, 0.0);
      all += std::abs(w);
    }
    if (!(all > 0)) return;
    unit_[lane] = all / k_unit;
    // Around the share of yes, u equals v unless values are missing. Around one half, 2 v is the
    // weight of yes minus the weight of no, which determines the errors.
    centre_[lane] = criterion == StumpCriterion::error ? 0.5 : yes / all;
    const double scale = k_unit / all;
    std::int32_t v_sum = 0, a_sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const double a = std::abs(weights[i]) * scale, v = std::max(weights[i], 0.0) * scale;
      std::int32_t* const row = values_.data() + i * 2 * k_lanes;
      v_sum += row[lane] = rounded(v - a * centre_[lane]);
      a_sum += row[k_lanes + lane] = rounded(a);
    }
    all_.v[lane] = v_sum;
    all_.a[lane] = a_sum;
  }

  std::vector<std::int32_t> values_;
  Sums all_ = {};
  double centre_[k_lanes] = {}, unit_[k_lanes] = {};
};

MULBERRY_INLINE void add_row(Sums& sums, const std::int32_t* panel, Id row) {
  const std::int32_t* const at = panel + static_cast<Index>(row) * 2 * k_lanes;
  sums.v += *reinterpret_cast<const Ints*>(at);
  sums.a += *reinterpret_cast<const Ints*>(at + k_lanes);
}

MULBERRY_INLINE void to_floats(const Ints& from, Floats& to) {
  to = __builtin_convertvector(from, Floats);
}

enum class Kind { ratio, gain, margin };  // bounds of entropy, close ones; of errors

struct Look {
  const StumpColumn& column;
  const Panel& panel;
  Kind kind;
  Sums known = {};           // of the rows that are not missing
  float best[k_lanes] = {};  // ratio: u^2 / (a b); gain: of weight known; margin: |v| + |V - v|
};

// The best of cuts given one side at a time; either side can be used.
struct BestRatio {
  Floats tilt, above, below;  // tilt: u = v - a tilt
  Ints all;
  MULBERRY_INLINE explicit BestRatio(const Sums& known) : above{}, below{}, all(known.a) {
    Floats v, a;
    to_floats(known.v, v);
    to_floats(known.a, a);
    tilt = v / (a + 1.0F);
    below += 1.0F;
  }
  MULBERRY_INLINE void cut(const Sums& side) {
    Floats v, a, b;
    const Ints other = all - side.a;
    to_floats(side.v, v);
    to_floats(side.a, a);
    to_floats(other, b);
    const Floats u = v - a * tilt, square = u * u, product = (a + 1.0F) * (b + 1.0F);
    const auto better = square * below > above * product;
    above = better ? square : above;
    below = better ? product : below;
  }
  MULBERRY_INLINE void result(float* out) const {
    for (Index lane = 0; lane < k_lanes; ++lane) out[lane] = above[lane] / below[lane];
  }
};

struct BestGain {
  Floats most, shift;  // shift: x = 2 v / a + shift
  Sums all;
  MULBERRY_INLINE BestGain(const Sums& known, const Panel& panel) : most{}, shift{}, all(known) {
    for (Index lane = 0; lane < k_lanes; ++lane)
      shift[lane] = static_cast<float>(2 * panel.centre(lane) - 1);
  }
  MULBERRY_INLINE void add(Floats& gain, const Ints& branch_v, const Ints& branch_a) const {
    Floats v, a;
    to_floats(branch_v, v);
    to_floats(branch_a, a);
    const Floats x = 2 * v / (a + 1.0F) + shift, s = x * x;
    gain += a * s * (0.721348F + s * (0.120225F + s * (0.048090F + s * 0.110338F)));
  }
  MULBERRY_INLINE void cut(const Sums& side) {
    Floats gain = {};
    const Ints v = all.v - side.v, a = all.a - side.a;
    add(gain, side.v, side.a);
    add(gain, v, a);
    most = gain > most ? gain : most;
  }
  MULBERRY_INLINE void result(float* out) const {
    for (Index lane = 0; lane < k_lanes; ++lane) out[lane] = most[lane];
  }
};

struct BestMargin {
  Floats most;
  Ints all;
  MULBERRY_INLINE explicit BestMargin(const Sums& known) : most{}, all(known.v) {}
  MULBERRY_INLINE void cut(const Sums& side) {
    const Ints other = all - side.v, left = side.v < 0 ? -side.v : side.v;
    const Ints right = other < 0 ? -other : other, sum = left + right;
    Floats margin;
    to_floats(sum, margin);
    most = margin > most ? margin : most;
  }
  MULBERRY_INLINE void result(float* out) const {
    for (Index lane = 0; lane < k_lanes; ++lane) out[lane] = most[lane];
  }
};

// From the lowest value up to the zeros, then from the highest down to them: the rows that are 0
// need not be summed at all.
template <class Best>
MULBERRY_INLINE void meet_all_cuts(Look& look, Best& best) {
  const StumpColumn& column = look.column;
  const std::int32_t* const panel = look.panel.data();
  const Id* const rows = column.rows.data();
  const Id* const ends = column.group_end.data();
  const Id groups = column.groups(),
           middle = column.zero_group >= 0 ? column.zero_group : groups - 1;
  Sums low = {}, high = {};
  Id k = 0;
  for (Id g = 0; g < middle; ++g) {
    for (; k < ends[g]; ++k) add_row(low, panel, rows[k]);
    best.cut(low);
  }
  k = ends[groups - 1];
  for (Id g = groups - 1; g > middle; --g) {
    for (; k > ends[g - 1]; --k) add_row(high, panel, rows[k - 1]);
    best.cut(high);
  }
  best.result(look.best);
}

MULBERRY_INLINE void look_body(Look& look) {
  Sums missing = {};
  for (const Id i : look.column.missing) add_row(missing, look.panel.data(), i);
  look.known = {look.panel.all().v - missing.v, look.panel.all().a - missing.a};
  if (look.kind == Kind::margin) {
    BestMargin best(look.known);
    meet_all_cuts(look, best);
  } else if (look.kind == Kind::gain) {
    BestGain best(look.known, look.panel);
    meet_all_cuts(look, best);
  } else {
    BestRatio best(look.known);
    meet_all_cuts(look, best);
  }
}
MULBERRY_DISPATCH(look_at, look_body)

// The bounds of the criterion from the eight best values, minus possible rounding errors.
double bound_of(const Look& look, Index lane, Index rows) {
  const double unit = look.panel.unit(lane);
  if (unit == 0) return 0;
  const double slack = k_unit * (1e-5 + 1e-8 * static_cast<double>(rows));
  const double a = look.known.a[lane], v = look.known.v[lane];
  const double best = static_cast<double>(look.best[lane]);
  double out = 0;
  if (look.kind == Kind::margin) {
    out = a / 2 - best;
  } else if (look.kind == Kind::gain) {
    out = a - best;
  } else if (a > 0) {
    const double p = std::clamp(v / a + look.panel.centre(lane), 0.0, 1.0);
    out = 4 * a * (p * (1 - p) - best);
  }
  return unit * std::max(0.0, out - slack);
}

// Looks at the columns that are wanted(column, first label, end of the labels) for eight labels at
// a time and writes their bounds.
template <class Wanted>
void look_at_all(const StumpColumns& columns, const std::vector<Panel>& panels, Kind kind,
                 const Wanted& wanted, Matrix& bounds, const Context& ctx) {
  constexpr Index k_columns = 16;  // per task
  const Index chunks = chunk_count(columns.size(), k_columns), labels = bounds.rows();
  double* const out = bounds.data();
  parallel_for(ctx, count_of(panels) * chunks, [&](Index task) {
    const Index p = task / chunks, first = task % chunks * k_columns;
    const Index label = p * k_lanes, last = std::min(label + k_lanes, labels);
    for (Index j = first; j < std::min(first + k_columns, columns.size()); ++j) {
      if (columns[j].groups() < 2 || !wanted(j, label, last)) continue;
      Look look{columns[j], panels[at(p)], kind};
      look_at(look);
      for (Index l = label; l < last; ++l) {
        double& bound = out[l * columns.size() + j];
        const double found = bound_of(look, l - label, columns.rows());
        bound = bound == k_infinity ? found : std::max(bound, found);
      }
    }
  });
}

}  // namespace

struct StumpScreen::Panels {
  std::vector<Panel> list;
};

StumpScreen::StumpScreen(const StumpColumns& columns, MatrixView signed_weights,
                         StumpCriterion criterion, const Context& ctx)
    : columns_(columns),
      bounds_(signed_weights.rows(), columns.size(), k_infinity),
      panels_(std::make_unique<Panels>()) {
  for (Index first = 0; first < signed_weights.rows(); first += k_lanes)
    panels_->list.emplace_back(signed_weights, first, criterion);
  look_at_all(
      columns, panels_->list, criterion == StumpCriterion::error ? Kind::margin : Kind::ratio,
      [](Index, Index, Index) { return true; }, bounds_, ctx);
}

StumpScreen::~StumpScreen() = default;

void StumpScreen::refine(std::span<const double> reached, const Context& ctx) {
  const auto wanted = [&](Index j, Index first, Index last) {
    for (Index l = first; l < last; ++l) {
      if (std::as_const(bounds_)(l, j) <= reached[at(l)]) return true;
    }
    return false;
  };
  look_at_all(columns_, panels_->list, Kind::gain, wanted, bounds_, ctx);
}

}  // namespace mulberry::math

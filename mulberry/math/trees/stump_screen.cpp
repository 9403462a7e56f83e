#include "mulberry/math/trees/stump_screen.hpp"
#include "mulberry/core/index.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "mulberry/core/parallel.hpp"
#include "mulberry/math/dense/vectors.hpp"

namespace mulberry::math {
namespace {

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

// The bounds of eight labels from the best value of any cut of a column: unit times (base - slope
// best), not less than 0, where base has been lowered by possible rounding errors.
struct Line {
  Floats base, slope, unit;
};

MULBERRY_INLINE void line_of(const Panel& panel, const Sums& known, Kind kind, Index rows,
                             Line& line) {
  const double slack = k_unit * (1.1e-5 + 1e-8 * static_cast<double>(rows));
  for (Index lane = 0; lane < k_lanes; ++lane) {
    const double a = known.a[lane], v = known.v[lane];
    double base = kind == Kind::margin ? a / 2 : a, slope = 1;
    if (kind == Kind::ratio) {
      const double p = a > 0 ? std::clamp(v / a + panel.centre(lane), 0.0, 1.0) : 0.0;
      base = 4 * a * (p * (1 - p));
      slope = 4 * std::max(a, 0.0);
    }
    line.base[lane] = static_cast<float>(base - slack);
    line.slope[lane] = static_cast<float>(slope);
    line.unit[lane] = static_cast<float>(panel.unit(lane));
  }
}

// Some columns for eight labels.
struct Look {
  const StumpColumns& columns;
  std::span<const Id> which;
  const Panel& panel;
  Kind kind;
  float* bounds;                   // eight per column
  const float* reached = nullptr;  // eight: look only at columns with a bound that is no greater
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
  MULBERRY_INLINE void result(Floats& out) const { out = above / below; }
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
  MULBERRY_INLINE void result(Floats& out) const { out = most; }
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
  MULBERRY_INLINE void result(Floats& out) const { out = most; }
};

// From the lowest value up to the zeros, then from the highest down to them: the rows that are 0
// need not be summed at all.
template <class Best>
MULBERRY_INLINE void meet_all_cuts(const StumpColumn& column, const std::int32_t* panel, Best best,
                                   Floats& found) {
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
  best.result(found);
}

MULBERRY_INLINE void best_value(const Look& look, const StumpColumn& column, const Sums& known,
                                Floats& found) {
  const std::int32_t* const panel = look.panel.data();
  if (look.kind == Kind::margin) {
    meet_all_cuts(column, panel, BestMargin(known), found);
  } else if (look.kind == Kind::gain) {
    meet_all_cuts(column, panel, BestGain(known, look.panel), found);
  } else {
    meet_all_cuts(column, panel, BestRatio(known), found);
  }
}

MULBERRY_INLINE void look_body(const Look& look) {
  const Sums& all = look.panel.all();
  const Index rows = look.columns.rows();
  Line usual;
  line_of(look.panel, all, look.kind, rows, usual);
  Floats limit = {};
  if (look.reached != nullptr) limit = *reinterpret_cast<const Floats*>(look.reached);
  float* to = look.bounds;
  for (const Id j : look.which) {
    Floats& bound = *reinterpret_cast<Floats*>(to);
    to += k_lanes;
    if (look.reached != nullptr) {
      const auto near = bound <= limit;
      bool wanted = false;
      for (Index lane = 0; lane < k_lanes; ++lane) wanted = wanted || near[lane] != 0;
      if (!wanted) continue;
    }
    const StumpColumn& column = look.columns[j];
    Floats best;
    Line line = usual;
    if (column.missing.empty()) {
      best_value(look, column, all, best);
    } else {
      Sums missing = {};
      for (const Id i : column.missing) add_row(missing, look.panel.data(), i);
      const Sums known = {all.v - missing.v, all.a - missing.a};
      best_value(look, column, known, best);
      line_of(look.panel, known, look.kind, rows, line);
    }
    Floats found = line.base - line.slope * best;
    found = (found > 0.0F ? found : 0.0F) * line.unit;
    bound = look.reached != nullptr && bound > found ? bound : found;
  }
}
MULBERRY_DISPATCH(look_at, look_body)

// The place of the lowest bound of each of eight labels.
struct Lowest {
  std::span<const float> bounds;
  std::int32_t place[k_lanes] = {};
};

MULBERRY_INLINE void lowest_body(Lowest& look) {
  Ints place = {}, here = {};
  Floats least = *reinterpret_cast<const Floats*>(look.bounds.data());
  for (std::size_t k = 0; k < look.bounds.size(); k += k_lanes) {
    const Floats bound = *reinterpret_cast<const Floats*>(look.bounds.data() + k);
    const auto lower = bound < least;
    least = lower ? bound : least;
    place = lower ? here : place;
    here += 1;
  }
  *reinterpret_cast<Ints*>(look.place) = place;
}
MULBERRY_DISPATCH(find_lowest, lowest_body)

// The places where a bound is at most the limit of its label.
struct Below {
  std::span<const float> bounds;
  const float* limit;
  std::vector<Id>& places;
};

MULBERRY_INLINE void below_body(const Below& look) {
  const Floats limit = *reinterpret_cast<const Floats*>(look.limit);
  for (std::size_t k = 0; k < look.bounds.size(); k += k_lanes) {
    const Floats bound = *reinterpret_cast<const Floats*>(look.bounds.data() + k);
    const auto near = bound <= limit;
    std::int32_t any = 0;
    for (Index lane = 0; lane < k_lanes; ++lane) any |= near[lane];
    if (any != 0) look.places.push_back(static_cast<Id>(k / k_lanes));
  }
}
MULBERRY_DISPATCH(find_below, below_body)

}  // namespace

struct StumpScreen::Panels {
  std::vector<Panel> list = {};
  std::vector<std::vector<float>> bounds = {};  // per panel, of each distinct column

  // The limits of a panel's labels, a little above what is asked for, as floats are coarse.
  static void limits(std::span<const double> reached, Index panel, float* out) {
    const auto first = at(panel * k_lanes);
    for (std::size_t lane = 0; lane < k_lanes; ++lane) {
      out[lane] = first + lane < reached.size()
                      ? static_cast<float>(reached[first + lane] * (1 + 1e-6) + 1e-12)
                      : -1.0F;
    }
  }

  // Looks at all columns, or at those that may reach something.
  void look(const StumpColumns& columns, Kind kind, std::span<const double> reached,
            const Context& ctx) {
    constexpr Index k_columns = 64;  // per task
    const auto distinct = columns.distinct();
    const Index chunks = chunk_count(count_of(distinct), k_columns);
    parallel_for(ctx, count_of(list) * chunks, [&](Index task) {
      const Index p = task / chunks, first = task % chunks * k_columns;
      float limit[k_lanes];
      if (!reached.empty()) limits(reached, p, limit);
      const auto which =
          distinct.subspan(at(first), at(std::min(k_columns, count_of(distinct) - first)));
      const Look look{columns,
                      which,
                      list[at(p)],
                      kind,
                      bounds[at(p)].data() + first * k_lanes,
                      reached.empty() ? nullptr : limit};
      look_at(look);
    });
  }
};

StumpScreen::StumpScreen(const StumpColumns& columns, MatrixView signed_weights,
                         StumpCriterion criterion, const Context& ctx)
    : columns_(columns), labels_(signed_weights.rows()), panels_(std::make_unique<Panels>()) {
  for (Index first = 0; first < labels_; first += k_lanes) {
    panels_->list.emplace_back(signed_weights, first, criterion);
    panels_->bounds.emplace_back(columns.distinct().size() * k_lanes);
  }
  panels_->look(columns, criterion == StumpCriterion::error ? Kind::margin : Kind::ratio, {}, ctx);
}

StumpScreen::~StumpScreen() = default;

void StumpScreen::refine(std::span<const double> reached, const Context& ctx) {
  panels_->look(columns_, Kind::gain, reached, ctx);
}

std::vector<Id> StumpScreen::most_promising(const Context& ctx) const {
  const auto distinct = columns_.distinct();
  std::vector<Id> out(at(labels_), -1);
  if (distinct.empty()) return out;
  parallel_for(ctx, count_of(panels_->list), [&](Index p) {
    Lowest lowest{panels_->bounds[at(p)]};
    find_lowest(lowest);
    for (Index l = p * k_lanes; l < std::min((p + 1) * k_lanes, labels_); ++l)
      out[at(l)] = distinct[at(lowest.place[l - p * k_lanes])];
  });
  return out;
}

std::vector<std::vector<StumpScreen::Promise>> StumpScreen::promising(
    std::span<const double> reached, const Context& ctx) const {
  const auto distinct = columns_.distinct();
  std::vector<std::vector<Promise>> out(at(labels_));
  parallel_for(ctx, count_of(panels_->list), [&](Index p) {
    float limit[k_lanes];
    Panels::limits(reached, p, limit);
    std::vector<Id> places;
    const Below below{panels_->bounds[at(p)], limit, places};
    find_below(below);
    for (const Id place : places) {
      for (Index l = p * k_lanes; l < std::min((p + 1) * k_lanes, labels_); ++l) {
        const Index lane = l - p * k_lanes;
        const float bound = panels_->bounds[at(p)][at(place * k_lanes + lane)];
        if (bound <= limit[lane])
          out[at(l)].push_back({distinct[at(place)], static_cast<double>(bound)});
      }
    }
  });
  return out;
}

}  // namespace mulberry::math

#include "mulberry/base/forest/forest_model.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "mulberry/base/forest/forked_growth.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/resample/row_draws.hpp"

namespace mulberry::base {
namespace {

constexpr double k_leaves = 0.83;  // per sampled row, where no two rows have the same labels

struct Leaves {
  std::vector<Index> start = {0};
  std::vector<Id> index = {};
  std::vector<float> share = {};
};

// The weights of the labels of some rows.
struct LabelSums {
  LabelSums(const LabelRows& rows_of, std::span<const double> row_weights)
      : y(rows_of),
        weights(row_weights),
        sum(at(y.labels), 0.0),
        unknown(y.has_missing() ? at(y.labels) : 0, 0.0) {}

  void add_up(std::span<const Id> rows) {
    for (const Id l : present) sum[at(l)] = 0;
    present.clear();
    std::fill(unknown.begin(), unknown.end(), 0.0);
    all = 0;
    for (const Id i : rows) {
      const double w = weights[at(i)];
      all += w;
      for (const Id l : y.row(i)) {
        if (sum[at(l)] == 0) present.push_back(l);
        sum[at(l)] += w;
      }
      for (const Id l : y.missing(i)) unknown[at(l)] += w;
    }
    std::sort(present.begin(), present.end());
  }
  double observed(Id l) const { return unknown.empty() ? all : all - unknown[at(l)]; }
  double share(Id l, double otherwise) const {
    return observed(l) > 1e-9 * all ? std::min(1.0, sum[at(l)] / observed(l)) : otherwise;
  }
  // sum^2 / weight
  double score(Id l) const { return sum[at(l)] * share(l, 0.0); }

  const LabelRows& y;
  std::span<const double> weights;
  double all = 0;
  std::vector<double> sum, unknown;
  std::vector<Id> present;  // labels with a positive cell
};

// The shares of labels in every leaf of a tree; a label without an observed cell in a leaf has its
// share in the root. `first` is added to the numbers of labels.
Leaves leaves_of(const GrownTree& tree, LabelSums& sums, Id first) {
  Leaves out;
  std::vector<double> prior;
  if (sums.y.has_missing()) {
    sums.add_up(tree.rows);
    for (Id l = 0; l < sums.y.labels; ++l) prior.push_back(sums.share(l, 0.0));
  }
  const auto put = [&](Id l, double share) {
    if (share <= 0) return;
    out.index.push_back(first + l);
    out.share.push_back(static_cast<float>(share));
  };
  for (const GrownNode& node : tree.nodes) {
    if (node.left >= 0) continue;
    sums.add_up(tree.rows_of(node));
    if (prior.empty()) {
      for (const Id l : sums.present) put(l, sums.share(l, 0.0));
    } else {
      for (Id l = 0; l < sums.y.labels; ++l) put(l, sums.share(l, prior[at(l)]));
    }
    out.start.push_back(count_of(out.index));
  }
  return out;
}

// (column x labels + label, what the splits of the column gain for the label), increasing.
// A split by words is shared between their columns.
std::vector<std::pair<Index, double>> label_gains(const GrownTree& tree, const BinnedFeatures& bins,
                                                  LabelSums& whole, LabelSums& left,
                                                  LabelSums& right, Id first, Index labels) {
  std::vector<std::pair<Index, double>> out;
  for (const GrownNode& node : tree.nodes) {
    if (node.left < 0) continue;
    whole.add_up(tree.rows_of(node));
    left.add_up(tree.rows_of(tree.nodes[at(node.left)]));
    right.add_up(tree.rows_of(tree.nodes[at(node.left) + 1]));
    const std::vector<Id> columns = split_columns(bins, node.split);
    for (const Id l : whole.present) {
      const double gain = left.score(l) + right.score(l) - whole.score(l);
      for (const Id j : columns) {
        out.emplace_back(j * labels + first + l, gain / static_cast<double>(columns.size()));
      }
    }
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::size_t kept = 0;
  for (const auto& [key, gain] : out) {
    if (kept > 0 && out[kept - 1].first == key) {
      out[kept - 1].second += gain;
    } else {
      out[kept++] = {key, gain};
    }
  }
  out.resize(kept);
  return out;
}

// The rows of a tree, increasing, and in `mass` what each weighs: as often as it was drawn by
// weight.
std::vector<Id> draw_rows(const RowDraws& draws, std::span<const double> weights,
                          ForestSample sample, Index tree, const Context& ctx,
                          std::vector<double>& mass) {
  if (sample == ForestSample::all) {
    for (const Id i : draws.rows()) mass[at(i)] = weights.empty() ? 1.0 : weights[at(i)];
    return {draws.rows().begin(), draws.rows().end()};
  }
  Random random = ctx.rng("forest rows", static_cast<std::uint64_t>(tree));
  for (Index k = 0; k < draws.count(); ++k) mass[at(draws.draw(random))] += draws.weight();
  std::vector<Id> out;
  for (const Id i : draws.rows()) {
    if (mass[at(i)] > 0) out.push_back(i);
  }
  return out;
}

}  // namespace

ForestTarget all_labels(const Labels& y) {
  ForestTarget out{.labels = LabelRows(y)};
  for (Id i = 0; i < y.rows(); ++i) {
    if (count_of(y.missing_row(i)) < y.count()) out.rows.push_back(i);
  }
  return out;
}

ForestTarget one_label(const Labels& y, Index label) {
  ForestTarget out{.labels = LabelRows(y.rows(), y.column(label))};
  const auto missing = y.missing_column(label);
  auto gap = missing.begin();
  for (Id i = 0; i < y.rows(); ++i) {
    if (gap != missing.end() && *gap == i) {
      ++gap;
    } else {
      out.rows.push_back(i);
    }
  }
  return out;
}

Fields ForestParams::fields() {
  return Fields{
      field("trees", &ForestParams::trees, "number of trees", between(1, 1e5).search(50, 500)),
      field("columns", &ForestParams::columns,
            "features tried per node; auto: the square root of their number", between(1, 1e9)),
      field("max_depth", &ForestParams::max_depth, "largest number of cuts between root and leaf",
            between(0, 1e6)),
      field("max_leaves", &ForestParams::max_leaves, "largest number of leaves per tree; 0: any",
            between(0, 1e9)),
      field("min_leaf", &ForestParams::min_leaf, "smallest weight of the rows of a leaf",
            positive().search(1, 20)),
      choice("sample", &ForestParams::sample,
             "rows of a tree: as many as there are, drawn with replacement; or all",
             {"bootstrap", "all"}),
      choice("cuts", &ForestParams::cuts, "the best cut of each tried feature, or a random one",
             {"best", "random"}),
      field("bins", &ForestParams::bins, "largest number of intervals per feature",
            between(2, 255)),
      words_field(&ForestParams::words)};
}

MemoryNeed ForestParams::need(const Extent& e, double targets, double labels) const {
  // A tree grows until the rows of a leaf have the same labels: the more often two rows differ, the
  // more leaves. Measured on data whose features explain most of the labels.
  const double rate = e.rows > 0 && e.labels > 0 ? e.positives / e.rows / e.labels : 0.5;
  double differ = labels == 1 ? 2 * rate * (1 - rate) : 1 - 1 / std::max(2.0, labels);
  if (labels > 1 && labels == e.labels && e.set_rows && e.rows > 0) {
    differ = 1;
    double all = 0;
    for (const double count : *e.set_rows) all += count;
    for (const double count : *e.set_rows) differ -= count / all * (count / all);
  }
  const double sampled = sample == ForestSample::bootstrap ? 0.632 * e.rows : e.rows;
  double leaves =
      std::max(1.0, k_leaves * std::pow(differ, 1.5) * sampled / std::max(1.0, min_leaf));
  if (max_leaves > 0) leaves = std::min(leaves, static_cast<double>(max_leaves));
  leaves = std::min(leaves, std::exp2(std::min(60.0, static_cast<double>(max_depth))));
  const double shares = labels == e.labels && labels > 1 ? 1.1 * rate * labels
                        : labels > 1                     ? 1.1
                                                         : 0.5;
  const double tree = 2 * leaves * 17 + leaves * (8 + 8 * shares);
  const double all = static_cast<double>(trees) * targets;
  // Nodes are held twice while the sides of a node are joined. A second search of the same tree has
  // the rows of one side.
  const double searches = e.threads > 1 && max_leaves == 0 ? 1.5 : 1;
  const double growing = e.rows * (8 + 4 + 4) + 4 * leaves * sizeof(GrownNode) +
                         searches * (e.rows * (4 + 8 + 4 + 16 + 32) + 16 * e.columns);
  const double lists = targets * (8 * e.rows + 4 * e.positives / std::max(1.0, targets));
  return {
      .fit = BinnedFeatures::bytes(e, bins) + lists +
             std::max(BinnedFeatures::work_bytes(e), e.at_once(all) * growing + 2.4 * all * tree),
      .model = 1.4 * all * tree,
      .predict = 8 * e.asked * targets * labels + 8 * e.columns * e.threads};
}

MemoryNeed ForestParams::memory_of_labels(const Extent& e) const {
  MemoryNeed out = need(e, e.labels, 1);
  if (sample == ForestSample::all) return out;
  out.fit = bags_of(e, e.labels) + std::max(out.fit, out.model + measured_of(e));
  return out;
}

namespace {

// The rows of a target, next to each other: bins must not see rows of which nothing is known.
struct PackedRows {
  Features x = {};
  LabelRows labels = {};
  std::vector<double> weights = {};
};

PackedRows pack(const Features& x, const ForestTarget& target, std::span<const double> weights) {
  PackedRows out{.x = take_rows(x, target.rows)};
  out.labels.labels = target.labels.labels;
  out.labels.weight = target.labels.weight;
  const auto copy = [&](const auto& row_of, auto& start, auto& index) {
    start.assign(1, 0);
    for (const Id i : target.rows) {
      const auto row = row_of(i);
      index.insert(index.end(), row.begin(), row.end());
      start.push_back(static_cast<std::uint32_t>(index.size()));
    }
  };
  copy([&](Id i) { return target.labels.row(i); }, out.labels.start, out.labels.index);
  if (target.labels.has_missing()) {
    copy([&](Id i) { return target.labels.missing(i); }, out.labels.missing_start,
         out.labels.missing_index);
  }
  for (const Id i : target.rows) {
    if (!weights.empty()) out.weights.push_back(weights[at(i)]);
  }
  return out;
}

}  // namespace

ForestBags draw_bags(std::span<const ForestTarget> targets, std::span<const double> weights,
                     Index rows, Index trees, const Context& ctx) {
  ForestBags out(trees * count_of(targets), rows);
  for (std::size_t target = 0; target < targets.size(); ++target) {
    const std::vector<Id>& known = targets[target].rows;
    std::vector<double> own;
    for (const Id i : known) {
      if (!weights.empty()) own.push_back(weights[at(i)]);
    }
    const RowDraws draws(count_of(known), own);
    for (Index t = 0; t < trees && !known.empty(); ++t) {
      std::vector<double> mass(known.size(), 0.0);
      for (const Id i : draw_rows(draws, own, ForestSample::bootstrap, t, ctx, mass)) {
        out.add(static_cast<Index>(target) * trees + t, known[at(i)]);
      }
    }
  }
  return out;
}

// One grown tree.
struct Forest::Part {
  TreeList tree = {};
  Leaves leaves = {};
  std::vector<std::pair<Id, double>> gains = {};
  std::vector<std::pair<Index, double>> label_gains = {};

  static Part of_nothing(Index columns) {
    Part out{.tree = TreeList(columns)};
    out.tree.add_leaf();
    out.leaves.start.push_back(0);
    return out;
  }
};

// Trees for targets of which all rows are known.
struct Forest::Grower {
  const ForestParams& params;
  const Features& x;
  std::span<const double> weights;
  const ForestGains* gains;
  Index labels;  // of all targets
  const BinnedFeatures bins;
  const RowDraws draws = RowDraws(x.rows(), weights);

  // `in_bag(row)` is called for the rows of the sample. The target's labels are numbered from
  // `first`.
  template <class InBag>
  Part grow(const LabelRows& y, Index t, Id first, const Context& ctx, const InBag& in_bag) const {
    const auto root =
        static_cast<Index>(std::lround(std::sqrt(static_cast<double>(bins.features()))));
    const LabelSearchOptions options{.columns = params.columns.value_or(root),
                                     .random_cuts = params.cuts == ForestCuts::random,
                                     .min_leaf = params.min_leaf};
    std::vector<double> row_weights(at(x.rows()), 0.0);
    std::vector<Id> sample = draw_rows(draws, weights, params.sample, t, ctx, row_weights);
    double total = 0;
    for (const Id i : sample) {
      in_bag(i);
      total += row_weights[at(i)];
    }
    const auto number = static_cast<std::uint64_t>(t);
    Spares<LabelSearch> searches([&] {
      return std::make_unique<LabelSearch>(bins, y, row_weights, bins.usable(), options, number,
                                           ctx);
    });
    const GrowthLimits limits{.max_depth = params.max_depth, .max_leaves = params.max_leaves};
    const GrownTree tree =
        params.max_leaves > 0
            ? grow_tree(bins, std::move(sample), limits, *Spares<LabelSearch>::Loan(searches), ctx)
            : ForkedGrowth<LabelSearch>(bins, limits, searches, ctx).grow(std::move(sample));
    Part part;
    part.tree = TreeList(x.cols());
    part.tree.add(tree, bins);
    LabelSums sums(y, row_weights);
    part.leaves = leaves_of(tree, sums, first);
    if (gains == nullptr) return part;
    for (const GrownNode& node : tree.nodes) {
      if (node.left < 0) continue;
      const std::vector<Id> columns = split_columns(bins, node.split);
      const double each = node.split.gain / total / static_cast<double>(columns.size());
      for (const Id j : columns) part.gains.emplace_back(j, each);
    }
    if (gains->wants_labels()) {
      LabelSums left = sums, right = sums;
      part.label_gains = label_gains(tree, bins, sums, left, right, first, labels);
      for (auto& [key, gain] : part.label_gains) gain /= total;
    }
    return part;
  }
};

Forest::Forest(const Features& x, std::span<const ForestTarget> targets,
               std::span<const double> weights, const ForestParams& params, const Context& ctx,
               ForestBags* bags, ForestGains* gains, Index grown)
    : targets_(count_of(targets)), trees_(x.cols()) {
  std::vector<Id> first;
  std::vector<Index> known, partly;  // targets that know all rows, and the others
  for (const ForestTarget& target : targets) {
    first.push_back(static_cast<Id>(labels_));
    labels_ += target.labels.labels;
    auto& list = count_of(target.rows) == x.rows() ? known : partly;
    list.push_back(count_of(first) - 1);
  }
  const Index all = params.trees * targets_;
  std::vector<Part> parts(at(all));
  std::atomic<Index> done = 0;
  const auto grow = [&](const Grower& grower, const LabelRows& y, Index target, Index t) {
    const Index task = target * params.trees + t;
    const auto& rows = targets[at(target)].rows;
    parts[at(task)] = grower.grow(y, grown + t, first[at(target)], ctx.quiet(), [&](Id i) {
      if (bags != nullptr) bags->add(task, rows[at(i)]);
    });
    ctx.step(static_cast<double>(++done) / static_cast<double>(all));
  };
  if (!known.empty()) {
    const Grower grower{
        params, x,       weights,
        gains,  labels_, BinnedFeatures(x, params.bins, weights, ctx.quiet(), params.together())};
    parallel_for(ctx, count_of(known) * params.trees, [&](Index k) {
      const Index target = known[at(k / params.trees)];
      grow(grower, targets[at(target)].labels, target, k % params.trees);
    });
  }
  for (const Index target : partly) {
    if (targets[at(target)].rows.empty()) {  // nothing is known: no positive label
      for (Index t = 0; t < params.trees; ++t) {
        parts[at(target * params.trees + t)] = Part::of_nothing(x.cols());
      }
      continue;
    }
    const PackedRows packed = pack(x, targets[at(target)], weights);
    const Grower grower{
        params,
        packed.x,
        packed.weights,
        gains,
        labels_,
        BinnedFeatures(packed.x, params.bins, packed.weights, ctx.quiet(), params.together())};
    parallel_for(ctx, params.trees, [&](Index t) { grow(grower, packed.labels, target, t); });
  }
  for (Part& part : parts) {
    trees_.append(part.tree);
    const Index offset = count_of(index_);
    for (std::size_t k = 1; k < part.leaves.start.size(); ++k) {
      start_.push_back(offset + part.leaves.start[k]);
    }
    index_.insert(index_.end(), part.leaves.index.begin(), part.leaves.index.end());
    share_.insert(share_.end(), part.leaves.share.begin(), part.leaves.share.end());
    if (gains != nullptr) gains->add_tree(part.gains, part.label_gains);
    part = {};
  }
}

Forest Forest::joined(std::span<const Forest* const> forests) {
  MULBERRY_ASSERT(!forests.empty());
  Forest out;
  out.labels_ = forests[0]->labels_;
  out.targets_ = forests[0]->targets_;
  out.trees_ = TreeList(forests[0]->trees_.columns());
  const auto add = [&](const Forest& from, Index target) {
    MULBERRY_ASSERT(from.labels_ == out.labels_ && from.targets_ == out.targets_);
    const Index begin = target * from.trees_per_target(), end = begin + from.trees_per_target();
    const Index first = from.trees_.first_leaf(begin), last = from.trees_.first_leaf(end);
    const Index moved = count_of(out.index_) - from.start_[at(first)];
    for (Index leaf = first; leaf < last; ++leaf) {
      out.start_.push_back(from.start_[at(leaf) + 1] + moved);
    }
    const auto copy = [&](const auto& source, auto& to) {
      to.insert(to.end(), source.begin() + from.start_[at(first)],
                source.begin() + from.start_[at(last)]);
    };
    copy(from.index_, out.index_);
    copy(from.share_, out.share_);
    out.trees_.append(from.trees_, begin, end);
  };
  for (Index target = 0; target < out.targets_; ++target) {
    for (const Forest* const from : forests) add(*from, target);
  }
  return out;
}

void ForestBags::append(const ForestBags& other, Index begin, Index end) {
  words_ = other.words_;
  bits_.insert(bits_.end(), other.bits_.begin() + begin * words_,
               other.bits_.begin() + end * words_);
}

void ForestGains::add_tree(std::span<const std::pair<Id, double>> columns,
                           std::span<const std::pair<Index, double>> cells) {
  for (const auto& [column, gain] : columns) {
    column_.push_back(column);
    gain_.push_back(gain);
  }
  start_.push_back(count_of(column_));
  for (const auto& [cell, gain] : cells) {
    cell_.push_back(cell);
    cell_gain_.push_back(gain);
  }
  cell_start_.push_back(count_of(cell_));
}

void ForestGains::append(const ForestGains& other, Index begin, Index end) {
  const auto copy = [&](const std::vector<Index>& from, std::vector<Index>& to, const auto& add) {
    const Index first = from[at(begin)], last = from[at(end)], moved = to.back() - first;
    for (Index t = begin; t < end; ++t) to.push_back(from[at(t) + 1] + moved);
    add([&](const auto& source, auto& target) {
      target.insert(target.end(), source.begin() + first, source.begin() + last);
    });
  };
  wants_labels_ = other.wants_labels_;
  copy(other.start_, start_, [&](const auto& values) {
    values(other.column_, column_);
    values(other.gain_, gain_);
  });
  copy(other.cell_start_, cell_start_, [&](const auto& values) {
    values(other.cell_, cell_);
    values(other.cell_gain_, cell_gain_);
  });
}

bool ForestGains::fits(Index trees, Index columns, Index labels) const {
  return this->trees() == trees &&
         std::ranges::all_of(cell_, [&](Index cell) { return cell < columns * labels; });
}

std::vector<double> ForestGains::total(Index columns) const {
  std::vector<double> out(at(columns), 0.0);
  const auto all = static_cast<double>(trees());
  for (std::size_t k = 0; k < column_.size(); ++k) out[at(column_[k])] += gain_[k] / all;
  return out;
}

Matrix ForestGains::by_label(Index columns, Index labels, Index trees_per_target) const {
  if (!wants_labels_) return {};
  Matrix out(columns, labels);
  const auto all = static_cast<double>(trees_per_target);
  for (std::size_t k = 0; k < cell_.size(); ++k) out.data()[cell_[k]] += cell_gain_[k] / all;
  return out;
}

Matrix Forest::scores(const Features& x, const Context& ctx) const {
  Matrix out(x.rows(), labels_);
  double* const scores = out.data();
  const auto trees = static_cast<double>(trees_per_target());
  parallel_chunks(ctx, x.rows(), 128, [&](Index begin, Index end) {
    RowReader reader(x);
    for (Index i = begin; i < end; ++i) {
      const double* const row = reader.row(i);
      double* const to = scores + i * labels_;
      for (Index t = 0; t < trees_.count(); ++t) {
        visit_leaf(trees_.leaf(t, row), [&](Id l, double share) { to[l] += share; });
      }
      for (Index l = 0; l < labels_; ++l) to[l] = std::min(1.0, to[l] / trees);
    }
  });
  return out;
}

}  // namespace mulberry::base

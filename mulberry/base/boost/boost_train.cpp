// Training of Boost: the rounds, early stopping, and the two kinds of rounds.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "mulberry/base/boost/boost_sketch.hpp"
#include "mulberry/base/boost/boost_steps.hpp"
#include "mulberry/base/boost/boost_watch.hpp"
#include "mulberry/base/boost/gradient_search.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/math/dense/products.hpp"
#include "mulberry/resample/split.hpp"

namespace mulberry::base {
namespace {

constexpr double k_word_rows = 50, k_word_share = 0.02;  // that a set of words must outweigh
constexpr Index k_few_labels = 24;                       // from which on sketch=auto takes a sketch

// A share of 0 .. count-1, at least one, increasing.
std::vector<Id> draw_share(std::vector<Id> from, double share, Random random) {
  if (share >= 1) return from;
  const auto all = count_of(from);
  const Index kept = std::max<Index>(1, std::lround(share * static_cast<double>(all)));
  for (Index k = 0; k < kept; ++k) {
    std::swap(from[at(k)], from[at(k + random.below(all - k))]);
  }
  from.resize(at(kept));
  std::sort(from.begin(), from.end());
  return from;
}

}  // namespace

class BoostTrainer {
 public:
  BoostTrainer(const BoostData& data, const BoostTreeParams& trees, const BoostOptions& options,
               const Boost* init, const Context& ctx)
      : params_(trees),
        options_(options),
        x_(data.x),
        bins_(x_, trees.bins, data.weights, ctx.quiet(), trees.words == TreeWords::together),
        truth_(data.y, data.weights, options.class_weights == ClassWeights::balanced),
        ctx_(ctx) {
    if (init != nullptr) {
      out_ = *init;
      out_.interrupted_ = false;
      // The rounds before have no value on rows that this run holds out.
      out_.curve_.clear();
    } else {
      out_.loss_ = options.loss;
      out_.start_ = truth_.start(options.loss);
      out_.trees_ = TreeList(x_.cols());
      out_.each_ = options.leaves == BoostLeaves::each;
    }
    by_label_ = out_.each_;
    scores_ = out_.margins(x_, ctx.quiet());
    if (by_label_) scores_ = transpose(scores_);
    hessians_ = truth_.start_hessians(options.loss, out_.start_);
    for (Id i = 0; i < x_.rows(); ++i) {
      if (truth_.weight(i) > 0) rows_.push_back(i);
    }
    if (!by_label_ && sketch_size() > 0 && out_.rounds() > 0) hessians_ = last_hessians();
  }

  // `data`: rows that say when to stop; `training`: the labels of the others.
  void watch(const BoostData& data, const Labels& training) {
    watch_.emplace(data, training, options_, out_, ctx_.quiet());
  }

  Boost run() {
    const Index before = out_.rounds();
    Index best = before;
    double best_value = std::numeric_limits<double>::quiet_NaN();
    try {
      for (Index t = 0; t < params_.rounds; ++t) {
        ctx_.step(static_cast<double>(t) / static_cast<double>(params_.rounds), last_value());
        const auto round = static_cast<std::uint64_t>(before + t);
        const bool grew = by_label_ ? add_trees(round) : add_tree(round);
        if (!grew) break;
        if (!watch_) continue;
        watch_->follow(out_, ctx_.quiet());
        const double value = watch_->value(ctx_.quiet());
        out_.curve_.push_back(value);
        if (std::isnan(best_value) || watch_->is_better(value, best_value)) {
          best = out_.rounds();
          best_value = value;
        } else if (out_.rounds() - best >= options_.patience) {
          break;
        }
      }
    } catch (const Cancelled&) {
      if (out_.rounds() == 0 || !options_.anytime) throw;
      out_.interrupted_ = true;
    }
    out_.objective_ = truth_.mean_loss(out_.loss_, scores_, by_label_);
    if (watch_) {
      out_.shorten(std::max(best, std::min<Index>(1, out_.rounds())));
      out_.measure_ = options_.measure;
    }
    return std::move(out_);
  }

 private:
  GradientSearchOptions search_options(Index columns) const {
    const double share = params_.node_column_share;
    return {.columns = share < 1
                           ? std::max<Index>(1, std::lround(share * static_cast<double>(columns)))
                           : 0,
            .min_leaf = params_.min_leaf,
            .min_gain = params_.min_gain,
            .penalty = {.l1 = params_.l1, .l2 = params_.l2},
            .word_rows = std::min(k_word_rows, k_word_share * truth_.total())};
  }
  GrowthLimits limits() const {
    return {.max_depth = params_.max_depth, .max_leaves = params_.max_leaves};
  }
  std::vector<Id> tree_rows(std::uint64_t round) const {
    return draw_share(rows_, params_.row_share, ctx_.rng("boost rows", round));
  }
  std::vector<Id> tree_columns(std::uint64_t round) const {
    return draw_share(bins_.usable(), params_.column_share, ctx_.rng("boost columns", round));
  }
  double last_value() const {
    return out_.curve_.empty() ? std::numeric_limits<double>::quiet_NaN() : out_.curve_.back();
  }

  // Of the sketch of a whole tree.
  Index sketch_size() const {
    const Index labels = out_.labels();
    const GradientSketch kind = options_.sketch;
    const bool wanted = kind == GradientSketch::automatic
                            ? labels > k_few_labels
                            : kind == GradientSketch::random || kind == GradientSketch::top;
    return wanted && options_.sketch_size < labels ? options_.sketch_size : 0;
  }

  // What the last round before this training left in `hessians_`: the sums over its rows at the
  // scores before it, added up leaf by leaf.
  std::vector<double> last_hessians() const {
    Boost before = out_;
    before.shorten(out_.rounds() - 1);
    const Index tree = before.trees_.count();
    const Index first = out_.trees_.first_leaf(tree);
    std::vector<std::vector<Id>> rows_of(at(out_.trees_.leaves() - first));
    RowReader reader(x_);
    for (const Id i : tree_rows(static_cast<std::uint64_t>(before.rounds()))) {
      rows_of[at(out_.trees_.leaf(tree, reader.row(i)) - first)].push_back(i);
    }
    GrownTree grown;
    for (const std::vector<Id>& rows : rows_of) {
      const Index begin = count_of(grown.rows);
      grown.rows.insert(grown.rows.end(), rows.begin(), rows.end());
      grown.nodes.push_back({.begin = begin, .end = count_of(grown.rows)});
    }
    const Matrix scores = before.margins(x_, ctx_.quiet());
    std::vector<double> out;
    const LeafStep step(truth_, out_.loss_, scores, {.l1 = params_.l1, .l2 = params_.l2});
    step.values(grown, grown.nodes, false, out, ctx_.quiet());
    return out;
  }

  // One tree with a value per label in every leaf; false if there is nothing to split.
  bool add_tree(std::uint64_t round) {
    const Index labels = out_.labels(), size = sketch_size();
    std::optional<Sketch> sketch;
    if (size > 0) {
      sketch.emplace(hessians_, truth_.total(), params_.l2);
      if (options_.sketch == GradientSketch::top) {
        sketch->choose(size, truth_.gradient_sizes(out_.loss_, scores_, ctx_.quiet()));
      } else {
        sketch->draw(size, ctx_.rng("boost sketch", round));
      }
    }
    const bool shared = size > 0 || (out_.loss_ == BoostLoss::squared && truth_.is_even());
    GradientRows gradients(x_.rows(), {.outputs = size > 0 ? size : labels, .shared = shared});
    parallel_chunks(ctx_, x_.rows(), 64, [&](Index begin, Index end) {
      std::vector<double> g(at(labels)), h(at(labels)), few(at(size));
      for (Index i = begin; i < end; ++i) {
        const double w = truth_.weight(i);
        derivatives(out_.loss_, truth_.row(i, scores_.row(i)), g, h);
        if (sketch) sketch->apply(g, few);
        for (Index k = 0; k < (size > 0 ? size : labels); ++k) {
          gradients.set(i, k, size > 0 ? few[at(k)] : g[at(k)], size > 0 ? 0.0 : h[at(k)], w);
        }
        gradients.set_weight(i, w);
      }
    });
    const Spares<HistogramPool>::Loan pool(pools_);
    const std::vector<Id> columns = tree_columns(round);
    GradientSearchOptions options = search_options(count_of(columns));
    if (size > 0) options.penalty = {.l1 = 0, .l2 = 1e-6};  // they are part of the sketch's units
    if (options_.sketch == GradientSketch::node_top) options.strongest = options_.sketch_size;
    GrownTree tree;
    {
      GradientSearch search(bins_, gradients, columns, options, *pool, round, ctx_);
      tree = grow_tree(bins_, tree_rows(round), limits(), search, ctx_.quiet());
    }
    if (tree.nodes.size() < 2) return false;
    const Index first = out_.trees_.add(tree, bins_);
    std::vector<GrownNode> leaves;
    for (const GrownNode& node : tree.nodes) {
      if (node.left < 0) leaves.push_back(node);
    }
    LeafStep step(truth_, out_.loss_, scores_, {.l1 = params_.l1, .l2 = params_.l2});
    const Matrix values =
        step.values(tree, leaves, options_.hessian == LeafHessian::full, hessians_, ctx_.quiet());
    out_.values_.resize(at(out_.trees_.leaves() * labels));
    for (Index k = 0; k < values.size(); ++k) {
      out_.values_[at(first * labels + k)] =
          static_cast<float>(params_.shrinkage * values.values()[at(k)]);
    }
    out_.round_end_.push_back(out_.trees_.count());
    out_.add_rounds(x_, out_.rounds() - 1, scores_, ctx_);
    return true;
  }

  // One tree for every label that still has something to split.
  bool add_trees(std::uint64_t round) {
    const Index labels = out_.labels(), n = x_.rows();
    const std::vector<Id> rows = tree_rows(round);
    const std::vector<double> log_z = out_.loss_ == BoostLoss::row_logistic
                                          ? truth_.log_z(scores_, ctx_.quiet())
                                          : std::vector<double>();
    struct Part {
      TreeList tree;
      std::vector<float> values;
    };
    std::vector<Part> parts(at(labels));
    const std::vector<Id> columns = tree_columns(round);
    const LeafPenalty penalty{.l1 = params_.l1, .l2 = params_.l2};
    parallel_for(ctx_, labels, [&](Index l) {
      GradientRows gradients(n, {});
      for (Index i = 0; i < n; ++i) {
        double g = 0, h = 0;
        const double w = truth_.cell_derivatives_of(out_.loss_, i, l, scores_(l, i),
                                                    log_z.empty() ? 0.0 : log_z[at(i)], g, h);
        gradients.set(i, 0, g, h, w);
        gradients.set_weight(i, w);
      }
      const Spares<HistogramPool>::Loan pool(pools_);
      GrownTree tree;
      {
        GradientSearch search(bins_, gradients, columns, search_options(count_of(columns)), *pool,
                              round, ctx_);
        tree = grow_tree(bins_, rows, limits(), search, ctx_.quiet());
      }
      if (tree.nodes.size() < 2) return;
      Part& part = parts[at(l)];
      part.tree = TreeList(x_.cols());
      part.tree.add(tree, bins_);
      double* const scores = scores_.data() + l * n;
      for (const GrownNode& node : tree.nodes) {
        if (node.left >= 0) continue;
        double g = 0, h = 0;
        for (const Id i : tree.rows_of(node)) {
          g += static_cast<double>(gradients.row(i)[0]);
          h += static_cast<double>(gradients.row(i)[1]);
        }
        const auto value = static_cast<float>(params_.shrinkage * penalty.leaf(g, h));
        part.values.push_back(value);
        for (const Id i : tree.rows_of(node)) scores[i] += static_cast<double>(value);
      }
      if (rows.size() == at(n)) return;
      // Rows outside the sample.
      RowReader reader(x_);
      auto next = rows.begin();
      for (Id i = 0; i < n; ++i) {
        if (next != rows.end() && *next == i) {
          ++next;
          continue;
        }
        scores[i] += static_cast<double>(part.values[at(part.tree.leaf(0, reader.row(i)))]);
      }
    });
    const Index before = out_.trees_.count();
    for (Index l = 0; l < labels; ++l) {
      const Part& part = parts[at(l)];
      if (part.values.empty()) continue;
      out_.trees_.append(part.tree);
      out_.values_.insert(out_.values_.end(), part.values.begin(), part.values.end());
      out_.label_of_tree_.push_back(static_cast<Id>(l));
    }
    if (out_.trees_.count() == before) return false;
    out_.round_end_.push_back(out_.trees_.count());
    return true;
  }

  const BoostTreeParams& params_;
  const BoostOptions& options_;
  const Features& x_;
  BinnedFeatures bins_;
  BoostTruth truth_;
  const Context& ctx_;
  Boost out_;
  bool by_label_ = false;
  Matrix scores_;                 // rows x labels, or labels x rows if every label has its trees
  std::vector<double> hessians_;  // of every label: sum over rows, for sketches
  std::vector<Id> rows_;          // with an observed cell
  Spares<HistogramPool> pools_;

  std::optional<BoostWatch> watch_;
};

Boost Boost::train(const BoostData& data, const BoostTreeParams& trees, const BoostOptions& options,
                   const Boost* init, const Context& ctx) {
  if (options.validation <= 0 || data.x.rows() < 2) {
    return BoostTrainer(data, trees, options, init, ctx).run();
  }
  const Fold fold = hold_out(data.y, {.holdout = options.validation}, ctx);
  if (fold.train.empty() || fold.test.empty()) {
    return BoostTrainer(data, trees, options, init, ctx).run();
  }
  std::vector<double> kept;
  for (const Id i : fold.train) {
    if (!data.weights.empty()) kept.push_back(data.weights[at(i)]);
  }
  const auto part = [&](std::span<const Id> rows) {
    return data.x.is_foreign() ? pick_rows(data.x, rows) : take_rows(data.x, rows);
  };
  const Features train_x = part(fold.train), test_x = part(fold.test);
  const Labels train_y = take_rows(data.y, fold.train), test_y = take_rows(data.y, fold.test);
  BoostTrainer trainer({.x = train_x, .y = train_y, .weights = kept}, trees, options, init, ctx);
  trainer.watch({.x = test_x, .y = test_y, .sets = data.sets, .rules = data.rules}, train_y);
  return trainer.run();
}

}  // namespace mulberry::base

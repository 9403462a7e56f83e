#include "mulberry/base/boost/boost_model.hpp"

#include <algorithm>
#include <cmath>

#include "mulberry/base/boost/gradient_search.hpp"
#include "mulberry/core/parallel.hpp"

namespace mulberry::base {

Fields BoostTreeParams::fields() {
  using P = BoostTreeParams;
  return Fields{field("rounds", &P::rounds,
                      "rounds of boosting, in addition to the rounds of a model that is continued",
                      between(1, 1e6).search(50, 500)),
                field("shrinkage", &P::shrinkage, "factor of the values of new leaves",
                      Range{.low = 0, .high = 1, .open = true}.search(0.02, 0.3)),
                field("max_leaves", &P::max_leaves, "largest number of leaves per tree",
                      between(2, 1e6).search(4, 64)),
                field("max_depth", &P::max_depth, "largest number of cuts between root and leaf",
                      between(1, 1e6)),
                field("min_leaf", &P::min_leaf, "smallest weight of the rows of a leaf",
                      positive().search(1, 50)),
                field("l1", &P::l1, "penalty of the size of leaf values", at_least(0)),
                field("l2", &P::l2, "penalty of the squares of leaf values",
                      between(1e-6, 1e9).search(0.1, 30)),
                field("min_gain", &P::min_gain, "smallest gain of a split", at_least(0)),
                field("row_share", &P::row_share, "share of the rows that a tree is grown on",
                      Range{.low = 0, .high = 1, .open = true}.search(0.5, 1, false)),
                field("column_share", &P::column_share, "share of the features that a tree may use",
                      Range{.low = 0, .high = 1, .open = true}.search(0.3, 1, false)),
                field("node_column_share", &P::node_column_share,
                      "share of the tree's features that a node may use",
                      Range{.low = 0, .high = 1, .open = true}),
                field("bins", &P::bins, "largest number of intervals per feature", between(2, 255)),
                words_field(&P::words)};
}

MemoryNeed BoostTreeParams::need(const Extent& e, double labels, bool each,
                                 const Lines& lines) const {
  const double rows = row_share * e.rows, leaves = static_cast<double>(max_leaves);
  const double slots = BinnedFeatures::slots_of(e, bins), entries = row_share * e.stored;
  // Those of nodes with many rows, if any; the entries of the others are listed by bin. Where columns
  // differ much in their entries, as words do, there are fewer bins.
  const double histograms = histogram_pays(rows, entries, slots / 2.5, lines.searched)
                                ? std::clamp(rows / 1500, 1.0, leaves)
                                : 0.0;
  const double tree = 4 * (lines.kept * e.rows + lines.searched * rows) + 12 * rows +
                      8 * lines.searched * (histograms * slots + 256) +
                      (e.sparse ? 8 * entries + 4 * slots : 0) + 2 * leaves * sizeof(GrownNode);
  const double trees = static_cast<double>(rounds) * (each ? labels : 1);
  const double values = 4 * leaves * (each ? 1 : labels);
  const double model = grown(trees) * (2 * leaves * 17 + values);
  const double scores = 8 * e.rows * labels;
  return {.fit = BinnedFeatures::bytes(e, bins) +
                 std::max(BinnedFeatures::work_bytes(e),
                          9 * e.rows * labels + 8 * e.rows + 4 * e.rows + model +
                              std::max(scores, e.at_once(each ? labels : 1) * tree)),
          .model = model,
          .predict = 8 * e.asked * labels + 8 * e.columns * e.threads};
}

Fields BoostOptions::fields() {
  using O = BoostOptions;
  return Fields{
      choice("loss", &O::loss,
             "what the trees lower: the loss of cells, of whole rows, or "
             "squared differences",
             {"logistic", "row_logistic", "squared"}),
      choice("leaves", &O::leaves, "one tree per round for all labels, or one for each label",
             {"vector", "each"}),
      choice("hessian", &O::hessian,
             "leaves of loss=row_logistic with leaves=vector: by the diagonal or by all of it",
             {"diagonal", "full"}),
      choice(
          "sketch", &O::sketch,
          "splits with leaves=vector: by all gradients, by random sums, or by the labels with the "
          "largest ones in a tree or in a node; auto: random from 25 labels on",
          {"auto", "none", "random", "top", "node_top"}),
      field("sketch_size", &O::sketch_size, "number of sums or labels of a sketch",
            between(1, 256)),
      choice("class_weights", &O::class_weights,
             "balanced: the positive cells of a label weigh as much as its negative ones",
             {"none", "balanced"}),
      field("validation", &O::validation, "share of the rows held out to find the best round",
            between(0, 0.9)),
      field("measure", &O::measure, "of held-out rows: loss, or any measure"),
      field("beta", &O::beta, "weight of recall, with a measure *_fbeta", positive()),
      field("k", &O::k, "best-ranked labels, with a measure *_at_k", between(1, 1e6)),
      field("patience", &O::patience,
            "rounds without a better value of the measure after which training ends",
            between(1, 1e6))};
}

void Boost::add_trees(const double* row, Index begin, Index end, double* scores) const {
  const Index width = each_ ? 1 : labels();
  for (Index t = begin; t < end; ++t) {
    const Id leaf = trees_.leaf(t, row);
    if (each_) {
      scores[label_of_tree_[at(t)]] += static_cast<double>(values_[at(leaf)]);
      continue;
    }
    const float* const values = values_.data() + leaf * width;
    for (Index l = 0; l < width; ++l) scores[l] += static_cast<double>(values[l]);
  }
}

Matrix Boost::margins(const Features& x, const Context& ctx) const {
  Matrix out(x.rows(), labels());
  for (Index i = 0; i < x.rows(); ++i) std::ranges::copy(start_, out.row(i).begin());
  add_rounds(x, 0, out, ctx);
  return out;
}

void Boost::add_rounds(const Features& x, Index first, Matrix& margins, const Context& ctx) const {
  const Index begin_tree = first > 0 ? round_end_[at(first) - 1] : 0;
  double* const scores = margins.data();
  parallel_chunks(ctx, x.rows(), 128, [&](Index begin, Index end) {
    RowReader reader(x);
    for (Index i = begin; i < end; ++i) {
      add_trees(reader.row(i), begin_tree, trees_.count(), scores + i * labels());
    }
  });
}

Matrix Boost::scores(const Features& x, const Context& ctx) const {
  Matrix out = margins(x, ctx);
  if (loss_ != BoostLoss::logistic) return out;
  double* const values = out.data();
  for (Index k = 0; k < out.size(); ++k) values[k] = sigmoid(values[k]);
  return out;
}

void Boost::shorten(Index rounds) {
  round_end_.resize(at(rounds));
  const Index trees = round_end_.empty() ? 0 : round_end_.back();
  trees_.shorten(trees);
  if (each_) label_of_tree_.resize(at(trees));
  values_.resize(at(trees_.leaves() * (each_ ? 1 : labels())));
}

void Boost::require_sound(const ArchiveReader& in) const {
  in.require(count_of(values_) == trees_.leaves() * (each_ ? 1 : labels()), "values",
             "does not fit the leaves of the trees");
  in.require(std::is_sorted(round_end_.begin(), round_end_.end()) &&
                 (round_end_.empty() ? 0 : round_end_.back()) == trees_.count(),
             "round_end", "does not fit the trees");
}

}  // namespace mulberry::base

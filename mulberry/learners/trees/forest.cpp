// Random forest for all labels at once: predictive clustering trees whose leaves hold the share of
// every label.
//
//   score_l(x) = mean over trees of the share of label l among the training rows in x's leaf
//
// A split is chosen by the variance of all labels together (targets=all), so that one tree answers
// for all of them, or there are trees for every label (targets=each, the same as br(base=forest)).
// With label_weights=variance every label counts as much as any other, however rare; with equal,
// frequent labels rule the splits. Missing cells contribute nothing.
//
// A row is outside the sample of about a third of the trees, whose mean is an honest score of it:
// the result `out_of_bag` measures these scores, and `threshold` and `calibrated` learn from them.
//
// A trained forest can be continued: `trees` further trees are grown on the rows that are given
// then, and all trees answer. On the same rows this is the forest of one training, with the same
// scores of rows out of bag; on others these are of the further trees alone.
//
// Kocev, Vens, Struyf and Dzeroski, "Tree ensembles for predicting structured outputs", Pattern
// Recognition 46, 2013; Breiman, "Random forests", Machine Learning 45, 2001. Ours: binned
// features. Cost: see base/forest/forest_model.hpp; importance=permutation routes the left-out rows of a
// tree once more for every column that the tree uses.
#include "mulberry/base/forest/forest_model.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/core/mention.hpp"
#include "mulberry/learners/trees/forest_pieces.hpp"
#include "mulberry/learners/trees/forest_report.hpp"
#include "mulberry/model/define.hpp"
#include "mulberry/resample/observed.hpp"

namespace mulberry::learners {
namespace {

enum class Targets { all, each };
enum class LabelWeights { equal, variance };

struct Params {
  Targets targets = Targets::all;
  LabelWeights label_weights = LabelWeights::equal;
  OutOfBag oob = OutOfBag::measures;
  Importance importance = Importance::gain;
  ForestParams forest;

  static Fields fields() {
    return Fields{
        choice("targets", &Params::targets, "trees for all labels at once, or for each label",
               {"all", "each"}),
        choice("label_weights", &Params::label_weights,
               "weight of a label in a split, with targets=all: 1, or 1 divided by its variance",
               {"equal", "variance"}),
        choice("oob", &Params::oob,
               "scores of rows by the trees that have not seen them: nothing, their measures, or "
               "the scores in the model as well",
               {"none", "measures", "scores"}, false),
        choice("importance", &Params::importance,
               "of features: what their splits gain, that for each label as well, or how much "
               "worse left-out rows are predicted with the values of the feature shuffled",
               {"none", "gain", "label", "permutation"}, false),
        group(&Params::forest)};
  }
  Tags tags() const {
    return {.missing_labels = true,
            .labels_apart = targets == Targets::each,
            .missing_features = true,
            .probabilities = true,
            .weights = true,
            .warm_start = true,
            .tree_blocks = true};
  }
  MemoryNeed memory(const Extent& e) const {
    const bool each = targets == Targets::each;
    const MemoryNeed inner = each ? forest.need(e, e.labels, 1) : forest.need(e, 1, e.labels);
    const bool left_out = forest.sample == ForestSample::bootstrap;
    const double bags = forest.bags_of(e, each ? e.labels : 1);
    const double gains = importance == Importance::label || importance == Importance::permutation
                             ? 8 * e.columns * e.labels
                             : 0;
    const double measured = left_out && oob != OutOfBag::none ? ForestParams::measured_of(e) : 0;
    return {.fit = e.pieces() + bags + gains + std::max(inner.fit, inner.model + measured),
            .model = inner.model + gains + (oob == OutOfBag::none ? 0 : e.cells()),
            .predict = inner.predict};
  }
};

struct RandomForest {
  Forest forest = {};
  ForestReport report = {};

  Prediction predict(const View& view, const Context& ctx) const {
    const Compact data(view, Rows::listed);
    return {.scores = forest.scores(data.x(), ctx), .scale = Scale::probability};
  }
  const Matrix* held_out() const { return report.held_out(); }
  Summary summary() const { return {.rounds = forest.trees().count()}; }
  std::vector<Result> results() const { return report.results(); }
  template <class V>
  void visit(V& v) {
    v("forest", forest);
    v("report", report);
    v.require(report.fits(forest.trees().columns(), forest.labels()), "report",
              "does not fit the forest");
  }
};

// 1 / variance of every label among its observed rows; 1 for labels of one class.
std::vector<double> inverse_variances(const Labels& y, std::span<const double> weights) {
  std::vector<double> out;
  for (Index l = 0; l < y.count(); ++l) {
    double positives = 0, observed = 0;
    for_observed(y, l, [&](Index i, bool positive) {
      const double w = weights.empty() ? 1.0 : weights[at(i)];
      observed += w;
      positives += positive ? w : 0;
    });
    const double p = observed > 0 ? positives / observed : 0;
    out.push_back(p > 0 && p < 1 ? 1 / (p * (1 - p)) : 1.0);
  }
  return out;
}

void require_same(const Forest& init, const Compact& data, Index targets) {
  if (init.labels() != data.y().count() || init.trees().columns() != data.x().cols()) {
    throw Error(Code::unsupported,
                "forest: expected data with the labels and features of the model to continue",
                "Continue on data with the same columns");
  }
  if (init.targets() != targets) {
    throw Error(Code::parameter,
                "forest: expected the targets of the model to continue, found others",
                "Give " + core::mention("targets") + " the value that it had");
  }
}

std::vector<ForestTarget> targets_of(const Compact& data, const Params& params) {
  std::vector<ForestTarget> out;
  if (params.targets == Targets::each) {
    for (Index l = 0; l < data.y().count(); ++l) out.push_back(one_label(data.y(), l));
  } else {
    out.push_back(all_labels(data.y()));
    if (params.label_weights == LabelWeights::variance) {
      out[0].labels.weight = inverse_variances(data.y(), data.weights());
    }
  }
  return out;
}

bool leaves_out(const Params& params) { return params.forest.sample == ForestSample::bootstrap; }
bool wants_gains(const Params& params) { return params.importance != Importance::none; }
// Of the work, for the trees; the report takes the rest.
double growing_share(const Params& params) {
  return params.importance == Importance::permutation ? 0.3 : 0.9;
}

// `params.forest.trees` trees, those after the first `grown`.
ForestPiece grow(const Compact& data, std::span<const ForestTarget> targets, const Params& params,
                 Index grown, const Context& ctx) {
  ForestPiece out{
      .forest = {},
      .gains = ForestGains(params.importance == Importance::label),
      .bags = ForestBags(leaves_out(params) ? params.forest.trees * count_of(targets) : 0,
                         data.x().rows())};
  out.forest = Forest(data.x(), targets, data.weights(), params.forest, ctx,
                      leaves_out(params) ? &out.bags : nullptr,
                      wants_gains(params) ? &out.gains : nullptr, grown);
  return out;
}

RandomForest finished(ForestPiece grown, const Compact& data, const Params& params,
                      const Context& ctx) {
  RandomForest out;
  out.forest = std::move(grown.forest);
  out.report = ForestReport(out.forest, data, leaves_out(params) ? &grown.bags : nullptr,
                            wants_gains(params) ? &grown.gains : nullptr, params.oob,
                            params.importance, ctx);
  return out;
}

// Bags of both, the trees of each target next to each other.
ForestBags joined_bags(const ForestBags& first, const ForestBags& second, Index targets,
                       Index first_trees, Index second_trees) {
  ForestBags out;
  for (Index target = 0; target < targets; ++target) {
    out.append(first, target * first_trees, (target + 1) * first_trees);
    out.append(second, target * second_trees, (target + 1) * second_trees);
  }
  return out;
}

RandomForest continued(const RandomForest& init, const ForestPiece& added, const Compact& data,
                       std::span<const ForestTarget> targets, const Params& params,
                       const Context& ctx) {
  RandomForest out;
  const Forest* const both[] = {&init.forest, &added.forest};
  out.forest = Forest::joined(both);
  const ForestBags* const bags = leaves_out(params) ? &added.bags : nullptr;
  const Index before = init.forest.trees_per_target(), now = added.forest.trees_per_target();
  // Were the first trees grown on this data? Then their samples, drawn again, give the measures
  // that they had.
  bool same = false;
  ForestBags earlier;
  if (bags != nullptr && params.oob != OutOfBag::none) {
    earlier = draw_bags(targets, data.weights(), data.x().rows(), before, ctx);
    same = init.report.has_measures_of(
        ForestReport(init.forest, data, &earlier, nullptr, params.oob, Importance::none, ctx));
  }
  out.report = ForestReport(added.forest, data, bags, wants_gains(params) ? &added.gains : nullptr,
                            same ? OutOfBag::none : params.oob, params.importance, ctx);
  out.report.blend(init.report, static_cast<double>(before) / static_cast<double>(before + now));
  if (same) {
    const ForestBags all = joined_bags(earlier, added.bags, count_of(targets), before, now);
    out.report.take_out_of_bag(
        ForestReport(out.forest, data, &all, nullptr, params.oob, Importance::none, ctx));
  } else {
    out.report.say_trees(now);
  }
  return out;
}

RandomForest fit(const View& view, const Params& params, const Context& ctx,
                 const RandomForest* init) {
  const Compact data(view, Rows::blocks);
  const std::vector<ForestTarget> targets = targets_of(data, params);
  if (init != nullptr) require_same(init->forest, data, count_of(targets));
  const double share = growing_share(params);
  const Index before = init != nullptr ? init->forest.trees_per_target() : 0;
  ForestPiece grown = grow(data, targets, params, before, ctx.part(0, share));
  const Context rest = ctx.part(share, 1);
  return init == nullptr ? finished(std::move(grown), data, params, rest)
                         : continued(*init, grown, data, targets, params, rest);
}

void require_fitting(const ForestPiece& piece, const Compact& data, Index targets,
                     const Params& params) {
  const Forest& forest = piece.forest;
  const Index trees = forest.trees().count(), columns = data.x().cols();
  const bool same = forest.labels() == data.y().count() && forest.targets() == targets &&
                    forest.trees().columns() == columns;
  if (!same || (leaves_out(params) && !piece.bags.fits(trees, data.x().rows())) ||
      (wants_gains(params) && !piece.gains.fits(trees, columns, forest.labels()))) {
    throw Error(Code::unsupported,
                "forest: expected trees that were grown on this data with these "
                "parameters, found others",
                "Grow all trees again");
  }
}

}  // namespace

ForestPiece grow_forest_piece(const View& view, const Spec& spec, Index first, Index count,
                              const Context& ctx) {
  Params params = read_params<Params>(spec);
  params.forest.trees = count;
  const Compact data(view, Rows::blocks);
  return grow(data, targets_of(data, params), params, first, ctx);
}

std::unique_ptr<Model> forest_of_pieces(const View& view, const Spec& spec,
                                        std::span<const ForestPiece> pieces, const Context& ctx) {
  const Params params = read_params<Params>(spec);
  const Compact data(view, Rows::blocks);
  const Index targets = params.targets == Targets::each ? data.y().count() : 1;
  std::vector<const Forest*> forests;
  Index trees = 0;
  for (const ForestPiece& piece : pieces) {
    require_fitting(piece, data, targets, params);
    forests.push_back(&piece.forest);
    trees += piece.forest.trees_per_target();
  }
  if (trees != params.forest.trees) {
    throw Error(Code::unsupported,
                "forest: expected " + std::to_string(params.forest.trees) +
                    " trees per target, found " + std::to_string(trees),
                "Grow every tree once");
  }
  ForestPiece whole{.forest = Forest::joined(forests), .gains = {}, .bags = {}};
  for (Index target = 0; target < targets; ++target) {
    for (const ForestPiece& piece : pieces) {
      const Index each = piece.forest.trees_per_target();
      const Index begin = target * each, end = begin + each;
      if (wants_gains(params)) whole.gains.append(piece.gains, begin, end);
      if (leaves_out(params)) whole.bags.append(piece.bags, begin, end);
    }
  }
  return std::make_unique<model::detail::ModelOf<RandomForest>>(
      finished(std::move(whole), data, params, ctx));
}

Learner make_forest() {
  return define_learner<Params, RandomForest>(
      {.id = "forest",
       .summary = "random trees that answer for all labels at once",
       .reference = "Kocev et al., Tree ensembles for predicting structured outputs, 2013",
       .tags = {.missing_labels = true,
                .missing_features = true,
                .probabilities = true,
                .weights = true,
                .warm_start = true,
                .tree_blocks = true},
       .revision = 5},
      fit);
}

}  // namespace mulberry::learners

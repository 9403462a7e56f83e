// ML-kNN: multi-label k nearest neighbours by maximum a posteriori.
//
// For a label let c be the number of the k nearest training rows that have it. With smoothing s,
//
//   p        = (s + n_1) / (2 s + n)                       share of rows with the label
//   P(c | 1) = (s + kappa_1[c]) / (s (k + 1) + n_1)        kappa_1[c]: rows with the label and c
//   P(c | 0) = (s + kappa_0[c]) / (s (k + 1) + n_0)        such neighbours; kappa_0: without it
//   score    = p P(c | 1) / (p P(c | 1) + (1 - p) P(c | 0)),   relevant iff score > 1/2
//
// Zhang and Zhou, "ML-kNN: a lazy learning approach to multi-label learning", Pattern Recognition
// 40, 2007. A training row is never its own neighbour. Differences: a missing cell is left out of
// n, n_1 and the kappas, and counts as "does not have it" for its neighbours; a label with only one
// class has score 0 or 1; k is at most n - 1. Cost: the neighbours of all training rows
// (math/neighbours/neighbours.hpp) and O(n k LCard).
#include <algorithm>
#include <cmath>
#include <functional>

#include "mulberry/core/index.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/math/neighbours/neighbours.hpp"
#include "mulberry/model/define.hpp"
#include "mulberry/model/stored_features.hpp"

namespace mulberry::learners {
namespace {

struct Params {
  Index k = 10;
  double smoothing = 1.0;

  static Fields fields() {
    return Fields{
        field("k", &Params::k, "number of neighbours", between(1, 1e6).search(3, 30, false)),
        field("smoothing", &Params::smoothing, "smoothing: added to every count", positive())};
  }
  MemoryNeed memory(const Extent& e) const {
    const double near = std::min(static_cast<double>(k), e.rows);
    const double lists = 8 * grown(e.rows) + 4 * grown(e.positives);
    const double model = (e.picked ? 4 * e.rows : 0) + lists + 8 * e.labels * (near + 1);
    return {.fit = e.listed() + neighbours_need(e, e.rows, near, true) + model + e.threads * e.rows,
            .model = model,
            .predict = neighbours_need(e, e.asked, near) + e.scores()};
  }
};

struct MlKnn {
  StoredFeatures train;
  Array<Index> start;  // the labels of training row i are label[start[i] .. start[i + 1])
  Array<Id> label;
  Matrix score;  // labels x (k + 1): the score for each count of neighbours

  std::span<const Id> labels_of(Id row) const {
    const auto begin = at(start[at(row)]);
    return {label.data() + begin, at(start[at(row) + 1]) - begin};
  }

  Prediction predict(const View& view, const Context& ctx) const {
    const Compact data(view, Rows::listed);
    const Index k = score.cols() - 1, labels = score.rows();
    const Neighbours near = nearest_neighbours(train.x, data.x(), k, ctx);
    Matrix out(view.size(), labels);
    double* const cells = out.data();
    parallel_chunks(ctx, view.size(), 256, [&](Index begin, Index end) {
      std::vector<Index> counts(at(labels));
      for (Index i = begin; i < end; ++i) {
        std::fill(counts.begin(), counts.end(), 0);
        for (const Id t : near.row(i)) {
          for (const Id l : labels_of(t)) ++counts[at(l)];
        }
        for (Index l = 0; l < labels; ++l) {
          cells[i * labels + l] = score(l, counts[at(l)]);
        }
      }
    });
    return {.scores = std::move(out), .scale = Scale::probability};
  }

  template <class V>
  void visit(V& v) {
    v("train", train);
    const Index rows = train.x.rows();
    v("start", start, any_count().length(rows + 1));
    v("label", label, below(v.outputs()));
    v("score", score, real(0, 1).rows(v.outputs()));
    v.require(train.x.cols() == v.features(), "train", "does not have the features of the model");
    v.require(score.cols() >= 1 && score.cols() <= rows + 1, "score",
              "has more counts than there are rows");
    v.check([this](const ArchiveReader& in) {
      in.require(are_offsets({start.data(), start.size()}, label.size()), "start",
                 "does not cut the labels into rows");
      for (Index i = 0; i < train.x.rows(); ++i) {
        in.require(is_increasing(labels_of(static_cast<Id>(i))), "label",
                   "is not increasing within a row");
      }
    });
  }
};

// Training rows by the number of their neighbours that have the label: with it, without it.
struct Kappa {
  std::vector<double> with, without;
};

double posterior(const Kappa& kappa, std::size_t c, double s) {
  double with = 0, without = 0;
  for (const double v : kappa.with) with += v;
  for (const double v : kappa.without) without += v;
  if (with == 0 || without == 0) return constant_score(with > 0, Scale::probability);
  const double counts = s * static_cast<double>(kappa.with.size());
  const double prior = (s + with) / (2 * s + with + without);
  const double yes = prior * (s + kappa.with[c]) / (counts + with);
  const double no = (1 - prior) * (s + kappa.without[c]) / (counts + without);
  // A tie means "no", but a probability of 1/2 would mean "yes".
  return yes == no ? std::nextafter(0.5, 0.0) : yes / (yes + no);
}

MlKnn fit(const View& view, const Params& params, const Context& ctx) {
  const Compact data(view, Rows::listed);
  const Labels& y = data.y();
  const Index n = y.rows();
  const Neighbours near = nearest_others(data.x(), params.k, ctx);

  MlKnn out;
  out.train.x = data.x();
  std::vector<Index> start = {0};
  std::vector<Id> label;
  for (Index i = 0; i < n; ++i) {
    label.insert(label.end(), y.row(i).begin(), y.row(i).end());
    start.push_back(count_of(label));
  }
  out.start = std::move(start);
  out.label = std::move(label);

  out.score = Matrix(y.count(), near.k + 1);
  double* const cells = out.score.data();
  parallel_for(ctx, y.count(), [&](Index l) {
    std::vector<Cell> cell(at(n), Cell::negative);
    for (const Id i : y.column(l)) cell[at(i)] = Cell::positive;
    for (const Id i : y.missing_column(l)) cell[at(i)] = Cell::missing;
    const auto counts = at(near.k) + 1;
    Kappa kappa{.with = std::vector<double>(counts), .without = std::vector<double>(counts)};
    for (Index i = 0; i < n; ++i) {
      const Cell own = cell[at(i)];
      if (own == Cell::missing) continue;
      std::size_t c = 0;
      for (const Id t : near.row(i)) {
        c += cell[at(t)] == Cell::positive ? 1U : 0U;
      }
      ++(own == Cell::positive ? kappa.with : kappa.without)[c];
    }
    for (std::size_t c = 0; c < counts; ++c) {
      cells[l * (near.k + 1) + static_cast<Index>(c)] = posterior(kappa, c, params.smoothing);
    }
  });
  return out;
}

}  // namespace

Learner make_ml_knn() {
  return define_learner<Params, MlKnn>(
      {.id = "ml_knn",
       .summary = "labels of the nearest neighbours, weighted by how often they are right",
       .reference = "Zhang and Zhou, ML-kNN: a lazy learning approach to multi-label learning, "
                    "Pattern Recognition 40, 2007",
       .tags = {.missing_labels = true, .probabilities = true, .distances = true}},
      fit);
}

}  // namespace mulberry::learners

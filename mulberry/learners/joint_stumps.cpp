#include "mulberry/learners/joint_stumps.hpp"

namespace mulberry {

void JointStumps::add(Id column, double cut, const Sums& left, const Sums& right,
                      const Sums& missing) {
  column_.push_back(column);
  cut_.push_back(cut);
  for (const Sums* branch : {&left, &right, &missing})
    answers_.insert(answers_.end(), branch->begin(), branch->end());
}

void JointStumps::add_scores(const Features& x, Index begin, Index end, Matrix& scores,
                             const Context& ctx) const {
  double* const all = scores.data();
  parallel_chunks(ctx, x.rows(), 64, [&](Index first, Index last) {
    std::vector<double> values(static_cast<std::size_t>(x.cols()), 0.0);
    for (Index i = first; i < last; ++i) {
      const double* row = values.data();
      if (x.is_sparse()) {
        const SparseRow stored = x.sparse().row(i);
        for (std::size_t k = 0; k < stored.index.size(); ++k)
          values[static_cast<std::size_t>(stored.index[k])] = stored.value[k];
      } else {
        row = x.dense().data() + i * x.cols();
      }
      for (Index t = begin; t < end; ++t) {
        const auto k = static_cast<std::size_t>(t);
        const double v = column_[k] < 0 ? cut_[k] : row[column_[k]];
        const Index branch = v <= cut_[k] ? 0 : v > cut_[k] ? 1 : 2;
        const double* const answer = answers_.data() + (3 * t + branch) * labels_;
        for (Index l = 0; l < labels_; ++l) all[i * labels_ + l] += answer[l];
      }
      if (x.is_sparse()) {
        for (const Id j : x.sparse().row(i).index) values[static_cast<std::size_t>(j)] = 0;
      }
    }
  });
}

}  // namespace mulberry

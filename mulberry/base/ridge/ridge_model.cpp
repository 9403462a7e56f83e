#include "mulberry/base/ridge/ridge_model.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include "mulberry/base/ridge/ridge_path.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/memory.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/math/dense/products.hpp"
#include "mulberry/math/kernels/kernel_matrix.hpp"
#include "mulberry/measures/measures.hpp"
#include "mulberry/model/search_measure.hpp"
#include "mulberry/model/stored_nystrom.hpp"

namespace mulberry::base {

namespace {

constexpr Index k_rows_for_path = 4000, k_rows_for_one = 10000;  // without landmarks, by default
constexpr Index k_default_landmarks = 2000;
constexpr Index k_most_decomposed = 30000;  // rows; LAPACK counts its workspace in 32 bits
constexpr std::size_t k_scores_bytes = std::size_t{256} << 20;  // of several penalties at a time
const std::string k_squared_error = "squared_error";

// How the regression is written.
enum class Form { kernel, landmarks, columns };

// The kernel's values, the centred copy, and what LAPACK needs for its eigenvectors.
std::size_t kernel_bytes(Index rows, bool path, bool missing) {
  return KernelMatrix::bytes(rows, KernelStorage::f64) * (path ? (missing ? 4 : 3) : 2);
}

// Number of rows that represent all; 0: none do.
Index landmarks_for(const RidgeParams& params, Index rows, bool missing) {
  if (params.landmarks) return std::min(*params.landmarks, rows);
  if (params.kernel.kernel == KernelKind::precomputed) return 0;
  const bool path = params.searches();
  const bool fits = rows <= (path ? k_rows_for_path : k_rows_for_one) &&
                    kernel_bytes(rows, path, missing) <= params.kernel.memory_bytes();
  return fits ? 0 : std::min(k_default_landmarks, rows);
}

// The form, and the number of landmarks. Fewer features than rows are cheaper than a linear kernel.
struct Plan {
  Plan(const RidgeParams& params, Index rows, Index columns, bool missing) {
    if (params.kernel.kernel == KernelKind::linear && columns < rows &&
        params.landmarks.value_or(0) == 0) {
      form = Form::columns;
      return;
    }
    landmarks = landmarks_for(params, rows, missing);
    form = landmarks > 0 ? Form::landmarks : Form::kernel;
  }
  Form form;
  Index landmarks = 0;
};

// Labels with the same missing rows, and the rows that they have.
struct Group {
  std::vector<Id> labels = {}, rows = {};
  Matrix y = {};  // -1 or +1: rows x labels
  RowScale scale = {};
};

std::vector<Group> group_labels(const Labels& y, std::span<const double> weights) {
  std::map<std::vector<Id>, std::vector<Id>> labels_by_missing;
  for (Index l = 0; l < y.count(); ++l) {
    const auto missing = y.missing_column(l);
    labels_by_missing[{missing.begin(), missing.end()}].push_back(static_cast<Id>(l));
  }
  std::vector<Group> out;
  for (auto& [missing, labels] : labels_by_missing) {
    Group group{.labels = labels};
    std::vector<Id> place(at(y.rows()), -1);
    std::vector<double> kept;
    std::size_t next = 0;
    for (Index i = 0; i < y.rows(); ++i) {
      if (next < missing.size() && missing[next] == i) {
        ++next;
        continue;
      }
      place[at(i)] = static_cast<Id>(group.rows.size());
      group.rows.push_back(static_cast<Id>(i));
      if (!weights.empty()) kept.push_back(weights[at(i)]);
    }
    if (group.rows.empty()) continue;
    group.scale = RowScale(count_of(group.rows), kept);
    group.y = Matrix(count_of(group.rows), count_of(labels), -1.0);
    for (std::size_t k = 0; k < labels.size(); ++k) {
      for (const Id i : y.column(labels[k])) group.y(place[at(i)], static_cast<Index>(k)) = 1;
    }
    out.push_back(std::move(group));
  }
  return out;
}

// The regressions of all labels in one kernel.
class Regressions {
 public:
  Regressions(const RidgeData& data, std::span<const Group> groups, const RidgeParams& params,
              const Plan& plan, const Kernel& kernel, const Context& ctx)
      : data_(data), groups_(groups), params_(params), plan_(plan), kernel_(kernel) {
    if (plan.form == Form::columns) {
      columns_ = data.rows.x;
      return;
    }
    const Features x = in_one_piece(data.rows.x);
    if (plan.form == Form::landmarks) {
      nystrom_ = StoredNystrom(kernel, x, plan.landmarks, ctx);
      columns_ = Features(nystrom_.features(x, ctx));
    } else {
      values_ = KernelMatrix(kernel, x, KernelStorage::f64, ctx).take_doubles();
    }
  }

  // Tries the penalties and keeps the best; `tried` gains their rows. Returns the value of the
  // best.
  double search(Matrix& tried, const Context& ctx);
  // With these penalties of the labels; a search comes before if left-out scores are wanted.
  RidgeModel fit(std::vector<double> alpha, bool left_out, const Context& ctx);
  const std::vector<double>& best() const { return best_; }

 private:
  bool whole() const { return groups_.size() == 1; }
  RidgePath path(std::size_t g, const Context& ctx);
  const RidgePath& kept_path(std::size_t g, const Context& ctx) {
    if (!path_ || path_of_ != g) {
      path_.reset();
      path_ = path(g, ctx);
      path_of_ = g;
    }
    return *path_;
  }
  CentredKernel centred(const Group& group, const Context& ctx) {
    return {values_, group.rows, group.scale, ctx};
  }
  // Squared errors of left-out rows: penalties x labels.
  Matrix errors(std::span<const double> alphas, const Context& ctx);
  std::vector<double> values(std::span<const double> alphas, const Context& ctx);

  const RidgeData& data_;
  std::span<const Group> groups_;
  const RidgeParams& params_;
  const Plan& plan_;
  Kernel kernel_;
  StoredNystrom nystrom_;
  Features columns_;    // with Form::columns and landmarks
  Features picked_;     // the rows of a group among them
  FixedMatrix values_;  // of the kernel
  std::optional<RidgePath> path_;
  std::size_t path_of_ = 0;
  std::vector<double> best_;  // penalties of the labels
};

RidgePath Regressions::path(std::size_t g, const Context& ctx) {
  const Group& group = groups_[g];
  if (plan_.form == Form::kernel) {
    CentredKernel kernel = centred(group, ctx);
    if (whole()) values_ = Matrix();  // not needed any more
    return RidgePath::of_kernel(std::move(kernel), group.y, ctx);
  }
  picked_ = whole() ? columns_ : pick_rows(columns_, group.rows);
  return RidgePath::of_columns(picked_, group.scale, group.y, ctx);
}

Matrix Regressions::errors(std::span<const double> alphas, const Context& ctx) {
  const Index labels = data_.y.count(), m = count_of(alphas);
  Matrix out(m, labels);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Group& group = groups_[g];
    // Sums of blocks are kept apart and added in order, so that threads do not matter.
    std::map<Index, Matrix> parts;
    std::mutex guard;
    kept_path(g, ctx).left_out(
        alphas, ctx, [&](Index k, Index begin, blas::Block<const double> predicted) {
          std::vector<double> sums(group.labels.size());
          for (Index i = 0; i < predicted.rows; ++i) {
            const double root = group.scale.root[at(begin + i)];
            for (std::size_t l = 0; l < sums.size(); ++l) {
              const double error = root * (predicted.data[at(i * predicted.stride) + l] -
                                           group.y(begin + i, static_cast<Index>(l)));
              sums[l] += error * error;
            }
          }
          const std::scoped_lock lock(guard);
          Matrix& part = parts.try_emplace(begin, m, count_of(sums)).first->second;
          std::ranges::copy(sums, part.row(k).begin());
        });
    for (const auto& [begin, part] : parts) {
      for (Index k = 0; k < m; ++k) {
        for (std::size_t l = 0; l < group.labels.size(); ++l) {
          out(k, group.labels[l]) += part(k, static_cast<Index>(l));
        }
      }
    }
  }
  return out;
}

// The measure of the left-out scores at each penalty. A missing cell does not count in any measure.
std::vector<double> Regressions::values(std::span<const double> alphas, const Context& ctx) {
  const Index n = data_.y.rows(), labels = data_.y.count();
  const std::size_t bytes = at(n) * at(labels) * sizeof(double);
  const std::size_t together = std::clamp<std::size_t>(k_scores_bytes / bytes, 1, alphas.size());
  std::vector<double> out;
  for (std::size_t first = 0; first < alphas.size(); first += together) {
    const auto some = alphas.subspan(first, std::min(together, alphas.size() - first));
    std::vector<Matrix> scores(some.size(), Matrix(n, labels));
    std::vector<double*> cells;
    for (Matrix& m : scores) cells.push_back(m.data());
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const Group& group = groups_[g];
      kept_path(g, ctx).left_out(
          some, ctx, [&](Index k, Index begin, blas::Block<const double> predicted) {
            for (Index i = 0; i < predicted.rows; ++i) {
              double* const to = cells[at(k)] + group.rows[at(begin + i)] * labels;
              const double* const from = predicted.data + i * predicted.stride;
              for (std::size_t l = 0; l < group.labels.size(); ++l) to[group.labels[l]] = from[l];
            }
          });
    }
    for (const Matrix& m : scores) {
      out.push_back(measured(params_.measure, data_.y, m, data_.sets, ctx));
    }
  }
  return out;
}

double Regressions::search(Matrix& tried, const Context& ctx) {
  const std::vector<double> alphas = params_.alpha ? std::vector<double>{*params_.alpha}
                                                   : kept_path(0, ctx).penalties(params_.penalties);
  best_.assign(at(data_.y.count()), alphas[0]);
  std::vector<double> value(alphas.size());
  std::size_t best = 0;
  double reached = 0;
  if (params_.measure == k_squared_error) {
    const Matrix sums = errors(alphas, ctx);
    double known = 0;  // weight of all cells that are known
    for (const Group& group : groups_) {
      known += group.scale.total * static_cast<double>(group.labels.size());
    }
    for (Index k = 0; k < sums.rows(); ++k) {
      for (const double v : sums.row(k)) value[at(k)] += v / known;
    }
    best = best_of(value, false);
    reached = value[best];
    if (params_.per_label) {
      reached = 0;
      for (Index l = 0; l < sums.cols(); ++l) {
        std::vector<double> own;
        for (Index k = 0; k < sums.rows(); ++k) own.push_back(sums(k, l));
        const std::size_t k = best_of(own, false);
        best_[at(l)] = alphas[k];
        reached += own[k] / known;
      }
    }
  } else {
    value = values(alphas, ctx);
    best = best_of(value, measure_info(params_.measure).higher_is_better);
    reached = value[best];
  }
  if (!params_.per_label) best_.assign(best_.size(), alphas[best]);
  Matrix grown(tried.rows() + count_of(alphas), 4);
  std::copy(tried.values().begin(), tried.values().end(), grown.data());
  for (std::size_t k = 0; k < alphas.size(); ++k) {
    const auto row = grown.row(tried.rows() + static_cast<Index>(k));
    row[0] = kernel_.gamma;
    row[1] = alphas[k];
    row[2] = value[k];
  }
  tried = std::move(grown);
  return reached;
}

// The places of values among `all`.
std::vector<double> distinct(std::span<const double> all) {
  std::vector<double> out(all.begin(), all.end());
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

RidgeModel Regressions::fit(std::vector<double> alpha, bool left_out, const Context& ctx) {
  const Index labels = data_.y.count(), n = data_.y.rows();
  RidgeModel out;
  out.b.assign(at(labels), -1.0);  // of a label without any row
  const Index width = plan_.form == Form::kernel ? n : columns_.cols();
  Matrix w(labels, width);
  if (left_out) out.left_out = Matrix(n, labels);
  double* const cells = out.left_out.data();
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Group& group = groups_[g];
    std::vector<double> own;
    for (const Id l : group.labels) own.push_back(alpha[at(l)]);
    RidgeFit found;
    if (left_out) {
      const RidgePath& path = kept_path(g, ctx);
      found = path.fit(own, ctx);
      const std::vector<double> alphas = distinct(own);
      path.left_out(alphas, ctx, [&](Index k, Index begin, blas::Block<const double> predicted) {
        for (Index i = 0; i < predicted.rows; ++i) {
          double* const to = cells + group.rows[at(begin + i)] * labels;
          const double* const from = predicted.data + i * predicted.stride;
          for (std::size_t l = 0; l < own.size(); ++l) {
            if (own[l] == alphas[at(k)]) to[group.labels[l]] = from[l];
          }
        }
      });
    } else if (plan_.form == Form::kernel) {
      found =
          ridge_of_kernel(centred(group, ctx), group.y, own[0], !maybe_indefinite(kernel_), ctx);
    } else {
      const Features x = whole() ? columns_ : pick_rows(columns_, group.rows);
      found = ridge_of_columns(x, group.scale, group.y, own[0], ctx);
    }
    for (std::size_t l = 0; l < own.size(); ++l) {
      out.b[at(group.labels[l])] = found.b[l];
      const auto to = w.row(group.labels[l]);
      for (Index j = 0; j < found.coefficients.rows(); ++j) {
        const Index place = plan_.form == Form::kernel ? group.rows[at(j)] : j;
        to[at(place)] = found.coefficients(j, static_cast<Index>(l));
      }
    }
  }
  out.alpha = std::move(alpha);
  if (plan_.form == Form::columns) {
    out.w = std::move(w);
  } else if (plan_.form == Form::landmarks) {
    Matrix coefficients(labels, width);
    blas::gemm(1, blas::block(w), blas::Op::plain, blas::block(nystrom_.root), blas::Op::plain, 0,
               blas::block(coefficients));
    out.form = kernel_form(kernel_, {.x = nystrom_.landmarks.x}, coefficients);
  } else {
    out.form = kernel_form(kernel_, data_.rows, w);
  }
  return out;
}

void require_sense(const RidgeParams& params, const Plan& plan, Index rows, bool missing) {
  if (params.measure != k_squared_error) {
    require_search_measure("ridge", params.measure, k_squared_error);
    if (params.per_label) {
      throw Error(Code::parameter,
                  "ridge: expected measure=squared_error with per_label, found " + params.measure,
                  "Leave out one of the two");
    }
  }
  if (params.alpha && params.per_label) {
    throw Error(Code::parameter,
                "ridge: expected per_label with alpha=auto, found alpha=" + shortest(*params.alpha),
                "Leave out one of the two");
  }
  if (plan.form != Form::kernel) return;
  require_memory("ridge's kernel of all rows", kernel_bytes(rows, params.searches(), missing),
                 params.kernel.memory_bytes(),
                 "Set landmarks to a number of rows that represent all, or give more memory");
  if (params.searches() && rows > k_most_decomposed) {
    throw Error(Code::parameter,
                "ridge: expected at most " + std::to_string(k_most_decomposed) +
                    " rows for alpha=auto without landmarks, found " + std::to_string(rows),
                "Set landmarks, or a number for alpha");
  }
}

// Cells without a label have not been learnt from: their score is as good as a left-out one.
void fill_missing(RidgeModel& model, const RidgeData& data, const Context& ctx) {
  if (!data.y.has_missing() || model.left_out.size() == 0) return;
  std::vector<Id> rows;
  for (Index i = 0; i < data.y.rows(); ++i) {
    if (!data.y.missing_row(i).empty()) rows.push_back(static_cast<Id>(i));
  }
  // A precomputed kernel has the columns of all rows of the data, of which `rows.x` holds some.
  RidgeModel here{.form = model.form, .w = model.w, .b = model.b};
  if (here.form && !here.form->columns.empty()) {
    std::map<Id, Id> place;
    for (const Id column : data.rows.columns) {
      place.emplace(column, static_cast<Id>(place.size()));
    }
    for (Id& column : here.form->columns) column = place.at(column);
  }
  const Matrix scores = here.scores(take_rows(data.rows.x, rows), ctx);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    for (const Id l : data.y.missing_row(rows[k])) {
      model.left_out(rows[k], l) = scores(static_cast<Index>(k), l);
    }
  }
}

}  // namespace

Tags RidgeParams::tags() const {
  return {.kernel = kernel.kernel != KernelKind::linear,
          .missing_labels = true,
          .weights = true,
          .distances = has_distance(kernel.kernel)};
}

std::vector<std::string> RidgeParams::notes(const View& view) const {
  const bool missing = view.y != nullptr && view.y->has_missing();
  const Plan plan(*this, view.size(), view.columns(), missing);
  if (plan.form == Form::kernel) {
    const std::size_t bytes = kernel_bytes(view.size(), searches(), missing);
    if (bytes >= k_much_memory) return {"the kernel takes " + size_text(bytes)};
  }
  if (plan.form == Form::landmarks && !landmarks) {
    return {std::to_string(plan.landmarks) + " random rows represent all " +
            std::to_string(view.size()) + " in the kernel"};
  }
  return {};
}

MemoryNeed RidgeParams::memory(const Extent& e) const {
  const double outputs = std::max(e.labels, e.classes > 2 ? e.classes : 1.0);
  const double cells = 8 * e.rows * outputs, scores = 8 * e.asked * outputs;
  constexpr double k_most = 1e9;  // rows of a plan
  const Plan plan(*this, static_cast<Index>(std::min(e.rows, k_most)),
                  static_cast<Index>(std::min(e.columns, k_most)), false);
  const double kept = (searches() ? 3 : 2) * cells;  // targets, and scores of rows left out
  if (plan.form == Form::kernel) {
    // Values, the same centred, and their vectors or factor; a search frees the first.
    const double model = cells + e.features();
    return {.fit = e.pieces() + 3 * 8 * e.rows * e.rows + kept + model,
            .model = model,
            .predict = e.asked_pieces() + scores};
  }
  const bool mapped = plan.form == Form::landmarks;
  const double width = mapped ? static_cast<double>(plan.landmarks) : e.columns;
  const double side = 8 * width * width;
  const double model = 8 * outputs * width + (mapped ? 8 * width * e.columns : 0);
  return {.fit = e.pieces() + (mapped ? 8 * e.rows * width + side : 0) + 4 * side + kept + model,
          .model = model,
          .predict = e.asked_pieces() + scores + (mapped || !e.sparse ? 0 : model)};
}

Matrix RidgeModel::scores(const Features& x, const Context& ctx) const {
  return form ? form->scores(x, b, ctx) : linear_scores(x, w, b, ctx);
}

std::vector<Result> RidgeModel::results() const {
  std::vector<Result> out;
  out.push_back({.id = "penalties",
                 .sentence = "the penalty of each label",
                 .rows = Axis::labels,
                 .column_names = {"alpha"},
                 .values = Matrix(count_of(alpha), 1, alpha)});
  if (form) out.push_back(form->result());
  if (tried.rows() > 0) {
    out.push_back({.id = "search",
                   .sentence = "what was tried, with the value for rows that were left out one by "
                               "one",
                   .column_names = {"gamma", "alpha", measure, "chosen"},
                   .values = tried});
  }
  return out;
}

RidgeModel fit_ridge(const RidgeData& data, const RidgeParams& params, const Context& ctx) {
  const Index n = data.rows.x.rows();
  const bool missing = data.y.has_missing();
  const Plan plan(params, n, data.rows.x.cols(), missing);
  require_sense(params, plan, n, missing);
  const std::vector<Group> groups = group_labels(data.y, data.weights);
  const std::vector<Kernel> kernels = kernels_to_try(params.gamma, params.kernel, data.rows.x, ctx);
  // A single row cannot be left out, and without any known cell there is nothing to choose by.
  const bool enough = !groups.empty() &&
                      std::ranges::all_of(groups, [](const Group& g) { return g.rows.size() > 1; });
  if (!params.searches() || !enough) {
    Regressions one(data, groups, params, plan, kernels[kernels.size() / 2], ctx);
    RidgeModel out =
        one.fit(std::vector<double>(at(data.y.count()), params.alpha.value_or(1.0)), false, ctx);
    return out;
  }
  const bool higher =
      params.measure != k_squared_error && measure_info(params.measure).higher_is_better;
  RidgeModel best;
  Matrix tried;
  std::vector<double> reached;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    const double share = 1.0 / static_cast<double>(kernels.size());
    const Context part =
        ctx.part(share * static_cast<double>(k), share * static_cast<double>(k + 1));
    Regressions all(data, groups, params, plan, kernels[k], part);
    reached.push_back(all.search(tried, part));
    if (best_of(reached, higher) == k) best = all.fit(all.best(), true, part);
    part.step(1);
  }
  const double gamma = kernels[best_of(reached, higher)].gamma;
  for (Index r = 0; r < tried.rows(); ++r) {
    const auto row = tried.row(r);
    const bool chosen = std::ranges::find(best.alpha, row[1]) != best.alpha.end();
    row[3] = row[0] == gamma && chosen ? 1 : 0;
  }
  best.tried = std::move(tried);
  best.measure = params.measure;
  fill_missing(best, data, ctx);
  return best;
}

}  // namespace mulberry::base

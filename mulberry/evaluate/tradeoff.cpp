#include "mulberry/evaluate/tradeoff.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <nlohmann/json.hpp>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/json_text.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/evaluate/fold_parts.hpp"
#include "mulberry/evaluate/trained_model.hpp"

namespace mulberry::evaluate {
namespace {

using Json = nlohmann::ordered_json;

// Whether a learner can be trained for F_beta and its expression does not prevent it.
bool follows_beta(const CompleteSpec& spec) {
  if (resolve(spec.given()).find("measure") != nullptr) return false;
  bool measure = false, beta = false;
  for (const ParamInfo& info : spec.learner().params) {
    measure = measure ||
              (info.name == "measure" &&
               std::find(info.choices.begin(), info.choices.end(), "fbeta") != info.choices.end());
    beta = beta || info.name == "beta";
  }
  return measure && beta;
}

Spec for_beta(Spec spec, double beta) {
  spec.set("measure", std::string("fbeta"));
  spec.set("beta", shortest(beta));
  return spec;
}

// Trains once, and measures at each of the betas.
std::vector<double> values_of(const CompleteSpec& spec, const Dataset& train_part,
                              const Dataset& test_part, std::span<const double> betas,
                              const EvaluateOptions& options, const Context& ctx) {
  const TrainedModel model = train(spec, train_part, {.preprocess = options.preprocess}, ctx);
  ctx.check();  // a learner that was stopped may have returned early
  const Labels decided = model.decide(model.predict(test_part, ctx));
  std::vector<double> out;
  for (const double beta : betas) {
    MeasureOptions measured = options.measure;
    measured.beta = beta;
    out.push_back(measure("macro_fbeta", test_part.y, {.decided = &decided}, measured, ctx).value);
  }
  return out;
}

}  // namespace

std::vector<double> beta_grid(double low, double high, Index count) {
  MULBERRY_ASSERT(low > 0 && high >= low && count >= 1);
  std::vector<double> out;
  for (Index k = 0; k < count; ++k) {
    const double share = count > 1 ? static_cast<double>(k) / static_cast<double>(count - 1) : 0;
    const double value = std::exp(std::log(low) + share * (std::log(high) - std::log(low)));
    // Four digits are enough, and easier to read than the result of the logarithm.
    const double unit = std::pow(10.0, std::floor(std::log10(value)) - 3);
    out.push_back(k == 0 ? low : k + 1 == count ? high : std::round(value / unit) * unit);
  }
  return out;
}

Tradeoff trade_off(std::span<const CompleteSpec> specs, const Dataset& data,
                   std::vector<double> betas, const EvaluateOptions& options, const Context& ctx) {
  MULBERRY_ASSERT(!betas.empty());
  Tradeoff out{.data = data.name,
               .rows = data.rows(),
               .labels = data.labels(),
               .splits = describe_splits(options),
               .convention = std::string(name_of(options.measure.convention)),
               .betas = std::move(betas)};
  std::vector<CompleteSpec> learners;  // of the curves
  for (const CompleteSpec& spec : specs) {
    const bool follows = follows_beta(spec);
    learners.push_back(follows ? CompleteSpec(for_beta(spec, out.betas.front())) : spec);
    out.curves.push_back(
        {.name = spec.given().text(), .spec = learners.back(), .trained_for_beta = follows});
    Features outline;
    check_learner(learners.back(), outline_of(data, outline),
                  options.preprocess.impute != Impute::none);
  }
  const std::vector<Fold> folds = make_splits(data.y, options, ctx);

  // One task per curve and split: its rows are copied once for all betas.
  const auto splits = count_of(folds);
  const Index total = count_of(out.curves) * splits;
  std::vector<std::vector<double>> values(at(total));  // task, beta
  std::atomic<Index> done = 0;
  const Context inner = total >= ctx.threads() ? ctx.quiet().serial() : ctx.quiet();
  parallel_for(ctx, total, [&](Index k) {
    const TradeoffCurve& curve = out.curves[at(k / splits)];
    const CompleteSpec& learner = learners[at(k / splits)];
    const Fold& fold = folds[at(k % splits)];
    const FoldParts parts = fold_parts(data, fold, learner);
    auto& to = values[at(k)];
    const std::size_t step = curve.trained_for_beta ? 1 : out.betas.size();
    for (std::size_t b = 0; b < out.betas.size(); b += step) {
      const CompleteSpec spec =
          curve.trained_for_beta ? CompleteSpec(for_beta(learner, out.betas[b])) : learner;
      const auto found = values_of(spec, parts.train, parts.test,
                                   std::span(out.betas).subspan(b, step), options, inner);
      to.insert(to.end(), found.begin(), found.end());
      done += static_cast<Index>(step);
      ctx.step(static_cast<double>(done) / static_cast<double>(total * count_of(out.betas)));
    }
  });

  for (std::size_t c = 0; c < out.curves.size(); ++c) {
    for (std::size_t b = 0; b < out.betas.size(); ++b) {
      std::vector<double> list;
      for (std::size_t f = 0; f < folds.size(); ++f) {
        list.push_back(values[c * folds.size() + f][b]);
      }
      out.curves[c].values.push_back(summarise(std::move(list)));
    }
  }
  return out;
}

Index Tradeoff::best(std::size_t beta) const {
  Index out = -1;
  for (std::size_t c = 0; c < curves.size(); ++c) {
    const double mean = curves[c].values[beta].mean;
    if (!std::isfinite(mean)) continue;
    if (out < 0 || mean > curves[at(out)].values[beta].mean) {
      out = static_cast<Index>(c);
    }
  }
  return out;
}

bool Tradeoff::is_best(std::size_t beta, std::size_t curve) const {
  const Index first = best(beta);
  return first >= 0 && curves[curve].values[beta].mean == curves[at(first)].values[beta].mean;
}

std::string Tradeoff::json() const {
  Json out = {{"data", data},
              {"rows", rows},
              {"labels", labels},
              {"splits", splits},
              {"convention", convention},
              {"measure", "macro_fbeta"},
              {"betas", betas}};
  Json list = Json::array();
  for (const TradeoffCurve& curve : curves) {
    Json mean = Json::array(), deviation = Json::array();
    for (const Estimate& value : curve.values) {
      mean.push_back(number_or_null<Json>(value.mean));
      deviation.push_back(number_or_null<Json>(value.deviation));
    }
    list.push_back({{"learner", curve.name},
                    {"expression", curve.spec.text()},
                    {"trained_for_beta", curve.trained_for_beta},
                    {"mean", std::move(mean)},
                    {"deviation", std::move(deviation)}});
  }
  out["curves"] = std::move(list);
  return json_text(out);
}

}  // namespace mulberry::evaluate

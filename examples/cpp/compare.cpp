// Compare learners by cross-validation, and look up what one of them can be told.
#include <mulberry/mulberry.hpp>

#include <cstdio>
#include <exception>

int main() {
  try {
    const mulberry::Dataset data = mulberry::generate("photos", {.rows = 300});
    mulberry::CrossValidateOptions options;
    options.splits.folds = 5;
    options.measures = {"macro_f1", "ranking_loss"};
    const mulberry::Comparison result = mulberry::cross_validate(
        {"br_logistic", "ml_knn(k=10)"}, data, options, mulberry::Context(2));
    std::printf("%s\n", result.splits.c_str());
    for (const auto& learner : result.learners) {
      for (std::size_t m = 0; m < result.measures.size(); ++m) {
        std::printf("%-12s %-12s %.2f\n", learner.name.c_str(), result.measures[m].c_str(),
                    learner.estimates[m].mean);
      }
    }
    for (const auto& parameter : mulberry::describe_learner("ml_knn").parameters) {
      std::printf("ml_knn has %s, %s\n", parameter.name.c_str(), parameter.expected.c_str());
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}

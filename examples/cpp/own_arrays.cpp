// Train and predict with arrays of your own. Nothing is copied, and no file is written.
#include <mulberry/mulberry.hpp>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <vector>

int main() {
  try {
    // 40 points on a line. The label "high" holds above 20, "odd" is unknown for the first point.
    constexpr std::int64_t k_rows = 40;
    auto values = std::make_shared<std::vector<double>>();
    std::vector<std::int8_t> cells;
    for (std::int64_t i = 0; i < k_rows; ++i) {
      values->insert(values->end(), {static_cast<double>(i), static_cast<double>(i % 2)});
      cells.push_back(i > 20 ? 1 : 0);
      cells.push_back(i == 0 ? -1 : i % 2 == 1 ? 1 : 0);  // -1: nobody knows
    }

    // The data set keeps `values` alive for as long as it, or a model of it, reads them.
    const auto x = mulberry::Features::borrow(
        mulberry::DenseRows{.values = values->data(), .rows = k_rows, .cols = 2}, values);
    const mulberry::Dataset data({.features = x,
                                  .labels = mulberry::Labels::from_cells(cells.data(), k_rows, 2),
                                  .feature_names = {"position", "parity"},
                                  .label_names = {"high", "odd"}});
    const mulberry::Model model =
        mulberry::train("br_logistic(C=100)", data, {.scale = "standardise"});

    // Rows to predict: dense, without a data set, into memory of your own.
    const double dense[] = {35, 1, 3, 0};
    std::vector<std::int8_t> decided(4);
    mulberry::copy_decisions(
        model.predict(mulberry::DenseRows{.values = dense, .rows = 2, .cols = 2}), decided);
    std::printf("dense: %d %d, %d %d\n", decided[0], decided[1], decided[2], decided[3]);

    // And sparse: one row with a value in column 0 only.
    const std::int64_t start[] = {0, 1};
    const std::int32_t index[] = {0};
    const double value[] = {30};
    const mulberry::Prediction prediction = model.predict(
        mulberry::SparseRows{.rows = 1, .cols = 2, .start = start, .index = index, .value = value});
    std::vector<double> probabilities(2);
    mulberry::copy_probabilities(prediction, probabilities);
    std::printf("sparse: high %s, odd %s\n", probabilities[0] > 0.9 ? "very likely" : "unclear",
                probabilities[1] < 0.1 ? "hardly" : "unclear");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}

#include "mulberry/report/chosen.hpp"

#include <gtest/gtest.h>

#include "mulberry/core/spec.hpp"

namespace mulberry::report {
namespace {

using Texts = std::vector<std::string>;

Result certificate(std::vector<double> costs) {
  const auto rows = static_cast<Index>(costs.size());
  return {.id = "certificate",
          .rows = Axis::labels,
          .column_names = {"C"},
          .values = Matrix(rows, 1, std::move(costs))};
}

TEST(ChosenParameters, ComeFromCertificatesKernelsAndSearches) {
  const std::vector<Result> results = {
      certificate({10, 10}),
      {.id = "kernel",
       .rows = Axis::named,
       .row_names = {"rbf"},
       .column_names = {"gamma", "rows"},
       .values = Matrix(1, 2, std::vector<double>{0.25, 7})},
      {.id = "kappa_search",
       .rows = Axis::named,
       .row_names = {"kappa=0", "kappa=2", "no reuse"},
       .column_names = {"hamming_loss"},
       .values = Matrix(3, 1, std::vector<double>{0.3, 0.2, 0.1})}};
  EXPECT_EQ(chosen_parameters(parse_spec("svm(C=auto, width=auto)"), results),
            (Texts{"C=10", "gamma=0.25"}));
  EXPECT_EQ(chosen_parameters(parse_spec("svm(C=1)"), results), Texts{});
  EXPECT_EQ(chosen_parameters(parse_spec("mahr(kappa=auto)"), results), Texts{"kappa=2"});
  EXPECT_EQ(chosen_parameters(parse_spec("x(base=svm(C=auto))"), {certificate({0.1, 10})}),
            Texts{"C=0.1 to 10, by label"});
  EXPECT_EQ(chosen_parameters(parse_spec("x(rounds=auto)"), results), Texts{});
}

}  // namespace
}  // namespace mulberry::report

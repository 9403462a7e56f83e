// Statistics of comparisons for the test that compares with other libraries. One JSON object per
// line of standard input, {"test": NAME, ...}, and one per line of standard output.
#include <iostream>
#include <nlohmann/json.hpp>

#include "mulberry/compare/rank_tests.hpp"
#include "mulberry/compare/resampled_t.hpp"
#include "mulberry/compare/signed_rank.hpp"

namespace {

using namespace mulberry::tests;
using Json = nlohmann::json;
using List = std::vector<double>;

Matrix matrix_of(const Json& rows) {
  List values;
  for (const Json& row : rows) {
    for (const Json& v : row) values.push_back(v.get<double>());
  }
  return {static_cast<Index>(rows.size()), static_cast<Index>(rows.at(0).size()), values};
}

Json rows_of(const Matrix& matrix) {
  Json out = Json::array();
  for (Index i = 0; i < matrix.rows(); ++i) out.push_back(matrix.row(i));
  return out;
}

Json answer(const Json& question) {
  const std::string test = question.at("test");
  if (test == "ranks") {
    const Matrix ranks = rank_rows(matrix_of(question.at("gains")));
    return {{"ranks", rows_of(ranks)}, {"mean", mean_ranks(ranks)}};
  }
  if (test == "friedman") {
    const FriedmanTest r = friedman(matrix_of(question.at("gains")));
    return {
        {"chi_square", r.chi_square}, {"chi_square_p", r.chi_square_p}, {"f", r.f}, {"f_p", r.f_p}};
  }
  if (test == "nemenyi") return {{"p", rows_of(nemenyi(matrix_of(question.at("gains"))))}};
  if (test == "range_tail") return {{"p", range_tail(question.at("q"), question.at("count"))}};
  if (test == "critical_difference") {
    return {{"value", critical_difference(question.at("learners"), question.at("sets"),
                                          question.at("alpha"))}};
  }
  if (test == "wilcoxon") {
    const SignedRankTest r = wilcoxon(question.at("differences").get<List>());
    return {{"plus", r.plus}, {"minus", r.minus}, {"p", r.p}, {"exact", r.exact}};
  }
  if (test == "holm") return {{"p", holm(question.at("p").get<List>())}};
  if (test == "resampled_t") {
    const List differences = question.at("differences");
    const std::vector<SplitRows> splits(differences.size(),
                                        {question.at("train"), question.at("test_rows")});
    const ResampledTTest r = resampled_t(differences, splits);
    return {{"t", r.t}, {"p", r.p}, {"mean", r.mean}, {"deviation", r.deviation}};
  }
  if (test == "bayesian") {
    const BayesianVerdict r =
        bayesian_signed_rank(question.at("differences").get<List>(),
                             {.rope = question.at("rope"), .draws = question.at("draws")},
                             Context(1, question.at("seed")));
    return {{"first", r.first}, {"rope", r.rope}, {"second", r.second}};
  }
  return {{"error", "no such test"}};
}

}  // namespace

int main() {
  try {
    for (std::string line; std::getline(std::cin, line);) {
      std::cout << answer(Json::parse(line)).dump() << '\n';
    }
    return 0;
  } catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
  }
}

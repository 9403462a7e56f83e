// Solves linear programmes of learners/mahr/hinge_lp.hpp, for a test that compares with another solver.
//   hinge_tool < PROGRAMMES
// Each programme: rows and variables; the price of each variable; then for each row its weight, its
// target and its signs. Prints one line each: the least value, then the variables.
#include <cstdio>
#include <iostream>
#include <vector>

#include "mulberry/learners/mahr/hinge_lp.hpp"

int main() {
  mulberry::tests::Index rows = 0, variables = 0;
  while (std::cin >> rows >> variables) {
    std::vector<double> prices(static_cast<std::size_t>(variables)), signs(prices.size());
    for (double& price : prices) std::cin >> price;
    mulberry::tests::HingeRows programme(variables);
    for (mulberry::tests::Index r = 0; r < rows; ++r) {
      double weight = 0, target = 0;
      std::cin >> weight >> target;
      for (double& sign : signs) std::cin >> sign;
      programme.add(signs, weight, target);
    }
    const auto solved = mulberry::tests::solve_hinge_lp(programme, prices);
    std::printf("%.17g", solved.value);
    for (const double b : solved.b) std::printf(" %.17g", b);
    std::printf("\n");
  }
  return std::cin.eof() ? 0 : 1;
}

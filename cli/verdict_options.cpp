#include "cli/verdict_options.hpp"

namespace mulberry::cli {

std::vector<Option> verdict_options() {
  const std::string section = "Tests over several data sets";
  return {{.name = "test",
           .value = "wilcoxon-holm|nemenyi",
           .help = "the test that says which learners differ",
           .fallback = "wilcoxon-holm",
           .section = section},
          {.name = "alpha",
           .value = "A",
           .help = "level of significance",
           .fallback = "0.05",
           .section = section},
          {.name = "rope",
           .value = "R",
           .help = "differences up to R are equivalent for the Bayesian test",
           .fallback = "0.01",
           .section = section}};
}

VerdictOptions verdict_options_from(const Args& args) {
  VerdictOptions out;
  out.test = pair_test_of(args.choice("test", std::string(name_of(out.test))));
  out.alpha = args.number("alpha", out.alpha, 1e-6, 0.5);
  out.bayesian.rope = args.number("rope", out.bayesian.rope, 0, 1e9);
  return out;
}

}  // namespace mulberry::cli

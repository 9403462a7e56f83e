#include "cli/measure_options.hpp"

namespace mulberry::cli {

std::vector<Option> measure_options(const std::string& usual) {
  std::vector<Option> out = {
      {.name = "measures", .value = "A,B", .help = "only these measures", .fallback = usual},
      {.name = "convention",
       .value = "sklearn|paper|mulan|meka|zhang",
       .help = "rules for ties and undefined cases",
       .fallback = "sklearn"},
      {.name = "undefined",
       .value = "zero|one|skip|nan|error",
       .help = "what a row or label without a value counts as"},
      {.name = "ties",
       .value = "worst|best|average|first|last",
       .help = "how equal scores are ranked"},
      {.name = "beta", .value = "B", .help = "beta in the F-beta measures", .fallback = "1"},
      {.name = "k", .value = "K", .help = "k in the measures at k", .fallback = "5"}};
  for (Option& option : out) option.section = "Measures";
  return out;
}

MeasureOptions measure_options_from(const Args& args) {
  MeasureOptions out;
  out.convention = convention_of(args.choice("convention", "sklearn"));
  if (args.has("undefined")) out.undefined = undefined_of(args.choice("undefined", ""));
  if (args.has("ties")) out.ties = ties_of(args.choice("ties", ""));
  out.beta = args.number("beta", out.beta, 1e-9, 1e9);
  out.k = args.integer("k", out.k, 1, 1000000000);
  return out;
}

}  // namespace mulberry::cli

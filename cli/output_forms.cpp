#include "cli/output_forms.hpp"

#include "mulberry/core/error.hpp"

namespace mulberry::cli {

Option csv_option(std::string help) { return {.name = "csv", .help = std::move(help)}; }

void require_one_form(const Args& args) {
  if (args.flag("json") && args.flag("csv")) {
    throw Error(Code::usage, "expected --json or --csv, found both", "Choose one");
  }
}

}  // namespace mulberry::cli

#include "cli/page_file.hpp"

#include <filesystem>

#include "cli/files.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/core/text.hpp"

namespace mulberry::cli {

void require_page(const std::string& path) {
  std::error_code ignored;
  const std::string ending = lower(std::filesystem::path(path).extension().string());
  if (ending.empty() || ending == ".html" || ending == ".htm" ||
      std::filesystem::is_other(path, ignored)) {
    return;
  }
  throw Error(Code::usage, "expected a report whose name ends in .html, found " + in_quotes(path),
              "Change the ending of the name; a browser prints the page as PDF");
}

void write_page(const std::string& path, const Page& page) {
  write_whole_file(path, page_html(page));
}

Option report_option(const std::string& help) {
  return {.name = "report", .value = "FILE.html", .help = help + ", as one page to look at"};
}

}  // namespace mulberry::cli

// Reports as files: one page of HTML each.
#pragma once

#include <string>

#include "cli/args.hpp"
#include "mulberry/report/page/page.hpp"

namespace mulberry::cli {

// Call before the work is done: throws Error (usage) if the name ends like another kind of file.
void require_page(const std::string& path);
// All or nothing, as write_whole_file.
void write_page(const std::string& path, const Page& page);

Option report_option(const std::string& help);  // --report FILE.html
// Writes the page of --report and says so, if the option was given. `page` is called only then.
template <class MakePage>
void write_report(const Args& args, const MakePage& make) {
  if (args.has("report")) write_page(args.text("report"), make());
}

}  // namespace mulberry::cli

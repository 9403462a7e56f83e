// The styles and scripts of the pages: files of assets/, compiled into the library by
// cmake/page_assets.cmake, so that an installed program needs no files.
#pragma once

#include <string>
#include <string_view>

#include "mulberry/core/rooms.hpp"

namespace mulberry::report {

struct PageAsset {
  std::string_view name;    // of the file: "page.css"
  std::string_view text;    // its content
  std::string_view sha256;  // of the content, in hexadecimal digits
};

// A bug of the caller if there is no such file.
const PageAsset& page_asset(std::string_view name);

// How a content security policy names a script that may run: 'sha256-...'.
std::string policy_hash(const PageAsset& asset);

}  // namespace mulberry::report

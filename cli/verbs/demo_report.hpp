// The page at the end of `mulberry demo`: five questions about made-up data, each answered by the
// method that was made for it.
#pragma once

#include "mulberry/core/context.hpp"
#include "mulberry/data/dataset.hpp"
#include "mulberry/report/page/page.hpp"

namespace mulberry::cli {

// `photos` and `cars` are data of the generators of these names.
Page demo_page(const Dataset& photos, const Dataset& cars, const Context& ctx);

}  // namespace mulberry::cli

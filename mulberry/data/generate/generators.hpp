// The generators behind generate(): one function each, given options that were already checked.
#pragma once

#include <string>
#include <vector>

#include "mulberry/data/generate/generate.hpp"

namespace mulberry::data::generators {

// prefix1, prefix2, ...: generated names.
std::vector<std::string> numbered(const std::string& prefix, Index count);

Dataset data_inde(const GenerateOptions& options, const Context& ctx);
Dataset data_equal(const GenerateOptions& options, const Context& ctx);
Dataset data_union(const GenerateOptions& options, const Context& ctx);
Dataset linear(const GenerateOptions& options, const Context& ctx);
Dataset label_sets(const GenerateOptions& options, const Context& ctx);
Dataset photos(const GenerateOptions& options, const Context& ctx);
Dataset cars(const GenerateOptions& options, const Context& ctx);
Dataset tagged_text(const GenerateOptions& options, const Context& ctx);

}  // namespace mulberry::data::generators

// Model files as an attacker would write them: a file is taken apart, some of its values, arrays or
// places are changed, and it is put together again with checksums and offsets that are right. What
// then guards a user is the check of every value when a model is loaded.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace mulberry::tests {

// A model file in pieces. The entries of header["arrays"] belong to `arrays` in the same order.
struct ModelPieces {
  std::uint32_t version = 2;
  nlohmann::json header;
  std::vector<std::string> arrays;
};

// Nothing if the bytes are not even the frame of a model file.
std::optional<ModelPieces> take_apart(std::string_view file);
// With offsets, sizes and checksums that fit.
std::string put_together(const ModelPieces& pieces);
// The same file with checksums that fit, wherever they can be found.
std::string with_checksums(std::string_view file);

// One to four changes, which depend on the seed alone. `what`, if there is one, gets a line about
// each.
std::string mutate_model(std::string_view file, std::uint64_t seed, std::string* what = nullptr);

}  // namespace mulberry::tests

#include <sys/mman.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "mulberry/evaluate/trained_model.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace {

// Checksums would reject almost every input at once. If the first byte is odd they are corrected,
// so that the code behind them is tested, too.
std::string with_checksums(std::string file) {
  constexpr std::size_t k_prefix = 32, k_align = 64;
  if (file.size() < k_prefix) return file;
  std::uint64_t length = 0;
  std::memcpy(&length, file.data() + 16, sizeof length);
  if (length > file.size() - k_prefix) return file;
  const std::size_t old_first = (k_prefix + length + k_align - 1) / k_align * k_align;
  auto header = nlohmann::json::parse(file.substr(k_prefix, length), nullptr, false);
  if (header.is_discarded() || !header.is_object() || !header.contains("arrays")) return file;
  const std::string arrays = old_first < file.size() ? file.substr(old_first) : "";
  for (auto& item : header["arrays"]) {
    if (!item.is_object()) continue;
    const auto number = [&](const char* key) -> std::uint64_t {
      return item.contains(key) && item[key].is_number_unsigned() ? item[key].get<std::uint64_t>()
                                                                  : 0;
    };
    const std::string type =
        item.contains("type") && item["type"].is_string() ? item["type"].get<std::string>() : "";
    const std::uint64_t width = type == "u8" ? 1 : type == "i32" || type == "f32" ? 4 : 8;
    const std::uint64_t offset = number("offset"), count = number("count");
    if (offset > arrays.size() || count > (arrays.size() - offset) / width) continue;
    char text[17];
    std::snprintf(
        text, sizeof text, "%016llx",
        static_cast<unsigned long long>(XXH3_64bits(arrays.data() + offset, count * width)));
    item["checksum"] = text;
  }
  const std::string json = header.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const std::uint64_t size = json.size(), sum = XXH3_64bits(json.data(), json.size());
  std::string out = file.substr(0, k_prefix) + json;
  std::memcpy(out.data() + 16, &size, sizeof size);
  std::memcpy(out.data() + 24, &sum, sizeof sum);
  if (!arrays.empty()) out.resize((out.size() + k_align - 1) / k_align * k_align, '\0');
  return out + arrays;
}

}  // namespace

// The first byte tells whether checksums are corrected, the rest is the file.
FUZZ_TARGET(model) {
  using namespace mulberry::tests;
  if (input.empty()) return;
  const bool mend = (input.front() & 1) != 0;
  const std::string bytes =
      mend ? with_checksums(std::string(input.substr(1))) : std::string(input.substr(1));
  const int file = memfd_create("model", 0);
  MULBERRY_ASSERT(file >= 0 &&
                  write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  fuzz::errors_are_fine([&] {
    const TrainedModel model = TrainedModel::load("/proc/self/fd/" + std::to_string(file));
    MULBERRY_ASSERT(!model.about_json().empty());
  });
  close(file);
}

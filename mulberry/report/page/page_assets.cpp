#include "mulberry/report/page/page_assets.hpp"

#include <cstdint>

#include "mulberry/core/error.hpp"

namespace mulberry::report {
namespace {

constexpr PageAsset k_assets[] = {
#include "page_assets.inc"
};

int digit_of(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

}  // namespace

const PageAsset& page_asset(std::string_view name) {
  const PageAsset* found = nullptr;
  for (const PageAsset& asset : k_assets) {
    if (asset.name == name) found = &asset;
  }
  MULBERRY_ASSERT(found != nullptr);
  return *found;
}

std::string policy_hash(const PageAsset& asset) {
  // The digits of the hash, four bits each, as Base64, six bits each.
  constexpr std::string_view k_letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out = "'sha256-";
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : asset.sha256) {
    bits = (bits << 4U | static_cast<std::uint32_t>(digit_of(c))) & 0xffffU;
    count += 4;
    if (count < 6) continue;
    count -= 6;
    out += k_letters[bits >> static_cast<unsigned>(count) & 63U];
  }
  if (count > 0) out += k_letters[bits << static_cast<unsigned>(6 - count) & 63U];
  return out + "='";  // 32 bytes are 43 letters and one to fill the last group
}

}  // namespace mulberry::report

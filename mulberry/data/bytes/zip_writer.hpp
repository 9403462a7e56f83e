// ZipWriter: the members of a zip archive, stored without compression, to a sink. ZIP64 fields are
// written only if a size or the number of members needs them. Time stamps are in 1980: the same
// members give the same bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mulberry/data/bytes/byte_sink.hpp"

namespace mulberry::data {

class ZipWriter {
 public:
  explicit ZipWriter(ByteSink& sink) : sink_(sink) {}

  // One member, whose content is the concatenated parts.
  void add(const std::string& name, std::span<const std::string_view> parts);
  void finish();  // writes the directory; once, after the last member

 private:
  struct Member {
    std::string name;
    std::uint32_t crc = 0;
    std::uint64_t size = 0, offset = 0;
  };
  void put(std::string_view bytes);

  ByteSink& sink_;
  std::uint64_t offset_ = 0;
  std::vector<Member> members_;
};

}  // namespace mulberry::data

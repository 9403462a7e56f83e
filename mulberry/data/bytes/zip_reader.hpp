// ZipReader: the members of a zip archive held in memory (stored or deflated, ZIP64 too). Nothing
// in the directory is trusted before it is checked against the bytes: offsets and sizes must lie in
// the file, a member expands to exactly its size and matches its CRC. Errors name the member.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "mulberry/core/rooms.hpp"

namespace mulberry::data {

class ZipReader {
 public:
  // `bytes` must outlive the reader; `path` is used in errors.
  ZipReader(std::string_view bytes, std::string path);

  std::vector<std::string> names() const;
  bool contains(std::string_view name) const { return members_.find(name) != members_.end(); }
  // Where the bytes of a member are.
  struct Extent {
    std::uint64_t offset = 0, packed = 0, size = 0;
    std::uint32_t crc = 0;
    bool deflated = false;
  };
  Extent extent(std::string_view name) const;
  // The content of a member: a part of `bytes` if it is stored, of `storage` if deflated.
  std::string_view read(std::string_view name, std::string& storage) const;

 private:
  struct Member {
    std::uint32_t crc = 0;
    std::uint16_t method = 0, flags = 0;
    std::uint64_t packed = 0, size = 0, offset = 0;
  };
  void read_directory();
  std::string_view slice(std::uint64_t offset, std::uint64_t size, std::string_view what) const;
  std::string_view packed_bytes(std::string_view name, const Member& member) const;
  void inflate_to(std::string_view packed, std::string_view name, std::string& out) const;
  [[noreturn]] void fail(std::string problem) const;

  std::string_view bytes_;
  std::string path_;
  std::map<std::string, Member, std::less<>> members_;  // by name
};

}  // namespace mulberry::data

// ByteSource: a file as a stream of uncompressed bytes. Plain, gzip (several members) and Zstandard
// (several frames) files are told apart by their first bytes, never by their names.
//
// Memory is bounded whatever the file says: a fixed buffer and the decoder's window. Damage of any
// kind (truncation, a wrong checksum, bytes after the end) is an Error, and so is a file that
// expands beyond all reason. Errors carry the file's name and no line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "mulberry/core/rooms.hpp"

namespace mulberry::data {

class ByteSource {
 public:
  ByteSource() = default;
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  // Up to `size` bytes, at least one unless the end is reached.
  std::size_t read(char* out, std::size_t size);
  // The next bytes without taking them: `size`, or fewer when the file ends before.
  std::string_view peek(std::size_t size);

 private:
  virtual std::size_t produce(char* out, std::size_t size) = 0;
  std::string peeked_;
};

// Throws Error for what expands so far, and to so much, that it must be meant to exhaust memory.
void require_moderate_expansion(std::uint64_t expanded, std::uint64_t packed,
                                const std::string& path);

// Throws Error for a path that is missing, a directory, unreadable or an empty file.
std::unique_ptr<ByteSource> open_bytes(const std::string& path);
// The same from memory, which must outlive the source; `name` stands in errors.
std::unique_ptr<ByteSource> open_bytes(std::string_view memory, const std::string& name);

}  // namespace mulberry::data

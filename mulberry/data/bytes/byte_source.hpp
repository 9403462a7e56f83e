// ByteSource: a file as a stream of uncompressed bytes. Plain, gzip (several members) and Zstandard
// (several frames) files are told apart by their first bytes, never by their names.
//
// Memory is bounded for any file: a fixed buffer and the decoder's window. Damage of any kind
// (truncation, a wrong checksum, bytes after the end) is an Error, and so is a file that expands
// unreasonably. Errors carry the file's name and no line.
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
  // The next bytes without taking them: `size`, or fewer if the file ends before.
  std::string_view peek(std::size_t size);
  // Bytes of the file, as they are there, that have been read so far.
  virtual std::uint64_t taken() const = 0;

 private:
  virtual std::size_t produce(char* out, std::size_t size) = 0;
  std::string peeked_;
};

// Throws Error if the file expands so much that it must be meant to exhaust memory.
void require_moderate_expansion(std::uint64_t expanded, std::uint64_t packed,
                                const std::string& path);

// Throws Error for a path that is missing, a directory, unreadable or an empty file.
std::unique_ptr<ByteSource> open_bytes(const std::string& path);
// As above, from memory, which must outlive the source; `name` is used in errors.
std::unique_ptr<ByteSource> open_bytes(std::string_view memory, const std::string& name);

}  // namespace mulberry::data

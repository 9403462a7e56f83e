// AtomicFile: a file that appears complete or not at all. Bytes go to a new file in the folder of
// the target; commit() flushes it to disk and renames it over the target in one step. Without
// commit() nothing is left behind and an existing target keeps its content and mode. Before
// commit() the new file has no name if the file system allows that (ext4, xfs, btrfs, tmpfs), so
// that even a killed process leaves nothing behind.
//
// A symbolic link stays a link: the file it points to is replaced. Devices and pipes (/dev/stdout)
// cannot be replaced and are written to directly.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mulberry/core/rooms.hpp"

namespace mulberry::core {

class AtomicFile {
 public:
  explicit AtomicFile(std::string path);  // throws Error (io) if the folder cannot be written
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes) { write(std::as_bytes(std::span(bytes))); }
  void write(std::span<const std::byte> bytes);
  void commit();  // once, after the last write

  const std::string& path() const { return path_; }  // as given

 private:
  void flush(std::span<const std::byte> bytes);
  [[noreturn]] void fail(std::string_view action) const;

  std::string path_;
  std::string target_;     // path_ with links followed
  std::string temporary_;  // empty if it has no name yet, is written directly, or is done
  bool nameless_ = false;
  std::vector<std::byte> buffer_;
  int descriptor_ = -1;
};

}  // namespace mulberry::core

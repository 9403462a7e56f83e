// AtomicFile: a file that appears complete or not at all. Bytes go to a new file in the folder of
// the target; commit() flushes it to disk and renames it over the target in one step. Without
// commit() nothing is left behind and an existing target keeps its content and mode. Before
// commit() the new file has no name if the file system allows that (ext4, xfs, btrfs, tmpfs), so
// that even a killed process leaves nothing behind.
//
// A symbolic link stays a link: the file it points to is replaced, or made if it does not exist.
// Devices and pipes cannot be replaced and are written to directly; so is standard output, whatever
// it was redirected to, under the names - and /dev/stdout.
//
// AtomicGroup: several files that belong together. All are written before the first gets its name.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mulberry/core/rooms.hpp"

namespace mulberry::core {

// disk: the file survives a power cut once commit() returns. later: whenever the system writes it.
enum class Sync { disk, later };

class AtomicFile {
 public:
  explicit AtomicFile(std::string path);  // throws Error (io) if the folder cannot be written
  ~AtomicFile();
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;

  void write(std::string_view bytes) { write(std::as_bytes(std::span(bytes))); }
  void write(std::span<const std::byte> bytes);
  void commit(Sync sync = Sync::disk);  // once, after the last write

  const std::string& path() const { return path_; }  // as given

 private:
  friend class AtomicGroup;

  void flush(std::span<const std::byte> bytes);
  void prepare(Sync sync = Sync::disk);  // all of commit() but the last step: the content is on
                                         // disk, under another name
  void rename();                         // the last step
  [[noreturn]] void fail(std::string_view action) const;

  std::string path_;
  std::string target_;     // path_ with links followed
  std::string temporary_;  // empty if it has no name yet, is written directly, or is done
  bool nameless_ = false;
  std::vector<std::byte> buffer_;
  int descriptor_ = -1;
};

class AtomicGroup {
 public:
  void add(AtomicFile file);  // after its last write
  // Once: all files appear, one directly after the other. An error before the first leaves nothing;
  // an error between two of them says which files are there.
  void commit();

 private:
  std::vector<AtomicFile> files_;
};

// The file that a path stands for, with symbolic links followed even if the last one leads to
// nothing yet. The path itself if it is no link.
std::string file_behind(const std::string& path);

// Throws Error (io) if no file of this name can be made: the name is too long for its folder.
void require_short_name(const std::string& path);

// For a process that is about to end without unwinding: removes files that have a temporary name.
// Waits for files that are just appearing, a group of them as a whole, and lets no other appear.
void discard_unfinished_files();

}  // namespace mulberry::core

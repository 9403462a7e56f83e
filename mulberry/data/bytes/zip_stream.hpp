// ZipStream: the content of one member of a zip archive on disk, from its beginning to its end, in
// the memory of a buffer. Its checksum is compared when the last byte is read.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "mulberry/data/bytes/zip_reader.hpp"

namespace mulberry::data {

// An archive on disk: its directory, and a file to read from.
class ZipFile {
 public:
  // Throws Error for a file that is no zip archive on disk.
  explicit ZipFile(const std::string& path);
  ~ZipFile();
  ZipFile(const ZipFile&) = delete;
  ZipFile& operator=(const ZipFile&) = delete;

  const std::string& path() const { return path_; }
  bool contains(const std::string& name) const { return extents_.contains(name); }
  const ZipReader::Extent& extent(const std::string& name) const { return extents_.at(name); }
  // Reads all of `size` bytes, or throws Error.
  void read(std::uint64_t offset, char* out, std::size_t size) const;

 private:
  std::string path_;
  int file_ = -1;
  std::map<std::string, ZipReader::Extent> extents_;
};

class ZipStream {
 public:
  ZipStream(std::shared_ptr<const ZipFile> file, const std::string& name);
  ~ZipStream();
  ZipStream(ZipStream&&) noexcept;
  ZipStream& operator=(ZipStream&&) = delete;

  std::uint64_t size() const { return extent_.size; }
  std::uint64_t left() const { return extent_.size - given_; }
  void read(char* out, std::size_t size);  // all of it, at most left()

 private:
  struct Inflate;
  [[noreturn]] void fail(const std::string& problem) const;
  void refill();
  void inflate_to(char* out, std::size_t size);
  void check_end();

  std::shared_ptr<const ZipFile> file_;
  std::string name_;
  ZipReader::Extent extent_;
  std::uint64_t taken_ = 0, given_ = 0;  // packed bytes, content
  std::uint32_t crc_ = 0;
  std::unique_ptr<Inflate> inflate_;
};

}  // namespace mulberry::data

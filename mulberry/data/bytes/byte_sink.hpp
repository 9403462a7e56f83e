// ByteSink: where writers put their bytes. Compresses if the name ends in .gz or .zst; the file
// appears complete on commit() or not at all (core/atomic_file.hpp). The same bytes always give the
// same file: there are no time stamps. Numbers are written as the shortest decimals that read back
// as the same bits.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "mulberry/core/atomic_file.hpp"
#include "mulberry/core/matrix.hpp"

namespace mulberry::data {

enum class Compression { none, gzip, zstd };

Compression compression_of(std::string_view path);            // by the name's suffix
std::string_view without_compression(std::string_view path);  // "a.csv.gz" -> "a.csv"

class ByteSink {
 public:
  explicit ByteSink(const std::string& path);
  ~ByteSink();
  ByteSink(const ByteSink&) = delete;
  ByteSink& operator=(const ByteSink&) = delete;

  void text(std::string_view bytes);
  void number(double value);
  void integer(Index value);
  void commit();                         // once, after the last byte
  void commit_with(AtomicGroup& group);  // or this: the file appears with the others of the group

  const std::string& path() const { return file_.path(); }

 private:
  class Compressor;
  class Gzip;
  class Zstd;

  void drain();
  void finish();

  AtomicFile file_;
  std::unique_ptr<Compressor> compressor_;  // null: none
  std::string buffer_;
};

}  // namespace mulberry::data

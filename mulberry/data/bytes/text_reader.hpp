// TextReader: the lines of a text file, fast, with the place of every byte for error messages.
//
// Lines end with LF or CRLF, the last one may end with the file; a UTF-8 byte order mark is
// skipped. In a file that begins with CR line ends, as old Macintosh programs wrote them, CR, LF
// and CRLF all end a line; elsewhere a lone CR is a character like others. Places count physical
// lines of the uncompressed file and columns in characters. Files that are not text (NUL bytes,
// UTF-16) are an Error, and so is a line beyond 128 MB: memory stays bounded.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mulberry/core/error.hpp"
#include "mulberry/data/bytes/byte_source.hpp"

namespace mulberry::data {

std::int64_t characters(const char* begin, const char* end);  // of UTF-8 text

// Enough of a file to tell its format and its line ends.
constexpr std::size_t k_looked_at = std::size_t{1} << 16;
// Whether a file that begins so has lines that end with CR alone.
bool has_cr_lines(std::string_view start);

class TextReader {
 public:
  TextReader(std::unique_ptr<ByteSource> bytes, std::string path);
  explicit TextReader(const std::string& path) : TextReader(open_bytes(path), path) {}

  const std::string& path() const { return path_; }

  // Moves to the next line; false at the end of the file. The line is valid until the next call.
  bool next();
  std::string_view line() const { return line_; }      // without its ending
  std::string_view ending() const { return ending_; }  // CRLF, CR or LF; LF if it has none
  bool has_newline() const { return newline_; }        // false for a last line without one
  std::int64_t number() const { return number_; }
  std::uint64_t taken() const { return bytes_->taken(); }  // bytes of the file so far

  // The place of a byte of the current line (or one past it). Counts on from the last place that was
  // asked for, so that all of them together cost as much as reading the line.
  Place place(const char* at) const { return {path_, number_, column(at)}; }
  std::int64_t column(const char* at) const;
  [[noreturn]] void fail(const char* at, std::string problem, std::string remedy = {}) const {
    throw Error(Code::format, std::move(problem), std::move(remedy), place(at));
  }

 private:
  bool fill();  // more bytes after end_; false at the end of the file
  const char* find_end(std::size_t from) const;  // of a line; null if it is not in the buffer
  void refuse_binary(std::size_t from) const;
  Place place_in_buffer(std::size_t at) const;

  std::unique_ptr<ByteSource> bytes_;
  std::string path_;
  std::vector<char> buffer_;
  std::size_t next_ = 0, end_ = 0;  // bytes not yet returned
  bool at_end_ = false, newline_ = true;
  bool cr_lines_ = false;  // CR ends lines, too
  bool after_cr_ = false;  // a LF that comes next belongs to the line before
  std::string_view ending_ = "\n";
  std::string_view line_;
  std::int64_t number_ = 0;
  mutable const char* counted_to_ = nullptr;  // in line_; null at its start
  mutable std::int64_t counted_ = 0;          // characters up to there
};

}  // namespace mulberry::data

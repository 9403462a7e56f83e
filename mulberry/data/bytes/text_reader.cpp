#include "mulberry/data/bytes/text_reader.hpp"

#include <algorithm>
#include <cstring>

#include "mulberry/core/index.hpp"

namespace mulberry::data {
namespace {

constexpr std::size_t k_first_buffer = std::size_t{1} << 12;  // enough for a small file
constexpr std::size_t k_buffer = std::size_t{1} << 18;        // stays in the second-level cache
constexpr std::size_t k_longest_line = std::size_t{1} << 27;

}  // namespace

// All bytes except continuations.
std::int64_t characters(const char* begin, const char* end) {
  return std::count_if(begin, end,
                       [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

TextReader::TextReader(std::unique_ptr<ByteSource> bytes, std::string path)
    : bytes_(std::move(bytes)), path_(std::move(path)), buffer_(k_first_buffer) {
  cr_lines_ = has_cr_lines(bytes_->peek(k_looked_at));
  while (end_ < 4 && fill()) {
  }
  if (std::string_view(buffer_.data(), end_).starts_with("\xEF\xBB\xBF")) next_ = 3;
  if (next_ == end_ && !fill()) {
    throw Error(Code::io, "expected data, found an empty file", "Check how the file was made",
                {path_});
  }
}

bool has_cr_lines(std::string_view start) {
  const auto lone = start.find('\r');
  return lone != std::string_view::npos && lone + 1 < start.size() &&
         start.find_first_of(std::string_view("\n\0", 2)) == std::string_view::npos;
}

const char* TextReader::find_end(std::size_t from) const {
  const char* const begin = buffer_.data() + from;
  const char* const end = buffer_.data() + end_;
  if (!cr_lines_) return static_cast<const char*>(std::memchr(begin, '\n', at(end - begin)));
  const char* const found = std::find_if(begin, end, [](char c) { return c == '\n' || c == '\r'; });
  return found == end ? nullptr : found;
}

bool TextReader::next() {
  if (after_cr_) {
    if (next_ == end_) fill();
    if (next_ < end_ && buffer_[next_] == '\n') ++next_;
    after_cr_ = false;
  }
  std::size_t searched = next_;
  for (;;) {
    const char* begin = buffer_.data() + next_;
    const char* const newline = find_end(searched);
    if (newline == nullptr && !at_end_) {
      const std::size_t held = end_ - next_;
      if (fill()) {
        searched = next_ + held;
        continue;
      }
    }
    begin = buffer_.data() + next_;
    if (newline == nullptr && next_ == end_) return false;
    newline_ = newline != nullptr;
    const char* end = newline_ ? newline : buffer_.data() + end_;
    next_ = at(end - buffer_.data()) + (newline_ ? 1 : 0);
    after_cr_ = newline_ && *newline == '\r';
    const bool crlf = !after_cr_ && end > begin && end[-1] == '\r';
    ending_ = after_cr_ ? "\r" : crlf ? "\r\n" : "\n";
    line_ = {begin, at(end - begin) - (crlf ? 1 : 0)};
    ++number_;
    counted_to_ = nullptr;
    return true;
  }
}

bool TextReader::fill() {
  if (at_end_) return false;
  if (end_ == buffer_.size() && end_ < k_buffer) buffer_.resize(k_buffer);  // not a small file
  if (next_ > 0 && end_ == buffer_.size()) {
    std::memmove(buffer_.data(), buffer_.data() + next_, end_ - next_);
    end_ -= next_;
    next_ = 0;
  }
  if (end_ == buffer_.size()) {
    if (buffer_.size() >= k_longest_line) {
      throw Error(Code::format, "expected lines of at most 128 MB, found a longer one",
                  "Check that the file is text of the expected format", {path_, number_ + 1, 1});
    }
    buffer_.resize(2 * buffer_.size());
  }
  std::size_t got = 0;
  try {
    got = bytes_->read(buffer_.data() + end_, buffer_.size() - end_);
  } catch (const Error& error) {
    throw error.with_place(place_in_buffer(end_));
  }
  if (got == 0) {
    at_end_ = true;
    return false;
  }
  end_ += got;
  refuse_binary(end_ - got);
  return true;
}

void TextReader::refuse_binary(std::size_t from) const {
  const std::string_view start(buffer_.data(), end_);
  const bool first = number_ == 0 && next_ == 0;
  if (first && (start.starts_with("\xFF\xFE") || start.starts_with("\xFE\xFF"))) {
    throw Error(Code::format, "expected text in UTF-8, found UTF-16",
                "Convert it first: iconv -f UTF-16 -t UTF-8 OLD > NEW", {path_, 1, 1});
  }
  const void* nul = std::memchr(buffer_.data() + from, '\0', end_ - from);
  if (nul == nullptr) return;
  const auto place = at(static_cast<const char*>(nul) - buffer_.data());
  throw Error(Code::format, "expected text, found a NUL byte",
              "Name a text file or a .npz file: this one is binary or damaged",
              place_in_buffer(place));
}

Place TextReader::place_in_buffer(std::size_t at) const {
  const char* begin = buffer_.data() + next_;
  const char* end = buffer_.data() + at;
  std::int64_t lines = 0;
  const char* line = begin;
  for (const char* p = begin; p < end; ++p) {
    const bool ends = *p == '\n' || (cr_lines_ && *p == '\r');
    if (!ends) continue;
    const bool second = *p == '\n' && (p > begin ? p[-1] == '\r' : after_cr_);
    if (!(cr_lines_ && second)) ++lines;  // else the second half of CRLF
    line = p + 1;
  }
  return {path_, number_ + 1 + lines, characters(line, end) + 1};
}

std::int64_t TextReader::column(const char* at) const {
  if (counted_to_ == nullptr || at < counted_to_) {
    counted_to_ = line_.data();
    counted_ = 0;
  }
  counted_ += characters(counted_to_, at);
  counted_to_ = at;
  return counted_ + 1;
}

}  // namespace mulberry::data

#include "mulberry/data/changes/answer_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/text.hpp"

namespace mulberry::data {

std::size_t whole_records(std::string_view text) {
  std::size_t end = 0;
  bool quoted = false;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] == '"') quoted = !quoted;
    if (text[k] == '\n' && !quoted) end = k + 1;
  }
  return end;
}

// A last line without its end may be whole: people's editors leave it so, and all that matters of
// an answer stands before its last field.
static bool can_be_read(const std::string& text) {
  try {
    read_changes(open_bytes(text, "answers"), "answers");
    return true;
  } catch (const Error&) {
    return false;
  }
}

AnswerFile::AnswerFile(const std::string& path, RowKey key) : path_(path) {
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail("cannot write to");
  try {
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      throw Error(Code::io, "another program is adding answers to this file",
                  "Use the page of that program, or name another file", {path});
    }
    load(key);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

AnswerFile::~AnswerFile() {
  if (made_ && entries_.empty()) ::unlink(path_.c_str());
  ::close(descriptor_);
}

void AnswerFile::load(RowKey key) {
  struct stat about = {};
  if (::fstat(descriptor_, &about) != 0 || !S_ISREG(about.st_mode)) {
    throw Error(Code::io, "expected a file for the answers, found something else",
                "Name a file that can grow", {path_});
  }
  std::string text;
  std::array<char, 1 << 16> block;
  for (ssize_t got = 0; (got = ::read(descriptor_, block.data(), block.size())) != 0;) {
    if (got < 0) fail("cannot read");
    text.append(block.data(), at(got));
  }
  const std::size_t whole = whole_records(text);
  if (whole < text.size() && !can_be_read(text)) {
    repaired_ = true;
    text.resize(whole);
  }
  if (text.empty()) {
    made_ = about.st_size == 0;
    if (::ftruncate(descriptor_, 0) != 0) fail("cannot shorten");
    write_at_end(change_header(key));
    // The name of a new file is on disk only when its folder is.
    const std::string folder = std::filesystem::path(path_).parent_path();
    const int parent = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_CLOEXEC);
    if (parent >= 0) {
      ::fsync(parent);
      ::close(parent);
    }
    ends_ = {count_of(change_header(key))};
    return;
  }
  Changes changes = read_changes(open_bytes(text, path_), path_);
  if (changes.key != key) {
    const bool ids = changes.key == RowKey::id;
    throw Error(Code::data,
                std::string("the file knows rows by their ") + (ids ? "ids" : "numbers") +
                    ", and this review by their " + (ids ? "numbers" : "ids"),
                "Give the same options as before, or name another file", {path_});
  }
  // Written again in our own form, so that the end of every entry is known.
  std::string canonical = change_header(key);
  ends_ = {count_of(canonical)};
  for (const Change& entry : changes.entries) {
    canonical += change_line(entry);
    ends_.push_back(count_of(canonical));
  }
  entries_ = std::move(changes.entries);
  if (canonical == text) {
    if (!repaired_) return;
    if (::ftruncate(descriptor_, ends_.back()) != 0) fail("cannot shorten");
    return to_disk();
  }
  write_changes({.key = key, .entries = entries_}, path_);
  const int again = ::open(path_.c_str(), O_RDWR | O_CLOEXEC);
  if (again < 0 || ::flock(again, LOCK_EX | LOCK_NB) != 0) fail("cannot open");
  ::close(descriptor_);
  descriptor_ = again;
}

void AnswerFile::add(const Change& entry) {
  const std::string line = change_line(entry);
  write_at_end(line);
  ends_.push_back(ends_.back() + count_of(line));
  entries_.push_back(entry);
}

void AnswerFile::remove_last() {
  MULBERRY_ASSERT(!entries_.empty());
  if (::ftruncate(descriptor_, ends_[ends_.size() - 2]) != 0) fail("cannot shorten");
  to_disk();
  ends_.pop_back();
  entries_.pop_back();
}

void AnswerFile::write_at_end(const std::string& text) {
  const std::int64_t begin = ends_.empty() ? 0 : ends_.back();
  for (std::size_t done = 0; done < text.size();) {
    const auto more = ::pwrite(descriptor_, text.data() + done, text.size() - done,
                               begin + static_cast<std::int64_t>(done));
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) {
      const int reason = errno;
      if (::ftruncate(descriptor_, begin) != 0) errno = reason;  // no half of a line stays
      errno = reason;
      fail("cannot write to");
    }
    done += at(more);
  }
  to_disk();
}

void AnswerFile::to_disk() const {
  if (::fdatasync(descriptor_) != 0) fail("cannot write to");
}

void AnswerFile::fail(const std::string& action) const {
  throw Error(Code::io, action + " " + in_quotes(path_) + ": " + std::strerror(errno),
              "Check the disk and your rights, or name another file for the answers");
}

}  // namespace mulberry::data

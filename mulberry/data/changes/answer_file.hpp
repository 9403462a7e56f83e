// AnswerFile: a change file that grows by one line per answer while a person works. An answer is on
// disk when add() returns: a killed process or a power cut loses nothing but what was being
// written, and a line that was cut in the middle is removed when the file is opened again. At any
// time the file is a valid change file.
//
// One program at a time: a second one that opens the file gets an Error.
#pragma once

#include <string>
#include <vector>

#include "mulberry/data/changes/change_file.hpp"

namespace mulberry::data {

class AnswerFile {
 public:
  // Makes the file if there is none or it is empty, and removes it again if it was new and no
  // answer came. Throws Error (io, format) if it cannot be written, is in use, is no change file,
  // or knows rows in another way than `key`.
  AnswerFile(const std::string& path, RowKey key);
  ~AnswerFile();
  AnswerFile(const AnswerFile&) = delete;
  AnswerFile& operator=(const AnswerFile&) = delete;

  const std::vector<Change>& entries() const { return entries_; }
  const std::string& path() const { return path_; }
  bool repaired() const { return repaired_; }  // the last line was cut, and has been removed

  void add(const Change& entry);
  void remove_last();  // undo; there must be an entry

 private:
  void load(RowKey key);
  void write_at_end(const std::string& text);
  void to_disk() const;
  [[noreturn]] void fail(const std::string& action) const;

  std::string path_;
  int descriptor_ = -1;
  bool made_ = false, repaired_ = false;
  std::vector<Change> entries_;
  std::vector<std::int64_t> ends_;  // of the header and of each entry, in bytes
};

// How many bytes of a table are complete records: a cut tail is what follows the last end of a line
// that is not within quotes.
std::size_t whole_records(std::string_view text);

}  // namespace mulberry::data

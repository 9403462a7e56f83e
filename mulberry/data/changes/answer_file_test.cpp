#include "mulberry/data/changes/answer_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "mulberry/core/error.hpp"
#include "tests/support/temporary_folder.hpp"

namespace mulberry::data {
using namespace tests;
namespace {

constexpr const char* k_header = "row,label,from,to,chance\n";

Change entry(const std::string& row, const std::string& label) {
  return {.row = row, .label = label, .to = Cell::positive, .chance = 0.25};
}

TEST(AnswerFile, GrowsAndShrinksByOneAnswer) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.csv");
  {
    AnswerFile file(path, RowKey::number);
    EXPECT_EQ(folder.content("a.csv"), k_header);
    file.add(entry("1", "sea"));
    file.add(entry("2", "a \"b\",\nc"));
    EXPECT_EQ(folder.content("a.csv"),
              std::string(k_header) + "1,sea,0,1,0.25\n2,\"a \"\"b\"\",\nc\",0,1,0.25\n");
    file.remove_last();
    EXPECT_EQ(folder.content("a.csv"), std::string(k_header) + "1,sea,0,1,0.25\n");
    file.add(entry("3", "sky"));
  }
  AnswerFile again(path, RowKey::number);
  EXPECT_FALSE(again.repaired());
  ASSERT_EQ(again.entries().size(), 2u);
  again.remove_last();
  again.remove_last();
  EXPECT_EQ(folder.content("a.csv"), k_header);
  {
    const AnswerFile none(folder.file("b.csv"), RowKey::number);
  }
  EXPECT_EQ(folder.files(), 1);  // no answer, no file
}

// The file as it is after any number of bytes has been written.
TEST(AnswerFile, ACutLineIsRemoved) {
  const TemporaryFolder folder;
  const std::string first = std::string(k_header) + "1,sea,0,1,0.25\n";
  const std::string whole = first + "2,\"a \"\"b\"\",\nc\",0,1,0.25\n";
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    SCOPED_TRACE(size);
    const std::string path = folder.put("a.csv", whole.substr(0, size));
    AnswerFile file(path, RowKey::number);
    // The last field, a chance of four digits, may be cut: the answer stands before it.
    constexpr std::size_t k_chance = 5;
    const std::size_t header = std::string(k_header).size();
    const bool one = size + k_chance >= first.size(), two = size + k_chance >= whole.size();
    EXPECT_EQ(file.entries().size(), two ? 2u : one ? 1u : 0u);
    const bool complete =
        size == 0 || size + 1 == header || size == header || (one && size <= first.size()) || two;
    EXPECT_EQ(file.repaired(), !complete);
    file.add(entry("9", "x"));
    EXPECT_TRUE(folder.content("a.csv").ends_with("9,x,0,1,0.25\n"));
    EXPECT_EQ(read_changes(path).entries.size(), file.entries().size());
  }
}

TEST(AnswerFile, AFileThatPeopleEditedIsTaken) {
  const TemporaryFolder folder;
  const std::string path = folder.put("a.csv", "row;label;from;to;chance\r\n7;sea;0;1;0,5\r\n");
  EXPECT_THROW(AnswerFile(path, RowKey::number), Error);  // 0,5 is no number
  folder.put("a.csv", "row;label;from;to;chance\r\n7;sea;0;1;\r\n");
  AnswerFile file(path, RowKey::number);
  file.add(entry("8", "sky"));
  file.remove_last();
  EXPECT_EQ(folder.content("a.csv"), std::string(k_header) + "7,sea,0,1,\n");
  EXPECT_THROW(AnswerFile(path, RowKey::number), Error);  // still locked
}

TEST(AnswerFile, RefusesWhatItCannotUse) {
  const TemporaryFolder folder;
  const std::string path = folder.put("a.csv", "id,label,from,to,chance\nk,sea,0,1,\n");
  EXPECT_THROW(AnswerFile(path, RowKey::number), Error);
  EXPECT_THROW(AnswerFile(folder.put("b.csv", "x,y\n1,2\n"), RowKey::number), Error);
  EXPECT_EQ(folder.content("b.csv"), "x,y\n1,2\n");  // untouched
  EXPECT_THROW(AnswerFile(folder.file("no/such/folder"), RowKey::number), Error);
  EXPECT_THROW(AnswerFile(folder.path(), RowKey::number), Error);
  const AnswerFile first(path, RowKey::id);
  EXPECT_THROW(AnswerFile(path, RowKey::id), Error);  // in use
}

// A process that is killed at any moment leaves all answers that it was told are safe.
TEST(AnswerFile, AKilledProcessLosesNothing) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.csv");
  int safe[2];
  ASSERT_EQ(::pipe(safe), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    AnswerFile file(path, RowKey::number);
    for (int k = 1;; ++k) {
      file.add(entry(std::to_string(k), "label, with \"quotes\""));
      if (::write(safe[1], &k, sizeof k) != sizeof k) ::_exit(1);
    }
  }
  ::close(safe[1]);
  int last = 0, k = 0;
  while (last < 200 && ::read(safe[0], &k, sizeof k) == sizeof k) last = k;
  ::kill(child, SIGKILL);
  while (::read(safe[0], &k, sizeof k) == sizeof k) last = k;
  ::close(safe[0]);
  ::waitpid(child, nullptr, 0);
  const AnswerFile file(path, RowKey::number);
  ASSERT_GE(file.entries().size(), static_cast<std::size_t>(last));
  EXPECT_EQ(file.entries().back().row, std::to_string(file.entries().size()));
}

}  // namespace
}  // namespace mulberry::data

#include "mulberry/core/atomic_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "mulberry/core/error.hpp"
#include "tests/support/temporary_folder.hpp"

namespace mulberry::core {
using namespace tests;
namespace {

namespace fs = std::filesystem;

TEST(AtomicFile, AppearsOnlyWhenCommitted) {
  const TemporaryFolder folder;
  AtomicFile file(folder.file("a"));
  file.write("one ");
  EXPECT_FALSE(fs::exists(folder.file("a")));
  file.write("two");
  file.commit();
  EXPECT_EQ(folder.content("a"), "one two");
  EXPECT_EQ(folder.files(), 1);
}

TEST(AtomicFile, LeavesNothingBehindWithoutCommit) {
  const TemporaryFolder folder;
  folder.put("a", "old");
  {
    AtomicFile file(folder.file("a"));
    file.write(std::string(1 << 20, 'x'));
  }
  EXPECT_EQ(folder.content("a"), "old");
  EXPECT_EQ(folder.files(), 1);
}

TEST(AtomicFile, HasNoNameBeforeItIsCommitted) {
  const TemporaryFolder folder;
  const int probe = ::open(folder.path().c_str(), O_WRONLY | O_TMPFILE, 0600);
  if (probe < 0) GTEST_SKIP() << "the file system has no files without a name";
  ::close(probe);
  AtomicFile file(folder.file("a"));
  file.write(std::string(1 << 20, 'x'));
  EXPECT_EQ(folder.files(), 0);
  file.commit();
  EXPECT_EQ(folder.files(), 1);
  EXPECT_EQ(folder.content("a").size(), 1u << 20);
}

TEST(AtomicFile, WritesLargeAndSmallPiecesInOrder) {
  const TemporaryFolder folder;
  AtomicFile file(folder.file("a"));
  std::string expected;
  for (const std::size_t size : {1u, 300'000u, 5u, 262'144u, 262'143u, 2u}) {
    const std::string piece(size, static_cast<char>('a' + size % 26));
    file.write(piece);
    expected += piece;
  }
  file.commit();
  EXPECT_EQ(folder.content("a"), expected);
}

TEST(AtomicFile, KeepsTheModeOfTheFileItReplaces) {
  const TemporaryFolder folder;
  folder.put("a", "old");
  fs::permissions(folder.file("a"), fs::perms(0640));
  AtomicFile file(folder.file("a"));
  file.write("new");
  file.commit();
  EXPECT_EQ(folder.content("a"), "new");
  EXPECT_EQ(fs::status(folder.file("a")).permissions(), fs::perms(0640));
}

TEST(AtomicFile, FollowsSymbolicLinks) {
  const TemporaryFolder folder;
  folder.put("real", "old");
  fs::create_symlink("real", folder.file("link"));
  AtomicFile file(folder.file("link"));
  file.write("new");
  file.commit();
  EXPECT_TRUE(fs::is_symlink(folder.file("link")));
  EXPECT_EQ(folder.content("real"), "new");
}

TEST(AtomicFile, MakesTheFileBehindALinkThatLeadsNowhere) {
  const TemporaryFolder folder;
  fs::create_directory(folder.file("inner"));
  fs::create_symlink("inner/first", folder.file("link"));
  fs::create_symlink("second", folder.file("inner/first"));
  EXPECT_EQ(file_behind(folder.file("link")), folder.file("inner/second"));
  AtomicFile file(folder.file("link"));
  file.write("new");
  file.commit();
  EXPECT_TRUE(fs::is_symlink(folder.file("link")));
  EXPECT_TRUE(fs::is_symlink(folder.file("inner/first")));
  EXPECT_EQ(folder.content("inner/second"), "new");
  fs::create_symlink("none/file", folder.file("lost"));
  EXPECT_THROW(AtomicFile(folder.file("lost")), Error);
  fs::create_symlink("round", folder.file("round"));
  EXPECT_THROW(AtomicFile(folder.file("round")), Error);
}

TEST(AtomicFile, TakesTheLongestNames) {
  const TemporaryFolder folder;
  for (const std::size_t size : {252u, 253u, 254u, 255u}) {
    const std::string name(size, 'a');
    require_short_name(folder.file(name));
    AtomicFile file(folder.file(name));
    file.write("x");
    file.commit();
    EXPECT_EQ(folder.content(name), "x");
  }
  EXPECT_THROW(require_short_name(folder.file(std::string(256, 'a'))), Error);
}

TEST(AtomicGroup, AppearsAsAWhole) {
  const TemporaryFolder folder;
  folder.put("0", "old");
  const auto written = [&](int k) {
    AtomicFile file(folder.file(std::to_string(k)));
    file.write("new " + std::to_string(k));
    return file;
  };
  {
    AtomicGroup group;
    for (int k = 0; k < 300; ++k) group.add(written(k));
    EXPECT_EQ(folder.content("0"), "old");
  }
  EXPECT_EQ(folder.files(), 1);
  AtomicGroup group;
  for (int k = 0; k < 300; ++k) group.add(written(k));
  group.commit();
  EXPECT_EQ(folder.files(), 300);
  EXPECT_EQ(folder.content("0"), "new 0");
  EXPECT_EQ(folder.content("299"), "new 299");
}

TEST(AtomicGroup, SaysWhatIsThereIfItFailsInTheMiddle) {
  const TemporaryFolder folder;
  AtomicGroup group;
  for (const char* name : {"a", "b", "c"}) group.add(AtomicFile(folder.file(name)));
  fs::create_directory(folder.file("c"));
  try {
    group.commit();
    ADD_FAILURE() << "expected an error";
  } catch (const Error& error) {
    EXPECT_NE(error.problem().find("the 2 files before it"), std::string::npos) << error.what();
  }
  EXPECT_TRUE(fs::exists(folder.file("b")));
}

// In a child process: nothing appears after the call.
TEST(AtomicFile, UnfinishedFilesCanBeDiscarded) {
  const TemporaryFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    AtomicGroup group;
    for (int k = 0; k < 250; ++k) group.add(AtomicFile(folder.file(std::to_string(k))));
    discard_unfinished_files();
    ::_exit(0);
  }
  int status = 1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(folder.files(), 0);
}

TEST(AtomicFile, WritesToDevicesDirectly) {
  AtomicFile file("/dev/null");
  file.write("gone");
  file.commit();
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(AtomicFile, SaysWhatIsWrongWithThePath) {
  const TemporaryFolder folder;
  for (const std::string& path : {std::string(), folder.path(), folder.file("no/such/folder")}) {
    try {
      AtomicFile file(path);
      ADD_FAILURE() << "no error for '" << path << "'";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::io);
      EXPECT_FALSE(error.remedy().empty());
    }
  }
  EXPECT_EQ(folder.files(), 0);
}

}  // namespace
}  // namespace mulberry::core

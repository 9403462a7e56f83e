#include "mulberry/core/atomic_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
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

#include "mulberry/core/atomic_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "mulberry/core/error.hpp"

namespace mulberry {
namespace {

namespace fs = std::filesystem;

class AtomicFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "mulberry-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string in_folder(const std::string& name) const { return (folder_ / name).string(); }
  std::string content(const std::string& name) const {
    std::ifstream in(in_folder(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void put(const std::string& name, const std::string& text) const {
    std::ofstream(in_folder(name), std::ios::binary) << text;
  }
  std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

  fs::path folder_;
};

TEST_F(AtomicFileTest, AppearsOnlyWhenCommitted) {
  AtomicFile file(in_folder("a"));
  file.write("one ");
  EXPECT_FALSE(fs::exists(in_folder("a")));
  file.write("two");
  file.commit();
  EXPECT_EQ(content("a"), "one two");
  EXPECT_EQ(files(), 1);
}

TEST_F(AtomicFileTest, LeavesNothingBehindWithoutCommit) {
  put("a", "old");
  {
    AtomicFile file(in_folder("a"));
    file.write(std::string(1 << 20, 'x'));
  }
  EXPECT_EQ(content("a"), "old");
  EXPECT_EQ(files(), 1);
}

TEST_F(AtomicFileTest, WritesLargeAndSmallPiecesInOrder) {
  AtomicFile file(in_folder("a"));
  std::string expected;
  for (const std::size_t size : {1u, 300'000u, 5u, 262'144u, 262'143u, 2u}) {
    const std::string piece(size, static_cast<char>('a' + size % 26));
    file.write(piece);
    expected += piece;
  }
  file.commit();
  EXPECT_EQ(content("a"), expected);
}

TEST_F(AtomicFileTest, KeepsTheModeOfTheFileItReplaces) {
  put("a", "old");
  fs::permissions(in_folder("a"), fs::perms(0640));
  AtomicFile file(in_folder("a"));
  file.write("new");
  file.commit();
  EXPECT_EQ(content("a"), "new");
  EXPECT_EQ(fs::status(in_folder("a")).permissions(), fs::perms(0640));
}

TEST_F(AtomicFileTest, FollowsSymbolicLinks) {
  put("real", "old");
  fs::create_symlink("real", in_folder("link"));
  AtomicFile file(in_folder("link"));
  file.write("new");
  file.commit();
  EXPECT_TRUE(fs::is_symlink(in_folder("link")));
  EXPECT_EQ(content("real"), "new");
}

TEST_F(AtomicFileTest, WritesToDevicesDirectly) {
  AtomicFile file("/dev/null");
  file.write("gone");
  file.commit();
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(AtomicFileTest, SaysWhatIsWrongWithThePath) {
  for (const std::string& path : {std::string(), folder_.string(), in_folder("no/such/folder")}) {
    try {
      AtomicFile file(path);
      ADD_FAILURE() << "no error for '" << path << "'";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::io);
      EXPECT_FALSE(error.remedy().empty());
    }
  }
  EXPECT_EQ(files(), 0);
}

}  // namespace
}  // namespace mulberry

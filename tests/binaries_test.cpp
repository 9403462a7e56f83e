// What is in the files that we link: where they look for libraries, and the defences that
// cmake/harden.cmake asks for. `readelf` reads them; python/tests/test_binaries.py does the same
// for the extension module and the wheel.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

#include "tests/support/places.hpp"
#include "tests/support/shell.hpp"
#include "tests/support/temporary_folder.hpp"

namespace mulberry::tests {
namespace {

std::string readelf(const std::string& options, const std::string& file) {
  const Said said = shell("LC_ALL=C readelf " + options + " '" + file + "' 2>&1");
  EXPECT_EQ(said.code, 0) << said.text;
  return said.text;
}

// The folders of DT_RPATH and DT_RUNPATH.
std::vector<std::string> searched_folders(const std::string& file) {
  std::vector<std::string> out;
  const std::string text = readelf("-dW", file);
  const std::regex line(R"(\((?:RPATH|RUNPATH)\)[^\[]*\[([^\]]*)\])");
  for (std::sregex_iterator found(text.begin(), text.end(), line), end; found != end; ++found) {
    const std::string list = (*found)[1].str() + ":";  // the last entry ends like the others
    std::istringstream in(list);
    for (std::string folder; std::getline(in, folder, ':');) out.push_back(folder);
  }
  return out;
}

class Binary : public testing::TestWithParam<const char*> {
 protected:
  std::string file() const {
    const std::string command = places::command();
    return command.substr(0, command.rfind('/') + 1) + GetParam();
  }
};

// An empty entry is the current folder, and so is a relative one: whoever writes there runs code.
TEST_P(Binary, SearchesNoFolderOfTheCaller) {
  for (const std::string& folder : searched_folders(file())) {
    EXPECT_TRUE(folder.starts_with('/') || folder.starts_with("$ORIGIN"))
        << file() << " looks for libraries in '" << folder << "'";
  }
}

TEST_P(Binary, IsLinkedReadOnlyAndAnywhere) {
  const std::string dynamic = readelf("-dW", file()), segments = readelf("-lW", file());
  EXPECT_TRUE(std::regex_search(dynamic, std::regex(R"(BIND_NOW|Flags:.*\bNOW\b)"))) << dynamic;
  EXPECT_NE(segments.find("GNU_RELRO"), std::string::npos);
  EXPECT_TRUE(std::regex_search(segments, std::regex(R"(GNU_STACK.* RW +0x)"))) << segments;
  EXPECT_NE(segments.find("Elf file type is DYN"), std::string::npos);  // loaded anywhere
  EXPECT_EQ(dynamic.find("TEXTREL"), std::string::npos);
}

// Where it was compiled is nobody's business, and two clones make the same bytes.
TEST_P(Binary, SaysNothingOfTheFolderThatItWasCompiledIn) {
  if (!places::hardened()) return;  // a sanitizer's own tables have paths
  std::ifstream in(file(), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  ASSERT_FALSE(bytes.empty());
  const auto found = bytes.find(places::source() + "/mulberry/");
  EXPECT_EQ(found, std::string::npos)
      << (found == std::string::npos ? "" : bytes.substr(found, 200).c_str());
}

TEST_P(Binary, IsHardened) {
  if (!places::hardened()) return;
  const std::string symbols = readelf("--dyn-syms -W", file());
  EXPECT_NE(symbols.find("__stack_chk_fail"), std::string::npos);
  EXPECT_TRUE(std::regex_search(symbols, std::regex(R"(__\w+_chk\b)")));  // _FORTIFY_SOURCE
  EXPECT_NE(symbols.find("__glibcxx_assert_fail"), std::string::npos);    // checked containers
}

INSTANTIATE_TEST_SUITE_P(Linked, Binary, testing::Values("mulberry", "libmulberry.so"),
                         [](const auto& test) { return test.index == 0 ? "Command" : "Library"; });

// Landing pads and shadow stacks are a property of every object; one without would take them from
// the whole program.
TEST(Binaries, EveryObjectHasLandingPads) {
  if (!places::hardened()) return;
#if defined(__x86_64__)
  const std::string text = readelf("-nW", places::library());
  std::istringstream in(text);
  std::string object;
  int objects = 0, marked = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("File: ")) ++objects;
    if (line.find("x86 feature: IBT, SHSTK") != std::string::npos) ++marked;
  }
  EXPECT_GT(objects, 100);
  EXPECT_EQ(marked, objects);
#else
  GTEST_SKIP() << "for x86-64";
#endif
}

// As an attacker would try it: a library of the right name where the user happens to be.
TEST(Binaries, LoadNothingFromTheCurrentFolder) {
  const TemporaryFolder folder;
  for (const char* name : {"libz.so.1", "libzstd.so.1", "libfmt.so.9", "libopenblas.so.0"}) {
    folder.put(name, "no library");
  }
  const Said said = shell("cd " + folder.path() + " && '" + places::command() + "' --version 2>&1");
  EXPECT_EQ(said.code, 0) << said.text;
}

}  // namespace
}  // namespace mulberry::tests

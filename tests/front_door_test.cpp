// The front door as users meet it: the examples print what they should, docs/cpp.md shows them as
// they are, the shared library shows nothing but the public names, and the version is one.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <regex>
#include <set>
#include <sstream>

#include "tests/support/places.hpp"
#include "tests/support/temporary_folder.hpp"

namespace mulberry::tests {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  EXPECT_TRUE(in) << file;
  return {std::istreambuf_iterator<char>(in), {}};
}

fs::path build() { return fs::path(places::library()).parent_path(); }

// What a command prints on both channels; a failure adds a line.
std::string output_of(const std::string& command) {
  FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return "popen failed";
  std::string out;
  std::array<char, 4096> block;
  while (const std::size_t got = std::fread(block.data(), 1, block.size(), pipe)) {
    out.append(block.data(), got);
  }
  const int status = pclose(pipe);
  return status == 0 ? out : out + "status " + std::to_string(status) + "\n";
}

std::vector<fs::path> examples() {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(places::source() + "/examples/cpp")) {
    if (entry.path().extension() != ".txt") out.push_back(entry.path());
  }
  return out;
}

fs::path expected_of(fs::path example) { return example.replace_extension(".txt"); }

TEST(Examples, PrintWhatTheyShould) {
  const TemporaryFolder folder;
  const auto run = [&](const std::string& name, const std::string& argument) {
    return output_of((build() / ("example_" + name)).string() + " " + argument);
  };
  // predict.c wants the model that from_file.cpp writes.
  EXPECT_EQ(run("from_file", folder.path()),
            text_of(places::source() + "/examples/cpp/from_file.txt"));
  ASSERT_GE(examples().size(), 5u);
  for (const fs::path& file : examples()) {
    const bool predicts = file.stem() == "predict";
    EXPECT_EQ(run(file.stem(), predicts ? folder.file("photos.mb") : folder.path()),
              text_of(expected_of(file)))
        << file;
  }
}

TEST(Examples, StandInTheDocsAsTheyAre) {
  const std::string page = text_of(places::source() + "/docs/cpp.md");
  for (const fs::path& file : examples()) {
    const std::string language = file.extension() == ".c" ? "c" : "cpp";
    EXPECT_NE(page.find("```" + language + "\n" + text_of(file) + "```\n"), std::string::npos)
        << "docs/cpp.md does not show " << file << " as it is";
    EXPECT_NE(page.find("```text\n" + text_of(expected_of(file)) + "```\n"), std::string::npos)
        << "docs/cpp.md does not show what " << file << " prints";
  }
}

// `nm` lists what a dynamic linker sees. Names are of the C interface, or of the namespace mulberry
// itself: the rooms are namespaces in it, and stay hidden.
TEST(SharedLibrary, ShowsTheFrontDoorOnly) {
  const std::string names =
      output_of("nm -D --defined-only " + (build() / "libmulberry.so").string());
  const std::regex room(
      R"(N?8mulberry\d+(core|data|math|measures|resample|compare|model|base|learners|)"
      R"(evaluate|report|study|http|api)(E|\d))");
  const std::regex front(R"(^(mulberry_\w+|_ZNK?8mulberry\w+|_ZT[ISV]N8mulberry\w+)@@MULBERRY_0$)");
  std::istringstream in(names);
  std::set<std::string> seen;
  for (std::string address, kind, name; in >> address >> kind >> name;) {
    if (kind == "A" && name == "MULBERRY_0") continue;
    seen.insert(name.substr(0, name.find('@')));
    EXPECT_TRUE(std::regex_match(name, front)) << name;
    EXPECT_FALSE(std::regex_search(name, room)) << name;
  }
  EXPECT_GT(seen.size(), 80u);
  for (const char* const known :
       {"mulberry_predict_csr", "_ZTIN8mulberry5ErrorE", "_ZN8mulberry7version"}) {
    const auto found = seen.lower_bound(known);
    EXPECT_TRUE(found != seen.end() && found->rfind(known, 0) == 0) << known;
  }
}

TEST(SharedLibrary, IsFoundByItsMinorVersion) {
  const std::string header = output_of("readelf -d " + (build() / "libmulberry.so").string());
  EXPECT_NE(header.find("soname: [libmulberry.so.0.2]"), std::string::npos) << header;
}

TEST(Version, IsOneEverywhere) {
  std::smatch found;
  const std::string project = text_of(places::source() + "/CMakeLists.txt");
  ASSERT_TRUE(
      std::regex_search(project, found, std::regex(R"(project\(mulberry VERSION ([\d.]+))")));
  const std::string version = found[1];
  EXPECT_NE(text_of(places::source() + "/CITATION.cff").find("version: " + version + "\n"),
            std::string::npos);
  const std::string changes = text_of(places::source() + "/CHANGELOG.md");
  ASSERT_TRUE(std::regex_search(changes, found, std::regex(R"(\n## ([\d.]+))")));
  EXPECT_EQ(found[1], version);
  EXPECT_EQ(output_of(places::command() + " --version"), "mulberry " + version + "\n");
  const std::string minor = version.substr(0, version.rfind('.'));
  EXPECT_NE(text_of(places::source() + "/docs/cpp.md").find("find_package(mulberry " + minor + " "),
            std::string::npos);
}

}  // namespace
}  // namespace mulberry::tests

// The rooms of the house (docs/architecture.md) stay apart: includes and symbols point one way, the
// namespace of a file is its room, no name is defined in two headers, and files stay short.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/places.hpp"

namespace mulberry::tests {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> k_order = {"core",    "data",   "math", "measures", "resample",
                                          "compare", "model",  "base", "learners", "evaluate",
                                          "study",   "report", "api",  "http"};

long rank_of(const std::string& room) {
  return std::find(k_order.begin(), k_order.end(), room) - k_order.begin();
}

std::vector<fs::path> sources() {
  std::vector<fs::path> out;
  for (const auto& entry : fs::recursive_directory_iterator(places::source() + "/mulberry")) {
    const auto extension = entry.path().extension();
    if (extension == ".cpp" || extension == ".hpp") out.push_back(entry.path());
  }
  return out;
}

// The first folder below mulberry/.
std::string room_of(const fs::path& file) {
  return *file.lexically_relative(places::source() + "/mulberry").begin();
}

std::vector<std::string> lines_of(const fs::path& file) {
  std::ifstream in(file);
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

bool is_test(const fs::path& file) { return file.stem().string().ends_with("_test"); }

TEST(Layout, IncludesPointOneWay) {
  const auto files = sources();
  ASSERT_GT(files.size(), 50u);
  for (const auto& file : files) {
    const std::string room = room_of(file);
    ASSERT_LT(rank_of(room), static_cast<long>(k_order.size())) << file;
    for (const std::string& line : lines_of(file)) {
      const std::string start = "#include \"mulberry/";
      if (line.rfind(start, 0) != 0) continue;
      const std::string target =
          line.substr(start.size(), line.find('/', start.size()) - start.size());
      EXPECT_LE(rank_of(target), rank_of(room)) << file << ": " << line;
    }
  }
}

// The library does without it, and it does without the library but for the ground floor.
TEST(Layout, HttpStandsBeside) {
  for (const auto& file : sources()) {
    if (is_test(file)) continue;
    for (const std::string& line : lines_of(file)) {
      const bool serves = line.rfind("#include \"mulberry/http/", 0) == 0;
      const bool ground = line.rfind("#include \"mulberry/core/", 0) == 0;
      if (room_of(file) == "http") {
        EXPECT_TRUE(line.rfind("#include \"", 0) != 0 || serves || ground) << file << ": " << line;
      } else {
        EXPECT_FALSE(serves) << file << ": " << line;
      }
    }
  }
}

// Who uses the numerical methods of math, directly or through other files of math: a folder of base or
// learners, a file directly in them, another room, or a front end.
std::string customer(const fs::path& file) {
  std::vector<std::string> parts;
  for (const auto& part : file.lexically_relative(places::source())) parts.push_back(part.string());
  if (parts[0] != "mulberry") return parts[0];
  if (parts[1] != "base" && parts[1] != "learners") return parts[1];
  return parts[1] + "/" + fs::path(parts[2]).stem().string();
}

// A solver with one customer lives with its customer, so what is in math has several.
TEST(Layout, MathHasSeveralCustomers) {
  const std::map<std::string, std::string> exceptions = {
      {"linear/row_sums.hpp",
       "only Python trains over partitions, and python/ holds no numerical methods"},
  };
  const fs::path source = places::source(), math = source / "mulberry/math";
  std::map<std::string, std::set<std::string>> users;  // of a file of math: files of math or others
  for (const char* const top : {"mulberry", "cli", "python/src"}) {
    for (const auto& entry : fs::recursive_directory_iterator(source / top)) {
      const fs::path file = entry.path();
      if ((file.extension() != ".hpp" && file.extension() != ".cpp") || is_test(file)) continue;
      const bool inside = file.string().starts_with(math.string() + "/");
      for (const std::string& line : lines_of(file)) {
        const std::string start = "#include \"mulberry/math/";
        if (!line.starts_with(start)) continue;
        const std::string header = line.substr(start.size(), line.size() - start.size() - 1);
        if (!inside) {
          users[header].insert(customer(file));
          continue;
        }
        // Who uses a file of math uses what it includes. A source file serves the header of its
        // name or, without one, every header of its folder that it includes.
        const std::string own = fs::path(file).replace_extension(".hpp").lexically_relative(math);
        if (file.extension() == ".hpp" || fs::exists(math / own)) {
          if (own != header) users[header].insert("math/" + own);
        } else {
          const std::string self = file.lexically_relative(math);
          users[header].insert("math/" + self);
          if (fs::path(header).parent_path() == fs::path(self).parent_path()) {
            users[self].insert("math/" + header);
          }
        }
      }
    }
  }
  ASSERT_GT(users.size(), 25u);
  std::set<std::string> excused;
  for (const auto& entry : fs::recursive_directory_iterator(math)) {
    if (entry.path().extension() != ".hpp") continue;
    const std::string header = entry.path().lexically_relative(math);
    std::set<std::string> customers, seen = {header};
    std::vector<std::string> open = {header};
    while (!open.empty()) {
      const std::string at = open.back();
      open.pop_back();
      for (const std::string& user : users[at]) {
        if (!user.starts_with("math/")) {
          customers.insert(user);
        } else if (seen.insert(user.substr(5)).second) {
          open.push_back(user.substr(5));
        }
      }
    }
    if (customers.size() > 1) continue;
    EXPECT_TRUE(exceptions.contains(header))
        << "mulberry/math/" << header << " has one customer: move it to "
        << (customers.empty() ? "nobody" : *customers.begin());
    excused.insert(header);
  }
  for (const auto& [header, reason] : exceptions) {
    EXPECT_TRUE(excused.contains(header)) << header << " has several customers: no exception";
  }
}

// A file that a comment or a page names is there.
TEST(Layout, FilesThatCommentsNameExist) {
  const std::regex mention(R"((^|[^\w./<*-])((?:[a-z_0-9]+/)*[a-z_0-9]+\.[ch]pp)\b)");
  const std::set<std::string> examples = {"majority_test.cpp",
                                          "program.cpp"};  // that readers write
  std::set<std::string> files;  // every ending of every path that begins at a folder or at the name
  std::vector<fs::path> texts;
  for (const char* const top :
       {"mulberry", "include", "cli", "python/src", "tests", "bench", "examples", "docs"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(places::source()) / top)) {
      const auto extension = entry.path().extension();
      if (extension != ".hpp" && extension != ".cpp" && extension != ".md") continue;
      texts.push_back(entry.path());
      std::string path = entry.path().lexically_relative(places::source());
      files.insert(path);
      for (std::size_t at = path.find('/'); at != std::string::npos; at = path.find('/', at + 1)) {
        files.insert(path.substr(at + 1));
      }
    }
  }
  texts.push_back(places::source() + "/README.md");
  texts.push_back(places::source() + "/CONTRIBUTING.md");
  ASSERT_GT(texts.size(), 500u);
  long checked = 0;
  for (const auto& file : texts) {
    if (file.string().find("/tests/mutation/") != std::string::npos) continue;  // of a revision
    for (const std::string& line : lines_of(file)) {
      const bool code = file.extension() != ".md";
      const auto comment = line.find("//");
      if (code && comment == std::string::npos) continue;
      const std::string text = code ? line.substr(comment) : line;
      for (std::sregex_iterator at(text.begin(), text.end(), mention), end; at != end; ++at) {
        const std::string name = (*at)[2];
        if (examples.contains(name)) continue;
        ++checked;
        EXPECT_TRUE(files.contains(name)) << file << ": " << line;
      }
    }
  }
  EXPECT_GT(checked, 50);
}

TEST(Layout, NamespacesFollowFolders) {
  // The two registries are declared in model, which uses them, and defined next to their lists.
  const std::set<std::string> lists = {"base_registry.cpp", "learner_registry.cpp"};
  for (const auto& file : sources()) {
    if (file.filename() == "rooms.hpp") continue;
    const std::string room = "namespace mulberry::" + room_of(file);
    for (const std::string& line : lines_of(file)) {
      if (line.rfind("namespace mulberry", 0) != 0) continue;
      const bool list = lists.contains(file.filename()) && line == "namespace mulberry::model {";
      // What the public headers declare is in the namespace mulberry itself.
      const bool front_door = room_of(file) == "api" && line == "namespace mulberry {";
      EXPECT_TRUE(list || front_door || line.rfind(room + " {", 0) == 0 ||
                  line.rfind(room + "::", 0) == 0)
          << file << ": " << line;
    }
  }
}

// Types and enumerations by namespace and name. Two different definitions of one name break the
// program without a message from the compiler.
TEST(Layout, NoNameIsDefinedInTwoHeaders) {
  const std::regex space(R"(^namespace ([\w:]+) \{)");
  const std::regex definition(
      R"(^(?:struct|class|enum class|enum) (?:MULBERRY_API )?(\w+)\b(?!::)[^;]*$)");
  std::map<std::string, std::set<std::string>> where;
  for (const char* const top : {"mulberry", "include", "cli", "python/src", "tests", "bench"}) {
    const fs::path folder = places::source() + "/" + top;
    if (!fs::exists(folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.path().extension() != ".hpp") continue;
      std::string name = "";
      for (const std::string& line : lines_of(entry.path())) {
        std::smatch found;
        if (std::regex_search(line, found, space)) name = found[1];
        if (std::regex_search(line, found, definition)) {
          where[name + "::" + found[1].str()].insert(entry.path());
        }
      }
    }
  }
  ASSERT_GT(where.size(), 100u);
  for (const auto& [name, files] : where) {
    EXPECT_EQ(files.size(), 1u) << name << " is defined in " << *files.begin() << " and "
                                << *files.rbegin();
  }
}

TEST(Layout, NoTwoFilesHaveOneName) {
  std::map<std::string, fs::path> where;
  for (const auto& file : sources()) {
    const auto [place, added] = where.emplace(file.filename(), file);
    EXPECT_TRUE(added) << file << " and " << place->second;
  }
}

TEST(Layout, FoldersFitOnAScreen) {
  std::map<fs::path, int> count;
  for (const auto& file : sources()) ++count[file.parent_path()];
  for (const auto& [folder, files] : count) EXPECT_LE(files, 45) << folder;
}

// The output of `nm` for the library: a symbol that a room needs must be in that room or below it.
TEST(Layout, SymbolsPointOneWay) {
  std::map<std::string, std::string> room;  // of an object file
  for (const auto& file : sources()) room[file.filename().string() + ".o"] = room_of(file);
  // Of several files of a folder that were compiled as one (cmake/unity.cmake).
  const std::regex several("^mulberry_([a-z]+)_.*[0-9]\\.cpp\\.o$");
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(
      popen(("nm -A -P --defined-only " + places::library() + "; echo ===; nm -A -P -u " +
             places::library())
                .c_str(),
            "r"),
      &pclose);
  ASSERT_NE(pipe, nullptr);
  std::string text;
  std::array<char, 1 << 16> block;
  while (const std::size_t got = std::fread(block.data(), 1, block.size(), pipe.get())) {
    text.append(block.data(), got);
  }
  std::map<std::string, long> defined;  // the lowest room that has the symbol
  std::istringstream in(text);
  bool needs = false;
  long checked = 0;
  for (std::string line; std::getline(in, line);) {
    if (line == "===") {
      needs = true;
      continue;
    }
    const auto open = line.find('['), close = line.find("]: ");
    if (open == std::string::npos || close == std::string::npos) continue;
    const std::string object = line.substr(open + 1, close - open - 1);
    const std::string symbol = line.substr(close + 3, line.find(' ', close + 3) - close - 3);
    if (symbol.rfind("_ZN", 0) != 0 || symbol.find("8mulberry") == std::string::npos) continue;
    std::smatch folder;
    if (std::regex_match(object, folder, several)) room[object] = folder[1];
    ASSERT_TRUE(room.contains(object)) << object;
    const long rank = rank_of(room[object]);
    if (!needs) {
      const auto [place, added] = defined.emplace(symbol, rank);
      if (!added) place->second = std::min(place->second, rank);
      continue;
    }
    const auto found = defined.find(symbol);
    if (found == defined.end()) continue;
    ++checked;
    // The two lists; see model/learner.hpp and model/base_learner.hpp.
    static const std::regex lists(
        "8mulberry5model(12all_learners|11all_aliases|13base_learners|9find_base)");
    if (std::regex_search(symbol, lists)) continue;
    EXPECT_LE(found->second, rank) << room[object] << " (" << object << ") needs " << symbol
                                   << " of " << k_order[static_cast<std::size_t>(found->second)];
  }
  EXPECT_GT(checked, 1000);
}

// The string literals of a line of code, without their quotes; none in a comment or an include.
std::vector<std::string> literals_of(const std::string& line) {
  std::vector<std::string> out;
  if (line.starts_with("#include")) return out;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line.compare(at, 2, "//") == 0) return out;
    const char quote = line[at];
    if (quote == '\'' && at > 0 && std::isdigit(static_cast<unsigned char>(line[at - 1]))) continue;
    if (quote != '"' && quote != '\'') continue;
    std::string text;
    for (++at; at < line.size() && line[at] != quote; ++at) {
      if (line[at] == '\\') text += line[at++];
      text += line[at];
    }
    if (quote == '"') out.push_back(text);
  }
  return out;
}

// The library does not know which front end shows its messages (core/mention.hpp).
TEST(Layout, MessagesNameNoFlagsAndCommands) {
  const std::regex flag("--[a-z]|`mulberry ");
  ASSERT_EQ(literals_of(R"(f('"', "a \"b", 1'000, "--x");  // "no")"),
            (std::vector<std::string>{R"(a \"b)", "--x"}));
  for (const auto& file : sources()) {
    if (is_test(file)) continue;
    for (const std::string& line : lines_of(file)) {
      for (const std::string& text : literals_of(line)) {
        EXPECT_FALSE(std::regex_search(text, flag)) << file << ": " << line;
      }
    }
  }
}

// What sets a learner apart is in its record. Its id is written in its own folder, and where a
// learner is built on another: `Spec base = "br_svm"`.
TEST(Layout, NobodyAsksForALearnerByName) {
  const std::regex entry(R"(^(?:LEARNER|ALIAS)\((\w+))"), made(R"(Learner make_(\w+)\(\))");
  const std::regex compared("\\bid [!=]= \""), built("\\bSpec \\w+(\\(| = )\"");
  // Words that also mean something else: fields of models, values of parameters, endings of files.
  const std::set<std::string> words = {"threshold", "co_occurrence", "svm",  "msvr",
                                       "eps",       "forest",        "ridge"};
  std::set<std::string> ids;
  for (const std::string& line : lines_of(places::source() + "/mulberry/learners/list.inc")) {
    std::smatch found;
    if (std::regex_search(line, found, entry)) ids.insert(found[1]);
  }
  ASSERT_GT(ids.size(), 30u);
  // Where the learner is, and the base learner of the same name.
  std::map<std::string, std::set<fs::path>> folders;
  for (const auto& file : sources()) {
    for (const std::string& line : lines_of(file)) {
      std::smatch found;
      if (std::regex_search(line, found, made)) folders[found[1]].insert(file.parent_path());
    }
  }
  auto files = sources();
  const std::string library = places::source() + "/mulberry/";
  // Commands have examples and defaults with names of learners, but ask for none.
  for (const auto& found : fs::recursive_directory_iterator(places::source() + "/cli")) {
    if (found.path().extension() == ".cpp") files.push_back(found.path());
  }
  for (const auto& file : files) {
    if (is_test(file)) continue;
    for (const std::string& line : lines_of(file)) {
      for (const std::string& text : literals_of(line)) {
        if (!ids.contains(text)) continue;
        EXPECT_FALSE(std::regex_search(line, compared)) << file << ": " << line;
        if (words.contains(text) || !file.string().starts_with(library)) continue;
        EXPECT_TRUE(folders[text].contains(file.parent_path()) || std::regex_search(line, built))
            << file << ": " << line;
      }
    }
  }
}

TEST(Layout, HeadersAreFreeOfHeavyIncludes) {
  for (const auto& file : sources()) {
    if (file.extension() != ".hpp") continue;
    for (const std::string& line : lines_of(file)) {
      for (const char* heavy :
           {"nlohmann", "<fmt/", "pugixml", "cblas", "Eigen", "toml++", "<boost"}) {
        EXPECT_FALSE(line.rfind("#include", 0) == 0 && line.find(heavy) != std::string::npos)
            << file << ": " << line;
      }
    }
  }
}

// The public headers need the standard library and each other, nothing of the rooms.
TEST(Layout, TheFrontDoorStandsAlone) {
  const std::regex standard(R"(^#include <(\w+|stdint\.h|mulberry/\w+\.hp?p?)>$)");
  int headers = 0;
  for (const auto& entry : fs::directory_iterator(places::source() + "/include/mulberry")) {
    if (entry.path().extension() == ".in") continue;
    ++headers;
    for (const std::string& line : lines_of(entry.path())) {
      if (line.rfind("#include", 0) != 0) continue;
      EXPECT_TRUE(std::regex_match(line, standard)) << entry.path() << ": " << line;
    }
  }
  EXPECT_GT(headers, 10);
}

TEST(Layout, FilesAreShort) {
  for (const auto& file : sources()) EXPECT_LE(lines_of(file).size(), 800u) << file;
}

}  // namespace
}  // namespace mulberry::tests

// Prose stays plain: comments, messages and documents avoid the phrases below, which slow readers
// down, and the remedy of every Error is a sentence of one form.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/places.hpp"

namespace mulberry::tests {
namespace {

namespace fs = std::filesystem;

// Words are separated by blanks, alternatives by bars; a full stop matches any punctuation and the
// beginning and end of a text. Say "per label", "next to", "again", "usually", "separate" instead.
const std::vector<std::string> k_banned = {
    "one|two|three|value|values|second|seconds|rows|gap|classifier|classifiers|score|scores|number|"
    "numbers|column|columns|lines|labels|machine|scorer|sort|time|bytes|pivots|mb|gb "
    "a|an "
    "label|row|set|round|thread|column|split|feature|line|file|class|cell|fold|beta|measure|"
    "learner|estimator|trial|rule|cost|landmark|centre|variable",
    "beside",
    "is|are|less|beside|than that|those of",
    "of its|their|our own .",
    "a|in folder|file|thread|process|line of its|their own",
    ". the same for|of|with|from|by|on|at",
    "anew",
    "as a rule",
    "for ever",
    "mend|mends|mended",
};

struct Word {
  std::string text;  // in lower case; "." for punctuation
  long line = 0;
};

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

std::string content(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The comments and string literals of C++ source, everything else blanked out or turned into stops.
std::string prose(const std::string& source) {
  std::string out(source.size(), ' ');
  const auto starts = [&](std::size_t i, std::string_view text) {
    return source.compare(i, text.size(), text) == 0;
  };
  for (std::size_t i = 0; i < source.size(); ++i) {
    const char c = source[i];
    if (starts(i, "//")) {
      for (i += 2; i < source.size() && source[i] != '\n'; ++i) out[i] = source[i];
      if (i < source.size()) out[i] = '\n';
    } else if (starts(i, "R\"") && (i == 0 || !is_letter(source[i - 1]))) {
      const std::size_t open = source.find('(', i);
      const std::string end = ")" + source.substr(i + 2, open - i - 2) + "\"";
      const std::size_t close = source.find(end, open);
      std::copy(source.begin() + static_cast<long>(open) + 1,
                source.begin() + static_cast<long>(close),
                out.begin() + static_cast<long>(open) + 1);
      i = close + end.size() - 1;
    } else if (c == '"') {
      for (++i; i < source.size() && source[i] != '"'; ++i) {
        if (source[i] == '\\') {
          ++i;  // the letter of an escape is no word
        } else {
          out[i] = source[i];
        }
      }
    } else if (c == '\'' &&
               (i == 0 || std::isalnum(static_cast<unsigned char>(source[i - 1])) == 0)) {
      i += source[i + 1] == '\\' ? 2 : 1;
      while (i < source.size() && source[i] != '\'') ++i;
      out[i] = '.';
    } else if (c == '\n') {
      out[i] = c;
    } else if (std::isspace(static_cast<unsigned char>(c)) == 0) {
      out[i] = '.';
    }
  }
  return out;
}

std::vector<Word> words_of(const std::string& text) {
  std::vector<Word> out = {{"."}};
  long line = 1;
  bool line_begins = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_letter(text[i])) {
      std::string word;
      for (; i < text.size() && is_letter(text[i]); ++i)
        word += static_cast<char>(std::tolower(static_cast<unsigned char>(text[i])));
      --i;
      out.push_back({word, line});
      line_begins = false;
    } else if (text[i] == '\n') {
      ++line;
      line_begins = true;
    } else if (text[i] != ' ' && !(line_begins && text[i] == '#')) {
      out.push_back({".", line});
      line_begins = false;
    }
  }
  out.push_back({".", line});
  return out;
}

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) out.push_back(part);
  return out;
}

using Phrase = std::vector<std::set<std::string>>;

Phrase phrase_of(const std::string& text) {
  Phrase out;
  for (const std::string& word : parts_of(text, ' ')) {
    const auto alternatives = parts_of(word, '|');
    out.emplace_back(alternatives.begin(), alternatives.end());
  }
  return out;
}

// "line 3: one a label" for every banned phrase.
std::vector<std::string> banned_in(const std::string& text) {
  static const std::vector<Phrase> phrases = [] {
    std::vector<Phrase> out;
    for (const std::string& text_of_phrase : k_banned) out.push_back(phrase_of(text_of_phrase));
    return out;
  }();
  std::vector<std::string> out;
  const std::vector<Word> words = words_of(text);
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (const Phrase& phrase : phrases) {
      std::size_t k = 0;
      while (k < phrase.size() && i + k < words.size() && phrase[k].contains(words[i + k].text))
        ++k;
      if (k < phrase.size()) continue;
      std::string found = "line " + std::to_string(words[i].line) + ":";
      for (std::size_t j = i; j < i + k; ++j) found += " " + words[j].text;
      out.push_back(found);
    }
  }
  return out;
}

// The files that people read, without recorded data and this list of phrases.
std::vector<fs::path> documents() {
  const std::set<std::string> skipped = {"words_test.cpp"};
  const std::set<std::string> kinds = {".cpp",   ".hpp", ".md",  ".py",   ".sh",
                                       ".cmake", ".txt", ".inc", ".toml", ".h"};
  std::vector<fs::path> out;
  for (const char* folder : {"bench", "cli", "cmake", "docs", "examples", "experiments", "include",
                             "mulberry", "packages", "python", "scripts", "tests"}) {
    const fs::path root = fs::path(places::source()) / folder;
    for (auto entry = fs::recursive_directory_iterator(root); entry != fs::end(entry); ++entry) {
      const std::string name = entry->path().filename();
      if (entry->is_directory() && (name == "results" || name == "corpus" || name == "models")) {
        entry.disable_recursion_pending();
      } else if (entry->is_regular_file() && !skipped.contains(name) &&
                 kinds.contains(entry->path().extension())) {
        out.push_back(entry->path());
      }
    }
  }
  for (const char* name :
       {"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "Makefile"})
    out.push_back(fs::path(places::source()) / name);
  return out;
}

bool is_source(const fs::path& file) {
  return file.extension() == ".cpp" || file.extension() == ".hpp";
}

TEST(Words, FindsBannedPhrases) {
  EXPECT_EQ(banned_in("# Trains one\n# a label."), std::vector<std::string>{"line 1: one a label"});
  EXPECT_EQ(banned_in("An XML file beside it").size(), 1u);
  EXPECT_EQ(banned_in("which has a name of its own.").size(), 1u);
  EXPECT_TRUE(banned_in("One per label, in its own row. Score: a label or none.").empty());
  const std::string source =
      "int beside = 'x';  // a value\n// a row\nf(\"two \" \"a row\", beside);";
  EXPECT_EQ(banned_in(prose(source)),
            (std::vector<std::string>{"line 1: value a row", "line 3: two a row"}));
}

TEST(Words, ProseIsPlain) {
  const auto files = documents();
  ASSERT_GT(files.size(), 400u);
  for (const fs::path& file : files) {
    const std::string text = content(file);
    for (const std::string& found : banned_in(is_source(file) ? prose(text) : text))
      ADD_FAILURE() << file.string() << ", " << found;
  }
}

// The third argument of each `Error(...)` in the source, with its line.
std::vector<Word> remedies_of(const std::string& source) {
  std::vector<Word> out;
  const std::string call = "Error(";
  for (std::size_t at = source.find(call); at != std::string::npos;
       at = source.find(call, at + 1)) {
    if (at > 0 && (is_letter(source[at - 1]) || source[at - 1] == '_')) continue;
    int depth = 1, commas = 0;
    std::string argument;
    for (std::size_t i = at + call.size(); i < source.size() && depth > 0; ++i) {
      const char c = source[i];
      if (c == '"') {
        const std::size_t begin = i;
        for (++i; source[i] != '"'; ++i) i += source[i] == '\\' ? 1 : 0;
        if (commas == 2) argument += source.substr(begin, i + 1 - begin);
        continue;
      }
      if (c == '\'') {
        i += source[i + 1] == '\\' ? 3 : 2;
        continue;
      }
      depth += c == '(' || c == '{' || c == '[' ? 1 : c == ')' || c == '}' || c == ']' ? -1 : 0;
      if (depth == 1 && c == ',') {
        ++commas;
      } else if (commas == 2 && depth > 0 && std::isspace(static_cast<unsigned char>(c)) == 0) {
        argument += c;
      }
    }
    out.push_back(
        {argument, 1 + std::count(source.begin(), source.begin() + static_cast<long>(at), '\n')});
  }
  return out;
}

TEST(Words, RemediesHaveOneForm) {
  int checked = 0;
  for (const fs::path& file : documents()) {
    if (!is_source(file)) continue;
    for (const Word& remedy : remedies_of(content(file))) {
      if (remedy.text.size() < 3 || remedy.text.front() != '"') continue;
      ++checked;
      EXPECT_TRUE(std::islower(static_cast<unsigned char>(remedy.text[1])) == 0)
          << file << ":" << remedy.line << ": " << remedy.text << " begins without a capital";
      EXPECT_FALSE(remedy.text.ends_with(".\"") && !remedy.text.ends_with("..\""))
          << file << ":" << remedy.line << ": " << remedy.text << " ends with a full stop";
    }
  }
  EXPECT_GT(checked, 100);
}

}  // namespace
}  // namespace mulberry::tests

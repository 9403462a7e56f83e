#include <gtest/gtest.h>

#include <cmath>

#include "mulberry/core/error.hpp"
#include "mulberry/core/random.hpp"
#include "mulberry/data/changes/apply_changes.hpp"
#include "mulberry/data/generate/generate.hpp"
#include "mulberry/data/generate/hide.hpp"
#include "mulberry/data/read/read.hpp"
#include "mulberry/data/write/write.hpp"
#include "tests/support/temporary_folder.hpp"

namespace mulberry::data {
using namespace tests;
namespace {

Changes read_text(std::string_view text) { return read_changes(open_bytes(text, "f"), "f"); }

TEST(ChangeFile, ReadsWhatItsHeaderDescribes) {
  const Changes read = read_text(
      "row,label,from,to,chance\n12,sunset,0,1,0.93\n40,boat,1,0,\n\n41,\"a,\"\"b\"\"\n c\",?,1,1\n"
      "52,boat,0,,.5");
  ASSERT_EQ(read.entries.size(), 4u);
  EXPECT_EQ(read.key, RowKey::number);
  EXPECT_EQ(read.entries[0].row, "12");
  EXPECT_EQ(read.entries[0].chance, 0.93);
  EXPECT_EQ(read.entries[1].to, Cell::negative);
  EXPECT_TRUE(std::isnan(read.entries[1].chance));
  EXPECT_EQ(read.entries[2].label, "a,\"b\"\n c");
  EXPECT_EQ(read.entries[2].from, Cell::missing);
  EXPECT_EQ(read.entries[2].line, 5);
  EXPECT_EQ(read.entries[3].to, std::nullopt);
  EXPECT_EQ(read.entries[3].line, 7);
  EXPECT_EQ(change_text(read),
            "row,label,from,to,chance\n12,sunset,0,1,0.93\n40,boat,1,0,\n"
            "41,\"a,\"\"b\"\"\n c\",?,1,1\n52,boat,0,,0.5\n");
}

TEST(ChangeFile, OtherDelimitersAndEndsOfLinesAreRead) {
  for (const char* text : {"id;label;from;to;chance\r\nx 1;sea, wide;0;1;\r\n",
                           "\xEF\xBB\xBFid\tlabel\tfrom\tto\tchance\nx 1\tsea, wide\t0\t1\t\n"}) {
    const Changes read = read_text(text);
    EXPECT_EQ(read.key, RowKey::id);
    ASSERT_EQ(read.entries.size(), 1u);
    EXPECT_EQ(read.entries[0].row, "x 1");
    EXPECT_EQ(read.entries[0].label, "sea, wide");
  }
  EXPECT_TRUE(read_text("id,label,from,to,chance\n").entries.empty());
}

TEST(ChangeFile, ErrorsSayWhere) {
  const std::string header = "row,label,from,to,chance\n";
  struct Case {
    std::string text, where, words;
  };
  for (const Case& one :
       std::vector<Case>{{"\n \n", "f", "found no line"},
                         {"row,label,before,to,chance\n", "f:1:11", "found 'before'"},
                         {"number,label,from,to,chance\n", "f:1:1", "found 'number'"},
                         {"row,label,from,to\n", "f:1:16", "expected 5 fields"},
                         {"row,label,from,to,chance,more\n", "f:1:26", "found 'more'"},
                         {header + "1,a,0,1\n", "f:2:7", "expected 5 fields"},
                         {header + "1,a,0,1,,\n", "f:2:9", "found 6"},
                         {header + "0,a,0,1,\n", "f:2:1", "the number of a row"},
                         {header + "x,a,0,1,\n", "f:2:1", "the number of a row"},
                         {header + "1,,0,1,\n", "f:2:3", "the name of a label"},
                         {header + "1,a,,1,\n", "f:2:5", "0, 1 or ?"},
                         {header + "1,a,0,2,\n", "f:2:7", "0, 1, ? or nothing"},
                         {header + "1,a,0,1,1.5\n", "f:2:9", "a probability"},
                         {header + "1,a,0,1,nan\n", "f:2:9", "a probability"},
                         {header + "1,\"a,0,1,\n", "f:2:3", "a closing quote"},
                         {header + "1,a\"b,0,1,\n", "f:2:3", "quotes around the whole"}}) {
    SCOPED_TRACE(one.text);
    try {
      read_text(one.text);
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_EQ(error.where().text(), one.where);
      EXPECT_NE(error.problem().find(one.words), std::string::npos) << error.what();
      EXPECT_FALSE(error.remedy().empty());
    }
  }
}

Dataset three_rows() {
  Dataset data;
  data.x = Matrix(3, 1);
  data.label_names = {"sea", "boat", "a,\"b"};
  data.y = Labels(3, {{0}, {0, 1}, {}}, {{1}, {}, {2}});
  return data;
}

TEST(ApplyChanges, ChangesWhatIsDecidedAndNothingElse) {
  Dataset data = three_rows();
  const Changes changes = read_text(
      "row,label,from,to,chance\n1,boat,?,0,\n1,sea,1,1,\n2,sea,1,0,\n3,\"a,\"\"b\",?,1,\n3,boat,0,"
      ",\n"
      "3,boat,0,1,0.5\n3,boat,0,,\n2,boat,1,?,\n");
  const auto cells = match_changes(changes, data);
  ASSERT_EQ(cells.size(), 8u);
  EXPECT_EQ(apply_changes(data.y, cells), Labels(3, {{0}, {}, {1, 2}}, {{}, {1}, {}}));
  std::string outcomes;
  for (const CellChange& cell : cells) outcomes += outcome_of(cell) + ";";
  EXPECT_EQ(outcomes, "ruled out;confirmed;removed;added;undecided;added;undecided;made unknown;");
}

std::string refusal(const Changes& changes, const Dataset& data) {
  try {
    match_changes(changes, data);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ApplyChanges, NamesEveryEntryThatDoesNotFit) {
  const Dataset data = three_rows();
  const std::string text = refusal(
      read_text("row,label,from,to,chance\n4,sea,0,1,\n1,boot,0,1,\n1,sea,0,1,\n2,boat,1,0,\n"
                "2,boat,1,0,\n3,sea,0,1,\n"),
      data);
  for (const char* words :
       {"f:2: ", "4 of 6 entries", "line 2: there is no row 4, the last is 3",
        "line 3: there is no label 'boot'; did you mean 'boat'?",
        "line 4: row '1', label 'sea': expected 0, the data has 1",
        "line 6: row '2', label 'boat' is decided on line 5", "Correct these lines"}) {
    EXPECT_NE(text.find(words), std::string::npos) << words << " in " << text;
  }
  EXPECT_NE(
      refusal(read_text("row,label,from,to,chance\n1,sea,0,1,\n"), data).find("applied already"),
      std::string::npos);
  std::string many = "row,label,from,to,chance\n";
  for (int k = 0; k < 50; ++k) many += "9,sea,0,1,\n";
  EXPECT_NE(refusal(read_text(many), data).find("and 30 more"), std::string::npos);
}

TEST(ApplyChanges, IdsNameRows) {
  Dataset data = three_rows();
  const Changes changes = read_text("id,label,from,to,chance\nk,sea,0,1,\n");
  EXPECT_NE(refusal(changes, data).find("id = COLUMN"), std::string::npos);
  data.id_name = "key";
  data.ids = {"k1", "k2", "k"};
  EXPECT_EQ(match_changes(changes, data)[0].row, 2);
  EXPECT_EQ(RowNames(data).name(2), "k");
  EXPECT_EQ(RowNames(data, RowKey::number).name(2), "3");
  EXPECT_NE(refusal(read_text("id,label,from,to,chance\nq,sea,0,1,\n"), data).find("the id 'q'"),
            std::string::npos);
  data.ids = {"k", "k2", "k"};
  EXPECT_NE(refusal(changes, data).find("found 'k' for rows 1 and 3"), std::string::npos);
  data.ids = {"k", "", "l"};
  EXPECT_NE(refusal(changes, data).find("found none for row 2"), std::string::npos);
}

// The differences between two data sets, as a change file, make one of them of the other, whatever
// format they went through in between.
TEST(ApplyChanges, RoundTripsOverAllFormats) {
  const TemporaryFolder folder;
  const Context ctx(1, 3);
  Dataset before = generate("photos", {.rows = 60}, ctx);
  const Labels after = flip_labels(before.y, 0.3, ctx);
  for (const bool unknown : {false, true}) {
    for (const Format format : {Format::arff, Format::libsvm, Format::xmlrepo, Format::csv,
                                Format::tsv, Format::npz, Format::jsonl}) {
      const bool numbers = format == Format::libsvm || format == Format::xmlrepo;
      if (unknown && numbers) continue;  // they cannot hold missing cells
      Dataset data = before;
      if (unknown) {
        data.y = hide_labels(before.y, {.share = 0.3, .mode = HideMode::cells}, ctx);
      }
      const std::string path = folder.file("data");
      write_dataset(data, path, {.format = format});
      ReadOptions options{.format = format, .keep_missing = true};
      if (!numbers) options.label_columns = data.label_names;
      if (format == Format::npz) options.label_columns = {};
      const Dataset read = read_dataset(path, options);
      ASSERT_EQ(read.y, data.y) << format_name(format);
      const RowNames rows(read);
      Changes changes{.key = rows.key()};
      for (Index i = 0; i < read.rows(); ++i) {
        for (Index l = 0; l < read.labels(); ++l) {
          if (read.y.cell(i, l) == after.cell(i, l)) continue;
          changes.entries.push_back({.row = rows.name(i),
                                     .label = read.label_names[static_cast<std::size_t>(l)],
                                     .from = read.y.cell(i, l),
                                     .to = after.cell(i, l),
                                     .chance = 0.5});
        }
      }
      ASSERT_GT(changes.entries.size(), 10u);
      write_changes(changes, folder.file("changes.csv"));
      Dataset changed = read;
      changed.y =
          apply_changes(read.y, match_changes(read_changes(folder.file("changes.csv")), read));
      EXPECT_EQ(changed.y, after) << format_name(format);
      write_dataset(changed, folder.file("again"), {.format = format});
      EXPECT_EQ(read_dataset(folder.file("again"), options).y, after) << format_name(format);
    }
  }
}

}  // namespace
}  // namespace mulberry::data

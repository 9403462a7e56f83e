// Traps in libsvm, XMLRepo, CSV and npz files: small texts, each with its expected data or with the
// place and the words of its error; and every prefix of a valid file of each format.
#include <gtest/gtest.h>

#include "mulberry/core/error.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/bytes/byte_sink.hpp"
#include "mulberry/data/bytes/zip_writer.hpp"
#include "mulberry/data/read/read.hpp"
#include "mulberry/data/write/write.hpp"
#include "tests/support/temporary_folder.hpp"

namespace mulberry::data {
using namespace tests;
namespace {

Dataset read_text(std::string_view text, const ReadOptions& options) {
  return read_dataset(open_bytes(text, "f"), "f", options);
}

// "features | labels" of each row, one row after the other.
std::string show(const Dataset& data) {
  std::string out;
  for (Index i = 0; i < data.rows(); ++i) {
    if (i > 0) out += " / ";
    for (Index j = 0; j < data.columns(); ++j) {
      if (j > 0) out += ' ';
      out += shortest(data.x.at(i, j));
    }
    out += " |";
    for (Index l = 0; l < data.labels(); ++l) {
      const Cell cell = data.y.cell(i, l);
      out += cell == Cell::missing ? " ?" : cell == Cell::positive ? " 1" : " 0";
    }
  }
  return out;
}

struct Good {
  const char* text;
  const char* expected;
  ReadOptions options = {};
};
struct Bad {
  const char* text;
  const char* place;  // "line:column", or "" for the whole file
  const char* words;  // a part of the message
  ReadOptions options = {};
};

void expect_good(const std::vector<Good>& cases) {
  for (const Good& good : cases) {
    SCOPED_TRACE(good.text);
    try {
      EXPECT_EQ(show(read_text(good.text, good.options)), good.expected);
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

void expect_bad(const std::vector<Bad>& cases) {
  for (const Bad& bad : cases) {
    SCOPED_TRACE(bad.text);
    try {
      ADD_FAILURE() << "no error, but " << show(read_text(bad.text, bad.options));
    } catch (const Error& error) {
      const std::string place = *bad.place == 0 ? "f" : std::string("f:") + bad.place;
      EXPECT_EQ(error.where().text(), place) << error.what();
      EXPECT_NE(error.problem().find(bad.words), std::string::npos) << error.what();
      EXPECT_FALSE(error.remedy().empty()) << error.what();
    }
  }
}

TEST(LibsvmTraps, Valid) {
  expect_good({
      {"0 1:2\n1 2:3\n", "2 0 | 1 0 / 0 3 | 0 1"},
      {"0 0:2\n1 2:3\n", "2 0 0 | 1 0 / 0 0 3 | 0 1"},
      {"0 1:2\n", "0 2 | 1", {.index_base = IndexBase::zero}},
      {"0 2:2\n", "0 2 | 1", {.index_base = IndexBase::one}},
      {"0,2 1:1\n 1:4\n1:5\n", "1 | 1 0 1 / 4 | 0 0 0 / 5 | 0 0 0"},
      {"# head\n0 1:1 # tail\n\n   \n1 1:2#x\n", "1 | 1 0 / 2 | 0 1"},
      {"0 3:3 1:1 2:2\n", "1 2 3 | 1"},
      {"2,0 1:1\n", "1 | 1 0 1"},
      {"0 qid:7 1:1\n", "1 | 1"},
      {"0 1:.5 2:5. 3:+2 4:-1e-2 5:1E3\n", "0.5 5 2 -0.01 1000 | 1"},
      {"0 1:1e-999 2:1\n", "0 1 | 1"},
      {"0 1:1\r\n1 1:2", "1 | 1 0 / 2 | 0 1"},
      {"\xEF\xBB\xBF"
       "0 1:1\n",
       "1 | 1"},
      {"0\t1:1\t 2:2 \n", "1 2 | 1"},
      {"0 1:1 3:0\n", "1 0 0 | 1"},
      {"0 1:1\n", "1 | 1 0 0", {.label_count = 3}},
      {"# mulberry: labels=3\n0 1:1\n", "1 | 1 0 0"},
      {"1 1:5\n0\n", "5 | 0 1 / 0 | 1 0", {.format = Format::libsvm}},
      {"# c\n0 qid:3 0:1 # x\n\n 2:1 # y\n1:4\n1,0 2:3 1:1",
       "1 0 0 | 1 0 / 0 0 1 | 0 0 / 0 4 0 | 0 0 / 0 1 3 | 1 1"},
  });
}

// A file to predict may lack the last features of the training data: they are 0 in all its rows.
TEST(LibsvmTraps, AFileIsAsWideAsTheModelKnows) {
  const Dataset data = read_text("0 1:1\n", {.known_columns = 3});
  EXPECT_EQ(show(data), "1 0 0 | 1");
  EXPECT_EQ(data.notes.size(), 1u);  // or does it count from 0?
  EXPECT_EQ(show(read_text("0 1:1\n", {.known_columns = 1})), "1 | 1");
  EXPECT_EQ(show(read_text("0 2:1\n", {.known_columns = 1})), "0 1 | 1");
  const ReadOptions from_zero{.known_columns = 3, .index_base = IndexBase::zero};
  EXPECT_EQ(show(read_text("0 1:1\n", from_zero)), "0 1 0 | 1");
  EXPECT_TRUE(read_text("0 1:1\n", from_zero).notes.empty());
  EXPECT_EQ(show(read_text("1 2 1\n0 1:1\n", {.known_columns = 3})), "0 1 | 1");  // says its width
}

TEST(LibsvmTraps, Malformed) {
  expect_bad({
      {"0 1:1 1:2\n", "1:7", "1 twice"},
      {"0 2:1 1:3 2:2\n", "1:11", "2 twice"},
      {"0,0 1:1\n", "1:3", "0 twice"},
      {"0 1:1\n10,1,10 1:1\n", "2:6", "10 twice"},
      {"0 1 :1\n", "1:3", "index:value"},
      {"0 1.5:1\n", "1:3", "index:value"},
      {"cat,dog 1:1\n", "1:1", "label number"},
      {"# c\r\n\r\n0 1:1\r\n1 1:1 2:x\r\n", "4:9", "number after the colon"},
      {"0 qid:1 0:1 # c\n0:1 0:2\n", "2:5", "0 twice"},
      {"0 1:1\n1 5\n", "2:3", "index:value"},
      {"0, 1 1:1\n", "1:3", "after the comma"},
      {"0,,1 1:1\n", "1:3", "label number"},
      {"-1 1:1\n", "1:1", "label number"},
      {"0 1:1\n1.5 1:1\n", "2:1", "label number"},
      {" 0 1:1\n", "1:2", "index:value"},
      {"0 1:nan\n", "1:5", "number after the colon", {.format = Format::libsvm}},
      {"0 1:1 2:inf\n", "1:9", "number after the colon"},
      {"0 1:1 2:0x10\n", "1:9", "number after the colon"},
      {"0 1:1 2:1e999\n", "1:9", "number after the colon"},
      {"0 1:1 2:3kg\n", "1:9", "number after the colon"},
      {"0 1:1 2:\n", "1:9", "nothing"},
      {"0 1:1 2147483648:1\n", "1:7", "at most 2147483647"},
      {"0 1:1 99999999999999999999:1\n", "1:7", "at most 2147483647"},
      {"2147483648 1:1\n", "1:1", "label number below"},
      {"2000000000 1:1\n", "1:1", "plausible number of labels"},
      {"1021020 1:1\n", "1:1", "plausible number of labels"},
      {"0 1:1\n1 2:1 2147483647:1\n", "2:7", "plausible number of features"},
      {"0 -1:2\n", "1:3", "index:value"},
      {"0 1:inf\n", "1:5", "number after the colon"},
      {"0 0:1\n", "1:3", "indices from 1", {.index_base = IndexBase::one}},
      {"0 1:1\n3 1:1\n", "2:1", "below 2", {.label_count = 2}},
      {" 1:1\n", "1:1", "expected labels"},
      {"# nothing\n", "1:1", "expected rows", {.format = Format::libsvm}},
      {"0 1:1 qid:x\n", "1:7", "index:value"},
  });
}

TEST(XmlrepoTraps, Valid) {
  expect_good({
      {"2 3 2\n0 0:1\n1 2:5\n", "1 0 0 | 1 0 / 0 0 5 | 0 1"},
      {"1 2 4\n 1:3\n", "0 3 | 0 0 0 0"},
      {"0 2 2\n", ""},
  });
}

TEST(XmlrepoTraps, Malformed) {
  expect_bad({
      {"2 3 2\n0 0:1\n", "1:1", "2 rows"},
      {"1 3 2\n0 0:1\n1 1:1\n", "1:1", "1 rows"},
      {"1 3 2\n0 3:1\n", "2:3", "below 3"},
      {"1 3 2\n2 0:1\n", "2:1", "below 2"},
      {"1 3\n0 0:1\n", "1:1", "header", {.format = Format::xmlrepo}},
      {"1 -3 2\n0 0:1\n", "1:1", "header", {.format = Format::xmlrepo}},
      {"1 3 99999999999\n0 0:1\n", "1:1", "at most 2147483647"},
      {"1 3 2147483647\n0 0:1\n", "1:1", "plausible"},
  });
}

TEST(CsvTraps, Valid) {
  const ReadOptions last{.label_count = -1};
  expect_good({
      {"a,y\n1,0\n2,1\n", "1 | 0 / 2 | 1", last},
      {"y,a\r\n1,5\r\n0,6", "5 | 1 / 6 | 0", {.label_columns = {"y"}}},
      {"a\ty\n1\t0\n", "1 | 0", last},
      {"a;y\n1;\n", "1 | ?", last},
      {"a|y\n1|1\n", "1 | 1", {.label_count = -1, .delimiter = '|'}},
      {"\"a,\"\"b\nc\",y\n1,0\n", "1 | 0", last},
      {"a , y\n 1 , 1 \n\n", "1 | 1", {.label_columns = {"y"}}},
      {"a,y\n\"1\",\"0\"\n", "1 | 0", last},
      {"c,y\nred,0\nblue,1\n", "1 | 0 / 0 | 1", last},
      {"c,y\nc,0\na,1\nb,0\n", "0 0 1 | 0 / 1 0 0 | 1 / 0 1 0 | 0", last},
      {"a,t\n1,x;y\n2,\n", "1 | 1 1 / 2 | 0 0", {.label_list = "t"}},
      {"a,s\n1,10\n2,9\n", "1 | 0 1 / 2 | 1 0", {.label_sets = {"s"}}},
      {"a,y_1,y_2\n1,0,1\n", "1 | 0 1", {.label_prefix = "y_"}},
      {"a,y1,xy1\n1,0,7\n", "1 7 | 0", {.label_pattern = "y[0-9]"}},
      {"a,y\n1,0\n,1\n3,0\n", "1 | 0 / nan | 1 / 3 | 0", {.label_count = -1, .keep_missing = true}},
      {"a,w,y\n1,2,0\n", "1 | 0", {.label_count = -1, .weight_column = "w"}},
      {"a,y\n-0,0\n", "-0 | 0", last},
      {"a;y\nred,5;0\n", "0 | 0", last},
      {"a,1\tb,2\ty,3\n1\t2\t0\n", "1 2 | 0", last},
      {"a,s=u,s=v,l\n1,0,1,0\n", "1 | 0 1 0", {.label_columns = {"l"}, .label_sets = {"s"}}},
      // the label of a set may be unknown
      {"a,s=u,s=v\n1,0,1\n2,,\n", "1 | 0 1 / 2 | ? ?", {.label_sets = {"s"}}},
      {"a,t\n1,\"say \"\"hi\"\";b\"\n", "1 | 1 1", {.label_list = "t"}},
  });
}

TEST(CsvTraps, Malformed) {
  const ReadOptions last{.label_count = -1};
  const ReadOptions parts{.label_count = -1, .dates = Dates::parts};
  const ReadOptions commas{.label_count = -1, .decimal = ','};
  expect_bad({
      {"a,y\n1,0,5\n", "2:5", "found 3", last},
      {"a,b,y\n1,2,0\n1,0\n", "3:1", "found 2", last},
      {"a,y\n\"1\"x,0\n", "2:4", "closing quote", last},
      {"a,y\n1\"1,0\n", "2:1", "quotes around", last},
      {"a,y\n1,0\n\"1,0\n2,1\n", "3:1", "closing quote", last},
      {"a,y\n1,0\nred,1\n", "3:1", "expected a number", last},
      {"a,y\nred,0\n1,1\n", "3:1", "expected a word", last},
      {"a,y\n1,2\n", "2:3", "0 or 1", last},
      {"a,y\n1,maybe\n", "2:3", "0 or 1", last},
      {"a,y\n,1\n", "2:1", "missing", last},
      {"a,a,y\n1,1,1\n", "1:3", "'a' twice", last},
      {"a,,y\n1,1,1\n", "1:3", "column name", last},
      {"1,2\n3,1\n", "1:1", "header", last},
      {"a,y\nnan,1\n", "2:1", "missing", last},
      {"a,y\n1,1\nNA,1\n", "3:1", "missing", last},
      {"a,y\ninf,1\n", "2:1", "decimal number", last},
      {"a,d,y\n1,2024-01-02,1\n1,2024-01-03,1\n1,2024-01-04,1\n", "1:3", "dates", last},
      {"d,y\nNaT,1\n2024-01-02,1\n2024-01-03,1\n2024-01-04,1\n", "1:1",
       "dates such as '2024-01-02'", last},
      {"d,y\n1-Jan-2024,1\n2-Jan-2024,1\n3-Jan-2024,1\n", "1:1", "dates", last},
      {"d,y\n\"May 1, 2024\",1\n\"May 2, 2024\",1\n\"June 2, 2024\",1\n", "1:1", "dates", last},
      {"d,y\n10:30,1\n10:31,1\n9:05 PM,1\n", "1:1", "times such as '10:30'", last},
      {"d,y\n31 Feb 2024,1\n1 Mar 2024,1\n", "1:1", "a date that exists", parts},
      {"d,y\n1/2/2024,1\n3/4/2024,1\n", "1:1", "the day from the month", parts},
      {"d,y\n13/2/2024,1\n2/13/2024,1\n", "1:1", "the day from the month", parts},
      {"d,y\n2024-02-30,1\n2024-02-28,1\n", "1:1", "a date that exists", parts},
      {"d,y\n1/13/24,1\n", "1:1", "years of four digits", parts},
      {"d,y\n2024-01-02,1\n2024-01-03,1\nsoon,1\n", "1:1", "found 'soon'", parts},
      {"a,y\n\"$1,200\",1\n$900,0\n\"$2,300\",1\n", "1:1", "written as '$1,200'", last},
      {"a,y\n1 200,1\n1 300,0\n2 300,1\n", "1:1", "written as '1 200'", last},
      {"a,y\n1,1\nn.a.,0\n", "3:1", "expected a number", last},
      {"a;y\n1,5;1\n2.5;0\n", "3:1", "found '2.5'", commas},
      {"a,y\n0x1f,1\n", "2:1", "decimal number", last},
      {"a,y\n1e999,1\n", "2:1", "decimal number", last},
      {"a;y\n1,5;1\n", "2:1", "decimal number", last},
      {"a,y\n\"-1,234.5\",1\n", "2:1", "decimal number", last},
      {"a,y\n1,?\n", "2:3", "0 or 1", last},
      {"a,w,y\n1,0,1\n", "2:3", "positive weight", {.label_count = -1, .weight_column = "w"}},
      {"\"p\nq\",y\n1,0\nx,0\n", "4:1", "expected a number", last},
      {"a,y\n\"1\n2\",9\n", "3:4", "0 or 1", last},
      {"a,b,y\nx,\"p\r\nq\",1,9\r\n", "3:6", "found 4", last},
      {"a,b,y\n\"x\ny\",1\n", "2:1", "found 2", last},
      {"\xC3\xA9,\xC3\xBC,y\nx,1,0\nx,2,9\n", "3:5", "0 or 1", last},
      {"\xEF\xBB\xBF", "", "an empty file", last},
  });
}

std::string npy(const std::string& type, const std::string& shape, std::string_view bytes,
                const std::string& order = "False") {
  std::string header =
      "{'descr': " + type + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
  std::string out("\x93NUMPY\1\0", 8);
  out += static_cast<char>(header.size());
  out += '\0';
  return out + header + std::string(bytes);
}

std::string zip(const std::vector<std::pair<std::string, std::string>>& members) {
  const TemporaryFolder folder;
  ByteSink sink(folder.file("a"));
  ZipWriter writer(sink);
  for (const auto& [name, content] : members) {
    const std::string_view parts[] = {content};
    writer.add(name + ".npy", parts);
  }
  writer.finish();
  sink.commit();
  return folder.content("a");
}

const std::string k_x = npy("'|i1'", "(2, 2)", "\1\2\3\4");
const std::string k_y = npy("'|b1'", "(2, 1)", std::string_view("\1\0", 2));

TEST(NpzTraps, Valid) {
  EXPECT_EQ(show(read_text(zip({{"X", k_x}, {"Y", k_y}}), {})), "1 2 | 1 / 3 4 | 0");
  const auto fortran = npy("'|u1'", "(2, 2)", "\1\2\3\4", "True");
  EXPECT_EQ(show(read_text(zip({{"X", fortran}, {"Y", k_y}}), {})), "1 3 | 1 / 2 4 | 0");
  const auto big = npy("'>i2'", "(2, 1)", std::string_view("\0\1\1\0", 4));
  EXPECT_EQ(show(read_text(zip({{"X", big}, {"Y", k_y}}), {})), "1 | 1 / 256 | 0");
  // Columns out of order and a stored zero.
  const std::string sparse =
      zip({{"X_data", npy("'|i1'", "(3,)", std::string_view("\5\6\0", 3))},
           {"X_indices", npy("'|i1'", "(3,)", std::string_view("\1\0\1", 3))},
           {"X_indptr", npy("'|i1'", "(3,)", std::string_view("\0\2\3", 3))},
           {"X_shape", npy("'|i1'", "(2,)", "\2\2")},
           {"Y", k_y}});
  EXPECT_EQ(show(read_text(sparse, {})), "6 5 | 1 / 0 0 | 0");
  EXPECT_EQ(read_text(sparse, {}).x.stored(), 2);
}

// scipy.sparse.save_npz(FILE, X) names the parts without X_; Y may have been added.
TEST(NpzTraps, MatricesOfSciPyAreX) {
  const std::vector<std::pair<std::string, std::string>> parts = {
      {"data", npy("'|i1'", "(2,)", "\5\6")},
      {"indices", npy("'|i1'", "(2,)", std::string_view("\1\0", 2))},
      {"indptr", npy("'|i1'", "(3,)", std::string_view("\0\1\2", 3))},
      {"format", npy("'|S3'", "()", "csr")},
      {"shape", npy("'|i1'", "(2,)", "\2\2")}};
  EXPECT_EQ(show(read_text(zip(parts), {.labels_optional = true})), "0 5 | / 6 0 |");
  auto with_y = parts;
  with_y.emplace_back("Y", k_y);
  EXPECT_EQ(show(read_text(zip(with_y), {})), "0 5 | 1 / 6 0 | 0");
  with_y[3].second = npy("'|S3'", "()", "csc");
  EXPECT_THROW(read_text(zip(with_y), {}), Error);
}

TEST(NpzTraps, Malformed) {
  std::string damaged = zip({{"X", k_x}, {"Y", k_y}});
  damaged[damaged.find("\1\2\3\4")] = '\7';
  // The directory says that the first member is deflated, from 1 MB to 300 MB.
  std::string bomb = zip({{"X", std::string(1000000, ' ')}});
  const std::size_t entry = bomb.find("PK\1\2");
  bomb[entry + 10] = 8;
  bomb.replace(entry + 24, 4, std::string_view("\0\xA3\xE1\x11", 4));
  const auto sparse = [](std::string indices, std::string offsets) {
    return zip({{"X_data", npy("'|i1'", "(2,)", "\5\6")},
                {"X_indices", npy("'|i1'", "(2,)", indices)},
                {"X_indptr", npy("'|i1'", "(3,)", offsets)},
                {"X_shape", npy("'|i1'", "(2,)", "\2\2")},
                {"Y", k_y}});
  };
  const auto with_x = [](const std::string& x) { return zip({{"X", x}, {"Y", k_y}}); };
  const std::string wide =
      zip({{"X_data", npy("'|i1'", "(0,)", "")},
           {"X_indices", npy("'|i1'", "(0,)", "")},
           {"X_indptr", npy("'|i1'", "(3,)", std::string_view("\0\0\0", 3))},
           {"X_shape", npy("'<i4'", "(2,)", std::string_view("\2\0\0\0\0\0\0\x40", 8))},
           {"Y", k_y}});
  const std::pair<std::string, const char*> cases[] = {
      {damaged, "checksum"},
      {bomb, "expands at most 250 times"},
      {zip({}), "no array"},
      {zip({{"X", k_x}}), "array 'Y'"},
      {zip({{"Y", k_y}}), "array 'X'"},
      {with_x(npy("'|O'", "(2, 2)", "")), "pickled"},
      {with_x(npy("[('a', '<f8')]", "(2,)", "")), "structured"},
      {with_x(npy("'<f2'", "(2, 1)", "1234")), "the type '<f2'"},
      {with_x(npy("'|i1'", "(2,)", "12")), "2 dimensions"},
      {with_x(npy("'|i1'", "(2, 3)", "1234")), "as its shape needs"},
      {with_x(npy("'<f8'", "(4611686018427387904, 4611686018427387904)", "")), "shape needs"},
      {with_x(npy("'|i1'", "(1, 2)", "12")), "rows in Y"},
      {with_x("no header at all"), "header"},
      {with_x(npy("'<f4'", "(2, 1)", std::string_view("\0\0\x80\x7f\0\0\0\0", 8))), "finite"},
      {zip({{"X", k_x}, {"Y", npy("'|i1'", "(2, 1)", "\1\2")}}), "0, 1 or missing"},
      {zip({{"X", k_x}, {"Y", k_y}, {"label_names", npy("'|S1'", "(2,)", "ab")}}), "1 names"},
      {zip({{"X", k_x}, {"Y", k_y}, {"feature_names", npy("'|S1'", "(2,)", "aa")}}), "'a' twice"},
      {wide, "plausible number of features"},
      {zip({{"X_data", k_x}, {"Y", k_y}}), "array 'X' (or X_data"},
      {sparse("\1\1", std::string("\0\2\2", 3)), "twice"},
      {sparse("\1\2", std::string("\0\1\2", 3)), "from 0 to 1"},
      {sparse(std::string("\1\0", 2), std::string("\0\2\1", 3)), "rising offsets"},
  };
  for (const auto& [bytes, words] : cases) {
    try {
      ADD_FAILURE() << words << ": no error, but " << show(read_text(bytes, {}));
    } catch (const Error& error) {
      EXPECT_EQ(error.where().file, "f") << error.what();
      EXPECT_NE(error.problem().find(words), std::string::npos) << error.what();
    }
  }
}

TEST(NpzTraps, TheNumberOfLabelsMustBeTheOneGiven) {
  const std::string file = zip({{"X", k_x}, {"Y", k_y}});
  EXPECT_EQ(read_text(file, {.label_count = 1}).labels(), 1);
  EXPECT_THROW(read_text(file, {.label_count = 2}), Error);
}

TEST(CsvTraps, SetsAreFoundByTheirPrefix) {
  const ReadOptions options{.label_sets = {"s"}};
  const Dataset data = read_text("a,s=u,s=v\n1,1,0\n2,0,1\n", options);
  EXPECT_EQ(show(data), "1 | 1 0 / 2 | 0 1");
  EXPECT_EQ(data.sets.names, std::vector<std::string>{"s"});
  expect_bad({
      {"a,s=u,s=v\n\"1\",1,0\n\n2,1,1\n", "4:1", "exactly one label of the set 's'", options},
      {"a,s=u,s=v\n1,1,0\n2,0,0\n", "3:1", "found 0", options},
      {"a,s\n1,u\n2,\n", "3:3", "a value of the label set 's'", options},
      {"a,w,l\n1,1,0\n1,,0\n",
       "3:3",
       "expected a weight",
       {.label_count = -1, .weight_column = "w"}},
      {"a,w,l\n1,1,0\n1,-1,0\n",
       "3:3",
       "a positive weight",
       {.label_count = -1, .weight_column = "w"}},
      {"a,w,l\n1,x,0\n", "2:3", "a decimal number", {.label_count = -1, .weight_column = "w"}},
  });
  try {
    ADD_FAILURE() << show(read_text("a,t=u,t=v\n1,1,0\n", options));
  } catch (const Error& error) {
    EXPECT_EQ(error.where().file, "f") << error.what();
  }
}

// Two sets of a model: one is a column of words in this file, the other is columns of 0 and 1.
TEST(CsvTraps, KnownSetsMayBeOfEitherForm) {
  const ReadOptions options{.known_labels = {"s=u", "s=v", "t=p", "t=q"}, .known_sets = {"s", "t"}};
  EXPECT_EQ(show(read_text("a,s,t=p,t=q\n1,u,0,1\n2,v,1,0\n", options)),
            "1 | 1 0 0 1 / 2 | 0 1 1 0");
  EXPECT_EQ(show(read_text("a,s,t\n1,u,q\n2,v,p\n", options)), "1 | 1 0 0 1 / 2 | 0 1 1 0");
}

TEST(CsvTraps, ARepeatedNameInAnOptionIsAnError) {
  const ReadOptions columns{.label_columns = {"l", "l"}}, sets{.label_sets = {"s", "s"}};
  for (const ReadOptions& options : {columns, sets}) {
    try {
      ADD_FAILURE() << show(read_text("a,l,s\n1,1,u\n", options));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::usage);
      EXPECT_NE(error.problem().find("twice"), std::string::npos) << error.what();
    }
  }
}

// A model that matches features by name could not tell the two apart.
TEST(CsvTraps, AColumnIsNotNamedLikeAValue) {
  const ReadOptions last{.label_count = -1};
  expect_bad({
      {"c,c=x,y\nx,1,0\ny,2,1\nz,3,0\n", "1:3", "also a value of 'c'", last},
      {"c=y,c,y\n1,x,0\n2,y,1\n", "1:1", "also a value of 'c'", last},
  });
  EXPECT_EQ(show(read_text("c=w,c,y\n1,x,0\n2,y,1\n", last)), "1 0 | 0 / 2 1 | 1");
}

TEST(CsvTraps, ADelimiterIsNoQuoteAndNoEndOfLine) {
  for (const char delimiter : {'"', '\n', '\r'}) {
    try {
      ADD_FAILURE() << show(read_text("a,l\n1,1\n", {.label_count = -1, .delimiter = delimiter}));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::usage);
    }
  }
}

// A backtracking matcher would take forever on the first and overflow the stack on the second.
TEST(CsvTraps, PatternsTakeTimeInProportionToTheName) {
  const std::string many(200, 'a'), longer(300000, 'x');
  EXPECT_EQ(show(read_text(many + "," + longer + ",b\n1,0,1\n", {.label_pattern = "(a*)*b"})),
            "1 0 | 1");
  EXPECT_EQ(show(read_text(longer + ",b\n1,0\n", {.label_pattern = "(x|y)*"})), "0 | 1");
  for (const char* pattern : {"l[", "(a)\\1"}) {
    try {
      ADD_FAILURE() << show(read_text("a,l\n1,1\n", {.label_pattern = pattern}));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::usage);
    }
  }
}

TEST(CsvTraps, KnownWordsKeepTheirCodes) {
  ReadOptions options{.known_labels = {"l"}};
  options.known_nominal = {.names = {"b"}, .values = {{"z", "y", "x"}}};
  EXPECT_EQ(show(read_text("b,l\nx,1\nz,0\n", options)), "0 0 1 | 1 / 1 0 0 | 0");
  options.known_nominal.coding = Nominal::ordinal;
  EXPECT_EQ(show(read_text("b,l\nx,1\nz,0\n", options)), "2 | 1 / 0 | 0");
  // ARFF declares its own order; an omitted sparse value is the first of that order.
  const std::string arff = "@relation r\n@attribute b {x,w,z}\n@attribute l {0,1}\n@data\n";
  EXPECT_EQ(show(read_text(arff + "{1 1}\nz,0\n", options)), "2 | 1 / 0 | 0");
  try {
    ADD_FAILURE() << show(read_text(arff + "w,0\n", options));
  } catch (const Error& error) {
    EXPECT_EQ(error.where().text(), "f:5:1");
  }
}

TEST(CsvTraps, NamesInLatin1BecomeUtf8) {
  const Dataset data = read_text("caf\xe9,l\n1,1\n", {.label_prefix = "l"});
  EXPECT_EQ(data.feature_names[0], "caf\xc3\xa9");
  EXPECT_EQ(data.notes.size(), 1u);
}

// A model has its names in UTF-8, whatever the encoding of its training file.
TEST(CsvTraps, KnownNamesAreFoundInLatin1) {
  const ReadOptions options{.known_labels = {"caf\xc3\xa9"},
                            .known_nominal = {.names = {"b"}, .values = {{"x", "\xc3\xbc"}}}};
  EXPECT_EQ(show(read_text("b,caf\xe9\n\xfc,1\nx,0\n", options)), "1 | 1 / 0 | 0");
  const std::string arff = "@relation r\n@attribute b {x,\xfc}\n@attribute caf\xe9 {0,1}\n@data\n";
  EXPECT_EQ(show(read_text(arff + "\xfc,1\nx,0\n", options)), "1 | 1 / 0 | 0");
  const Dataset listed = read_text("a,t\n1,\xfc;x\n", {.label_list = "t"});
  EXPECT_EQ(listed.label_names, (std::vector<std::string>{"x", "\xc3\xbc"}));
}

TEST(Prefixes, GiveDataOrAnError) {
  Dataset data;
  data.x = Features(Matrix(3, 2, std::vector<double>{0.5, -2, 0, 1e-3, 7, 0}));
  data.y = Labels(2, {{0}, {1}, {0, 1}});
  data.label_names = {"one, \"two\"", "three"};
  const TemporaryFolder folder;
  for (const std::string name :
       {"a.libsvm", "a.txt", "a.csv", "a.tsv", "a.npz", "a.csv.gz", "a.libsvm.zst"}) {
    write_dataset(data, folder.file(name));
    const std::string bytes = folder.content(name);
    ReadOptions options;
    if (name.find("sv") == 3) options.label_count = -2;
    EXPECT_EQ(read_text(bytes, options).y, data.y) << name;
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      try {
        const Dataset part = read_text(bytes.substr(0, size), options);
        EXPECT_LE(part.rows(), data.rows());
        EXPECT_EQ(part.rows(), part.y.rows());
      } catch (const Error& error) {
        EXPECT_FALSE(error.problem().empty());
      }
    }
  }
}

// As old Macintosh programs wrote them: every format of text, with the places of errors.
TEST(CrLines, AreReadLikeOthers) {
  ReadOptions last;
  last.label_count = -1;
  const struct {
    std::string text;
    ReadOptions options = {};
  } files[] = {
      {"a,y\n1,0\n\n2,1\n", last},
      {"a\ty\n1\t0\n2\t1\n", last},
      {"a,y\n\"two\nlines\",0\nb,1\n", last},
      {"@relation 'r: -C -1'\n% comment\n@attribute a numeric\n@attribute y {0,1}\n@data\n1,0\n",
       {}},
      {"# mulberry: labels=2\n0 1:1 2:3\n1 1:2\n", {}},
      {"0 1:1 2:3\n0,1 1:2", {}},
      {"2 3 2\n0 0:1 2:3\n0,1 1:2\n", {}}};
  for (const auto& [text, options] : files) {
    std::string old = text;
    std::replace(old.begin(), old.end(), '\n', '\r');
    EXPECT_EQ(show(read_text(old, options)), show(read_text(text, options))) << text;
  }
  expect_bad({{"a,y\r1,0\r2,3\r", "3:3", "expected 0 or 1", last},
              {"@relation r\r@attribute a numeric\r@data\rx\r", "4:1", "a number", last},
              {"0 1:1\r1 2:x\r", "2:5", "a number"}});
}

}  // namespace
}  // namespace mulberry::data

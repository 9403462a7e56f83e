#include "mulberry/data/write/write.hpp"

#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include "mulberry/core/error.hpp"
#include "mulberry/data/bytes/byte_sink.hpp"
#include "mulberry/data/bytes/utf8.hpp"
#include "tests/support/temporary_folder.hpp"

namespace mulberry::data {
using namespace tests;
namespace {

// Three rows: the second has no feature set, the third no label.
Dataset dense_example() {
  Dataset data;
  data.name = "toy";
  data.x = Features(Matrix(3, 2, std::vector<double>{0.1, -2, 0, 0, 1e-300, 0}));
  data.y = Labels(2, {{0, 1}, {1}, {}});
  data.feature_names = {"plain", "with space"};
  data.label_names = {"it's", "b"};
  data.attributes = 2;
  return data;
}

Dataset sparse_example() {
  Dataset data = dense_example();
  data.x = Features(to_sparse(data.x));
  return data;
}

std::string written(const Dataset& data, const std::string& name) {
  const TemporaryFolder folder;
  write_dataset(data, folder.file(name));
  return folder.content(name);
}

void expect_refused(const Dataset& data, const std::string& name, Code code,
                    const std::string& part) {
  const TemporaryFolder folder;
  try {
    write_dataset(data, folder.file(name));
    ADD_FAILURE() << "no error for " << name;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
  EXPECT_EQ(folder.files(), 0) << "a file was left behind";
}

TEST(WriteArff, DenseRowsWithXmlBeside) {
  const TemporaryFolder folder;
  write_dataset(dense_example(), folder.file("a.arff"));
  EXPECT_EQ(folder.content("a.arff"),
            "@relation 'toy: -C -2'\n\n@attribute plain numeric\n@attribute 'with space' numeric\n"
            "@attribute 'it\\'s' {0,1}\n@attribute b {0,1}\n\n@data\n"
            "0.1,-2,1,1\n0,0,0,1\n1e-300,0,0,0\n");
  EXPECT_EQ(folder.content("a.xml"),
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
            "<labels xmlns=\"http://mulan.sourceforge.net/labels\">\n"
            "  <label name=\"it's\"/>\n  <label name=\"b\"/>\n</labels>\n");
}

TEST(WriteArff, SparseRowsAndMissingLabels) {
  Dataset data = sparse_example();
  data.y = Labels(2, {{1}, {1}, {}}, {{0}, {}, {0, 1}});
  const std::string text = written(data, "a.arff");
  EXPECT_EQ(text.substr(text.find("@data")),
            "@data\n{0 0.1,1 -2,2 ?,3 1}\n{3 1}\n{0 1e-300,2 ?,3 ?}\n");
}

TEST(WriteArff, NestedLabelsAndOddCharactersInXml) {
  Dataset data = dense_example();
  data.y = Labels(3, {{}, {}, {}});
  data.label_names = {"child", "a<\"&\n", "leaf"};
  data.rules.parent = {1, -1, 0};
  const TemporaryFolder folder;
  write_dataset(data, folder.file("a.arff.gz"));
  EXPECT_EQ(folder.content("a.xml"),
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
            "<labels xmlns=\"http://mulan.sourceforge.net/labels\">\n"
            "  <label name=\"a&lt;&quot;&amp;&#10;\">\n    <label name=\"child\">\n"
            "      <label name=\"leaf\"/>\n    </label>\n  </label>\n</labels>\n");
}

TEST(WriteArff, AnUnwritableLabelNameLeavesNeitherFile) {
  Dataset data = dense_example();
  data.label_names[1] = "bell\a";
  expect_refused(data, "a.arff", Code::unsupported, "printable");
}

TEST(WriteLibsvm, OneBasedWithMarkForTheLastColumn) {
  EXPECT_EQ(written(dense_example(), "a.libsvm"), "0,1 1:0.1 2:-2\n1\n 1:1e-300\n");
  Dataset data = sparse_example();
  data.x = Features(to_sparse(Features(Matrix(2, 3, std::vector<double>{5, 0, 0, 0, 0, 0}))));
  data.y = Labels(4, {{2}, {}});
  data.label_names = {"a", "b", "c", "d"};
  EXPECT_EQ(written(data, "a.svm"), "# mulberry: labels=4\n2 1:5 3:0\n 3:0\n");
}

TEST(WriteXmlrepo, HeaderAndZeroBasedIndices) {
  EXPECT_EQ(written(sparse_example(), "a.txt"), "3 2 2\n0,1 0:0.1 1:-2\n1\n 0:1e-300\n");
}

TEST(WriteLibsvm, RefusesWhatItCannotHold) {
  Dataset missing = dense_example();
  missing.y = Labels(2, {{}, {}, {}}, {{}, {1}, {}});
  expect_refused(missing, "a.libsvm", Code::unsupported, "row 2");
  expect_refused(missing, "a.txt", Code::unsupported, "xmlrepo files cannot hold them");
  Dataset weighted = dense_example();
  weighted.weights = {1, 2, 3};
  expect_refused(weighted, "a.libsvm", Code::unsupported, "weights");
  Dataset nothing = dense_example();
  nothing.x = Features(Matrix(3, 0));
  nothing.feature_names = {};
  expect_refused(nothing, "a.libsvm", Code::unsupported, "row 3");
}

TEST(WriteCsv, QuotesAndMissingLabels) {
  Dataset data = dense_example();
  data.label_names = {"say \"a,b\"", " b"};
  data.y = Labels(2, {{0}, {1}, {}}, {{1}, {}, {}});
  EXPECT_EQ(written(data, "a.csv"),
            "plain,with space,\"say \"\"a,b\"\"\",\" b\"\n0.1,-2,1,\n0,0,0,1\n1e-300,0,0,0\n");
  EXPECT_EQ(written(data, "a.tsv").substr(0, 22), "plain\twith space\t\"say ");
}

TEST(WriteCsv, OneColumnASet) {
  Dataset data = sparse_example();
  data.y = Labels(4, {{0, 2}, {1}, {1, 2}});
  data.label_names = {"brand=a,b", "brand=audi", "new", "rest"};
  data.sets = {{"brand"}, {{0, 1}}};
  EXPECT_EQ(written(data, "a.csv"),
            "plain,with space,brand,new,rest\n0.1,-2,\"a,b\",1,0\n0,0,audi,0,0\n"
            "1e-300,0,audi,1,0\n");
  data.label_names = {"audi", "bmw", "new", "rest"};  // not set=value: binary columns
  EXPECT_EQ(written(data, "a.csv").substr(0, 37), "plain,with space,audi,bmw,new,rest\n0.");
  data.y = Labels(4, {{0, 1}, {1}, {0}});
  expect_refused(data, "a.csv", Code::data, "row 1");
}

TEST(WriteCsv, ALoneMissingCellIsNoBlankLine) {
  Dataset data;
  data.x = Features(Matrix(1, 0));
  data.y = Labels(1, {{}}, {{0}});
  data.label_names = {"a"};
  EXPECT_EQ(written(data, "a.csv"), "a\n\"\"\n");
}

TEST(Write, NamesAreMadeUpWithoutClash) {
  Dataset data = dense_example();
  data.feature_names.clear();
  data.label_names = {"x2", "x_x2"};
  EXPECT_EQ(written(data, "a.csv").substr(0, 19), "x1,x_x_x2,x2,x_x2\n0");
}

TEST(Write, RefusesEqualNamesAndUnknownSuffixes) {
  Dataset data = dense_example();
  data.feature_names = {"b", "c"};
  expect_refused(data, "a.csv", Code::data, "two named 'b'");
  expect_refused(data, "a.arff", Code::data, "two named 'b'");
  expect_refused(data, "a.doc", Code::usage, "a.doc'");
}

// No reader accepts a column without a name, and a libsvm file without rows records nothing.
TEST(Write, RefusesWhatCannotBeReadBack) {
  Dataset data = dense_example();
  data.feature_names = {"", "b2"};
  for (const char* name : {"a.arff", "a.csv", "a.tsv"}) {
    expect_refused(data, name, Code::unsupported, "an empty one");
  }
  data = dense_example();
  data.label_names[0] = "";
  expect_refused(data, "a.arff", Code::unsupported, "an empty one");
  EXPECT_FALSE(written(data, "a.libsvm").empty());
  data = dense_example();
  data.feature_names = {"1", "2.5"};
  data.label_names = {"3", "4"};
  expect_refused(data, "a.csv", Code::unsupported, "only numbers");
  EXPECT_FALSE(written(data, "a.arff").empty());
  expect_refused(take_rows(dense_example(), {}), "a.libsvm", Code::unsupported, "expected rows");
}

TEST(WriteArff, TheLabelFileOfTheInputIsNotReplaced) {
  const TemporaryFolder folder;
  Dataset data = dense_example();
  const std::string xml =
      "<labels> <!-- mine --> <label name=\"b\"/><label name=\"it's\"/></labels>";
  const WriteOptions options{.label_file = folder.put("a.xml", xml)};
  write_dataset(data, folder.file("a.arff.gz"), options);
  EXPECT_EQ(folder.content("a.xml"), xml);  // has the same contents
  data.label_names[0] = "other";
  EXPECT_THROW(write_dataset(data, folder.file("a.arff"), options), Error);
  EXPECT_EQ(folder.content("a.xml"), xml);
  EXPECT_FALSE(std::filesystem::exists(folder.file("a.arff")));
  write_dataset(data, folder.file("b.arff"), options);
  write_dataset(data, folder.file("a.arff"));  // an older output
  EXPECT_NE(folder.content("a.xml"), xml);
}

TEST(Write, OptionBeatsSuffix) {
  const TemporaryFolder folder;
  write_dataset(dense_example(), folder.file("a.csv"), {.format = Format::xmlrepo});
  EXPECT_EQ(folder.content("a.csv").substr(0, 6), "3 2 2\n");
}

TEST(Write, WithoutTruthThereAreNoLabels) {
  Dataset data = dense_example();
  data.has_labels = false;
  const TemporaryFolder folder;
  write_dataset(data, folder.file("a.arff"));
  EXPECT_EQ(folder.content("a.arff").find("{0,1}"), std::string::npos);
  EXPECT_EQ(folder.files(), 1);  // no XML
  EXPECT_EQ(written(data, "a.csv").substr(0, 17), "plain,with space\n");
  EXPECT_EQ(written(data, "a.txt"), "3 2 0\n 0:0.1 1:-2\n 1:0\n 0:1e-300\n");
}

TEST(ByteSink, CompressesBySuffixAndReproducibly) {
  Dataset data = dense_example();
  data.x = Features(Matrix(60'000, 2, 0.123456789));
  data.y = Labels(2, std::vector<std::vector<Id>>(60'000));
  const std::string plain = written(data, "a.libsvm");
  const std::string gzip = written(data, "a.libsvm.gz");
  const std::string zstd = written(data, "a.libsvm.zst");
  ASSERT_GT(plain.size(), 1u << 20);
  EXPECT_EQ(gzip, written(data, "a.libsvm.gz"));

  std::string out(plain.size() + 1, '\0');
  z_stream stream = {};
  ASSERT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(gzip.data()));
  stream.avail_in = static_cast<uInt>(gzip.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  EXPECT_EQ(out.substr(0, stream.total_out), plain);
  inflateEnd(&stream);

  const auto size = ZSTD_decompress(out.data(), out.size(), zstd.data(), zstd.size());
  ASSERT_FALSE(ZSTD_isError(size));
  EXPECT_EQ(out.substr(0, size), plain);
}

TEST(Utf8, AnyBytesComeBack) {
  EXPECT_EQ(decode_utf8("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x8d\x87"), U"aé€🍇");
  for (const std::string bytes :
       {"", "plain", "\xff\xfe", "\xc3", "\xed\xb2\x80", "\xc0\x80", "\xf4\x90\x80\x80", "é\x80"}) {
    EXPECT_EQ(encode_utf8(decode_utf8(bytes)), bytes);
  }
  EXPECT_EQ(decode_utf8("\x80"), std::u32string(1, char32_t{0xdc80}));
  EXPECT_EQ(encode_utf8(std::u32string(1, char32_t{0x110000})), "\xef\xbf\xbd");
}

}  // namespace
}  // namespace mulberry::data

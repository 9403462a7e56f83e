// The promise of the format: old files and unknown optional sections are read, everything else that
// is not understood is refused with what to do.
#include "mulberry/model/model_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "tests/support/model_frame.hpp"
#include "tests/support/temporary_folder.hpp"

namespace mulberry::model {
using namespace tests;
namespace {

const std::string k_zeros(64, '\0');  // some arrays

class ModelFile : public testing::Test {
 protected:
  void write(const std::string& bytes) const { std::ofstream(path, std::ios::binary) << bytes; }
  std::string refusal(std::span<const std::string> known = {}) const {
    try {
      const ModelFileReader reader(path, known);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::model_file);
      return error.problem() + ". " + error.remedy();
    }
    return "";
  }
  const TemporaryFolder folder;
  const std::string path = folder.file("m");
};

constexpr const char* k_plain = R"({"about":{},"values":{"a":1},"arrays":[]})";

TEST_F(ModelFile, VersionsUpToTheOwnAreRead) {
  write(framed(1, k_plain));
  EXPECT_EQ(ModelFileReader(path).integer("a"), 1);
  write(framed(2, R"({"about":{},"sections":[],"values":{"a":2},"arrays":[]})"));
  EXPECT_EQ(ModelFileReader(path).integer("a"), 2);
  write(framed(3, k_plain));
  EXPECT_NE(refusal().find("found version 3. Use a newer mulberry"), std::string::npos);
  write(framed(0, k_plain));
  EXPECT_NE(refusal().find("found version 0"), std::string::npos);
}

TEST_F(ModelFile, AVersionThatIsNotTheHeadersIsDamage) {
  write(framed(2, k_plain));
  EXPECT_NE(refusal().find("damaged"), std::string::npos);
  write(framed(1, R"({"about":{},"sections":[],"values":{},"arrays":[]})"));
  EXPECT_NE(refusal().find("damaged"), std::string::npos);
}

TEST_F(ModelFile, UnknownSectionsAreSkippedUnlessTheyAreNeeded) {
  const std::vector<double> numbers = {1, 2, 3};
  for (const bool required : {false, true}) {
    ModelFileWriter file;
    file.add_section({"model", true, "0.1.0"});
    file.add_section({"drift", required, "7.1.0"});
    ArchiveWriter out(file);
    const std::vector<double> before = {5};
    out("model.w", before, finite());
    out("drift.w", numbers, finite());
    out("model.b", numbers, finite());
    file.save(path, "{}");
    const std::vector<std::string> known = {"model"};
    if (required) {
      EXPECT_EQ(refusal(known),
                "the model needs its part 'drift', which this version of mulberry does not know. "
                "Use mulberry 7.1.0 or later");
      continue;
    }
    const ModelFileReader source(path, known);
    ArchiveReader in(source, {});
    std::vector<double> found;
    in("model.b", found, finite());
    EXPECT_EQ(found, numbers);
  }
}

// Of a later release, in a section that this one skips.
TEST_F(ModelFile, ATypeThatIsNotKnownHasItsBytes) {
  const auto header = [](const std::string& bytes) {
    return R"({"about":{},"sections":[{"name":"new","required":false,"since":"9.0.0"}],)"
           R"("values":{"a":4},"arrays":[{"name":"new.x","type":"f16","count":32,"bytes":)" +
           bytes + R"(,"offset":0,"checksum":""}]})";
  };
  write(framed(2, header("64"), k_zeros));
  EXPECT_EQ(ModelFileReader(path).integer("a"), 4);
  EXPECT_THROW(ModelFileReader(path).array("new.x", ElementType::f32, {}, {}), Error);
  write(framed(2, header("65"), k_zeros));
  EXPECT_NE(refusal().find("damaged"), std::string::npos);
}

TEST_F(ModelFile, NumbersStayWithinTheirBounds) {
  ModelFileWriter file;
  ArchiveWriter out(file);
  double number = 2.5, none = NAN;
  Index count = 3;
  std::vector<double> reals = {1, INFINITY};
  std::vector<Id> ids = {0, 4};
  std::vector<std::int8_t> signs = {-1, 1};
  Matrix matrix(2, 3, 0.5);
  out("number", number, finite());
  out("none", none, any_real());
  out("count", count, any_count());
  out("reals", reals, finite_or_infinite());
  out("ids", ids, any_whole());
  out("signs", signs, whole(-1, 1));
  out("matrix", matrix, finite());
  file.save(path, "{}");
  const ModelFileReader source(path);
  ArchiveReader in(source, {});
  in("number", number, real(2, 3));
  in("none", none, any_real());
  in("count", count, exactly(3));
  in("reals", reals, finite_or_infinite().length(2));
  in("ids", ids, below(5).length(2));
  in("signs", signs, whole(-1, 1).length(2));
  EXPECT_EQ(signs, (std::vector<std::int8_t>{-1, 1}));
  in("matrix", matrix, real(0, 1).rows(2).cols(3));
  EXPECT_THROW(in("number", number, real(0, 2)), Error);
  EXPECT_THROW(in("none", none, finite_or_infinite()), Error);
  EXPECT_THROW(in("count", count, below(3)), Error);
  EXPECT_THROW(in("reals", reals, finite()), Error) << "infinity";
  EXPECT_THROW(in("reals", reals, finite_or_infinite().length(3)), Error);
  EXPECT_THROW(in("ids", ids, below(4)), Error);
  EXPECT_THROW(in("signs", signs, whole(0, 1)), Error);
  EXPECT_THROW(in("matrix", matrix, finite().rows(3)), Error);
  EXPECT_THROW(in("matrix", matrix, finite().cols(2)), Error);
  FixedMatrix borrowed;
  in("matrix", borrowed, real(0, 0.25));  // the values are not looked at before they are used
  EXPECT_THROW(borrowed.data(), Error);
}

TEST_F(ModelFile, APointerIsNamedForWhatItIs) {
  write("version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 12\n");
  try {
    const ModelFileReader reader(path, {});
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "expected a model, found a Git LFS pointer in place of the file");
    EXPECT_EQ(error.where().file, path);
  }
}

TEST_F(ModelFile, AHeaderOfManyBracketsIsRefused) {
  write(framed(2, std::string(1000000, '['), k_zeros));
  EXPECT_NE(refusal().find("too many brackets"), std::string::npos) << refusal();
}

}  // namespace
}  // namespace mulberry::model

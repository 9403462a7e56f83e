// The promise of the format: old files and unknown optional sections are read, everything else that
// is not understood is refused with what to do.
#include "mulberry/model/model_file.hpp"

#define XXH_INLINE_ALL
#include <gtest/gtest.h>
#include <xxhash.h>

#include <fstream>

#include "tests/support/temporary_folder.hpp"

namespace mulberry::model {
using namespace tests;
namespace {

// A file with this header and 64 bytes of arrays, all of them 0, when there are arrays.
std::string file_with(std::uint32_t version, const std::string& header, bool arrays = false) {
  std::string out = "MULBERRY";
  const auto append = [&out](const auto& value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  append(version);
  append(std::uint32_t{0});
  append(static_cast<std::uint64_t>(header.size()));
  append(static_cast<std::uint64_t>(XXH3_64bits(header.data(), header.size())));
  out += header;
  if (arrays) out.resize((out.size() + 63) / 64 * 64 + 64, '\0');
  return out;
}

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
  write(file_with(1, k_plain));
  EXPECT_EQ(ModelFileReader(path).integer("a"), 1);
  write(file_with(2, R"({"about":{},"sections":[],"values":{"a":2},"arrays":[]})"));
  EXPECT_EQ(ModelFileReader(path).integer("a"), 2);
  write(file_with(3, k_plain));
  EXPECT_NE(refusal().find("found version 3. Use a newer mulberry"), std::string::npos);
  write(file_with(0, k_plain));
  EXPECT_NE(refusal().find("found version 0"), std::string::npos);
}

TEST_F(ModelFile, AVersionThatIsNotTheHeadersIsDamage) {
  write(file_with(2, k_plain));
  EXPECT_NE(refusal().find("damaged"), std::string::npos);
  write(file_with(1, R"({"about":{},"sections":[],"values":{},"arrays":[]})"));
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
    out("model.w", before);
    out("drift.w", numbers);
    out("model.b", numbers);
    file.save(path, "{}");
    const std::vector<std::string> known = {"model"};
    if (required) {
      EXPECT_EQ(refusal(known),
                "the model needs its part 'drift', which this version of mulberry does not know. "
                "Use mulberry 7.1.0 or later");
      continue;
    }
    const ModelFileReader source(path, known);
    ArchiveReader in(source);
    std::vector<double> found;
    in("model.b", found);
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
  write(file_with(2, header("64"), true));
  EXPECT_EQ(ModelFileReader(path).integer("a"), 4);
  EXPECT_THROW(ModelFileReader(path).array("new.x", ElementType::f32), Error);
  write(file_with(2, header("65"), true));
  EXPECT_NE(refusal().find("damaged"), std::string::npos);
}

}  // namespace
}  // namespace mulberry::model

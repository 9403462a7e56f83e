#include "mulberry/data/format.hpp"

#include <gtest/gtest.h>

#include "mulberry/core/error.hpp"

namespace mulberry::data {
namespace {

TEST(Format, NamesReadBack) {
  EXPECT_EQ(format_names().size(), 7u);
  for (const auto& name : format_names()) EXPECT_EQ(format_name(format_from_name(name)), name);
  EXPECT_EQ(format_from_name("ARFF"), Format::arff);
}

TEST(Format, UnknownNameIsAnErrorWithTheNearest) {
  try {
    format_from_name("libsmv");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::usage);
    EXPECT_EQ(error.remedy(), "Did you mean 'libsvm'?");
  }
}

TEST(Format, SuffixSaysWhich) {
  EXPECT_EQ(format_from_path("a/b.arff"), Format::arff);
  EXPECT_EQ(format_from_path("a.CSV"), Format::csv);
  EXPECT_EQ(format_from_path("a.tsv.gz"), Format::tsv);
  EXPECT_EQ(format_from_path("a.svm.zst"), Format::libsvm);
  EXPECT_EQ(format_from_path("train.txt"), Format::xmlrepo);
  EXPECT_EQ(format_from_path("a.npz"), Format::npz);
  EXPECT_EQ(format_from_path("a"), std::nullopt);
  EXPECT_EQ(format_from_path("a.doc"), std::nullopt);
}

}  // namespace
}  // namespace mulberry::data

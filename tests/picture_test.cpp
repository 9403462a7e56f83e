// Pictures as users ask for them: the ending of the name decides what is written.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/support/command_test.hpp"

namespace mulberry::tests::contract {
namespace {

class Pictures : public CommandTest {
 protected:
  void SetUp() override {
    ok({"generate", "photos", "--rows", "80", "-o", data});
    ok({"fit", "br_logistic", data, "-o", model, "--quiet"});
  }
  void TearDown() override { setenv("PATH", path.c_str(), 1); }
  // The first bytes of a picture of the labels.
  std::string picture(const std::string& name) const {
    const std::string file = scratch.file(name);
    ok({"describe", data, "--picture", file});
    return slurp(file).substr(0, 4);
  }
  std::string data = scratch.file("photos.arff"), model = scratch.file("photos.mb");
  std::string path = std::getenv("PATH");
};

TEST_F(Pictures, TheEndingDecides) {
  EXPECT_EQ(picture("a.svg"), "<svg");
  EXPECT_EQ(picture("a.SVG"), "<svg");
  EXPECT_EQ(picture("a"), "<svg");
  EXPECT_EQ(picture("a.png"), "\x89PNG");
  EXPECT_EQ(picture("a.pdf"), "%PDF");
  wrong({"describe", data, "--picture", scratch.file("a.jpg")}, ".svg, .png or .pdf");
  wrong({"relations", data, "--graph", scratch.file("a.gif")}, ".svg, .png or .pdf");
}

TEST_F(Pictures, WithoutAConverterOnlySvg) {
  setenv("PATH", scratch.file("").c_str(), 1);
  EXPECT_EQ(picture("a.svg"), "<svg");
  wrong({"cv", "br_logistic", data, "--picture", scratch.file("a.png")}, "rsvg-convert");
  EXPECT_FALSE(std::filesystem::exists(scratch.file("a.png")));
}

TEST_F(Pictures, AConverterThatFailsLeavesNothing) {
  const std::string fake = scratch.file("rsvg-convert");
  std::ofstream(fake) << "#!/bin/sh\nexit 3\n";
  std::filesystem::permissions(fake, std::filesystem::perms::owner_all);
  setenv("PATH", (std::filesystem::path(fake).parent_path().string() + ":" + path).c_str(), 1);
  wrong({"describe", data, "--picture", scratch.file("a.png")}, "rsvg-convert could not make");
  EXPECT_FALSE(std::filesystem::exists(scratch.file("a.png")));
}

TEST_F(Pictures, OfLabelsWorstFirst) {
  const std::string file = scratch.file("labels.svg");
  ok({"score", model, data, "--picture", file});
  const std::string svg = slurp(file);
  for (const char* words : {"worst first", ">sunset<", ">precision<", "precision (up) against"}) {
    EXPECT_NE(svg.find(words), std::string::npos) << words;
  }
}

TEST_F(Pictures, OfLabelSets) {
  const std::string cars = scratch.file("cars.csv"), trained = scratch.file("cars.mb"),
                    file = scratch.file("cars.svg");
  ok({"generate", "cars", "--rows", "200", "-o", cars});
  ok({"fit", "independent(base=prior)", cars, "-o", trained, "--label-sets", "brand,type"});
  ok({"score", trained, cars, "--picture", file});
  const std::string svg = slurp(file);
  for (const char* words : {">brand<", ">type<", ">brand with type, as predicted<"}) {
    EXPECT_NE(svg.find(words), std::string::npos) << words;
  }
}

}  // namespace
}  // namespace mulberry::tests::contract

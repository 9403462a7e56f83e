#include "mulberry/report/relations_report.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>

namespace mulberry {
namespace {

constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

// Row learns, column helps: sunset helps sea much, sea hardly helps back; the last row is unknown.
Relations example() {
  Relations out;
  out.names = {"sea", "sunset", "<trees> & \"x\"", "never"};
  out.score = Matrix(4, 4,
                     Array<double>(std::vector<double>{1, 0.4, -0.2, 0,   //
                                                       0.01, 1, 0, 0.06,  //
                                                       -0.3, 0, 1, 0,     //
                                                       k_nan, k_nan, k_nan, k_nan}));
  return out;
}

TEST(Relations, StrongestArrowsFirst) {
  const auto arrows = strongest_arrows(example(), 10, 0.05);
  ASSERT_EQ(arrows.size(), 4u);
  EXPECT_EQ(arrows[0].helper, 1);
  EXPECT_EQ(arrows[0].learner, 0);
  EXPECT_EQ(arrows[0].score, 0.4);
  EXPECT_EQ(arrows[0].reverse, 0.01);
  EXPECT_EQ(arrows[1].score, -0.3);
  EXPECT_EQ(strongest_arrows(example(), 2, 0.05).size(), 2u);
  EXPECT_EQ(strongest_arrows(example(), 10, 0.25).size(), 2u);
}

TEST(Relations, SentencesSayTheDirection) {
  const Relations r = example();
  const auto arrows = strongest_arrows(r, 10, 0.05);
  EXPECT_EQ(arrow_sentence(r, arrows[0], 0.05),
            "When sunset is likely, sea becomes more likely; the reverse does not hold.");
  EXPECT_EQ(arrow_sentence(r, arrows[1], 0.05),
            "When sea is likely, <trees> & \"x\" becomes less likely, and the other way round.");
  const auto with_reverse = [&](double reverse) {
    Arrow arrow = arrows[0];  // 0.4
    arrow.reverse = reverse;
    const std::string sentence = arrow_sentence(r, arrow, 0.05);
    const std::string start = "When sunset is likely, sea becomes more likely";
    EXPECT_EQ(sentence.substr(0, start.size()), start);
    return sentence.substr(start.size());
  };
  EXPECT_EQ(with_reverse(0.049), "; the reverse does not hold.");
  EXPECT_EQ(with_reverse(0.06), "; the reverse holds too, but much less.");
  EXPECT_EQ(with_reverse(0.2), ", and the other way round.");
  EXPECT_EQ(with_reverse(-0.049), "; the reverse does not hold.");
  EXPECT_EQ(with_reverse(-0.3), "; but sea makes sunset less likely.");
  EXPECT_EQ(with_reverse(k_nan), "; the reverse is not known.");
  // The arrow back has been said.
  EXPECT_EQ(arrow_sentences(r, arrows, 0.05).size(), 3u);
  Relations repeated = r;
  repeated.stability = {10, Matrix(4, 4, 0.9), Matrix(4, 4, 0.3), Matrix(4, 4, 0.01)};
  EXPECT_NE(arrow_sentence(repeated, arrows[0], 0.05).find("(seen in 9 of 10 repeats)."),
            std::string::npos);
}

TEST(Relations, ArrowsThatDoNotComeBackAreNotRelatedAsFacts) {
  Relations r = example();
  r.stability = {10, Matrix(4, 4, 1.0), Matrix(4, 4, 0.3), Matrix(4, 4, 0.01)};
  r.stability.agreement(0, 2) = 0.5;   // the way back of the second arrow
  r.stability.agreement(1, 3) = 0.75;  // the weakest
  const auto arrows = strongest_arrows(r, 10, 0.05);
  const auto sentences = arrow_sentences(r, arrows, 0.05);
  ASSERT_EQ(sentences.size(), 3u);
  EXPECT_NE(sentences[1].find("the reverse is not certain"), std::string::npos);
  EXPECT_EQ(sentences[2],
            "Do not rely on the other 2 arrows: seen again in less than 80 % of the repeats.");
  EXPECT_NE(relations_graph(r, arrows).find("stroke-dasharray"), std::string::npos);
  EXPECT_EQ(relations_graph(example(), arrows).find("stroke-dasharray"), std::string::npos);
  EXPECT_NE(relations_dot(r, arrows).find("style=dashed"), std::string::npos);
  const auto json = nlohmann::json::parse(relations_json(r, arrows, 0.05));
  EXPECT_EQ(json["arrows"][0]["firm"], true);
  EXPECT_EQ(json["arrows"][3]["firm"], false);
  EXPECT_EQ(json["arrows"][0]["repeated_mean"], 0.3);
}

TEST(Relations, FilesForOtherToolsAreWellFormed) {
  const Relations r = example();
  const auto arrows = strongest_arrows(r, 10, 0.05);
  const auto json = nlohmann::json::parse(relations_json(r, arrows, 0.05));
  EXPECT_EQ(json["arrows"].size(), 4u);
  EXPECT_EQ(json["arrows"][0]["helper"], "sunset");
  EXPECT_TRUE(json["reuse_score"][3][0].is_null());
  EXPECT_FALSE(json.contains("phi"));
  const std::string dot = relations_dot(r, arrows);
  EXPECT_NE(dot.find("\"sunset\" -> \"sea\""), std::string::npos);
  EXPECT_NE(dot.find("\"<trees> & \\\"x\\\"\""), std::string::npos);
}

TEST(Relations, PicturesShowEveryLabelAndArrow) {
  Relations r = example();
  r.phi = Matrix(4, 4, 0.1);
  const auto arrows = strongest_arrows(r, 10, 0.05);
  pugi::xml_document graph, picture, empty;
  ASSERT_TRUE(graph.load_string(relations_graph(r, arrows).c_str()));
  EXPECT_EQ(graph.select_nodes("//circle").size(), 4u);
  EXPECT_EQ(graph.select_nodes("//polyline").size(), arrows.size());
  EXPECT_EQ(graph.select_nodes("//polygon").size(), arrows.size());
  ASSERT_TRUE(picture.load_string(relations_picture(r).c_str()));
  EXPECT_EQ(picture.select_nodes("//rect[title]").size(), 2u * 16);
  ASSERT_TRUE(empty.load_string(relations_graph(r, {}).c_str()));
  // One very large score does not make the others pale.
  Arrow huge = arrows[0];
  huge.score = 1;
  const std::string one = relations_graph(r, {huge, arrows[1]});
  huge.score = 50;
  EXPECT_EQ(relations_graph(r, {huge, arrows[1]}), one);
  r.score(0, 1) = 50;
  EXPECT_NE(relations_picture(r).find("full colour at 1.00 and beyond"), std::string::npos);
}

}  // namespace
}  // namespace mulberry

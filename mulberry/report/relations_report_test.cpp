#include "mulberry/report/relations_report.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numbers>
#include <pugixml.hpp>
#include <sstream>

#include "mulberry/core/index.hpp"
#include "mulberry/report/draw/svg.hpp"

namespace mulberry::report {
namespace {

constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

// Rows learn, columns help: sunset helps sea a lot, sea hardly helps sunset; the last row is
// unknown.
Relations example() {
  Relations out;
  out.names = {"sea", "sunset", "<trees> & \"x\"", "never"};
  out.score = Matrix(4, 4,
                     std::vector<double>{1, 0.4, -0.2, 0,   //
                                         0.01, 1, 0, 0.06,  //
                                         -0.3, 0, 1, 0,     //
                                         k_nan, k_nan, k_nan, k_nan});
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

// A label of five rows whose own stumps gave almost nothing does not come first.
TEST(Relations, ScoresOfRareLabelsAreShrunk) {
  const Matrix score(3, 3, std::vector<double>{1, 6.96, 0.5, 0.1, 1, 0.4, 0, 0.2, 1});
  const Matrix shrunk = shrunk_scores(score, std::vector<Index>{5, 20, 20'000});
  EXPECT_DOUBLE_EQ(shrunk(0, 1), 6.96 / (1 + 4 * 7.46));
  EXPECT_DOUBLE_EQ(shrunk(1, 2), 0.4 / 1.5);
  EXPECT_NEAR(shrunk(2, 1), 0.2, 1e-4);
  EXPECT_EQ(shrunk(0, 0), 1);
  const auto arrows = strongest_arrows({.names = {"a", "b", "c"}, .score = shrunk}, 3, 0.05);
  EXPECT_EQ(arrows[0].learner, 1);
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
  EXPECT_EQ(with_reverse(-0.3), "; but when sea is likely, sunset becomes less likely.");
  EXPECT_EQ(with_reverse(k_nan), "; the reverse is not known.");
  // A contradiction in the data is mentioned.
  Relations with_phi = r;
  with_phi.phi = Matrix(4, 4, -0.08);
  EXPECT_EQ(arrow_sentence(with_phi, arrows[0], 0.05),
            "When sunset is likely, sea becomes more likely; the reverse does not hold. Yet in the "
            "data they go together less often than by chance.");
  EXPECT_EQ(arrow_sentence(with_phi, arrows[1], 0.05), arrow_sentence(r, arrows[1], 0.05));
  with_phi.phi = Matrix(4, 4, 0.04);
  EXPECT_EQ(arrow_sentence(with_phi, arrows[1], 0.05), arrow_sentence(r, arrows[1], 0.05));
  // The reverse arrow is already covered.
  EXPECT_EQ(arrow_sentences(r, arrows, 0.05).size(), 3u);
  Relations repeated = r;
  repeated.stability = {10, Matrix(4, 4, 0.9), Matrix(4, 4, 0.3), Matrix(4, 4, 0.01)};
  EXPECT_NE(arrow_sentence(repeated, arrows[0], 0.05).find("(seen in 9 of 10 repeats)."),
            std::string::npos);
}

TEST(Relations, ArrowsThatDoNotComeBackAreNotRelatedAsFacts) {
  Relations r = example();
  r.stability = {10, Matrix(4, 4, 1.0), Matrix(4, 4, 0.3), Matrix(4, 4, 0.01)};
  r.stability.agreement(0, 2) = 0.5;   // the reverse of the second arrow
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
  EXPECT_NE(relations_picture(r).find(">≥ 1<"), std::string::npos);  // the colour bar
}

// All labels help one: its dot is where many arrows end.
TEST(RelationsPicture, HeadsDoNotCoverEachOther) {
  constexpr Index k_labels = 24;
  Relations r;
  r.score = Matrix(k_labels, k_labels);
  for (Index l = 0; l < k_labels; ++l) {
    r.names.push_back("label " + std::to_string(l));
    if (l > 0) r.score(0, l) = 0.2 + 0.03 * static_cast<double>(l);
  }
  const auto arrows = strongest_arrows(r, 30, 0.05);
  ASSERT_EQ(count_of(arrows), k_labels - 1);
  pugi::xml_document graph;
  ASSERT_TRUE(graph.load_string(relations_graph(r, arrows).c_str()));
  std::vector<Point> middles;
  for (const auto& node : graph.select_nodes("//polygon")) {
    std::istringstream in(node.node().attribute("points").value());
    double x = 0, y = 0;
    for (std::string corner; in >> corner;) {
      x += std::stod(corner) / 3;
      y += std::stod(corner.substr(corner.find(',') + 1)) / 3;
    }
    for (const Point& other : middles) {
      EXPECT_GT(std::hypot(other.first - x, other.second - y), 7) << x << ", " << y;
    }
    middles.emplace_back(x, y);
  }
  EXPECT_EQ(middles.size(), arrows.size());
}

TEST(RelationsPicture, NothingIsMinusZero) {
  Relations r;
  r.names = {"a", "b"};
  r.score = Matrix(2, 2, -0.001);
  r.phi = Matrix(2, 2, -0.004);
  EXPECT_EQ(relations_picture(r).find("-0.00"), std::string::npos);
}

// Ring of labels, each helped by the one before it.
Relations ring(Index labels) {
  Relations out;
  out.score = Matrix(labels, labels);
  for (Index l = 0; l < labels; ++l) {
    out.names.push_back("a label of some length " + std::to_string(l));
    out.score(l, l) = 1;
    out.score(l, (l + 1) % labels) = l % 2 == 0 ? -0.3 : 0.2;
  }
  out.phi = out.co_occurrence = Matrix(labels, labels, 0.1);
  return out;
}

// Where the middle line of a text begins and ends, by its estimated width.
std::pair<Point, Point> ends_of(const pugi::xml_node& text) {
  const double size = text.attribute("font-size").as_double();
  const double width = text_width(text.text().get(), size);
  const std::string anchor = text.attribute("text-anchor").value();
  const double before = anchor == "end" ? width : anchor == "middle" ? width / 2 : 0;
  const std::string turn = text.attribute("transform").value();  // rotate(degrees x y)
  const double angle =
      turn.empty() ? 0 : std::stod(turn.substr(turn.find('(') + 1)) * std::numbers::pi / 180;
  const double x = text.attribute("x").as_double(), y = text.attribute("y").as_double();
  const auto at = [&](double way) {
    const double up = 0.36 * size;
    return Point(x + way * std::cos(angle) + up * std::sin(angle),
                 y + way * std::sin(angle) - up * std::cos(angle));
  };
  return {at(-before), at(width - before)};
}

void expect_text_inside(const std::string& svg) {
  pugi::xml_document page;
  ASSERT_TRUE(page.load_string(svg.c_str()));
  const double width = page.child("svg").attribute("width").as_double();
  const double height = page.child("svg").attribute("height").as_double();
  for (const auto& node : page.select_nodes("//text")) {
    const auto [begin, end] = ends_of(node.node());
    for (const Point& p : {begin, end}) {
      EXPECT_GE(p.first, 0) << node.node().text().get();
      EXPECT_LE(p.first, width) << node.node().text().get();
      EXPECT_GE(p.second, 0) << node.node().text().get();
      EXPECT_LE(p.second, height) << node.node().text().get();
    }
  }
}

TEST(Relations, PicturesHaveRoomForTheirText) {
  for (const Index labels : {1, 2, 5, 14, 53, 200}) {
    const Relations r = ring(labels);
    expect_text_inside(relations_picture(r));
    expect_text_inside(relations_graph(r, strongest_arrows(r, 1000, 0.05)));
  }
}

TEST(Relations, NamesOfAGraphDoNotMeet) {
  for (const Index labels : {10, 24, 60, 374}) {
    const Relations r = ring(labels);
    pugi::xml_document graph;
    ASSERT_TRUE(graph.load_string(relations_graph(r, strongest_arrows(r, 1000, 0.05)).c_str()));
    std::vector<std::pair<Point, Point>> names;
    for (const auto& node : graph.select_nodes("//text[starts-with(text(), 'a label')]"))
      names.push_back(ends_of(node.node()));
    ASSERT_EQ(count_of(names), labels);
    for (std::size_t i = 0; i < names.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        // Points along both: level names are 12 apart in height, or next to each other.
        double nearest = std::numeric_limits<double>::infinity();
        for (double s = 0; s <= 1; s += 0.05) {
          for (double t = 0; t <= 1; t += 0.05) {
            const auto on = [](const std::pair<Point, Point>& line, double share) {
              return Point(line.first.first + share * (line.second.first - line.first.first),
                           line.first.second + share * (line.second.second - line.first.second));
            };
            const Point a = on(names[i], s), b = on(names[j], t);
            nearest = std::min(nearest, std::hypot(a.first - b.first, a.second - b.second));
          }
        }
        EXPECT_GE(nearest, 10) << labels << " labels: " << i << " and " << j;
      }
    }
  }
}

TEST(Relations, AHeatMapHasAllItsNumbersOrNone) {
  for (const Index labels : {5, 14, 20, 53}) {
    const Relations r = ring(labels);
    pugi::xml_document picture;
    ASSERT_TRUE(picture.load_string(relations_picture(r).c_str()));
    const auto positive = picture.select_nodes("//text[. = '0.20']").size();
    const auto negative = picture.select_nodes("//text[. = '-0.30']").size();
    EXPECT_EQ(positive + negative, labels <= 14 ? at(labels) : 0u) << labels;
  }
}

TEST(Relations, APictureSaysWhatIsNotThere) {
  EXPECT_NE(relations_graph(example(), {}).find("no arrow is strong enough"), std::string::npos);
  EXPECT_NE(relations_picture(example()).find("grey: not known"), std::string::npos);
  EXPECT_EQ(relations_picture(ring(5)).find("grey: not known"), std::string::npos);
}

}  // namespace
}  // namespace mulberry::report

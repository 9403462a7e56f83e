// Whole pages: hostile names, nothing, one label, many labels; numbers as the measures give them.
// tests/browser_test.py opens them in a browser.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "mulberry/data/generate/generate.hpp"
#include "mulberry/measures/bootstrap.hpp"
#include "mulberry/report/page/comparison_page.hpp"
#include "mulberry/report/page/data_page.hpp"
#include "mulberry/report/page/model_page.hpp"
#include "mulberry/report/page/relations_page.hpp"

namespace mulberry::report {
namespace {

using Json = nlohmann::ordered_json;

Json data_of(const std::string& html) {
  const std::string start = "id=\"page-data\">";
  const auto from = html.find(start) + start.size();
  return Json::parse(html.substr(from, html.find("</script>", from) - from));
}

int occurrences(const std::string& text, const std::string& part) {
  int out = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++out;
  return out;
}

Dataset small(Index rows, Index labels) {
  GenerateOptions options;
  options.rows = rows;
  options.features = 5;
  options.labels = labels;
  options.cardinality = std::min(2.0, 0.4 * static_cast<double>(labels));
  return generate("linear", options, Context());
}

const std::string& hostile() {
  static const std::string name = "</script><script>alert(1)</script>\"'&\x01\xff\xe2\x80\xae";
  return name;
}

Dataset hostile_data() {
  Dataset out = small(60, 4);
  out.name = hostile();
  out.feature_names.assign(5, hostile());
  for (std::size_t l = 0; l < 4; ++l) out.label_names[l] = hostile() + std::to_string(l);
  out.id_name = hostile();
  out.ids.assign(60, hostile());
  return out;
}

// A script of data, the scripts of the page, and no others.
void expect_harmless(const Page& page) {
  const std::string html = page_html(page);
  const int scripts = 2 + static_cast<int>(page.scripts.size());
  EXPECT_EQ(occurrences(html, "<script"), scripts);
  EXPECT_EQ(occurrences(html, "</script"), scripts);
  EXPECT_EQ(html.find("alert(1)</script>"), html.npos);
  EXPECT_EQ(html.find('\x01'), html.npos);
  EXPECT_NO_THROW(data_of(html));
}

TEST(Pages, HostileNames) {
  const Dataset data = hostile_data();
  expect_harmless(data_page(data, Context()));
  const TrainedModel model = train(CompleteSpec(parse_spec("mahr(rounds=5)")), data, {}, Context());
  expect_harmless(model_page(model, data, {}, ImportanceOf::few_features, Context()));
  Relations relations{.names = data.label_names, .score = Matrix(4, 4, 0.4)};
  expect_harmless(relations_page(relations, hostile(), 0.05));
  EvaluateOptions options;
  options.split.folds = 2;
  const CompleteSpec specs[] = {"br_logistic", "ml_knn"};
  expect_harmless(comparison_page(cross_validate(specs, data, options, Context())));
}

TEST(Pages, NothingIsAPageToo) {
  Dataset data;
  data.x = Matrix(0, 3);
  data.y = Labels(2, {});
  data.label_names = {"a", "b"};
  const std::string html = page_html(data_page(data, Context()));
  EXPECT_NE(html.find("The data has no rows."), html.npos);
  EXPECT_EQ(html.find("a single value"), html.npos) << "of no row";
  Relations none{.names = {"a", "b"}, .score = Matrix(2, 2, std::nan(""))};
  EXPECT_NE(page_html(relations_page(none, "x", 0.05)).find("No arrow"), html.npos);
}

TEST(Pages, OneLabel) {
  const Dataset data = small(80, 1);
  EXPECT_EQ(data_of(page_html(data_page(data, Context())))["tables"]["labels"]["rows"].size(), 1u);
  const TrainedModel model = train(CompleteSpec(parse_spec("br_logistic")), data, {}, Context());
  const Json page =
      data_of(page_html(model_page(model, data, {}, ImportanceOf::few_features, Context())));
  EXPECT_EQ(page["tables"]["labels"]["rows"].size(), 1u);
  EXPECT_EQ(page["data"]["curves"].size(), 1u);
}

TEST(Pages, ManyLabelsStaySmall) {
  GenerateOptions options;
  options.rows = 500;
  options.features = 3;
  options.labels = 1000;
  options.cardinality = 10;
  const Dataset data = generate("linear", options, Context());
  EXPECT_LT(page_html(data_page(data, Context())).size(), 2'000'000u);
  const TrainedModel model = train(CompleteSpec(parse_spec("br(base=prior)")), data, {}, Context());
  EXPECT_LT(page_html(model_page(model, data, {}, ImportanceOf::few_features, Context())).size(),
            5'000'000u);
}

TEST(Pages, NumbersAreThoseOfTheMeasures) {
  const Dataset data = small(120, 4);
  const TrainedModel model = train(CompleteSpec(parse_spec("br_logistic")), data, {}, Context());
  const Json page =
      data_of(page_html(model_page(model, data, {}, ImportanceOf::few_features, Context())));
  const Prediction prediction = model.predict(data, Context());
  const Labels decided = model.decide(prediction);
  MeasureOptions options;
  options.propensities = model.propensities;
  const Outcome outcome{.scores = &prediction.scores, .decided = &decided, .probabilities = true};
  const auto values = measure_all(data.y, outcome, options, Context());
  const Json& rows = page["tables"]["measures"]["rows"];
  ASSERT_EQ(rows.size(), values.size());
  const std::vector<std::string> names = {"macro_f1"};
  const Interval interval = bootstrap(names, data.y, outcome, options, {}, Context())[0];
  for (std::size_t m = 0; m < values.size(); ++m) {
    EXPECT_EQ(rows[m][0], values[m].name);
    if (std::isfinite(values[m].value)) {
      EXPECT_EQ(rows[m][1].get<double>(), values[m].value);
    }
    if (values[m].name == "macro_f1") {
      EXPECT_EQ(rows[m][2].get<double>(), interval.low);
      EXPECT_EQ(rows[m][3].get<double>(), interval.high);
    }
  }
}

TEST(Pages, WarnOfWhatIsWrongWithData) {
  Dataset data = small(40, 3);
  Matrix x(40, 2, 1.0);  // constant features: every row is a copy, most with other labels
  data.x = x;
  data.feature_names = {"u", "v"};
  data.y = Labels(3, [&] {
    std::vector<std::vector<Id>> rows(40);
    for (std::size_t i = 0; i < 40; ++i) rows[i] = {static_cast<Id>(i % 2)};
    return rows;
  }());
  const std::string html = page_html(data_page(data, Context()));
  for (const char* words : {"occurs in no row", "39 rows have the features of an earlier row",
                            "2 features have a single value"}) {
    EXPECT_NE(html.find(words), html.npos) << words;
  }
  EXPECT_EQ(data_of(html)["tables"]["duplicates"]["rows"][0][4], "labels differ");
}

TEST(Pages, SayWhatTheLearnerSays) {
  const Dataset data = small(80, 3);
  const TrainedModel forest =
      train(CompleteSpec(parse_spec("forest(trees=5)")), data, {}, Context());
  const Json page = data_of(page_html(learner_page(forest)));
  EXPECT_EQ(page["tables"]["importance"]["rows"].size(), 5u);
  const TrainedModel mahr = train(CompleteSpec(parse_spec("mahr(rounds=5)")), data, {}, Context());
  const std::string html = page_html(learner_page(mahr));
  EXPECT_NE(html.find("Which label helps which"), html.npos);
  EXPECT_NE(html.find("Learning curve"), html.npos);
}

TEST(Pages, ShowEveryTrialOfASearch) {
  TuneResult result{.measure = "micro_f1", .searched = {"k"}};
  for (const char* spec : {"ml_knn", "ml_knn(k=3)", "ml_knn(k=30)"}) {  // the first has k = 10
    Trial& trial = result.trials.emplace_back();
    trial.spec = parse_spec(spec);
    trial.estimate.mean = 0.5 + 0.1 * static_cast<double>(result.trials.size());
  }
  EXPECT_EQ(occurrences(page_html(tune_page(result, "ml_knn", "data")), "<circle"), 3);
}

TEST(Pages, NameTheLabelsThatNeedAFeature) {
  const Dataset data = small(80, 3);
  const TrainedModel model = train(CompleteSpec(parse_spec("br_logistic")), data, {}, Context());
  const Json page =
      data_of(page_html(model_page(model, data, {}, ImportanceOf::few_features, Context())));
  const Json& rows = page["tables"]["importance"]["rows"];
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_GE(rows[0][1].get<double>(), rows[4][1].get<double>());
  EXPECT_NE(rows[0][2].get<std::string>().find(data.label_names[0].substr(0, 1)),
            std::string::npos);
}

}  // namespace
}  // namespace mulberry::report

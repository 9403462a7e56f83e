// The well-known benchmark sets load and have their published figures.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>

#include "mulberry/core/error.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/data/read/read.hpp"
#include "tests/support/places.hpp"

namespace mulberry::tests {
namespace {

struct Known {
  const char* name;
  std::vector<const char*> files;  // the whole set, or its parts
  Index rows, features, labels;
  double cardinality;  // of three decimals
  std::size_t label_sets;
};

const std::vector<Known> k_known = {
    {"yeast", {"yeast/yeast.arff.gz"}, 2417, 103, 14, 4.237, 198},
    {"yeast-parts",
     {"yeast/yeast-train.arff.gz", "yeast/yeast-test.arff"},
     2417,
     103,
     14,
     4.237,
     198},
    {"scene", {"scene/scene-train.arff.gz", "scene/scene-test.arff.gz"}, 2407, 294, 6, 1.074, 15},
    {"emotions", {"emotions/emotions.arff"}, 593, 72, 6, 1.868, 27},
    {"emotions-parts",
     {"emotions/emotions-train.arff", "emotions/emotions-test.arff"},
     593,
     72,
     6,
     1.868,
     27},
    {"medical", {"medical/medical.arff"}, 978, 1449, 45, 1.245, 94},
    {"medical-parts",
     {"medical/medical-train.arff", "medical/medical-test.arff"},
     978,
     1449,
     45,
     1.245,
     94},
    {"enron", {"enron/enron.arff"}, 1702, 1001, 53, 3.378, 753},
    {"enron-parts",
     {"enron/enron-train.arff", "enron/enron-test.arff"},
     1702,
     1001,
     53,
     3.378,
     753},
    {"cal500", {"cal500/cal500.arff"}, 502, 68, 174, 26.044, 502},
    {"image", {"image/image-train.arff.gz", "image/image-test.arff.gz"}, 2000, 294, 5, 1.236, 20},
    {"llog", {"llog/llog.arff.gz"}, 1460, 1004, 75, 1.180, 304},
    {"slashdot", {"slashdot/SLASHDOT-F.arff"}, 3782, 1079, 22, 1.181, 156},
    {"yahoo-arts",
     {"yahoo-arts/yahoo-arts-train.arff", "yahoo-arts/yahoo-arts-test.arff.gz"},
     5000,
     462,
     26,
     1.636,
     462},
    {"yahoo-business",
     {"yahoo-business/yahoo-business-train.arff", "yahoo-business/yahoo-business-test.arff.gz"},
     5000,
     438,
     30,
     1.588,
     161},
    {"yahoo-computers",
     {"yahoo-computers/yahoo-computers-train.arff.gz",
      "yahoo-computers/yahoo-computers-test.arff.gz"},
     5000,
     681,
     33,
     1.508,
     253},
    {"yahoo-education",
     {"yahoo-education/yahoo-education-train.arff.gz",
      "yahoo-education/yahoo-education-test.arff.gz"},
     5000,
     550,
     33,
     1.461,
     308},
    {"yahoo-entertainment",
     {"yahoo-entertainment/yahoo-entertainment-train.arff.gz",
      "yahoo-entertainment/yahoo-entertainment-test.arff.gz"},
     5000,
     640,
     21,
     1.420,
     232},
    {"yahoo-health",
     {"yahoo-health/yahoo-health-train.arff.gz", "yahoo-health/yahoo-health-test.arff.gz"},
     5000,
     612,
     32,
     1.662,
     257},
    {"yahoo-recreation",
     {"yahoo-recreation/yahoo-recreation-train.arff.gz",
      "yahoo-recreation/yahoo-recreation-test.arff.gz"},
     5000,
     606,
     22,
     1.423,
     322},
    {"yahoo-reference",
     {"yahoo-reference/yahoo-reference-train.arff.gz",
      "yahoo-reference/yahoo-reference-test.arff.gz"},
     5000,
     793,
     33,
     1.169,
     217},
    {"yahoo-science",
     {"yahoo-science/yahoo-science-train.arff.gz", "yahoo-science/yahoo-science-test.arff.gz"},
     5000,
     743,
     40,
     1.451,
     398},
    {"yahoo-social",
     {"yahoo-social/yahoo-social-train.arff.gz", "yahoo-social/yahoo-social-test.arff.gz"},
     5000,
     1047,
     39,
     1.283,
     226},
    {"yahoo-society",
     {"yahoo-society/yahoo-society-train.arff.gz", "yahoo-society/yahoo-society-test.arff.gz"},
     5000,
     636,
     27,
     1.692,
     582},
    {"flags", {"flags/flags.arff"}, 194, 19, 7, 3.392, 54},
    {"flags-parts", {"flags/flags-train.arff", "flags/flags-test.arff"}, 194, 19, 7, 3.392, 54},
    {"corel5k",
     {"corel5k/Corel5k-train-sparse.arff", "corel5k/Corel5k-test-sparse.arff"},
     5000,
     499,
     374,
     3.522,
     3175},
    {"bibtex", {"bibtex/bibtex.arff.gz"}, 7395, 1836, 159, 2.402, 2856},
    {"bibtex-parts",
     {"bibtex/bibtex-train.arff.gz", "bibtex/bibtex-test.arff.gz"},
     7395,
     1836,
     159,
     2.402,
     2856},
    {"delicious",
     {"delicious/delicious-train.arff.gz", "delicious/delicious-test.arff"},
     16105,
     500,
     983,
     19.020,
     15806},
    {"tmc2007",
     {"tmc2007/tmc2007-500-train.arff.gz", "tmc2007/tmc2007-500-test.arff.gz"},
     28596,
     500,
     22,
     2.158,
     1341},
    {"reuters-k500",
     {"reuters-k500/reuters-k500-train.arff", "reuters-k500/reuters-k500-test.arff"},
     6000,
     500,
     103,
     1.462,
     811},
    {"rcv1subset1", {"rcv1/rcv1subset1.arff.gz"}, 6000, 47236, 101, 2.880, 1028},
    {"rcv1subset2", {"rcv1/rcv1subset2.arff.gz"}, 6000, 47236, 101, 2.634, 954},
    {"rcv1subset3", {"rcv1/rcv1subset3.arff.gz"}, 6000, 47236, 101, 2.614, 939},
    {"rcv1subset4", {"rcv1/rcv1subset4.arff.gz"}, 6000, 47229, 101, 2.484, 816},
    {"corel5k-densehue",
     {"corel5k-densehue/corel5k-densehue-train.arff",
      "corel5k-densehue/corel5k-densehue-test.arff"},
     4999,
     100,
     260,
     3.396,
     2992},
    {"mirflickr25k-tags",
     {"mirflickr25k-tags/mirflickr25k-tags.arff.gz"},
     20015,
     1386,
     24,
     3.779,
     2582},
    {"voice", {"voice/voice.arff.gz"}, 3168, 20, 2, 1.000, 2},
    {"frequency-gender", {"voice/frequency-gender.arff.gz"}, 3157, 19, 7, 2.000, 9},
};

// Empty if everything is as published, otherwise the differences.
std::string difference(const Known& known) {
  Index rows = 0, positives = 0;
  std::set<std::vector<Id>> label_sets;
  std::ostringstream out;
  for (const char* file : known.files) {
    const Dataset data = read_dataset(places::real_data() + "/" + file);
    rows += data.rows();
    positives += data.y.positives();
    for (Index i = 0; i < data.rows(); ++i) {
      label_sets.emplace(data.y.row(i).begin(), data.y.row(i).end());
    }
    if (data.attributes != known.features) out << file << ": features " << data.attributes << "; ";
    if (data.labels() != known.labels) out << file << ": labels " << data.labels() << "; ";
    if (data.y.has_missing()) out << file << ": missing labels; ";
    if (data.feature_names.size() != static_cast<std::size_t>(data.columns())) {
      out << file << ": names of features; ";
    }
  }
  const double cardinality = static_cast<double>(positives) / static_cast<double>(rows);
  if (rows != known.rows) out << "rows " << rows << "; ";
  if (std::abs(cardinality - known.cardinality) > 0.0005000001) {
    out << "cardinality " << cardinality << "; ";
  }
  if (label_sets.size() != known.label_sets) out << "label sets " << label_sets.size() << "; ";
  return out.str();
}

TEST(RealData, HasThePublishedFigures) {
  if (!std::filesystem::exists(places::real_data())) {
    GTEST_SKIP() << "no data in " << places::real_data() << " (set MULBERRY_DATA to the folder)";
  }
  std::vector<std::string> differences(k_known.size());
  parallel_for(Context(2), static_cast<Index>(k_known.size()), [&](Index k) {
    const auto at = static_cast<std::size_t>(k);
    try {
      differences[at] = difference(k_known[at]);
    } catch (const Error& error) {
      differences[at] = error.what();
    }
  });
  for (std::size_t k = 0; k < k_known.size(); ++k) {
    EXPECT_EQ(differences[k], "") << k_known[k].name;
  }
}

}  // namespace
}  // namespace mulberry::tests

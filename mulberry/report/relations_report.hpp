// Which label helps which: directed scores between labels as sentences, pictures and files for
// other tools. A score says how much the helper (column) gave to the learner (row), in units of
// what the learner gave itself; negative: the helper's presence speaks against the learner.
#pragma once

#include <string>
#include <vector>

#include "mulberry/resample/stability.hpp"

namespace mulberry::report {

struct Relations {
  std::vector<std::string> names = {};
  Matrix score = {};          // row learns, column helps; NaN: not known
  Matrix phi = {};            // correlation of the labels in the data, or empty
  Matrix co_occurrence = {};  // share of the rows with label i that have j too, or empty
  Stability stability = {};   // of the scores, when they were repeated
};

// An arrow from the helper to the label that learns from it.
struct Arrow {
  Id helper = 0, learner = 0;
  double score = 0, reverse = 0;  // reverse: of the arrow that points back
};

// The strongest arrows with a size of at least `least`, at most `most` of them, strongest first.
std::vector<Arrow> strongest_arrows(const Relations& relations, Index most, double least);

// Whether to rely on an arrow: it came back in at least 8 of 10 repeats, or nobody repeated.
bool is_firm(const Relations& relations, Id helper, Id learner);

// "When sunset is likely, sea becomes more likely; the reverse does not hold." Of the arrow back:
// smaller than `least`, it does not hold; less than half as large as this one, much less; not firm,
// not certain. When phi has the other sign, a second sentence says so: an arrow speaks of what the
// helper adds to the rest that the model knows, not of the data alone.
std::string arrow_sentence(const Relations& relations, const Arrow& arrow, double least);
// One sentence a firm arrow; an arrow whose opposite has said it already is left out. Then, if
// there are others, how many are not to be relied on.
std::vector<std::string> arrow_sentences(const Relations& relations,
                                         const std::vector<Arrow>& arrows, double least);

// Heat map of the scores and, when known, of phi, one above the other in the same order: labels
// that have to do with each other are neighbours. At most `most` labels, those with the largest
// scores.
std::string relations_picture(const Relations& relations, Index most = 60);
// Labels on a circle, arrows from helper to learner: purple helps, blue speaks against; dashed ones
// are not firm.
std::string relations_graph(const Relations& relations, const std::vector<Arrow>& arrows);
std::string relations_dot(const Relations& relations, const std::vector<Arrow>& arrows);
std::string relations_json(const Relations& relations, const std::vector<Arrow>& arrows,
                           double least);

}  // namespace mulberry::report

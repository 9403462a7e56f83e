// Which label helps which: directed scores between labels as sentences, pictures and files for
// other tools. A score says how much the helper (column) gave to the learner (row), in units of
// what the learner gave itself; negative: the helper's presence speaks against the learner.
#pragma once

#include <string>
#include <vector>

#include "mulberry/core/matrix.hpp"

namespace mulberry {

struct Relations {
  std::vector<std::string> names = {};
  Matrix score = {};          // row learns, column helps; NaN: not known
  Matrix phi = {};            // correlation of the labels in the data, or empty
  Matrix co_occurrence = {};  // share of the rows with label i that have j too, or empty
  Index repeats = 0;
  Matrix agreement = {};  // with repeats: share of them in which the arrow was there, same sign
};

// An arrow from the helper to the label that learns from it.
struct Arrow {
  Id helper = 0, learner = 0;
  double score = 0, reverse = 0;  // reverse: of the arrow that points back
};

// The strongest arrows with a size of at least `least`, at most `most` of them, strongest first.
std::vector<Arrow> strongest_arrows(const Relations& relations, Index most, double least);

// "When sunset is likely, sea becomes more likely; the reverse does not hold."
std::string arrow_sentence(const Relations& relations, const Arrow& arrow, double least);
// One sentence an arrow; an arrow whose opposite has said it already is left out.
std::vector<std::string> arrow_sentences(const Relations& relations,
                                         const std::vector<Arrow>& arrows, double least);

// Heat map of the scores and, when known, of phi, one above the other in the same order: labels
// that have to do with each other are neighbours. At most `most` labels, those with the largest
// scores.
std::string relations_picture(const Relations& relations, Index most = 60);
// Labels on a circle, arrows from helper to learner: purple helps, blue speaks against.
std::string relations_graph(const Relations& relations, const std::vector<Arrow>& arrows);
std::string relations_dot(const Relations& relations, const std::vector<Arrow>& arrows);
std::string relations_json(const Relations& relations, const std::vector<Arrow>& arrows,
                           double least);

}  // namespace mulberry

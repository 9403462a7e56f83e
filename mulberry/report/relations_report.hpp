// Which label helps which: directed scores between labels as sentences, pictures and files for
// other tools. A score is the contribution of the helper (column) to the learner (row), relative to
// the learner's own contribution; if it is negative, the helper speaks against the learner.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mulberry/resample/stability.hpp"

namespace mulberry::report {

struct Relations {
  std::vector<std::string> names = {};
  Matrix score = {};          // row learns, column helps; NaN: not known
  Matrix phi = {};            // correlation of the labels in the data, or empty
  Matrix co_occurrence = {};  // share of the rows with label i that also have j, or empty
  Stability stability = {};   // of the scores, if they were repeated
  // With data: rows of each label, and the scores before they were shrunk; or empty.
  std::vector<Index> support = {};
  Matrix plain = {};
};

// Scores that make allowance for how little rare labels tell. The score of label j for label i is
// reuse_ij / own_i, which is large by chance where a label's own stumps gave almost nothing. Here
//
//     reuse_ij / (own_i + (20 / rows_i) sum_k |reuse_ik|):
//
// as it was for a label of many rows; for one of 20 rows the share of j in everything that was
// learnt, at most 1; and less for rarer ones.
Matrix shrunk_scores(MatrixView score, std::span<const Index> support);

// An arrow from the helper to the label that learns from it.
struct Arrow {
  Id helper = 0, learner = 0;
  double score = 0, reverse = 0;  // reverse: score of the reverse arrow
};

// The strongest arrows with a size of at least `least`, at most `most` of them, strongest first.
std::vector<Arrow> strongest_arrows(const Relations& relations, Index most, double least);

// Whether to rely on an arrow: it returned in at least 8 of 10 repeats, or nothing was repeated.
bool is_firm(const Relations& relations, Id helper, Id learner);

// "When sunset is likely, sea becomes more likely; the reverse does not hold." The reverse arrow
// does not hold if it is smaller than `least`, holds much less if it is less than half as large as
// this one, and is not certain if it is not firm. If phi has the other sign, a second sentence says
// so: an arrow describes what the helper adds to everything else that the model knows, not the data
// alone.
std::string arrow_sentence(const Relations& relations, const Arrow& arrow, double least);
// One sentence per firm arrow; an arrow that is covered by the sentence of its reverse is left out.
// Then, if there are others, the number of arrows that are not reliable.
std::vector<std::string> arrow_sentences(const Relations& relations,
                                         const std::vector<Arrow>& arrows, double least);

// Heat maps of the scores and, if known, of phi, one above the other in the same order: related
// labels are neighbours. Shows at most `most` labels, the ones with the largest scores.
std::string relations_picture(const Relations& relations, Index most = 60);
// Labels on a circle, arrows from helper to learner: purple helps, blue speaks against; dashed ones
// are not firm.
std::string relations_graph(const Relations& relations, const std::vector<Arrow>& arrows);
std::string relations_dot(const Relations& relations, const std::vector<Arrow>& arrows);
std::string relations_json(const Relations& relations, const std::vector<Arrow>& arrows,
                           double least);

}  // namespace mulberry::report

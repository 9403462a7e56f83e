// A forest in pieces: some of its trees each, grown apart, on several machines say, which become
// the forest of one training, bit for bit. Trees are drawn by their number, so that a piece needs
// to know only which numbers are its own.
#pragma once

#include <memory>
#include <span>

#include "mulberry/base/forest/forest_model.hpp"
#include "mulberry/data/view.hpp"
#include "mulberry/model/model.hpp"

namespace mulberry::learners {

struct ForestPiece {
  Forest forest = {};
  ForestGains gains = {};
  ForestBags bags = {};

  template <class V>
  void visit(V& v) {
    v("forest", forest);
    v("gains", gains);
    v("bags", bags);
  }
};

// The trees [first, first + count) of every target of the forest that `spec` describes; its number
// of trees does not matter.
ForestPiece grow_forest_piece(const View& view, const Spec& spec, Index first, Index count,
                              const Context& ctx);

// The forest of pieces, in the order of their trees, with its report. An Error unless they make up
// all trees of `spec` and fit the data.
std::unique_ptr<Model> forest_of_pieces(const View& view, const Spec& spec,
                                        std::span<const ForestPiece> pieces, const Context& ctx);

}  // namespace mulberry::learners

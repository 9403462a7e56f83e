// Extent: the size of a problem, as far as the memory of a computation depends on it. Learners
// state their memory in terms of it before they are trained (model/memory_need.hpp). Counts are
// real numbers: their products may be far beyond what a computer can hold.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "mulberry/data/view.hpp"

namespace mulberry::data {

struct Extent {
  double rows = 0, columns = 0, labels = 0;
  double asked = 0;      // rows to predict at once
  double stored = 0;     // values of the rows, zeros of sparse rows not counted
  double positives = 0;  // cells of the labels
  double classes = 2;    // of a single target, for base learners
  double threads = 1;
  bool sparse = false;
  bool picked = false;  // the rows are a choice among others, which some learners must copy
  bool rules = false;   // labels that imply or exclude others are declared
  // How many rows have each of the label sets that occur, the largest number first.
  std::shared_ptr<const std::vector<double>> set_rows = {};
  std::vector<double> groups = {};  // the sizes of exclusive label sets

  // The number of label sets with more than this many rows.
  double sets_above(double count) const;
  double at_once(double tasks) const { return std::clamp(std::ceil(tasks), 1.0, threads); }

  // Bytes.
  double features() const { return features_of(rows); }
  double dense() const { return 8 * rows * columns; }
  double truth() const { return 8 * positives + 8 * (rows + labels); }
  double cells() const { return 8 * rows * labels; }    // a number per row and label
  double scores() const { return 8 * asked * labels; }  // for the rows that are asked for
  double decisions() const;                             // lists of labels of these rows
  double asked_features() const { return features_of(asked); }
  double asked_dense() const { return 8 * asked * columns; }
  // What it takes to hold picked rows next to each other (Compact).
  double pieces() const { return picked ? features() + truth() : 0; }
  double listed() const { return picked ? 4 * rows + truth() : 0; }
  double asked_pieces() const { return picked ? asked_features() : 0; }

  // With something else.
  Extent alone() const;                    // one thread
  Extent of_rows(double count) const;      // to train on
  Extent of_picked(double count) const;    // as above, chosen among all
  Extent of_columns(double count) const;   // some of the columns
  Extent with_columns(double more) const;  // dense columns after X
  Extent of_labels(double count) const;    // some of the labels
  Extent of_classes(double count) const;   // one target
  Extent of_dense(double width) const;     // dense features of this width

 private:
  double features_of(double count) const;
};

// Of a problem to be trained on the view, and asked for `asked` rows, or as many as there are.
Extent extent_of(const View& view, double threads, double asked = -1);

// The capacity of a vector that grew to this size, value by value.
double grown(double size);

}  // namespace mulberry::data

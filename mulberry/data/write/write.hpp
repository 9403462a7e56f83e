// Writes a data set to a file. The format follows the name's suffix unless an option names it; .gz
// and .zst compress. The file appears complete or not at all, an error leaves nothing behind.
//
// Values come back bit for bit (only a negative zero loses its sign in a sparse form). What else a
// format can hold:
//   arff     names, missing cells, nominal features (in other formats they are the columns that
//            they became), the label hierarchy, label sets: a Mulan XML file is written
//            beside it, and the relation carries MEKA's -C as well; sparse rows when the features
//            are sparse
//   csv, tsv names, missing cells; a declared label set of labels `set=value` is one column `set`
//            where its labels come back in the same order, and columns of 0 and 1 where not
//   libsvm   values, the numbers of columns and labels
//   xmlrepo  the same
//   npz      everything, weights and label sets included; read by numpy.load without pickle
// Missing cells or weights that a format cannot hold are an error; names and hierarchies that it
// cannot hold are left out.
#pragma once

#include <optional>
#include <string>

#include "mulberry/data/dataset.hpp"
#include "mulberry/data/format.hpp"

namespace mulberry::data {

struct WriteOptions {
  std::optional<Format> format = {};  // empty: by the suffix
  // The label file of the data that was read: it is not replaced by another one.
  std::string label_file = {};
  // Tables: a label set is one column of words even when that loses the order of its labels, or
  // those that no row has.
  bool sets_as_words = false;
};

void write_dataset(const Dataset& data, const std::string& path, const WriteOptions& options = {});

}  // namespace mulberry::data

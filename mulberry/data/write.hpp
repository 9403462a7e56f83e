// Writes a data set to a file. The format follows the name's suffix unless an option names it; .gz
// and .zst compress. The file appears complete or not at all, an error leaves nothing behind.
//
// Values come back bit for bit (only a negative zero loses its sign in a sparse form). What else a
// format can hold:
//   arff     names, missing cells, the label hierarchy, label sets: a Mulan XML file is written
//            beside it, and the relation carries MEKA's -C as well; sparse rows when the features
//            are sparse
//   csv, tsv names, missing cells; a declared label set of labels `set=value` is one column `set`
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

namespace mulberry {

struct WriteOptions {
  std::optional<Format> format = {};  // empty: by the suffix
};

void write_dataset(const Dataset& data, const std::string& path, const WriteOptions& options = {});

}  // namespace mulberry

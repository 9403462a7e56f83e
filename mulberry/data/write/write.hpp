// Writes a data set to a file. The format follows the suffix of the name unless an option names it;
// .gz and .zst compress. The file appears complete or not at all; an error leaves nothing behind.
//
// Values are read back bit for bit (only a negative zero loses its sign in a sparse form). What
// else the formats can hold:
//   arff     names, missing cells, nominal features (in other formats they are the columns that
//            they became), rules between labels, label sets: a Mulan XML file is written next to
//            it, and the relation also has MEKA's -C; sparse rows if the features are sparse
//   csv, tsv names, missing cells; a declared label set of labels `set=value` is one column `set`
//            if its labels are read back in the same order, and columns of 0 and 1 otherwise
//   jsonl    names, missing cells; one object per row
//   libsvm   values, the numbers of columns and labels
//   xmlrepo  as libsvm
//   npz      everything, including weights and label sets; numpy.load reads it without pickle
// Rules between labels that a format cannot hold go to NAME.rules.json next to the file.
// All but libsvm and xmlrepo hold columns of text and ids. Data whose labels come from a list is
// written with a list in tables and JSON lines.
// Missing cells, texts or weights that a format cannot hold are an error; names that it cannot hold
// are left out.
#pragma once

#include <optional>
#include <string>

#include "mulberry/core/atomic_file.hpp"
#include "mulberry/data/dataset.hpp"
#include "mulberry/data/format.hpp"

namespace mulberry::data {

struct WriteOptions {
  std::optional<Format> format = {};  // empty: by the suffix
  // The label file of the input: it is not replaced by a different one.
  std::string label_file = {};
  // Tables: a label set is one column of words even if that loses the order of its labels, or
  // labels that no row has.
  bool sets_as_words = false;
};

// The format that write_dataset would choose. Throws Error (usage) if the name says nothing.
Format format_to_write(const std::string& path, const WriteOptions& options);
void write_dataset(const Dataset& data, const std::string& path, const WriteOptions& options = {});
// As above, but the files appear when the group is committed.
void write_dataset(const Dataset& data, const std::string& path, const WriteOptions& options,
                   AtomicGroup& group);

}  // namespace mulberry::data

// What writing a data set takes, before it is begun.
#pragma once

#include <cstddef>

#include "mulberry/data/dataset.hpp"
#include "mulberry/data/format.hpp"

namespace mulberry::data {

struct WriteNeed {
  std::size_t memory = 0;  // of the table of labels that the writer makes
  std::size_t file = 0;    // at least, before compression
};

// A list of labels becomes a cell for every row and label in formats that have no lists.
WriteNeed need_to_write(const Dataset& data, Format format);

}  // namespace mulberry::data

// Features as a field of a model: for learners that keep their training rows. Arrays go to sections
// of the model file and are borrowed from it when loaded; shapes and indices are checked then.
#pragma once

#include "mulberry/core/archive.hpp"
#include "mulberry/data/features.hpp"

namespace mulberry::model {

struct StoredFeatures {
  Features x;

  void write(ArchiveWriter& out);
  void read(ArchiveReader& in);
};

// Throws a model file's error unless `start` cuts 0 .. size into parts, in order.
void require_offsets(const ArchiveReader& in, std::string_view name, const Array<Index>& start,
                     std::size_t size);
// The same unless every number of `index` is in 0 .. count - 1.
void require_below(const ArchiveReader& in, std::string_view name, const Array<Id>& index,
                   Index count);

}  // namespace mulberry::model

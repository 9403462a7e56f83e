// Features as a field of a model: for learners that keep their training rows. Arrays are stored in
// sections of the model file and borrowed from it when loaded, after a check of shapes and indices.
#pragma once

#include "mulberry/core/archive.hpp"
#include "mulberry/data/features.hpp"

namespace mulberry::model {

struct StoredFeatures {
  Features x;

  void write(ArchiveWriter& out);
  void read(ArchiveReader& in);
};

// Throws Error (model_file) unless `start` cuts 0 .. size into consecutive parts.
void require_offsets(const ArchiveReader& in, std::string_view name, const Array<Index>& start,
                     std::size_t size);
// Throws Error (model_file) unless every number of `index` is in 0 .. count - 1.
void require_below(const ArchiveReader& in, std::string_view name, const Array<Id>& index,
                   Index count);

}  // namespace mulberry::model

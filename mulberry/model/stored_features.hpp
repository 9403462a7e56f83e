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

}  // namespace mulberry::model

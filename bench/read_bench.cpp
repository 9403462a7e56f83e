// Reads a data file and prints the cost and the result, so that bench_read.py can compare both with
// a peer: read_bench FILE [ROUNDS]
// Prints lines "key value"; sums are taken in the order of the file.
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>

#include "mulberry/core/error.hpp"
#include "mulberry/data/read/read.hpp"
#include "mulberry/evaluate/resources.hpp"

namespace {

using namespace mulberry::bench;

// Bytes of the features and labels in memory.
Index bytes_of(const Dataset& data) {
  constexpr Index k_value = sizeof(double), k_id = sizeof(Id), k_offset = sizeof(Index);
  const Index features = data.x.is_sparse()
                             ? data.x.stored() * (k_value + k_id) + (data.rows() + 1) * k_offset
                             : data.x.stored() * k_value;
  const Index labels = 2 * data.y.positives() * k_id + (data.rows() + data.labels() + 2) * k_offset;
  return features + labels;
}

void run(const char* path, int rounds) {
  double best = 1e300;
  Dataset data;
  for (int round = 0; round < rounds; ++round) {
    data = {};
    const double begin = wall_seconds();
    data = read_dataset(path);
    best = std::min(best, wall_seconds() - begin);
  }
  double sum = 0, indices = 0;
  for (Index i = 0; i < data.rows() && data.x.is_sparse(); ++i) {
    const SparseRow row = data.x.sparse().row(i);
    for (std::size_t k = 0; k < row.index.size(); ++k) {
      sum += row.value[k];
      indices += row.index[k];
    }
  }
  fmt::print("seconds {:.6f}\nrows {}\ncolumns {}\nstored {}\npositives {}\n", best, data.rows(),
             data.columns(), data.x.stored(), data.y.positives());
  fmt::print("sum {:.17g}\nindices {:.17g}\nbytes {}\npeak {}\n", sum, indices, bytes_of(data),
             peak_memory());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: read_bench FILE [ROUNDS]\n");
    return 2;
  }
  try {
    run(argv[1], argc > 2 ? std::max(1, std::atoi(argv[2])) : 1);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}

// Test programs and benchmarks are separate processes: they choose OpenBLAS's kernels at their
// start, as the command does, so that their bits and times are comparable with it.
#include "mulberry/math/dense/blas_core.hpp"

namespace mulberry::tests {
namespace {

[[maybe_unused]] const bool k_chosen = math::blas::choose_core();

}  // namespace
}  // namespace mulberry::tests

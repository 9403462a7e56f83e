#include "mulberry/learners/common/training_notes.hpp"

#include "mulberry/core/memory.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/math/kernels/gram_rows.hpp"

namespace mulberry::learners {

void add_kernel_note(Index rows, const KernelParams& kernel, KernelStorage wanted,
                     const std::string& help, std::vector<std::string>& out) {
  const std::size_t limit = kernel.memory_bytes();
  const KernelStorage storage = wanted == KernelStorage::f32 ? single_precision_within(rows, limit)
                                                             : KernelMatrix::fitting(rows, limit);
  const std::size_t needed = KernelMatrix::bytes(rows, wanted);
  if (storage == wanted) {
    if (needed >= k_much_memory) out.push_back("kernel values take " + size_text(needed));
    return;
  }
  const std::string problem = "kernel values would take " + size_text(needed) +
                              ", more than memory=" + shortest(kernel.memory) + " GB: ";
  if (storage == KernelStorage::f32) {
    out.push_back(problem + "they are kept in single precision, " +
                  size_text(KernelMatrix::bytes(rows, storage)));
    return;
  }
  out.push_back("the kernel values of " + std::to_string(rows) +
                " rows do not fit into memory=" + shortest(kernel.memory) +
                " GB: they are computed whenever needed, which takes much longer; " + help);
}

}  // namespace mulberry::learners

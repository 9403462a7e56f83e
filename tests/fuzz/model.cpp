// Model files: loaded, shown, and asked for predictions (tests/support/use_model.hpp). The mutator
// changes values and arrays and corrects checksums and offsets, so that the code behind them is
// tested; every second time bytes are changed as they come. The golden files are the seeds.
#include <algorithm>
#include <cstring>

#include "tests/fuzz/fuzz.hpp"
#include "tests/support/model_mutator.hpp"
#include "tests/support/use_model.hpp"

FUZZ_TARGET(model) { mulberry::tests::use_model_bytes(input); }

#ifdef MULBERRY_FUZZER
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  using namespace mulberry::tests;
  if (seed % 4 == 0) return LLVMFuzzerMutate(data, size, most);
  std::string out;
  if (seed % 4 == 1) {
    size = LLVMFuzzerMutate(data, size, most);
    out = with_checksums({reinterpret_cast<const char*>(data), size});
  } else {
    out = mutate_model({reinterpret_cast<const char*>(data), size}, seed);
  }
  if (out.size() > most) return size;
  std::memcpy(data, out.data(), out.size());
  return out.size();
}
#endif

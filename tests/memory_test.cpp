// Every learner states its memory before it is trained (mulberry/model/memory_need.hpp). Here the
// statements are compared with what it takes: the peak of the heap while it trains and while it
// predicts, for every learner, alias and base learner, on dense and sparse data, in one piece and
// picked from more rows. Data grow until the learner states some megabytes, so that what is
// measured is the data's and not what every program has.
#include <malloc.h>

#include <atomic>
#include <cstdlib>

#include "mulberry/core/memory.hpp"
#include "mulberry/model/memory_need.hpp"
#include "tests/contract.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/torture.hpp"

namespace {

std::atomic<long> in_use = 0, peak = 0;

void count(long bytes) {
  const long now = in_use.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  long before = peak.load(std::memory_order_relaxed);
  while (now > before && !peak.compare_exchange_weak(before, now)) {
  }
}

[[maybe_unused]] void* counted(void* memory) {
  if (memory != nullptr) count(static_cast<long>(malloc_usable_size(memory)));
  return memory;
}

}  // namespace

// The C library's own functions, so that blocks that are not from operator new count as well. Not
// under a sanitizer, which brings a heap of its own and reports every pointer that did not come
// from it.
#if !defined(MULBERRY_ADDRESS_SANITIZER) && !defined(MULBERRY_THREAD_SANITIZER)
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);

void* malloc(std::size_t size) { return counted(__libc_malloc(size)); }
void* calloc(std::size_t n, std::size_t size) { return counted(__libc_calloc(n, size)); }
void* memalign(std::size_t a, std::size_t size) { return counted(__libc_memalign(a, size)); }
void* aligned_alloc(std::size_t a, std::size_t size) { return counted(__libc_memalign(a, size)); }
int posix_memalign(void** out, std::size_t a, std::size_t size) {
  *out = counted(__libc_memalign(a, size));
  return *out == nullptr ? 12 : 0;
}
void* realloc(void* memory, std::size_t size) {
  const long before = memory != nullptr ? static_cast<long>(malloc_usable_size(memory)) : 0;
  void* const out = __libc_realloc(memory, size);
  if (out != nullptr || size == 0) count(-before);
  return counted(out);
}
void free(void* memory) {
  if (memory != nullptr) count(-static_cast<long>(malloc_usable_size(memory)));
  __libc_free(memory);
}
}
#endif

namespace mulberry::tests::contract {
namespace {

constexpr double k_floor = 3e6;  // bytes that are not held against a statement
constexpr double k_within = 1.3;

// What the work takes at most, above what was in use.
template <class Work>
double peak_of(const Work& work) {
  const long before = in_use;
  peak = before;
  work();
  return static_cast<double>(peak - before);
}

// Learners whose training would take minutes do less of it; what they hold at once is the same.
Spec hurried(Spec spec) {
  for (auto& [name, value] : spec.params) {
    if (name == "rounds" || name == "trees") value = std::string("12");
    if (name == "epochs" || name == "sweeps") value = std::string("3");
    if (name == "max_iterations" && spec.id == "rml") value = std::string("3");
    if (name == "members" || name == "chains" || name == "models") value = std::string("3");
    // 0 folds are none.
    if (name == "folds" && std::get<std::string>(value) != "0") value = std::string("3");
    if (Spec* inner = std::get_if<Spec>(&value)) *inner = hurried(*inner);
  }
  return spec;
}

Dataset data_of(const std::string& learner, Index rows, bool sparse) {
  const bool sets = tags_of(learner).label_sets;
  const std::string kind = sets ? "label-sets" : "linear";
  GenerateOptions options = find_generator(kind).defaults;
  options.rows = rows;
  options.features = 60;
  options.labels = 12;
  options.set_sizes = {7, 5};
  Dataset out = generate(kind, options, Context(1, 5));
  if (tags_of(learner).label_rules) out.rules.implied = {{0, 1}, {2, 3}, {4, 3}};
  if (!sparse) return out;
  Matrix x(to_dense(out.x));
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < x.cols(); ++j) {
      if ((i * 7 + j * 3) % 10 > 0) x(i, j) = 0;
    }
  }
  out.x = to_sparse(Features(std::move(x)));
  return out;
}

struct Shape {
  bool sparse = false, picked = false;
  int threads = 1;
};

void expect_stated(const std::string& learner, const Shape& shape) {
  const CompleteSpec spec(hurried(complete_spec(parse_spec(learner))));
  const double enough = torture() ? 100e6 : 12e6;
  Dataset data;
  MemoryNeed need;
  std::vector<Id> rows;
  View view;
  for (Index n = 500; n <= shots(16'000, 64'000); n *= 2) {
    data = data_of(learner, n, shape.sparse);
    view = view_of(data);
    rows.clear();
    if (shape.picked) {
      for (Id i = 0; i < static_cast<Id>(n); ++i) {
        if (i % 4 != 0) rows.push_back(i);
      }
      view.rows = rows;
      view.all = false;
    }
    need = memory_need(spec, extent_of(view, shape.threads));
    if (need.fit >= enough) break;
  }
  const Context ctx(shape.threads, 3);
  std::unique_ptr<Model> model;
  const double fit = peak_of([&] { model = fit_learner(spec, view, ctx); });
  const long kept = in_use;
  View asked = view;
  asked.y = nullptr;
  const double predict = peak_of([&] { model->predict(asked, ctx); });
  (void)kept;
  const auto compare = [&](const char* what, double stated, double measured) {
    const double ratio = (stated + 1) / (measured + 1);
    const bool small = std::max(stated, measured) < k_floor;
    if (std::getenv("MULBERRY_SHOW") != nullptr) {
      std::printf("%-22s %-8s %s%s%d n=%-6ld stated %9.2f MB measured %9.2f MB ratio %.2f%s\n",
                  learner.c_str(), what, shape.sparse ? "s" : "d", shape.picked ? "p" : "w",
                  shape.threads, static_cast<long>(view.size()), stated / 1e6, measured / 1e6,
                  ratio,
                  small                                      ? " (small)"
                  : ratio > k_within || ratio < 1 / k_within ? " <<<"
                                                             : "");
      return;
    }
    // Beyond the floor both agree.
    EXPECT_LE(stated, k_within * measured + k_floor) << what << " n=" << view.size();
    EXPECT_GE(stated, measured / k_within - k_floor) << what << " n=" << view.size();
  };
  compare("fit", need.fit, fit);
  compare("predict", need.predict, predict);
}

TEST_P(Contract, StatesItsMemory) {
  if (k_sanitized) GTEST_SKIP() << "the sanitizer replaces the heap";
  expect_stated(GetParam(), {});
}

// The long form.
TEST_P(Contract, StatesItsMemoryForOtherRows) {
  if (k_sanitized) GTEST_SKIP() << "the sanitizer replaces the heap";
  if (!torture()) return;
  expect_stated(GetParam(), {.sparse = true});
  expect_stated(GetParam(), {.picked = true});
  expect_stated(GetParam(), {.threads = 3});
}

// Why a learner makes doubles of all values of another program; empty: it must not.
std::string reason_for_doubles(const std::string& learner) {
  const std::string rows = "compares rows", centres = "measures distances to centres";
  static const std::map<std::string, std::string> reasons = {
      {"ml_knn", rows},           {"svm", rows},
      {"rank_svm", rows},         {"mlr_gl", rows},
      {"mlr_l1", rows},           {"mll_le", rows},
      {"mll_le_auto", rows},      {"msvr", rows},
      {"br(base=msvr)", rows},    {"ridge", rows},
      {"br(base=ridge)", rows},   {"consistent", rows},
      {"ml_rbf", centres},        {"br(base=rbf_network)", centres},
      {"dsml", centres},          {"independent", centres},
      {"co_occurrence", centres}, {"label_stacking", centres}};
  const auto found = reasons.find(learner);
  return found != reasons.end() ? found->second : "";
}

TEST_P(Contract, MakesNoDoublesOfFloats) {
  if (k_sanitized) GTEST_SKIP() << "the sanitizer replaces the heap";
  const std::string learner = GetParam();
  if (!reason_for_doubles(learner).empty()) return;
  const CompleteSpec spec(hurried(complete_spec(parse_spec(learner))));
  Dataset data = data_of(learner, 2000, false);
  const Matrix x(to_dense(data.x));
  std::vector<float> floats(x.values().begin(), x.values().end());
  Matrix rounded(x.rows(), x.cols());
  std::copy(floats.begin(), floats.end(), rounded.data());
  data.x = std::move(rounded);
  const Context ctx(1, 3);
  std::unique_ptr<Model> model;
  fit_learner(spec, view_of(data), ctx);  // what is kept from the first call to the next
  const double doubles = peak_of([&] { model = fit_learner(spec, view_of(data), ctx); });
  model.reset();
  data.x = Features(std::make_shared<const data::Strided>(floats.data(), x.rows(), x.cols(),
                                                          x.cols(), 1, nullptr));
  const double more = peak_of([&] { model = fit_learner(spec, view_of(data), ctx); }) - doubles;
  EXPECT_LE(more, 0.3 * static_cast<double>(8 * x.size()));
}

MULBERRY_CONTRACT_OVER_ALL(Contract);

}  // namespace
}  // namespace mulberry::tests::contract

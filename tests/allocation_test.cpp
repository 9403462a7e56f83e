// Memory that runs out at any moment: the n-th allocation fails, for many n, while data is read and
// while every learner trains, predicts and is saved. Whatever was going on must end with
// std::bad_alloc or an Error, never with a crash, and leave the library as good as new: the same
// work gives the same answer afterwards. `make torture` lets every allocation fail up to a few
// thousand; the sample takes some of them.
#include <array>
#include <atomic>
#include <cstdlib>
#include <new>

#include "mulberry/data/read/label_xml.hpp"
#include "mulberry/data/read/read.hpp"
#include "mulberry/data/write/write.hpp"
#include "tests/contract.hpp"
#include "tests/support/torture.hpp"

namespace {

// Allocations until one fails; negative: none fails. `for_good`: those after it fail as well.
std::atomic<long> left = -1;
std::atomic<bool> for_good = false;
std::atomic<long> made = 0;

bool fails_now() {
  ++made;
  if (left.load(std::memory_order_relaxed) < 0) return false;
  const long before = left.fetch_sub(1);
  if (before > 0) return false;
  if (for_good) left = 0;
  return true;
}

void* allocate(std::size_t size, std::size_t alignment) {
  if (fails_now()) return nullptr;
  if (alignment <= alignof(std::max_align_t)) return std::malloc(size == 0 ? 1 : size);
  return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

}  // namespace

void* operator new(std::size_t size) {
  if (void* const found = allocate(size, 0)) return found;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  if (void* const found = allocate(size, static_cast<std::size_t>(alignment))) return found;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, 0); }
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace mulberry::tests::contract {
namespace {

class Failing {
 public:
  Failing(long after, bool persists) {
    for_good = persists;
    left = after;
  }
  ~Failing() { left = -1; }
  Failing(const Failing&) = delete;
  Failing& operator=(const Failing&) = delete;
};

// Which allocations fail: all of them if there are few, otherwise spread over the whole, the first
// ones closer together.
std::vector<long> moments(long total, Index count) {
  std::vector<long> out;
  const auto n = static_cast<double>(count);
  for (Index k = 0; k < count; ++k) {
    const double share = static_cast<double>(k) / n;
    out.push_back(static_cast<long>(share * share * static_cast<double>(total)));
  }
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

// Runs the work with failures, then without.
template <class Work>
void expect_survives(const Work& work) {
  const auto expected = work();
  const long before = made;
  work();
  const long total = made - before;
  Index failed = 0;
  for (const long moment : moments(total, shots(10, 3000))) {
    for (const bool persists : {false, true}) {
      try {
        const Failing failing(moment, persists);
        work();
      } catch (const std::bad_alloc&) {
        ++failed;
      } catch (const Error&) {
        ++failed;  // of a file that could not be written, for example
      }
    }
  }
  EXPECT_GT(failed, 0);
  EXPECT_EQ(work(), expected);
}

TEST_P(Contract, SurvivesEveryAllocation) {
  const Dataset data = small_data(GetParam(), 24);
  const CompleteSpec spec(parse_spec(GetParam()));
  expect_survives(
      [&] { return train(spec, data, {}, Context(1, 7)).predict(data, Context(1)).scores; });
}

TEST_P(Contract, SurvivesInModelFiles) {
  const Dataset data = small_data(GetParam(), 24);
  TrainedModel model = train(CompleteSpec(parse_spec(GetParam())), data, {}, Context(1, 7));
  const Scratch scratch;
  const std::string path = scratch.file("m.mb");
  model.save(path);
  const std::string bytes = slurp(path);
  expect_survives([&] {
    model.save(path);
    return TrainedModel::load(path).predict(data, Context(1)).scores;
  });
  EXPECT_EQ(slurp(path), bytes);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch.file("")), {}), 1);
}

// Threads end where they failed, and the others with them.
TEST(Allocation, SurvivesInThreads) {
  for (const char* learner : {"br_logistic", "ecc", "rakel", "ml_knn"}) {
    const Dataset data = small_data(learner, 60);
    const CompleteSpec spec(parse_spec(learner));
    expect_survives(
        [&] { return train(spec, data, {}, Context(3, 7)).predict(data, Context(3)).scores; });
  }
}

bool names_labels_in_options(std::string_view name) {
  return std::ranges::any_of(std::array{".csv", ".tsv", ".jsonl"}, [&](const char* ending) {
    return name.find(ending) != std::string_view::npos;
  });
}

TEST(Allocation, SurvivesReadingAndWriting) {
  const Dataset data = small_data("br_logistic", 50);
  const Scratch scratch;
  for (const char* name : {"d.arff", "d.csv", "d.tsv", "d.libsvm", "d.txt", "d.jsonl", "d.npz",
                           "d.csv.gz", "d.arff.zst"}) {
    const std::string path = scratch.file(name);
    write_dataset(data, path);
    ReadOptions options;
    options.label_columns =
        names_labels_in_options(name) ? data.label_names : std::vector<std::string>{};
    SCOPED_TRACE(name);
    expect_survives([&] {
      const Dataset read = read_dataset(path, options);
      write_dataset(read, path);
      return to_dense(read.x).rows();
    });
  }
}

TEST(Allocation, SurvivesInLabelFiles) {
  const std::string text =
      "<labels><label name=\"animal\"><label name=\"dog &amp; cat\"/></label><label "
      "name=\"day\"/><label name=\"night\"></label><?mulberry-set name=\"time\" "
      "label=\"day\" label=\"night\"?><?mulberry-implies label=\"day\" "
      "label=\"animal\"?></labels>";
  expect_survives([&] {
    std::string names;
    for (const auto& label : data::parse_label_xml(text, "d.xml").labels) names += label.name;
    return names;
  });
}

MULBERRY_CONTRACT_OVER_ALL(Contract);

}  // namespace
}  // namespace mulberry::tests::contract

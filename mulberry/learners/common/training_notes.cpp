#include "mulberry/learners/common/training_notes.hpp"

#include <fmt/format.h>

#include "mulberry/core/memory.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/learners/mlr/pair_machine.hpp"
#include "mulberry/learners/rml/training_memory.hpp"
#include "mulberry/math/kernels/gram_rows.hpp"
#include "mulberry/model/learner.hpp"

namespace mulberry::learners {

namespace {

constexpr std::size_t k_much = 100'000'000;

std::string text_of(const Spec& spec, std::string_view name) {
  const SpecValue* const value = spec.find(name);
  return value != nullptr ? value_text(*value) : std::string();
}

// Planes of rml, always: they grow while it runs.
void add_planes(const Spec& spec, const Dataset& data, std::vector<std::string>& out) {
  const auto memory = rml_memory(spec, data);
  if (!memory) return;
  out.push_back("planes of at most " + size_text(memory->planes) + " a thread");
  if (memory->kernel > 0) out.back() += ", kernel of " + size_text(memory->kernel);
}

bool is_ranker(const Spec& spec) {
  return spec.id == "mlr_gl" || spec.id == "mlr_l1" || spec.id == "rank_svm";
}

// Values of the kernel between all rows, as rankers and svm keep them.
void add_kernel(const Spec& spec, Index rows, std::vector<std::string>& out) {
  const bool ranker = is_ranker(spec);
  if (!(ranker || spec.id == "svm") || !find_learner(spec.id).tags_of(spec).kernel) return;
  const bool single = !ranker || text_of(spec, "precision") == "single";
  const std::string allowed = text_of(spec, "memory");
  const auto limit = static_cast<std::size_t>(parse_number(allowed).value_or(0) * 1e9);
  const KernelStorage wanted = single ? KernelStorage::f32 : KernelStorage::f64;
  const KernelStorage storage =
      single ? single_precision_within(rows, limit) : KernelMatrix::fitting(rows, limit);
  const std::size_t needed = KernelMatrix::bytes(rows, wanted);
  if (storage == wanted) {
    if (needed >= k_much) out.push_back("kernel values take " + size_text(needed));
    return;
  }
  const std::string problem = fmt::format(
      "kernel values would take {}, more than memory={} GB: ", size_text(needed), allowed);
  if (storage == KernelStorage::f32) {
    out.push_back(problem + "they are kept in single precision, " +
                  size_text(KernelMatrix::bytes(rows, storage)));
    return;
  }
  out.push_back(
      problem + "they are computed whenever they are needed, which takes much longer; " +
      (ranker ? "a larger memory or landmarks would help" : "a larger memory would help"));
}

// What exact training keeps of every row.
void add_pairs(const Spec& spec, const Labels& y, std::vector<std::string>& out) {
  const bool exact = spec.id == "rank_svm" || text_of(spec, "mode") == "exact";
  if (!is_ranker(spec) || !exact || exact_bytes(y) < k_much) return;
  out.push_back("the pairs of labels of all rows take " + size_text(exact_bytes(y)));
}

void add_eta(const Spec& spec, std::vector<std::string>& out) {
  if (spec.id != "mlr_gl") return;
  const auto eta = parse_number(text_of(spec, "eta"));
  if (!eta || *eta > 1) return;
  out.push_back("eta=" + text_of(spec, "eta") +
                " is not above 1: the approximation then counts less than the least that a row "
                "adds to the objective, and training may not settle");
}

}  // namespace

std::vector<std::string> training_notes(const Spec& spec, const Dataset& data) {
  std::vector<std::string> out;
  add_planes(spec, data, out);
  add_kernel(spec, data.rows(), out);
  add_pairs(spec, data.y, out);
  add_eta(spec, out);
  for (std::string& text : out) text = spec.id + ": " + text;
  for (const auto& [name, value] : spec.params) {
    const Spec* const base = std::get_if<Spec>(&value);
    if (base == nullptr) continue;
    for (std::string& text : training_notes(*base, data)) out.push_back(std::move(text));
  }
  return out;
}

}  // namespace mulberry::learners

// Cells whose label looks wrong, from out-of-fold scores that Python has computed.
#include "mulberry/evaluate/suspects.hpp"

#include "python/src/convert.hpp"

namespace mulberry::python {
namespace {

// (row, label, chance, score, gap) of the first `most` cells.
nb::list rank(const Labels& y, const DenseArray& scores, bool probabilities, bool missing,
              std::size_t most) {
  const FixedMatrix given = matrix_of(scores);
  const Scale scale = probabilities ? Scale::probability : Scale::margin;
  const auto found = rank_suspects(y, given, label_chances(y, given, scale, Context()),
                                   missing ? SuspectKind::missing : SuspectKind::suspicious);
  nb::list out;
  for (std::size_t k = 0; k < std::min(most, found.size()); ++k) {
    const Suspect& one = found[k];
    out.append(nb::make_tuple(one.row, one.label, one.chance, one.score, one.gap));
  }
  return out;
}

}  // namespace

void bind_suspects(nb::module_& m) {
  m.def("rank_suspects", &rank, nb::arg("y"), nb::arg("scores"), nb::arg("probabilities"),
        nb::arg("missing"), nb::arg("most"));
}

}  // namespace mulberry::python

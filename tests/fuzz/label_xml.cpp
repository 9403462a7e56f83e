#include "mulberry/data/read/label_xml.hpp"

#include "tests/fuzz/fuzz.hpp"

FUZZ_TARGET(label_xml) {
  using namespace mulberry::tests;
  fuzz::errors_are_fine([&] {
    const LabelXml xml = parse_label_xml(input, "fuzz.xml");
    MULBERRY_ASSERT(!xml.labels.empty());
    for (std::size_t k = 0; k < xml.labels.size(); ++k) {
      MULBERRY_ASSERT(xml.labels[k].parent < static_cast<Id>(k));
    }
  });
}

#include "mulberry/data/read/label_structure.hpp"
#include "tests/fuzz/fuzz.hpp"

// A file of rules is refused, or comes back the same when it is written and read again; and what it
// says about a few labels is closed: completed rows break no implication.
FUZZ_TARGET(rules) {
  using namespace mulberry::tests;
  fuzz::errors_are_fine([&] {
    const NamedRules rules = parse_rules(input, "fuzz");
    MULBERRY_ASSERT(parse_rules(rules_text(rules), "again") == rules);
    const std::vector<std::string> names = {"a", "b", "c", "d"};
    LabelRules numbered;
    add_rules(numbered, rules, names, "fuzz", true);
    const Labels y = with_implied(Labels(4, {{0}, {1}, {2, 3}, {}}), numbered);
    numbered.exclusive.clear();
    MULBERRY_ASSERT(broken_rules(y, numbered, names).empty());
  });
}

#include "mulberry/data/changes/apply_changes.hpp"
#include "tests/fuzz/fuzz.hpp"

// A change file is refused with a place, or comes back the same when it is written and read again;
// and it fits a small data set as a whole or not at all.
FUZZ_TARGET(changes) {
  using namespace mulberry::tests;
  fuzz::errors_are_fine([&] {
    const Changes first = read_changes(open_bytes(input, "fuzz"), "fuzz");
    const std::string text = change_text(first);
    const Changes second = read_changes(open_bytes(text, "again"), "again");
    MULBERRY_ASSERT(change_text(second) == text);
    MULBERRY_ASSERT(second.entries.size() == first.entries.size());
    Dataset data;
    data.x = Matrix(3, 1);
    data.ids = {"a", "b", "c"};
    data.label_names = {"sea", "boat"};
    data.y = Labels(2, {{0}, {0, 1}, {}}, {{1}, {}, {}});
    const auto cells = match_changes(first, data);
    MULBERRY_ASSERT(cells.size() == first.entries.size());
    const Labels changed = apply_changes(data.y, cells);
    for (const CellChange& cell : cells) {
      if (cell.to) MULBERRY_ASSERT(changed.cell(cell.row, cell.label) == *cell.to);
    }
  });
}

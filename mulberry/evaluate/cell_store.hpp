// The store of cells: finished splits on disk, so that a comparison that was stopped goes on where
// it was, and parts of it may run on several machines.
//
// A cell is what one learner reached on one split of one data set. Its identity is a text with
// everything that the result depends on: the learner with all parameters and revisions, the data,
// the rows of the split, hidden labels, measures, seed. The digest of the identity names its file,
// FOLDER/cells/AB/ABCD...json, which holds a checksum, the identity and the result. The same cell
// has the same bytes wherever and whenever it is made; its times and memory, which have not, are in
// a file of the same name under FOLDER/costs. Files appear complete or not at all. They are not
// forced to disk one by one: a file that a power cut damages is noticed by its checksum and made
// again.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <string_view>

#include "mulberry/evaluate/evaluate_split.hpp"

namespace mulberry::evaluate {

enum class StoreUse { make, read };

class CellStore {
 public:
  // Makes the folder unless cells are only looked for; throws Error (io) if it cannot be written.
  explicit CellStore(std::string folder, StoreUse use = StoreUse::make);
  // A cell with its cost; empty if it is not there. A damaged file counts as absent.
  std::optional<SplitResult> find(const std::string& identity) const;
  void keep(const std::string& identity, const SplitResult& result) const;  // from any thread
  const std::string& folder() const { return folder_; }
  Index damaged() const { return damaged_; }  // files that `find` could not use

 private:
  std::string folder_;
  mutable std::atomic<Index> damaged_ = 0;
};

// 32 hexadecimal digits.
std::string digest_of(std::string_view text);
// Everything of a data set that may change a result: values, labels, sets, weights.
std::string data_identity(const Dataset& data);
// `search`: what is searched on the training part, or empty.
std::string cell_identity(const CompleteSpec& spec, const std::string& data, const Fold& fold,
                          const EvaluateOptions& options, std::string_view search,
                          const Context& ctx);

// evaluate_split, or the cell of options.store if there is one; a new result is kept there.
// `identity` is the data_identity of `data`.
SplitResult stored_split(const CompleteSpec& spec, const Dataset& data, const std::string& identity,
                         const Fold& fold, const EvaluateOptions& options, const Context& ctx);

}  // namespace mulberry::evaluate

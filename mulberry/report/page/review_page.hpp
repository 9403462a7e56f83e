// The page on which a person answers whether rows have labels, one question at a time. It either
// talks to the server that it came from (cli/review_server), or holds all questions and keeps the
// answers until they are downloaded.
#pragma once

#include <string>

#include "mulberry/data/changes/apply_changes.hpp"
#include "mulberry/data/dataset.hpp"
#include "mulberry/evaluate/reasons.hpp"
#include "mulberry/evaluate/suspects.hpp"
#include "mulberry/report/page/page.hpp"

namespace mulberry::report {

struct ReviewAbout {
  std::string data = {};   // its name
  std::string file = {};   // of the answers
  std::string apply = {};  // the command that applies them
  SuspectKind kind = SuspectKind::missing;
  RowKey key = RowKey::number;
};

// A question as the scripts know it. Texts are cut after `letters` bytes.
std::string question_json(const Dataset& data, const RowNames& rows, Index number,
                          const Suspect& question, const Reason& reason, std::size_t letters);

// The page of a server: questions come one by one.
Page served_review(const ReviewAbout& about);
// The page of a file; `questions` are JSON, in their order.
Page static_review(const ReviewAbout& about, const std::vector<std::string>& questions);
// From suspects; texts are cut so that the page stays small.
Page static_review(const ReviewAbout& about, const Dataset& data, const RowNames& rows,
                   const std::vector<Suspect>& questions, const Reasons& reasons);
// The rows that the questions are about, for Reasons.
std::vector<Id> rows_of(const std::vector<Suspect>& questions);

}  // namespace mulberry::report

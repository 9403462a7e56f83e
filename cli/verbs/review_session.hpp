// ReviewSession: the questions of a review, what was answered, and what comes next. Every answer is
// in the file before the next question is known.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mulberry/core/matrix.hpp"
#include "mulberry/data/changes/answer_file.hpp"
#include "mulberry/data/changes/apply_changes.hpp"
#include "mulberry/evaluate/suspects.hpp"

namespace mulberry::cli {

enum class Answer { none, yes, no, skip };
std::optional<Answer> answer_from(const std::string& word);

struct ReviewCounts {
  Index total = 0, yes = 0, no = 0, skipped = 0;
  Index changed = 0;  // labels that differ from the data
};

class ReviewSession {
 public:
  // Answers that the file has already come first, also those to questions that nobody would ask
  // today. Throws Error if they do not fit the data.
  ReviewSession(const Dataset& data, const RowNames& rows, const std::vector<Suspect>& suspects,
                AnswerFile& file);

  const std::vector<Suspect>& questions() const { return questions_; }
  std::optional<Index> next() const;  // the number of a question; empty at the end
  std::optional<Index> last() const;  // the one that undo would bring back
  ReviewCounts counts() const;

  // False if the question has another answer by now; the same one again is fine.
  bool answer(Index question, Answer answer);
  // False if the last answer was to another question.
  bool undo(Index question);
  void again();  // skipped questions are open once more

 private:
  const Dataset& data_;
  const RowNames& rows_;
  AnswerFile& file_;
  std::vector<Suspect> questions_;
  std::map<std::pair<Id, Id>, Index> numbers_;  // of a row and label
  std::vector<Answer> answers_;                 // of each question
  std::vector<Index> history_;                  // the question of each line of the file
  std::vector<bool> open_again_;                // skipped, to be asked once more
  std::optional<Index> undone_;                 // asked first
};

}  // namespace mulberry::cli

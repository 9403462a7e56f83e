#include "cli/verbs/review_session.hpp"

#include <algorithm>
#include <limits>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"

namespace mulberry::cli {
namespace {

Answer answer_of(const std::optional<Cell>& to) {
  if (!to || *to == Cell::missing) return Answer::skip;
  return *to == Cell::positive ? Answer::yes : Answer::no;
}

}  // namespace

std::optional<Answer> answer_from(const std::string& word) {
  if (word == "yes") return Answer::yes;
  if (word == "no") return Answer::no;
  if (word == "skip") return Answer::skip;
  return std::nullopt;
}

ReviewSession::ReviewSession(const Dataset& data, const RowNames& rows,
                             const std::vector<Suspect>& suspects, AnswerFile& file)
    : data_(data), rows_(rows), file_(file) {
  const auto add = [&](const Suspect& question) {
    const auto place = numbers_.emplace(std::pair(question.row, question.label), 0);
    if (place.second) {
      place.first->second = count_of(questions_);
      questions_.push_back(question);
      answers_.push_back(Answer::none);
    }
    return place.first->second;
  };
  const auto given =
      match_changes({.key = rows.key(), .entries = file.entries(), .path = file.path()}, data);
  for (std::size_t k = 0; k < given.size(); ++k) {
    const Index number =
        add({.row = given[k].row, .label = given[k].label, .chance = file.entries()[k].chance});
    answers_[at(number)] = answer_of(given[k].to);
    history_.push_back(number);
  }
  for (const Suspect& one : suspects) add(one);
  open_again_.assign(questions_.size(), false);
}

std::optional<Index> ReviewSession::next() const {
  if (undone_) return undone_;
  for (std::size_t k = 0; k < answers_.size(); ++k) {
    if (answers_[k] == Answer::none || open_again_[k]) return static_cast<Index>(k);
  }
  return std::nullopt;
}

std::optional<Index> ReviewSession::last() const {
  return history_.empty() ? std::nullopt : std::optional(history_.back());
}

ReviewCounts ReviewSession::counts() const {
  ReviewCounts out{.total = count_of(questions_)};
  for (std::size_t k = 0; k < answers_.size(); ++k) {
    const Answer answer = answers_[k];
    out.yes += answer == Answer::yes ? 1 : 0;
    out.no += answer == Answer::no ? 1 : 0;
    out.skipped += answer == Answer::skip ? 1 : 0;
    if (answer != Answer::yes && answer != Answer::no) continue;
    const Cell wanted = answer == Answer::yes ? Cell::positive : Cell::negative;
    out.changed += data_.y.cell(questions_[k].row, questions_[k].label) == wanted ? 0 : 1;
  }
  return out;
}

bool ReviewSession::answer(Index question, Answer answer) {
  MULBERRY_ASSERT(question >= 0 && question < count_of(questions_) && answer != Answer::none);
  const std::size_t k = at(question);
  const bool open = answers_[k] == Answer::none || open_again_[k];
  if (!open) return answers_[k] == answer;
  // A second look at a skipped question may skip it again: one line says so.
  const bool said = answers_[k] == Answer::skip && answer == Answer::skip;
  if (!said) {
    const Suspect& cell = questions_[k];
    Change line{.row = rows_.name(cell.row),
                .label = data_.label_names[at(cell.label)],
                .from = data_.y.cell(cell.row, cell.label),
                .chance = cell.chance};
    if (answer != Answer::skip) {
      line.to = answer == Answer::yes ? Cell::positive : Cell::negative;
    }
    file_.add(line);
    history_.push_back(question);
  }
  answers_[k] = answer;
  open_again_[k] = false;
  undone_.reset();
  return true;
}

bool ReviewSession::undo(Index question) {
  if (history_.empty() || history_.back() != question) return undone_ == question;
  file_.remove_last();
  history_.pop_back();
  const std::size_t k = at(question);
  // It may have been skipped before.
  const bool skipped = std::find(history_.begin(), history_.end(), question) != history_.end();
  answers_[k] = skipped ? Answer::skip : Answer::none;
  open_again_[k] = skipped;
  undone_ = question;
  return true;
}

void ReviewSession::again() {
  for (std::size_t k = 0; k < answers_.size(); ++k) open_again_[k] = answers_[k] == Answer::skip;
}

}  // namespace mulberry::cli

// Options and actions in messages. The library does not know whether its user types flags, Python
// or C++: a message marks what it mentions, and whoever shows the message spells it.
//
//     "Train with " + mention("impute", "mean")     --impute mean   impute="mean"   impute = mean
//     mention(Action::list) + " shows all of them"  `mulberry list` shows all of them
//
// The marks are control bytes, which `in_quotes` keeps out of whatever comes from a file.
#pragma once

#include <string>
#include <string_view>

#include "mulberry/core/rooms.hpp"

namespace mulberry::core {

// `name` is the member of the options struct; `value` is an example, or capitals that stand for
// one.
std::string mention(std::string_view name, std::string_view value = {});

// What every front end has in some form. Spelled as a noun: a command or a function.
enum class Action {
  list,        // names all learners
  parameters,  // shows the parameters of a learner
  save,        // writes a model file
  load,        // reads one
  convert      // writes a data set
};

// `of`: the learner, for Action::parameters; empty for any.
std::string mention(Action action, std::string_view of = {});

struct Spelling {
  std::string (*option)(std::string_view name, std::string_view value);
  std::string (*action)(Action action, std::string_view of);
};

extern const Spelling spelled_plainly;  // impute = mean, list_learners()

// The text with every mention spelled.
std::string spell(std::string_view text, const Spelling& spelling);

}  // namespace mulberry::core

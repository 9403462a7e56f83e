// Learners: which there are, what they can do, and their parameters.
//
//   for (const mulberry::LearnerInfo& learner : mulberry::list_learners()) {
//     std::cout << learner.id << ": " << learner.summary << "\n";
//   }
//   std::cout << mulberry::complete_learner("br_svm(C=2)") << "\n";  // with all of its parameters
//
// A learner is written as a name with its parameters in parentheses; what is not named keeps its
// default, and a parameter may be a learner itself:
//
//   ecc(chains=10, base=linear_svm(C=2))
//
// The same text works on the command line and in Python. An unknown name or a value out of range is
// an Error that suggests the nearest name or says the range.
//
// Guarantees: names of learners and parameters are stable; a removed one is announced two minor
// versions before. Thread safety: all functions may be called from any thread.
#pragma once

#include <mulberry/export.h>

#include <string>
#include <string_view>
#include <vector>

namespace mulberry {

struct ParameterInfo {
  std::string name = {};
  std::string type = {};      // "flag", "integer", "number", "text", "choice", "list", "base", ...
  std::string help = {};      // what it does
  std::string fallback = {};  // the default, as it would be written
  std::string expected = {};  // "a number > 0", "one of a, b", ...
  std::vector<std::string> choices = {};
};

struct LearnerInfo {
  std::string id = {};
  std::string summary = {};    // what it is good for
  std::string reference = {};  // the paper
  // With default parameters: "sparse", "weights", "probabilities", "missing_labels", "anytime", ...
  std::vector<std::string> abilities = {};
  std::vector<ParameterInfo> parameters = {};
};

MULBERRY_API std::vector<LearnerInfo> list_learners();       // multi-label learners, sorted by id
MULBERRY_API std::vector<LearnerInfo> list_base_learners();  // single-label ones, for `base=`
// By id, as above. Throws Error that suggests the nearest name.
MULBERRY_API LearnerInfo describe_learner(std::string_view id);

// Checks a learner's text and gives it with all parameters, also of nested learners.
MULBERRY_API std::string complete_learner(std::string_view text);

}  // namespace mulberry

// Decisions that obey the declared rules between labels: of the sets of labels that do, the one
// whose scores add up to the most (consistent_sets.hpp). A row whose decisions obey
// the rules already keeps them.
//
// The weight of a label is how far its score lies above the cut that decides it: the score itself
// of a margin, the log odds of a probability or a share of votes, so that for probabilities of
// independent labels the set is the most probable one that obeys the rules. Where a learner decides
// whole rows by other means, a decision that the score contradicts weighs next to nothing.
#pragma once

#include "mulberry/core/context.hpp"
#include "mulberry/data/label_rules.hpp"
#include "mulberry/model/prediction.hpp"

namespace mulberry::model {

Labels decide_consistently(const Prediction& prediction, const LabelSets* sets,
                           const LabelRules& rules, const Context& ctx);

}  // namespace mulberry::model

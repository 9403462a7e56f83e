#include "mulberry/model/consistent/consistent_sets.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/mention.hpp"
#include "mulberry/model/consistent/max_closure.hpp"

namespace mulberry::model {

ConsistentSets::ConsistentSets(const LabelRules& rules, const LabelSets& sets, Index labels)
    : labels_(labels), implied_(at(labels)), implying_(at(labels)), groups_of_(at(labels)) {
  for (const auto& [label, implied] : rules.implications()) {
    implied_[at(label)].push_back(implied);
    implying_[at(implied)].push_back(label);
  }
  for (const auto& members : rules.exclusive) groups_.push_back({members});
  for (const auto& members : sets.members) groups_.push_back({members, true});
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    for (const Id l : groups_[g].members) groups_of_[at(l)].push_back(static_cast<Id>(g));
  }
  plan_forest();
}

bool ConsistentSets::allows(std::span<const Id> set) const {
  const auto has = [&](Id l) { return std::ranges::binary_search(set, l); };
  for (const Id l : set) {
    if (!std::ranges::all_of(implied_[at(l)], has)) return false;
    for (const Id g : groups_of_[at(l)]) {
      if (std::ranges::count_if(groups_[at(g)].members, has) > 1) return false;
    }
  }
  return std::ranges::all_of(groups_, [&](const Group& group) {
    return !group.needed || std::ranges::any_of(group.members, has);
  });
}

// A forest whose groups fit it, or not.
void ConsistentSets::plan_forest() {
  const auto too_many = [](const auto& list) { return list.size() > 1; };
  if (std::ranges::any_of(implied_, too_many) || std::ranges::any_of(groups_of_, too_many)) return;
  const auto parent = [&](Id l) { return implied_[at(l)].empty() ? -1 : implied_[at(l)].front(); };
  // From the top down; a circle is never reached.
  for (Id l = 0; l < labels_; ++l) {
    if (parent(l) < 0) order_.push_back(l);
  }
  for (std::size_t k = 0; k < order_.size(); ++k) {
    const auto& below = implying_[at(order_[k])];
    order_.insert(order_.end(), below.begin(), below.end());
  }
  if (count_of(order_) < labels_) return;
  std::ranges::reverse(order_);
  single_children_.resize(at(labels_) + 1);
  child_groups_.resize(at(labels_) + 1);
  const auto place = [&](Id l) { return parent(l) < 0 ? at(labels_) : at(parent(l)); };
  for (Id l = 0; l < labels_; ++l) {
    if (groups_of_[at(l)].empty()) single_children_[place(l)].push_back(l);
  }
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const auto& members = groups_[g].members;
    const auto top = place(members.front());
    const bool siblings = std::ranges::all_of(members, [&](Id l) { return place(l) == top; });
    // One label of a needed group below another label would need that label in every row.
    if (!siblings || (groups_[g].needed && top != at(labels_))) return;
    child_groups_[top].push_back(static_cast<Id>(g));
  }
  forest_ = true;
}

std::vector<Id> ConsistentSets::best_of_forest(std::span<const double> weights) const {
  std::vector<double> gain(weights.begin(), weights.end());  // of a label with the best below it
  const auto best_member = [&](Id g) {
    const auto& members = groups_[at(g)].members;
    return *std::ranges::max_element(members, {}, [&](Id l) { return gain[at(l)]; });
  };
  for (const Id l : order_) {
    for (const Id child : single_children_[at(l)]) gain[at(l)] += std::max(0.0, gain[at(child)]);
    for (const Id g : child_groups_[at(l)]) {
      gain[at(l)] += std::max(0.0, gain[at(best_member(g))]);
    }
  }
  std::vector<Id> out;
  const auto choose_below = [&](std::size_t place) {
    for (const Id l : single_children_[place]) {
      if (gain[at(l)] > 0) out.push_back(l);
    }
    for (const Id g : child_groups_[place]) {
      const Id l = best_member(g);
      if (gain[at(l)] > 0 || groups_[at(g)].needed) out.push_back(l);
    }
  };
  choose_below(at(labels_));
  for (std::size_t k = 0; k < out.size(); ++k) choose_below(at(out[k]));
  std::ranges::sort(out);
  return out;
}

// Branch and bound for one row.
struct ConsistentSets::Search {
  enum class State : signed char { free, in, out };

  const ConsistentSets& rules;
  std::span<const double> weights;
  std::vector<Id> found = {};
  double value = -std::numeric_limits<double>::infinity();
  Index branches = 0;
  bool complete = true;
  // Without label sets the first leaf is a set that obeys the rules; with them, finding any may
  // take longer, or be impossible.
  static constexpr Index k_more_patience = 10;

  bool is_found() const { return value > -std::numeric_limits<double>::infinity(); }

  // Labels that follow from the state of `l`; false if that contradicts what is settled.
  bool settle(std::vector<State>& states, Id l, State to) const {
    std::vector<std::pair<Id, State>> waiting = {{l, to}};
    while (!waiting.empty()) {
      const auto [label, state] = waiting.back();
      waiting.pop_back();
      State& now = states[at(label)];
      if (now == state) continue;
      if (now != State::free) return false;
      now = state;
      const auto& next = state == State::in ? rules.implied_ : rules.implying_;
      for (const Id other : next[at(label)]) waiting.emplace_back(other, state);
      if (state != State::in) continue;
      for (const Id g : rules.groups_of_[at(label)]) {
        for (const Id other : rules.groups_[at(g)].members) {
          if (other != label) waiting.emplace_back(other, State::out);
        }
      }
    }
    return true;
  }

  // The best set that the states allow, groups aside; in increasing order.
  std::vector<Id> relaxed(const std::vector<State>& states) const {
    std::vector<Id> nodes, number(states.size(), -1);
    const auto add = [&](Id l) {
      if (states[at(l)] != State::free || number[at(l)] >= 0) return;
      number[at(l)] = static_cast<Id>(nodes.size());
      nodes.push_back(l);
    };
    // Only labels of positive weight and what they imply can be in it.
    for (Id l = 0; l < rules.labels_; ++l) {
      if (weights[at(l)] > 0) add(l);
    }
    std::vector<std::pair<Id, Id>> needed;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      for (const Id other : rules.implied_[at(nodes[k])]) {
        add(other);
        if (number[at(other)] >= 0) needed.emplace_back(static_cast<Id>(k), number[at(other)]);
      }
    }
    std::vector<double> gains;
    for (const Id l : nodes) gains.push_back(weights[at(l)]);
    const std::vector<bool> in = max_closure(gains, needed);
    std::vector<Id> out;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      if (in[k]) out.push_back(nodes[k]);
    }
    for (Id l = 0; l < rules.labels_; ++l) {
      if (states[at(l)] == State::in) out.push_back(l);
    }
    std::ranges::sort(out);
    return out;
  }

  // The labels to try in turn, of the first group that the set breaks; the best first.
  std::vector<Id> broken_group(const std::vector<Id>& set, const Group*& which) const {
    for (const Group& group : rules.groups_) {
      std::vector<Id> chosen;
      for (const Id l : group.members) {
        if (std::ranges::binary_search(set, l)) chosen.push_back(l);
      }
      if (chosen.size() == 1 || (chosen.empty() && !group.needed)) continue;
      which = &group;
      if (chosen.empty()) chosen = group.members;
      std::ranges::stable_sort(chosen, std::greater<>(), [&](Id l) { return weights[at(l)]; });
      return chosen;
    }
    return {};
  }

  // Depth first. The depth is at most the number of labels, each of which is settled once; a loop
  // with a stack of waiting states, because that may be deep.
  void run() {
    std::vector<std::vector<State>> waiting;
    waiting.emplace_back(weights.size(), State::free);
    while (!waiting.empty()) {
      ++branches;
      if (branches > (is_found() ? 1 : k_more_patience) * k_most_branches) {
        complete = false;
        return;
      }
      const std::vector<State> states = std::move(waiting.back());
      waiting.pop_back();
      const std::vector<Id> set = relaxed(states);
      double sum = 0;
      for (const Id l : set) sum += weights[at(l)];
      if (sum <= value) continue;
      const Group* group = nullptr;
      const std::vector<Id> tries = broken_group(set, group);
      if (tries.empty()) {
        value = sum;
        found = set;
        continue;
      }
      const bool none =
          std::ranges::none_of(tries, [&](Id l) { return std::ranges::binary_search(set, l); });
      for (auto stays = tries.rbegin(); stays != tries.rend(); ++stays) {
        std::vector<State> next = states;
        bool possible = !none || settle(next, *stays, State::in);
        for (const Id l : tries) {
          if (l != *stays && !none) possible = possible && settle(next, l, State::out);
        }
        if (possible) waiting.push_back(std::move(next));
      }
    }
  }
};

std::vector<Id> ConsistentSets::best_of_all(std::span<const double> weights) const {
  Search search{.rules = *this, .weights = weights};
  search.run();
  if (!search.complete) exact_ = false;
  if (!search.is_found()) {
    throw Error(Code::data,
                "expected rules between labels that some set of labels obeys, found no such set, "
                "because of the label sets",
                "Check " + mention("implies") + ", " + mention("exclusive") + " and " +
                    mention("label_sets"));
  }
  return search.found;
}

std::vector<Id> ConsistentSets::best(std::span<const double> weights) const {
  return forest_ ? best_of_forest(weights) : best_of_all(weights);
}

}  // namespace mulberry::model

#include "mulberry/data/label_rules.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/mention.hpp"
#include "mulberry/core/text.hpp"

namespace mulberry::data {
namespace {

using Numbers = std::unordered_map<std::string_view, Id>;

Numbers numbers_of(std::span<const std::string> names) {
  Numbers out;
  for (std::size_t l = 0; l < names.size(); ++l) out.emplace(names[l], static_cast<Id>(l));
  return out;
}

[[noreturn]] void fail(const std::string& problem, const std::string& remedy) {
  throw Error(Code::usage, problem, remedy);
}

Id number_of(const Numbers& numbers, std::span<const std::string> names, const std::string& name,
             const std::string& source) {
  const auto found = numbers.find(name);
  if (found != numbers.end()) return found->second;
  constexpr std::size_t k_shown = 8;
  std::vector<std::string> some;
  for (const std::string& known : names.first(std::min(names.size(), k_shown))) {
    some.push_back(in_quotes(known));
  }
  fail(
      "expected labels of the data in " + source + ", found " + in_quotes(name),
      did_you_mean(name, names,
                   "The labels are " + join(some, ", ") + (names.size() > k_shown ? ", ..." : "")));
}

void sort_once(auto& list) {
  std::ranges::sort(list);
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

// What rules say about the labels that are there: a label that implies an absent one implies what
// that one implies, and of a group those are left that are there. `left_out` counts the rules that
// name absent labels.
NamedRules about_known(const NamedRules& rules, const Numbers& numbers, Index& left_out) {
  NamedRules out;
  std::unordered_map<std::string_view, std::vector<std::string_view>> direct;
  bool all = true;
  for (const auto& [label, implied] : rules.implied) {
    direct[label].push_back(implied);
    const bool known = numbers.contains(label) && numbers.contains(implied);
    left_out += known ? 0 : 1;
    all = all && known;
  }
  if (all) out.implied = rules.implied;
  for (const auto& [label, first] : direct) {
    if (all || !numbers.contains(label)) continue;
    std::unordered_set<std::string_view> seen = {label};
    std::vector<std::string_view> open = first;
    while (!open.empty()) {
      const std::string_view next = open.back();
      open.pop_back();
      if (!seen.insert(next).second) continue;
      const auto further = direct.find(next);
      if (numbers.contains(next)) {
        out.implied.emplace_back(label, next);
      } else if (further != direct.end()) {
        open.insert(open.end(), further->second.begin(), further->second.end());
      }
    }
  }
  for (const auto& group : rules.exclusive) {
    std::vector<std::string> members;
    std::ranges::copy_if(group, std::back_inserter(members),
                         [&](const std::string& name) { return numbers.contains(name); });
    left_out += members.size() < group.size() ? 1 : 0;
    if (members.size() >= 2 || members.size() == group.size()) out.exclusive.push_back(members);
  }
  return out;
}

}  // namespace

std::vector<Implication> LabelRules::implications() const {
  std::vector<Implication> out = implied;
  for (std::size_t l = 0; l < parent.size(); ++l) {
    if (parent[l] >= 0) out.push_back({static_cast<Id>(l), parent[l]});
  }
  sort_once(out);
  return out;
}

NamedRules named_rules(const LabelRules& rules, std::span<const std::string> names) {
  NamedRules out;
  for (const auto& [label, implied] : rules.implications()) {
    out.implied.emplace_back(names[at(label)], names[at(implied)]);
  }
  for (const auto& group : rules.exclusive) {
    auto& list = out.exclusive.emplace_back();
    for (const Id l : group) list.push_back(names[at(l)]);
  }
  return out;
}

Index add_rules(LabelRules& rules, const NamedRules& given, std::span<const std::string> names,
                const std::string& source, bool some) {
  if (given.empty()) return 0;
  const Numbers numbers = numbers_of(names);
  Index left_out = 0;
  const NamedRules named = some ? about_known(given, numbers, left_out) : given;
  for (const auto& [label, implied] : named.implied) {
    const Implication one{number_of(numbers, names, label, source),
                          number_of(numbers, names, implied, source)};
    if (one.label == one.implied) {
      fail("expected two labels in " + source + ", found " + in_quotes(label) + " twice",
           "Name the label and another one that comes with it");
    }
    rules.implied.push_back(one);
  }
  for (const auto& group : named.exclusive) {
    std::vector<Id> members;
    for (const std::string& name : group) {
      members.push_back(number_of(numbers, names, name, source));
    }
    sort_once(members);
    if (members.size() < 2) {
      fail("expected at least two labels that exclude each other in " + source + ", found " +
               (group.empty() ? std::string("none") : in_quotes(group.front())),
           "Name them as a,b,c");
    }
    rules.exclusive.push_back(std::move(members));
  }
  sort_once(rules.implied);
  sort_once(rules.exclusive);
  return left_out;
}

LabelRules reordered(const LabelRules& rules, std::span<const std::string> from,
                     std::span<const std::string> to) {
  if (rules.empty() || std::ranges::equal(from, to)) return rules;
  LabelRules out;
  add_rules(out, named_rules(rules, from), to, "the rules of labels", true);
  return out;
}

std::vector<std::vector<Id>> all_implied(const LabelRules& rules, Index labels) {
  std::vector<std::vector<Id>> direct(at(labels)), out(direct.size());
  for (const auto& [label, implied] : rules.implications()) direct[at(label)].push_back(implied);
  std::vector<Id> seen_by(direct.size(), -1);
  for (Id l = 0; l < labels; ++l) {
    auto& list = out[at(l)];
    seen_by[at(l)] = l;
    list.push_back(l);
    for (std::size_t k = 0; k < list.size(); ++k) {
      for (const Id next : direct[at(list[k])]) {
        if (seen_by[at(next)] == l) continue;
        seen_by[at(next)] = l;
        list.push_back(next);
      }
    }
    list.erase(list.begin());
    std::ranges::sort(list);
  }
  return out;
}

Labels with_implied(const Labels& y, const LabelRules& rules, Index* added) {
  if (added != nullptr) *added = 0;
  if (!rules.implies()) return y;
  const auto implied = all_implied(rules, y.count());
  std::vector<Index> start = {0}, missing_start = {0};
  std::vector<Id> index, missing, row;
  for (Index i = 0; i < y.rows(); ++i) {
    row.assign(y.row(i).begin(), y.row(i).end());
    for (const Id l : y.row(i)) {
      row.insert(row.end(), implied[at(l)].begin(), implied[at(l)].end());
    }
    sort_once(row);
    if (added != nullptr) *added += count_of(row) - count_of(y.row(i));
    index.insert(index.end(), row.begin(), row.end());
    start.push_back(count_of(index));
    std::ranges::set_difference(y.missing_row(i), row, std::back_inserter(missing));
    missing_start.push_back(count_of(missing));
  }
  return Labels::from_csr(y.count(), std::move(start), std::move(index), std::move(missing_start),
                          std::move(missing));
}

std::vector<BrokenRule> broken_rules(const Labels& y, const LabelRules& rules,
                                     std::span<const std::string> names) {
  std::vector<BrokenRule> out;
  for (const auto& [label, implied] : rules.implications()) {
    BrokenRule rule{.text =
                        in_quotes(names[at(label)]) + " without " + in_quotes(names[at(implied)])};
    for (const Id i : y.column(label)) {
      if (y.cell(i, implied) != Cell::negative) continue;
      if (rule.rows++ == 0) rule.first = i;
    }
    if (rule.rows > 0) out.push_back(std::move(rule));
  }
  for (const auto& group : rules.exclusive) {
    std::vector<Id> rows;  // of each label of the group
    for (const Id l : group) rows.insert(rows.end(), y.column(l).begin(), y.column(l).end());
    std::ranges::sort(rows);
    std::vector<std::string> members;
    for (const Id l : group) members.push_back(in_quotes(names[at(l)]));
    BrokenRule rule{.text = "more than one of " + join(members, ", ")};
    for (std::size_t k = 1; k < rows.size(); ++k) {
      if (rows[k] != rows[k - 1] || (k > 1 && rows[k] == rows[k - 2])) continue;
      if (rule.rows++ == 0) rule.first = rows[k];
    }
    if (rule.rows > 0) out.push_back(std::move(rule));
  }
  return out;
}

}  // namespace mulberry::data

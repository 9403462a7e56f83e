#include "mulberry/data/text/ngram_tree.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace mulberry::data {

std::size_t WordTable::place(std::string_view word, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  const auto low = static_cast<std::uint32_t>(hash >> 32U);
  for (std::size_t k = hash & mask;; k = (k + 1) & mask) {
    const Slot& slot = slots_[k];
    if (slot.word < 0 || (slot.hash == low && (*this)[slot.word] == word)) return k;
  }
}

Id WordTable::find(std::string_view word) const {
  return slots_[place(word, XXH3_64bits(word.data(), word.size()))].word;
}

Id WordTable::add(std::string_view word) {
  const std::uint64_t hash = XXH3_64bits(word.data(), word.size());
  const std::size_t k = place(word, hash);
  if (slots_[k].word >= 0) return slots_[k].word;
  const auto out = static_cast<Id>(size());
  slots_[k] = {static_cast<std::uint32_t>(hash >> 32U), out};
  bytes_ += word;
  start_.push_back(count_of(bytes_));
  if (2 * at(size()) > slots_.size()) grow();
  return out;
}

void WordTable::grow() {
  slots_.assign(2 * slots_.size(), {});
  for (Id word = 0; word < size(); ++word) {
    const std::string_view text = (*this)[word];
    const std::uint64_t hash = XXH3_64bits(text.data(), text.size());
    slots_[place(text, hash)] = {static_cast<std::uint32_t>(hash >> 32U), word};
  }
}

std::size_t NgramTree::place(std::uint64_t key) const {
  const std::size_t mask = slots_.size() - 1;
  std::uint64_t hash = key * 0x9E3779B97F4A7C15U;
  hash ^= hash >> 32U;
  for (std::size_t k = hash & mask;; k = (k + 1) & mask) {
    if (slots_[k].node == k_none || slots_[k].key == key) return k;
  }
}

Id NgramTree::child(Id node, Id unit) const {
  if (node != k_root) return slots_[place(key_of(node, unit))].node;
  return at(unit) < first_.size() ? first_[at(unit)] : k_none;
}

Id NgramTree::append(Id node, Id unit) {
  parent_.push_back(node);
  unit_.push_back(unit);
  return static_cast<Id>(parent_.size() - 1);
}

Id NgramTree::add(Id node, Id unit) {
  if (node == k_root) {
    if (at(unit) >= first_.size()) first_.resize(at(unit) + 1, k_none);
    Id& out = first_[at(unit)];
    if (out == k_none) out = append(node, unit);
    return out;
  }
  const std::uint64_t key = key_of(node, unit);
  const std::size_t k = place(key);
  if (slots_[k].node != k_none) return slots_[k].node;
  const Id out = append(node, unit);
  slots_[k] = {key, out};
  if (2 * ++used_ > slots_.size()) grow();
  return out;
}

void NgramTree::grow() {
  std::vector<Slot> old(2 * slots_.size());
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.node != k_none) slots_[place(slot.key)] = slot;
  }
}

}  // namespace mulberry::data

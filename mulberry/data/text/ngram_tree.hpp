// The n-grams of texts as a tree: the children of a node continue its n-gram by one unit. Units
// are numbers: words in a WordTable, or code points. Both tables are flat hash tables with
// linear probing; a node costs 24 bytes and no separate allocation.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mulberry/core/index.hpp"
#include "mulberry/core/matrix.hpp"

namespace mulberry::data {

// Numbers words in the order in which they come.
class WordTable {
 public:
  WordTable() : slots_(k_first_size) {}
  Id find(std::string_view word) const;  // -1 if there is none
  Id add(std::string_view word);         // finds or appends
  Index size() const { return count_of(start_) - 1; }
  std::string_view operator[](Id word) const {
    const auto begin = at(start_[at(word)]);
    return std::string_view(bytes_).substr(begin, at(start_[at(word) + 1]) - begin);
  }

 private:
  static constexpr std::size_t k_first_size = 1024;
  struct Slot {
    std::uint32_t hash = 0;
    Id word = -1;
  };
  // The slot of the word, or the free one where it belongs.
  std::size_t place(std::string_view word, std::uint64_t hash) const;
  void grow();

  std::vector<Slot> slots_;  // a power of two, at most half full
  std::string bytes_;
  std::vector<Index> start_ = {0};
};

class NgramTree {
 public:
  static constexpr Id k_root = -1, k_none = -2;

  NgramTree() : slots_(k_first_size) {}
  Id child(Id node, Id unit) const;  // k_none if there is none
  Id add(Id node, Id unit);          // finds or appends
  Index size() const { return count_of(parent_); }
  Id parent(Id node) const { return parent_[at(node)]; }
  Id unit(Id node) const { return unit_[at(node)]; }

 private:
  static constexpr std::size_t k_first_size = 1024;
  struct Slot {
    std::uint64_t key = 0;
    Id node = k_none;
  };
  static std::uint64_t key_of(Id node, Id unit) {
    return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(node)) << 32U) |
           static_cast<std::uint32_t>(unit);
  }
  std::size_t place(std::uint64_t key) const;
  Id append(Id node, Id unit);
  void grow();

  std::vector<Slot> slots_;  // children of nodes other than the root
  std::size_t used_ = 0;
  std::vector<Id> first_;  // children of the root, by unit
  std::vector<Id> parent_, unit_;
};

}  // namespace mulberry::data

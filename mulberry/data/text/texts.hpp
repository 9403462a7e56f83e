// Texts: the cells of a column of free text, one per row, in UTF-8. Immutable and shared, as
// features are: copying copies no text, and a choice of rows keeps a list of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mulberry/core/array.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/matrix.hpp"
#include "mulberry/data/bytes/chunked.hpp"

namespace mulberry::data {

class Texts {
 public:
  Texts() = default;
  explicit Texts(std::span<const std::string> rows);
  // start has one offset more than there are rows.
  Texts(Array<char> bytes, Array<Index> start) : bytes_(bytes), start_(start) {}

  Index rows() const {
    if (is_picked_) return count_of(picked_);
    return start_.empty() ? 0 : count_of(start_) - 1;
  }
  std::string_view operator[](Index i) const {
    const std::size_t k = at(is_picked_ ? picked_[at(i)] : i);
    const auto begin = at(start_[k]);
    return {bytes_.data() + begin, at(start_[k + 1]) - begin};
  }
  bool operator==(const Texts& other) const;

  friend Texts pick_rows(const Texts& texts, std::span<const Id> rows);

 private:
  Array<char> bytes_;
  Array<Index> start_;
  Array<Id> picked_;
  bool is_picked_ = false;
};

Texts pick_rows(const Texts& texts, std::span<const Id> rows);

struct TextColumn {
  std::string name = {};
  Texts texts = {};
};

// Collects the cells of a column while a file is read.
class TextsBuilder {
 public:
  TextsBuilder() { start_.push_back(0); }
  void add(std::string_view text) {
    bytes_.append(text);
    start_.push_back(count_of(bytes_));
  }
  Index rows() const { return count_of(start_) - 1; }
  Texts finish() { return {bytes_.take(), start_.take()}; }

 private:
  Chunked<char> bytes_;
  Chunked<Index> start_;
};

}  // namespace mulberry::data

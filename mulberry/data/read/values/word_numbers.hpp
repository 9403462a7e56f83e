// WordNumbers: the position of a word in a list. Few words are compared, many are looked up.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mulberry/core/rooms.hpp"

namespace mulberry::data {

class WordNumbers {
 public:
  // The list must outlive this object.
  explicit WordNumbers(const std::vector<std::string>& words) : words_(&words) {
    if (words.size() <= k_few) return;
    for (std::size_t k = 0; k < words.size(); ++k) number_.emplace(words[k], k);
  }

  const std::vector<std::string>& words() const { return *words_; }

  std::optional<std::size_t> find(std::string_view word) const {
    if (!number_.empty()) {
      const auto found = number_.find(word);
      return found == number_.end() ? std::nullopt : std::optional(found->second);
    }
    for (std::size_t k = 0; k < words_->size(); ++k) {
      if ((*words_)[k] == word) return k;
    }
    return std::nullopt;
  }

 private:
  static constexpr std::size_t k_few = 8;
  const std::vector<std::string>* words_;
  std::unordered_map<std::string_view, std::size_t> number_;
};

}  // namespace mulberry::data

#include "mulberry/data/text/text_units.hpp"

#include "mulberry/core/error.hpp"
#include "mulberry/core/mention.hpp"
#include "mulberry/core/text.hpp"

namespace mulberry::data {

NgramRange ngram_range(const TextOptions& options) {
  const std::string& text = options.ngrams;
  const auto dash = text.find('-');
  const auto least = parse_integer(text.substr(0, dash));
  const auto most = dash == std::string::npos ? least : parse_integer(text.substr(dash + 1));
  if (!least || !most || *least < 1 || *least > *most || *most > k_most_units) {
    throw Error(Code::parameter,
                "expected one number from 1 to " + std::to_string(k_most_units) +
                    ", or two such as 1-2, in " + mention("text_ngrams") + ", found " +
                    in_quotes(text),
                "Write " + mention("text_ngrams", "1-2") + " for single units and pairs");
  }
  return {*least, *most};
}

const std::u32string& TextUnits::decoded(std::string_view text) {
  points_.clear();
  append_code_points(text, points_);
  if (!lowercase_) return points_;
  lower_.clear();
  lower_case(points_, lower_);
  return lower_;
}

std::u32string_view TextUnits::characters(std::string_view text) {
  const std::u32string& all = decoded(text);
  joined_.clear();
  for (std::size_t k = 0; k < all.size();) {
    std::size_t end = k;
    while (end < all.size() && is_white_space(all[end])) ++end;
    if (end > k + 1) {  // a single one stays as it is
      joined_ += U' ';
      k = end;
    } else {
      joined_ += all[k++];
    }
  }
  return joined_;
}

}  // namespace mulberry::data

#include "mulberry/data/preprocess/target_words.hpp"

#include <algorithm>
#include <numeric>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/memory.hpp"
#include "mulberry/core/mention.hpp"
#include "mulberry/core/text.hpp"

namespace mulberry::data {
namespace {

constexpr double k_prior_rows = 10;
constexpr Index k_folds = 5;

// Rows with a label and rows where it is known, by word.
struct Counts {
  Matrix yes, known;
  Counts(Index words, Index labels) : yes(words, labels), known(words, labels) {}

  void add(const Labels& y, Index row, Index word, double weight) {
    for (double& v : known.row(word)) v += weight;
    for (const Id l : y.missing_row(row)) known(word, l) -= weight;
    for (const Id l : y.row(row)) yes(word, l) += weight;
  }
};

double ratio(double above, double below) { return below > 0 ? above / below : 0.0; }

Matrix shares_of(const Counts& counts) {
  const Index words = counts.yes.rows(), labels = counts.yes.cols();
  Matrix out(words + 1, labels);
  for (Index l = 0; l < labels; ++l) {
    double yes = 0, known = 0;
    for (Index w = 0; w < words; ++w) {
      yes += counts.yes(w, l);
      known += counts.known(w, l);
    }
    const double prior = ratio(yes, known);
    for (Index w = 0; w < words; ++w) {
      out(w, l) = std::clamp(
          (counts.yes(w, l) + k_prior_rows * prior) / (counts.known(w, l) + k_prior_rows), 0.0,
          1.0);
    }
    out(words, l) = std::clamp(prior, 0.0, 1.0);
  }
  return out;
}

// The row of `shares` for a text: the last for a word that is not known.
Index place_of(const std::vector<std::string>& words, std::string_view text) {
  const auto found = std::ranges::lower_bound(words, text);
  return found != words.end() && *found == text ? found - words.begin() : count_of(words);
}

}  // namespace

Index TargetWords::columns() const {
  Index out = 0;
  for (const Part& part : parts) out += part.shares.cols();
  return out;
}

TargetWords TargetWords::fit(const Dataset& data, const Features& other, const Context& ctx,
                             Features& joined) {
  TargetWords out;
  joined = other;
  const Index rows = data.rows(), labels = data.labels();
  std::vector<Id> order(at(rows));
  std::iota(order.begin(), order.end(), 0);
  Random rng = ctx.rng("target words");
  rng.shuffle(std::span(order));
  for (const TextColumn& column : data.words) {
    out.names.push_back(column.name);
    Part& part = out.parts.emplace_back();
    for (Index i = 0; i < rows; ++i) part.words.emplace_back(column.texts[i]);
    std::ranges::sort(part.words);
    part.words.erase(std::unique(part.words.begin(), part.words.end()), part.words.end());
    // Counts and shares of each word; the new columns, and the features with them, where a sparse
    // matrix also has their numbers.
    const auto cells = 4 * part.words.size() * at(labels) + 3 * at(rows * labels);
    require_memory("the shares of labels of the words in " + in_quotes(column.name),
                   cells * sizeof(double), available_memory(),
                   "Hash them instead: " + mention("text", column.name) + " with " +
                       mention("text_hash", "1024"));
    std::vector<Index> word(at(rows));
    Counts counts(count_of(part.words), labels);
    for (Index i = 0; i < rows; ++i) {
      word[at(i)] = place_of(part.words, column.texts[i]);
      counts.add(data.y, i, word[at(i)], 1);
    }
    part.shares = shares_of(counts);
    Matrix values(rows, labels);
    const Index folds = std::min(k_folds, rows);
    for (Index f = 0; f < folds; ++f) {
      ctx.check();
      const Index begin = f * rows / folds, end = (f + 1) * rows / folds;
      for (Index k = begin; k < end; ++k) {
        const Id i = order[at(k)];
        counts.add(data.y, i, word[at(i)], -1);
      }
      const Matrix shares = shares_of(counts);
      for (Index k = begin; k < end; ++k) {
        const Id i = order[at(k)];
        std::ranges::copy(shares.row(word[at(i)]), values.row(i).begin());
      }
      for (Index k = begin; k < end; ++k) {
        const Id i = order[at(k)];
        counts.add(data.y, i, word[at(i)], 1);
      }
    }
    joined = append_columns(joined, values);
  }
  return out;
}

Features TargetWords::apply(const Dataset& data, const Features& other) const {
  Features out = other;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const auto found = std::ranges::find(data.words, names[k], &TextColumn::name);
    if (found == data.words.end()) {
      throw Error(
          Code::data,
          "expected the column of words " + in_quotes(names[k]) + ", as in training, found none",
          "Use data with the columns of the training data, and name it in " +
              mention("target_words"));
    }
    const Part& part = parts[k];
    Matrix values(data.rows(), part.shares.cols());
    for (Index i = 0; i < data.rows(); ++i) {
      std::ranges::copy(part.shares.row(place_of(part.words, found->texts[i])),
                        values.row(i).begin());
    }
    out = append_columns(out, values);
  }
  return out;
}

}  // namespace mulberry::data

#include "mulberry/data/text/vectoriser.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>
#include <optional>

#include "mulberry/core/error.hpp"
#include "mulberry/core/mention.hpp"
#include "mulberry/core/parallel.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/text/murmur.hpp"
#include "mulberry/data/text/ngram_tree.hpp"
#include "mulberry/data/text/text_units.hpp"
#include "mulberry/data/text/vocabulary.hpp"

namespace mulberry::data {

// The vocabulary as a tree, to find n-grams in a text.
struct LazyLookup {
  std::once_flag made;
  WordTable words;
  NgramTree tree;
  std::vector<Id> column;  // of each node, or -1
};

std::shared_ptr<LazyLookup> Vectoriser::make_lazy() { return std::make_shared<LazyLookup>(); }

namespace {

constexpr Index k_grain = 2048;       // rows of a chunk
constexpr Index k_check_every = 256;  // rows between two looks at the clock

// The units of one text after another, as numbers.
class UnitReader {
 public:
  UnitReader(TextUnit kind, bool lowercase) : kind_(kind), units_(lowercase) {}

  // use(units) for each part of the text that n-grams may not leave; number(word) gives the number
  // of a word, -1 if it is not known.
  template <class Number, class Use>
  void read(std::string_view text, const Number& number, const Use& use) {
    ids_.clear();
    if (kind_ == TextUnit::words) {
      units_.words(text, [&](std::string_view word) { ids_.push_back(number(word)); });
      use(std::span<const Id>(ids_));
    } else if (kind_ == TextUnit::chars) {
      use(numbers(units_.characters(text)));
    } else {
      units_.padded_words(text, [&](std::u32string_view word) { use(numbers(word)); });
    }
  }

  TextUnits& units() { return units_; }

 private:
  std::span<const Id> numbers(std::u32string_view characters) {
    ids_.assign(characters.begin(), characters.end());
    return ids_;
  }

  TextUnit kind_;
  TextUnits units_;
  std::vector<Id> ids_;
};

// emit(node) for every n-gram; step(node, unit) is the child of a node.
template <class Step, class Emit>
void each_ngram(std::span<const Id> units, TextUnit kind, NgramRange range, const Step& step,
                const Emit& emit) {
  const auto size = count_of(units);
  // A word that is shorter than every n-gram counts as a whole.
  const Index least = kind == TextUnit::chars_in_words ? std::min(range.least, size) : range.least;
  for (Index i = 0; i < size; ++i) {
    if (i > 0 && size - i < least) break;
    Id node = NgramTree::k_root;
    const Index most = std::min(range.most, size - i);
    for (Index n = 1; n <= most; ++n) {
      const Id unit = units[at(i + n - 1)];
      if (unit < 0) break;
      node = step(node, unit);
      if (node == NgramTree::k_none) break;
      if (n >= least) emit(node);
    }
  }
}

// Sorts the columns of a row and counts equal ones: use(column, count).
template <class Use>
void each_count(std::vector<Id>& found, const Use& use) {
  std::sort(found.begin(), found.end());
  for (std::size_t k = 0; k < found.size();) {
    std::size_t end = k + 1;
    while (end < found.size() && found[end] == found[k]) ++end;
    use(found[k], static_cast<Index>(end - k));
    k = end;
  }
}

// emit(column) for every n-gram of a text, without any vocabulary.
class Hasher {
 public:
  Hasher(TextUnit kind, bool lowercase, NgramRange range, Index columns)
      : kind_(kind), units_(lowercase), range_(range), columns_(columns) {}

  template <class Emit>
  void read(std::string_view text, const Emit& emit) {
    begin();
    if (kind_ == TextUnit::words) {
      units_.words(text, [&](std::string_view word) {
        if (!joined_.empty()) joined_ += ' ';
        start_.push_back(joined_.size());
        joined_ += word;
        end_.push_back(joined_.size());
      });
      flush(emit);
    } else if (kind_ == TextUnit::chars) {
      add(units_.characters(text));
      flush(emit);
    } else {
      units_.padded_words(text, [&](std::u32string_view word) {
        begin();
        add(word);
        flush(emit);
      });
    }
  }

 private:
  void begin() {
    joined_.clear();
    start_.clear();
    end_.clear();
  }
  void add(std::u32string_view characters) {
    for (const char32_t c : characters) {
      start_.push_back(joined_.size());
      append_utf8(c, joined_);
      end_.push_back(joined_.size());
    }
  }
  template <class Emit>
  void flush(const Emit& emit) {
    const auto size = count_of(start_);
    const Index least =
        kind_ == TextUnit::chars_in_words ? std::min(range_.least, size) : range_.least;
    for (Index i = 0; i < size; ++i) {
      for (Index n = least; n <= std::min(range_.most, size - i); ++n) {
        const std::size_t first = start_[at(i)], last = end_[at(i + n - 1)];
        emit(hashed_column(std::string_view(joined_).substr(first, last - first), columns_));
      }
    }
  }

  TextUnit kind_;
  TextUnits units_;
  NgramRange range_;
  Index columns_;
  std::string joined_;
  std::vector<std::size_t> start_, end_;
};

void find_words(LazyLookup& out, std::span<const char> bytes, std::span<const Index> start,
                TextUnit kind) {
  std::u32string points;
  for (std::size_t c = 0; c + 1 < start.size(); ++c) {
    const std::string_view term(bytes.data() + start[c], at(start[c + 1] - start[c]));
    Id node = NgramTree::k_root;
    if (kind == TextUnit::words) {
      for (std::size_t begin = 0; begin <= term.size();) {
        const std::size_t end = std::min(term.find(' ', begin), term.size());
        node = out.tree.add(node, out.words.add(term.substr(begin, end - begin)));
        begin = end + 1;
      }
    } else {
      points.clear();
      append_code_points(term, points);
      for (const char32_t p : points) node = out.tree.add(node, static_cast<Id>(p));
    }
    out.column.resize(at(out.tree.size()), -1);
    if (node >= 0) out.column[at(node)] = static_cast<Id>(c);
  }
}

double rows_of(double given, Index rows, bool share) {
  return share ? given * static_cast<double>(rows) : given;
}

}  // namespace

const LazyLookup& Vectoriser::lookup() const {
  std::call_once(lookup_->made, [&] { find_words(*lookup_, bytes_, start_, units_); });
  return *lookup_;
}

bool Vectoriser::consistent() const {
  if (start_.empty() || start_[0] != 0 || start_[start_.size() - 1] != count_of(bytes_)) {
    return false;
  }
  for (std::size_t k = 1; k < start_.size(); ++k) {
    if (start_[k] <= start_[k - 1]) return false;
  }
  const bool finite =
      std::all_of(idf_.begin(), idf_.end(), [](double v) { return std::isfinite(v) && v > 0; });
  return finite && (idf_.empty() || count_of(idf_) == columns());
}

std::string Vectoriser::term(Index column) const {
  if (hash_ > 0) return "#" + std::to_string(column);
  const Index begin = start_[at(column)];
  return {bytes_.data() + begin, at(start_[at(column) + 1] - begin)};
}

double Vectoriser::weight(Index count, Id column) const {
  double out = binary_ ? 1.0 : static_cast<double>(count);
  if (sublinear_) out = std::log(out) + 1;
  return idf_.empty() ? out : out * idf_[at(column)];
}

void Vectoriser::finish_row(std::span<double> row) const {
  if (norm_ == TextNorm::none) return;
  double sum = 0;
  for (const double v : row) sum += v * v;
  if (sum == 0) return;
  const double length = std::sqrt(sum);
  for (double& v : row) v /= length;
}

Vectoriser::Vectoriser(const TextOptions& options)
    : units_(options.units),
      range_(ngram_range(options)),
      lowercase_(options.lowercase),
      binary_(options.binary),
      sublinear_(options.sublinear),
      norm_(options.norm),
      hash_(options.hash) {}

Vectoriser Vectoriser::of(const TextOptions& options, std::span<const std::string> words,
                          std::vector<double> idf) {
  Vectoriser out(options);
  std::vector<char> bytes;
  std::vector<Index> start = {0};
  for (const std::string& word : words) {
    bytes.insert(bytes.end(), word.begin(), word.end());
    start.push_back(count_of(bytes));
  }
  out.bytes_ = std::move(bytes);
  out.start_ = std::move(start);
  out.idf_ = std::move(idf);
  if (!out.consistent()) {
    throw Error(Code::data, "expected words and one positive weight for each, found others",
                "Give the words and weights of a vectoriser that was fitted");
  }
  return out;
}

Vectoriser Vectoriser::fit(const Texts& texts, const TextOptions& options, const Context& ctx,
                           Csr* features) {
  Vectoriser out(options);

  // The rows as numbers of n-grams (or hashed columns) and counts; columns are known at the end.
  const Index rows = texts.rows();
  WordTable words;
  NgramTree tree;
  Chunked<Id> index, count;
  std::vector<Index> start = {0};
  std::vector<Index> row_count, total;  // of each n-gram: rows that have it, times it occurs
  if (out.hash_ > 0) row_count.resize(at(out.hash_));
  std::vector<Id> found;
  UnitReader reader(out.units_, out.lowercase_);
  Hasher hasher(out.units_, out.lowercase_, out.range_, out.hash_);
  for (Index i = 0; i < rows; ++i) {
    if (i % k_check_every == 0) ctx.check();
    found.clear();
    const auto emit = [&](Id node) { found.push_back(node); };
    if (out.hash_ > 0) {
      hasher.read(texts[i], emit);
    } else {
      reader.read(
          texts[i], [&](std::string_view word) { return words.add(word); },
          [&](std::span<const Id> units) {
            each_ngram(
                units, out.units_, out.range_,
                [&](Id node, Id unit) { return tree.add(node, unit); }, emit);
          });
      row_count.resize(at(tree.size()));
      total.resize(at(tree.size()));
    }
    each_count(found, [&](Id node, Index times) {
      index.push_back(node);
      count.push_back(static_cast<Id>(std::min<Index>(times, std::numeric_limits<Id>::max())));
      ++row_count[at(node)];
      if (!total.empty()) total[at(node)] += times;
    });
    start.push_back(count_of(index));
  }

  std::vector<Id> column;  // of each n-gram; hashed ones are columns already
  if (out.hash_ == 0) {
    const DocumentCounts limits{rows_of(options.min_df, rows, options.min_df < 1),
                                rows_of(options.max_df, rows, options.max_df <= 1),
                                options.max_features};
    Vocabulary vocabulary =
        make_vocabulary(words, tree, row_count, total, limits, out.units_ == TextUnit::words);
    if (vocabulary.start.size() == 1) {
      if (tree.size() == 0 || std::ranges::count(row_count, 0) == count_of(row_count)) {
        throw Error(Code::data, "expected words in the texts, found none",
                    "Name a column with text, or other units in " + mention("text_units"));
      }
      throw Error(Code::parameter,
                  "expected words that occur in as many rows as " + mention("text_min_df") +
                      " and " + mention("text_max_df") + " allow, found none",
                  "Allow fewer rows in the first, or more in the second");
    }
    out.bytes_ = std::move(vocabulary.bytes);
    out.start_ = std::move(vocabulary.start);
    column = std::move(vocabulary.column);
  }
  if (options.idf) {
    std::vector<double> idf(at(out.columns()));
    const auto set = [&](std::size_t c, Index having) {
      idf[c] =
          std::log((1.0 + static_cast<double>(rows)) / (1.0 + static_cast<double>(having))) + 1;
    };
    for (std::size_t k = 0; k < row_count.size(); ++k) {
      if (out.hash_ > 0) {
        set(k, row_count[k]);
      } else if (column[k] >= 0) {
        set(at(column[k]), row_count[k]);
      }
    }
    out.idf_ = std::move(idf);
  }
  if (features == nullptr) return out;

  std::vector<Id> final_index;
  std::vector<double> value;
  std::vector<Index> final_start = {0};
  final_index.reserve(index.size());
  value.reserve(index.size());
  std::vector<std::pair<Id, Id>> row;
  for (Index i = 0; i < rows; ++i) {
    row.clear();
    for (auto k = at(start[at(i)]); k < at(start[at(i) + 1]); ++k) {
      const Id c = column.empty() ? index[k] : column[at(index[k])];
      if (c >= 0) row.emplace_back(c, count[k]);
    }
    if (!column.empty()) std::sort(row.begin(), row.end());
    const std::size_t first = value.size();
    for (const auto& [c, times] : row) {
      final_index.push_back(c);
      value.push_back(out.weight(times, c));
    }
    out.finish_row(std::span(value).subspan(first));
    final_start.push_back(count_of(final_index));
    index.release_before(at(start[at(i) + 1]));
    count.release_before(at(start[at(i) + 1]));
  }
  *features =
      Csr{rows, out.columns(), std::move(final_start), std::move(final_index), std::move(value)};
  return out;
}

Csr Vectoriser::apply(const Texts& texts, const Context& ctx) const {
  struct Part {
    std::vector<Id> index;
    std::vector<double> value;
    std::vector<Index> size;  // of each row
  };
  const Index rows = texts.rows();
  std::vector<Part> parts(at(chunk_count(rows, k_grain)));
  const LazyLookup* known = hash_ > 0 ? nullptr : &lookup();
  parallel_chunks(ctx, rows, k_grain, [&](Index begin, Index end) {
    Part& part = parts[at(begin / k_grain)];
    UnitReader reader(units_, lowercase_);
    Hasher hasher(units_, lowercase_, range_, hash_);
    std::vector<Id> found;
    for (Index i = begin; i < end; ++i) {
      found.clear();
      if (known == nullptr) {
        hasher.read(texts[i], [&](Id c) { found.push_back(c); });
      } else {
        reader.read(
            texts[i], [&](std::string_view word) { return known->words.find(word); },
            [&](std::span<const Id> units) {
              each_ngram(
                  units, units_, range_,
                  [&](Id node, Id unit) { return known->tree.child(node, unit); },
                  [&](Id node) {
                    if (known->column[at(node)] >= 0) found.push_back(known->column[at(node)]);
                  });
            });
      }
      const std::size_t first = part.value.size();
      each_count(found, [&](Id c, Index times) {
        part.index.push_back(c);
        part.value.push_back(weight(times, c));
      });
      finish_row(std::span(part.value).subspan(first));
      part.size.push_back(static_cast<Index>(part.value.size() - first));
    }
  });
  std::vector<Index> start = {0};
  std::vector<Id> index;
  std::vector<double> value;
  std::size_t stored = 0;
  for (const Part& part : parts) stored += part.index.size();
  start.reserve(at(rows) + 1);
  index.reserve(stored);
  value.reserve(stored);
  for (Part& part : parts) {
    for (const Index size : part.size) start.push_back(start.back() + size);
    index.insert(index.end(), part.index.begin(), part.index.end());
    value.insert(value.end(), part.value.begin(), part.value.end());
    part = {};
  }
  return {rows, columns(), std::move(start), std::move(index), std::move(value)};
}

}  // namespace mulberry::data

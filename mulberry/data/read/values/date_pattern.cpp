#include "mulberry/data/read/values/date_pattern.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "mulberry/core/index.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/read/values/table_numbers.hpp"

namespace mulberry::data {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

constexpr std::string_view k_numbers = "yMdHkhKmsS";  // an M of three or more letters is a name
constexpr std::string_view k_zones = "zZX";
constexpr std::array<std::string_view, 12> k_months = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};
constexpr std::size_t k_short_name = 3;

// What the fields of a date say.
struct Found {
  int year = 0, month = 0, day = 0;
  double hour = 0;
  bool afternoon = false, half_days = false;
};

// The number of digits at the front of the text, and their value.
std::optional<int> take_digits(std::string_view& text, std::size_t least, std::size_t most,
                               std::size_t& digits) {
  int value = 0;
  digits = 0;
  while (digits < std::min(most, text.size()) && is_digit(text[digits])) {
    value = 10 * value + (text[digits++] - '0');
  }
  if (digits < least) return std::nullopt;
  text.remove_prefix(digits);
  return value;
}

std::string_view take_name(std::string_view& text) {
  const auto end = std::ranges::find_if_not(text, is_letter);
  const std::string_view name = text.substr(0, at(end - text.begin()));
  text.remove_prefix(name.size());
  return name;
}

std::optional<int> take_month(std::string_view& text) {
  const std::string_view name = take_name(text);
  for (std::size_t m = 0; m < k_months.size(); ++m) {
    if (same_word(name, k_months[m]) || same_word(name, k_months[m].substr(0, k_short_name))) {
      return static_cast<int>(m) + 1;
    }
  }
  return std::nullopt;
}

// The zone is not looked at: all dates of a column are taken as they are written.
bool take_zone(std::string_view& text) {
  const auto end = std::ranges::find_if_not(
      text, [](char c) { return is_letter(c) || is_digit(c) || c == '+' || c == '-' || c == ':'; });
  const auto size = at(end - text.begin());
  text.remove_prefix(size);
  return size > 0;
}

bool take_number(std::string_view& text, char letter, std::size_t width, bool fixed, Found& found) {
  constexpr std::size_t k_year = 4, k_most = 9;
  const std::size_t least = letter == 'y' ? k_year : (fixed ? width : 1);
  const std::size_t most = fixed ? std::max(width, least) : (letter == 'S' ? k_most : least + 1);
  std::size_t digits = 0;
  const auto value = take_digits(text, least, letter == 'y' ? k_year : most, digits);
  if (!value) return false;
  const auto within = [&](int low, int high) { return *value >= low && *value <= high; };
  switch (letter) {
    case 'y':
      found.year = *value;
      return true;
    case 'M':
      found.month = *value;
      return true;
    case 'd':
      found.day = *value;
      return true;
    case 'H':
      found.hour += *value;
      return within(0, 23);
    case 'k':  // 24 is midnight
      found.hour += *value % 24;
      return within(1, 24);
    case 'K':
      found.half_days = true;
      found.hour += *value;
      return within(0, 11);
    case 'h':  // 12 is midnight or noon
      found.half_days = true;
      found.hour += *value % 12;
      return within(1, 12);
    case 'm':
      found.hour += *value / 60.0;
      return within(0, 59);
    case 's':
      found.hour += *value / 3600.0;
      return within(0, 59);
    default:  // S: the fraction of a second
      found.hour += *value / std::pow(10.0, static_cast<double>(digits)) / 3600;
      return true;
  }
}

bool take_half_day(std::string_view& text, Found& found) {
  const std::string_view name = take_name(text);
  found.afternoon = same_word(name, "pm");
  return found.afternoon || same_word(name, "am");
}

}  // namespace

std::optional<NamedDate> named_date(std::string_view word) {
  constexpr std::string_view k_days = "monday tuesday wednesday thursday friday saturday sunday";
  NamedDate out;
  while (!word.empty()) {
    if (std::string_view(" -/.,").find(word.front()) != std::string_view::npos) {
      word.remove_prefix(1);
    } else if (is_letter(word.front())) {
      std::string_view rest = word;
      const std::string_view name = take_name(rest);
      if (const auto month = take_month(word)) {
        if (out.month != 0) return std::nullopt;
        out.month = *month;
      } else if (name.size() < k_short_name || k_days.find(lower(name)) == std::string::npos) {
        return std::nullopt;
      }
      word = rest;
    } else if (out.year != 0 && word.find(':') < 3) {
      out.time = word;
      break;
    } else {
      std::size_t digits = 0;
      const auto number = take_digits(word, 1, 4, digits);
      if (!number || digits == 3) return std::nullopt;
      int& part = digits == 4 ? out.year : out.day;
      if (part != 0) return std::nullopt;
      part = *number;
    }
  }
  return out.year > 0 && out.month > 0 && out.day > 0 ? std::optional(out) : std::nullopt;
}

DatePattern::DatePattern(std::string pattern, const Place& where) : pattern_(std::move(pattern)) {
  const auto fail = [&](const std::string& problem, std::string remedy) {
    throw Error(Code::unsupported,
                "expected a pattern of dates, found " + in_quotes(pattern_) + ", " + problem,
                std::move(remedy), where);
  };
  bool open = false;  // inside of quotes
  for (std::size_t k = 0; k < pattern_.size(); ++k) {
    const char c = pattern_[k];
    const bool twice = c == '\'' && k + 1 < pattern_.size() && pattern_[k + 1] == '\'';
    if (c == '\'' && !twice) {
      open = !open;
      continue;
    }
    if (twice) ++k;
    if (open || twice || !is_letter(c)) {
      if (fields_.empty() || fields_.back().letter != 0) fields_.emplace_back();
      fields_.back().literal += c;
    } else if (!fields_.empty() && fields_.back().letter == c) {
      ++fields_.back().width;
    } else {
      fields_.push_back({.letter = c, .width = 1});
    }
  }
  if (open) fail("with a quote that is not closed", "Write text between two quotes");
  const auto is_number = [](const Field& field) {
    return k_numbers.find(field.letter) != std::string_view::npos &&
           (field.letter != 'M' || field.width < k_short_name);
  };
  for (std::size_t k = 0; k < fields_.size(); ++k) {
    const auto& [letter, width, fixed, literal] = fields_[k];
    if (letter == 0) continue;
    if (!is_number(fields_[k]) && letter != 'M' && letter != 'E' && letter != 'a' &&
        k_zones.find(letter) == std::string_view::npos) {
      fail("with the letter " + in_quotes(std::string(1, letter)),
           "Use yyyy, MM, dd, HH, mm, ss; text stands between quotes, as in 'T'");
    }
    if (letter == 'y' && width == 2) {
      fail("whose years have two digits", "Write years of four digits, and yyyy for them");
    }
    fields_[k].fixed = is_number(fields_[k]) && k + 1 < fields_.size() && is_number(fields_[k + 1]);
  }
  for (const char part : {'y', 'M', 'd'}) {
    if (!fields_.empty() && std::ranges::count(fields_, part, &Field::letter) != 1) {
      fail("without exactly one year, month and day", "Declare a pattern such as 'yyyy-MM-dd'");
    }
  }
}

ColumnForm DatePattern::form(std::string column) const {
  ColumnForm out{.name = std::move(column), .dates = true, .times = fields_.empty()};
  const auto place = [&](char letter) {
    return std::ranges::find(fields_, letter, &Field::letter);
  };
  for (const char hour : {'H', 'k', 'h', 'K'})
    out.times = out.times || place(hour) != fields_.end();
  out.day_first = place('d') < place('M');
  return out;
}

std::optional<std::vector<double>> DatePattern::values(std::string_view word,
                                                       const ColumnForm& form) const {
  if (fields_.empty()) {
    const bool year_first = word.find_first_not_of("0123456789") == 4;
    return year_first ? date_values(word, form) : std::nullopt;
  }
  Found found;
  for (const auto& [letter, width, fixed, literal] : fields_) {
    bool fits = true;
    if (letter == 0) {
      fits = word.starts_with(literal);
      if (fits) word.remove_prefix(literal.size());
    } else if (letter == 'M' && width >= k_short_name) {
      const auto month = take_month(word);
      fits = month.has_value();
      found.month = month.value_or(0);
    } else if (letter == 'E') {
      fits = !take_name(word).empty();
    } else if (letter == 'a') {
      fits = take_half_day(word, found);
    } else if (k_zones.find(letter) != std::string_view::npos) {
      fits = take_zone(word);
    } else {
      fits = take_number(word, letter, width, fixed, found);
    }
    if (!fits) return std::nullopt;
  }
  if (!word.empty()) return std::nullopt;
  if (found.half_days && found.afternoon) found.hour += 12;
  return date_values(found.year, found.month, found.day, found.hour, form);
}

std::string DatePattern::shown() const {
  return fields_.empty() ? "2024-05-17T10:30:00" : pattern_;
}

}  // namespace mulberry::data

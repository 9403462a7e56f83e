#include "mulberry/data/read/values/table_numbers.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include "mulberry/core/index.hpp"
#include "mulberry/core/mention.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/bytes/number.hpp"
#include "mulberry/data/read/values/date_pattern.hpp"
#include "mulberry/data/read/values/missing_words.hpp"

namespace mulberry::data {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

constexpr std::string_view k_units[] = {"%", "$", "€", "£", "¥", "₹", "USD", "EUR", "GBP", "CHF"};

struct Moment {
  std::array<int, 3> numbers = {};  // as written
  bool year_first = false;
  bool has_time = false;
  double hour = 0;
};

std::optional<int> number_of(std::string_view text) {
  if (!all_digits(text) || text.size() > 4) return std::nullopt;
  return static_cast<int>(*parse_integer(text));
}

// 10:30, 10:30:15.25, with or without a zone after it, which is not looked at.
std::optional<double> hour_of(std::string_view text) {
  const auto zone = text.find_first_of("Z+-");
  text = trim(text.substr(0, zone));
  double out = 0, unit = 1;
  for (const std::string& part : split(text, ':')) {
    double value = 0;
    if (unit < 1.0 / 3600 || !fast_number(part, value) || value < 0 || value >= 60) {
      return std::nullopt;
    }
    out += unit * value;
    unit /= 60;
  }
  return unit < 1.0 / 59 && out < 24 ? std::optional(out) : std::nullopt;
}

std::optional<Moment> moment_of(std::string_view word) {
  if (!is_date(word)) return std::nullopt;
  Moment out;
  if (const auto named = named_date(word)) {
    out.numbers = {named->year, named->month, named->day};
    out.year_first = true;
    if (named->time.empty()) return out;
    const auto hour = hour_of(named->time);
    out.has_time = true;
    out.hour = hour.value_or(0);
    return hour ? std::optional(out) : std::nullopt;
  }
  const auto end = word.find_first_of(" T");
  const std::string_view day = word.substr(0, end);
  const char mark = day[day.find_first_not_of("0123456789")];
  const std::vector<std::string> parts = split(day, mark);
  if (parts.size() != 3) return std::nullopt;
  for (std::size_t k = 0; k < 3; ++k) {
    const auto number = number_of(parts[k]);
    if (!number) return std::nullopt;
    out.numbers[k] = *number;
  }
  out.year_first = parts[0].size() == 4;
  if (end != std::string_view::npos && !trim(word.substr(end + 1)).empty()) {
    const auto hour = hour_of(word.substr(end + 1));
    if (!hour) return std::nullopt;
    out.has_time = true;
    out.hour = *hour;
  }
  return out;
}

// With blanks for those that do not break a line and narrow ones, which spreadsheets put between
// thousands, in UTF-8 or Latin-1.
std::string with_plain_blanks(std::string_view text) {
  std::string out(text);
  for (const std::string_view blank : {"\xC2\xA0", "\xE2\x80\xAF", "\xE2\x80\x89", "\xA0"}) {
    for (auto at = out.find(blank); at != std::string::npos; at = out.find(blank, at)) {
      out.replace(at, blank.size(), " ");
    }
  }
  return out;
}

// The same number with a decimal point and nothing between its digits; empty if it is another text.
std::string plain_number(std::string_view text, char decimal, char thousands) {
  std::string out;
  if (text.starts_with('-') || text.starts_with('+')) {
    if (text.front() == '-') out += '-';
    text.remove_prefix(1);
  }
  const auto exponent = std::min(text.find_first_of("eE"), text.size());
  const auto point = std::min(text.substr(0, exponent).find(decimal), exponent);
  std::string_view whole = text.substr(0, point);
  const bool grouped = thousands != 0 && whole.find(thousands) != std::string_view::npos;
  if (grouped) {
    const std::vector<std::string> groups = split(whole, thousands);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const bool fits = g == 0 ? groups[g].size() <= 3 : groups[g].size() == 3;
      if (!fits || !all_digits(groups[g])) return {};
      out += groups[g];
    }
  } else {
    if (!whole.empty() && !all_digits(whole)) return {};
    out += whole;
  }
  if (point < exponent) {
    const std::string_view fraction = text.substr(point + 1, exponent - point - 1);
    if (!fraction.empty() && !all_digits(fraction)) return {};
    out += '.';
    out += fraction;
  }
  out += text.substr(exponent);
  return out;
}

// A number and the side of its unit: -1 before it, 1 after it, 0 if it has none.
int unit_side(std::string_view text, std::string_view unit, char decimal, char thousands,
              double& value) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const int side = text.starts_with(unit) ? -1 : (text.ends_with(unit) ? 1 : 0);
  if (side == 0) return 0;
  if (side < 0) text.remove_prefix(unit.size());
  if (side > 0) text.remove_suffix(unit.size());
  text = trim(text);
  // Commas between thousands are certain only if a point follows them.
  const bool commas = decimal == '.' && thousands == 0 && text.find('.') != text.npos &&
                      text.find(',') < text.find('.');
  if (!written_number(text, decimal, commas ? ',' : thousands, value)) return 0;
  if (negative) value = -value;
  return side;
}

// Whether the day comes first in dates whose year comes last; throws Error if nothing tells.
bool is_day_first(const std::string& column, std::span<const std::string> words,
                  std::span<const std::optional<Moment>> moments, const Place& where) {
  bool day = false, month = false, dots = false;
  std::string example;
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (!moments[k] || moments[k]->year_first) continue;
    example = words[k];
    day = day || moments[k]->numbers[0] > 12;
    month = month || moments[k]->numbers[1] > 12;
    dots = dots || words[k].find('.') < words[k].find(' ');
    if (moments[k]->numbers[2] < 100) {
      throw Error(Code::data,
                  "expected years of four digits in the column " + in_quotes(column) + ", found " +
                      in_quotes(words[k]),
                  "Write dates as 2024-05-17", where);
    }
  }
  if (example.empty() || (day != month)) return day;
  if (dots && !month) return true;  // 3.4.2024 is in April wherever dots are used
  throw Error(Code::data,
              "expected dates in the column " + in_quotes(column) +
                  " that tell the day from the month, found " + in_quotes(example),
              "Write dates as 2024-05-17", where);
}

std::optional<std::chrono::sys_days> day_of(int year, int month, int day) {
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date);
}

}  // namespace

bool written_number(std::string_view text, char decimal, char thousands, double& value) {
  const bool odd = thousands == ' ' && std::ranges::any_of(text, [](char c) {
                     return static_cast<unsigned char>(c) >= 0x80;
                   });
  const std::string plain = odd ? plain_number(with_plain_blanks(text), decimal, thousands)
                                : plain_number(text, decimal, thousands);
  return !plain.empty() && fast_number(plain, value);
}

bool unit_number(std::string_view text, std::string_view unit, char decimal, char thousands,
                 double& value) {
  return unit_side(text, unit, decimal, thousands, value) != 0;
}

std::optional<std::string> common_unit(std::span<const std::string> words, char decimal,
                                       char thousands) {
  for (const std::string_view unit : k_units) {
    int side = 0;
    const bool all = std::ranges::all_of(words, [&](const std::string& word) {
      if (is_missing_word(word)) return true;
      double value = 0;
      const int found = unit_side(word, unit, decimal, thousands, value);
      if (side == 0) side = found;
      return found != 0 && found == side;
    });
    if (all && side != 0) return std::string(unit);
  }
  return std::nullopt;
}

std::optional<std::string> marks_remedy(std::span<const std::string> words) {
  const auto fit = [&](char decimal, char thousands) {
    if (common_unit(words, decimal, thousands)) return true;
    return std::ranges::all_of(words, [&](const std::string& word) {
      double value = 0;
      return is_missing_word(word) || written_number(word, decimal, thousands, value);
    });
  };
  if (fit(',', 0)) {
    std::string fraction = mention("decimal", ",") + " if the comma begins the fraction";
    if (!fit('.', ',')) return fraction;
    return fraction + ", " + mention("thousands", ",") + " if it stands between thousands";
  }
  for (const char thousands : {',', ' ', '\''}) {
    if (fit('.', thousands)) {
      return mention("thousands", in_quotes(std::string(1, thousands))) + " reads them as numbers";
    }
  }
  for (const char thousands : {'.', ' ', '\''}) {
    if (!fit(',', thousands)) continue;
    return mention("decimal", ",") + " and " +
           mention("thousands", in_quotes(std::string(1, thousands))) + " read them as numbers";
  }
  return std::nullopt;
}

std::optional<ColumnForm> date_form(const std::string& column, std::span<const std::string> words,
                                    const Place& where) {
  std::vector<std::optional<Moment>> moments;
  const std::string* other = nullptr;
  std::size_t dates = 0;
  ColumnForm out{.name = column, .dates = true};
  for (const std::string& word : words) {
    moments.push_back(moment_of(word));
    if (!moments.back() && !is_missing_word(word)) other = &word;
    if (!moments.back()) continue;
    ++dates;
    out.times = out.times || moments.back()->has_time;
  }
  if (dates == 0) return std::nullopt;
  if (other != nullptr) {
    if (2 * dates <= words.size()) return std::nullopt;
    throw Error(Code::data,
                "expected a date in the column " + in_quotes(column) + " as in most rows, found " +
                    in_quotes(*other),
                "Correct it, or leave the cell empty; " + mention("na", *other) +
                    " if it stands for a missing value",
                where);
  }
  out.day_first = is_day_first(column, words, moments, where);
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (!moments[k] || date_values(words[k], out)) continue;
    throw Error(Code::data,
                "expected a date that exists in the column " + in_quotes(column) + ", found " +
                    in_quotes(words[k]),
                "Correct it, or write dates as 2024-05-17", where);
  }
  return out;
}

std::vector<std::string_view> date_part_names(const ColumnForm& form) {
  std::vector<std::string_view> out = {"year", "month", "day", "weekday", "days"};
  if (form.times) out.emplace_back("hour");
  return out;
}

std::optional<std::vector<double>> date_values(std::string_view word, const ColumnForm& form) {
  const auto moment = moment_of(word);
  if (!moment) return std::nullopt;
  const auto& [a, b, c] = moment->numbers;
  if (moment->year_first) return date_values(a, b, c, moment->hour, form);
  return date_values(c, form.day_first ? b : a, form.day_first ? a : b, moment->hour, form);
}

std::optional<std::vector<double>> date_values(int year, int month, int day, double hour,
                                               const ColumnForm& form) {
  const auto days = day_of(year, month, day);
  if (!days) return std::nullopt;
  std::vector<double> out = {static_cast<double>(year), static_cast<double>(month),
                             static_cast<double>(day),
                             static_cast<double>(std::chrono::weekday(*days).iso_encoding()) - 1,
                             static_cast<double>(days->time_since_epoch().count())};
  if (form.times) out.push_back(hour);
  return out;
}

}  // namespace mulberry::data

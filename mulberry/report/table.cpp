#include "mulberry/report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/json_text.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/core/visible.hpp"
#include "mulberry/data/bytes/utf8.hpp"

namespace mulberry::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr Index k_bar_width = 12;

std::string blanks(Index count) { return std::string(at(std::max<Index>(count, 0)), ' '); }

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

// Text for LaTeX: its own letters are escaped, signs that our tables use become commands.
std::string latex_text(std::string_view text) {
  std::string out;
  for (const char32_t letter : decode_utf8(text)) {
    switch (letter) {
      case U'\\':
        out += "\\textbackslash{}";
        break;
      case U'~':
        out += "\\textasciitilde{}";
        break;
      case U'^':
        out += "\\textasciicircum{}";
        break;
      case U'{':
      case U'}':
      case U'$':
      case U'&':
      case U'%':
      case U'#':
      case U'_':
        out += '\\';
        out += static_cast<char>(letter);
        break;
      case U'±':
        out += "$\\pm$";
        break;
      case U'↑':
        out += "$\\uparrow$";
        break;
      case U'↓':
        out += "$\\downarrow$";
        break;
      case U'•':
        out += "$\\bullet$";
        break;
      case U'<':  // these two print as other letters in the oldest font encoding
        out += "$<$";
        break;
      case U'>':
        out += "$>$";
        break;
      default:
        out += letter < 0x20 ? std::string(" ") : encode_utf8(std::u32string(1, letter));
    }
  }
  return out;
}

constexpr std::size_t k_longest_title = 22;

std::string name_letter(std::size_t k) {
  return k < 26 ? std::string(1, static_cast<char>('A' + k)) : "L" + std::to_string(k + 1);
}

}  // namespace

std::string fixed_text(double value, int digits) {
  std::string out = fmt::format("{:.{}f}", value, digits);
  const bool zero = out.find_first_of("123456789") == std::string::npos && std::isfinite(value);
  return zero && out.front() == '-' ? out.substr(1) : out;
}

ShortNames short_names(const std::vector<std::string>& names) {
  ShortNames out{.titles = names};
  const bool letters = std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return name.size() > k_longest_title;
  });
  for (std::size_t k = 0; letters && k < names.size(); ++k) {
    out.titles[k] = name_letter(k);
    out.key += out.titles[k] + " = " + names[k] + "\n";
  }
  return out;
}

TableCell TableCell::of(double value, int digits) {
  std::string words = "-";
  if (std::isfinite(value)) {
    const double smallest = std::pow(10.0, -digits);
    const bool tiny = value != 0 && std::abs(value) < smallest / 2;
    words =
        tiny || std::abs(value) >= 1e9 ? fmt::format("{:.1e}", value) : fixed_text(value, digits);
  }
  TableCell out(std::move(words));
  out.is_number = true;
  out.number = value;
  return out;
}

TableCell TableCell::of(Index value) {
  TableCell out(std::to_string(value));
  out.is_number = true;
  out.number = static_cast<double>(value);
  return out;
}

void Table::add(std::vector<TableCell> row) {
  MULBERRY_ASSERT(row.size() == columns_.size());
  rows_.push_back(std::move(row));
}

std::string Table::text(bool colours) const {
  // Whether a column needs room for stars or bars, and the width of its widest text.
  std::vector<Index> width;
  std::vector<char> starred, barred;
  std::vector<std::string> titles;
  std::vector<std::vector<std::string>> words(rows_.size());
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    titles.push_back(visible_line(columns_[c].title));
    Index widest = display_width(titles[c]);
    bool star = false, bar = false;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const auto& row = rows_[r];
      words[r].push_back(visible_line(row[c].text));
      widest = std::max(widest, display_width(words[r][c]));
      star = star || row[c].best || !row[c].mark.empty();
      bar = bar || std::isfinite(row[c].bar);
    }
    width.push_back(widest);
    starred.push_back(star);
    barred.push_back(bar);
  }
  const auto pad = [&](std::size_t c, const std::string& text) {
    const std::string gap = blanks(width[c] - display_width(text));
    return columns_[c].right ? gap + text : text + gap;
  };
  const auto& [title, best, plain] = k_styles;
  const auto end_line = [](std::string& line) {
    line.erase(line.find_last_not_of(' ') + 1);
    line += '\n';
  };

  std::string out, line, rule;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const Index extra = (starred[c] ? 1 : 0) + (barred[c] ? k_bar_width + 1 : 0);
    const std::string gap = c == 0 ? "" : "  ";
    line += gap + pad(c, titles[c]) + blanks(extra);
    rule += gap;
    for (Index k = 0; k < width[c] + extra; ++k) rule += "─";
  }
  end_line(line);
  if (colours) {
    line.pop_back();
    out += std::string(title) + line + std::string(plain) + "\n";
  } else {
    out += line;
  }
  out += rule + "\n";
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const auto& row = rows_[r];
    if (std::find(rules_.begin(), rules_.end(), r) != rules_.end()) out += rule + "\n";
    line.clear();
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (c > 0) line += "  ";
      const bool bold = colours && row[c].best;
      if (bold) line += best;
      line += pad(c, words[r][c]);
      if (starred[c]) line += row[c].best ? "*" : row[c].mark.empty() ? " " : row[c].mark;
      if (bold) line += plain;
      if (barred[c]) line += " " + bar_text(row[c].bar, k_bar_width);
    }
    end_line(line);
    out += line;
  }
  return out;
}

std::string Table::latex() const {
  std::string out = "\\begin{tabular}{";
  for (const TableColumn& column : columns_) out += column.right ? 'r' : 'l';
  out += "}\n\\toprule\n";
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    out += (c > 0 ? " & " : "") + latex_text(columns_[c].title);
  }
  out += " \\\\\n\\midrule\n";
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    if (std::find(rules_.begin(), rules_.end(), r) != rules_.end()) out += "\\midrule\n";
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const TableCell& cell = rows_[r][c];
      const std::string words = latex_text(cell.text);
      out += c > 0 ? " & " : "";
      out += cell.best ? "\\textbf{" + words + "}" : words;
      if (!cell.best && !cell.mark.empty()) {
        out += "\\textsuperscript{" + latex_text(cell.mark) + "}";
      }
    }
    out += " \\\\\n";
  }
  return out + "\\bottomrule\n\\end{tabular}\n";
}

std::string Table::csv() const {
  std::string out;
  const auto add_line = [&](const auto& words_of) {
    bool first = true;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (columns_[c].key.empty()) continue;
      out += (first ? "" : ",") + csv_field(words_of(c));
      first = false;
    }
    out += "\n";
  };
  add_line([&](std::size_t c) { return columns_[c].key; });
  for (const auto& row : rows_) {
    add_line([&](std::size_t c) {
      if (!row[c].is_number) return row[c].text;
      return std::isfinite(row[c].number) ? shortest(row[c].number) : std::string();
    });
  }
  return out;
}

std::string Table::json() const {
  Json out = Json::array();
  for (const auto& row : rows_) {
    Json object = Json::object();
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (columns_[c].key.empty()) continue;
      Json& value = object[columns_[c].key];
      if (!row[c].is_number) {
        value = row[c].text;
      } else if (std::isfinite(row[c].number)) {
        value = row[c].number;
      }
    }
    out.push_back(std::move(object));
  }
  return json_text(out);
}

std::string bar_text(double share, Index width) {
  static constexpr const char* k_eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  if (!std::isfinite(share)) return blanks(width);
  const auto eighths =
      static_cast<Index>(std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(8 * width)));
  std::string out;
  for (Index k = 0; k < eighths / 8; ++k) out += "█";
  out += k_eighths[eighths % 8];
  return out + blanks(width - (eighths + 7) / 8);
}

Index display_width(std::string_view text) {
  Index out = 0;
  for (const char32_t c : decode_utf8(text)) {
    const bool combining = (c >= 0x300 && c < 0x370) || (c >= 0x200b && c < 0x2010);
    // Hangul, kana, han, full-width forms and emoji take two columns each.
    const bool wide = (c >= 0x1100 && c < 0x1160) || (c >= 0x2e80 && c < 0xa4d0) ||
                      (c >= 0xac00 && c < 0xd7a4) || (c >= 0xf900 && c < 0xfb00) ||
                      (c >= 0xff00 && c < 0xff61) || (c >= 0x1f300 && c < 0x1fb00) ||
                      (c >= 0x20000 && c < 0x40000);
    out += combining ? 0 : wide ? 2 : 1;
  }
  return out;
}

}  // namespace mulberry::report

#include "mulberry/report/study/study_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mulberry/core/index.hpp"

namespace mulberry::report {

using compare::CellStatus;
using compare::ScoreCell;
using compare::Scores;

std::string seconds_text(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  if (seconds >= 1000) return fmt::format("{:.0f} s", seconds);
  return seconds < 0.001 ? fmt::format("{:.1e} s", seconds) : fmt::format("{:.3g} s", seconds);
}

std::string mean_text(double mean, double deviation) {
  if (!std::isfinite(mean)) return "-";
  return std::isfinite(deviation) ? fmt::format("{:.4f} ± {:.4f}", mean, deviation)
                                  : fmt::format("{:.4f}", mean);
}

std::string cell_text(const ScoreCell& cell) {
  if (cell.status == CellStatus::measured) return mean_text(mean(cell), deviation(cell));
  return cell.status == CellStatus::missing ? "-" : std::string(compare::name_of(cell.status));
}

std::string published_value_text(const PublishedValue& value) {
  if (value.measure == k_fit_seconds) return seconds_text(value.value);
  return mean_text(value.value, value.deviation > 0 ? value.deviation : std::nan(""));
}

std::string our_value_text(const PublishedLine& line) {
  if (line.published.measure == k_fit_seconds) return seconds_text(line.ours);
  return mean_text(line.ours, line.deviation);
}

std::string general_remarks(const Study& study) {
  std::string out;
  if (!study.published.empty()) return out;
  for (const PublishedRemark& remark : study.remarks) {
    const std::string about = remark.data.empty() ? remark.learner : remark.data;
    out += "\n" + (about.empty() ? about : about + ": ") + remark.text + "\n";
  }
  return out;
}

std::string markdown_cell(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

std::string difference_text(const PublishedLine& line) {
  if (line.published.measure == k_fit_seconds) {
    return std::isfinite(line.ours) ? fmt::format("{:.3g} times", line.ours / line.published.value)
                                    : "-";
  }
  return std::isfinite(line.ours) ? fmt::format("{:+.4f}", line.ours - line.published.value) : "-";
}

std::string duration_text(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  if (seconds < 5400) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

double total_seconds(const StudyResults& results) {
  double out = 0;
  for (const auto& learners : results.costs) {
    for (const CellCost& cost : learners) {
      for (const Estimate* e : {&cost.fit_seconds, &cost.predict_seconds, &cost.search_seconds}) {
        for (const double v : e->values) out += std::isfinite(v) ? v : 0;
      }
    }
  }
  return out;
}

std::string result_lines(const StudyResults& results) {
  constexpr std::size_t k_shown = 25;
  std::vector<std::string> ids;
  for (const Scores& scores : results.tables) {
    const std::string id = scores.measure.substr(0, scores.measure.find('['));
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
  }
  std::string out;
  for (const std::string& id : ids) {
    for (std::size_t s = 0; s < results.sets.size(); ++s) {
      for (std::size_t k = 0; k < results.learners.size(); ++k) {
        std::vector<std::pair<double, std::string>> values;
        for (const Scores& scores : results.tables) {
          if (!scores.measure.starts_with(id + "[")) continue;
          const double value = mean(scores.sets[s].cells[k]);
          const std::string place =
              scores.measure.substr(id.size() + 1, scores.measure.size() - id.size() - 2);
          const auto comma = place.find(", ");
          const bool diagonal =
              comma != std::string::npos && place.substr(0, comma) == place.substr(comma + 2);
          if (std::isfinite(value) && !diagonal) values.emplace_back(value, place);
        }
        const bool anything = std::any_of(values.begin(), values.end(),
                                          [](const auto& value) { return value.first != 0; });
        if (!anything) continue;
        std::stable_sort(values.begin(), values.end(), [](const auto& a, const auto& b) {
          return std::abs(a.first) > std::abs(b.first);
        });
        out += fmt::format("\n{} of {} on {}, largest first:\n", id, results.learners[k],
                           results.sets[s]);
        for (std::size_t v = 0; v < std::min(values.size(), k_shown); ++v) {
          out += fmt::format("  {:8.4f}  {}\n", values[v].first, values[v].second);
        }
      }
    }
  }
  return out;
}

}  // namespace mulberry::report

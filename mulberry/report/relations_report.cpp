#include "mulberry/report/relations_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "mulberry/core/index.hpp"
#include "mulberry/core/json_text.hpp"

namespace mulberry::report {
namespace {

using Json = nlohmann::ordered_json;

const std::string& name_of(const Relations& r, Id label) { return r.names[at(label)]; }

Json rows_of(MatrixView m) {
  Json out = Json::array();
  for (Index i = 0; i < m.rows(); ++i) {
    Json row = Json::array();
    for (const double v : m.row(i)) row.push_back(number_or_null<Json>(v));
    out.push_back(std::move(row));
  }
  return out;
}

constexpr double k_noticeable = 0.05;  // correlation

std::string dot_text(const std::string& name) {
  std::string out = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out + "\"";
}

}  // namespace

Matrix shrunk_scores(MatrixView score, std::span<const Index> support) {
  constexpr double k_few = 20;  // rows
  Matrix out(score);
  for (Index i = 0; i < out.rows(); ++i) {
    double all = 0;
    for (Index j = 0; j < out.cols(); ++j) {
      all += i == j || std::isnan(score(i, j)) ? 0 : std::abs(score(i, j));
    }
    const double rows = static_cast<double>(std::max<Index>(1, support[at(i)]));
    for (Index j = 0; j < out.cols(); ++j) {
      if (i != j) out(i, j) /= 1 + k_few / rows * all;
    }
  }
  return out;
}

std::vector<Arrow> strongest_arrows(const Relations& relations, Index most, double least) {
  std::vector<Arrow> out;
  MatrixView s = relations.score;
  for (Index i = 0; i < s.rows(); ++i) {
    for (Index j = 0; j < s.cols(); ++j) {
      if (i != j && std::abs(s(i, j)) >= least && s(i, j) != 0)  // never for NaN
        out.push_back({static_cast<Id>(j), static_cast<Id>(i), s(i, j), s(j, i)});
    }
  }
  std::stable_sort(out.begin(), out.end(), [](const Arrow& a, const Arrow& b) {
    return std::abs(a.score) > std::abs(b.score);
  });
  out.resize(std::min(out.size(), at(most)));
  return out;
}

bool is_firm(const Relations& relations, Id helper, Id learner) {
  constexpr double k_firm = 0.8;
  const Stability& stability = relations.stability;
  return stability.repeats == 0 || stability.agreement(learner, helper) >= k_firm - 1e-9;
}

std::string arrow_sentence(const Relations& relations, const Arrow& arrow, double least) {
  const auto says = [&](const char* when, Id helper, Id learner, double score) {
    return fmt::format("{} {} is likely, {} becomes {} likely", when, name_of(relations, helper),
                       name_of(relations, learner), score > 0 ? "more" : "less");
  };
  std::string out = says("When", arrow.helper, arrow.learner, arrow.score);
  bool opposite = false;  // whether the reverse arrow has the other sign
  if (std::isnan(arrow.reverse)) {
    out += "; the reverse is not known";
  } else if (std::abs(arrow.reverse) < least) {
    out += "; the reverse does not hold";
  } else if (!is_firm(relations, arrow.learner, arrow.helper)) {
    out += "; the reverse is not certain";
  } else if (arrow.reverse * arrow.score > 0) {
    out += std::abs(arrow.reverse) >= std::abs(arrow.score) / 2
               ? ", and the other way round"
               : "; the reverse holds too, but much less";
  } else {
    out += "; but " + says("when", arrow.learner, arrow.helper, arrow.reverse);
    opposite = true;
  }
  const Stability& stability = relations.stability;
  if (stability.repeats > 0) {
    const double share = stability.agreement(arrow.learner, arrow.helper);
    out += fmt::format(" (seen in {:.0f} of {} repeats)",
                       share * static_cast<double>(stability.repeats), stability.repeats);
  }
  out += ".";
  const double phi = relations.phi.size() > 0 ? relations.phi(arrow.learner, arrow.helper) : 0.0;
  if (std::abs(phi) >= k_noticeable && (opposite || phi * arrow.score < 0)) {
    out += fmt::format(" Yet in the data they go together {} often than by chance.",
                       phi > 0 ? "more" : "less");
  }
  return out;
}

std::vector<std::string> arrow_sentences(const Relations& relations,
                                         const std::vector<Arrow>& arrows, double least) {
  std::vector<std::string> out;
  std::size_t doubtful = 0;
  for (std::size_t k = 0; k < arrows.size(); ++k) {
    if (!is_firm(relations, arrows[k].helper, arrows[k].learner)) {
      ++doubtful;
      continue;
    }
    const bool said = std::any_of(
        arrows.begin(), arrows.begin() + static_cast<std::ptrdiff_t>(k), [&](const Arrow& other) {
          return other.helper == arrows[k].learner && other.learner == arrows[k].helper &&
                 is_firm(relations, other.helper, other.learner);
        });
    if (!said) out.push_back(arrow_sentence(relations, arrows[k], least));
  }
  if (doubtful > 0) {
    out.push_back(
        fmt::format("Do not rely on the other {}: seen again in less than 80 % of the repeats.",
                    doubtful == 1 ? "arrow" : fmt::format("{} arrows", doubtful)));
  }
  return out;
}

std::string relations_dot(const Relations& relations, const std::vector<Arrow>& arrows) {
  std::string out = "digraph relations {\n  // an arrow points from the helper to the learner\n";
  out += "  node [shape=box, style=rounded];\n";
  for (const Arrow& arrow : arrows) {
    const char* const style = is_firm(relations, arrow.helper, arrow.learner) ? "solid" : "dashed";
    out += fmt::format("  {} -> {} [label=\"{:.2f}\", color={}, penwidth={:.2f}, style={}];\n",
                       dot_text(name_of(relations, arrow.helper)),
                       dot_text(name_of(relations, arrow.learner)), arrow.score,
                       arrow.score > 0 ? "\"#7a1152\"" : "\"#2b6cb0\"",
                       1 + 4 * std::min(1.0, std::abs(arrow.score)), style);
  }
  return out + "}\n";
}

std::string relations_json(const Relations& relations, const std::vector<Arrow>& arrows,
                           double least) {
  const Stability& stability = relations.stability;
  Json list = Json::array();
  for (const Arrow& arrow : arrows) {
    Json item = {{"helper", name_of(relations, arrow.helper)},
                 {"learner", name_of(relations, arrow.learner)},
                 {"score", number_or_null<Json>(arrow.score)},
                 {"reverse", number_or_null<Json>(arrow.reverse)},
                 {"sentence", arrow_sentence(relations, arrow, least)}};
    if (!relations.support.empty()) {
      item["plain_score"] = number_or_null<Json>(relations.plain(arrow.learner, arrow.helper));
      item["helper_rows"] = relations.support[at(arrow.helper)];
      item["learner_rows"] = relations.support[at(arrow.learner)];
    }
    if (relations.phi.size() > 0)
      item["phi"] = number_or_null<Json>(relations.phi(arrow.learner, arrow.helper));
    if (relations.co_occurrence.size() > 0)
      item["co_occurrence"] =
          number_or_null<Json>(relations.co_occurrence(arrow.learner, arrow.helper));
    if (stability.repeats > 0) {
      item["agreement"] = number_or_null<Json>(stability.agreement(arrow.learner, arrow.helper));
      item["repeated_mean"] = number_or_null<Json>(stability.mean(arrow.learner, arrow.helper));
      item["repeated_deviation"] =
          number_or_null<Json>(stability.deviation(arrow.learner, arrow.helper));
      item["firm"] = is_firm(relations, arrow.helper, arrow.learner);
    }
    list.push_back(std::move(item));
  }
  const bool shrunk = relations.plain.size() > 0;
  Json out = {{"labels", relations.names},
              {"reuse_score", rows_of(shrunk ? relations.plain : relations.score)}};
  if (shrunk) {
    out["shrunk_score"] = rows_of(relations.score);
    out["rows"] = relations.support;
  }
  if (relations.phi.size() > 0) out["phi"] = rows_of(relations.phi);
  if (relations.co_occurrence.size() > 0) out["co_occurrence"] = rows_of(relations.co_occurrence);
  if (stability.repeats > 0) {
    out["repeats"] = stability.repeats;
    out["agreement"] = rows_of(stability.agreement);
    out["repeated_mean"] = rows_of(stability.mean);
    out["repeated_deviation"] = rows_of(stability.deviation);
  }
  out["arrows"] = std::move(list);
  return json_text(out);
}

}  // namespace mulberry::report

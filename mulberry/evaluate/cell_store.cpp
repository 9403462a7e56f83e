#include "mulberry/evaluate/cell_store.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

#include "mulberry/core/atomic_file.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/core/json_text.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/evaluate/resources.hpp"
#include "mulberry/evaluate/trained_model.hpp"

namespace mulberry::evaluate {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// The first word of a file and, in the identity, the version of what a cell means: cells of another
// version are never found.
constexpr std::string_view k_magic = "mulberry-cell 1 ";

std::string hex(std::uint64_t high, std::uint64_t low) {
  constexpr char k_digits[] = "0123456789abcdef";
  std::string out(32, '0');
  for (std::size_t k = 0; k < 16; ++k) {
    out[15 - k] = k_digits[high >> (4 * k) & 15];
    out[31 - k] = k_digits[low >> (4 * k) & 15];
  }
  return out;
}

std::string rows_digest(const Fold& fold) {
  std::string bytes;
  for (const auto* rows : {&fold.train, &fold.test}) {
    const auto count = rows->size();
    bytes.append(reinterpret_cast<const char*>(&count), sizeof count);
    bytes.append(reinterpret_cast<const char*>(rows->data()), count * sizeof(Id));
  }
  return digest_of(bytes);
}

std::string path_of(const std::string& folder, const char* part, const std::string& digest) {
  return folder + "/" + part + "/" + digest.substr(0, 2) + "/" + digest + ".json";
}

double number_of(const Json& json) {
  return json.is_number() ? json.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

Json value_json(const MeasureValue& v) {
  Json out = {{"name", v.name}, {"value", number_or_null<Json>(v.value)}};
  if (v.undefined != 0) out["undefined"] = v.undefined;
  if (v.unobserved != 0) out["unobserved"] = v.unobserved;
  if (!v.reason.empty()) out["reason"] = v.reason;
  if (!v.higher_is_better) out["higher_is_better"] = false;
  return out;
}

MeasureValue value_from(const Json& json) {
  return {.name = json.at("name"),
          .value = number_of(json.at("value")),
          .undefined = json.value("undefined", Index{0}),
          .unobserved = json.value("unobserved", Index{0}),
          .reason = json.value("reason", std::string()),
          .higher_is_better = json.value("higher_is_better", true)};
}

Json result_json(const SplitResult& result) {
  Json values = Json::array();
  for (const MeasureValue& v : result.values) values.push_back(value_json(v));
  Json out = {{"values", std::move(values)}, {"converged", result.converged}};
  if (!result.chosen.empty()) out["chosen"] = result.chosen;
  if (!result.failure.empty()) out["failure"] = result.failure;
  if (result.resampled.rows() > 0) {
    Json rows = Json::array();
    for (Index i = 0; i < result.resampled.rows(); ++i) {
      Json row = Json::array();
      for (const double v : result.resampled.row(i)) row.push_back(number_or_null<Json>(v));
      rows.push_back(std::move(row));
    }
    out["resampled"] = std::move(rows);
  }
  return out;
}

SplitResult result_from(const Json& json) {
  SplitResult out;
  for (const Json& v : json.at("values")) out.values.push_back(value_from(v));
  out.converged = json.at("converged");
  out.chosen = json.value("chosen", std::string());
  out.failure = json.value("failure", std::string());
  if (json.contains("resampled") && !json["resampled"].empty()) {
    const Json& rows = json["resampled"];
    out.resampled = Matrix(static_cast<Index>(rows.size()), static_cast<Index>(rows[0].size()));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t j = 0; j < rows[0].size(); ++j) {
        out.resampled(static_cast<Index>(i), static_cast<Index>(j)) = number_of(rows[i].at(j));
      }
    }
  }
  return out;
}

void add_cost(SplitResult& result, const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const Json json = Json::parse(in, nullptr, false);
  if (!json.is_object()) return;  // the costs of a cell are no part of it
  result.fit_seconds = number_of(json.value("fit_seconds", Json()));
  result.predict_seconds = number_of(json.value("predict_seconds", Json()));
  result.search_seconds = number_of(json.value("search_seconds", Json()));
  const Json peak = json.value("peak_memory_bytes", Json());
  result.peak_memory = peak.is_number_integer() ? peak.get<Index>() : 0;
}

void make_folder(const fs::path& folder) {
  std::error_code status;
  fs::create_directories(folder, status);
  if (!status) return;
  throw Error(Code::io,
              "cannot make the folder " + in_quotes(folder.string()) +
                  " for the cells: " + status.message(),
              "Name a folder where you may write");
}

void write_small(const std::string& path, std::string_view bytes) {
  make_folder(fs::path(path).parent_path());
  AtomicFile file(path);
  file.write(bytes);
  file.commit(Sync::later);
}

}  // namespace

CellStore::CellStore(std::string folder, StoreUse use) : folder_(std::move(folder)) {
  if (use == StoreUse::read) return;
  for (const char* part : {"cells", "costs"}) make_folder(fs::path(folder_) / part);
}

std::optional<SplitResult> CellStore::find(const std::string& identity) const {
  const std::string digest = digest_of(identity);
  std::ifstream in(path_of(folder_, "cells", digest), std::ios::binary);
  if (!in) return std::nullopt;
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto first = text.find('\n');
  const auto second = first == std::string::npos ? first : text.find('\n', first + 1);
  if (second != std::string::npos) {
    const std::string_view body = std::string_view(text).substr(first + 1);
    if (text.substr(0, first) == std::string(k_magic) + digest_of(body) &&
        body.substr(0, second - first - 1) == identity) {
      try {
        SplitResult out = result_from(Json::parse(text.substr(second + 1)));
        add_cost(out, path_of(folder_, "costs", digest));
        return out;
      } catch (const Json::exception&) {  // whole, but not what this version writes
        ++damaged_;
        return std::nullopt;
      }
    }
  }
  ++damaged_;
  return std::nullopt;
}

void CellStore::keep(const std::string& identity, const SplitResult& result) const {
  const std::string digest = digest_of(identity);
  // The cell comes last: once it is there, nothing of it is missing.
  write_small(path_of(folder_, "costs", digest),
              json_text(Json{{"fit_seconds", number_or_null<Json>(result.fit_seconds)},
                             {"predict_seconds", number_or_null<Json>(result.predict_seconds)},
                             {"search_seconds", number_or_null<Json>(result.search_seconds)},
                             {"peak_memory_bytes",
                              result.peak_memory > 0 ? Json(result.peak_memory) : Json()}}) +
                  "\n");
  const std::string body = identity + "\n" + json_text(result_json(result)) + "\n";
  write_small(path_of(folder_, "cells", digest),
              std::string(k_magic) + digest_of(body) + "\n" + body);
}

std::string digest_of(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return hex(hash.high64, hash.low64);
}

std::string data_identity(const Dataset& data) {
  std::string more;
  for (const double w : data.weights) more += shortest(w) + " ";
  for (std::size_t s = 0; s < data.sets.size(); ++s) {
    more += "set " + data.sets.names[s] + ":";
    for (const Id l : data.sets.members[s]) more += " " + std::to_string(l);
  }
  for (const auto& [label, implied] : data.rules.implications()) {
    more += "implies " + std::to_string(label) + " " + std::to_string(implied) + ";";
  }
  for (const auto& group : data.rules.exclusive) {
    more += "exclusive";
    for (const Id l : group) more += " " + std::to_string(l);
  }
  for (const NominalColumns& columns : data.nominal_columns) {
    more += "words " + std::to_string(columns.begin) + " " + std::to_string(columns.size) + ";";
  }
  // The revision of the rule of swap_words.hpp, which concerns these data only.
  if (data.x.is_sparse() && !data.nominal_columns.empty()) more += "swapped 2;";
  return fingerprint(data) + (more.empty() ? "" : "-" + digest_of(more).substr(0, 16));
}

std::string cell_identity(const CompleteSpec& spec, const std::string& data, const Fold& fold,
                          const EvaluateOptions& options, std::string_view search,
                          const Context& ctx) {
  const MeasureOptions& measure = options.measure;
  Json out = {{"learner", spec.spec().text()},
              {"revisions", revisions(spec)},
              {"one_class", 1},  // revision of where labels of one class stand
              {"preprocessing", write_params("preprocessing", options.preprocess).text()},
              {"data", data},
              {"split", rows_digest(fold)},
              {"seed", ctx.seed()},
              {"measures", wanted_measures(options)},
              {"convention", name_of(measure.convention)},
              {"beta", measure.beta},
              {"k", measure.k},
              {"bins", measure.bins}};
  if (!options.betas.empty()) out["betas"] = options.betas;
  if (measure.undefined) out["undefined"] = name_of(*measure.undefined);
  if (measure.ties) out["ties"] = name_of(*measure.ties);
  if (!measure.propensities.empty()) out["propensities"] = measure.propensities;
  if (!options.results.empty()) out["results"] = options.results;
  if (options.bootstrap > 0) out["bootstrap"] = options.bootstrap;
  if (options.flip > 0) out["flipped"] = options.flip;
  if (options.hide) {
    out["hidden"] = {{"share", options.hide->share},
                     {"mode", static_cast<int>(options.hide->mode)}};
  }
  if (!search.empty()) out["search"] = search;
  return json_text(out);
}

SplitResult stored_split(const CompleteSpec& spec, const Dataset& data, const std::string& identity,
                         const Fold& fold, const EvaluateOptions& options, const Context& ctx) {
  if (options.store == nullptr) return evaluate_split(spec, data, fold, options, ctx);
  const std::string cell = cell_identity(spec, identity, fold, options, {}, ctx);
  if (auto found = options.store->find(cell)) return *std::move(found);
  if (options.only_stored) return {};
  SplitResult out = evaluate_split(spec, data, fold, options, ctx);
  out.peak_memory = peak_memory();
  options.store->keep(cell, out);
  return out;
}

}  // namespace mulberry::evaluate

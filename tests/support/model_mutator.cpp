#include "tests/support/model_mutator.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "tests/support/model_frame.hpp"

namespace mulberry::tests {
namespace {

using Json = nlohmann::json;

constexpr std::size_t k_prefix = 32, k_align = 64;

std::size_t aligned(std::size_t n) { return (n + k_align - 1) / k_align * k_align; }

std::size_t width_of(const std::string& type) {
  return type == "u8" ? 1 : type == "i32" || type == "f32" ? 4 : 8;
}

std::string sum_text(const std::string& bytes) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx",
                static_cast<unsigned long long>(XXH3_64bits(bytes.data(), bytes.size())));
  return text;
}

std::string text_of(const Json& item, const char* key) {
  return item.is_object() && item.contains(key) && item[key].is_string()
             ? item[key].get<std::string>()
             : "";
}

std::uint64_t number_of(const Json& item, const char* key) {
  return item.is_object() && item.contains(key) && item[key].is_number_unsigned()
             ? item[key].get<std::uint64_t>()
             : 0;
}

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Chooses the changes.
class Attacker {
 public:
  Attacker(ModelPieces& pieces, std::uint64_t seed, std::string* what)
      : pieces_(pieces), random_(seed), what_(what) {}

  // An own header text instead of the one of the pieces, for changes that JSON cannot express.
  std::optional<std::string> header;

  void attack() {
    const std::size_t times = 1 + below(10) / 7 + below(10) / 8 + below(10) / 9;
    for (std::size_t k = 0; k < times; ++k) {
      const std::size_t kind = below(100);
      if (kind < 40) {
        change_value();
      } else if (kind < 75) {
        change_array();
      } else if (kind < 83) {
        change_length();
      } else if (kind < 90) {
        change_spec();
      } else if (kind < 97) {
        change_table();
      } else {
        change_shape();
      }
    }
  }

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  void say(const std::string& text) {
    if (what_ != nullptr) *what_ += text.substr(0, 300) + "\n";
  }

  std::int64_t whole() {
    static constexpr std::int64_t k_values[] = {0,
                                                1,
                                                -1,
                                                2,
                                                3,
                                                4,
                                                5,
                                                7,
                                                8,
                                                12,
                                                -2,
                                                -12,
                                                63,
                                                64,
                                                255,
                                                256,
                                                65535,
                                                1 << 20,
                                                1 << 30,
                                                std::numeric_limits<std::int32_t>::max(),
                                                std::numeric_limits<std::int32_t>::min(),
                                                std::int64_t{1} << 31,
                                                (std::int64_t{1} << 32) + 1,
                                                std::int64_t{1} << 40,
                                                std::int64_t{1} << 61,
                                                std::int64_t{1} << 62,
                                                std::numeric_limits<std::int64_t>::max(),
                                                std::numeric_limits<std::int64_t>::min()};
    return k_values[below(std::size(k_values))];
  }
  double real() {
    static const double k_values[] = {0.0,
                                      -0.0,
                                      1.0,
                                      -1.0,
                                      0.5,
                                      2.0,
                                      -2.0,
                                      100.0,
                                      1e-300,
                                      5e-324,
                                      1e-12,
                                      1e12,
                                      -1e12,
                                      1e99,
                                      1e300,
                                      -1e300,
                                      std::numeric_limits<double>::max(),
                                      std::numeric_limits<double>::lowest(),
                                      std::numeric_limits<double>::infinity(),
                                      -std::numeric_limits<double>::infinity(),
                                      std::numeric_limits<double>::quiet_NaN()};
    return k_values[below(std::size(k_values))];
  }
  // Values of every JSON type.
  Json anything() {
    switch (below(12)) {
      case 0:
        return nullptr;
      case 1:
        return below(2) == 0;
      case 2:
        return "";
      case 3:
        return std::string(below(3) == 0 ? 100000 : 3, 'x');
      case 4:
        return Json::array();
      case 5:
        return Json::object();
      case 6:
        return std::vector<std::string>(below(10), "a");
      case 7:
        return static_cast<double>(whole()) + 0.5;
      case 8:
        return std::numeric_limits<std::uint64_t>::max();
      case 9: {
        static const char* const k_texts[] = {"nan", "inf", "-inf", "-nan"};
        return k_texts[below(4)];
      }
      case 10:
        return std::vector<Json>{1, "a", nullptr};
      default:
        return whole();
    }
  }

  // A key of an object, or nothing.
  std::optional<std::string> key_of(const Json& object) {
    if (!object.is_object() || object.empty()) return std::nullopt;
    auto where = object.begin();
    std::advance(where, static_cast<std::ptrdiff_t>(below(object.size())));
    return where.key();
  }
  Json& values() {
    if (!pieces_.header.is_object()) pieces_.header = Json::object();
    Json& out = pieces_.header["values"];
    if (!out.is_object()) out = Json::object();
    return out;
  }
  Json& table() {
    if (!pieces_.header.is_object()) pieces_.header = Json::object();
    Json& out = pieces_.header["arrays"];
    if (!out.is_array()) out = Json::array();
    return out;
  }

  void change_value() {
    Json& all = values();
    const auto key = key_of(all);
    if (!key) return;
    Json& value = all[*key];
    const std::string before = dumped(value).substr(0, 60);
    const std::size_t kind = below(20);
    if (kind == 0) {
      say("values: without " + *key);
      all.erase(*key);
      return;
    }
    if (kind == 1) {
      value = anything();
    } else if (kind == 2) {
      if (const auto other = key_of(all)) value = Json(all[*other]);
    } else if (value.is_number_integer()) {
      const auto old = static_cast<std::uint64_t>(value.get<std::int64_t>());  // wraps around
      value = kind < 10   ? whole()
              : kind < 16 ? static_cast<std::int64_t>(below(2) == 0 ? old + 1 : old - 1)
                          : static_cast<std::int64_t>(std::uint64_t{0} - old);
    } else if (value.is_number_float()) {
      const double next = real();
      value = std::isfinite(next) ? Json(next)
                                  : Json(next != next ? "nan"
                                         : next > 0   ? "inf"
                                                      : "-inf");
    } else if (value.is_array() && !value.empty()) {
      const std::size_t place = below(value.size());
      if (kind < 7) {
        value.erase(place);
      } else if (kind < 12) {
        value.push_back(value[place]);
      } else if (kind < 16) {
        value[place] = anything();
      } else {
        value = Json::array();
      }
    } else {
      value = anything();
    }
    say("values: " + *key + " from " + before + " to " + dumped(value).substr(0, 60));
  }

  void change_array() {
    if (pieces_.arrays.empty()) return change_value();
    const std::size_t k = below(pieces_.arrays.size());
    const Json& item = table().at(k);
    const std::string type = text_of(item, "type"), name = text_of(item, "name");
    std::string& bytes = pieces_.arrays[k];
    const std::size_t width = width_of(type), count = bytes.size() / width;
    if (below(12) == 0) {  // the contents of another array of this type
      const std::size_t other = below(pieces_.arrays.size());
      if (text_of(table().at(other), "type") != type) return;
      std::string copy = pieces_.arrays[other];
      if (below(2) == 0) copy.resize(bytes.size(), '\0');
      bytes = copy;
      return say("array " + name + ": as " + text_of(table().at(other), "name"));
    }
    if (count == 0) return;
    const bool all = below(8) == 0;
    const std::size_t first = all ? 0 : below(count), end = all ? count : first + 1;
    const auto put = [&](const auto& value) {
      for (std::size_t i = first; i < end; ++i) {
        std::memcpy(bytes.data() + i * width, &value, sizeof value);
      }
      say("array " + name + (all ? ": all " : "[" + std::to_string(first) + "]: ") +
          std::to_string(value));
    };
    if (type == "f64") {
      put(real());
    } else if (type == "f32") {
      put(static_cast<float>(real()));
    } else if (type == "i64") {
      put(whole());
    } else if (type == "i32") {
      put(static_cast<std::int32_t>(whole()));
    } else {
      put(static_cast<unsigned char>(below(2) == 0 ? 255 : below(4)));
    }
  }

  void change_length() {
    if (pieces_.arrays.empty()) return change_value();
    const std::size_t k = below(pieces_.arrays.size());
    Json& item = table().at(k);
    const std::string name = text_of(item, "name");
    const std::size_t width = width_of(text_of(item, "type"));
    std::string& bytes = pieces_.arrays[k];
    const std::size_t count = bytes.size() / width;
    static constexpr std::size_t k_few[] = {0, 1, 2, 3, 1000};
    const std::size_t next = below(3) == 0   ? count + 1
                             : below(2) == 0 ? (count > 0 ? count - 1 : 0)
                                             : k_few[below(std::size(k_few))];
    // New values repeat the old ones.
    const std::string old = bytes;
    bytes.resize(next * width, '\0');
    for (std::size_t i = old.size(); !old.empty() && i < bytes.size(); ++i) {
      bytes[i] = bytes[i - old.size()];
    }
    say("array " + name + ": " + std::to_string(count) + " values become " + std::to_string(next));
    // A matrix that is smaller or larger throughout.
    Json& all = values();
    if (below(2) == 0 && all.contains(name + ".rows") && all.contains(name + ".cols")) {
      const bool by_rows = below(2) == 0;
      const std::int64_t other = all[name + (by_rows ? ".cols" : ".rows")].is_number_integer()
                                     ? all[name + (by_rows ? ".cols" : ".rows")].get<std::int64_t>()
                                     : 1;
      const std::int64_t kept = std::clamp<std::int64_t>(other, 1, 1000);
      const std::int64_t size = static_cast<std::int64_t>(next) / kept;
      bytes.resize(static_cast<std::size_t>(size * kept) * width, '\0');
      all[name + (by_rows ? ".rows" : ".cols")] = size;
      say("  as a matrix, too");
    }
  }

  void change_spec() {
    std::vector<std::string> keys;
    for (const auto& [key, value] : values().items()) {
      if (key == "learner" || key == "spec" || key.ends_with(".spec") || key.ends_with(".base")) {
        keys.push_back(key);
      }
    }
    if (keys.empty()) return change_value();
    const std::string key = keys[below(keys.size())];
    static const char* const k_specs[] = {"br",
                                          "br(base=tree)",
                                          "br(base=prior)",
                                          "lp",
                                          "cc",
                                          "ml_knn",
                                          "tree",
                                          "stump",
                                          "prior",
                                          "logistic",
                                          "linear_svm",
                                          "rbf_network",
                                          "msvr",
                                          "dsml",
                                          "independent",
                                          "mahr",
                                          "rml",
                                          "bagging(base=br)",
                                          "threshold(base=br)",
                                          "svm",
                                          "",
                                          "(",
                                          "br(base=br)",
                                          "br(C=)",
                                          "nothing",
                                          "eps",
                                          "ps",
                                          "br_svm",
                                          "clr",
                                          "cca",
                                          "rakel(base=lp)",
                                          "adaboost_mh",
                                          "ml_knn(k=-5)"};
    std::string text = k_specs[below(std::size(k_specs))];
    if (below(12) == 0) {
      text = "";
      for (int k = 0; k < 100000; ++k) text += "br(base=";
    } else if (below(4) == 0 && values()[key].is_string()) {
      text = values()[key].get<std::string>();
      const std::size_t place = below(text.size() + 1);
      text = text.substr(0, place) + std::string(1, static_cast<char>('!' + below(90))) +
             text.substr(std::min(text.size(), place + below(2)));
    }
    values()[key] = text;
    say("values: " + key + " becomes " + text);
  }

  // The names and types of arrays.
  void change_table() {
    Json& all = table();
    if (all.empty()) return change_value();
    const std::size_t k = below(all.size());
    const std::string name = text_of(all.at(k), "name");
    static const char* const k_types[] = {"f64", "f32", "i64", "i32", "u8", "i128", ""};
    switch (below(5)) {
      case 0:
        all.at(k)["type"] = k_types[below(std::size(k_types))];
        say("array " + name + ": type " + text_of(all.at(k), "type"));
        return;
      case 1:
        all.at(k)["name"] = text_of(all.at(below(all.size())), "name");
        say("array " + name + ": named " + text_of(all.at(k), "name"));
        return;
      case 2:
        all.erase(k);
        pieces_.arrays.erase(pieces_.arrays.begin() + static_cast<std::ptrdiff_t>(k));
        say("array " + name + ": left out");
        return;
      case 3: {
        Json copy = all.at(k);
        all.push_back(copy);
        pieces_.arrays.push_back(std::string(pieces_.arrays[k]));
        say("array " + name + ": twice");
        return;
      }
      default:
        lie_ = k;
        lie_key_ = std::vector<const char*>{"count", "offset", "bytes", "checksum"}[below(4)];
        lie_value_ = anything();
        say("array " + name + ": " + lie_key_ + " " + dumped(lie_value_).substr(0, 60));
    }
  }

  void change_shape() {
    switch (below(6)) {
      case 0:
        header = std::string(1000000, '[');
        return say("header: a million brackets");
      case 1:
        header = R"({"about":{},"sections":[],"values":)" + std::string(200000, '[') +
                 std::string(200000, ']') + R"(,"arrays":[]})";
        return say("header: values deep within brackets");
      case 2: {
        std::string deep;
        for (int k = 0; k < 100000; ++k) deep += R"({"a":)";
        header = deep + "1" + std::string(100000, '}');
        return say("header: a hundred thousand objects within each other");
      }
      case 3:
        if (const auto key = key_of(pieces_.header)) pieces_.header[*key] = anything();
        return say("header: another type");
      case 4:
        pieces_.version = static_cast<std::uint32_t>(below(4));
        return say("version " + std::to_string(pieces_.version));
      default:
        pieces_.header["sections"] = Json::array(
            {{{"name", below(2) == 0 ? Json("other") : anything()}, {"required", below(2) == 0}}});
        return say("sections");
    }
  }

 public:
  // A field of the table that is left wrong.
  std::optional<std::size_t> lie_;
  std::string lie_key_;
  Json lie_value_;

 private:
  ModelPieces& pieces_;
  std::mt19937_64 random_;
  std::string* what_;
};

// Sizes, offsets and checksums of all arrays, and their bytes with the padding between them.
std::string fitting_arrays(Json& header, const std::vector<std::string>& arrays,
                           std::uint32_t version) {
  std::string out;
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    Json& item = header["arrays"].at(k);
    if (!item.is_object()) continue;
    out.resize(aligned(out.size()), '\0');
    item["count"] = arrays[k].size() / width_of(text_of(item, "type"));
    item["offset"] = out.size();
    if (version > 1) item["bytes"] = arrays[k].size();
    item["checksum"] = sum_text(arrays[k]);
    out += arrays[k];
  }
  return out;
}

}  // namespace

std::optional<ModelPieces> take_apart(std::string_view file) {
  if (file.size() < k_prefix || file.substr(0, 8) != "MULBERRY") return std::nullopt;
  ModelPieces out;
  std::memcpy(&out.version, file.data() + 8, sizeof out.version);
  std::uint64_t length = 0;
  std::memcpy(&length, file.data() + 16, sizeof length);
  if (length > file.size() - k_prefix) return std::nullopt;
  const std::string_view text = file.substr(k_prefix, length);
  // The parser recurses: what is nested deeply is left to the reader under test.
  std::size_t depth = 0;
  for (const char c : text) {
    if (c == '[' || c == '{') ++depth;
    if (depth > 10000) return std::nullopt;
  }
  out.header = Json::parse(text, nullptr, false);
  if (out.header.is_discarded() || !out.header.is_object()) return std::nullopt;
  Json& table = out.header["arrays"];
  if (!table.is_array()) table = Json::array();
  const std::size_t first = aligned(k_prefix + length);
  const std::string_view rest = first < file.size() ? file.substr(first) : std::string_view();
  Json kept = Json::array();
  for (const Json& item : table) {
    if (!item.is_object()) continue;
    const std::uint64_t offset = number_of(item, "offset"), count = number_of(item, "count");
    const std::size_t width = width_of(text_of(item, "type"));
    const bool inside = offset <= rest.size() && count <= (rest.size() - offset) / width;
    kept.push_back(item);
    out.arrays.emplace_back(inside ? rest.substr(offset, count * width) : std::string_view());
  }
  table = kept;
  return out;
}

std::string put_together(const ModelPieces& pieces) {
  Json header = pieces.header;
  const std::string arrays = fitting_arrays(header, pieces.arrays, pieces.version);
  return framed(pieces.version, dumped(header), arrays);
}

// Changes of changes, as a fuzzer makes them, end with headers in which nothing is where it was:
// such a file stays as it is.
template <class Change>
static std::string unless_strange(std::string_view file, const Change& change) {
  try {
    return change();
  } catch (const Json::exception&) {
    return std::string(file);
  }
}

std::string with_checksums(std::string_view file) {
  return unless_strange(file, [&] {
    const auto pieces = take_apart(file);
    return pieces ? put_together(*pieces) : std::string(file);
  });
}

static std::string mutated(std::string_view file, std::uint64_t seed, std::string* what) {
  auto pieces = take_apart(file);
  if (!pieces) return std::string(file);
  Attacker attacker(*pieces, seed, what);
  attacker.attack();
  if (attacker.header) return framed(pieces->version, *attacker.header, "");
  Json header = pieces->header;
  Json& table = header["arrays"];
  if (!table.is_array() || table.size() != pieces->arrays.size()) {
    return framed(pieces->version, dumped(header), "");
  }
  const std::string arrays = fitting_arrays(header, pieces->arrays, pieces->version);
  if (attacker.lie_ && *attacker.lie_ < table.size()) {
    table.at(*attacker.lie_)[attacker.lie_key_] = attacker.lie_value_;
  }
  return framed(pieces->version, dumped(header), arrays);
}

std::string mutate_model(std::string_view file, std::uint64_t seed, std::string* what) {
  return unless_strange(file, [&] { return mutated(file, seed, what); });
}

}  // namespace mulberry::tests

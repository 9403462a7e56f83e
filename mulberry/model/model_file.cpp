#include "mulberry/model/model_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>

#include "mulberry/core/atomic_file.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/json_value.hpp"
#include "mulberry/core/memory.hpp"
#include "mulberry/core/mention.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/read/detect.hpp"

static_assert(std::endian::native == std::endian::little, "model files are little-endian");

namespace mulberry::model {
namespace {

constexpr char k_magic[8] = {'M', 'U', 'L', 'B', 'E', 'R', 'R', 'Y'};
constexpr std::uint32_t k_version = 2, k_first_version = 1;
constexpr std::size_t k_prefix = 32;
constexpr std::size_t k_align = 64;
// Names are arrays, so that a vocabulary of a million words needs 4 kB of it; but each tree of a
// chain needs 1 kB.
constexpr std::size_t k_longest_header = std::size_t{256} << 20;
constexpr std::size_t k_short_header = std::size_t{4} << 20;
constexpr std::size_t k_parsed = 27;  // bytes of memory for a byte of the header, at most
constexpr int k_deepest = 200;        // brackets inside each other

std::size_t aligned(std::size_t offset) { return (offset + k_align - 1) / k_align * k_align; }

std::string checksum(const void* data, std::size_t bytes) {
  char out[17];
  std::snprintf(out, sizeof out, "%016llx",
                static_cast<unsigned long long>(XXH3_64bits(data, bytes)));
  return out;
}

constexpr const char* k_type_names[] = {"f64", "f32", "i64", "i32", "u8"};
constexpr std::size_t k_type_sizes[] = {8, 4, 8, 4, 1};

std::string type_text(ElementType type) { return k_type_names[static_cast<std::size_t>(type)]; }
std::size_t type_size(ElementType type) { return k_type_sizes[static_cast<std::size_t>(type)]; }

// A file in memory; unmapped when the last array that borrows from it is destroyed.
struct Mapping {
  const char* data = nullptr;
  std::size_t bytes = 0;
  std::string content = {};  // instead of a file
  Mapping() = default;
  explicit Mapping(std::string given) : content(std::move(given)) {
    data = content.data();
    bytes = content.size();
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() {
    if (bytes > 0 && content.empty()) munmap(const_cast<char*>(data), bytes);
  }
};

std::shared_ptr<const Mapping> map_file(const std::string& path) {
  const auto failed = [&](const char* what) -> Error {
    return {Code::io,
            std::string("cannot ") + what + " the model: " + std::strerror(errno),
            "Check the path and its permissions",
            {path}};
  };
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw failed("open");
  struct stat status = {};
  if (fstat(file, &status) != 0) {
    close(file);
    throw failed("examine");
  }
  if (!S_ISREG(status.st_mode)) {
    close(file);
    throw Error(Code::io, "expected a model file, found a folder or device", "Name a file", {path});
  }
  auto mapping = std::make_shared<Mapping>();
  if (status.st_size > 0) {
    const auto bytes = at(status.st_size);
    void* memory = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
    if (memory == MAP_FAILED) {
      close(file);
      throw failed("map");
    }
    mapping->data = static_cast<const char*>(memory);
    mapping->bytes = bytes;
  }
  close(file);
  return mapping;
}

Error damage(const std::string& path, const std::string& problem) {
  return {Code::model_file,
          problem,
          "The file is damaged or incomplete; train again or restore a copy",
          {path}};
}

// An array of the file and the padding before it; keeps the file mapped.
struct Section {
  std::shared_ptr<const Mapping> mapping;
  std::string path, name, type, sum;
  std::size_t gap = 0, begin = 0, count = 0, bytes = 0;  // the padding is [gap, begin)

  const char* data() const { return mapping->data + begin; }
  std::size_t end() const { return begin + bytes; }
};

// An array with the bounds that a field has declared for its values.
class BoundedSection final : public FirstUseCheck {
 public:
  BoundedSection(std::shared_ptr<const Section> section, ElementType type, const RealRange& reals,
                 const WholeRange& wholes)
      : section_(std::move(section)), type_(type), reals_(reals), wholes_(wholes) {}

 private:
  void check() const override {
    const Section& s = *section_;
    if (checksum(s.data(), s.bytes) != s.sum) {
      throw damage(s.path, "the checksum of " + in_quotes(s.name) + " is wrong");
    }
    if (!std::all_of(s.mapping->data + s.gap, s.data(), [](char c) { return c == 0; })) {
      throw damage(s.path, "the padding before " + in_quotes(s.name) + " is not zero");
    }
    switch (type_) {
      case ElementType::f64:
        return require_inside<double>(reals_);
      case ElementType::f32:
        return require_inside<float>(reals_);
      case ElementType::i64:
        return require_inside<std::int64_t>(wholes_);
      case ElementType::i32:
        return require_inside<std::int32_t>(wholes_);
      case ElementType::u8:
        return require_inside<std::uint8_t>(wholes_);
    }
  }

  template <class T>
  void require_inside(const RangeFor<T>& range) const {
    const auto* values = reinterpret_cast<const T*>(section_->data());
    const std::size_t n = section_->count;
    bool fine = true;
    for (std::size_t k = 0; k < n; ++k) fine &= inside(values[k], range);  // many values at once
    if (fine) return;
    const T* wrong = std::find_if_not(values, values + n, [&](T v) { return inside(v, range); });
    throw damage(section_->path, "the value " + std::to_string(wrong - values + 1) + " of " +
                                     in_quotes(section_->name) +
                                     " is out of range: " + shortest(static_cast<double>(*wrong)));
  }

  std::shared_ptr<const Section> section_;
  ElementType type_;
  RealRange reals_;
  WholeRange wholes_;
};

// Whether brackets are nested too deeply for the parser, which calls itself.
bool too_deep(std::string_view json) {
  int depth = 0;
  bool in_text = false;
  for (std::size_t k = 0; k < json.size(); ++k) {
    const char c = json[k];
    if (in_text) {
      if (c == '\\') ++k;
      in_text = c != '"';
    } else if (c == '"') {
      in_text = true;
    } else if (c == '[' || c == '{') {
      if (++depth > k_deepest) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

template <class T>
T read_plain(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

}  // namespace

// ---------------------------------------------------------------------------------------- writing

struct ModelFileWriter::State {
  struct Entry {
    std::string name;
    ElementType type;
    const void* data;
    std::size_t count;
  };
  std::vector<FileSection> sections;
  std::map<std::string, JsonValue> values;
  std::vector<Entry> arrays;
};

ModelFileWriter::ModelFileWriter() : state_(std::make_unique<State>()) {}
ModelFileWriter::~ModelFileWriter() = default;
ModelFileWriter::ModelFileWriter(ModelFileWriter&&) noexcept = default;

void ModelFileWriter::add_section(FileSection section) {
  state_->sections.push_back(std::move(section));
}

void ModelFileWriter::number(const std::string& name, double value) {
  // JSON has no infinities; the shortest decimal reads back as the same bits.
  state_->values[name] = std::isfinite(value) ? JsonValue(value) : JsonValue(shortest(value));
}
void ModelFileWriter::integer(const std::string& name, Index value) {
  state_->values[name] = value;
}
void ModelFileWriter::text(const std::string& name, const std::string& value) {
  state_->values[name] = value;
}
void ModelFileWriter::texts(const std::string& name, const std::vector<std::string>& values) {
  state_->values[name] = values;
}
void ModelFileWriter::array(const std::string& name, ElementType type, const void* data,
                            std::size_t count) {
  state_->arrays.push_back({name, type, data, count});
}

void ModelFileWriter::save(const std::string& path, const std::string& about) const {
  AtomicFile file(path);
  write(about, [&](std::string_view part) { file.write(part); });
  file.commit();
}

std::string ModelFileWriter::content(const std::string& about) const {
  std::string out;
  write(about, [&](std::string_view part) { out += part; });
  return out;
}

void ModelFileWriter::write(const std::string& about,
                            const std::function<void(std::string_view)>& put) const {
  JsonValue arrays = JsonValue::array();
  std::size_t offset = 0;  // from the first aligned byte after the header
  for (const auto& entry : state_->arrays) {
    const std::size_t bytes = entry.count * type_size(entry.type);
    offset = aligned(offset);
    JsonValue item = JsonValue::object();
    item.add("name", entry.name);
    item.add("type", type_text(entry.type));
    item.add("count", std::uint64_t{entry.count});
    item.add("bytes", std::uint64_t{bytes});
    item.add("offset", std::uint64_t{offset});
    item.add("checksum", checksum(entry.data, bytes));
    arrays.push_back(std::move(item));
    offset += bytes;
  }
  JsonValue sections = JsonValue::array();
  for (const FileSection& section : state_->sections) {
    JsonValue item = JsonValue::object();
    item.add("name", section.name);
    item.add("required", section.required);
    item.add("since", section.since);
    sections.push_back(std::move(item));
  }
  JsonValue values = JsonValue::object();
  for (const auto& [name, value] : state_->values) values.add(name, value);
  JsonValue json = JsonValue::object();
  json.add("about", JsonValue::parse(about));
  json.add("sections", std::move(sections));
  json.add("values", std::move(values));
  json.add("arrays", std::move(arrays));
  // Names come from users' files and need not be UTF-8: invalid bytes become a replacement
  // character.
  const std::string header = json.dump(true);
  if (header.size() > k_longest_header) {
    throw Error(Code::unsupported,
                "expected a model with at most 256 MiB of names and small parts, found " +
                    std::to_string(header.size()) + " bytes",
                "Use fewer features, labels or members");
  }

  std::string prefix(k_magic, sizeof k_magic);
  const auto append = [&prefix](const auto& value) {
    prefix.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  append(k_version);
  append(std::uint32_t{0});
  append(static_cast<std::uint64_t>(header.size()));
  append(static_cast<std::uint64_t>(XXH3_64bits(header.data(), header.size())));

  std::size_t written = 0;
  const auto add = [&](std::string_view part) {
    put(part);
    written += part.size();
  };
  add(prefix);
  add(header);
  for (const auto& entry : state_->arrays) {
    add(std::string(aligned(written) - written, '\0'));
    if (entry.count == 0) continue;
    add({static_cast<const char*>(entry.data), entry.count * type_size(entry.type)});
  }
}

// ---------------------------------------------------------------------------------------- reading

struct ModelFileReader::State {
  std::string path;
  std::shared_ptr<const Mapping> mapping;
  JsonValue about;
  std::map<std::string, JsonValue, std::less<>> values;
  std::map<std::string, std::shared_ptr<const Section>> arrays;
  std::uint32_t version = 0;
  std::size_t end = 0;  // of the header and the arrays so far

  [[noreturn]] void damaged(const std::string& problem) const { throw damage(path, problem); }

  void open(std::span<const std::string> known) {
    const char* data = mapping->data;
    const std::size_t size = mapping->bytes;
    refuse_pointer({data, std::min<std::size_t>(size, 200)}, "a model", path);
    if (size < k_prefix || std::memcmp(data, k_magic, sizeof k_magic) != 0) {
      throw Error(Code::model_file, "expected a model file, found something else",
                  "Name a file that " + mention(Action::save) + " has written", {path});
    }
    version = read_plain<std::uint32_t>(data + 8);
    if (version < k_first_version || version > k_version) {
      throw Error(Code::model_file,
                  "expected a model format of at most version " + std::to_string(k_version) +
                      ", found version " + std::to_string(version),
                  "Use a newer mulberry: it reads all earlier versions", {path});
    }
    const auto length = read_plain<std::uint64_t>(data + 16);
    if (read_plain<std::uint32_t>(data + 12) != 0 || length > size - k_prefix) {
      damaged("the header is cut off or damaged");
    }
    end = k_prefix + static_cast<std::size_t>(length);
    if (XXH3_64bits(data + k_prefix, end - k_prefix) != read_plain<std::uint64_t>(data + 24)) {
      damaged("the checksum of the header is wrong");
    }
    if (length > k_longest_header) damaged("the header is longer than any that mulberry writes");
    if (length > k_short_header) {
      require_memory("the header of a model", k_parsed * static_cast<std::size_t>(length),
                     available_memory(), "Allow more memory, or ask where the file comes from");
    }
    if (too_deep({data + k_prefix, static_cast<std::size_t>(length)})) {
      damaged("the header has too many brackets inside each other");
    }
    const std::size_t first = aligned(end);  // where the first array may begin
    try {
      const JsonValue header = JsonValue::parse({data + k_prefix, end - k_prefix});
      about = header.at("about");
      if ((version == 1) == (header.find("sections") != nullptr)) {
        damaged("the version is not the header's");
      }
      if (version > 1) require_known(header.at("sections"), known);
      for (const JsonMember& member : header.at("values").members()) {
        values.insert_or_assign(member.name, member.value);
      }
      for (const JsonValue& item : header.at("arrays").items()) add(item, first);
    } catch (const JsonError& error) {
      damaged(std::string("the header does not fit a model file: ") + error.what());
    }
    if (end != size)
      damaged("expected " + std::to_string(end) + " bytes, found " + std::to_string(size));
  }

  void require_known(const JsonValue& sections, std::span<const std::string> known) const {
    for (const JsonValue& item : sections.items()) {
      const std::string& name = item.at("name").text();
      if (!item.at("required").flag()) continue;
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      const std::string& since = item.at("since").text();
      throw Error(Code::model_file,
                  "the model needs its part " + in_quotes(name) +
                      ", which this version of mulberry does not know",
                  "Use mulberry " + since + " or later", {path});
    }
  }

  // Arrays are in the order of the header, each right after the padding that aligns it.
  void add(const JsonValue& item, std::size_t first) {
    auto section = std::make_shared<Section>();
    section->mapping = mapping;
    section->path = path;
    section->name = item.at("name").text();
    section->type = item.at("type").text();
    section->sum = item.at("checksum").text();
    const auto whole = [&](const char* name) {
      const JsonValue& value = item.at(name);
      if (!value.is_count()) damaged("the place of an array is no whole number");
      return value.count();
    };
    const std::uint64_t count = whole("count"), offset = whole("offset");
    const std::size_t size = mapping->bytes;
    std::size_t width = 0;
    for (std::size_t k = 0; k < std::size(k_type_names); ++k) {
      if (section->type == k_type_names[k]) width = k_type_sizes[k];
    }
    section->gap = end;
    section->begin = aligned(end);
    if (section->begin > size || offset != section->begin - first ||
        (width != 0 && count > (size - section->begin) / width)) {
      damaged("an array lies outside its place in the file");
    }
    section->count = static_cast<std::size_t>(count);
    section->bytes = section->count * width;
    // A type that is not known yet can only belong to a section that is skipped.
    const std::uint64_t bytes = version > 1 ? whole("bytes") : section->bytes;
    if (width != 0 ? bytes != section->bytes : version == 1 || bytes > size - section->begin) {
      damaged("an array does not have the bytes of its values");
    }
    section->bytes = static_cast<std::size_t>(bytes);
    end = section->end();
    if (!arrays.emplace(section->name, section).second) {
      damaged("there are two arrays " + in_quotes(section->name));
    }
  }
};

ModelFileReader::ModelFileReader(const std::string& path, std::span<const std::string> known)
    : state_(std::make_unique<State>()) {
  state_->path = path;
  state_->mapping = map_file(path);
  state_->open(known);
}
ModelFileReader ModelFileReader::of_content(std::string content,
                                            std::span<const std::string> known) {
  ModelFileReader out;
  out.state_->path = "<memory>";
  out.state_->mapping = std::make_shared<Mapping>(std::move(content));
  out.state_->open(known);
  return out;
}
ModelFileReader::ModelFileReader() : state_(std::make_unique<State>()) {}
ModelFileReader::ModelFileReader(ModelFileReader&&) noexcept = default;
ModelFileReader::~ModelFileReader() = default;

const std::string& ModelFileReader::path() const { return state_->path; }
std::string ModelFileReader::about() const { return state_->about.dump(true); }
std::size_t ModelFileReader::bytes() const { return state_->mapping->bytes; }

Error ModelFileReader::error(const std::string& name, const std::string& problem) const {
  return damage(state_->path, "the value " + in_quotes(name) + " " + problem);
}

double ModelFileReader::number(const std::string& name) const {
  const auto found = state_->values.find(name);
  if (found == state_->values.end()) throw error(name, "is missing");
  const JsonValue& value = found->second;
  if (value.is_number()) return value.number();
  if (value.is_text()) {
    const std::string& text = value.text();
    if (text == "inf") return INFINITY;
    if (text == "-inf") return -INFINITY;
    if (text == "nan" || text == "-nan") return NAN;
  }
  throw error(name, "is not a number");
}

Index ModelFileReader::integer(const std::string& name) const {
  const auto found = state_->values.find(name);
  if (found == state_->values.end()) throw error(name, "is missing");
  const JsonValue& value = found->second;
  if (!value.is_whole()) throw error(name, "is not a whole number");
  if (value.is_count() && !std::in_range<Index>(value.count()))
    throw error(name, "is out of range");
  return value.whole();
}

std::string ModelFileReader::text(const std::string& name) const {
  const auto found = state_->values.find(name);
  if (found == state_->values.end()) throw error(name, "is missing");
  if (!found->second.is_text()) throw error(name, "is not text");
  return found->second.text();
}

std::vector<std::string> ModelFileReader::texts(const std::string& name) const {
  const auto found = state_->values.find(name);
  if (found == state_->values.end()) throw error(name, "is missing");
  std::vector<std::string> out;
  if (!found->second.is_array()) throw error(name, "is not a list");
  for (const JsonValue& item : found->second.items()) {
    if (!item.is_text()) throw error(name, "is not a list of texts");
    out.push_back(item.text());
  }
  return out;
}

bool ModelFileReader::has(const std::string& name) const {
  return state_->values.contains(name) || state_->arrays.contains(name);
}

ArchiveSource::Bytes ModelFileReader::array(const std::string& name, ElementType type,
                                            const RealRange& reals,
                                            const WholeRange& wholes) const {
  const auto found = state_->arrays.find(name);
  if (found == state_->arrays.end()) throw error(name, "is missing");
  const std::shared_ptr<const Section>& section = found->second;
  if (section->type != type_text(type)) {
    throw error(name, "has the type " + section->type + " instead of " + type_text(type));
  }
  auto bounded = std::make_shared<BoundedSection>(section, type, reals, wholes);
  const BoundedSection* check = bounded.get();
  return {section->data(), section->count, std::move(bounded), check};
}

}  // namespace mulberry::model

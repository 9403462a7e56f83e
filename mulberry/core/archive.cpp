#include "mulberry/core/archive.hpp"

#include "mulberry/core/text.hpp"

namespace mulberry::core {
namespace {

constexpr int k_deepest = 200;                  // structs inside each other
constexpr Index k_most_empty = Index{1} << 24;  // rows of a matrix without columns

}  // namespace

std::string part_of(std::string_view name, std::string_view part) {
  std::string out(name);
  out += '.';
  out += part;
  return out;
}

std::string part_of(std::string_view name, std::size_t number) {
  return part_of(name, std::to_string(number));
}

ArchiveWriter ArchiveWriter::child(std::string_view name) const {
  return ArchiveWriter(sink_, full(name) + ".");
}

std::string ArchiveWriter::full(std::string_view name) const { return prefix_ + std::string(name); }

void ArchiveWriter::write_integer(std::string_view name, Index value) {
  sink_.integer(full(name), value);
}

void ArchiveWriter::write_array(std::string_view name, ElementType type, const void* data,
                                std::size_t count) {
  sink_.array(full(name), type, data, count);
}

void ArchiveWriter::write(std::string_view name, double value) { sink_.number(full(name), value); }

void ArchiveWriter::write(std::string_view name, const std::string& value) {
  sink_.text(full(name), value);
}

void ArchiveWriter::write(std::string_view name, const Spec& value) {
  sink_.text(full(name), value.text());
}

void ArchiveWriter::write(std::string_view name, const std::vector<std::string>& value) {
  sink_.texts(full(name), value);
}

void ArchiveWriter::write(std::string_view name, MatrixView value) {
  write_integer(part_of(name, "rows"), value.rows());
  write_integer(part_of(name, "cols"), value.cols());
  write_array(name, ElementType::f64, value.data(), value.values().size());
}

ArchiveReader ArchiveReader::child(std::string_view name, const ModelShape& shape) const {
  if (depth_ >= k_deepest) fail(name, "is a model inside too many others");
  return {source_, shape, full(name) + ".", depth_ + 1};
}

void ArchiveReader::fail(std::string_view name, const std::string& problem) const {
  throw source_.error(full(name), problem);
}

bool ArchiveReader::has(std::string_view name) const { return source_.has(full(name)); }

std::string ArchiveReader::full(std::string_view name) const { return prefix_ + std::string(name); }

Index ArchiveReader::count(std::string_view name) const {
  const Index value = read_integer(name);
  if (value < 0 || value > (Index{1} << 40)) fail(name, "is not a plausible count");
  return value;
}

Index ArchiveReader::read_integer(std::string_view name) const {
  return source_.integer(full(name));
}

Index ArchiveReader::read_integer(std::string_view name, const WholeRange& range) const {
  const Index value = read_integer(name);
  if (!inside(value, range)) fail(name, "is out of range");
  return value;
}

ArchiveSource::Bytes ArchiveReader::read_array(std::string_view name, ElementType type,
                                               const RealBounds& bounds) const {
  auto out = source_.array(full(name), type, bounds.range(), {});
  if (!bounds.allows_length(static_cast<Index>(out.count))) fail(name, "has the wrong length");
  return out;
}

ArchiveSource::Bytes ArchiveReader::read_array(std::string_view name, ElementType type,
                                               const WholeBounds& bounds) const {
  auto out = source_.array(full(name), type, {}, bounds.range());
  if (!bounds.allows_length(static_cast<Index>(out.count))) fail(name, "has the wrong length");
  return out;
}

void ArchiveReader::read(std::string_view name, double& value, const RealBounds& bounds) const {
  value = source_.number(full(name));
  if (!inside(value, bounds.range())) fail(name, "is out of range: " + shortest(value));
}

void ArchiveReader::read(std::string_view name, bool& value) const {
  value = read_integer(name, {0, 1}) != 0;
}

void ArchiveReader::read(std::string_view name, std::string& value) const {
  value = source_.text(full(name));
}

void ArchiveReader::read(std::string_view name, Spec& value) const {
  const std::string text = source_.text(full(name));
  try {
    value = parse_spec(text);
  } catch (const Error& error) {
    fail(name, "is not a learner: " + error.problem());
  }
}

void ArchiveReader::read(std::string_view name, std::vector<std::string>& value) const {
  value = source_.texts(full(name));
}

void ArchiveReader::read(std::string_view name, std::vector<std::int8_t>& value,
                         const WholeBounds& bounds) const {
  std::vector<std::uint8_t> bytes;
  read(name, bytes, WholeBounds({0, 255}));
  if (!bounds.allows_length(static_cast<Index>(bytes.size()))) fail(name, "has the wrong length");
  value.assign(bytes.begin(), bytes.end());
  for (const std::int8_t v : value) {
    if (!inside(v, bounds.range())) fail(name, "has a value that is out of range");
  }
}

void ArchiveReader::read(std::string_view name, FixedMatrix& value,
                         const RealBounds& bounds) const {
  const Index rows = count(part_of(name, "rows")), cols = count(part_of(name, "cols"));
  Array<double> values;
  read(name, values, RealBounds(bounds.range()));
  const auto size = static_cast<Index>(values.size());
  if (cols != 0 ? size / cols != rows || size % cols != 0 : size != 0) {
    fail(name, "does not have the size that its rows and columns say");
  }
  if (!bounds.allows_rows(rows)) fail(name, "has the wrong number of rows");
  if (!bounds.allows_cols(cols)) fail(name, "has the wrong number of columns");
  // Nothing in the file stands for the rows of a matrix without columns.
  if (size == 0 && ((rows > k_most_empty && !bounds.says_rows()) ||
                    (cols > k_most_empty && !bounds.says_cols()))) {
    fail(name, "has too many rows or columns for a matrix without values");
  }
  value = FixedMatrix(rows, cols, std::move(values));
}

void ArchiveReader::read(std::string_view name, Matrix& value, const RealBounds& bounds) const {
  FixedMatrix stored;
  read(name, stored, bounds);
  value = Matrix(stored);
}

}  // namespace mulberry::core

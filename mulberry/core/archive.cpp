#include "mulberry/core/archive.hpp"

namespace mulberry::core {

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

ArchiveReader ArchiveReader::child(std::string_view name) const {
  return ArchiveReader(source_, full(name) + ".");
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

ArchiveSource::Bytes ArchiveReader::read_array(std::string_view name, ElementType type) const {
  return source_.array(full(name), type);
}

void ArchiveReader::read(std::string_view name, double& value) const {
  value = source_.number(full(name));
}

void ArchiveReader::read(std::string_view name, bool& value) const {
  value = read_integer(name) != 0;
}

void ArchiveReader::read(std::string_view name, std::string& value) const {
  value = source_.text(full(name));
}

void ArchiveReader::read(std::string_view name, Spec& value) const {
  value = parse_spec(source_.text(full(name)));
}

void ArchiveReader::read(std::string_view name, std::vector<std::string>& value) const {
  value = source_.texts(full(name));
}

void ArchiveReader::read(std::string_view name, FixedMatrix& value) const {
  const Index rows = count(part_of(name, "rows")), cols = count(part_of(name, "cols"));
  Array<double> values;
  read(name, values);
  if (cols != 0 ? static_cast<Index>(values.size()) / cols != rows ||
                      static_cast<Index>(values.size()) % cols != 0
                : !values.empty()) {
    fail(name, "does not have the size that its rows and columns say");
  }
  value = FixedMatrix(rows, cols, std::move(values));
}

void ArchiveReader::read(std::string_view name, Matrix& value) const {
  FixedMatrix stored;
  read(name, stored);
  value = Matrix(stored);
}

}  // namespace mulberry::core

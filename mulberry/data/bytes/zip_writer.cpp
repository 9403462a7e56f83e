#include "mulberry/data/bytes/zip_writer.hpp"

#include <zlib.h>

#include <algorithm>
#include <concepts>

namespace mulberry::data {
namespace {

constexpr std::uint32_t k_full32 = 0xffffffff;
constexpr std::uint16_t k_full16 = 0xffff;
constexpr std::uint16_t k_version = 20, k_version_zip64 = 45;
constexpr std::uint16_t k_utf8_names = 1 << 11;
constexpr std::uint16_t k_first_day_of_1980 = (1 << 5) | 1;
constexpr std::uint16_t k_zip64_tag = 1;

// Little-endian fields on any machine.
class Record {
 public:
  template <std::unsigned_integral T>
  Record& operator<<(T value) {
    for (std::size_t k = 0; k < sizeof(T); ++k) {
      bytes_ += static_cast<char>(value >> (8 * k) & 0xff);
    }
    return *this;
  }
  Record& operator<<(std::string_view text) {
    bytes_ += text;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

std::uint32_t cut32(std::uint64_t value) {
  return value >= k_full32 ? k_full32 : static_cast<std::uint32_t>(value);
}
std::uint16_t cut16(std::uint64_t value) {
  return value >= k_full16 ? k_full16 : static_cast<std::uint16_t>(value);
}

std::uint32_t crc_of(std::span<const std::string_view> parts) {
  uLong crc = crc32(0, nullptr, 0);
  for (const auto part : parts) {
    if (part.empty()) continue;  // a null pointer would restart the checksum
    crc = crc32_z(crc, reinterpret_cast<const Bytef*>(part.data()), part.size());
  }
  return static_cast<std::uint32_t>(crc);
}

}  // namespace

void ZipWriter::put(std::string_view bytes) {
  sink_.text(bytes);
  offset_ += bytes.size();
}

void ZipWriter::add(const std::string& name, std::span<const std::string_view> parts) {
  Member member{name, crc_of(parts), 0, offset_};
  for (const auto part : parts) member.size += part.size();
  const bool large = member.size >= k_full32;
  Record record, extra;
  if (large) extra << k_zip64_tag << std::uint16_t{16} << member.size << member.size;
  record << std::string_view("PK\3\4") << (large ? k_version_zip64 : k_version) << k_utf8_names
         << std::uint16_t{0} << std::uint16_t{0} << k_first_day_of_1980 << member.crc
         << cut32(member.size) << cut32(member.size) << static_cast<std::uint16_t>(name.size())
         << static_cast<std::uint16_t>(extra.bytes().size()) << name << extra.bytes();
  put(record.bytes());
  for (const auto part : parts) put(part);
  members_.push_back(std::move(member));
}

void ZipWriter::finish() {
  const std::uint64_t start = offset_;
  for (const Member& member : members_) {
    Record record, extra, sizes;
    if (member.size >= k_full32) sizes << member.size << member.size;
    if (member.offset >= k_full32) sizes << member.offset;
    if (!sizes.bytes().empty()) {
      extra << k_zip64_tag << static_cast<std::uint16_t>(sizes.bytes().size()) << sizes.bytes();
    }
    const std::uint16_t version = extra.bytes().empty() ? k_version : k_version_zip64;
    record << std::string_view("PK\1\2") << version << version << k_utf8_names << std::uint16_t{0}
           << std::uint16_t{0} << k_first_day_of_1980 << member.crc << cut32(member.size)
           << cut32(member.size) << static_cast<std::uint16_t>(member.name.size())
           << static_cast<std::uint16_t>(extra.bytes().size()) << std::uint16_t{0}
           << std::uint16_t{0} << std::uint16_t{0} << std::uint32_t{0} << cut32(member.offset)
           << member.name << extra.bytes();
    put(record.bytes());
  }
  const std::uint64_t size = offset_ - start, count = members_.size();
  if (count >= k_full16 || size >= k_full32 || start >= k_full32) {
    const std::uint64_t end = offset_;
    Record record;
    record << std::string_view("PK\6\6") << std::uint64_t{44} << k_version_zip64 << k_version_zip64
           << std::uint32_t{0} << std::uint32_t{0} << count << count << size << start;
    record << std::string_view("PK\6\7") << std::uint32_t{0} << end << std::uint32_t{1};
    put(record.bytes());
  }
  Record record;
  record << std::string_view("PK\5\6") << std::uint16_t{0} << std::uint16_t{0} << cut16(count)
         << cut16(count) << cut32(size) << cut32(start) << std::uint16_t{0};
  put(record.bytes());
}

}  // namespace mulberry::data

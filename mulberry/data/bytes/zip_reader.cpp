#include "mulberry/data/bytes/zip_reader.hpp"

#include <zlib.h>

#include <algorithm>
#include <concepts>
#include <new>

#include "mulberry/core/error.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/bytes/byte_source.hpp"

namespace mulberry::data {
namespace {

constexpr std::uint32_t k_full32 = 0xffffffff;
constexpr std::uint16_t k_full16 = 0xffff;
constexpr std::size_t k_end_size = 22, k_end64_locator_size = 20, k_end64_size = 56;
constexpr std::size_t k_entry_size = 46, k_local_size = 30;
constexpr std::size_t k_longest_comment = 0xffff;
constexpr std::uint16_t k_stored = 0, k_deflated = 8, k_encrypted = 1, k_zip64_tag = 1;
// Matrices of zeros shrink about 1000 times, the limit of deflate: a member that claims to expand
// further is damaged.
constexpr std::uint64_t k_largest_ratio = 1032;

template <std::unsigned_integral T>
T field(std::string_view bytes, std::size_t at) {
  T value = 0;
  for (std::size_t k = sizeof(T); k-- > 0;) {
    value = static_cast<T>(value << 8 | static_cast<unsigned char>(bytes[at + k]));
  }
  return value;
}
std::uint16_t field16(std::string_view bytes, std::size_t at) {
  return field<std::uint16_t>(bytes, at);
}
std::uint32_t field32(std::string_view bytes, std::size_t at) {
  return field<std::uint32_t>(bytes, at);
}
std::uint64_t field64(std::string_view bytes, std::size_t at) {
  return field<std::uint64_t>(bytes, at);
}

}  // namespace

ZipReader::ZipReader(std::string_view bytes, std::string path)
    : bytes_(bytes), path_(std::move(path)) {
  read_directory();
}

void ZipReader::fail(std::string problem) const {
  throw Error(Code::format, "expected an undamaged .npz file, found " + std::move(problem),
              "Write or fetch the file again", {path_});
}

std::string_view ZipReader::slice(std::uint64_t offset, std::uint64_t size,
                                  std::string_view what) const {
  if (offset > bytes_.size() || size > bytes_.size() - offset) {
    fail(std::string(what) + " outside the file");
  }
  return bytes_.substr(offset, size);
}

void ZipReader::read_directory() {
  // The end record is last, except for a comment.
  const std::size_t tail = std::min(bytes_.size(), k_end_size + k_longest_comment);
  const std::size_t from = bytes_.size() - tail;
  const auto found = bytes_.substr(from).rfind("PK\5\6");
  if (found == std::string_view::npos || bytes_.size() - from - found < k_end_size) {
    fail("no directory at its end");
  }
  const std::size_t end = from + found;
  std::uint64_t count = field16(bytes_, end + 10), size = field32(bytes_, end + 12),
                offset = field32(bytes_, end + 16);
  const bool full = count == k_full16 || size == k_full32 || offset == k_full32;
  if (full && end >= k_end64_locator_size &&
      bytes_.substr(end - k_end64_locator_size, 4) == "PK\6\7") {
    const auto at = field64(bytes_, end - k_end64_locator_size + 8);
    const auto record = slice(at, k_end64_size, "a directory");
    if (!record.starts_with("PK\6\6")) fail("a damaged directory");
    count = field64(record, 32);
    size = field64(record, 40);
    offset = field64(record, 48);
  }
  auto directory = slice(offset, size, "a directory");
  for (std::uint64_t k = 0; k < count; ++k) {
    if (directory.size() < k_entry_size || !directory.starts_with("PK\1\2")) {
      fail("a damaged directory");
    }
    const std::size_t name = field16(directory, 28), extra = field16(directory, 30),
                      comment = field16(directory, 32);
    if (directory.size() - k_entry_size < name + extra + comment) fail("a damaged directory");
    Member member{field32(directory, 16), field16(directory, 10), field16(directory, 8),
                  field32(directory, 20), field32(directory, 24), field32(directory, 42)};
    auto fields = directory.substr(k_entry_size + name, extra);
    while (fields.size() >= 4) {
      const std::size_t length = field16(fields, 2);
      if (length > fields.size() - 4) fail("a damaged directory");
      auto values = fields.substr(4, length);
      if (field16(fields, 0) == k_zip64_tag) {
        for (std::uint64_t* value : {&member.size, &member.packed, &member.offset}) {
          if (*value != k_full32) continue;
          if (values.size() < 8) fail("a damaged directory");
          *value = field64(values, 0);
          values.remove_prefix(8);
        }
      }
      fields.remove_prefix(4 + length);
    }
    const std::string member_name(directory.substr(k_entry_size, name));
    if (!members_.emplace(member_name, member).second)
      fail("two members " + in_quotes(member_name));
    directory.remove_prefix(k_entry_size + name + extra + comment);
  }
}

std::vector<std::string> ZipReader::names() const {
  std::vector<std::string> out;
  for (const auto& [name, member] : members_) out.push_back(name);
  return out;
}

std::string_view ZipReader::packed_bytes(std::string_view name, const Member& member) const {
  const std::string what = "the member " + in_quotes(name);
  const auto local = slice(member.offset, k_local_size, what);
  if (!local.starts_with("PK\3\4")) fail("a damaged header of " + what);
  const std::uint64_t skip = k_local_size + field16(local, 26) + field16(local, 28);
  return slice(member.offset + skip, member.packed, what);
}

ZipReader::Extent ZipReader::extent(std::string_view name) const {
  const auto found = members_.find(name);
  MULBERRY_ASSERT(found != members_.end());
  const Member& member = found->second;
  if ((member.flags & k_encrypted) != 0) fail("an encrypted member " + in_quotes(name));
  const std::string_view packed = packed_bytes(name, member);
  if (member.method == k_deflated) {
    if (member.size > k_largest_ratio * (packed.size() + 1))
      fail("a damaged member " + in_quotes(name));
    require_moderate_expansion(member.size, packed.size(), path_);
  } else if (member.method != k_stored || member.packed != member.size) {
    fail("a member " + in_quotes(name) + " that is neither stored nor deflated");
  }
  return {static_cast<std::uint64_t>(packed.data() - bytes_.data()), packed.size(), member.size,
          member.crc, member.method == k_deflated};
}

std::string_view ZipReader::read(std::string_view name, std::string& storage) const {
  const Extent member = extent(name);
  const std::string_view packed = bytes_.substr(member.offset, member.packed);
  std::string_view content = packed;
  if (member.deflated) {
    storage.resize(member.size);
    inflate_to(packed, name, storage);
    content = storage;
  }
  const auto crc =
      crc32_z(crc32(0, nullptr, 0), reinterpret_cast<const Bytef*>(content.data()), content.size());
  if (crc != member.crc) fail("a wrong checksum of the member " + in_quotes(name));
  return content;
}

void ZipReader::inflate_to(std::string_view packed, std::string_view name, std::string& out) const {
  z_stream stream = {};
  constexpr int k_raw_deflate = -15;
  if (inflateInit2(&stream, k_raw_deflate) != Z_OK) throw std::bad_alloc();
  int status = Z_OK;
  std::size_t written = 0;
  while (status == Z_OK) {
    // zlib counts in 32 bits.
    constexpr std::size_t k_piece = std::size_t{1} << 30;
    const std::size_t in = std::min(packed.size(), k_piece);
    const std::size_t room = std::min(out.size() - written, k_piece);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(in);
    Bytef nothing = 0;  // zlib needs a valid pointer even for empty output
    stream.next_out = room > 0 ? reinterpret_cast<Bytef*>(out.data() + written) : &nothing;
    stream.avail_out = static_cast<uInt>(room);
    status = inflate(&stream, Z_NO_FLUSH);
    packed.remove_prefix(in - stream.avail_in);
    written += room - stream.avail_out;
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END || written != out.size() || !packed.empty()) {
    fail("a damaged member " + in_quotes(name));
  }
}

}  // namespace mulberry::data

#include "mulberry/data/bytes/zip_stream.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/text.hpp"

namespace mulberry::data {
namespace {

constexpr std::size_t k_piece = std::size_t{1} << 18;

struct Mapped {
  void* memory;
  std::size_t size;
  ~Mapped() { ::munmap(memory, size); }
};

}  // namespace

ZipFile::ZipFile(const std::string& path) : path_(path) {
  const auto fail = [&](const char* what) -> Error {
    if (file_ >= 0) ::close(file_);
    return {Code::io,
            std::string("expected a .npz file on disk, found ") + what,
            "Copy it to a file first",
            {path}};
  };
  file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file_ < 0) throw fail(std::strerror(errno));
  struct stat status = {};
  if (::fstat(file_, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0) {
    throw fail("another kind of file");
  }
  // Only the directory and the headers of the members are touched.
  const auto size = at(status.st_size);
  void* const memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file_, 0);
  if (memory == MAP_FAILED) throw fail(std::strerror(errno));
  const Mapped mapped{memory, size};
  try {
    const ZipReader zip({static_cast<const char*>(memory), size}, path);
    for (const std::string& name : zip.names()) extents_.emplace(name, zip.extent(name));
  } catch (...) {
    ::close(file_);
    throw;
  }
}

ZipFile::~ZipFile() { ::close(file_); }

void ZipFile::read(std::uint64_t offset, char* out, std::size_t size) const {
  while (size > 0) {
    const ssize_t got = ::pread(file_, out, size, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      throw Error(Code::io,
                  std::string("expected more bytes, found ") +
                      (got == 0 ? "the end of the file" : std::strerror(errno)),
                  "Leave the file alone while it is read, or copy it elsewhere first", {path_});
    }
    out += got;
    offset += static_cast<std::uint64_t>(got);
    size -= at(got);
  }
}

struct ZipStream::Inflate {
  z_stream stream = {};
  std::vector<char> buffer = std::vector<char>(k_piece);
  int status = Z_OK;
  Inflate() {
    constexpr int k_raw_deflate = -15;
    if (inflateInit2(&stream, k_raw_deflate) != Z_OK) throw std::bad_alloc();
  }
  ~Inflate() { inflateEnd(&stream); }
  Inflate(const Inflate&) = delete;
  Inflate& operator=(const Inflate&) = delete;
};

ZipStream::ZipStream(std::shared_ptr<const ZipFile> file, const std::string& name)
    : file_(std::move(file)), name_(name), extent_(file_->extent(name)) {
  if (extent_.deflated) inflate_ = std::make_unique<Inflate>();
  if (extent_.size == 0) check_end();
}
ZipStream::~ZipStream() = default;
ZipStream::ZipStream(ZipStream&&) noexcept = default;

void ZipStream::fail(const std::string& problem) const {
  throw Error(Code::format, "expected an undamaged .npz file, found " + problem + in_quotes(name_),
              "Write or fetch the file again", {file_->path()});
}

void ZipStream::read(char* out, std::size_t size) {
  MULBERRY_ASSERT(size <= left());
  while (size > 0) {
    const std::size_t piece = std::min(size, k_piece);
    if (extent_.deflated) {
      inflate_to(out, piece);
    } else {
      file_->read(extent_.offset + given_, out, piece);
    }
    crc_ = static_cast<std::uint32_t>(crc32_z(crc_, reinterpret_cast<const Bytef*>(out), piece));
    given_ += piece;
    out += piece;
    size -= piece;
    if (left() == 0) check_end();
  }
}

// The next packed bytes, once those before are used up.
void ZipStream::refill() {
  z_stream& stream = inflate_->stream;
  if (stream.avail_in > 0 || taken_ == extent_.packed) return;
  const auto count = std::min<std::uint64_t>(k_piece, extent_.packed - taken_);
  file_->read(extent_.offset + taken_, inflate_->buffer.data(), count);
  taken_ += count;
  stream.next_in = reinterpret_cast<Bytef*>(inflate_->buffer.data());
  stream.avail_in = static_cast<uInt>(count);
}

void ZipStream::inflate_to(char* out, std::size_t size) {
  z_stream& stream = inflate_->stream;
  stream.next_out = reinterpret_cast<Bytef*>(out);
  stream.avail_out = static_cast<uInt>(size);
  do {
    refill();
    const uInt room = stream.avail_out, input = stream.avail_in;
    inflate_->status = inflate(&stream, Z_NO_FLUSH);
    const bool stuck = stream.avail_out == room && stream.avail_in == input;
    if (inflate_->status != Z_OK && inflate_->status != Z_STREAM_END) fail("a damaged member ");
    if (inflate_->status == Z_STREAM_END || stuck) break;
  } while (stream.avail_out > 0);
  if (stream.avail_out > 0) fail("a damaged member ");
}

// After the last byte of the content nothing follows but the end of the packed bytes.
void ZipStream::check_end() {
  if (extent_.deflated && inflate_->status != Z_STREAM_END) {
    z_stream& stream = inflate_->stream;
    char nothing = 0;
    while (inflate_->status == Z_OK) {
      refill();
      stream.next_out = reinterpret_cast<Bytef*>(&nothing);
      stream.avail_out = 1;
      inflate_->status = inflate(&stream, Z_NO_FLUSH);
      if (stream.avail_out == 0) fail("a damaged member ");
    }
  }
  const bool whole =
      !extent_.deflated || (inflate_->status == Z_STREAM_END && taken_ == extent_.packed &&
                            inflate_->stream.avail_in == 0);
  if (!whole) fail("a damaged member ");
  if (crc_ != extent_.crc) fail("a wrong checksum of the member ");
}

}  // namespace mulberry::data

#include "mulberry/data/bytes/byte_source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <functional>
#include <system_error>
#include <vector>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"

namespace mulberry::data {
namespace {

constexpr std::size_t k_first_buffer = std::size_t{1} << 12;  // enough for a small file
constexpr std::size_t k_raw_buffer = std::size_t{1} << 16;
constexpr int k_largest_window_log = 27;  // 128 MB, as the zstd program accepts

using ReadBytes = std::function<std::size_t(char*, std::size_t)>;

// The raw bytes of the file, with a buffer in front.
class Raw {
 public:
  Raw(ReadBytes read, std::string name)
      : read_(std::move(read)), name_(std::move(name)), buffer_(k_first_buffer) {}

  const std::string& name() const { return name_; }
  std::uint64_t total() const { return total_; }
  std::string_view held() const { return {buffer_.data() + begin_, end_ - begin_}; }
  void skip(std::size_t count) { begin_ += count; }

  // Holds at least one byte, or returns false at the end of the file.
  bool fill() {
    if (begin_ < end_) return true;
    begin_ = 0;
    if (end_ == buffer_.size()) buffer_.resize(k_raw_buffer);  // not a small file
    end_ = read_(buffer_.data(), buffer_.size());
    total_ += end_;
    return end_ > 0;
  }
  // The first bytes of the file, all of them even if they arrive one by one.
  std::string_view peek(std::size_t count) {
    while (end_ < count) {
      const std::size_t got = read_(buffer_.data() + end_, buffer_.size() - end_);
      if (got == 0) break;
      end_ += got;
      total_ += got;
    }
    return held().substr(0, count);
  }
  std::size_t read(char* out, std::size_t size) {
    if (begin_ == end_) {  // large reads need no buffer
      const std::size_t got = read_(out, size);
      total_ += got;
      return got;
    }
    const std::size_t count = std::min(size, end_ - begin_);
    std::memcpy(out, buffer_.data() + begin_, count);
    begin_ += count;
    return count;
  }

  [[noreturn]] void damaged(std::string_view what, std::string_view found) const {
    throw Error(Code::io,
                "expected an undamaged " + std::string(what) + ", found " + std::string(found),
                "Fetch or compress the file again", {name_});
  }
  void check_ratio(std::uint64_t expanded) const {
    require_moderate_expansion(expanded, total_, name_);
  }

 private:
  ReadBytes read_;
  std::string name_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;
  std::uint64_t total_ = 0;
};

class PlainSource : public ByteSource {
 public:
  explicit PlainSource(Raw raw) : raw_(std::move(raw)) {}

 private:
  std::size_t produce(char* out, std::size_t size) override { return raw_.read(out, size); }
  std::uint64_t taken() const override { return raw_.total(); }

  Raw raw_;
};

class GzipSource : public ByteSource {
 public:
  explicit GzipSource(Raw raw) : raw_(std::move(raw)) {
    constexpr int k_gzip_only = 15 + 16;
    if (inflateInit2(&stream_, k_gzip_only) != Z_OK) throw std::bad_alloc();
  }
  ~GzipSource() override { inflateEnd(&stream_); }

 private:
  std::size_t produce(char* out, std::size_t size) override {
    size = std::min(size, std::size_t{1} << 30);  // zlib counts in 32 bits
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = static_cast<uInt>(size);
    while (stream_.avail_out == size) {
      if (!raw_.fill()) {
        if (inside_) raw_.damaged("gzip file", "its end in the middle");
        break;
      }
      const std::string_view held = raw_.held();
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(held.data()));
      stream_.avail_in = static_cast<uInt>(held.size());
      inside_ = true;
      const int status = inflate(&stream_, Z_NO_FLUSH);
      raw_.skip(held.size() - stream_.avail_in);
      if (status == Z_STREAM_END) {
        inside_ = false;  // another member may follow, and nothing else
        inflateReset(&stream_);
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        raw_.damaged("gzip file", stream_.msg != nullptr ? stream_.msg : "bytes of another kind");
      }
    }
    const std::size_t count = size - stream_.avail_out;
    expanded_ += count;
    raw_.check_ratio(expanded_);
    return count;
  }
  std::uint64_t taken() const override { return raw_.total(); }

  Raw raw_;
  z_stream stream_ = {};
  bool inside_ = false;
  std::uint64_t expanded_ = 0;
};

class ZstdSource : public ByteSource {
 public:
  explicit ZstdSource(Raw raw) : raw_(std::move(raw)), stream_(ZSTD_createDStream()) {
    if (stream_ == nullptr) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(stream_.get(), ZSTD_d_windowLogMax, k_largest_window_log);
  }

 private:
  std::size_t produce(char* out, std::size_t size) override {
    ZSTD_outBuffer output = {out, size, 0};
    while (output.pos == 0) {
      const bool more = raw_.fill();
      if (!more && !inside_) break;
      // Without further input the decoder may still hold output that did not fit before.
      const std::string_view held = raw_.held();
      ZSTD_inBuffer input = {held.data(), held.size(), 0};
      const std::size_t status = ZSTD_decompressStream(stream_.get(), &output, &input);
      if (ZSTD_isError(status) != 0) raw_.damaged("zstd file", ZSTD_getErrorName(status));
      raw_.skip(input.pos);
      inside_ = status != 0;
      if (!more && inside_ && output.pos == 0) raw_.damaged("zstd file", "its end in the middle");
    }
    expanded_ += output.pos;
    raw_.check_ratio(expanded_);
    return output.pos;
  }
  std::uint64_t taken() const override { return raw_.total(); }

  struct Free {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };
  Raw raw_;
  std::unique_ptr<ZSTD_DStream, Free> stream_;
  bool inside_ = false;
  std::uint64_t expanded_ = 0;
};

std::unique_ptr<ByteSource> decode(Raw raw) {
  const std::string_view magic = raw.peek(4);
  if (magic.empty()) {
    throw Error(Code::io, "expected data, found an empty file", "Check how the file was made",
                {raw.name()});
  }
  if (magic.starts_with("\x1f\x8b")) return std::make_unique<GzipSource>(std::move(raw));
  if (magic == "\x28\xb5\x2f\xfd") return std::make_unique<ZstdSource>(std::move(raw));
  return std::make_unique<PlainSource>(std::move(raw));
}

class File {
 public:
  explicit File(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_ < 0) fail(path, errno);
    struct stat status = {};
    if (::fstat(fd_, &status) == 0 && S_ISDIR(status.st_mode)) {
      ::close(fd_);
      fail(path, EISDIR);
    }
  }
  ~File() { ::close(fd_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  std::size_t read(char* out, std::size_t size, const std::string& path) const {
    for (;;) {
      const ssize_t got = ::read(fd_, out, size);
      if (got >= 0) return at(got);
      if (errno != EINTR) fail(path, errno);
    }
  }

 private:
  [[noreturn]] static void fail(const std::string& path, int error) {
    std::string found = "an error of the system: " + std::generic_category().message(error);
    std::string remedy = "Try again, or copy the file elsewhere first";
    if (error == ENOENT || error == ENOTDIR) {
      found = "nothing of this name";
      remedy = path == "-" ? "Use /dev/stdin for standard input" : "Check the path";
    } else if (error == EISDIR) {
      found = "a directory";
      remedy = "Name a file in it";
    } else if (error == EACCES || error == EPERM) {
      found = "one without permission to read it";
      remedy = "Change its permissions, or ask its owner";
    }
    throw Error(Code::io, "expected a file to read, found " + found, remedy, {path});
  }

  int fd_;
};

}  // namespace

std::size_t ByteSource::read(char* out, std::size_t size) {
  if (peeked_.empty()) return produce(out, size);
  const std::size_t count = std::min(size, peeked_.size());
  std::memcpy(out, peeked_.data(), count);
  peeked_.erase(0, count);
  return count;
}

std::string_view ByteSource::peek(std::size_t size) {
  while (peeked_.size() < size) {
    const std::size_t held = peeked_.size();
    // In steps, so that a small file takes a small buffer.
    peeked_.resize(std::min(size, std::max(2 * held, k_first_buffer)));
    const std::size_t got = produce(peeked_.data() + held, peeked_.size() - held);
    peeked_.resize(held + got);
    if (got == 0) break;
  }
  return std::string_view(peeked_).substr(0, size);
}

void require_moderate_expansion(std::uint64_t expanded, std::uint64_t packed,
                                const std::string& path) {
  // Text compresses 3 to 30 times, matrices of zeros up to about 100 times. A file that expands
  // further than this, and to more than a moderate size, was made to exhaust memory.
  constexpr std::uint64_t k_largest_ratio = 250;
  constexpr std::uint64_t k_always_allowed = std::uint64_t{1} << 28;
  if (expanded <= k_always_allowed || expanded / k_largest_ratio <= packed) return;
  throw Error(Code::io,
              "expected a file that expands at most " + std::to_string(k_largest_ratio) +
                  " times, found " + std::to_string(expanded >> 20) + " MB from " +
                  std::to_string(packed >> 10) + " KB",
              "Uncompress the file first if you trust it", {path});
}

std::unique_ptr<ByteSource> open_bytes(const std::string& path) {
  const auto file = std::make_shared<File>(path);
  return decode(
      {[file, path](char* out, std::size_t size) { return file->read(out, size, path); }, path});
}

std::unique_ptr<ByteSource> open_bytes(std::string_view memory, const std::string& name) {
  return decode({[memory](char* out, std::size_t size) mutable {
                   const std::size_t count = std::min(size, memory.size());
                   std::memcpy(out, memory.data(), count);
                   memory.remove_prefix(count);
                   return count;
                 },
                 name});
}

}  // namespace mulberry::data

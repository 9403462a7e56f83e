#include "mulberry/data/bytes/byte_sink.hpp"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <new>
#include <vector>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/text.hpp"

namespace mulberry::data {
namespace {

constexpr std::size_t k_buffer = 1 << 16;
constexpr int k_gzip_level = 6, k_zstd_level = 3;

}  // namespace

Compression compression_of(std::string_view path) {
  if (path.ends_with(".gz")) return Compression::gzip;
  if (path.ends_with(".zst")) return Compression::zstd;
  return Compression::none;
}

std::string_view without_compression(std::string_view path) {
  return compression_of(path) == Compression::none ? path : path.substr(0, path.rfind('.'));
}

class ByteSink::Compressor {
 public:
  virtual ~Compressor() = default;
  virtual void add(std::string_view bytes, bool last, AtomicFile& file) = 0;
};

class ByteSink::Gzip : public ByteSink::Compressor {
 public:
  Gzip() {
    constexpr int k_gzip_window = 15 + 16, k_memory = 8;
    if (deflateInit2(&stream_, k_gzip_level, Z_DEFLATED, k_gzip_window, k_memory,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~Gzip() override { deflateEnd(&stream_); }

  void add(std::string_view bytes, bool last, AtomicFile& file) override {
    do {
      // zlib counts in 32 bits, and reads from a pointer that is not const.
      const auto piece = bytes.substr(0, std::numeric_limits<uInt>::max() / 2);
      bytes.remove_prefix(piece.size());
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
      stream_.avail_in = static_cast<uInt>(piece.size());
      const int flush = last && bytes.empty() ? Z_FINISH : Z_NO_FLUSH;
      do {
        stream_.next_out = reinterpret_cast<Bytef*>(out_.data());
        stream_.avail_out = static_cast<uInt>(out_.size());
        MULBERRY_ASSERT(deflate(&stream_, flush) != Z_STREAM_ERROR);
        file.write({out_.data(), out_.size() - stream_.avail_out});
      } while (stream_.avail_out == 0);
    } while (!bytes.empty());
  }

 private:
  z_stream stream_ = {};
  std::vector<char> out_ = std::vector<char>(k_buffer);
};

class ByteSink::Zstd : public ByteSink::Compressor {
 public:
  Zstd() : stream_(ZSTD_createCCtx()) {
    if (stream_ == nullptr) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(stream_, ZSTD_c_compressionLevel, k_zstd_level);
    ZSTD_CCtx_setParameter(stream_, ZSTD_c_checksumFlag, 1);
  }
  ~Zstd() override { ZSTD_freeCCtx(stream_); }
  Zstd(const Zstd&) = delete;
  Zstd& operator=(const Zstd&) = delete;

  void add(std::string_view bytes, bool last, AtomicFile& file) override {
    ZSTD_inBuffer in = {bytes.data(), bytes.size(), 0};
    for (bool done = false; !done;) {
      ZSTD_outBuffer out = {out_.data(), out_.size(), 0};
      const auto left =
          ZSTD_compressStream2(stream_, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
      MULBERRY_ASSERT(!ZSTD_isError(left));
      file.write({out_.data(), out.pos});
      done = last ? left == 0 : in.pos == in.size;
    }
  }

 private:
  ZSTD_CCtx* stream_;
  std::vector<char> out_ = std::vector<char>(k_buffer);
};

ByteSink::ByteSink(const std::string& path) : file_(path) {
  switch (compression_of(path)) {
    case Compression::none:
      break;
    case Compression::gzip:
      compressor_ = std::make_unique<Gzip>();
      break;
    case Compression::zstd:
      compressor_ = std::make_unique<Zstd>();
      break;
  }
  buffer_.reserve(k_buffer);
}

ByteSink::~ByteSink() = default;

void ByteSink::text(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > k_buffer) drain();
  if (bytes.size() <= k_buffer) {
    buffer_ += bytes;
  } else if (compressor_) {
    compressor_->add(bytes, false, file_);
  } else {
    file_.write(bytes);
  }
}

void ByteSink::number(double value) {
  char digits[32];
  text(shortest(value, digits));
}

void ByteSink::integer(Index value) {
  char digits[24];
  const auto [end, status] = std::to_chars(digits, digits + sizeof digits, value);
  text({digits, at(end - digits)});
}

void ByteSink::drain() {
  if (compressor_) {
    compressor_->add(buffer_, false, file_);
  } else {
    file_.write(buffer_);
  }
  buffer_.clear();
}

void ByteSink::finish() {
  drain();
  if (compressor_) compressor_->add({}, true, file_);
}

void ByteSink::commit() {
  finish();
  file_.commit();
}

void ByteSink::commit_with(AtomicGroup& group) {
  finish();
  group.add(std::move(file_));
}

}  // namespace mulberry::data

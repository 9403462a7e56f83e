#include "mulberry/data/bytes/npy.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/bytes/utf8.hpp"

namespace mulberry::data {
namespace {

static_assert(std::endian::native == std::endian::little, "byte orders are named from here");

// The few forms of Python literals that a header is made of.
class Literal {
 public:
  explicit Literal(std::string_view text) : text_(text) {}

  bool take(std::string_view token) {
    text_.remove_prefix(std::min(text_.find_first_not_of(" \t\n"), text_.size()));
    if (!text_.starts_with(token)) return false;
    text_.remove_prefix(token.size());
    return true;
  }
  bool text(std::string_view& out) {
    const char quote = take("'") ? '\'' : take("\"") ? '"' : '\0';
    const auto end = quote == 0 ? std::string_view::npos : text_.find(quote);
    if (end == std::string_view::npos) return false;
    out = text_.substr(0, end);
    text_.remove_prefix(end + 1);
    return true;
  }
  bool count(Index& out) {
    take("");
    const auto end = std::min(text_.find_first_not_of("0123456789"), text_.size());
    const auto value = parse_integer(text_.substr(0, end));
    text_.remove_prefix(end);
    take("L");  // as Python 2 wrote them
    if (value) out = *value;
    return value.has_value();
  }
  bool tuple(std::vector<Index>& out) {
    if (!take("(")) return false;
    while (!take(")")) {
      Index size = 0;
      if (!count(size)) return false;
      out.push_back(size);
      if (!take(",")) return take(")");
    }
    return true;
  }
  bool at_end() { return take("") && text_.empty(); }

 private:
  std::string_view text_;
};

}  // namespace

void NpyArray::fail(const std::string& expected, const std::string& found,
                    const std::string& remedy) const {
  throw Error(Code::format,
              "expected " + expected + " in the array " + in_quotes(name_) + ", found " + found,
              remedy, {path_});
}

std::size_t NpyArray::header_size(std::string_view bytes, const std::string& name,
                                  const std::string& path) {
  const auto damaged = [&] {
    NpyArray out;
    out.name_ = name;
    out.path_ = path;
    out.fail("the header of a NumPy array", "something else", "Write the file again with NumPy");
  };
  constexpr std::string_view k_magic = "\x93NUMPY";
  if (bytes.size() < 10 || !bytes.starts_with(k_magic)) damaged();
  const auto byte = [&](std::size_t k) { return at(static_cast<unsigned char>(bytes[k])); };
  const std::size_t version = byte(6);
  const std::size_t start = version == 1 ? 10 : 12;
  if (version < 1 || version > 3 || bytes.size() < start) damaged();
  std::size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  return start + length;
}

NpyArray NpyArray::parse(std::string_view bytes, std::string name, std::string path) {
  // A header that does not fit is cut short, and is none.
  const std::size_t start = std::min(header_size(bytes, name, path), bytes.size());
  NpyArray out = outline(bytes.substr(0, start), count_of(bytes) - static_cast<Index>(start),
                         std::move(name), std::move(path));
  out.data_ = bytes.substr(start);
  return out;
}

NpyArray NpyArray::outline(std::string_view header, Index held, std::string name,
                           std::string path) {
  NpyArray out;
  out.name_ = std::move(name);
  out.path_ = std::move(path);
  out.parse_header(header.substr(std::min<std::size_t>(header[6] == 1 ? 10 : 12, header.size())));

  // Sizes are multiplied only while the product stays within the available bytes.
  const bool empty = std::find(out.shape_.begin(), out.shape_.end(), 0) != out.shape_.end();
  Index expected = empty ? 0 : out.width_;
  out.size_ = empty ? 0 : 1;
  for (const Index size : out.shape_) {
    if (empty || out.width_ == 0) break;
    if (size > held / expected) {
      expected = held + 1;
      break;
    }
    expected *= size;
    out.size_ *= size;
  }
  if (expected != held) {
    out.fail("as many bytes as its shape needs", std::to_string(held) + " bytes",
             "Write the file again: it is damaged");
  }
  return out;
}

Index NpyArray::row_bytes() const {
  Index out = width_;
  for (std::size_t k = 1; k < shape_.size(); ++k) out *= shape_[k];
  return out;
}

NpyArray NpyArray::rows(Index count, std::string_view bytes) const {
  MULBERRY_ASSERT(!shape_.empty() && !by_columns() && count_of(bytes) == count * row_bytes());
  NpyArray out = *this;
  out.shape_[0] = count;
  out.size_ = count;
  for (std::size_t k = 1; k < shape_.size(); ++k) out.size_ *= shape_[k];
  out.data_ = bytes;
  return out;
}

void NpyArray::parse_header(std::string_view header) {
  Literal literal(header);
  std::string_view type;
  bool has_order = false, has_shape = false, good = literal.take("{");
  while (good && !literal.take("}")) {
    std::string_view key;
    good = literal.text(key) && literal.take(":");
    if (!good) break;
    if (key == "descr") {
      if (literal.take("[")) {
        fail("plain numbers", "a structured type", "Save one plain array for X and one for Y");
      }
      good = literal.text(type);
    } else if (key == "fortran_order") {
      fortran_ = literal.take("True");
      good = has_order = fortran_ || literal.take("False");
    } else if (key == "shape") {
      good = has_shape = shape_.empty() && literal.tuple(shape_);
    } else {
      good = false;
    }
    if (good && !literal.take(",")) {
      good = literal.take("}");
      break;
    }
  }
  if (!good || !literal.at_end() || type.empty() || !has_order || !has_shape) {
    fail("a header with descr, fortran_order and shape", in_quotes(trim(header)),
         "Write the file again with NumPy");
  }
  parse_type(type);
}

void NpyArray::parse_type(std::string_view type) {
  std::string_view rest = type;
  if (rest.starts_with('>')) swap_ = true;
  if (std::string_view("<>|=").find(rest.front()) != std::string_view::npos) rest.remove_prefix(1);
  const auto width = rest.empty() ? std::nullopt : parse_integer(rest.substr(1));
  kind_ = rest.empty() ? '\0' : rest.front();
  if (kind_ == 'O') {
    fail("plain numbers or texts", "pickled Python objects",
         "Convert it first, as in X.astype(float) or names.astype(str); save a sparse matrix in "
         "parts: "
         "X_data=X.data, X_indices=X.indices, X_indptr=X.indptr, X_shape=X.shape");
  }
  width_ = width.value_or(-1);
  const bool known = (kind_ == 'f' && (width_ == 4 || width_ == 8)) ||
                     ((kind_ == 'i' || kind_ == 'u') &&
                      (width_ == 1 || width_ == 2 || width_ == 4 || width_ == 8)) ||
                     (kind_ == 'b' && width_ == 1) ||
                     ((kind_ == 'U' || kind_ == 'S') && width_ >= 0 && width_ <= (1 << 24));
  if (!known) {
    fail("numbers or texts", "the type " + in_quotes(type),
         "Convert it first, as in X.astype(float)");
  }
  if (kind_ == 'U') width_ *= 4;
}

void NpyArray::require_numbers(const std::string& remedy) const {
  if (kind_ != 'U' && kind_ != 'S') return;
  fail("numbers", "strings", remedy);
}

void NpyArray::require_dimensions(std::size_t dimensions) const {
  if (shape_.size() == dimensions) return;
  fail(std::to_string(dimensions) + (dimensions == 1 ? " dimension" : " dimensions"),
       std::to_string(shape_.size()),
       dimensions == 2 ? "Save a matrix with one row per instance, as in Y.reshape(len(Y), -1)"
                       : "Save a plain list of values");
}

template <class T>
T NpyArray::value_at(Index k) const {
  char bytes[sizeof(T)];
  std::memcpy(bytes, data_.data() + k * width_, sizeof(T));
  if (swap_) std::reverse(bytes, bytes + sizeof(T));
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

template <class T, class Out>
void NpyArray::convert(std::vector<Out>& out) const {
  // NOLINTBEGIN(bugprone-signed-char-misuse): bytes of NumPy's int8 are numbers, not characters
  const bool transpose = fortran_ && shape_.size() == 2;
  if (!transpose) {
    for (Index k = 0; k < size_; ++k) out[at(k)] = static_cast<Out>(value_at<T>(k));
    return;
  }
  const Index rows = shape_[0], cols = shape_[1];
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) {
      out[at(i * cols + j)] = static_cast<Out>(value_at<T>(j * rows + i));
    }
  }
  // NOLINTEND(bugprone-signed-char-misuse)
}

template <class Out>
std::vector<Out> NpyArray::converted() const {
  std::vector<Out> out(at(size_));
  const auto is = [&](char kind, Index width) { return kind_ == kind && width_ == width; };
  if (is('f', 8)) convert<double>(out);
  if (is('f', 4)) convert<float>(out);
  if (is('i', 1)) convert<std::int8_t>(out);
  if (is('i', 2)) convert<std::int16_t>(out);
  if (is('i', 4)) convert<std::int32_t>(out);
  if (is('i', 8)) convert<std::int64_t>(out);
  if (is('u', 1) || is('b', 1)) convert<std::uint8_t>(out);
  if (is('u', 2)) convert<std::uint16_t>(out);
  if (is('u', 4)) convert<std::uint32_t>(out);
  if (is('u', 8)) convert<std::uint64_t>(out);
  return out;
}

bool NpyArray::plain_doubles() const {
  return kind_ == 'f' && width_ == 8 && !swap_ && !(fortran_ && shape_.size() == 2);
}

std::vector<double> NpyArray::numbers() const {
  if (kind_ == 'U' || kind_ == 'S') fail("numbers", "texts", "Convert it, as in X.astype(float)");
  return converted<double>();
}

std::vector<Index> NpyArray::integers(Index low, Index high) const {
  if (kind_ != 'i' && kind_ != 'u') {
    fail("whole numbers", "another type", "Convert it, as in indices.astype(int)");
  }
  // Unsigned numbers beyond the range become negative here, which no caller allows.
  std::vector<Index> out = converted<Index>();
  for (const Index value : out) {
    if (value < low || value > high) {
      fail("numbers from " + std::to_string(low) + " to " + std::to_string(high),
           std::to_string(value), "Save the arrays again: they do not fit together");
    }
  }
  return out;
}

std::vector<std::string> NpyArray::texts() const {
  if (kind_ != 'U' && kind_ != 'S') fail("texts", "numbers", "Save names as texts");
  std::vector<std::string> out;
  for (Index k = 0; k < size_; ++k) {
    std::u32string wide;
    std::string narrow;
    for (Index c = 0; c < width_; c += kind_ == 'U' ? 4 : 1) {
      if (kind_ == 'S') {
        narrow += data_[at(k * width_ + c)];
        continue;
      }
      char32_t point = 0;
      std::memcpy(&point, data_.data() + k * width_ + c, sizeof point);
      if (swap_) point = __builtin_bswap32(point);
      wide += point;
    }
    // Both kinds are filled up with zeros.
    wide.erase(wide.find_last_not_of(U'\0') + 1);
    narrow.erase(narrow.find_last_not_of('\0') + 1);
    out.push_back(kind_ == 'U' ? encode_utf8(wide) : narrow);
  }
  return out;
}

}  // namespace mulberry::data

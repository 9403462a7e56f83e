// NpyArray: one array of NumPy's .npy form, parsed in place: type, shape, order and the bytes of
// its values, whose number has been checked against the shape. Numbers (floats of 4 and 8 bytes,
// integers of 1 to 8, booleans, either byte order) and texts (U and S); pickled objects are an
// error.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mulberry/core/matrix.hpp"

namespace mulberry::data {

class NpyArray {
 public:
  // `bytes` must outlive the array; `name` and `path` are used in errors.
  static NpyArray parse(std::string_view bytes, std::string name, std::string path);

  // For an array that is read in parts. The bytes before its values, from the first 12 of them.
  static std::size_t header_size(std::string_view begin, const std::string& name,
                                 const std::string& path);
  // The array without its values, which take `held` bytes.
  static NpyArray outline(std::string_view header, Index held, std::string name, std::string path);
  bool by_columns() const { return fortran_ && shape_.size() == 2; }
  Index row_bytes() const;  // of one row, or one value of a list
  // Some of its rows, next to each other, as a separate array; not if it is by_columns().
  NpyArray rows(Index count, std::string_view bytes) const;

  const std::string& name() const { return name_; }
  const std::vector<Index>& shape() const { return shape_; }
  Index size() const { return size_; }

  // Throws Error unless the array has `dimensions` dimensions.
  void require_dimensions(std::size_t dimensions) const;
  // Throws Error, with this remedy, if the values are strings.
  void require_numbers(const std::string& remedy) const;
  // All values in row-major order. Throws Error if they are not numbers.
  std::vector<double> numbers() const;
  // As above, for integers, each within [low, high].
  std::vector<Index> integers(Index low, Index high) const;
  std::vector<std::string> texts() const;
  // Whether bytes() are doubles of this machine in row-major order, perhaps not aligned.
  bool plain_doubles() const;
  std::string_view bytes() const { return data_; }

  [[noreturn]] void fail(const std::string& expected, const std::string& found,
                         const std::string& remedy) const;

 private:
  void parse_header(std::string_view header);
  void parse_type(std::string_view type);
  template <class T>
  T value_at(Index k) const;
  template <class T, class Out>
  void convert(std::vector<Out>& out) const;
  template <class Out>
  std::vector<Out> converted() const;

  std::string name_, path_;
  char kind_ = 0;      // f, i, u, b, U or S
  Index width_ = 0;    // bytes of one value
  bool swap_ = false;  // byte order differs from this machine
  bool fortran_ = false;
  std::vector<Index> shape_;
  Index size_ = 1;  // number of values
  std::string_view data_;
};

}  // namespace mulberry::data

// Archives: the contents of a model file. A type lists its fields once,
//
//     template <class V>
//     void visit(V& v) {
//       v("base", base);
//       v("coef", coef, finite().rows(v.outputs()).cols(v.features()));
//       v("bias", bias, finite().length(v.outputs()));
//     }
//
// and ArchiveWriter, ArchiveReader save and load it. Every field of numbers declares its bounds
// (core/bounds.hpp), because a file may come from anyone; v.require(condition, "bias", "is not
// sorted") rejects what bounds cannot express, and does nothing when writing. Small values go to
// the JSON header, arrays to aligned sections; nested structs prefix their names ("base.coef"). A
// model inside another sees and gives what the outer one says: v("base", base, ModelShape{columns,
// labels}). A reader finds every field by name and checks type and length before it allocates; an
// Array borrows the mapped file, whose checksum and values are verified when the first one is used.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "mulberry/core/array.hpp"
#include "mulberry/core/bounds.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/matrix.hpp"
#include "mulberry/core/spec.hpp"

namespace mulberry::core {

enum class ElementType { f64, f32, i64, i32, u8 };

template <class T>
constexpr ElementType element_type() {
  if constexpr (std::is_same_v<T, double>) {
    return ElementType::f64;
  } else if constexpr (std::is_same_v<T, float>) {
    return ElementType::f32;
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return ElementType::i64;
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return ElementType::i32;
  } else {
    static_assert(sizeof(T) == 1);
    return ElementType::u8;
  }
}

template <class T>
concept Arithmetic = std::is_arithmetic_v<T>;

// Types whose fields are numbers, and the bounds that they take.
template <class T>
struct NumbersOf {};
template <class T>
  requires(Arithmetic<T> && !std::is_same_v<T, bool>)
struct NumbersOf<T> {
  using Type = BoundsFor<T>;
};
template <class T>
  requires std::is_enum_v<T>
struct NumbersOf<T> {
  using Type = WholeBounds;
};
template <>
struct NumbersOf<Matrix> : NumbersOf<double> {};
template <>
struct NumbersOf<FixedMatrix> : NumbersOf<double> {};
template <class T>
struct NumbersOf<Array<T>> : NumbersOf<T> {};
template <class T>
struct NumbersOf<std::vector<T>> : NumbersOf<T> {};
template <class T>
struct NumbersOf<std::optional<T>> : NumbersOf<T> {};
template <class T>
struct NumbersOf<const T> : NumbersOf<T> {};
template <class T>
concept Numbers = requires { typename NumbersOf<T>::Type; };
template <class T>
using BoundsOf = typename NumbersOf<T>::Type;

// Where values and arrays go to and come from; the model file implements both.
class ArchiveSink {
 public:
  virtual ~ArchiveSink() = default;
  virtual void number(const std::string& name, double value) = 0;
  virtual void integer(const std::string& name, Index value) = 0;
  virtual void text(const std::string& name, const std::string& value) = 0;
  virtual void texts(const std::string& name, const std::vector<std::string>& values) = 0;
  // The bytes must stay valid until the sink is written out.
  virtual void array(const std::string& name, ElementType type, const void* data,
                     std::size_t count) = 0;
};

class ArchiveSource {
 public:
  struct Bytes {
    const void* data;
    std::size_t count;
    std::shared_ptr<const void> owner;
    const FirstUseCheck* check = nullptr;  // call before the bytes are used
  };
  virtual ~ArchiveSource() = default;
  virtual double number(const std::string& name) const = 0;
  virtual Index integer(const std::string& name) const = 0;
  virtual std::string text(const std::string& name) const = 0;
  virtual std::vector<std::string> texts(const std::string& name) const = 0;
  // The values are checked when they are used; the ranges that `type` has no use for are ignored.
  virtual Bytes array(const std::string& name, ElementType type, const RealRange& reals,
                      const WholeRange& wholes) const = 0;
  virtual bool has(const std::string& name) const = 0;  // a value or an array
  // An Error (model_file) about the value `name`, to be thrown.
  virtual Error error(const std::string& name, const std::string& problem) const = 0;
};

// The names of what belongs to a value: "coef.rows", "trees.3".
std::string part_of(std::string_view name, std::string_view part);
std::string part_of(std::string_view name, std::size_t number);

// The values that a file knows are written and read by archive.cpp; the templates here only take
// structs apart, because every model of the library compiles them again.
class ArchiveWriter {
 public:
  explicit ArchiveWriter(ArchiveSink& sink, std::string prefix = {})
      : sink_(sink), prefix_(std::move(prefix)) {}

  ArchiveWriter child(std::string_view name) const;

  template <class T>
  void operator()(std::string_view name, T& value) {
    static_assert(!Numbers<T>, "declare the bounds of numbers: see core/bounds.hpp");
    write_any(name, value);
  }
  template <Numbers T>
  void operator()(std::string_view name, T& value, const BoundsOf<T>&) {
    write_any(name, value);
  }
  template <class T>
  void operator()(std::string_view name, T& value, const ModelShape&) {
    write_any(name, value);
  }
  // Members of a list: shape_of(k) is the shape of the k-th.
  template <class T, class Fn>
  void each(std::string_view name, T& values, const Fn&) {
    write_any(name, values);
  }
  // Parts that must know something before they are read: make() gives an empty one.
  template <class T, class Fn>
  void made(std::string_view name, T& values, const Fn&) {
    write_any(name, values);
  }
  // A field that files of earlier versions lack.
  template <class T, class... Bounds>
  void added(std::string_view name, T& value, const Bounds&... bounds) {
    (*this)(name, value, bounds...);
  }
  // The shape of what is read. What is written needs no bounds.
  Index features() const { return 0; }
  Index outputs() const { return 0; }
  // Whether an optional part is in the file: here, whether it is wanted.
  bool stores(std::string_view, bool wanted) const { return wanted; }
  // What is written needs no checks: require and check are the reader's.
  void require(bool, std::string_view, std::string_view) const {}
  template <class Fn>
  void check(const Fn&) const {}

 private:
  std::string full(std::string_view name) const;

  void write_integer(std::string_view name, Index value);
  void write_array(std::string_view name, ElementType type, const void* data, std::size_t count);
  void write(std::string_view name, double value);
  void write(std::string_view name, const std::string& value);
  void write(std::string_view name, const Spec& value);
  void write(std::string_view name, const std::vector<std::string>& value);
  void write(std::string_view name, MatrixView value);
  template <class T>
    requires std::integral<T> || std::is_enum_v<T>
  void write(std::string_view name, T value) {
    write_integer(name, static_cast<Index>(value));
  }
  template <Arithmetic T>
  void write(std::string_view name, const std::vector<T>& value) {
    write_array(name, element_type<T>(), value.data(), value.size());
  }
  template <class T>
  void write(std::string_view name, const Array<T>& value) {
    write_array(name, element_type<T>(), value.data(), value.size());
  }

  template <class T>
  void write_any(std::string_view name, T& value) {
    if constexpr (requires(ArchiveWriter& inner) { value.write(inner); }) {
      ArchiveWriter inner = child(name);
      value.write(inner);
    } else if constexpr (requires(ArchiveWriter& inner) { value.visit(inner); }) {
      ArchiveWriter inner = child(name);
      value.visit(inner);
    } else if constexpr (requires { value.has_value(); }) {
      write_integer(part_of(name, "set"), value ? 1 : 0);
      if (value) write_any(name, *value);
    } else if constexpr (requires { write(name, std::as_const(value)); }) {
      write(name, std::as_const(value));
    } else {  // a vector of structs
      write_integer(part_of(name, "count"), static_cast<Index>(value.size()));
      for (std::size_t k = 0; k < value.size(); ++k) write_any(part_of(name, k), value[k]);
    }
  }

  ArchiveSink& sink_;
  std::string prefix_;
};

class ArchiveReader {
 public:
  ArchiveReader(const ArchiveSource& source, ModelShape shape, std::string prefix = {},
                int depth = 0)
      : source_(source), shape_(shape), prefix_(std::move(prefix)), depth_(depth) {}

  ArchiveReader child(std::string_view name) const { return child(name, shape_); }
  ArchiveReader child(std::string_view name, const ModelShape& shape) const;
  [[noreturn]] void fail(std::string_view name, const std::string& problem) const;
  // Whether there is such a value: files of earlier versions lack some.
  bool has(std::string_view name) const;
  bool stores(std::string_view name, bool) const { return has(name); }
  // Fails unless what was read is sound, so that a wrong file is an error and never a crash.
  void require(bool condition, std::string_view name, std::string_view problem) const {
    if (!condition) fail(name, std::string(problem));
  }
  // For checks that take long or need a reader: fn(const ArchiveReader&).
  template <class Fn>
  void check(const Fn& fn) const {
    fn(*this);
  }

  // The columns of the features that this part of the model sees, and of the scores that it gives.
  Index features() const { return shape_.features; }
  Index outputs() const { return shape_.outputs; }

  template <class T>
  void operator()(std::string_view name, T& value) {
    static_assert(!Numbers<T>, "declare the bounds of numbers: see core/bounds.hpp");
    read_part(name, value, shape_);
  }
  template <Numbers T>
  void operator()(std::string_view name, T& value, const BoundsOf<T>& bounds) {
    read_numbers(name, value, bounds);
  }
  template <class T>
  void operator()(std::string_view name, T& value, const ModelShape& shape) {
    read_part(name, value, shape);
  }
  template <class T, class Fn>
  void each(std::string_view name, T& values, const Fn& shape_of) {
    const Index n = count(part_of(name, "count"));
    values.clear();
    for (Index k = 0; k < n; ++k) {
      read_part(part_of(name, at(k)), values.emplace_back(), shape_of(k));
    }
  }
  template <class T, class Fn>
  void made(std::string_view name, std::optional<T>& value, const Fn& make) {
    value.reset();
    if (read_integer(part_of(name, "set"), {0, 1}) != 0) {
      read_part(name, value.emplace(make()), shape_);
    }
  }
  template <class T, class Fn>
  void made(std::string_view name, std::vector<T>& values, const Fn& make) {
    const Index n = count(part_of(name, "count"));
    values.clear();
    for (Index k = 0; k < n; ++k) {
      read_part(part_of(name, at(k)), values.emplace_back(make()), shape_);
    }
  }
  // A field that files of earlier versions lack: the value stays as it is there.
  template <class T, class... Bounds>
  void added(std::string_view name, T& value, const Bounds&... bounds) {
    if (has(name)) (*this)(name, value, bounds...);
  }

 private:
  std::string full(std::string_view name) const;
  Index count(std::string_view name) const;  // an integer from 0 to 2^40

  Index read_integer(std::string_view name) const;
  Index read_integer(std::string_view name, const WholeRange& range) const;
  ArchiveSource::Bytes read_array(std::string_view name, ElementType type,
                                  const RealBounds& bounds) const;
  ArchiveSource::Bytes read_array(std::string_view name, ElementType type,
                                  const WholeBounds& bounds) const;
  void read(std::string_view name, double& value, const RealBounds& bounds) const;
  void read(std::string_view name, FixedMatrix& value, const RealBounds& bounds) const;  // borrows
  void read(std::string_view name, Matrix& value, const RealBounds& bounds) const;       // copies
  void read(std::string_view name, bool& value) const;
  void read(std::string_view name, std::string& value) const;
  void read(std::string_view name, Spec& value) const;
  void read(std::string_view name, std::vector<std::string>& value) const;
  template <std::integral T>
  void read(std::string_view name, T& value, const WholeBounds& bounds) const {
    const Index stored = read_integer(name, bounds.range());
    if (!std::in_range<T>(stored)) fail(name, "is out of range");
    value = static_cast<T>(stored);
  }
  template <class T>
    requires std::is_enum_v<T>
  void read(std::string_view name, T& value, const WholeBounds& bounds) const {
    value = static_cast<T>(read_integer(name, bounds.range()));
  }
  template <Arithmetic T>
  void read(std::string_view name, std::vector<T>& value, const BoundsFor<T>& bounds) const {
    const auto bytes = read_array(name, element_type<T>(), bounds);
    if (bytes.check != nullptr) bytes.check->ensure();
    const auto* data = static_cast<const T*>(bytes.data);
    value.assign(data, data + bytes.count);
    for (const T& v : value) {
      if (!inside(v, bounds.range())) fail(name, "has a value that is out of range");
    }
  }
  // A file has no type for signed bytes: they are checked here.
  void read(std::string_view name, std::vector<std::int8_t>& value,
            const WholeBounds& bounds) const;
  template <class T>
  void read(std::string_view name, Array<T>& value, const BoundsFor<T>& bounds) const {
    auto bytes = read_array(name, element_type<T>(), bounds);
    value = Array<T>::borrow({static_cast<const T*>(bytes.data), bytes.count},
                             std::move(bytes.owner), bytes.check);
  }

  template <class T>
  void read_numbers(std::string_view name, T& value, const BoundsOf<T>& bounds) {
    if constexpr (requires { value.has_value(); }) {
      value.reset();
      if (read_integer(part_of(name, "set"), {0, 1}) != 0) {
        read_numbers(name, value.emplace(), bounds);
      }
    } else if constexpr (requires { read(name, value, bounds); }) {
      read(name, value, bounds);
    } else {  // a vector of arrays
      const Index n = count(part_of(name, "count"));
      value.clear();
      for (Index k = 0; k < n; ++k) {
        read_numbers(part_of(name, at(k)), value.emplace_back(), bounds);
      }
    }
  }

  template <class T>
  void read_part(std::string_view name, T& value, const ModelShape& shape) {
    if constexpr (requires(ArchiveReader& inner) { value.read(inner); }) {
      ArchiveReader inner = child(name, shape);
      value.read(inner);
    } else if constexpr (requires(ArchiveReader& inner) { value.visit(inner); }) {
      ArchiveReader inner = child(name, shape);
      value.visit(inner);
    } else if constexpr (requires { value.has_value(); }) {
      value.reset();
      if (read_integer(part_of(name, "set"), {0, 1}) != 0) read_part(name, value.emplace(), shape);
    } else if constexpr (requires { read(name, value); }) {
      read(name, value);
    } else {  // a vector of structs
      each(name, value, [&](Index) { return shape; });
    }
  }

  const ArchiveSource& source_;
  ModelShape shape_;
  std::string prefix_;
  int depth_;
};

}  // namespace mulberry::core

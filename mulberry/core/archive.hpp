// Archives: what a model file holds. A type lists its fields once,
//
//     template <class V> void visit(V& v) { v("coef", coef); v("bias", bias); }
//
// and ArchiveWriter, ArchiveReader save and load it. Small values go to the JSON header, arrays to
// aligned sections; nested structs prefix their names ("base.coef"). A reader finds every field by
// name and checks type and length before it allocates; an Array borrows the mapped file, which is
// verified when its first value is used.
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
#include "mulberry/core/error.hpp"
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
    const FirstUseCheck* check = nullptr;  // to be asked before the bytes are used
  };
  virtual ~ArchiveSource() = default;
  virtual double number(const std::string& name) const = 0;
  virtual Index integer(const std::string& name) const = 0;
  virtual std::string text(const std::string& name) const = 0;
  virtual std::vector<std::string> texts(const std::string& name) const = 0;
  virtual Bytes array(const std::string& name, ElementType type) const = 0;
  virtual bool has(const std::string& name) const = 0;  // a value or an array
  // An Error (model_file) about the value `name`, to be thrown.
  virtual Error error(const std::string& name, const std::string& problem) const = 0;
};

class ArchiveWriter {
 public:
  explicit ArchiveWriter(ArchiveSink& sink, std::string prefix = {})
      : sink_(sink), prefix_(std::move(prefix)) {}

  ArchiveWriter child(std::string_view name) const {
    return ArchiveWriter(sink_, prefix_ + std::string(name) + ".");
  }

  template <class T>
  void operator()(std::string_view name, T& value) {
    write_any(std::string(name), value);
  }
  // A field that files of earlier versions lack.
  template <class T>
  void added(std::string_view name, T& value) {
    (*this)(name, value);
  }

 private:
  std::string full(const std::string& name) const { return prefix_ + name; }

  void write(const std::string& name, double value) { sink_.number(full(name), value); }
  template <std::integral T>
  void write(const std::string& name, T value) {
    sink_.integer(full(name), static_cast<Index>(value));
  }
  template <class T>
    requires std::is_enum_v<T>
  void write(const std::string& name, T value) {
    sink_.integer(full(name), static_cast<Index>(value));
  }
  void write(const std::string& name, const std::string& value) { sink_.text(full(name), value); }
  void write(const std::string& name, const Spec& value) { sink_.text(full(name), value.text()); }
  void write(const std::string& name, const std::vector<std::string>& value) {
    sink_.texts(full(name), value);
  }
  template <Arithmetic T>
  void write(const std::string& name, const std::vector<T>& value) {
    sink_.array(full(name), element_type<T>(), value.data(), value.size());
  }
  template <class T>
  void write(const std::string& name, const Array<T>& value) {
    sink_.array(full(name), element_type<T>(), value.data(), value.size());
  }
  template <class M>
    requires std::same_as<M, Matrix> || std::same_as<M, FixedMatrix>
  void write(const std::string& name, const M& value) {
    sink_.integer(full(name) + ".rows", value.rows());
    sink_.integer(full(name) + ".cols", value.cols());
    write(name, value.values());
  }

  template <class T>
  void write_any(const std::string& name, T& value) {
    ArchiveWriter inner = child(name);
    if constexpr (requires { value.write(inner); }) {
      value.write(inner);
    } else if constexpr (requires { value.visit(inner); }) {
      value.visit(inner);
    } else if constexpr (requires { value.has_value(); }) {
      sink_.integer(full(name) + ".set", value ? 1 : 0);
      if (value) write_any(name, *value);
    } else if constexpr (requires { write(name, std::as_const(value)); }) {
      write(name, std::as_const(value));
    } else {  // a vector of structs
      sink_.integer(full(name) + ".count", static_cast<Index>(value.size()));
      for (std::size_t k = 0; k < value.size(); ++k) {
        write_any(name + "." + std::to_string(k), value[k]);
      }
    }
  }

  ArchiveSink& sink_;
  std::string prefix_;
};

class ArchiveReader {
 public:
  explicit ArchiveReader(const ArchiveSource& source, std::string prefix = {})
      : source_(source), prefix_(std::move(prefix)) {}

  ArchiveReader child(std::string_view name) const {
    return ArchiveReader(source_, prefix_ + std::string(name) + ".");
  }
  [[noreturn]] void fail(std::string_view name, const std::string& problem) const {
    throw source_.error(full(std::string(name)), problem);
  }
  // Whether there is such a value: files of earlier versions lack some.
  bool has(std::string_view name) const { return source_.has(full(std::string(name))); }
  // For checks after loading: fails unless the condition holds.
  void require(bool condition, std::string_view name, const std::string& problem) const {
    if (!condition) fail(name, problem);
  }

  template <class T>
  void operator()(std::string_view name, T& value) {
    read_any(std::string(name), value);
  }
  // A field that files of earlier versions lack: the value stays as it is there.
  template <class T>
  void added(std::string_view name, T& value) {
    if (has(name)) (*this)(name, value);
  }

 private:
  std::string full(const std::string& name) const { return prefix_ + name; }
  Index count(const std::string& name) const;  // an integer from 0 to 2^40

  void read(const std::string& name, double& value) { value = source_.number(full(name)); }
  template <std::integral T>
  void read(const std::string& name, T& value) {
    const Index stored = source_.integer(full(name));
    if (!std::in_range<T>(stored)) fail(name, "is out of range");
    value = static_cast<T>(stored);
  }
  void read(const std::string& name, bool& value) { value = source_.integer(full(name)) != 0; }
  template <class T>
    requires std::is_enum_v<T>
  void read(const std::string& name, T& value) {
    value = static_cast<T>(source_.integer(full(name)));
  }
  void read(const std::string& name, std::string& value) { value = source_.text(full(name)); }
  void read(const std::string& name, Spec& value) { value = parse_spec(source_.text(full(name))); }
  void read(const std::string& name, std::vector<std::string>& value) {
    value = source_.texts(full(name));
  }
  template <Arithmetic T>
  void read(const std::string& name, std::vector<T>& value) {
    const auto bytes = source_.array(full(name), element_type<T>());
    if (bytes.check != nullptr) bytes.check->ensure();
    const auto* data = static_cast<const T*>(bytes.data);
    value.assign(data, data + bytes.count);
  }
  template <class T>
  void read(const std::string& name, Array<T>& value) {
    auto bytes = source_.array(full(name), element_type<T>());
    value = Array<T>::borrow({static_cast<const T*>(bytes.data), bytes.count},
                             std::move(bytes.owner), bytes.check);
  }
  void read(const std::string& name, FixedMatrix& value) {
    const Index rows = count(name + ".rows"), cols = count(name + ".cols");
    Array<double> values;
    read(name, values);
    if (cols != 0 ? static_cast<Index>(values.size()) / cols != rows ||
                        static_cast<Index>(values.size()) % cols != 0
                  : !values.empty()) {
      fail(name, "does not have the size that its rows and columns say");
    }
    value = FixedMatrix(rows, cols, std::move(values));
  }

  // A Matrix is copied from the file, whereas a FixedMatrix borrows it.
  void read(const std::string& name, Matrix& value) {
    FixedMatrix stored;
    read(name, stored);
    value = Matrix(stored);
  }

  template <class T>
  void read_any(const std::string& name, T& value) {
    ArchiveReader inner = child(name);
    if constexpr (requires { value.read(inner); }) {
      value.read(inner);
    } else if constexpr (requires { value.visit(inner); }) {
      value.visit(inner);
    } else if constexpr (requires { value.has_value(); }) {
      value.reset();
      if (count(name + ".set") != 0) read_any(name, value.emplace());
    } else if constexpr (requires { read(name, value); }) {
      read(name, value);
    } else {  // a vector of structs
      const Index n = count(name + ".count");
      value.clear();
      for (Index k = 0; k < n; ++k) read_any(name + "." + std::to_string(k), value.emplace_back());
    }
  }

  const ArchiveSource& source_;
  std::string prefix_;
};

inline Index ArchiveReader::count(const std::string& name) const {
  const Index value = source_.integer(full(name));
  if (value < 0 || value > (Index{1} << 40))
    throw source_.error(full(name), "is not a plausible count");
  return value;
}

}  // namespace mulberry::core

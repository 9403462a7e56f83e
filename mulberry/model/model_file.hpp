// The model file: a JSON header and aligned little-endian arrays.
//
//   bytes 0-7   magic "MULBERRY"
//   bytes 8-11  version of the format, bytes 12-15 zero
//   bytes 16-23 length of the header, bytes 24-31 its checksum (XXH3)
//   header      JSON: "about" (facts for people and programs), "values", "arrays" (name, type,
//               count, offset, checksum)
//   arrays      each at a multiple of 64 bytes; the padding is zero; the file ends with the last
//
// What later releases add goes to a section: values and arrays whose names begin with "NAME.". The
// header lists the sections of the file and says of each whether a model can be used without it. A
// reader skips optional sections that it does not know, and refuses required ones with the release
// that it takes to read them. The version changes only with this container: 1 had neither sections
// nor the bytes of arrays. A reader takes every version up to its own
// (docs/adr/0002-model-file.md).
//
// Opening maps the file and verifies the header, whatever the size of the arrays; an array and the
// padding before it are verified when its first value is used. Every length is checked against the
// file before it is used. Writing is atomic: the file appears complete or not at all.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "mulberry/core/archive.hpp"

namespace mulberry::model {

struct FileSection {
  std::string name = {};
  bool required = true;
  std::string since = {};  // the release of mulberry that added it: "0.2.0"
};

class ModelFileWriter final : public ArchiveSink {
 public:
  ModelFileWriter();
  ~ModelFileWriter() override;
  ModelFileWriter(ModelFileWriter&&) noexcept;

  // Says that the names that begin with the section's are a section; once for each.
  void add_section(FileSection section);

  // `about` is a JSON object as text.
  void save(const std::string& path, const std::string& about) const;
  std::string content(const std::string& about) const;  // the bytes that save() would write

  void number(const std::string& name, double value) override;
  void integer(const std::string& name, Index value) override;
  void text(const std::string& name, const std::string& value) override;
  void texts(const std::string& name, const std::vector<std::string>& values) override;
  void array(const std::string& name, ElementType type, const void* data,
             std::size_t count) override;

 private:
  void write(const std::string& about, const std::function<void(std::string_view)>& put) const;

  struct State;
  std::unique_ptr<State> state_;
};

class ModelFileReader final : public ArchiveSource {
 public:
  // Throws Error (io, model_file) if the file cannot be read or its header is damaged.
  explicit ModelFileReader(const std::string& path, std::span<const std::string> known = {});
  // Of the bytes of a file instead.
  static ModelFileReader of_content(std::string content, std::span<const std::string> known = {});
  ModelFileReader(ModelFileReader&&) noexcept;
  ~ModelFileReader() override;

  const std::string& path() const;
  std::string about() const;  // the JSON text given to save()
  std::size_t bytes() const;  // size of the file

  double number(const std::string& name) const override;
  Index integer(const std::string& name) const override;
  std::string text(const std::string& name) const override;
  std::vector<std::string> texts(const std::string& name) const override;
  Bytes array(const std::string& name, ElementType type, const RealRange& reals,
              const WholeRange& wholes) const override;
  bool has(const std::string& name) const override;
  Error error(const std::string& name, const std::string& problem) const override;

 private:
  ModelFileReader();

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mulberry::model

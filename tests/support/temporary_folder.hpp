// TemporaryFolder: a separate folder for each test, removed with its contents at the end.
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

namespace mulberry::tests {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (base() / "mulberry-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path() const { return path_.string(); }
  std::string file(std::string_view name) const { return (path_ / name).string(); }

  // Writes a file and returns its path.
  std::string put(std::string_view name, std::string_view content) const {
    std::ofstream(file(name), std::ios::binary) << content;
    return file(name);
  }
  std::string content(std::string_view name) const {
    std::ifstream in(file(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::ptrdiff_t files() const {
    namespace fs = std::filesystem;
    return std::distance(fs::directory_iterator(path_), fs::directory_iterator());
  }

 private:
  // In memory if possible: our writers wait for the disk after each file.
  static std::filesystem::path base() {
    const bool chosen = ::getenv("TMPDIR") != nullptr;
    return !chosen && ::access("/dev/shm", W_OK) == 0 ? "/dev/shm"
                                                      : std::filesystem::temp_directory_path();
  }

  std::filesystem::path path_;
};

}  // namespace mulberry::tests

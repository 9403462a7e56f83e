#include "cli/files.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "mulberry/core/atomic_file.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/core/text.hpp"
#include "mulberry/data/bytes/byte_sink.hpp"

namespace mulberry::cli {

namespace {

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

}  // namespace

bool is_model_file(const std::string& path) {
  char head[8] = {};
  std::ifstream(path, std::ios::binary).read(head, sizeof head);
  return std::string(head, sizeof head) == "MULBERRY";
}

void require_output(const std::string& path, std::span<const std::string> inputs) {
  std::error_code ignored;
  if (path.empty() || std::filesystem::is_directory(path, ignored)) {
    throw Error(Code::io,
                "expected the name of a file to write, found " +
                    (path.empty() ? std::string("an empty name") : "the folder " + in_quotes(path)),
                "Give a file name");
  }
  require_short_name(path);
  const bool replaces = std::filesystem::is_regular_file(path, ignored);
  for (const std::string& input : inputs) {
    if (replaces && std::filesystem::equivalent(path, input, ignored)) {
      throw Error(Code::usage,
                  "expected an output other than the input, found " + in_quotes(path) + " for both",
                  "Name another file");
    }
  }
  const std::string folder = std::filesystem::path(file_behind(path)).parent_path();
  if (!std::filesystem::is_other(path, ignored) &&
      ::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0) {
    throw Error(Code::io, "cannot write to " + in_quotes(path) + ": " + std::strerror(errno),
                "Check that the folder exists and that you may write there");
  }
}

void write_whole_file(const std::string& path, const std::string& content) {
  ByteSink file(path);
  file.text(content);
  file.commit();
}

std::string csv_row(const std::vector<std::string>& cells) {
  std::string out;
  for (std::size_t k = 0; k < cells.size(); ++k) out += (k > 0 ? "," : "") + csv_cell(cells[k]);
  return out + "\n";
}

}  // namespace mulberry::cli

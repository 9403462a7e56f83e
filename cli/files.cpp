#include "cli/files.hpp"

#include <fstream>

#include "mulberry/core/atomic_file.hpp"

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

void write_whole_file(const std::string& path, const std::string& content) {
  AtomicFile file(path);
  file.write(content);
  file.commit();
}

std::string csv_row(const std::vector<std::string>& cells) {
  std::string out;
  for (std::size_t k = 0; k < cells.size(); ++k) out += (k > 0 ? "," : "") + csv_cell(cells[k]);
  return out + "\n";
}

}  // namespace mulberry::cli

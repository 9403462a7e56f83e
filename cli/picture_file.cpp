#include "cli/picture_file.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "cli/files.hpp"
#include "mulberry/core/error.hpp"
#include "mulberry/core/text.hpp"

extern char** environ;  // NOLINT: of POSIX, declared by no header

namespace mulberry::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* k_converter = "rsvg-convert";

// "svg", "png" or "pdf"; empty for another ending.
std::string kind_of(const std::string& path) {
  std::error_code ignored;
  const std::string ending = lower(fs::path(path).extension().string());
  if (ending.empty() || ending == ".svg" || fs::is_other(path, ignored)) return "svg";
  if (ending == ".png" || ending == ".pdf") return ending.substr(1);
  return {};
}

bool is_installed(const std::string& program) {
  const char* path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  for (const std::string& folder : split(path == nullptr ? "" : path, ':')) {
    if (!folder.empty() && ::access((folder + "/" + program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

// A temporary folder for the two files of a conversion.
class Workshop {
 public:
  Workshop() {
    std::string name = (fs::temp_directory_path() / "mulberry-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw Error(Code::io,
                  "cannot make a folder for a picture in " + fs::temp_directory_path().string(),
                  "Set TMPDIR to a folder where you may write");
    }
    folder_ = name;
  }
  ~Workshop() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;
  std::string file(const char* name) const { return (folder_ / name).string(); }

 private:
  fs::path folder_;
};

int run_program(std::vector<std::string> words) {
  std::vector<char*> list;
  list.reserve(words.size() + 1);
  for (std::string& word : words) list.push_back(word.data());
  list.push_back(nullptr);
  pid_t child = 0;
  if (::posix_spawnp(&child, list[0], nullptr, nullptr, list.data(), environ) != 0) return -1;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

void require_picture(const std::string& path) {
  const std::string kind = kind_of(path);
  if (kind.empty()) {
    throw Error(
        Code::usage,
        "expected a picture whose name ends in .svg, .png or .pdf, found " + in_quotes(path),
        "Change the ending of the name");
  }
  if (kind != "svg" && !is_installed(k_converter)) {
    throw Error(
        Code::usage,
        "expected the program rsvg-convert, which makes " + kind + " files of pictures, found none",
        "Install it (Debian: librsvg2-bin), or give a name that ends in .svg");
  }
}

void write_picture(const std::string& path, const std::string& svg) {
  require_picture(path);
  const std::string kind = kind_of(path);
  if (kind == "svg") {
    write_whole_file(path, svg);
    return;
  }
  const Workshop workshop;
  const std::string from = workshop.file("picture.svg"), to = workshop.file("picture");
  write_whole_file(from, svg);
  std::vector<std::string> words = {k_converter, "--format", kind, "--output", to};
  if (kind == "png") words.insert(words.end(), {"--zoom", "2"});  // sharp on today's screens
  words.push_back(from);
  const int code = run_program(std::move(words));
  std::ifstream made(to, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(made), {}};
  if (code != 0 || content.empty()) {
    throw Error(Code::io, "rsvg-convert could not make " + in_quotes(path),
                "Give a name that ends in .svg and convert that file");
  }
  write_whole_file(path, content);
}

Option picture_option(const std::string& help, const std::string& name) {
  return {.name = name, .value = "FILE.svg", .help = help + " (or .png, .pdf)"};
}

}  // namespace mulberry::cli

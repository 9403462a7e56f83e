#include "mulberry/core/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "mulberry/core/error.hpp"
#include "mulberry/core/index.hpp"
#include "mulberry/core/text.hpp"

namespace mulberry::core {
namespace {

constexpr std::size_t k_buffer = 1 << 18;

std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

// A name that no other process or thread uses at the same time.
std::string temporary_name(const std::string& target) {
  static std::atomic<unsigned> count{0};
  return target + ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(count++);
}

std::string open_file(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

// A file in the folder of the target that has no name yet; -1 if the file system cannot do that.
int open_nameless(const std::string& target) {
  const int file = ::open(folder_of(target).c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
  if (file < 0 || ::access(open_file(file).c_str(), F_OK) == 0) return file;
  ::close(file);  // without /proc it could never get its name
  return -1;
}

}  // namespace

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)), target_(path_) {
  struct stat found = {};
  const bool exists = ::stat(target_.c_str(), &found) == 0;
  // A link is kept and its target replaced; the target of /dev/stdout has no name.
  std::error_code ignored;
  if ((!exists || S_ISREG(found.st_mode)) && std::filesystem::is_symlink(target_, ignored)) {
    target_ = std::filesystem::weakly_canonical(target_, ignored).string();
  }
  if (path_.empty() || (exists && S_ISDIR(found.st_mode))) {
    throw Error(
        Code::io,
        "expected the name of a file to write, found " +
            (path_.empty() ? std::string("an empty name") : "the folder " + core::quoted(path_)),
        "Give a file name");
  }
  if (exists && !S_ISREG(found.st_mode)) {
    descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    if (exists && ::access(target_.c_str(), W_OK) != 0) fail("write to");
    descriptor_ = open_nameless(target_);
    nameless_ = descriptor_ >= 0;
    if (!nameless_) {
      temporary_ = temporary_name(target_);
      descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
  }
  if (descriptor_ < 0) {
    temporary_.clear();
    fail("write to");
  }
  // Best effort: on file systems without modes the replaced file has the default one.
  const bool replaces = exists && (nameless_ || !temporary_.empty());
  if (replaces && ::fchmod(descriptor_, found.st_mode & 07777) != 0) errno = 0;
  buffer_.reserve(k_buffer);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::fail(std::string_view action) const {
  const int reason = errno;
  throw Error(
      Code::io,
      "cannot " + std::string(action) + " " + core::quoted(path_) + ": " + std::strerror(reason),
      reason == ENOSPC ? "Free some space, or write to another disk"
                       : "Check that the folder exists and that you may write there");
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  MULBERRY_ASSERT(descriptor_ >= 0);
  if (buffer_.size() + bytes.size() > k_buffer) {
    flush(buffer_);
    buffer_.clear();
  }
  if (bytes.size() >= k_buffer) {
    flush(bytes);
  } else {
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  }
}

void AtomicFile::flush(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write to");
    bytes = bytes.subspan(at(written));
  }
}

void AtomicFile::commit() {
  MULBERRY_ASSERT(descriptor_ >= 0);
  flush(buffer_);
  buffer_.clear();
  const bool beside = nameless_ || !temporary_.empty();
  if (beside && ::fsync(descriptor_) != 0) fail("write to");
  if (nameless_) {
    const std::string name = temporary_name(target_);
    if (::linkat(AT_FDCWD, open_file(descriptor_).c_str(), AT_FDCWD, name.c_str(),
                 AT_SYMLINK_FOLLOW) != 0)
      fail("write to");
    temporary_ = name;
  }
  const int descriptor = std::exchange(descriptor_, -1);
  if (::close(descriptor) != 0) fail("write to");
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("replace");
  temporary_.clear();
  // The new name must also survive a crash; a folder that cannot be synced is no error.
  const int folder = ::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    ::fsync(folder);
    ::close(folder);
  }
}

}  // namespace mulberry::core

#include "mulberry/core/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>
#include <mutex>
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

// A name that no other process or thread uses at the same time. It does not contain the name of the
// target, which may be as long as names can be.
std::string temporary_name(const std::string& target) {
  static std::atomic<unsigned> count{0};
  const std::string folder = folder_of(target);
  return (folder == "." ? "" : folder) + ".mulberry-" + std::to_string(::getpid()) + "-" +
         std::to_string(count++) + ".tmp";
}

// Temporary names of this process. Whoever gives a file its last name holds the lock meanwhile.
std::mutex names_lock;
std::vector<std::string>& unfinished() {
  static std::vector<std::string> names;
  return names;
}

void forget(const std::string& name) {
  const auto found = std::find(unfinished().begin(), unfinished().end(), name);
  if (found != unfinished().end()) unfinished().erase(found);
}

std::string open_file(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

// A file in the folder of the target that has no name yet; -1 if the file system cannot do that.
int open_nameless(const std::string& target) {
  const int file = ::open(folder_of(target).c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
  if (file < 0 || ::access(open_file(file).c_str(), F_OK) == 0) return file;
  ::close(file);  // without /proc it could never get its name
  return -1;
}

// A file that standard output was redirected to must not be replaced: the shell holds it open.
bool is_standard_output(const std::string& path) {
  return path == "-" || path == "/dev/stdout" || path == "/dev/fd/1" || path == "/proc/self/fd/1";
}

}  // namespace

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)), target_(path_) {
  buffer_.reserve(k_buffer);
  if (is_standard_output(path_)) {
    descriptor_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    if (descriptor_ < 0) fail("write to");
    return;
  }
  struct stat found = {};
  const bool exists = ::stat(target_.c_str(), &found) == 0;
  // A link is kept and its target replaced; the target of /dev/stdout has no name.
  if (!exists || S_ISREG(found.st_mode)) target_ = file_behind(target_);
  if (path_.empty() || (exists && S_ISDIR(found.st_mode))) {
    throw Error(
        Code::io,
        "expected the name of a file to write, found " +
            (path_.empty() ? std::string("an empty name") : "the folder " + in_quotes(path_)),
        "Give a file name");
  }
  if (exists && !S_ISREG(found.st_mode)) {
    descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    if (exists && ::access(target_.c_str(), W_OK) != 0) fail("write to");
    descriptor_ = open_nameless(target_);
    nameless_ = descriptor_ >= 0;
    if (!nameless_) {
      const std::string name = temporary_name(target_);
      const std::lock_guard lock(names_lock);
      unfinished().reserve(unfinished().size() + 1);  // nothing may fail after the file exists
      descriptor_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (descriptor_ >= 0) unfinished().push_back(temporary_ = name);
    }
  }
  if (descriptor_ < 0) fail("write to");
  // Best effort: on file systems without modes the replaced file has the default one.
  const bool replaces = exists && (nameless_ || !temporary_.empty());
  if (replaces && ::fchmod(descriptor_, found.st_mode & 07777) != 0) errno = 0;
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      nameless_(other.nameless_),
      buffer_(std::move(other.buffer_)),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (temporary_.empty()) return;
  ::unlink(temporary_.c_str());
  const std::lock_guard lock(names_lock);
  forget(temporary_);
}

void AtomicFile::fail(std::string_view action) const {
  const int reason = errno;
  throw Error(
      Code::io,
      "cannot " + std::string(action) + " " + in_quotes(path_) + ": " + std::strerror(reason),
      reason == ENOSPC || reason == EDQUOT ? "Free some space, or write to another disk"
      : reason == EFBIG                    ? "Raise the limit on the size of files (ulimit -f)"
      : reason == ENAMETOOLONG             ? "Choose a shorter name"
      : reason == EMFILE                   ? "Raise the limit on open files (ulimit -n)"
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

void AtomicFile::prepare(Sync sync) {
  MULBERRY_ASSERT(descriptor_ >= 0);
  flush(buffer_);
  buffer_ = {};
  const bool beside = nameless_ || !temporary_.empty();
  if (sync == Sync::disk && beside && ::fsync(descriptor_) != 0) fail("write to");
  if (nameless_) {
    const std::string name = temporary_name(target_);
    const std::lock_guard lock(names_lock);
    unfinished().reserve(unfinished().size() + 1);
    if (::linkat(AT_FDCWD, open_file(descriptor_).c_str(), AT_FDCWD, name.c_str(),
                 AT_SYMLINK_FOLLOW) != 0)
      fail("write to");
    unfinished().push_back(temporary_ = name);
  }
  const int descriptor = std::exchange(descriptor_, -1);
  if (::close(descriptor) != 0) fail("write to");
}

// With names_lock held.
void AtomicFile::rename() {
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("replace");
  forget(temporary_);
  temporary_.clear();
}

namespace {

// New names must also survive a crash; a folder that cannot be synced is no error.
void sync_folder(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

void AtomicFile::commit(Sync sync) {
  if (sync == Sync::later && nameless_) {
    // Straight to its name if there is none yet, so that not even a killed process leaves another.
    flush(buffer_);
    buffer_ = {};
    if (::linkat(AT_FDCWD, open_file(descriptor_).c_str(), AT_FDCWD, target_.c_str(),
                 AT_SYMLINK_FOLLOW) == 0) {
      if (::close(std::exchange(descriptor_, -1)) != 0) fail("write to");
      return;
    }
  }
  prepare(sync);
  const bool beside = !temporary_.empty();
  {
    const std::lock_guard lock(names_lock);
    rename();
  }
  if (beside && sync == Sync::disk) sync_folder(folder_of(target_));
}

// A file that has no name yet is an open one: of many, only the first wait like that.
void AtomicGroup::add(AtomicFile file) {
  constexpr std::size_t k_most_open = 200;
  files_.push_back(std::move(file));
  if (files_.size() > k_most_open) files_.back().prepare();
}

void AtomicGroup::commit() {
  for (AtomicFile& file : files_) {
    if (file.descriptor_ >= 0) file.prepare();
  }
  std::vector<std::string> folders;
  {
    const std::lock_guard lock(names_lock);
    for (std::size_t k = 0; k < files_.size(); ++k) {
      try {
        files_[k].rename();
      } catch (const Error& error) {
        if (k == 0) throw;
        throw error.and_then("; the " + std::to_string(k) + " files before it, from " +
                             in_quotes(files_[0].path()) + " to " +
                             in_quotes(files_[k - 1].path()) + ", are written");
      }
      folders.push_back(folder_of(files_[k].target_));
    }
  }
  std::sort(folders.begin(), folders.end());
  folders.erase(std::unique(folders.begin(), folders.end()), folders.end());
  for (const std::string& folder : folders) sync_folder(folder);
  files_.clear();
}

std::string file_behind(const std::string& path) {
  namespace fs = std::filesystem;
  constexpr int k_most_links = 40;  // as Linux allows
  fs::path out = path;
  std::error_code failed;
  for (int k = 0; k < k_most_links && fs::is_symlink(out, failed); ++k) {
    const fs::path next = fs::read_symlink(out, failed);
    if (failed) break;
    out = out.parent_path() / next;  // an absolute one replaces it
  }
  if (fs::is_symlink(out, failed)) {
    throw Error(Code::io, "cannot write to " + in_quotes(path) + ": its links lead in a circle",
                "Name a file, or correct the links");
  }
  return out.string();
}

void require_short_name(const std::string& path) {
  const std::string target = file_behind(path);
  const auto name = target.size() - (target.rfind('/') + 1);
  const long known = ::pathconf(folder_of(target).c_str(), _PC_NAME_MAX);
  const auto most = known > 0 ? at(known) : std::size_t{NAME_MAX};
  if (name > most) {
    throw Error(Code::io,
                "expected a file name of at most " + std::to_string(most) + " bytes, found " +
                    std::to_string(name) + " in " + in_quotes(path),
                "Choose a shorter name");
  }
}

void discard_unfinished_files() {
  names_lock.lock();  // for good: nothing appears after this
  for (const std::string& name : unfinished()) ::unlink(name.c_str());
}

}  // namespace mulberry::core

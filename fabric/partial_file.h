// SPDX-License-Identifier: Apache-2.0
// Writing a file that a person may look at: it is there whole or not at all.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

#include "fabric/error.h"

namespace polyloom::fabric {

/// Bytes go to a new hidden file beside `path`, of a name that was free, and commit() puts it in place; the
/// destructor removes what was not committed. A pipe or a device is written as it stands, and a link stays
/// one. Every failure is a UserError with the file and the cause. Not thread safe.
class PartialFile {
 public:
  explicit PartialFile(const std::string& path) : shown_(path), path_(path) {
    std::error_code none;
    for (int links = 0; !std::filesystem::exists(path_, none); ++links) {
      const auto link = std::filesystem::read_symlink(path_, none);
      if (none) break;  // it is yet to be made
      if (links == 40) fail(ELOOP);
      path_ = (std::filesystem::path(path_).parent_path() / link).string();
    }
    // A pipe that is open already, as /dev/stdout, has no other name.
    if (const auto target = std::filesystem::canonical(path_, none); !none) path_ = target.string();
    struct stat facts {};
    const bool there = ::stat(path_.c_str(), &facts) == 0;
    in_place_ = there && !S_ISREG(facts.st_mode);
    if (in_place_) {
      fd_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    } else {
      const std::filesystem::path whole(path_);
      // A name may have 255 bytes, and this one is longer than the file's.
      const std::string stem =
          (whole.parent_path() / ("." + whole.filename().string().substr(0, 200))).string();
      for (int number = 0; fd_ < 0 && (number == 0 || errno == EEXIST); ++number) {
        partial_ = stem + ".partial-" + std::to_string(::getpid()) + "-" + std::to_string(number);
        fd_ = ::open(partial_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      }
    }
    if (fd_ < 0) {
      partial_.clear();
      fail(errno);
    }
    if (there && !in_place_) {
      [[maybe_unused]] const int same = ::fchmod(fd_, facts.st_mode & 07777);
    }
  }
  ~PartialFile() { discard(); }
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
      if (n >= 0) {
        bytes.remove_prefix(static_cast<std::size_t>(n));
      } else if (errno != EINTR) {
        fail(errno);
      }
    }
  }

  /// A descriptor of the same file for a caller that writes by other means and closes it.
  int duplicate() const {
    const int fd = ::fcntl(fd_, F_DUPFD_CLOEXEC, 0);
    if (fd < 0) fail(errno);
    return fd;
  }

  /// What was written goes, unless it was committed.
  void discard() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
    if (!partial_.empty()) ::unlink(partial_.c_str());
    partial_.clear();
  }

  /// The file is on the disk under its name.
  void commit() {
    // Some file systems tell only now that the disk is full.
    if (!in_place_ && ::fsync(fd_) != 0 && errno != EINVAL && errno != EROFS) fail(errno);
    const int fd = fd_;
    fd_ = -1;
    if (::close(fd) != 0 && errno != EINTR) fail(errno);
    if (!in_place_ && ::rename(partial_.c_str(), path_.c_str()) != 0) fail(errno);
    partial_.clear();
  }

 private:
  [[noreturn]] void fail(int error) const {
    throw UserError("cannot write " + shown_ + ": " + std::strerror(error));
  }

  std::string shown_, path_, partial_;
  bool in_place_ = false;
  int fd_ = -1;
};

/// A file with this text, whole or not at all.
inline void write_whole(const std::string& path, std::string_view text) {
  PartialFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace polyloom::fabric

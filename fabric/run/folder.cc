// SPDX-License-Identifier: Apache-2.0
#include "fabric/run/folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "fabric/error.h"

namespace polyloom::fabric {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kFirstLine =
    "polyloom record 1: files below are polyloom's, which replaces and removes them\n";

[[noreturn]] void refuse(const std::string& folder, const std::string& why) {
  throw UserError("run record \"" + folder + "\": " + why);
}

// A manifest that was tampered with must not reach outside of its folder.
bool stays_inside(const std::string& name) {
  const fs::path path(name);
  if (name.empty() || path.is_absolute()) return false;
  for (const fs::path& part : path) {
    if (part == "..") return false;
  }
  return true;
}

// Of a manifest's text; false if it is none. An empty one is that of a run that has just begun.
bool parse(const std::string& text, std::set<std::string>& names) {
  if (text.empty()) return true;
  if (!text.starts_with(kFirstLine)) return false;
  std::istringstream lines(text.substr(kFirstLine.size()));
  for (std::string line; std::getline(lines, line);) {
    if (stays_inside(line)) names.insert(line);
  }
  return true;
}

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

// ".NAME.partial-..." of a file that the manifest names: PartialFile's, of a run that was killed.
bool is_partial_of(const std::string& name, const std::set<std::string>& names) {
  const fs::path path(name);
  const std::string file = path.filename().string();
  const std::size_t end = file.rfind(".partial-");
  if (file[0] != '.' || end == std::string::npos) return false;
  return names.contains((path.parent_path() / file.substr(1, end - 1)).string());
}

// The first entry below `folder` that is not ours, relative to `root`; "" if all are.
std::string foreign(const fs::path& root, const fs::path& folder, const std::set<std::string>& names) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().lexically_relative(root).string();
    const bool is_folder = entry.is_directory() && !entry.is_symlink();
    if (name == RunFolder::kManifest || names.contains(name) || is_partial_of(name, names)) {
      if (!is_folder) continue;
    } else if (is_folder && names.contains(name + "/")) {  // a record in the record, or files on their way
      if (name == RunFolder::kPartial) continue;
      std::set<std::string> inner;
      if (!parse(text_of(entry.path() / RunFolder::kManifest), inner)) return name;
      if (const std::string found = foreign(entry.path(), entry.path(), inner); !found.empty())
        return name + "/" + found;
      continue;
    } else if (is_folder) {
      const auto below = names.lower_bound(name + "/");
      if (below != names.end() && below->starts_with(name + "/")) {
        if (const std::string found = foreign(root, entry.path(), names); !found.empty()) return found;
        continue;
      }
    }
    return name;
  }
  return {};
}

void check_all(const std::string& folder, const std::set<std::string>& names) {
  const std::string found = foreign(folder, folder, names);
  if (found.empty()) return;
  refuse(folder,
         "\"" + found +
             "\" in it is not a file of a run record of polyloom; nothing was changed; give a new or an "
             "empty folder, or move it away");
}

// By a folder that is a link somebody else's files would be reached.
void remove_named(const fs::path& root, const std::string& name) {
  std::error_code ignored;
  for (fs::path folder = fs::path(name).parent_path(); !folder.empty(); folder = folder.parent_path()) {
    if (fs::is_symlink(root / folder, ignored)) return;
  }
  if (!name.ends_with("/")) {
    if (!fs::is_directory(fs::symlink_status(root / name, ignored))) fs::remove(root / name, ignored);
  } else if (const fs::path inner = root / name.substr(0, name.size() - 1); !fs::is_symlink(inner, ignored)) {
    std::set<std::string> names;
    if (!parse(text_of(inner / RunFolder::kManifest), names)) return;
    for (const std::string& file : names) remove_named(inner, file);
    if (fs::exists(inner / RunFolder::kManifest, ignored)) fs::remove(inner / RunFolder::kManifest, ignored);
    fs::remove(inner, ignored);  // only if it is empty now
  }
  for (fs::path folder = fs::path(name).parent_path(); !folder.empty(); folder = folder.parent_path()) {
    if (!fs::remove(root / folder, ignored)) break;
  }
}

bool is_held(const std::string& folder) {
  const char* held = std::getenv("POLYLOOM_RUN_HELD");
  std::error_code ignored;
  return held != nullptr && *held != '\0' && fs::equivalent(held, folder, ignored);
}

std::string without_slash(std::string folder) {
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  if (folder.empty()) throw UserError("run record: the folder's name is empty");
  return folder;
}

}  // namespace

void RunFolder::check(const std::string& name, Use use) {
  const std::string folder = without_slash(name);
  std::error_code error;
  if (!fs::exists(fs::symlink_status(folder, error))) return;
  if (!fs::is_directory(folder, error)) refuse(folder, "this exists and is not a folder; give another name");
  std::set<std::string> names;
  if (!parse(text_of(fs::path(folder) / kManifest), names))
    refuse(folder, std::string("its ") + kManifest + " is not polyloom's; give a new or an empty folder");
  try {
    if (use == Use::replace || names.empty()) check_all(folder, names);
  } catch (const fs::filesystem_error& failure) {
    refuse(folder, "cannot be read: " + failure.code().message());
  }
}

RunFolder::RunFolder(std::string folder, Use use) : folder_(without_slash(std::move(folder))) {
  held_ = is_held(folder_);
  if (!held_) check(folder_, use);
  std::error_code error;
  fs::create_directories(fs::absolute(folder_, error).parent_path(), error);
  made_ = ::mkdir(folder_.c_str(), 0777) == 0;
  if (!made_ && errno != EEXIST) refuse(folder_, std::string("cannot be made: ") + std::strerror(errno));
  open_manifest();
  try {
    if (!held_) check(folder_, use);  // again, now that nobody else writes
    read_manifest();
  } catch (...) {
    release();
    throw;
  }
}

RunFolder::~RunFolder() { release(); }

void RunFolder::open_manifest() {
  const std::string path = folder_ + "/" + kManifest;
  for (;;) {
    fd_ = ::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd_ < 0) refuse(folder_, std::string("cannot be written: ") + std::strerror(errno));
    if (held_) return;
    lock();
    struct stat here {
    }, there{};
    if (::fstat(fd_, &here) == 0 && ::stat(path.c_str(), &there) == 0 && here.st_ino == there.st_ino) return;
    ::close(fd_);  // its last holder has just removed it
    ::mkdir(folder_.c_str(), 0777);
  }
}

void RunFolder::lock() {
  if (::flock(fd_, LOCK_EX | LOCK_NB) == 0) return;
  const int error = errno;
  ::close(fd_);
  fd_ = -1;
  if (error == EWOULDBLOCK)
    refuse(folder_, "another run is using this folder; wait for its end or give another folder");
  refuse(folder_, std::string("cannot be locked: ") + std::strerror(error));
}

void RunFolder::read_manifest() {
  if (!parse(text_of(fs::path(folder_) / kManifest), earlier_))
    refuse(folder_, std::string("its ") + kManifest + " is not polyloom's; give a new or an empty folder");
  if (struct stat facts{}; ::fstat(fd_, &facts) == 0 && facts.st_size == 0) append(std::string(kFirstLine));
}

void RunFolder::append(const std::string& line) {
  if (::write(fd_, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    refuse(folder_, std::string("cannot write its list of files: ") + std::strerror(errno));
}

std::string RunFolder::claim(const std::string& name) {
  const std::string path = folder_ + "/" + name;
  std::error_code error;
  if (!claimed_.contains(name)) {
    std::set<std::string> names;  // the launcher may have added some
    parse(text_of(fs::path(folder_) / kManifest), names);
    if (!names.contains(name)) {
      const std::string plain = name.ends_with("/") ? path.substr(0, path.size() - 1) : path;
      if (fs::exists(fs::symlink_status(plain, error)))
        refuse(folder_,
               "\"" + name + "\" in it is not a file of polyloom's, which would overwrite it; move it away");
      append(name + "\n");
    }
    claimed_.insert(name);
  }
  return path;
}

void RunFolder::remove_earlier() {
  if (held_) return;
  for (const std::string& name : earlier_) {
    if (!claimed_.contains(name)) remove_named(folder_, name);
  }
  std::string text(kFirstLine);
  for (const std::string& name : claimed_) text += name + "\n";
  if (::ftruncate(fd_, 0) == 0) append(text);
  earlier_.clear();
}

void RunFolder::remove_partial() {
  std::error_code ignored;
  const fs::path folder = fs::path(folder_) / kPartial;
  const std::string name = std::string(kPartial) + "/";
  if (earlier_.contains(name) || claimed_.contains(name)) fs::remove_all(folder, ignored);
}

void RunFolder::release() {
  if (fd_ < 0) return;
  std::error_code ignored;
  if (!held_) {  // nothing of ours in it: it is as it was
    bool empty = true;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_, ignored))
      empty &= entry.path().filename() == kManifest;
    if (empty) fs::remove(fs::path(folder_) / kManifest, ignored);
    if (empty && made_) fs::remove(folder_, ignored);
  }
  ::close(fd_);
  fd_ = -1;
}

}  // namespace polyloom::fabric

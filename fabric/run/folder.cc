// SPDX-License-Identifier: Apache-2.0
#include "fabric/run/folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "fabric/error.h"

namespace polyloom::fabric {
namespace fs = std::filesystem;
namespace {

using Names = RunFolder::Names;

const std::string kPartialName = std::string(RunFolder::kPartial) + "/";
const std::string kPreviousName = std::string(RunFolder::kPrevious) + "/";

[[noreturn]] void refuse(const fs::path& folder, const std::string& why) {
  throw UserError("run record \"" + folder.string() + "\": " + why);
}

// What the file system refuses is told as `what` of the folder, with the cause.
template <typename Work>
auto reporting(const fs::path& folder, const std::string& what, Work work) {
  try {
    return work();
  } catch (const fs::filesystem_error& failure) {
    refuse(folder, what + ": " + failure.code().message());
  }
}

// A manifest that was tampered with must not reach outside of its folder.
bool stays_inside(const std::string& name) {
  const fs::path path(name);
  return !name.empty() && !path.is_absolute() && std::find(path.begin(), path.end(), "..") == path.end();
}

fs::path without_slash(std::string name) {
  while (name.size() > 1 && name.ends_with('/')) name.pop_back();
  return name;
}

// The folders between a record and a file of this name in it, innermost first.
std::vector<fs::path> folders_of(const std::string& name) {
  std::vector<fs::path> folders;
  for (fs::path folder = without_slash(name).parent_path(); !folder.empty(); folder = folder.parent_path())
    folders.push_back(folder);
  return folders;
}

// run.json goes first: a folder with one is whole.
std::vector<std::string> in_order(const Names& names) {
  std::vector<std::string> sorted(names.begin(), names.end());
  std::stable_partition(sorted.begin(), sorted.end(), [](const auto& name) { return name == "run.json"; });
  return sorted;
}

bool is_there(const fs::path& path) {
  std::error_code none;
  return fs::exists(fs::symlink_status(path, none));
}

bool is_link(const fs::path& path) {
  std::error_code none;
  return fs::is_symlink(path, none);
}

bool is_folder(const fs::path& path) {
  std::error_code none;
  return fs::is_directory(fs::symlink_status(path, none));
}

// By a folder that is a link files of others would be reached: such a name is left alone.
bool leads_outside(const fs::path& root, const std::string& name) {
  if (name.ends_with('/') && is_link(root / without_slash(name))) return true;
  const std::vector<fs::path> folders = folders_of(name);
  return std::any_of(folders.begin(), folders.end(),
                     [&](const auto& folder) { return is_link(root / folder); });
}

// ".NAME.partial-..." of a file that the manifest names: PartialFile's, of a run that was killed.
bool is_partial_of(const fs::path& name, const Names& names) {
  const std::string file = name.filename().string();
  const std::size_t end = file.rfind(".partial-");
  if (!file.starts_with('.') || end == std::string::npos || end == 0) return false;
  return names.contains((name.parent_path() / file.substr(1, end - 1)).string());
}

// The first entry below `folder` that is not ours, relative to `root`; "" if all are.
std::string foreign(const fs::path& root, const fs::path& folder, const Names& names) {
  std::set<fs::path> entries;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) entries.insert(entry.path());
  for (const fs::path& entry : entries) {
    const std::string name = entry.lexically_relative(root).string();
    std::string found;
    if (!is_folder(entry)) {
      if (name != RunFolder::kManifest && !names.contains(name) && !is_partial_of(name, names)) return name;
    } else if (name + "/" == kPartialName && names.contains(kPartialName)) {
      continue;
    } else if (names.contains(name + "/")) {  // a record in the record
      found = foreign(entry, entry, RunFolder::names_of(entry));
      if (!found.empty()) return name + "/" + found;
    } else {
      const auto below = names.lower_bound(name + "/");
      if (below == names.end() || !below->starts_with(name + "/")) return name;
      found = foreign(root, entry, names);
      if (!found.empty()) return found;
    }
  }
  return {};
}

void remove_partial_of(const fs::path& folder, const Names& names) {
  std::error_code ignored;
  if (names.contains(kPartialName) && is_folder(folder / RunFolder::kPartial))
    fs::remove_all(folder / RunFolder::kPartial, ignored);
}

void remove_unfinished(const fs::path& folder, const Names& names) {
  std::error_code ignored;
  std::vector<fs::path> unfinished;
  for (fs::recursive_directory_iterator entry(folder, ignored), end; entry != end; entry.increment(ignored)) {
    if (!is_folder(entry->path()) && is_partial_of(entry->path().lexically_relative(folder), names))
      unfinished.push_back(entry->path());
  }
  for (const fs::path& file : unfinished) fs::remove(file, ignored);
}

void remove_empty(const fs::path& root, const std::string& name) {
  std::error_code ignored;
  for (const fs::path& folder : folders_of(name)) {
    if (!fs::remove(root / folder, ignored)) return;
  }
}

void remove_record(const fs::path& folder);

// Removes what the manifest names as far as it can be removed; the manifest itself stays.
void remove_files(const fs::path& folder, const Names& names) {
  std::error_code ignored;
  remove_partial_of(folder, names);
  remove_unfinished(folder, names);
  for (const std::string& name : in_order(names)) {
    if (name == kPartialName || leads_outside(folder, name)) continue;
    if (name.ends_with('/')) {
      remove_record(folder / without_slash(name));
    } else if (!is_folder(folder / name)) {
      fs::remove(folder / name, ignored);
    }
    remove_empty(folder, name);
  }
}

void remove_record(const fs::path& folder) {
  if (!is_folder(folder)) return;
  try {
    remove_files(folder, RunFolder::names_of(folder));
  } catch (const UserError&) {
    return;  // its manifest is none of ours
  }
  std::error_code ignored;
  if (is_there(folder / RunFolder::kManifest)) fs::remove(folder / RunFolder::kManifest, ignored);
  fs::remove(folder, ignored);  // only if it is empty now
}

// Moves what lies there of these names and removes folders that are empty then.
void move_files(const fs::path& source, const fs::path& target, const Names& names) {
  for (const std::string& name : in_order(names)) {
    const fs::path file = without_slash(name);
    if (leads_outside(source, name) || !is_there(source / file)) continue;
    fs::create_directories((target / file).parent_path());
    fs::rename(source / file, target / file);
    remove_empty(source, name);
  }
}

[[noreturn]] void refuse_manifest(const fs::path& folder, int error) {
  refuse(folder, std::string("cannot write its list of files: ") + std::strerror(error));
}

bool write_text(int fd, const std::string& text) {
  return ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

// The new names are written over the old ones before the rest is cut off: who is killed in between leaves
// more names than there are files, never less.
void write_manifest(const fs::path& folder, const Names& names) {
  std::string text = RunFolder::kFirstLine;
  for (const std::string& name : names) text += name + "\n";
  const fs::path file = folder / RunFolder::kManifest;
  const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  const bool written =
      fd >= 0 && write_text(fd, text) && ::ftruncate(fd, static_cast<off_t>(text.size())) == 0;
  const int error = errno;
  if (fd >= 0) ::close(fd);
  if (!written) refuse_manifest(folder, error);
}

bool is_held(const std::string& folder) {
  const char* held = std::getenv(RunFolder::kHeld);
  std::error_code ignored;
  return held != nullptr && *held != '\0' && fs::equivalent(held, folder, ignored);
}

}  // namespace

RunFolder::Names RunFolder::names_of(const fs::path& folder) {
  std::ifstream in(folder / kManifest, std::ios::binary);
  if (!in && errno == ENOENT) return {};
  std::ostringstream out;
  if (in) out << in.rdbuf();
  if (!in || out.bad())
    refuse(folder, std::string("its ") + kManifest + " cannot be read: " + std::strerror(errno));
  const std::string text = out.str();
  if (!text.empty() && !text.starts_with(kFirstLine))
    refuse(folder, std::string("its ") + kManifest + " is not polyloom's; give a new or an empty folder");
  Names names;  // none in an empty one, of a run that has just begun
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    if (stays_inside(line)) names.insert(line);
  }
  return names;
}

void RunFolder::check(const std::string& name, Use use) {
  const fs::path folder = without_slash(name);
  if (!is_there(folder)) return;
  std::error_code error;
  if (!fs::is_directory(folder, error)) refuse(folder, "this exists and is not a folder; give another name");
  const Names names = names_of(folder);
  if (use == Use::add && !names.empty()) return;
  const std::string found =
      reporting(folder, "cannot be read", [&] { return foreign(folder, folder, names); });
  if (found.empty()) return;
  refuse(folder,
         "\"" + found +
             "\" in it is not a file of a run record of polyloom; nothing was changed; give a new or an "
             "empty folder, or move it away");
}

RunFolder::RunFolder(std::string folder, Use use, std::vector<fs::path> made)
    : folder_(without_slash(std::move(folder)).string()), made_(std::move(made)), held_(is_held(folder_)) {
  if (folder_.empty()) throw UserError("run record: the folder's name is empty");
  if (!held_) check(folder_, use);
  open_manifest();
  try {
    if (!held_) {
      check(folder_, use);  // again, now that no other run writes
      if (use == Use::replace) reporting(folder_, "cannot be written", [&] { set_aside(); });
    }
    if (struct stat facts{}; ::fstat(fd_, &facts) == 0 && facts.st_size == 0) append(kFirstLine);
  } catch (...) {
    release();
    throw;
  }
}

RunFolder::~RunFolder() { release(); }

void RunFolder::make() {
  const fs::path folder = fs::absolute(folder_);
  if (fs::is_directory(folder)) return;
  std::vector<fs::path> missing;
  for (fs::path each = folder; !fs::exists(each); each = each.parent_path()) missing.push_back(each);
  made_.insert(made_.begin(), missing.begin(), missing.end());
  fs::create_directories(folder);
}

void RunFolder::open_manifest() {
  const std::string path = folder_ + "/" + kManifest;
  for (;;) {
    reporting(folder_, "cannot be written", [&] { make(); });
    fd_ = ::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd_ < 0) refuse(folder_, std::string("cannot be written: ") + std::strerror(errno));
    if (held_) return;
    lock();
    struct stat here {
    }, there{};
    if (::fstat(fd_, &here) == 0 && ::stat(path.c_str(), &there) == 0 && here.st_ino == there.st_ino) return;
    ::close(fd_);  // its last holder has just removed it
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

void RunFolder::append(const std::string& line) {
  if (!write_text(fd_, line)) refuse_manifest(folder_, errno);
}

// At each moment the manifests name all that lies there, should we be killed.
void RunFolder::set_aside() {
  const fs::path folder = folder_, previous = folder / kPrevious;
  Names names = names_of(folder);
  remove_partial_of(folder, names);
  remove_record(previous);
  names.erase(kPartialName);
  names.erase(kPreviousName);
  remove_unfinished(folder, names);
  if (std::any_of(names.begin(), names.end(), [&](const auto& name) { return is_there(folder / name); })) {
    append(kPreviousName + "\n");
    fs::create_directory(previous);
    write_manifest(previous, names);
    try {
      move_files(folder, previous, names);
      write_manifest(folder, {kPreviousName});
    } catch (...) {
      restore();
      throw;
    }
  } else {
    write_manifest(folder, {});
  }
}

void RunFolder::restore() {
  const fs::path folder = folder_, previous = folder / kPrevious;
  restoring_ = true;
  Names names = names_of(previous);
  names.insert(kPreviousName);
  write_manifest(folder, names);
  names.erase(kPreviousName);
  move_files(previous, folder, names);
  remove_record(previous);
  write_manifest(folder, names);
  restoring_ = false;
}

bool RunFolder::has_begun() const {
  const Names names = names_of(folder_);
  return std::any_of(names.begin(), names.end(),
                     [](const auto& name) { return !name.starts_with(kPreviousName); });
}

void RunFolder::give_up() {
  if (held_) return;
  Names names = names_of(folder_);
  names.erase(kPreviousName);
  remove_files(folder_, names);
  reporting(folder_, "cannot be written", [&] { restore(); });
}

std::string RunFolder::claim(const std::string& name) {
  const fs::path file = fs::path(folder_) / without_slash(name);
  if (!names_of(folder_).contains(name)) {  // the launcher may have added some
    if (is_there(file))
      refuse(folder_,
             "\"" + name + "\" in it is not a file of polyloom's, which would overwrite it; move it away");
    append(name + "\n");
  }
  reporting(folder_, "cannot be written", [&] { fs::create_directories(file.parent_path()); });
  return file.string();
}

void RunFolder::remove_partial() { remove_partial_of(folder_, names_of(folder_)); }

void RunFolder::release() {
  if (fd_ < 0) return;
  const fs::path folder = folder_;
  std::error_code ignored;
  if (!held_) {
    if (!restoring_) remove_record(folder / kPrevious);
    fs::directory_iterator entry(folder, ignored);
    bool empty = !ignored;
    for (; entry != fs::directory_iterator(); entry.increment(ignored))
      empty &= entry->path().filename() == kManifest;
    if (empty) {  // nothing of ours in it: it is as it was
      fs::remove(folder / kManifest, ignored);
      for (const fs::path& made : made_) {
        if (!fs::remove(made, ignored)) break;
      }
    }
  }
  ::close(fd_);
  fd_ = -1;
}

}  // namespace polyloom::fabric

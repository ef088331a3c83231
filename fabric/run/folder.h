// SPDX-License-Identifier: Apache-2.0
// Folders that we write into and replace: which files in them are ours, and who uses them now.
// polyloom/folder.py is the same in Python; both keep the rule of fabric/run/README.md.
#pragma once

#include <set>
#include <string>

namespace polyloom::fabric {

/// A folder of ours, held against every other run until this goes. Ours is a folder with a manifest: a file
/// kManifest that names each file that we wrote. A new or an empty folder becomes ours; one that holds
/// anything that the manifest does not name is refused with a UserError, before anything has changed.
/// If the launcher that started this program holds the folder (POLYLOOM_RUN_HELD), we write beside it.
/// Not thread safe.
class RunFolder {
 public:
  static constexpr const char* kManifest = ".polyloom-record";
  /// Files on their way: named by the manifest while they lie there.
  static constexpr const char* kPartial = ".partial";

  enum class Use {
    replace,  ///< what it holds will go: all of it must be ours
    add,      ///< what it holds stays
  };
  RunFolder(std::string folder, Use use);
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  const std::string& path() const { return folder_; }
  /// Full name of a file that we are about to write; the manifest names it from now on. UserError if a file
  /// of that name is there that is not ours.
  std::string claim(const std::string& name);
  /// Removes the files of the earlier record, but those that were claimed since. A launcher has done so
  /// before.
  void remove_earlier();
  /// Removes what is left of files on their way.
  void remove_partial();
  /// Lets the next one in.
  void release();

  /// As the constructor finds out, but changes nothing: for who wants to know it before the work.
  static void check(const std::string& folder, Use use);

 private:
  void open_manifest();
  void lock();
  void read_manifest();
  void append(const std::string& line);

  std::string folder_;
  int fd_ = -1;
  bool held_ = false;  ///< by the launcher
  bool made_ = false;  ///< the folder is new
  std::set<std::string> earlier_, claimed_;
};

}  // namespace polyloom::fabric

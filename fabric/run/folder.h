// SPDX-License-Identifier: Apache-2.0
// Folders that we write into and replace: which files in them are ours, and which run uses them now. The rule
// is in fabric/run/README.md; polyloom/base/folder.py hands this class to Python.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace polyloom::fabric {

/// A folder of ours, held against every other run until this goes. Ours is a folder with a manifest: a file
/// kManifest that names each file that we wrote. A new or an empty folder becomes ours; one that holds
/// anything that the manifest does not name is refused with a UserError, before anything has changed.
/// If the launcher that started this program holds the folder (kHeld), we write beside it.
/// Not thread safe.
class RunFolder {
 public:
  static constexpr const char* kManifest = ".polyloom-record";
  static constexpr const char* kFirstLine =
      "polyloom record 1: files below are polyloom's, which replaces and removes them\n";
  /// Files on their way, in a folder that the manifest names while they lie there.
  static constexpr const char* kPartial = ".partial";
  /// The record that a run replaces: a record in this record until release().
  static constexpr const char* kPrevious = ".previous";
  /// Variable of the environment: the folder that the launcher holds.
  static constexpr const char* kHeld = "POLYLOOM_RUN_HELD";
  /// A name that ends in "/" is that of a record in the record.
  using Names = std::set<std::string>;

  enum class Use {
    replace,  ///< what it holds makes room and goes at the end: all of it must be ours
    add,      ///< what it holds stays
  };
  /// `made`: folders that the caller has just made for it, innermost first; they go again if nothing is
  /// written.
  RunFolder(std::string folder, Use use, std::vector<std::filesystem::path> made = {});
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  const std::string& path() const { return folder_; }
  /// A process that inherits it holds the folder, even if this process is killed.
  int descriptor() const { return fd_; }
  /// Full name of a file that we are about to write; the manifest names it from now on. UserError if a file
  /// of that name is there that is not ours.
  std::string claim(const std::string& name);
  /// Whether anything has been claimed since the earlier record made room.
  bool has_begun() const;
  /// Leaves the folder as it was before: what was written goes, and an earlier record comes back. A folder
  /// that the launcher holds is the launcher's to give up.
  void give_up();
  /// Removes what is left of files on their way.
  void remove_partial();
  /// Lets the next one in.
  void release();

  /// As the constructor finds out, but changes nothing: for callers that must know it before the work.
  static void check(const std::string& folder, Use use);
  /// What a folder's manifest names, nothing without one; UserError if it is none of ours.
  static Names names_of(const std::filesystem::path& folder);

 private:
  void make();
  void open_manifest();
  void lock();
  void append(const std::string& line);
  void set_aside();
  void restore();

  std::string folder_;
  std::vector<std::filesystem::path> made_;  ///< innermost first
  int fd_ = -1;
  bool held_ = false;       ///< by the launcher
  bool restoring_ = false;  ///< the earlier record is on its way back
};

}  // namespace polyloom::fabric

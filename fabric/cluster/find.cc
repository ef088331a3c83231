// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "fabric/cluster/reader.h"
#include "fabric/cluster/suggest.h"
#include "fabric/error.h"
#include "fabric/source_dir.h"

namespace polyloom::fabric {
namespace fs = std::filesystem;
namespace {

std::vector<fs::path> search_folders() {
  std::vector<fs::path> folders;
  if (const char* home = std::getenv("POLYLOOM_HOME"); home && *home)
    folders.push_back(fs::path(home) / "clusters");
  // build/bin/PROGRAM in a checkout, prefix/bin/PROGRAM with prefix/share/polyloom once installed.
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    const fs::path bin = program.parent_path();
    folders.push_back(bin.parent_path() / "share/polyloom/clusters");
    folders.push_back(bin.parent_path().parent_path() / "clusters");
  }
  folders.push_back(fs::path(source_dir()) / "clusters");
  return folders;
}

std::vector<std::string> known_names() {
  std::vector<std::string> names;
  for (const fs::path& folder : search_folders()) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace

std::string find_cluster(const std::string& name) {
  std::error_code error;
  if (fs::is_regular_file(name, error)) return name;
  if (!name.empty() && name.find('/') == std::string::npos) {
    for (const fs::path& folder : search_folders()) {
      for (const char* extension : {"", ".toml", ".json"}) {
        const fs::path path = folder / (name + extension);
        if (fs::is_regular_file(path, error)) return path.string();
      }
    }
  }
  const std::vector<std::string> names = known_names();
  throw UserError("cluster \"" + name + "\": no such file or shipped cluster" + did_you_mean(name, names) +
                  "; allowed: a path, or " +
                  (names.empty() ? "the name of a file in clusters/" : joined(names)));
}

}  // namespace polyloom::fabric

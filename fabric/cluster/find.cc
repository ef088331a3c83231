// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>

#include "fabric/cluster/reader.h"
#include "fabric/cluster/suggest.h"
#include "fabric/error.h"
#include "fabric/home.h"

namespace polyloom::fabric {
namespace fs = std::filesystem;
namespace {

fs::path shipped() { return home() / "clusters"; }

std::vector<std::string> known_names() {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(shipped(), error)) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

std::string find_cluster(const std::string& name) {
  std::error_code error;
  if (fs::is_regular_file(name, error)) return name;
  if (!name.empty() && name.find('/') == std::string::npos) {
    for (const char* extension : {"", ".toml", ".json"}) {
      const fs::path path = shipped() / (name + extension);
      if (fs::is_regular_file(path, error)) return path.string();
    }
  }
  const std::vector<std::string> names = known_names();
  throw UserError("cluster \"" + name + "\": no such file or shipped cluster" + did_you_mean(name, names) +
                  "; allowed: a path, or " +
                  (names.empty() ? "the name of a file in clusters/" : joined(names)));
}

}  // namespace polyloom::fabric

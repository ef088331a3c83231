// SPDX-License-Identifier: Apache-2.0
// Paths of the build have this source file to themselves: all else compiles alike in every checkout. What is
// built to be moved elsewhere has none.
#include "fabric/home.h"

#include <dlfcn.h>

#include <cstdlib>

namespace polyloom {
namespace fs = std::filesystem;
namespace {

const char* given_home() {
  const char* home = std::getenv("POLYLOOM_HOME");
  return home != nullptr && *home != '\0' ? home : nullptr;
}

}  // namespace

std::vector<fs::path> program_folders() {
  std::vector<fs::path> folders;
  std::error_code error;
  folders.push_back(fs::read_symlink("/proc/self/exe", error).parent_path());
  Dl_info library;
  if (::dladdr(reinterpret_cast<void*>(&given_home), &library) != 0 && library.dli_fname != nullptr)
    folders.push_back(fs::weakly_canonical(library.dli_fname, error).parent_path());
#ifdef POLYLOOM_PROGRAM_DIR
  if (given_home() == nullptr) folders.emplace_back(POLYLOOM_PROGRAM_DIR);
#endif
  return folders;
}

fs::path home() {
  if (const char* home = given_home()) return home;
  const std::vector<fs::path> folders = program_folders();
  for (const fs::path& folder : folders) {
    const fs::path root = folder.parent_path().parent_path();
    std::error_code error;
    if (fs::is_directory(root / "clusters", error) && fs::is_directory(root / "roles", error)) return root;
  }
#ifdef POLYLOOM_SOURCE_DIR
  return POLYLOOM_SOURCE_DIR;
#else
  return folders.front();
#endif
}

}  // namespace polyloom

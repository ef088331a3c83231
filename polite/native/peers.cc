// SPDX-License-Identifier: Apache-2.0
#include "polite/native/peers.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>

#include "fabric/error.h"
#include "fabric/home.h"

namespace polyloom::polite {
namespace {

constexpr const char* kVariable = "POLYLOOM_PROCESSES";
constexpr const char* kLibrary = "libpolyloom_processes.so";

unsigned long wanted() {
  const char* const text = std::getenv(kVariable);
  if (text == nullptr || *text == '\0') return 1;
  char* end = nullptr;
  const unsigned long count = std::strtoul(text, &end, 10);
  if (*end != '\0' || *text == '-' || count == 0)
    throw UserError(std::string(kVariable) + "=" + text + ": a number from 1 is expected");
  return count;
}

Peers* join() {
  const unsigned long count = wanted();
  if (count == 1) return nullptr;
  namespace fs = std::filesystem;
  for (const fs::path& folder : program_folders()) {
    for (const fs::path& file : {folder / kLibrary, folder.parent_path() / "lib" / kLibrary}) {
      std::error_code none;
      if (!fs::exists(file, none)) continue;
      // Global: Open MPI loads parts of itself that look for it.
      void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
      if (library == nullptr) throw UserError(std::string(kVariable) + ": " + ::dlerror());
      using Join = Peers* (*)();
      const auto function = reinterpret_cast<Join>(::dlsym(library, "polyloom_join_processes"));
      if (function == nullptr) throw UserError(std::string(kVariable) + ": " + ::dlerror());
      Peers* const peers = function();
      if (peers->size() != count) {
        throw UserError(std::string(kVariable) + "=" + std::to_string(count) + ", but MPI has started " +
                        std::to_string(peers->size()) + "; start the program by `mpirun -n " +
                        std::to_string(count) + "`, or by `polyloom run --processes " +
                        std::to_string(count) + "`");
      }
      return peers;
    }
  }
  throw UserError(std::string(kVariable) + "=" + std::to_string(count) + " needs " + kLibrary +
                  ", which was not built, as there was no MPI (Debian: libopenmpi-dev openmpi-bin)");
}

}  // namespace

Peers* processes() {
  static Peers* const peers = join();
  return peers;
}

bool is_first_process() {
  const Peers* const peers = processes();
  return peers == nullptr || peers->rank() == 0;
}

}  // namespace polyloom::polite

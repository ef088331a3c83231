// SPDX-License-Identifier: Apache-2.0
// How much memory a piece of work needs at most, above what was there before.
#pragma once

#include <malloc.h>

#include <cstdint>
#include <fstream>
#include <string>

#include "fabric/error.h"

namespace polyloom::bench {

/// Bytes behind a name of /proc/self/status.
inline std::uint64_t status_bytes(const std::string& name) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(name + ":", 0) == 0) return 1024 * std::stoull(line.substr(name.size() + 1));
  }
  throw UserError("bench_native_graph: /proc/self/status has no " + name);
}

template <typename Work>
std::uint64_t peak_bytes(Work work) {
  malloc_trim(0);
  if (!(std::ofstream("/proc/self/clear_refs") << "5" << std::flush))  // the peak begins here
    throw UserError("bench_native_graph: cannot write /proc/self/clear_refs");
  const std::uint64_t before = status_bytes("VmRSS");
  work();
  return status_bytes("VmHWM") - before;
}

}  // namespace polyloom::bench

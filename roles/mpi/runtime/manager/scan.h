// SPDX-License-Identifier: Apache-2.0
// scanf for kernels: the C library reads into memory of the manager, and the bytes that it stored go over.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

namespace polyloom::mpi {

struct Scanned {
  int value = 0;                              ///< what scanf returns
  std::vector<std::vector<std::byte>> parts;  ///< of each place; empty where nothing was stored
};

/// As sscanf and fscanf with `places` pointers, 30 at most. A conversion of text stores 65535 bytes at most.
Scanned scan_text(const std::string& text, const std::string& format, std::size_t places);
Scanned scan_file(std::FILE* file, const std::string& format, std::size_t places);

}  // namespace polyloom::mpi

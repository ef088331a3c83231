// SPDX-License-Identifier: Apache-2.0
// Reads the files that objcopy -O verilog writes: code.v and data.v of a device program.
#pragma once

#include <string>
#include <vector>

#include "roles/overlay/host/memory_image.h"

namespace polyloom::overlay {

/// As whole words (memory_image.h). Throws UserError with file and line.
std::vector<MemoryImage> read_verilog_hex(const std::string& file);

}  // namespace polyloom::overlay

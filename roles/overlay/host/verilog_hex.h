// SPDX-License-Identifier: Apache-2.0
// Reads the files that objcopy -O verilog writes: code.v and data.v of a device program.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace polyloom::overlay {

/// Bytes from a word-aligned address on, padded with zeros to whole words.
struct MemoryImage {
  std::uint32_t address = 0;
  std::vector<std::uint8_t> bytes;
};

/// Neighbouring sections are joined. Throws UserError with file and line.
std::vector<MemoryImage> read_verilog_hex(const std::string& file);

}  // namespace polyloom::overlay

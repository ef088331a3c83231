// SPDX-License-Identifier: Apache-2.0
// Where in its source a device program's address is.
#pragma once

#include <cstdint>
#include <string>

namespace polyloom::overlay {

/// The ELF file that belongs to a code file: app.elf beside it, or else the only *.elf there. Empty if there
/// is none.
std::string elf_beside(const std::string& code_file);

/// "heat.cpp:42 in step()", or empty if the file has no such information or the RISC-V binutils are not
/// installed.
std::string source_line(const std::string& elf, std::uint32_t pc);

}  // namespace polyloom::overlay

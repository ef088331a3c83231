// SPDX-License-Identifier: Apache-2.0
// What kernels print: PRINT records of PROTOCOL.md, formatted as C's printf does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

namespace polyloom::mpi {

/// Constant strings of a kernel by address.
using Strings = std::map<std::uint32_t, std::string>;

struct Printed {
  int stream = 1;  ///< 1 stdout, 2 stderr
  std::string text;
};

/// Never throws: what a kernel may not send is shown in angle brackets.
Printed format_print(std::span<const std::byte> record, const Strings& strings);

/// The "strings" of a kernel's report: {"strings": {"65536": "text"}}. Throws UserError.
Strings read_strings(const std::string& path);

}  // namespace polyloom::mpi

// SPDX-License-Identifier: Apache-2.0
// Console bytes of many threads put together to lines.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>

#include "roles/overlay/host/core.h"

namespace polyloom::overlay {

/// A line ends at a newline or at its 127th character. Printed as "x:y:core:thread: text", all in decimal.
class ConsoleLines {
 public:
  static constexpr std::size_t kMaxLine = 127;

  /// Prints the line that this byte completes, if it does; returns the number of lines printed (0 or 1).
  unsigned add(const ConsoleByte& byte, std::FILE* out);
  /// Prints what is incomplete.
  void flush(std::FILE* out);

 private:
  std::map<std::uint64_t, std::string> open_;
};

}  // namespace polyloom::overlay

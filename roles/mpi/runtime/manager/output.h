// SPDX-License-Identifier: Apache-2.0
// Records of kernels (PROTOCOL.md, PRINT and CALL), formatted as C's printf does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace polyloom::mpi {

/// Constant strings of a kernel by address.
using Strings = std::map<std::uint32_t, std::string>;

struct Argument {
  unsigned kind = 0;
  std::uint64_t word = 0;
  std::uint64_t high = 0;  ///< of a long double
  std::string text;
};

struct Record {
  unsigned stream = 1;       ///< of a print where it goes, of a call enum polyloom_c_function
  std::uint32_t format = 0;  ///< its address; 0: the first argument
  std::vector<Argument> arguments;
};

/// Nothing if the record is cut short.
std::optional<Record> read_record(std::span<const std::byte> bytes);

/// Takes the format out of a record; if there is none, what is to be shown instead, in angle brackets.
std::string take_format(Record& record, const Strings& strings);

/// As C's printf. Never throws: what a kernel may not send is shown in angle brackets.
std::string format_text(const std::string& format, std::span<const Argument> arguments);

/// The "strings" of a kernel's report: {"strings": {"65536": "text"}}. Throws UserError.
Strings read_strings(const std::string& path);

}  // namespace polyloom::mpi

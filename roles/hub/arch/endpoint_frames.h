// SPDX-License-Identifier: Apache-2.0
// What a client says to its endpoint and hears from it: frames of 64-bit words on its host link
// (fabric/host). They never reach the wire: the endpoint is the root complex and the memory on the host's
// side of port N.
//
//   command   words
//   map       op | unit << 8, process id, file descriptor, offset in the file, bytes
//   put       op | unit << 8, offset in the unit, destination in the window, bytes
//   store     op | bytes << 32, destination, data (as many words as hold the bytes)
//   load      op, address of a 64-bit word of the own hub               answered
//   wait      op | unit << 8 | Compare << 16, offset, mask, value, deadline in ps     answered
//   probe     op                                                      answered: writes dropped, first address
//   response    op | Status << 8, value, time in ps at which it held, a second value
#pragma once

#include <cstdint>

namespace polyloom::hub {

enum class Command : std::uint8_t { map = 1, put = 2, store = 3, load = 4, wait = 5, probe = 6 };
enum class Compare : std::uint8_t { equal = 0, not_equal = 1, at_least = 2 };
enum class Status : std::uint8_t {
  ok = 0,
  late = 1,    ///< the deadline passed first; value: the word then
  failed = 2,  ///< load: the hub answered with a poisoned completion
};

inline constexpr unsigned kResponseWords = 4;

inline bool holds(Compare how, std::uint64_t word, std::uint64_t mask, std::uint64_t value) {
  const std::uint64_t seen = word & mask;
  switch (how) {
    case Compare::equal:
      return seen == value;
    case Compare::not_equal:
      return seen != value;
    case Compare::at_least:
      return seen >= value;
  }
  return false;
}

}  // namespace polyloom::hub

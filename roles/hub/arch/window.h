// SPDX-License-Identifier: Apache-2.0
// The one address window of all hubs: 16 nodes of 32 GiB, four units of 8 GiB each (README.md).
#pragma once

#include <cstdint>

namespace polyloom::hub {

inline constexpr unsigned kMaxNodes = 16;
inline constexpr unsigned kUnits = 4;
inline constexpr std::uint64_t kUnitBytes = std::uint64_t{1} << 33;
inline constexpr std::uint64_t kNodeBytes = kUnits * kUnitBytes;
inline constexpr std::uint64_t kWindowBytes = kMaxNodes * kNodeBytes;

/// What an address of a node leads to. The endpoint on the host's side holds all but `hub`.
enum class Unit : std::uint8_t { accelerator0 = 0, accelerator1 = 1, host = 2, hub = 3 };

constexpr std::uint64_t address(unsigned node, Unit unit, std::uint64_t offset = 0) {
  return node * kNodeBytes + static_cast<unsigned>(unit) * kUnitBytes + offset;
}
constexpr unsigned node_of(std::uint64_t a) { return static_cast<unsigned>(a / kNodeBytes); }
constexpr Unit unit_of(std::uint64_t a) { return static_cast<Unit>(a / kUnitBytes % kUnits); }
constexpr std::uint64_t offset_of(std::uint64_t a) { return a % kUnitBytes; }

// The unit `hub`.
inline constexpr std::uint64_t kHubRegisters = 0;
inline constexpr std::uint64_t kRegisterBytes = 1 << 16;
inline constexpr std::uint64_t kHubFunction = std::uint64_t{1} << 28;  ///< writes go to the function's stream
inline constexpr std::uint64_t kHubMemory = std::uint64_t{1} << 32;    ///< on-board memory
inline constexpr std::uint64_t kHubMemoryBytes = std::uint64_t{512} << 20;

/// No TLP crosses a multiple of this.
inline constexpr std::uint64_t kPage = 4096;

}  // namespace polyloom::hub

// SPDX-License-Identifier: Apache-2.0
// The packets of all links: one header of 16 bytes, then payload. Types, sizes and tags are PCI Express's
// (transaction layer packets with 4DW headers); the layout of the header is simpler (README.md).
#pragma once

#include <array>
#include <cstdint>

namespace polyloom::hub {

enum class TlpType : std::uint8_t { memory_read = 0x20, completion = 0x4a, memory_write = 0x60 };

inline constexpr unsigned kTlpBeat = 16;  ///< bytes of a beat; the header is one

struct TlpHeader {
  TlpType type = TlpType::memory_write;
  bool poisoned = false;
  std::uint8_t tag = 0;
  std::uint32_t length = 0;   ///< bytes of the payload, or of the read
  std::uint64_t address = 0;  ///< completion: [31:0] bytes left with these, [63:32] offset in the read

  std::array<std::uint64_t, 2> words() const {
    return {static_cast<std::uint64_t>(type) | std::uint64_t{poisoned} << 8 | std::uint64_t{tag} << 16 |
                std::uint64_t{length} << 32,
            address};
  }
  static TlpHeader from(std::uint64_t w0, std::uint64_t w1) {
    return {static_cast<TlpType>(w0 & 0xff), (w0 >> 8 & 1) != 0, static_cast<std::uint8_t>(w0 >> 16),
            static_cast<std::uint32_t>(w0 >> 32), w1};
  }
  bool has_payload() const { return type != TlpType::memory_read; }
  std::uint32_t left() const { return static_cast<std::uint32_t>(address); }
};

/// Beats of a packet.
constexpr unsigned tlp_beats(std::uint32_t payload) { return 1 + (payload + kTlpBeat - 1) / kTlpBeat; }

}  // namespace polyloom::hub

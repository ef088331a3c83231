// SPDX-License-Identifier: Apache-2.0
// What passes through a collective node: beats, and the registers that they stand in before a sink.
#pragma once

#include <array>
#include <cstdint>

#include "roles/collective/arch/program.h"

namespace polyloom::collective {

inline constexpr unsigned kSwitchBeats = 2;            ///< registers of the switch before each sink
inline constexpr std::uint64_t kControlMark = 0xfe00;  ///< in [63:48] of hello and abort

/// A beat on its way through the node. Bytes beyond `bytes` are zero.
struct Beat {
  std::array<std::uint64_t, kBeatWords> words;
  std::uint8_t bytes = kBeatBytes;
  bool last = false;
};

}  // namespace polyloom::collective

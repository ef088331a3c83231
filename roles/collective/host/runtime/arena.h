// SPDX-License-Identifier: Apache-2.0
// Which bytes of a channel are given away: first fit within a range, beat-aligned.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "roles/collective/host/schedule/layout.h"

namespace polyloom::collective {

class Arena {
 public:
  /// Lowest free place for `bytes` in [low, high); nothing if there is none.
  std::optional<std::uint64_t> take(std::uint64_t bytes, std::uint64_t low, std::uint64_t high) {
    const std::uint64_t size = round_to_beats(bytes);
    std::uint64_t at = low;
    for (const auto& [begin, end] : used_) {
      if (begin >= at + size) break;
      if (end > at) at = end;
    }
    if (at + size > high) return std::nullopt;
    if (size > 0) used_[at] = at + size;
    return at;
  }
  void give(std::uint64_t begin) { used_.erase(begin); }

 private:
  std::map<std::uint64_t, std::uint64_t> used_;  ///< begin to end
};

}  // namespace polyloom::collective

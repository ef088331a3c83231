// SPDX-License-Identifier: Apache-2.0
// Programs that never end: supersteps in which none sends, and some vertex votes to go on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "fabric/error.h"

namespace polyloom::polite {

/// Hash of some bytes, continuing an earlier one.
inline std::uint64_t hash_bytes(const void* data, std::size_t size,
                                std::uint64_t hash = 0xcbf29ce484222325ull) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < size; ++i) hash = (hash ^ bytes[i]) * 0x100000001b3ull;
  return hash;
}

/// A vertex sees nothing but its state and `time`, which comes round after 2^16 supersteps: if states are then
/// what they were, what follows is what was.
class IdleWatch {
 public:
  /// Some vertex has sent.
  void sent() { steps_ = 0; }
  /// Call after a superstep in which none sent and some vertex voted to go on; `all_steps` are over. hash() is
  /// of all states. Throws UserError if it will go on so for ever.
  template <typename Hash>
  void idle(std::uint64_t all_steps, Hash&& hash) {
    constexpr std::uint64_t kTimes = std::uint64_t{1} << 16;
    if (++steps_ % kTimes != 0) return;
    const std::uint64_t now = hash();
    if (steps_ > kTimes && now == hash_) {
      throw UserError(
          "the vertex program never ends: in the last " + std::to_string(kTimes) + " of " +
          std::to_string(all_steps) +
          " supersteps no vertex sent a message, every vertex is in the state that it was in before, and "
          "some vertex still returns true from step()");
    }
    hash_ = now;
  }

 private:
  std::uint64_t steps_ = 0;  ///< the latest ones, in which none sent
  std::uint64_t hash_ = 0;   ///< when `time` last came round in them
};

}  // namespace polyloom::polite

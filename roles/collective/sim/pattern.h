// SPDX-License-Identifier: Apache-2.0
// The walk over a block-stride pattern (program.h), one beat at a time.
#pragma once

#include <algorithm>
#include <cstdint>

#include "roles/collective/arch/program.h"

namespace polyloom::collective {

/// All bytes of a pattern lie in [low, high); one that leaves 64 bits has high = 2^64 - 1.
struct PatternSpan {
  std::uint64_t low = 0, high = 0;
};
inline PatternSpan span_of(const Instruction& i) {
  const auto base = static_cast<__int128>(i.base);
  const __int128 last = base + static_cast<__int128>(i.stride) * (i.runs - 1u);
  const __int128 low = std::min(base, last), high = std::max(base, last) + i.run_bytes;
  if (low < 0 || high >> 63 != 0) return {0, ~std::uint64_t{0}};
  return {static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(high)};
}

/// Whether the pattern begins in [0, bytes) and all fields are aligned as program.h asks. Where it goes from
/// there is seen by the engine that walks it.
inline bool legal_pattern(const Instruction& i, std::uint64_t bytes) {
  constexpr std::int64_t kFar = std::int64_t{1} << 39;
  return i.runs != 0 && i.run_bytes != 0 && i.base % kBeatBytes == 0 && i.stride % kBeatBytes == 0 &&
         i.stride >= -kFar && i.stride < kFar && i.base < bytes;
}
/// What a fault says of an offset outside the channel.
inline std::uint64_t outside(std::uint64_t offset) { return offset & ((std::uint64_t{1} << 40) - 1); }

class PatternCursor {
 public:
  PatternCursor() = default;
  explicit PatternCursor(const Instruction& i)
      : start_(i.base), stride_(i.stride), runs_(i.runs), run_bytes_(i.run_bytes) {}

  bool done() const { return runs_ == 0; }
  /// Of the beat at the cursor; preconditions: !done().
  std::uint64_t offset() const { return start_ + at_; }
  unsigned bytes() const { return std::min(kBeatBytes, run_bytes_ - at_); }
  bool last() const { return runs_ == 1 && run_bytes_ - at_ <= kBeatBytes; }
  void next() {
    at_ += kBeatBytes;
    // at_ wraps to a small number only where run_bytes_ is within a beat of 2^32.
    if (at_ < run_bytes_ && at_ >= kBeatBytes) return;
    at_ = 0;
    start_ += static_cast<std::uint64_t>(stride_);
    --runs_;
  }

  // Many beats at once.
  /// Beats of the pattern from the cursor on; preconditions: !done().
  std::uint64_t left() const {
    return std::uint64_t{runs_ - 1} * beats_of(run_bytes_) + beats_of(run_bytes_ - at_);
  }
  /// Of those, the ones that follow without a gap and count whole; 0: the run's last, shorter one is next.
  std::uint64_t whole() const { return (run_bytes_ - at_) / kBeatBytes; }
  /// Passes `beats` of the run; preconditions: no more than are left in it.
  void pass(std::uint64_t beats) {
    const std::uint64_t at = at_ + beats * kBeatBytes;
    if (at < run_bytes_) {
      at_ = static_cast<std::uint32_t>(at);
      return;
    }
    at_ = 0;
    start_ += static_cast<std::uint64_t>(stride_);
    --runs_;
  }
  /// Passes `beats` of the pattern; preconditions: no more than left().
  void skip(std::uint64_t beats) {
    while (beats != 0) {
      const std::uint64_t n = std::min(beats, beats_of(run_bytes_ - at_));
      pass(n);
      beats -= n;
    }
  }

 private:
  static std::uint64_t beats_of(std::uint64_t bytes) { return (bytes + kBeatBytes - 1) / kBeatBytes; }

  std::uint64_t start_ = 0;
  std::int64_t stride_ = 0;
  std::uint32_t runs_ = 0, run_bytes_ = 0, at_ = 0;
};

}  // namespace polyloom::collective

// SPDX-License-Identifier: Apache-2.0
// The walk over a block-stride pattern (program.h), one beat at a time.
#pragma once

#include <algorithm>
#include <cstdint>

#include "roles/collective/program.h"

namespace polyloom::collective {

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

 private:
  std::uint64_t start_ = 0;
  std::int64_t stride_ = 0;
  std::uint32_t runs_ = 0, run_bytes_ = 0, at_ = 0;
};

}  // namespace polyloom::collective

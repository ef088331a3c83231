// SPDX-License-Identifier: Apache-2.0
// A feed of a beat every so many cycles at most, as a bus of less than the operator's width brings them.
#pragma once

#include <cstdint>

namespace polyloom::blocks::operators {

/// Counts from the beat before, not from the first: one that was held back lets no later ones catch up, since
/// a bus that stood still has not moved their bytes either.
class Pace {
 public:
  explicit Pace(std::uint64_t cycles_a_beat) : spacing_(cycles_a_beat) {}

  /// Whether the next beat is there in `cycle`.
  bool offers(std::uint64_t cycle) const { return cycle >= next_; }

  /// The operator took it in `cycle`.
  void taken(std::uint64_t cycle) { next_ = cycle + spacing_; }

 private:
  std::uint64_t spacing_;
  std::uint64_t next_ = 0;
};

}  // namespace polyloom::blocks::operators

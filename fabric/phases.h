// SPDX-License-Identifier: Apache-2.0
// Phases of a run: what its simulated time was for. Host programs name them; the record tells their lengths.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fabric/time.h"

namespace polyloom::fabric {

/// From `begin` until the next mark, or the end, the run was in this phase.
struct PhaseMark {
  std::string name;
  Time begin = 0;
};

/// Length of each phase of a run from 0 to `end`, in order of first appearance; a name that comes again adds
/// to its length. Marks are in order of time. They sum to `end` if the first phase began at 0.
inline std::vector<std::pair<std::string, Time>> phase_lengths(const std::vector<PhaseMark>& marks,
                                                               Time end) {
  std::vector<std::pair<std::string, Time>> lengths;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const Time length = (i + 1 < marks.size() ? marks[i + 1].begin : end) - marks[i].begin;
    auto known = lengths.begin();
    while (known != lengths.end() && known->first != marks[i].name) ++known;
    if (known == lengths.end()) {
      lengths.emplace_back(marks[i].name, length);
    } else {
      known->second += length;
    }
  }
  return lengths;
}

}  // namespace polyloom::fabric

// SPDX-License-Identifier: Apache-2.0
// Finds out that nothing can happen any more: all ranks that have not ended wait, and nothing moves; or a
// kernel has stopped, and what it said of its end did not come.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "roles/mpi/runtime/manager/boards.h"

namespace polyloom::mpi {

/// What was seen of one rank at one time.
struct Sight {
  Wait wait;
  std::uint64_t envelopes = 0, bytes = 0;
};

class Watch {
 public:
  Watch(Station& station, Boards& boards, Time period)
      : station_(station), boards_(boards), period_(period) {}

  Time next() const { return next_; }
  /// Something came from a rank: begin anew.
  void alive(Time now);
  /// When next() has come: looks at all ranks that have not ended. True if they have waited in the same
  /// places for three looks.
  bool look(const std::vector<bool>& ended);
  /// The rank of a kernel that had stopped, without a word of how, at this look and at the one before.
  std::optional<unsigned> stopped() const { return stopped_; }
  /// Which rank waits for which, of the last look.
  std::vector<Wait> waits() const;

 private:
  std::vector<unsigned> running(const std::vector<bool>& ended) const;
  void look_for_stopped(const std::vector<bool>& ended);
  bool look_at_cpus(const std::vector<bool>& ended, std::map<unsigned, Sight>& seen);

  Station& station_;
  Boards& boards_;
  Time period_, next_ = 0;
  unsigned same_ = 0;
  std::optional<unsigned> suspect_, stopped_;
  std::map<unsigned, Sight> last_;
  std::set<unsigned> owing_;  ///< CPU ranks that have not answered yet: they compute, and are not asked again
};

/// What may be the matter if a rank waits for an FPGA to receive, which waits for a message of that rank: the
/// FPGA keeps no more messages. Empty if there are no such two.
std::string crowd(const std::vector<Wait>& waits, const Job& job);

/// The ranks of a circle of waits, in order; empty if there is none.
std::vector<unsigned> circle(const std::vector<Wait>& waits);

}  // namespace polyloom::mpi

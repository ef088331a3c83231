// SPDX-License-Identifier: Apache-2.0
// Watches one direction of a reliable link at the wire, and says when the link is down.
//
// What counts: a frame whose items do not follow those of the frame before it goes back to what was sent
//   already. A sender that goes back to the same item `limit` times in a row has had no acknowledgement in
//   all that time: no frame gets through, or none comes back.
// Why here: a model and RTL put the same frames on the wire, so both are judged by the same code, and
//   neither's data path has a counter more.
// Source: own design.   Tests: link_watch_test.cc.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "blocks/reliable_link/sim/link_frame.h"
#include "fabric/segment.h"

namespace polyloom::blocks {

/// Retransmissions of the same items after which a link counts as down. A link that loses nine frames of ten
/// each way gets one in a hundred attempts acknowledged, and still comes through: 0.99^4096 is 10^-18.
inline constexpr unsigned kLinkDownAfter = 4096;

class LinkWatch {
 public:
  /// limit: at least 1.
  explicit LinkWatch(LinkFormat format, unsigned limit = kLinkDownAfter) : format_(format), limit_(limit) {}

  struct Down {
    unsigned times;      ///< that the same items were sent again
    fabric::Time since;  ///< when for the first time
  };
  /// To be called with all segments of the link, in order, as they depart. A value if the link is down.
  std::optional<Down> sent(const fabric::Segment& segment);

 private:
  struct Channel {
    std::uint32_t follows = 0;  ///< number of the item that comes next if nothing is sent again
    std::uint32_t back_to = 0;  ///< item that was gone back to last
    std::uint32_t beyond = 0;   ///< items sent since then
    unsigned times = 0;         ///< how often in a row
    fabric::Time since = 0;     ///< when for the first time
  };
  std::optional<Down> frame(fabric::Time at);
  bool count(unsigned channel, const LinkHeader& header, fabric::Time at);

  LinkFormat format_;
  unsigned limit_;
  std::array<Channel, kChannels> channels_;
  std::array<std::uint64_t, kHeaderWords> header_{};  ///< of the frame that is being sent
  unsigned words_ = 0;                                ///< of it, so far
};

}  // namespace polyloom::blocks

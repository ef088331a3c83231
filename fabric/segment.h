// SPDX-License-Identifier: Apache-2.0
// What a link carries: frames, in one or more segments of 64-bit words (docs/design.md, section 2.2).
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/time.h"

namespace polyloom::fabric {

/// One piece of a frame. A short frame is one segment with head and tail set; a sender that does not know the
/// whole frame yet (cut-through) emits several. A pulse is a frame of no words. Fault injection flips bits in
/// `words` or removes the segment; nothing marks it, so a receiver must find out as hardware does (CRC,
/// sequence numbers).
struct Segment {
  Time first = 0;    ///< when words[0] may be used (arrival at the receiver; departure when handed to a Tx)
  Time period = 0;   ///< ps between words, fixed by the link's rate
  bool head = true;  ///< first segment of its frame
  bool tail = true;  ///< last segment of its frame
  std::uint8_t keep = 8;  ///< valid bytes of the last word, 1..8; 0: a block of nothing
  std::vector<std::uint64_t> words = {};

  Time word_time(std::size_t i) const { return first + static_cast<Time>(i) * period; }
  /// Time just after the last word: when the link is free again.
  Time end() const { return word_time(words.size()); }
};

}  // namespace polyloom::fabric

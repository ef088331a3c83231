// SPDX-License-Identifier: Apache-2.0
#include "blocks/reliable_link/sim/link_watch.h"

namespace polyloom::blocks {

std::optional<LinkWatch::Down> LinkWatch::sent(const fabric::Segment& segment) {
  if (segment.head) words_ = 0;
  for (const std::uint64_t word : segment.words) {
    if (words_ == kHeaderWords) break;
    header_[words_++] = word;
    if (words_ == kHeaderWords) return frame(segment.first);
  }
  return std::nullopt;
}

std::optional<LinkWatch::Down> LinkWatch::frame(fabric::Time at) {
  const LinkHeader header = read_header(format_, header_);
  for (unsigned channel = 0; channel < kChannels; ++channel) {
    if (header.count[channel] == 0 || !count(channel, header, at)) continue;
    return Down{channels_[channel].times, channels_[channel].since};
  }
  return std::nullopt;
}

/// True if the channel has gone back to the same item once too often.
bool LinkWatch::count(unsigned channel, const LinkHeader& header, fabric::Time at) {
  Channel& c = channels_[channel];
  const std::uint32_t range = std::uint32_t{1} << format_.seq_bits(channel), mask = range - 1;
  const std::uint32_t first = header.seq[channel], items = header.count[channel];
  const bool back = first != c.follows;
  c.follows = (first + items) & mask;
  if (!back) {
    // Fewer items than there are numbers are ever on their way: who gets so far was acknowledged meanwhile.
    c.beyond += items;
    if (c.beyond >= range) c.times = 0;
    return false;
  }
  if (c.times == 0 || first != c.back_to) {
    c.back_to = first;
    c.times = 0;
    c.since = at;
  }
  c.beyond = items;
  return ++c.times >= limit_;
}

}  // namespace polyloom::blocks

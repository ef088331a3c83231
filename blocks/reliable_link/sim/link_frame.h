// SPDX-License-Identifier: Apache-2.0
// The frame of the reliable link on the wire: two header words, items, padding, check word.
//
// A frame is an Ethernet frame whose address fields carry the link's header (the link is point to point):
//   words 0, 1   16 bytes: header fields in the places of the MAC addresses, EtherType in word 1 [47:32]
//   items        control items, then data items, 64 bits each
//   zeros        up to the minimum frame of 64 bytes
//   last word    CRC-32 of all words before in [31:0]; its upper half belongs to the gap (keep = 4)
// Preamble (8 bytes) and the other 8 of the gap's 12 bytes are kGapWords words of silence after it.
//
// Header of ours:
//   word 0  data_seq[15:0] data_ack[31:16] data_limit[47:32] n_data[55:48]
//           n_control[60:56] control_nack[61] data_nack[62] poll[63]
//   word 1  control_seq[7:0] control_ack[15:8] control_limit[23:16] 0x50[31:24] 0x88b5[47:32] 0[63:48]
// Header as published (docs/sources/tinsel.md, 3.3; the order of its fields is ours):
//   word 0  n_data[6:0] data_seq[16:7] data_ack[26:17], rest 0
//   word 1  0x0600[47:32], rest 0
//
// seq numbers the frame's first item, ack the next item expected, limit the first item there is no room for;
// all are counts of items modulo 2^16 (data), 2^8 (control), 2^10 (published).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace polyloom::blocks {

inline constexpr unsigned kHeaderWords = 2;
inline constexpr unsigned kCheckWords = 1;
inline constexpr unsigned kGapWords = 2;
inline constexpr unsigned kMinFrameWords = 8;    ///< 64 bytes, the check included
inline constexpr unsigned kMaxFrameItems = 180;  ///< an Ethernet frame holds 1518 bytes

/// The two channels of a link. Control comes first wherever both wait.
enum Channel : unsigned { kControl = 0, kData = 1 };
inline constexpr unsigned kChannels = 2;

struct LinkHeader {
  std::uint16_t seq[kChannels] = {};
  std::uint16_t ack[kChannels] = {};
  std::uint16_t limit[kChannels] = {};
  std::uint8_t count[kChannels] = {};
  bool nack[kChannels] = {};  ///< an item was missed: go back to `ack`
  bool poll = false;          ///< response at once
};

/// Widths of sequence numbers and largest counts of a format.
struct LinkFormat {
  bool published = false;
  unsigned seq_bits(unsigned channel) const { return published ? 10 : channel == kControl ? 8 : 16; }
  unsigned max_control() const { return published ? 0 : 31; }
};

/// Words of a frame with `items` items, the check word included.
constexpr unsigned frame_words(unsigned items) {
  const unsigned words = kHeaderWords + items + kCheckWords;
  return words < kMinFrameWords ? kMinFrameWords : words;
}

/// `items` are the control items followed by the data items.
std::vector<std::uint64_t> build_frame(LinkFormat format, const LinkHeader& header,
                                       std::span<const std::uint64_t> items);

/// The fields of a header, right or wrong.
LinkHeader read_header(LinkFormat format, std::span<const std::uint64_t, kHeaderWords> words);

/// False if the frame must be dropped: wrong check, type, or length. On true, items start at word
/// kHeaderWords.
bool parse_frame(LinkFormat format, std::span<const std::uint64_t> words, LinkHeader& header);

}  // namespace polyloom::blocks

// SPDX-License-Identifier: Apache-2.0
// A packet inside a hub, and its beats: the header, then payload of up to 16 bytes a beat.
#pragma once

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "blocks/cycle.h"
#include "blocks/verilated/lane.h"
#include "roles/hub/sim/tlp.h"

namespace polyloom::hub {

using blocks::Cycle;

struct Beat {
  std::array<std::uint64_t, 2> data{};
  std::uint8_t bytes = kTlpBeat;  ///< that count, from 0 on
  bool last = false;

  static Beat from(const blocks::LaneBeat& lane) {
    return {{lane.data[0], lane.data[1]}, static_cast<std::uint8_t>(lane.bytes()), lane.last};
  }
  blocks::LaneBeat lane() const {
    blocks::LaneBeat beat;
    beat.data[0] = data[0], beat.data[1] = data[1];
    beat.words = (bytes + 7u) / 8u;
    beat.keep = bytes - 8 * (beat.words - 1);
    beat.last = last;
    return beat;
  }
};

struct Packet {
  TlpHeader header;
  std::vector<std::uint8_t> payload = {};

  unsigned beats() const { return tlp_beats(static_cast<std::uint32_t>(payload.size())); }
  Beat beat(unsigned i) const {
    Beat b;
    if (i == 0) {
      b.data = header.words();
    } else {
      const std::size_t at = std::size_t{i - 1} * kTlpBeat;
      b.bytes = static_cast<std::uint8_t>(std::min<std::size_t>(kTlpBeat, payload.size() - at));
      std::memcpy(b.data.data(), payload.data() + at, b.bytes);
    }
    b.last = i + 1 == beats();
    return b;
  }
};

}  // namespace polyloom::hub

// SPDX-License-Identifier: Apache-2.0
// Named DRAM channels. What fixes each controller parameter: blocks/memory/README.md.
#include "blocks/memory/sim/dram.h"

namespace polyloom::blocks {

DramParams DramParams::ddr3_1600_published(unsigned line_bytes) {
  DramParams p;
  p.request_bytes = line_bytes;
  p.queue = 32;
  p.window_beats = 16;
  p.beat_clocks = 4;
  return p;
}

DramParams DramParams::ddr3_1600(unsigned line_bytes) {
  DramParams p;
  p.request_bytes = line_bytes;
  p.kept_bursts = 1024;
  return p;
}

DramParams DramParams::hbm2(unsigned line_bytes) {
  // 64-bit pseudo channel, burst of 4, 1 GHz. Timings: JESD235 with the values usual for 2 Gb/s parts, in ns.
  DramParams p;
  p.request_bytes = line_bytes;
  p.memory_hz = 1'000'000'000;
  p.bytes = std::uint64_t{512} << 20;
  p.burst_bytes = 32;
  p.banks = 16;
  p.row_bytes = 1024;
  p.cl = 14, p.cwl = 4, p.rcd = 14, p.rp = 14, p.ras = 33, p.rc = 47;
  p.rrd = 4, p.faw = 16, p.ccd = 2, p.data = 2;
  p.wtr = 8, p.rtw = 14, p.rtp = 5, p.wr = 16;
  p.refi = 3900, p.rfc = 260;
  return p;
}

}  // namespace polyloom::blocks

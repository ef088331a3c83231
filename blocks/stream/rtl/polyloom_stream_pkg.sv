// SPDX-License-Identifier: Apache-2.0
// polyloom_stream_pkg: the beat that streams between memories, links and operators carry.
// How:          a beat is 256 bits, the width of an HBM2 pseudo-channel, as four 64-bit words; word 0 is the lowest.
//               keep has a bit a byte and is a run of ones from bit 0: only the last beat of a run may be short.
//               last ends a stream (not a run). Beats travel on <chan>_valid, <chan>_ready, <chan>.
// Source: own design; AXI4-Stream's TDATA, TKEEP, TLAST.   Tests: test_polyloom_stream_pkg.py
package polyloom_stream_pkg;

  localparam int unsigned BEAT_BYTES = 32;
  localparam int unsigned BEAT_BITS = 8 * BEAT_BYTES;
  localparam int unsigned BEAT_WORDS = BEAT_BYTES / 8;

  typedef struct packed {
    logic                  last;  // the stream ends with this beat
    logic [BEAT_BYTES-1:0] keep;  // bytes that count
    logic [BEAT_BITS-1:0]  data;
  } beat_t;

  // Bytes that count in a beat: keep is a run of ones from bit 0.
  function automatic logic [$clog2(BEAT_BYTES+1)-1:0] beat_bytes(input logic [BEAT_BYTES-1:0] keep);
    beat_bytes = '0;
    for (int unsigned i = 0; i < BEAT_BYTES; i++) begin
      if (keep[i]) beat_bytes = ($clog2(BEAT_BYTES + 1))'(i + 1);
    end
  endfunction

  // The keep of a beat in which the first `bytes` bytes count.
  function automatic logic [BEAT_BYTES-1:0] keep_of(input logic [$clog2(BEAT_BYTES+1)-1:0] bytes);
    for (int unsigned i = 0; i < BEAT_BYTES; i++) begin
      keep_of[i] = ($clog2(BEAT_BYTES + 1))'(i) < bytes;
    end
  endfunction

endpackage

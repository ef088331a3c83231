// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_host_range: says whether a board has the bytes that a host wants to write or read.
// How:          one comparison a space, sizes from Cfg.
// Latency:      0 cycles; combinational.
// Throughput:   not a stream.
// Backpressure: none.
// Order/loss:   none.
// Reset:        none; no state.
// Limits:       ranges that the shell has found well formed: 1 to 2^24 bytes, end at most 2^32 (in words for space instr).
// Cost:         100 LUT, 0 FF (UltraScale+); 123 ALM (Intel, estimated); 245 LUT4 (ECP5). TINY, Yosys 0.70, 2026-11.
// Source:       Board::has in roles/overlay/sim/board/board_shell.cc; addresses: roles/overlay/sim/tile/memory.h.
// Tests:        test_polyloom_overlay_host_range.py
module polyloom_overlay_host_range
  import polyloom_overlay_pkg::*;
#(
    parameter cfg_t Cfg = TINY
) (
    input  polyloom_shell_pkg::range_t range_i,
    output logic                       ok_o
);
  import polyloom_shell_pkg::SPACE_SLICE0, polyloom_shell_pkg::SPACE_SLICE1;
  import polyloom_shell_pkg::SPACE_INSTR, polyloom_shell_pkg::SPACE_SCRATCHPAD;

  localparam int unsigned Tiles = Cfg.tiles_x * Cfg.tiles_y;
  localparam int unsigned Pairs = Tiles * ((Cfg.cores + 1) / 2);
  // As a thread sees them: SRAM A from here, SRAM B and DRAM behind it; DRAM of all slices, interleaved, up to 2^32.
  localparam logic [32:0] SramABase = 33'h0_0080_0000;
  localparam logic [32:0] DramEnd = 33'h0_8000_0000;
  localparam logic [32:0] InterleavedBase = 33'h0_c000_0000;

  logic [32:0] first, bytes_end, words_end;
  logic whole_words;
  assign first = {1'b0, range_i.address};
  assign bytes_end = first + 33'(range_i.bytes);
  assign words_end = first + 33'(range_i.bytes[24:2]);
  assign whole_words = range_i.bytes[1:0] == 0;

  always_comb begin
    ok_o = 1'b0;
    case (range_i.space)
      SPACE_SLICE0, SPACE_SLICE1: begin
        ok_o = (range_i.space == SPACE_SLICE0 || Cfg.slices > 1) &&
               ((first >= SramABase && bytes_end <= DramEnd) || first >= InterleavedBase);
      end
      SPACE_INSTR: begin
        ok_o = (range_i.target == '1 || range_i.target < Pairs) && whole_words && words_end <= 33'(Cfg.instr_words);
      end
      SPACE_SCRATCHPAD: begin
        ok_o = range_i.target < Tiles && range_i.address[1:0] == 0 && whole_words &&
               bytes_end <= 33'(Cfg.mailbox_slots * SLOT_BYTES);
      end
      default: ;
    endcase
  end

endmodule

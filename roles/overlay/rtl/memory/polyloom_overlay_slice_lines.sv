// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_slice_lines: lines that come from a slice's memories go to their clients, one a cycle on one bus.
// How:          the first half of a 64-byte line waits in a register of its memory; with its last beat a line may go: DRAM's
//               before that of SRAM A before that of SRAM B.
//                   R 0 --> (first half) --+
//                   R 1 --> (first half) --+--> register --> line, valid for the client in the id
//                   R 2 --> (first half) --+
// Latency:      1 cycle from the last beat.
// Throughput:   one line a cycle, which is more than the memories give together.
// Backpressure: clients always take. r_ready is low for a line's last beat that another memory's goes before; it depends on
//               the r_valid of the others combinationally.
// Order/loss:   each memory's lines in order; nothing lost.
// Reset:        output cleared.
// Limits:       as polyloom_overlay_slice; bursts of a line, not interleaved.
// Cost:         a register of a line; with 64-byte lines three of half a line more.
// Source:       own design.
// Tests:        test_polyloom_overlay_slice_lines.py, memory_rtl_test.cc
module polyloom_overlay_slice_lines
  import polyloom_overlay_pkg::*;
  import polyloom_overlay_memory_pkg::*;
#(
    parameter  cfg_t        Cfg      = TINY,
    parameter  int unsigned Clients  = 2,
    localparam int unsigned LineBits = 8 * Cfg.line_bytes,
    localparam int unsigned IdBits   = $clog2(Clients) + INDEX_BITS
) (
    input  logic                                 clk_i,
    input  logic                                 rst_ni,
    // From the memories
    input  logic [  CHANNELS-1:0]                mem_r_valid_i,
    output logic [  CHANNELS-1:0]                mem_r_ready_o,
    input  logic [  CHANNELS-1:0][BEAT_BITS-1:0] mem_r_data_i,
    input  logic [  CHANNELS-1:0]                mem_r_last_i,
    input  logic [  CHANNELS-1:0][   IdBits-1:0] mem_r_id_i,
    // To the clients
    output logic [   Clients-1:0]                line_rsp_valid_o,
    output logic [INDEX_BITS-1:0]                line_rsp_tag_o,
    output logic [  LineBits-1:0]                line_rsp_data_o
);

  logic [CHANNELS-1:0] complete;
  logic [1:0] turn;
  logic [LineBits-1:0] line;
  logic [IdBits-1:0] id;

  assign complete = mem_r_valid_i & mem_r_last_i;
  assign turn = complete[0] ? 2'd0 : complete[1] ? 2'd1 : 2'd2;
  for (genvar m = 0; m < CHANNELS; m++) begin : gen_ready
    assign mem_r_ready_o[m] = !mem_r_last_i[m] || turn == 2'(m);
  end
  assign id = mem_r_id_i[turn];

  if (LineBits == BEAT_BITS) begin : gen_one_beat
    assign line = mem_r_data_i[turn];
  end else begin : gen_two_beats
    logic [CHANNELS-1:0][BEAT_BITS-1:0] first_q;
    for (genvar m = 0; m < CHANNELS; m++) begin : gen_first
      always_ff @(posedge clk_i) if (mem_r_valid_i[m] && !mem_r_last_i[m]) first_q[m] <= mem_r_data_i[m];
    end
    assign line = {mem_r_data_i[turn], first_q[turn]};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      line_rsp_valid_o <= '0;
    end else begin
      line_rsp_valid_o <= '0;
      if (|complete) line_rsp_valid_o <= Clients'(1) << (id >> INDEX_BITS);
    end
  end

  always_ff @(posedge clk_i) begin
    if (|complete) begin
      line_rsp_tag_o  <= id[INDEX_BITS-1:0];
      line_rsp_data_o <= line;
    end
  end

endmodule

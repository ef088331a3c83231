// SPDX-License-Identifier: Apache-2.0
// polyloom_hub_memory_write: writes the payload of a TLP to any byte address of the on-board memory.
// How:          a TLP is one AXI4 burst (it crosses no 4 KiB). Payload byte 0 belongs to `address`, so each beat is shifted
//               up by the address's place in a beat; what falls out above goes first in the next.
//                 payload --> shift --+--> [ W beats ] --> memory
//                              ^------'  carry             acknowledgements are counted
// Latency:      payload beat taken at edge k: W valid before edge k + 1. AW of a start at edge k: valid before k + 1.
// Throughput:   a beat a cycle; one cycle more for a TLP whose end falls out of its last beat.
// Backpressure: start_ready_o and in_ready_o depend on registers only.
// Order/loss:   in order.
// Reset:        nothing under way.
// Limits:       the payload has the bytes that start_bytes_i says; inside the memory.
// Cost:         see polyloom_hub_node.
// Source: own design.   Tests: test_polyloom_hub_node.py.
module polyloom_hub_memory_write
  import polyloom_hub_pkg::*;
(
    input  logic          clk_i,
    input  logic          rst_ni,
    // A TLP begins, then its payload
    input  logic          start_valid_i,
    output logic          start_ready_o,
    input  logic  [ 31:0] start_address_i,
    input  logic  [  9:0] start_bytes_i,
    input  logic          in_valid_i,
    output logic          in_ready_o,
    input  beat_t         in_i,
    output logic          idle_o,           // all acknowledged
    // To the memory
    output logic          mem_aw_valid_o,
    input  logic          mem_aw_ready_i,
    output logic  [ 39:0] mem_aw_addr_o,
    output logic  [  7:0] mem_aw_len_o,
    output logic          mem_w_valid_o,
    input  logic          mem_w_ready_i,
    output logic  [127:0] mem_w_data_o,
    output logic  [ 15:0] mem_w_strb_o,
    output logic          mem_w_last_o,
    input  logic          mem_b_valid_i,
    output logic          mem_b_ready_o
);
  typedef struct packed {
    logic         last;
    logic [15:0]  strb;
    logic [127:0] data;
  } w_t;

  logic start, active_q, tail_q, accept, push, w_room, aw_room;
  logic [3:0] shift_q;
  logic [127:0] carry_q;
  logic [15:0] carry_strb_q;
  logic [255:0] wide;
  logic [31:0] wide_strb;
  logic [5:0] beats;
  logic [9:0] open_q;  // bursts without acknowledgement
  w_t w;

  assign start_ready_o = !active_q && aw_room;
  assign start = start_valid_i && start_ready_o;
  assign in_ready_o = active_q && !tail_q && w_room;
  assign accept = in_valid_i && in_ready_o;
  assign push = accept || (tail_q && w_room);
  assign wide = {128'b0, in_i.data} << {shift_q, 3'b000};
  assign wide_strb = ((32'd2 << in_i.top) - 32'd1) << shift_q;
  assign w = '{
          last: tail_q || (in_i.last && wide_strb[31:16] == '0),
          strb: carry_strb_q | (tail_q ? 16'd0 : wide_strb[15:0]),
          data: carry_q | (tail_q ? 128'd0 : wide[127:0])
      };

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      tail_q <= 1'b0;
      carry_strb_q <= '0;
      open_q <= '0;
    end else begin
      if (start) active_q <= 1'b1;
      else if (push && w.last) active_q <= 1'b0;
      if (push) begin
        tail_q <= accept && in_i.last && wide_strb[31:16] != '0;
        carry_strb_q <= w.last ? '0 : wide_strb[31:16];
      end
      open_q <= open_q + 10'(start) - 10'(mem_b_valid_i);
    end
  end
  always_ff @(posedge clk_i) begin
    if (start) begin
      shift_q <= start_address_i[3:0];
      carry_q <= '0;
    end else if (accept) begin
      // Bytes that do not count must not stay in the carry: beats are put together by OR.
      for (int unsigned i = 0; i < 16; i++) carry_q[8*i+:8] <= wide_strb[16+i] ? wide[128+8*i+:8] : 8'd0;
    end
  end

  assign beats = 6'((11'(start_address_i[3:0]) + 11'(start_bytes_i) + 11'd15) >> 4);
  polyloom_stream_lut_fifo #(
      .Width(48),
      .Depth(4)
  ) i_aw (
      .clk_i,
      .rst_ni,
      .flush_i    (1'b0),
      .in_valid_i (start),
      .in_ready_o (aw_room),
      .in_i       ({8'd0, start_address_i[31:4], 4'd0, 8'(beats - 6'd1)}),
      .out_valid_o(mem_aw_valid_o),
      .out_ready_i(mem_aw_ready_i),
      .out_o      ({mem_aw_addr_o, mem_aw_len_o})
  );
  polyloom_stream_lut_fifo #(
      .T    (w_t),
      .Depth(4)
  ) i_w (
      .clk_i,
      .rst_ni,
      .flush_i    (1'b0),
      .in_valid_i (push),
      .in_ready_o (w_room),
      .in_i       (w),
      .out_valid_o(mem_w_valid_o),
      .out_ready_i(mem_w_ready_i),
      .out_o      ({mem_w_last_o, mem_w_strb_o, mem_w_data_o})
  );
  assign mem_b_ready_o = 1'b1;
  assign idle_o = open_q == '0 && !active_q;
endmodule

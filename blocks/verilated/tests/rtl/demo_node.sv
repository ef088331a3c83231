// SPDX-License-Identifier: Apache-2.0
// demo_node: a node for the tests of blocks/verilated: echoes lanes and pulses, streams, copies memory.
// How:          lane l goes to lane (l + Shift) % Lanes through a ring; so do pulses, a cycle later. The host sends
//               frames of three words, answered by one: {cycle of the response's start}:
//                 1 N _    stream: N beats on lane 0, its word w of beat b is 256 * b + w; the response comes first
//                 2 F T    copy: from byte F[39:0] to T[39:0] of channel T[55:48], F[63:56] + 1 beats; response when done
//                 3 _ _    nothing; answered at once
//                 4 _ _    an assertion fails
// Latency:      ring: demo_lane. The response's word is valid before the edge after that which took the third word.
// Throughput:   one beat a cycle and lane.
// Backpressure: lanes: ring, else assertion. Host: not ready while a copy or a response is under way.
// Order/loss:   kept.
// Reset:        all control state.
// Limits:       Lanes, Channels >= 1; LaneWidth a multiple of 64; MemWidth a power of two from 64 up.
// Cost:         none: for tests.
// Source:       own design.   Tests: blocks/verilated/tests.
module demo_node #(
    parameter int unsigned Lanes = 2,
    parameter int unsigned LaneWidth = 256,
    parameter int unsigned Channels = 1,
    parameter int unsigned MemWidth = 256,
    parameter int unsigned Shift = 0,
    localparam int unsigned Keep = LaneWidth / 8
) (
    input  logic                                clk_i,
    input  logic                                rst_ni,
    input  logic [        63:0]                 cycle_i,
    output logic                                idle_o,
    input  logic [   Lanes-1:0]                 lane_rx_valid_i,
    input  logic [   Lanes-1:0][ LaneWidth-1:0] lane_rx_data_i,
    input  logic [   Lanes-1:0][      Keep-1:0] lane_rx_keep_i,
    input  logic [   Lanes-1:0]                 lane_rx_last_i,
    input  logic [   Lanes-1:0]                 lane_rx_pulse_i,
    output logic [   Lanes-1:0]                 lane_tx_valid_o,
    input  logic [   Lanes-1:0]                 lane_tx_ready_i,
    output logic [   Lanes-1:0][ LaneWidth-1:0] lane_tx_data_o,
    output logic [   Lanes-1:0][      Keep-1:0] lane_tx_keep_o,
    output logic [   Lanes-1:0]                 lane_tx_last_o,
    output logic [   Lanes-1:0]                 lane_tx_pulse_o,
    input  logic                                host_rx_valid_i,
    output logic                                host_rx_ready_o,
    input  logic [        63:0]                 host_rx_data_i,
    input  logic                                host_rx_last_i,
    output logic                                host_tx_valid_o,
    input  logic                                host_tx_ready_i,
    output logic [        63:0]                 host_tx_data_o,
    output logic                                host_tx_last_o,
    output logic [Channels-1:0]                 mem_ar_valid_o,
    input  logic [Channels-1:0]                 mem_ar_ready_i,
    output logic [Channels-1:0][          39:0] mem_ar_addr_o,
    output logic [Channels-1:0][           7:0] mem_ar_len_o,
    input  logic [Channels-1:0]                 mem_r_valid_i,
    output logic [Channels-1:0]                 mem_r_ready_o,
    input  logic [Channels-1:0][  MemWidth-1:0] mem_r_data_i,
    input  logic [Channels-1:0]                 mem_r_last_i,
    output logic [Channels-1:0]                 mem_aw_valid_o,
    input  logic [Channels-1:0]                 mem_aw_ready_i,
    output logic [Channels-1:0][          39:0] mem_aw_addr_o,
    output logic [Channels-1:0][           7:0] mem_aw_len_o,
    output logic [Channels-1:0]                 mem_w_valid_o,
    input  logic [Channels-1:0]                 mem_w_ready_i,
    output logic [Channels-1:0][  MemWidth-1:0] mem_w_data_o,
    output logic [Channels-1:0][MemWidth/8-1:0] mem_w_strb_o,
    output logic [Channels-1:0]                 mem_w_last_o,
    input  logic [Channels-1:0]                 mem_b_valid_i,
    output logic [Channels-1:0]                 mem_b_ready_o
);
  logic [ 1:0]       word_q;  // of the host's frame
  logic [ 2:0][63:0] frame;  // its words; the third is on the port
  logic [ 1:0][63:0] frame_q;
  logic              response_q;  // a response waits for its place
  logic [31:0]       stream_left_q;  // beats
  logic [31:0]       stream_beat_q;
  logic [Lanes-1:0] ring_empty, ring_ready, ring_valid, ring_last;
  logic [Lanes-1:0][LaneWidth-1:0] ring_data;
  logic [Lanes-1:0][Keep-1:0] ring_keep;
  logic [Channels-1:0] copy_start, copy_busy, copy_done;
  logic command, streaming;
  logic [LaneWidth-1:0] stream_data;

  // Host
  assign frame = {host_rx_data_i, frame_q};
  assign host_rx_ready_o = !response_q && copy_busy == '0 && copy_done == '0;
  assign command = host_rx_valid_i && host_rx_ready_o && word_q == 2'd2;
  assign host_tx_valid_o = response_q;
  assign host_tx_data_o = cycle_i;
  assign host_tx_last_o = 1'b1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      word_q <= '0;
      response_q <= 1'b0;
      stream_left_q <= '0;
    end else begin
      assert (!(command && frame[0] == 64'd4))
      else $error("demo_node: the host asked for a failure");
      if (host_tx_ready_i) response_q <= 1'b0;
      if (host_rx_valid_i && host_rx_ready_o) word_q <= host_rx_last_i ? '0 : word_q + 1'b1;
      if ((command && frame[0] != 64'd2) || copy_done != '0) response_q <= 1'b1;
      if (command && frame[0] == 64'd1) stream_left_q <= frame[1][31:0];
      else if (streaming && lane_tx_ready_i[0]) stream_left_q <= stream_left_q - 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (host_rx_valid_i && host_rx_ready_o && word_q < 2'd2) frame_q[word_q[0]] <= host_rx_data_i;
    if (command) stream_beat_q <= '0;
    else if (streaming && lane_tx_ready_i[0]) stream_beat_q <= stream_beat_q + 1'b1;
  end

  // Lanes
  assign streaming = stream_left_q != '0;
  always_comb begin
    for (int unsigned w = 0; w < LaneWidth / 64; w++) stream_data[64*w+:64] = {24'd0, stream_beat_q, 8'(w)};
    for (int unsigned l = 0; l < Lanes; l++) begin
      lane_tx_valid_o[l] = ring_valid[l];
      lane_tx_data_o[l] = ring_data[l];
      lane_tx_keep_o[l] = ring_keep[l];
      lane_tx_last_o[l] = ring_last[l];
      ring_ready[l] = lane_tx_ready_i[l];
    end
    if (streaming) begin
      lane_tx_valid_o[0] = 1'b1;
      lane_tx_data_o[0] = stream_data;
      lane_tx_keep_o[0] = '1;
      lane_tx_last_o[0] = stream_left_q == 32'd1;
      ring_ready[0] = 1'b0;
    end
  end

  for (genvar l = 0; l < Lanes; l++) begin : gen_lane
    localparam int unsigned From = (l + Lanes - Shift % Lanes) % Lanes;
    demo_lane #(
        .Width(LaneWidth)
    ) i_lane (
        .clk_i,
        .rst_ni,
        .in_valid_i (lane_rx_valid_i[From]),
        .in_data_i  (lane_rx_data_i[From]),
        .in_keep_i  (lane_rx_keep_i[From]),
        .in_last_i  (lane_rx_last_i[From]),
        .out_valid_o(ring_valid[l]),
        .out_ready_i(ring_ready[l]),
        .out_data_o (ring_data[l]),
        .out_keep_o (ring_keep[l]),
        .out_last_o (ring_last[l]),
        .empty_o    (ring_empty[l])
    );
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) lane_tx_pulse_o[l] <= 1'b0;
      else lane_tx_pulse_o[l] <= lane_rx_pulse_i[From];
    end
  end

  // Memory
  for (genvar c = 0; c < Channels; c++) begin : gen_copy
    assign copy_start[c] = command && frame[0] == 64'd2 && frame[2][55:48] == 8'(c);
    demo_copy #(
        .Width(MemWidth)
    ) i_copy (
        .clk_i,
        .rst_ni,
        .start_i   (copy_start[c]),
        .from_i    (frame[1][39:0]),
        .to_i      (frame[2][39:0]),
        .len_i     (frame[1][63:56]),
        .busy_o    (copy_busy[c]),
        .done_o    (copy_done[c]),
        .ar_valid_o(mem_ar_valid_o[c]),
        .ar_ready_i(mem_ar_ready_i[c]),
        .ar_addr_o (mem_ar_addr_o[c]),
        .ar_len_o  (mem_ar_len_o[c]),
        .r_valid_i (mem_r_valid_i[c]),
        .r_ready_o (mem_r_ready_o[c]),
        .r_data_i  (mem_r_data_i[c]),
        .r_last_i  (mem_r_last_i[c]),
        .aw_valid_o(mem_aw_valid_o[c]),
        .aw_ready_i(mem_aw_ready_i[c]),
        .aw_addr_o (mem_aw_addr_o[c]),
        .aw_len_o  (mem_aw_len_o[c]),
        .w_valid_o (mem_w_valid_o[c]),
        .w_ready_i (mem_w_ready_i[c]),
        .w_data_o  (mem_w_data_o[c]),
        .w_strb_o  (mem_w_strb_o[c]),
        .w_last_o  (mem_w_last_o[c]),
        .b_valid_i (mem_b_valid_i[c]),
        .b_ready_o (mem_b_ready_o[c])
    );
  end

  assign idle_o = &ring_empty && !streaming && !response_q && copy_busy == '0 && copy_done == '0 && lane_tx_pulse_o == '0;
endmodule

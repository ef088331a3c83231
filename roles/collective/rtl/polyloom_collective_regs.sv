// SPDX-License-Identifier: Apache-2.0
// polyloom_collective_regs: the role's registers and the events for the host.
// How:          a request is answered one cycle after it is seen. start, hello and clear act in the cycle in which they
//               are seen; clear waits until nothing is outstanding at memories and lanes, then flush_o empties all.
// Latency:      1 cycle.
// Throughput:   one request every 2 cycles.
// Backpressure: none; up to 4 events wait for the host.
// Order/loss:   events in order. A program needs a start, so a host that reads its events loses none.
// Reset:        idle, node number 0, no watchdog, no peer known, marks 0.
// Limits:       start while not idle, or past the program memory, and clear while running are answered with an error.
// Cost:         568 LUT, 451 FF; 444 ALM; the queue of events apart
//               (one, of 7 lanes, 8 channels, no block checks; see polyloom_collective_engine).
// Source:       own design; map: program.h.
// Tests:        test_polyloom_collective_regs.py, rtl_engine.cc
module polyloom_collective_regs
  import polyloom_collective_pkg::*;
  import polyloom_collective_encoding_pkg::*;
  import polyloom_operator_pkg::STATUS_STRIDE;
#(
    parameter cfg_t Cfg = SMALL,
    parameter int unsigned StatusWords = 1,
    localparam int unsigned IndexW = $clog2(Cfg.program_size)
) (
    input logic clk_i,
    input logic rst_ni,
    input logic [63:0] cycle_i,
    // shell: held until the response
    input logic reg_valid_i,
    input logic reg_write_i,
    input logic [31:0] reg_index_i,
    input logic [63:0] reg_data_i,
    output logic reg_valid_o,
    output logic reg_error_o,
    output logic [63:0] reg_data_o,
    // shell: events (EventFrame)
    output logic event_valid_o,
    input logic event_ready_i,
    output logic [7:0] event_code_o,
    output logic [23:0] event_detail_o,
    output logic [63:0] event_begin_o,
    output logic [63:0] event_finish_o,
    output logic [63:0] event_value_o,
    // sequencer
    output logic start_o,
    output logic [IndexW-1:0] start_index_o,
    input logic running_i,
    input logic mark_i,
    input logic [7:0] mark_index_i,
    input logic end_i,
    input logic [15:0] index_i,  // of the instruction shown
    input logic [15:0] step_i,  // of the step's go, or of what was refused
    // watch
    input logic stop_i,
    input logic [7:0] code_i,
    input logic [7:0] lane_i,
    input logic [63:0] value_i,
    output logic [31:0] watchdog_o,
    // To all parts
    input logic quiet_i,  // nothing outstanding at memories and lanes
    output logic flush_o,
    output logic hello_o,
    output logic [15:0] node_o,
    // rx lanes
    input logic [Cfg.lanes-1:0] hello_i,
    input logic [Cfg.lanes-1:0][15:0] hello_node_i,
    input logic [Cfg.lanes-1:0][7:0] hello_port_i,
    // operator
    input logic [Cfg.partitions-1:0][StatusWords-1:0][63:0] status_i,
    output logic idle_o  // nothing to do here
);
  localparam int unsigned L = Cfg.lanes;

  logic see, response_q, error, error_q, stop_q, clear_q, event_ready, stopped;
  logic [63:0] data, data_q, begin_q, finish_q;
  logic [31:0] watchdog_q, index;
  logic [15:0] node_q;
  logic [1:0] state;
  logic [L-1:0] peer_valid_q;
  logic [L-1:0][23:0] peer_q;
  logic [63:0] marks[MARKS];
  logic [MARKS-1:0] marked_q;

  assign see = reg_valid_i && !response_q;
  assign index = reg_index_i;
  assign state = stop_i ? 2'd2 : {1'b0, running_i};
  assign stopped = stop_i && !stop_q;

  always_comb begin
    data = '0;
    error = 1'b0;
    start_o = 1'b0;
    hello_o = 1'b0;
    if (index < 32'(REG_MARK)) begin
      unique case (index[11:0])
        REG_START: begin
          error   = !reg_write_i || state != 2'd0 || clear_q || (reg_data_i >> IndexW) != '0;
          start_o = see && !error;
        end
        REG_STATE: begin
          data  = 64'(state);
          error = reg_write_i;
        end
        REG_NODE: data = 64'(node_q);
        REG_HELLO: begin
          error   = !reg_write_i;
          hello_o = see && reg_write_i;
        end
        REG_WATCHDOG: data = 64'(watchdog_q);
        REG_CLEAR: error = !reg_write_i || state == 2'd1;
        REG_SHAPE: begin
          data  = {16'd0, 16'(Cfg.rx_beats), 8'd0, 8'(Cfg.op_inputs), 8'(L), 8'(Cfg.channels)};
          error = reg_write_i;
        end
        REG_PROGRAM_SIZE: begin
          data  = 64'(Cfg.program_size);
          error = reg_write_i;
        end
        REG_BEGIN: begin
          data  = begin_q;
          error = reg_write_i;
        end
        REG_FINISH: begin
          data  = finish_q;
          error = reg_write_i;
        end
        default: error = 1'b1;
      endcase
    end else begin
      error = 1'b1;
      if (index < 32'(REG_MARK) + MARKS) begin
        data  = marked_q[index[4:0]] ? marks[index[4:0]] : '0;
        error = reg_write_i;
      end
      for (int unsigned l = 0; l < L; l++) begin
        if (index == 32'(REG_PEER) + l) begin
          data  = peer_valid_q[l] ? {32'd0, 8'h80, peer_q[l]} : '0;
          error = reg_write_i;
        end
      end
      // Words that no operator has are zero.
      if (index >= 32'(REG_STATUS) && index < 32'h1000) error = reg_write_i;
      for (int unsigned p = 0; p < Cfg.partitions; p++) begin
        for (int unsigned i = 0; i < StatusWords; i++) begin
          if (index == 32'(REG_STATUS) + p * STATUS_STRIDE + i) data = status_i[p][i];
        end
      end
    end
  end
  assign start_index_o = reg_data_i[IndexW-1:0];
  assign flush_o = clear_q && quiet_i;
  assign reg_valid_o = response_q;
  assign reg_error_o = error_q;
  assign reg_data_o = data_q;
  assign node_o = node_q;
  assign watchdog_o = watchdog_q;
  assign idle_o = !response_q && !reg_valid_i && !clear_q && !event_valid_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      response_q <= 1'b0;
      clear_q <= 1'b0;
      stop_q <= 1'b0;
      node_q <= '0;
      watchdog_q <= '0;
      peer_valid_q <= '0;
      marked_q <= '0;
      begin_q <= '0;
      finish_q <= '0;
    end else begin
      response_q <= see;
      stop_q <= stop_i;
      if (see && reg_write_i && !error) begin
        if (index == 32'(REG_NODE)) node_q <= reg_data_i[15:0];
        if (index == 32'(REG_WATCHDOG)) watchdog_q <= reg_data_i[31:0];
        if (index == 32'(REG_CLEAR)) clear_q <= 1'b1;
      end
      if (flush_o) clear_q <= 1'b0;
      for (int unsigned l = 0; l < L; l++) if (hello_i[l]) peer_valid_q[l] <= 1'b1;
      if (mark_i && mark_index_i < 8'(MARKS)) marked_q[mark_index_i[4:0]] <= 1'b1;
      if (start_o) begin_q <= cycle_i;
      if (end_i || stopped) finish_q <= cycle_i;
    end
  end
  always_ff @(posedge clk_i) begin
    data_q  <= data;
    error_q <= error;
    for (int unsigned l = 0; l < L; l++) if (hello_i[l]) peer_q[l] <= {hello_node_i[l], hello_port_i[l]};
    if (mark_i && mark_index_i < 8'(MARKS)) marks[mark_index_i[4:0]] <= cycle_i;
  end

  logic [2:0] unused_count;
  polyloom_stream_ram_fifo #(
      .Width(8 + 24 + 3 * 64),
      .Depth(4)
  ) i_events (
      .clk_i,
      .rst_ni,
      .flush_i(1'b0),
      .in_valid_i(end_i || stopped),
      .in_ready_o(event_ready),
      .in_i({
        stopped ? code_i : 8'd0,
        stopped ? lane_i : 8'd0,
        stopped ? step_i : index_i,
        begin_q,
        cycle_i,
        stopped ? value_i : 64'd0
      }),
      .out_valid_o(event_valid_o),
      .out_ready_i(event_ready_i),
      .out_o({event_code_o, event_detail_o, event_begin_o, event_finish_o, event_value_o}),
      .usage_o(unused_count)
  );
  logic unused;
  assign unused = event_ready;
endmodule

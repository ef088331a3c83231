// SPDX-License-Identifier: Apache-2.0
// collective_parts: small modules of the role, each alone; a part of collective_tb.
module collective_parts
  import polyloom_collective_pkg::*;
  import polyloom_stream_pkg::beat_t;
(
    input logic clk_i,
    input logic rst_ni
);
  // Sources of a sink: one of one, two of five, all five, one of five.
  for (genvar k = 0; k < 4; k++) begin : gen_pick
    localparam int unsigned Sources = k == 0 ? 1 : 5;
    localparam logic [4:0] Reach = k == 1 ? 5'b10010 : k == 3 ? 5'b01000 : 5'b11111;
    logic go = 1'b0;
    logic [Sources-1:0] select = '0;
    beat_t [Sources-1:0] src = '0;
    beat_t beat;
    polyloom_collective_pick #(
        .Sources(Sources),
        .Reach  (Reach[Sources-1:0])
    ) i_dut (
        .clk_i,
        .go_i    (go),
        .select_i(select),
        .src_i   (src),
        .beat_o  (beat)
    );
  end

  // Operators: none; pass with 3 inputs and 2 outputs; pass and partition, twice 1 and 2.
  function automatic cfg_t config_of(int unsigned operators, int unsigned program_size);
    cfg_t c;
    c = SMALL;
    c.program_size = program_size;
    c.op_inputs = operators == 0 ? 0 : operators == 1 ? 3 : 1;
    c.op_outputs = operators == 0 ? 0 : 2;
    c.op_kinds = operators == 2 ? 12 : 8;
    c.partitions = operators == 2 ? 2 : 1;
    c.record_beats = 4;
    return c;
  endfunction

  for (genvar k = 0; k < 2; k++) begin : gen_program  // 16 instructions, 64
    localparam cfg_t Cfg = config_of(0, k == 0 ? 16 : 64);
    localparam int unsigned IndexW = $clog2(Cfg.program_size);
    logic host_valid = 1'b0, host_ready, answer_valid, running = 1'b0, start = 1'b0, next = 1'b0, shown;
    struct packed {
      logic write;
      logic [IndexW+1:0] addr;
      logic [63:0] data;
    } host = '0;
    logic [63:0] answer;
    logic [IndexW-1:0] start_index = '0, index;
    instruction_t instruction;
    polyloom_collective_program #(
        .Cfg(Cfg)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .host_valid_i (host_valid),
        .host_ready_o (host_ready),
        .host_write_i (host.write),
        .host_addr_i  (host.addr),
        .host_data_i  (host.data),
        .host_valid_o (answer_valid),
        .host_data_o  (answer),
        .running_i    (running),
        .start_i      (start),
        .start_index_i(start_index),
        .next_i       (next),
        .valid_o      (shown),
        .instruction_o(instruction),
        .index_o      (index)
    );
  end

  for (genvar k = 0; k < 3; k++) begin : gen_slot
    localparam int unsigned Inputs = k == 0 ? 1 : k == 1 ? 3 : 2;
    localparam int unsigned Outputs = k == 0 ? 1 : k == 1 ? 2 : 4;
    localparam int unsigned Partitions = k == 2 ? 2 : 1;
    logic stop = 1'b0, flush = 1'b0, go = 1'b0, active;
    logic [Inputs-1:0] feed = '0, in_valid = '0, in_ready;
    config_step_t [Outputs-1:0] config_step = '0;
    fault_t fault;
    logic [Partitions-1:0][1:0][63:0] status;
    beat_t [Inputs-1:0] in = '0;
    logic [Outputs-1:0] out_valid, out_ready = '0;
    beat_t [Outputs-1:0] out;
    polyloom_collective_slot #(
        .Cfg        (config_of(k, 16)),
        .StatusWords(2)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .stop_i     (stop),
        .flush_i    (flush),
        .go_i       (go),
        .feed_i     (feed),
        .config_i   (config_step),
        .active_o   (active),
        .fault_o    (fault),
        .status_o   (status),
        .in_valid_i (in_valid),
        .in_ready_o (in_ready),
        .in_i       (in),
        .out_valid_o(out_valid),
        .out_ready_i(out_ready),
        .out_o      (out)
    );
  end
endmodule

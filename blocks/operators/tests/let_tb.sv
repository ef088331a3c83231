// SPDX-License-Identifier: Apache-2.0
// let_tb: parts of the LET operator alone, for cocotb; the operator as a whole is compared by let_rtl_test.cc.
module let_tb
  import polyloom_operator_pkg::*;
  import polyloom_stream_pkg::*;
(
    input logic clk_i,
    input logic rst_ni
);
  for (genvar k = 0; k < 3; k++) begin : gen_delay
    localparam int unsigned Latencies[3] = '{3, 24, 37};
    logic en = 1'b0;
    let_node_t node = '0, next, out;
    polyloom_op_let_delay #(
        .Latency(Latencies[k])
    ) i_dut (
        .clk_i,
        .rst_ni,
        .en_i  (en),
        .node_i(node),
        .next_o(next),
        .node_o(out)
    );
  end

  for (genvar k = 0; k < 2; k++) begin : gen_geometry
    logic en = 1'b0, far;
    let_target_t target = '0;
    logic [2:0][2:0][31:0] position = '0;
    logic [31:0] q = '0;
    polyloom_op_let_geometry #(
        .Latency(24 + 3 * k)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .en_i      (en),
        .target_i  (target),
        .position_i(position),
        .q_i       (q),
        .far_o     (far)
    );
  end

  for (genvar k = 0; k < 2; k++) begin : gen_resolve  // room for 256 opened nodes, and for 4
    logic flush = 1'b0, en = 1'b0, on = 1'b0, record = 1'b0, last = 1'b0, opens = 1'b0, far = 1'b0;
    let_node_t node = '0, out_node;
    logic [LET_ID:0] id = '0;
    logic [LET_COUNT:0] kids = '0;
    logic out_record, out_last, depth;
    polyloom_op_let_resolve #(
        .OpenDepth(k == 0 ? 256 : 4)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .flush_i (flush),
        .en_i    (en),
        .on_i    (on),
        .record_i(record),
        .last_i  (last),
        .node_i  (node),
        .id_i    (id),
        .kids_i  (kids),
        .opens_i (opens),
        .far_i   (far),
        .record_o(out_record),
        .last_o  (out_last),
        .node_o  (out_node),
        .depth_o (depth)
    );
  end

  if (1) begin : gen_pack
    logic flush = 1'b0, en = 1'b0, padded = 1'b0, record = 1'b0, last = 1'b0, valid, busy;
    let_node_t node = '0;
    beat_t beat;
    polyloom_op_let_pack i_dut (
        .clk_i,
        .rst_ni,
        .flush_i (flush),
        .en_i    (en),
        .padded_i(padded),
        .record_i(record),
        .last_i  (last),
        .node_i  (node),
        .valid_o (valid),
        .beat_o  (beat),
        .busy_o  (busy)
    );
  end

  for (genvar k = 0; k < 2; k++) begin : gen_unpack  // 1 output and 3
    localparam int unsigned Outputs = k == 0 ? 1 : 3;
    logic flush = 1'b0, start = 1'b0, en = 1'b0, padded = 1'b0, parent_first = 1'b0, empty = 1'b0;
    logic in_valid = 1'b0, in_ready, record, last, cut, is_open;
    logic [Outputs-1:0] used = '0, on, target_we;
    logic [LET_ID:0] known = '0;
    beat_t in = '0;
    let_node_t node;
    polyloom_op_let_unpack #(
        .Outputs(Outputs)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .flush_i       (flush),
        .start_i       (start),
        .used_i        (used),
        .en_i          (en),
        .padded_i      (padded),
        .parent_first_i(parent_first),
        .valid_i       (in_valid),
        .take_o        (in_ready),
        .beat_i        (in),
        .empty_i       (empty),
        .known_i       (known),
        .on_o          (on),
        .target_we_o   (target_we),
        .record_o      (record),
        .last_o        (last),
        .node_o        (node),
        .cut_o         (cut),
        .open_o        (is_open)
    );
  end

  if (1) begin : gen_lane
    logic flush = 1'b0, start = 1'b0, en = 1'b0, on = 1'b0, padded = 1'b0, target_we = 1'b0;
    let_target_t target = '0;
    logic [2:0][2:0][31:0] position = '0;
    logic [31:0] q = '0;
    logic record = 1'b0, last = 1'b0, opens = 1'b0, kept, depth, room, busy, out_valid, out_ready = 1'b0;
    let_node_t node = '0;
    logic [LET_ID:0] id = '0;
    logic [LET_COUNT:0] kids = '0;
    beat_t out;
    polyloom_op_let_lane #(
        .Latency  (25),
        .OpenDepth(64)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .flush_i    (flush),
        .start_i    (start),
        .en_i       (en),
        .on_i       (on),
        .padded_i   (padded),
        .target_we_i(target_we),
        .target_i   (target),
        .position_i (position),
        .q_i        (q),
        .record_i   (record),
        .last_i     (last),
        .node_i     (node),
        .id_i       (id),
        .kids_i     (kids),
        .opens_i    (opens),
        .kept_o     (kept),
        .depth_o    (depth),
        .room_o     (room),
        .busy_o     (busy),
        .out_valid_o(out_valid),
        .out_ready_i(out_ready),
        .out_o      (out)
    );
  end

  for (genvar k = 0; k < 2; k++) begin : gen_let  // 2 inputs and 3 outputs; 1 and 1 with room for 4 opened nodes
    localparam int unsigned Inputs = k == 0 ? 2 : 1;
    localparam int unsigned Outputs = k == 0 ? 3 : 1;
    logic flush = 1'b0, step = 1'b0, idle;
    logic [Outputs-1:0] cfg_valid = '0, out_valid, out_ready = '0;
    logic [Outputs-1:0][63:0] cfg_word = '0;
    logic [Outputs-1:0][Inputs-1:0] cfg_mask = '0;
    logic [Inputs-1:0] in_valid = '0, in_ready;
    beat_t [Inputs-1:0] in = '0;
    beat_t [Outputs-1:0] out;
    logic [1+Outputs:0][63:0] status;
    polyloom_op_let #(
        .Inputs         (Inputs),
        .Outputs        (Outputs),
        .GeometryLatency(k == 0 ? 0 : 31),
        .OpenDepth      (k == 0 ? 256 : 4)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .flush_i    (flush),
        .step_i     (step),
        .cfg_valid_i(cfg_valid),
        .cfg_word_i (cfg_word),
        .cfg_mask_i (cfg_mask),
        .in_valid_i (in_valid),
        .in_ready_o (in_ready),
        .in_i       (in),
        .out_valid_o(out_valid),
        .out_ready_i(out_ready),
        .out_o      (out),
        .idle_o     (idle),
        .status_o   (status)
    );
  end
endmodule

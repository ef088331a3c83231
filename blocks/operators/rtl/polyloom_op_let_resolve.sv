// SPDX-License-Identifier: Apache-2.0
// polyloom_op_let_resolve: decides in order which records one output keeps, and gives them their new children.
// How:          a record stays if it is the root or a child of one that was opened. Ranges of children ascend, so a FIFO
//               of (first child, children) of opened nodes says it: the head's first child is the record, or children of
//               an earlier head are left. A record that stays, is not far and has children is opened: its range
//               goes into the FIFO, its first child becomes 1 + the children of all opened before it. Others are
//               closed: q = -1, no children, their own new number. A parent leaves the pipe before its children, and
//               a range can be the head one cycle later, so nothing ever waits.
// Latency:      1 enabled cycle.
// Throughput:   one record an enabled cycle.
// Backpressure: none: it stands while en_i is low.
// Order/loss:   kept. An opened node that finds the FIFO full sets depth_o, and its children will not stay.
// Reset:        empty; number 0 comes next. flush_i and the end of a stream do the same.
// Limits:       OpenDepth >= 4. Numbers that are not breadth-first lose records, but it never stops.
// Cost:         348 LUT, 400 FF, 4 BRAM36 of 4,096 opened nodes (UltraScale+, Yosys 0.70, 2026-11).
// Source: own design (PEACH2 has a mask of all records).   Tests: test_polyloom_op_let_resolve.py, let_rtl_test.cc, let_test.cc (model).
module polyloom_op_let_resolve
  import polyloom_operator_pkg::*;
#(
    parameter int unsigned OpenDepth = 4096
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    input  logic                    flush_i,
    input  logic                    en_i,
    input  logic                    on_i,      // this output is used
    // From the exit of the pipe, the same for all outputs but for far_i
    input  logic                    record_i,
    input  logic                    last_i,
    input  let_node_t               node_i,
    input  logic      [   LET_ID:0] id_i,      // number of the record
    input  logic      [LET_COUNT:0] kids_i,    // its children; none if it may never be opened
    input  logic                    opens_i,   // it has children
    input  logic                    far_i,
    // To the packer
    output logic                    record_o,
    output logic                    last_o,
    output let_node_t               node_o,
    // To the operator, in the cycle before
    output logic                    depth_o    // the FIFO is full
);

  typedef struct packed {
    logic [LET_COUNT-1:0] more;   // children beyond the first
    logic [LET_ID-1:0]    first;
  } range_t;

  logic head_valid_q, newest_valid_q, fifo_ready, fifo_valid;
  range_t head_q, newest_q, opened, second;
  logic [LET_COUNT-1:0] left_q;
  logic [LET_ID-1:0] id_q, next_q;
  logic [$clog2(OpenDepth-1)-1:0] usage_unused;

  wire record = record_i & on_i;
  wire in_range = |left_q;
  wire begins = ~in_range & head_valid_q & ({1'b0, head_q.first} == id_i);
  wire stays = record & (in_range | begins | (id_i == '0));
  wire open = stays & opens_i & ~far_i;
  wire ends = last_i & en_i;
  assign opened = '{more: LET_COUNT'(kids_i - 1'b1), first: node_i.first};

  // Registers at both ends of the RAM, as what happens here is known late in a cycle: the head, which was compared,
  // and the newest range. It passes what is empty before it.
  wire free = (record & begins & en_i) | ~head_valid_q;
  wire newest_to_head = newest_valid_q & free & ~fifo_valid;
  wire newest_stays = newest_valid_q & ~newest_to_head & ~fifo_ready;
  wire direct = free & ~fifo_valid & ~newest_valid_q;
  assign depth_o = open & en_i & newest_valid_q & ~fifo_ready;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_valid_q   <= 1'b0;
      newest_valid_q <= 1'b0;
    end else if (flush_i || ends) begin
      head_valid_q   <= 1'b0;
      newest_valid_q <= 1'b0;
    end else begin
      if (free) head_valid_q <= fifo_valid | newest_valid_q | (open & en_i);
      newest_valid_q <= newest_stays | (open & en_i & ~direct);
    end
  end
  always_ff @(posedge clk_i) begin
    if (free) head_q <= fifo_valid ? second : newest_valid_q ? newest_q : opened;
    if (!newest_stays) newest_q <= opened;
  end
  polyloom_stream_ram_fifo #(
      .T    (range_t),
      .Depth(OpenDepth - 2)
  ) i_opened (
      .clk_i,
      .rst_ni,
      .flush_i    (flush_i | ends),
      .in_valid_i (newest_valid_q & ~newest_to_head),
      .in_ready_o (fifo_ready),
      .in_i       (newest_q),
      .out_valid_o(fifo_valid),
      .out_ready_i(free),
      .out_o      (second),
      .usage_o    (usage_unused)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_q   <= '0;
      id_q     <= '0;
      next_q   <= LET_ID'(1);
      record_o <= 1'b0;
      last_o   <= 1'b0;
    end else if (flush_i) begin
      left_q   <= '0;
      id_q     <= '0;
      next_q   <= LET_ID'(1);
      record_o <= 1'b0;
      last_o   <= 1'b0;
    end else if (en_i) begin
      record_o <= stays;
      last_o   <= last_i & on_i;
      if (last_i) begin
        left_q <= '0;
        id_q   <= '0;
        next_q <= LET_ID'(1);
      end else if (record) begin
        if (in_range) left_q <= left_q - 1'b1;
        else if (begins) left_q <= head_q.more;
        if (stays) id_q <= id_q + 1'b1;
        if (open) next_q <= next_q + LET_ID'(kids_i);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      node_o <= node_i;
      if (open) begin
        node_o.first <= next_q;
      end else begin
        node_o.q     <= 32'hbf800000;
        node_o.count <= '0;
        node_o.first <= id_q;
      end
    end
  end

  if (OpenDepth < 4) begin : gen_bad_depth
    $error("%m: OpenDepth %0d; at least 4", OpenDepth);
  end

endmodule

// SPDX-License-Identifier: Apache-2.0
// polyloom_collective_tx: puts blocks and control words on a lane.
// How:          switch -> FIFO of tx_beats -> wire. With block checks a signature frame goes before the data frame and
//               a check frame (CRC-32 of its words) after it. hello and abort go between frames.
//               After a fault: an open frame is ended by one word, then abort, then silence.
// Latency:      a beat leaves one cycle after it was accepted (tx_cycles) if the wire is free.
// Throughput:   one beat a cycle while lane_tx_ready_i; with block checks 2 + 3 cycles more a block.
// Backpressure: the FIFO's register stands between lane_tx_ready_i and ready_o; valid and payload stay until ready.
// Order/loss:   in order; after a fault the rest of the block is dropped.
// Reset:        control only.
// Limits:       tx_beats 2..64. Without block checks a block of 16 bytes or less is sent as two words, so that no
//               data frame looks like a control word, and rounded up to elements of 4 bytes.
// Cost:         351 LUT, 61 FF; 213 ALM; its FIFO and CRC apart
//               (one, of 7 lanes, 8 channels, no block checks; see polyloom_collective_engine).
// Source:       own design; frames: program.h (LaneControl).
// Tests:        test_polyloom_collective_tx.py, rtl_engine.cc
module polyloom_collective_tx
  import polyloom_collective_pkg::*;
  import polyloom_collective_encoding_pkg::*;
  import polyloom_stream_pkg::beat_t;
#(
    parameter cfg_t Cfg = SMALL
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    input  logic               stop_i,
    input  logic               flush_i,
    input  logic               hello_i,          // one cycle
    input  logic       [ 15:0] node_i,
    input  logic       [  7:0] lane_i,
    input  logic       [  7:0] stop_code_i,      // stable while stop_i
    // from sequencer and sync
    input  logic               go_i,
    input  lane_step_t         step_i,
    input  logic               begin_i,
    output logic               active_o,
    output logic               idle_o,           // nothing to send, and after a stop: abort has left
    // from switch
    input  logic               valid_i,
    output logic               ready_o,
    input  beat_t              beat_i,
    // lane
    output logic               lane_tx_valid_o,
    input  logic               lane_tx_ready_i,
    output logic       [255:0] lane_tx_data_o,
    output logic       [ 31:0] lane_tx_keep_o,
    output logic               lane_tx_last_o
);
  localparam bit Check = Cfg.block_check != 0;
  typedef enum logic [2:0] {
    NOTHING,
    DATA,
    SIGNATURE,
    CHECK,
    HELLO,
    ABORT,
    CLOSE
  } kind_e;

  logic active_q, pulse_only_q, pending_q, in_frame_q;
  logic signature_due_q, opened_q;  // signature still to send; sent, its data frame has not begun
  logic check_due_q, hello_due_q, abort_sent_q;
  logic [1:0] check_wait_q;  // the CRC is two cycles behind
  logic [31:0] signature_q, crc;
  logic [15:0] block_q;
  kind_e kind, kind_q;
  logic fire, fifo_valid, fifo_ready, short_block, empty;
  logic [31:0] short_keep;
  beat_t head;
  logic [$clog2(Cfg.tx_beats+1)-1:0] unused_count;

  polyloom_stream_ram_fifo #(
      .T(beat_t),
      .Depth(Cfg.tx_beats)
  ) i_fifo (
      .clk_i,
      .rst_ni,
      .flush_i,
      .in_valid_i(valid_i),
      .in_ready_o(ready_o),
      .in_i(beat_i),
      .out_valid_o(fifo_valid),
      .out_ready_i(fifo_ready),
      .out_o(head),
      .usage_o(unused_count)
  );

  always_comb begin
    kind = NOTHING;
    if (pending_q) kind = kind_q;
    else if (stop_i) begin
      if (in_frame_q || opened_q) kind = CLOSE;
      else if (!abort_sent_q) kind = ABORT;
    end else if (check_due_q) begin
      if (check_wait_q == '0) kind = CHECK;
    end else if (hello_due_q && !in_frame_q && !opened_q) kind = HELLO;
    else if (signature_due_q) kind = SIGNATURE;
    else if (fifo_valid) kind = DATA;
  end

  // An empty stream (an output of the partition operator without keys) goes as one word of zeros that does not count.
  assign empty = head.last && !head.keep[0];
  // Without checks a short block's second word says what counts (program.h, short_keep).
  assign short_block = !Check && !in_frame_q && head.last && !head.keep[16];
  assign short_keep = head.keep[12] ? 32'h0000_ffff : head.keep[8] ? 32'h0000_0fff :
                      head.keep[4] ? 32'h0000_07ff : head.keep[0] ? 32'h0000_03ff : 32'h0000_01ff;
  always_comb begin
    lane_tx_data_o = '0;
    lane_tx_keep_o = 32'h0000_00ff;
    lane_tx_last_o = 1'b1;
    unique case (kind)
      DATA: begin
        lane_tx_data_o = empty ? '0 : head.data;
        lane_tx_keep_o = !head.last ? '1 : short_block ? short_keep : head.keep;
        lane_tx_last_o = head.last;
      end
      SIGNATURE: lane_tx_data_o[63:0] = {signature_q, block_q, 8'd0, CONTROL_SIGNATURE};
      CHECK:     lane_tx_data_o[63:0] = {crc, block_q, 8'd0, CONTROL_CHECK};
      HELLO:     lane_tx_data_o[63:0] = {CONTROL_MARK, 16'd0, node_i, lane_i, CONTROL_HELLO};
      ABORT:     lane_tx_data_o[63:0] = {CONTROL_MARK, 16'd0, node_i, stop_code_i, CONTROL_ABORT};
      default:   ;
    endcase
  end
  assign lane_tx_valid_o = kind != NOTHING;
  assign fire = lane_tx_valid_o && lane_tx_ready_i;
  assign fifo_ready = kind == DATA && lane_tx_ready_i;
  assign active_o = active_q;
  assign idle_o = !active_q && !hello_due_q && !lane_tx_valid_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      pulse_only_q <= 1'b0;
      pending_q <= 1'b0;
      in_frame_q <= 1'b0;
      signature_due_q <= 1'b0;
      opened_q <= 1'b0;
      check_due_q <= 1'b0;
      check_wait_q <= '0;
      hello_due_q <= 1'b0;
      abort_sent_q <= 1'b0;
      block_q <= '1;
      kind_q <= NOTHING;
    end else begin
      pending_q <= lane_tx_valid_o && !lane_tx_ready_i;
      kind_q <= kind;
      if (fire && (kind == DATA || kind == CLOSE)) in_frame_q <= !lane_tx_last_o;
      if (hello_i) hello_due_q <= 1'b1;
      else if (fire && kind == HELLO) hello_due_q <= 1'b0;
      if (!stop_i) abort_sent_q <= 1'b0;
      else if (fire && kind == ABORT) abort_sent_q <= 1'b1;
      if (check_wait_q != '0) check_wait_q <= check_wait_q - 2'd1;
      if (fire && kind == SIGNATURE) signature_due_q <= 1'b0;
      if (fire && kind == SIGNATURE) opened_q <= 1'b1;
      else if (fire && (kind == DATA || kind == CLOSE)) opened_q <= 1'b0;
      if (Check && fire && kind == DATA && head.last) begin
        check_due_q  <= 1'b1;
        check_wait_q <= 2'd2;
      end else if (fire && kind == CHECK) check_due_q <= 1'b0;
      if (go_i && step_i.valid) begin
        active_q <= 1'b1;
        pulse_only_q <= step_i.pulse_only;
      end else if (begin_i && pulse_only_q) active_q <= 1'b0;
      else if (fire && (Check ? kind == CHECK : kind == DATA && head.last)) active_q <= 1'b0;
      if (begin_i) block_q <= block_q + 16'd1;
      if (Check && begin_i && !pulse_only_q) signature_due_q <= 1'b1;
      if (flush_i) begin
        active_q <= 1'b0;
        signature_due_q <= 1'b0;
        check_due_q <= 1'b0;
        in_frame_q <= 1'b0;
        opened_q <= 1'b0;
        block_q <= '1;
      end
    end
  end
  always_ff @(posedge clk_i) if (go_i && step_i.valid) signature_q <= step_i.signature;

  if (Check) begin : gen_crc
    logic unused_crc_valid;
    polyloom_crc32 #(
        .Words(BEAT_WORDS)
    ) i_crc (
        .clk_i,
        .rst_ni,
        .valid_i(fifo_ready && fifo_valid),
        .first_i(!in_frame_q),
        .count_i(empty ? 3'd1 : head.last ? keep_words(
            {head.keep[24], head.keep[16], head.keep[8], head.keep[0]}
        ) : 3'd4),
        .data_i(empty ? '0 : head.data),
        .crc_valid_o(unused_crc_valid),
        .crc_o(crc)
    );
  end else begin : gen_no_crc
    assign crc = '0;
  end

  logic unused_step;
  assign unused_step = step_i.eager;
endmodule

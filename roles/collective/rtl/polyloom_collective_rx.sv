// SPDX-License-Identifier: Apache-2.0
// polyloom_collective_rx: takes blocks and control words from a lane.
// How:          wire -> control words out -> buffer of rx_beats -> source. A block waits in the buffer until a step
//               takes it (eager: it may come before). With block checks its signature must be the step's, and its
//               check frame must hold the CRC of its words.
// Latency:      a beat is at the source one cycle after it came (rx_cycles).
// Throughput:   one beat a cycle.
// Backpressure: none to the lane: a beat that finds the buffer full is an overflow fault.
// Order/loss:   in order; none lost without a fault.
// Reset:        control only.
// Limits:       at most one block undrained (the pulses see to it).
// Cost:         94 LUT, 5 FF; 79 ALM; its buffer (rx_beats x 289 bits) and CRC apart
//               (one, of 7 lanes, 8 channels, no block checks; see polyloom_collective_engine).
// Source:       own design, after OPTWEB sections 2.C and 3.
// Tests:        test_polyloom_collective_rx.py, rtl_engine.cc
module polyloom_collective_rx
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
    // lane
    input  logic               lane_rx_valid_i,
    input  logic       [255:0] lane_rx_data_i,
    input  logic       [ 31:0] lane_rx_keep_i,
    input  logic               lane_rx_last_i,
    // from sequencer
    input  logic               go_i,
    input  lane_step_t         step_i,
    output logic               active_o,
    // to sync
    output logic               drained_o,        // an eager block has left the buffer, in this cycle
    // to switch
    output logic               valid_o,
    input  logic               ready_i,
    output beat_t              beat_o,
    // to registers and fault collector
    output logic               hello_o,
    output logic       [ 15:0] hello_node_o,
    output logic       [  7:0] hello_port_o,
    output fault_t             fault_o
);
  localparam bit Check = Cfg.block_check != 0;

  logic active_q, eager_q, fresh_q, moved_q;  // moved: the last beat has left the buffer
  logic in_frame_q, word_frame, control, data;
  logic push, room, accepted, source_ok;
  logic [7:0] kind;
  logic [$clog2(Cfg.rx_beats+1)-1:0] unused_count;
  logic [31:0] keep;
  beat_t head;
  logic head_valid;
  logic signature_ok, check_done;
  fault_t check_fault;

  // Control words are frames of one word. With block checks every frame outside data is one; else the mark tells.
  assign word_frame = !in_frame_q && lane_rx_last_i && !lane_rx_keep_i[8];
  assign kind = lane_rx_data_i[7:0];
  assign data = lane_rx_valid_i && !control && !stop_i;
  assign push = data;
  assign hello_o = lane_rx_valid_i && control && kind == CONTROL_HELLO;
  assign hello_node_o = lane_rx_data_i[31:16];
  assign hello_port_o = lane_rx_data_i[15:8];

  polyloom_stream_ram_fifo #(
      .T(beat_t),
      .Depth(Cfg.rx_beats)
  ) i_buffer (
      .clk_i,
      .rst_ni,
      .flush_i,
      .in_valid_i(push),
      .in_ready_o(room),
      .in_i({lane_rx_last_i, keep, lane_rx_data_i}),
      .out_valid_o(head_valid),
      .out_ready_i(accepted),
      .out_o(head),
      .usage_o(unused_count)
  );
  assign source_ok = active_q && !moved_q && signature_ok && !stop_i;
  assign valid_o = head_valid && source_ok;
  assign beat_o = head;
  assign accepted = valid_o && ready_i;
  assign drained_o = accepted && head.last && eager_q;
  assign active_o = active_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      eager_q <= 1'b0;
      fresh_q <= 1'b0;
      moved_q <= 1'b0;
      in_frame_q <= 1'b0;
    end else begin
      // Frame boundaries are followed while stopped too, so that nothing is misread after clear.
      if (lane_rx_valid_i && !control) in_frame_q <= !lane_rx_last_i;
      fresh_q <= 1'b0;
      if (flush_i) begin
        active_q <= 1'b0;
        moved_q  <= 1'b0;
      end else if (go_i && step_i.valid) begin
        active_q <= !step_i.pulse_only;
        eager_q  <= step_i.eager;
        fresh_q  <= 1'b1;
        moved_q  <= 1'b0;
      end else if (active_q) begin
        if (accepted && head.last) moved_q <= 1'b1;
        if (Check ? (moved_q && check_done) : (accepted && head.last)) active_q <= 1'b0;
      end
    end
  end

  if (Check) begin : gen_check
    logic due_q, pending_q, check_due_q, signed_q, right_q, done_q, compare_q;
    logic [1:0] wait_q;
    logic [31:0] signature_q, expected_q, sent_crc_q, crc;
    logic [15:0] number_q, block_q;

    // due: the next frame is the block's data.
    assign control = !in_frame_q && !due_q;
    logic unused_crc_valid;
    polyloom_crc32 #(
        .Words(BEAT_WORDS)
    ) i_crc (
        .clk_i,
        .rst_ni,
        .valid_i(push),
        .first_i(!in_frame_q),
        // An empty stream comes as one word that does not count, but is checked.
        .count_i(!lane_rx_last_i ? 3'd4 : !lane_rx_keep_i[0] ? 3'd1 : keep_words(
            {lane_rx_keep_i[24], lane_rx_keep_i[16], lane_rx_keep_i[8], lane_rx_keep_i[0]}
        )),
        .data_i(lane_rx_data_i),
        .crc_valid_o(unused_crc_valid),
        .crc_o(crc)
    );
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        due_q <= 1'b0;
        pending_q <= 1'b0;
        check_due_q <= 1'b0;
        signed_q <= 1'b0;
        right_q <= 1'b0;
        done_q <= 1'b0;
        compare_q <= 1'b0;
        wait_q <= '0;
        block_q <= '1;
      end else begin
        if (lane_rx_valid_i) begin
          if (!control) due_q <= 1'b0;
          else if (kind == CONTROL_SIGNATURE) due_q <= 1'b1;
        end
        if (lane_rx_valid_i && !stop_i) begin
          if (control && kind == CONTROL_SIGNATURE) signed_q <= 1'b1;
          if (data && lane_rx_last_i) check_due_q <= 1'b1;
          if (control && kind == CONTROL_CHECK) begin
            check_due_q <= 1'b0;
            compare_q <= 1'b1;
            wait_q <= 2'd2;
          end
        end
        if (wait_q != '0) wait_q <= wait_q - 2'd1;
        if (compare_q && wait_q == '0) begin
          compare_q <= 1'b0;
          done_q <= 1'b1;
        end
        if (go_i && step_i.valid) begin
          pending_q <= !step_i.pulse_only;
          right_q   <= 1'b0;
          block_q   <= block_q + 16'd1;
        end else if (pending_q && signed_q) begin
          pending_q <= 1'b0;
          signed_q  <= 1'b0;
          right_q   <= signature_q == expected_q && number_q == block_q;
        end
        if (active_q && moved_q && done_q) begin
          done_q  <= 1'b0;
          right_q <= 1'b0;
        end
        if (flush_i) begin
          pending_q <= 1'b0;
          check_due_q <= 1'b0;
          signed_q <= 1'b0;
          right_q <= 1'b0;
          done_q <= 1'b0;
          compare_q <= 1'b0;
          block_q <= '1;
        end
      end
    end
    always_ff @(posedge clk_i) begin
      if (go_i && step_i.valid) expected_q <= step_i.signature;
      if (lane_rx_valid_i && control) begin
        if (kind == CONTROL_SIGNATURE) {signature_q, number_q} <= lane_rx_data_i[63:16];
        if (kind == CONTROL_CHECK) sent_crc_q <= lane_rx_data_i[63:32];
      end
    end
    assign keep = lane_rx_keep_i;
    assign signature_ok = right_q;
    assign check_done = done_q;

    always_comb begin
      check_fault = '{code: FAULT_NONE, value: '0};
      if (pending_q && signed_q && (signature_q != expected_q || number_q != block_q)) begin
        check_fault = '{code: FAULT_SIGNATURE, value: {expected_q, signature_q}};
      end else if (compare_q && wait_q == '0 && crc != sent_crc_q) begin
        check_fault = '{code: FAULT_CHECK, value: {sent_crc_q, crc}};
      end else if (lane_rx_valid_i && control && (!word_frame ||
                   (kind == CONTROL_SIGNATURE && (signed_q || check_due_q)) ||
                   (kind == CONTROL_CHECK && !check_due_q) ||
                   (kind == CONTROL_ABORT && lane_rx_data_i[63:48] != CONTROL_MARK) ||
                   kind == 8'd0 || kind > CONTROL_CHECK)) begin
        check_fault = '{code: FAULT_UNEXPECTED, value: lane_rx_data_i[63:0]};
      end
    end
  end else begin : gen_no_check
    logic unused;
    assign control = word_frame;
    // A block of none, 4 or 8 bytes has three lengths of two words to itself (program.h, short_keep).
    assign keep = in_frame_q || !lane_rx_last_i || lane_rx_keep_i[11] ? lane_rx_keep_i :
                  {24'd0, {4{lane_rx_keep_i[10]}}, {4{lane_rx_keep_i[9]}}};
    assign signature_ok = 1'b1;
    assign check_done = 1'b1;
    assign check_fault.code = (lane_rx_valid_i && control && (lane_rx_data_i[63:48] != CONTROL_MARK ||
                               (kind != CONTROL_HELLO && kind != CONTROL_ABORT))) ? FAULT_UNEXPECTED : FAULT_NONE;
    assign check_fault.value = lane_rx_data_i[63:0];
    assign unused = ^{step_i.signature, check_done};
  end

  always_comb begin
    fault_o = '{code: FAULT_NONE, value: '0};
    if (!stop_i) begin
      if (lane_rx_valid_i && control && kind == CONTROL_ABORT && lane_rx_data_i[63:48] == CONTROL_MARK) begin
        fault_o = '{code: FAULT_ABORTED, value: lane_rx_data_i[63:0]};
      end else if (push && !room) begin
        fault_o = '{code: FAULT_OVERFLOW, value: lane_rx_data_i[63:0]};
      end else if (fresh_q && !eager_q && head_valid) begin
        // Data before this node's permission: the peer thinks that the block is eager.
        fault_o = '{code: FAULT_UNEXPECTED, value: head.data[63:0]};
      end else begin
        fault_o = check_fault;
      end
    end
  end
endmodule

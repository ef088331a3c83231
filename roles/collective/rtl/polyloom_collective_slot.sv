// SPDX-License-Identifier: Apache-2.0
// polyloom_collective_slot: the operator slot (blocks/operators) as the sequencer sees it: a step that is at work or done.
// How:          go configures the slot; the step is over when every input that is fed has had its last beat and the slot
//               is empty. An error bit in status word 0, of either partition, becomes a fault. Without operators all of
//               it is absent.
// Latency:      the operator's own.
// Throughput:   the operator's own.
// Backpressure: the operator's own; in_ready_o and out_valid_o come from registers.
// Order/loss:   the operator's own.
// Reset:        control.
// Limits:       op_inputs and op_outputs both zero or both 1..16; partition: see polyloom_op_partition.
// Cost:         the operators'.
// Source: own design, docs/design.md, section 4.7.   Tests: test_polyloom_collective_slot.py, swap_partition_test.cc.
module polyloom_collective_slot
  import polyloom_collective_pkg::*;
  import polyloom_collective_encoding_pkg::*;
  import polyloom_operator_pkg::ERRORS, polyloom_operator_pkg::ERR_LENGTH;
  import polyloom_stream_pkg::beat_t;
#(
    parameter cfg_t Cfg = SMALL,
    parameter int unsigned StatusWords = 1,
    localparam int unsigned P = Cfg.partitions,
    localparam int unsigned Inputs = Cfg.op_inputs > 0 ? Cfg.op_inputs * P : 1,  // of all partitions
    localparam int unsigned Outputs = Cfg.op_outputs > 0 ? Cfg.op_outputs * P : 1
) (
    input  logic                                              clk_i,
    input  logic                                              rst_ni,
    input  logic                                              stop_i,
    input  logic                                              flush_i,
    input  logic                                              go_i,
    input  logic         [ Inputs-1:0]                        feed_i,
    input  config_step_t [Outputs-1:0]                        config_i,
    output logic                                              active_o,
    output fault_t                                            fault_o,
    output logic         [      P-1:0][StatusWords-1:0][63:0] status_o,
    // streams
    input  logic         [ Inputs-1:0]                        in_valid_i,
    output logic         [ Inputs-1:0]                        in_ready_o,
    input  beat_t        [ Inputs-1:0]                        in_i,
    output logic         [Outputs-1:0]                        out_valid_o,
    input  logic         [Outputs-1:0]                        out_ready_i,
    output beat_t        [Outputs-1:0]                        out_o
);
  if (Cfg.op_inputs == 0) begin : gen_none
    logic unused;
    assign unused = ^{clk_i, rst_ni, stop_i, flush_i, go_i, feed_i, config_i, in_valid_i, in_i, out_ready_i};
    assign active_o = 1'b0;
    assign fault_o = '{code: FAULT_NONE, value: '0};
    assign status_o = '0;
    assign in_ready_o = '0;
    assign out_valid_o = '0;
    assign out_o = '0;
  end else begin : gen_slot
    logic [Inputs-1:0] fed_q, last;
    logic [Outputs-1:0] valid;
    logic [Outputs-1:0][7:0] kind;
    logic [Outputs-1:0][63:0] word;
    logic [Outputs-1:0][Inputs-1:0] mask;
    logic idle, working_q;

    always_comb begin
      for (int unsigned o = 0; o < Outputs; o++) begin
        valid[o] = config_i[o].valid;
        kind[o]  = config_i[o].kind;
        word[o]  = config_i[o].word;
        mask[o]  = config_i[o].inputs[Inputs-1:0];
      end
      for (int unsigned i = 0; i < Inputs; i++) last[i] = in_valid_i[i] && in_ready_o[i] && in_i[i].last;
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        fed_q <= '0;
        working_q <= 1'b0;
      end else if (flush_i) begin
        fed_q <= '0;
        working_q <= 1'b0;
      end else begin
        fed_q <= go_i ? feed_i : fed_q & ~last;
        working_q <= (go_i && |valid) || |fed_q || !idle;
      end
    end
    // working_q is one cycle longer than fed_q: a beat that has just come in is not yet seen in idle.
    assign active_o = working_q;
    logic [63:0] word0;  // the first's and the second's: what either met
    assign word0 = status_o[0][0] | status_o[P-1][0];
    assign fault_o.code = (word0[ERRORS-1:0] == '0 || stop_i || !working_q) ? FAULT_NONE :
                          word0[ERR_LENGTH] ? FAULT_LENGTH : FAULT_OPERATOR_ERROR;
    assign fault_o.value = word0;

    polyloom_op_slot #(
        .Kinds      (64'(Cfg.op_kinds)),
        .Inputs     (Cfg.op_inputs),
        .Outputs    (Cfg.op_outputs),
        .StatusWords(StatusWords),
        .RecordBeats(Cfg.record_beats),
        .Partitions (P)
    ) i_slot (
        .clk_i,
        .rst_ni,
        .flush_i,
        .step_i     (go_i),
        .cfg_valid_i(valid),
        .cfg_kind_i (kind),
        .cfg_word_i (word),
        .cfg_mask_i (mask),
        .in_valid_i,
        .in_ready_o,
        .in_i,
        .out_valid_o,
        .out_ready_i,
        .out_o,
        .idle_o     (idle),
        .status_o
    );
    logic unused;
    always_comb begin
      unused = 1'b0;
      for (int unsigned o = 0; o < Outputs; o++) unused ^= ^(config_i[o].inputs >> Inputs);
    end
  end
endmodule

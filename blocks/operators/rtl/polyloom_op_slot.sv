// SPDX-License-Identifier: Apache-2.0
// polyloom_op_slot: the operators that a node is built with, behind one port; each step chooses one of them.
// How:          the kinds of a step's used outputs must be one and the same; its number selects which operator is
//               offered the inputs and shows its outputs. The others are idle and see nothing.
//                 in --+--> reduce -----.
//                      +--> partition --+--> out      step i: kind_q
//                      +--> let --------|
//                      '--> pass -------'
//               With Partitions = 2 it holds that operator twice, so that a step can deal what leaves a node and what
//               comes to it: ports 0 .. Inputs - 1 are the first's, those from there on the second's, which works in
//               steps of kind partition only. Masks of the second's outputs have its inputs at their places.
// Latency:      that of the operator; the slot adds none.
// Throughput:   that of the operator.
// Backpressure: that of the operator: no port has a combinational path to another one.
// Order/loss:   kept; beats offered in the clock of step_i are refused or lost, so none may be.
// Reset:        no kind: in_ready_o and out_valid_o are low, idle_o is high.
// Limits:       Kinds is a bit mask over kind_e; each operator's own limits hold. A kind of the step that is not
//               held, or two kinds in one step, is error bit ERR_KIND and the slot stays silent. 1 <= Partitions <= 2.
// Cost:         8 by 8 with one operator: 6,667 LUT, 9 FF of multiplexers; the operators: their headers
//               (UltraScale+; in `polyloom synth collective_reduce`, Yosys 0.70, 2026-11).
// Source: own design, docs/design.md, section 4.7.   Tests: test_polyloom_op_slot.py
module polyloom_op_slot
  import polyloom_stream_pkg::beat_t;
  import polyloom_operator_pkg::*;
  import polyloom_operator_kinds_pkg::*;
#(
    parameter logic [63:0] Kinds = 64'he,  // bit k: operator of kind k is built
    parameter int unsigned Inputs = 8,
    parameter int unsigned Outputs = 8,
    parameter int unsigned StatusWords = 66,  // words shown; an operator with fewer shows zeros
    parameter int unsigned ReduceOutputs = 2,  // groups that reduce joins at once
    parameter int unsigned PartitionDepth = 16,  // beats between an input and an output of partition
    parameter int unsigned PartitionBuckets = 64,  // power of two
    parameter int unsigned RecordBeats = 1024,  // beats of keys an input that partition remembers
    parameter int unsigned LetGeometry = 0,  // cycles of let's geometry pipe; 0: those of its arithmetic
    parameter int unsigned LetOpenDepth = 4096,  // opened nodes an output whose children let waits for
    parameter int unsigned Partitions = 1,  // side by side, each with Inputs and Outputs
    localparam int unsigned Ins = Inputs * Partitions,
    localparam int unsigned Outs = Outputs * Partitions
) (
    input  logic                                          clk_i,
    input  logic                                          rst_ni,
    // From the sequencer: the configuration is sampled in the clock of step_i
    input  logic                                          flush_i,      // drops all in flight, configuration, status
    input  logic                                          step_i,       // a new step begins
    input  logic  [      Outs-1:0]                        cfg_valid_i,  // this step uses output o
    input  logic  [      Outs-1:0][            7:0]       cfg_kind_i,   // kind_e
    input  logic  [      Outs-1:0][           63:0]       cfg_word_i,   // how
    input  logic  [      Outs-1:0][        Ins-1:0]       cfg_mask_i,   // inputs that it takes
    // Streams
    input  logic  [       Ins-1:0]                        in_valid_i,
    output logic  [       Ins-1:0]                        in_ready_o,   // depends on registers only
    input  beat_t [       Ins-1:0]                        in_i,
    output logic  [      Outs-1:0]                        out_valid_o,  // depends on registers only
    input  logic  [      Outs-1:0]                        out_ready_i,
    output beat_t [      Outs-1:0]                        out_o,
    // To the sequencer
    output logic                                          idle_o,       // nothing in flight
    output logic  [Partitions-1:0][StatusWords-1:0][63:0] status_o      // of each partition; others use the first
);

  localparam int Reduce = int'(KIND_REDUCE);
  localparam int Partition = int'(KIND_PARTITION);
  localparam int Pass = int'(KIND_PASS);
  localparam int Let = int'(KIND_LET);
  localparam int unsigned KindNumbers = KINDS;  // a user's operator: its row in spec/, and a generate block below
  localparam int unsigned ReduceOuts = (ReduceOutputs < Outputs) ? ReduceOutputs : Outputs;
  localparam int unsigned Second = Partitions - 1;  // of the second partition, or the first where it is alone
  localparam bit Twin = Partitions == 2 && Kinds[Partition];

  if (Kinds >> KindNumbers != '0) begin : gen_bad_kinds
    $error("%m: Kinds %h: operators from number %0d on have no RTL here", Kinds, KindNumbers);
  end

  // The step's kind, decided in the clock of step_i.
  logic [7:0] kind_d, kind_q;
  logic kind_error_d, kind_error_q;
  always_comb begin
    kind_d = KIND_NONE;
    kind_error_d = 1'b0;
    for (int unsigned o = 0; o < Outs; o++) begin
      if (cfg_valid_i[o]) begin
        if (kind_d == KIND_NONE) kind_d = cfg_kind_i[o];
        if (cfg_kind_i[o] != kind_d || cfg_kind_i[o] >= 8'(KindNumbers) || !Kinds[cfg_kind_i[o][5:0]]
            || cfg_kind_i[o] == KIND_NONE) begin
          kind_error_d = 1'b1;
        end
      end
    end
    if (kind_error_d) kind_d = KIND_NONE;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      kind_q       <= KIND_NONE;
      kind_error_q <= 1'b0;
    end else if (flush_i) begin
      kind_q       <= KIND_NONE;
      kind_error_q <= 1'b0;
    end else if (step_i) begin
      kind_q       <= kind_d;
      kind_error_q <= kind_error_d;
    end
  end

  // The first's part of masks, beats and configuration; all operators but the second partition see no other.
  logic [Outputs-1:0][Inputs-1:0] mask;
  for (genvar o = 0; o < int'(Outputs); o++) begin : gen_mask
    assign mask[o] = cfg_mask_i[o][Inputs-1:0];
  end

  // What each operator shows; constant zero where none is built.
  logic [KindNumbers-1:0] op_step, op_on, op_idle;
  logic  [KindNumbers-1:0][     Inputs-1:0]       op_in_ready;
  logic  [KindNumbers-1:0][    Outputs-1:0]       op_out_valid;
  beat_t [KindNumbers-1:0][    Outputs-1:0]       op_out;
  logic  [KindNumbers-1:0][StatusWords-1:0][63:0] op_status;

  for (genvar k = 0; k < KindNumbers; k++) begin : gen_select
    assign op_step[k] = step_i & (kind_d == 8'(k));
    assign op_on[k]   = kind_q == 8'(k);
    if (!Kinds[k] || k == int'(KIND_NONE)) begin : gen_absent
      assign op_idle[k]      = 1'b1;
      assign op_in_ready[k]  = '0;
      assign op_out_valid[k] = '0;
      assign op_out[k]       = '0;
      assign op_status[k]    = '0;
    end
  end

  if (Kinds[Reduce]) begin : gen_reduce
    polyloom_op_reduce #(
        .Inputs     (Inputs),
        .Outputs    (Outputs),
        .Groups     (ReduceOuts),
        .StatusWords(StatusWords)
    ) i_reduce (
        .clk_i,
        .rst_ni,
        .flush_i,
        .step_i     (op_step[Reduce]),
        .cfg_valid_i(cfg_valid_i[Outputs-1:0]),
        .cfg_word_i (cfg_word_i[Outputs-1:0]),
        .cfg_mask_i (mask),
        .in_valid_i (in_valid_i[Inputs-1:0] & {Inputs{op_on[Reduce]}}),
        .in_ready_o (op_in_ready[Reduce]),
        .in_i       (in_i[Inputs-1:0]),
        .out_valid_o(op_out_valid[Reduce]),
        .out_ready_i(out_ready_i[Outputs-1:0] & {Outputs{op_on[Reduce]}}),
        .out_o      (op_out[Reduce]),
        .idle_o     (op_idle[Reduce]),
        .status_o   (op_status[Reduce])
    );
  end

  if (Kinds[Partition]) begin : gen_partition
    polyloom_op_partition #(
        .Inputs     (Inputs),
        .Outputs    (Outputs),
        .Depth      (PartitionDepth),
        .Buckets    (PartitionBuckets),
        .RecordBeats(RecordBeats),
        .StatusWords(StatusWords)
    ) i_partition (
        .clk_i,
        .rst_ni,
        .flush_i,
        .step_i     (op_step[Partition]),
        .cfg_valid_i(cfg_valid_i[Outputs-1:0]),
        .cfg_word_i (cfg_word_i[Outputs-1:0]),
        .cfg_mask_i (mask),
        .in_valid_i (in_valid_i[Inputs-1:0] & {Inputs{op_on[Partition]}}),
        .in_ready_o (op_in_ready[Partition]),
        .in_i       (in_i[Inputs-1:0]),
        .out_valid_o(op_out_valid[Partition]),
        .out_ready_i(out_ready_i[Outputs-1:0] & {Outputs{op_on[Partition]}}),
        .out_o      (op_out[Partition]),
        .idle_o     (op_idle[Partition]),
        .status_o   (op_status[Partition])
    );
  end

  if (Kinds[Pass]) begin : gen_pass
    polyloom_op_pass #(
        .Inputs     (Inputs),
        .Outputs    (Outputs),
        .StatusWords(StatusWords)
    ) i_pass (
        .clk_i,
        .rst_ni,
        .flush_i,
        .step_i     (op_step[Pass]),
        .cfg_valid_i(cfg_valid_i[Outputs-1:0]),
        .cfg_word_i (cfg_word_i[Outputs-1:0]),
        .cfg_mask_i (mask),
        .in_valid_i (in_valid_i[Inputs-1:0] & {Inputs{op_on[Pass]}}),
        .in_ready_o (op_in_ready[Pass]),
        .in_i       (in_i[Inputs-1:0]),
        .out_valid_o(op_out_valid[Pass]),
        .out_ready_i(out_ready_i[Outputs-1:0] & {Outputs{op_on[Pass]}}),
        .out_o      (op_out[Pass]),
        .idle_o     (op_idle[Pass]),
        .status_o   (op_status[Pass])
    );
  end

  if (Kinds[Let]) begin : gen_let
    polyloom_op_let #(
        .Inputs         (Inputs),
        .Outputs        (Outputs),
        .GeometryLatency(LetGeometry),
        .OpenDepth      (LetOpenDepth),
        .StatusWords    (StatusWords)
    ) i_let (
        .clk_i,
        .rst_ni,
        .flush_i,
        .step_i     (op_step[Let]),
        .cfg_valid_i(cfg_valid_i[Outputs-1:0]),
        .cfg_word_i (cfg_word_i[Outputs-1:0]),
        .cfg_mask_i (mask),
        .in_valid_i (in_valid_i[Inputs-1:0] & {Inputs{op_on[Let]}}),
        .in_ready_o (op_in_ready[Let]),
        .in_i       (in_i[Inputs-1:0]),
        .out_valid_o(op_out_valid[Let]),
        .out_ready_i(out_ready_i[Outputs-1:0] & {Outputs{op_on[Let]}}),
        .out_o      (op_out[Let]),
        .idle_o     (op_idle[Let]),
        .status_o   (op_status[Let])
    );
  end

  // The second partition.
  logic twin_idle;
  logic [Inputs-1:0] twin_in_ready;
  logic [Outputs-1:0] twin_out_valid;
  beat_t [Outputs-1:0] twin_out;
  logic [StatusWords-1:0][63:0] twin_status;
  if (Twin) begin : gen_twin
    logic [Outputs-1:0][Inputs-1:0] twin_mask;
    for (genvar o = 0; o < int'(Outputs); o++) begin : gen_mask
      assign twin_mask[o] = cfg_mask_i[int'(Outputs)+o][Ins-1-:Inputs];
    end
    polyloom_op_partition #(
        .Inputs     (Inputs),
        .Outputs    (Outputs),
        .Depth      (PartitionDepth),
        .Buckets    (PartitionBuckets),
        .RecordBeats(RecordBeats),
        .StatusWords(StatusWords)
    ) i_partition (
        .clk_i,
        .rst_ni,
        .flush_i,
        .step_i     (op_step[Partition]),
        .cfg_valid_i(cfg_valid_i[Outs-1-:Outputs]),
        .cfg_word_i (cfg_word_i[Outs-1-:Outputs]),
        .cfg_mask_i (twin_mask),
        .in_valid_i (in_valid_i[Ins-1-:Inputs] & {Inputs{op_on[Partition]}}),
        .in_ready_o (twin_in_ready),
        .in_i       (in_i[Ins-1-:Inputs]),
        .out_valid_o(twin_out_valid),
        .out_ready_i(out_ready_i[Outs-1-:Outputs] & {Outputs{op_on[Partition]}}),
        .out_o      (twin_out),
        .idle_o     (twin_idle),
        .status_o   (twin_status)
    );
  end else begin : gen_no_twin
    assign twin_idle      = 1'b1;
    assign twin_in_ready  = '0;
    assign twin_out_valid = '0;
    assign twin_out       = '0;
    assign twin_status    = '0;
  end

  always_comb begin
    in_ready_o  = '0;
    out_valid_o = '0;
    out_o       = '0;
    idle_o      = 1'b1;
    for (int unsigned p = 0; p < Partitions; p++) status_o[p] = '0;
    for (int unsigned k = 0; k < KindNumbers; k++) begin
      if (op_on[k]) begin
        in_ready_o[Inputs-1:0]   = op_in_ready[k];
        out_valid_o[Outputs-1:0] = op_out_valid[k];
        out_o[Outputs-1:0]       = op_out[k];
        idle_o                   = op_idle[k];
        status_o[0]              = op_status[k];
      end
    end
    if (Twin && op_on[Partition]) begin
      in_ready_o[Ins-1-:Inputs]    = twin_in_ready;
      out_valid_o[Outs-1-:Outputs] = twin_out_valid;
      out_o[Outs-1-:Outputs]       = twin_out;
      idle_o &= twin_idle;
      status_o[Second] = twin_status;
    end
    status_o[0][0] |= 64'(kind_error_q) << ERR_KIND;
  end

  logic unused;  // what a slot without some of the operators has no use for; bits of masks beyond an operator's
  assign unused = ^{cfg_word_i, cfg_mask_i, in_valid_i, in_i, out_ready_i};

  if (Partitions < 1 || Partitions > 2) begin : gen_bad_partitions
    $error("%m: Partitions must be 1 or 2");
  end

endmodule

// SPDX-License-Identifier: Apache-2.0
// polyloom_op_slot: the operators that a node is built with, behind one port; each step chooses one of them.
// How:          the kinds of a step's used outputs must be one and the same; its number selects which operator is
//               offered the inputs and shows its outputs. The others are idle and see nothing.
//                 in --+--> reduce -----.
//                      +--> partition --+--> out      step i: kind_q
//                      '--> pass -------'
// Latency:      that of the operator; the slot adds none.
// Throughput:   that of the operator.
// Backpressure: that of the operator: no port has a combinational path to another one.
// Order/loss:   kept; beats offered in the clock of step_i are refused or lost, so none may be.
// Reset:        no kind: in_ready_o and out_valid_o are low, idle_o is high.
// Limits:       Kinds is a bit mask over kind_e; each operator's own limits hold. A kind of the step that is not
//               held, or two kinds in one step, is error bit ERR_KIND and the slot stays silent.
// Cost:         8 by 8 with one operator: 6,667 LUT, 9 FF of multiplexers; the operators: their headers
//               (UltraScale+; in `polyloom synth collective_reduce`, Yosys 0.70, 2026-11).
// Source: own design, DESIGN.md section 4.   Tests: operators_rtl_test.cc against the model's Slot.
module polyloom_op_slot
  import polyloom_stream_pkg::beat_t;
  import polyloom_operator_pkg::*;
#(
    parameter logic        [63:0] Kinds            = 64'he,  // bit k: operator of kind k is built
    parameter int unsigned        Inputs           = 8,
    parameter int unsigned        Outputs          = 8,
    parameter int unsigned        StatusWords      = 66,     // words shown; an operator with fewer shows zeros
    parameter int unsigned        ReduceOutputs    = 2,      // groups that reduce joins at once
    parameter int unsigned        PartitionDepth   = 16,     // beats between an input and an output of partition
    parameter int unsigned        PartitionBuckets = 64,     // power of two
    parameter int unsigned        RecordBeats      = 1024    // beats of keys an input that partition remembers
) (
    input  logic                                clk_i,
    input  logic                                rst_ni,
    // From the sequencer: the configuration is sampled in the clock of step_i
    input  logic                                flush_i,      // drops everything in flight, configuration and status
    input  logic                                step_i,       // a new step begins
    input  logic  [    Outputs-1:0]             cfg_valid_i,  // this step uses output o
    input  logic  [    Outputs-1:0][       7:0] cfg_kind_i,   // kind_e
    input  logic  [    Outputs-1:0][      63:0] cfg_word_i,   // how
    input  logic  [    Outputs-1:0][Inputs-1:0] cfg_mask_i,   // inputs that it takes
    // Streams
    input  logic  [     Inputs-1:0]             in_valid_i,
    output logic  [     Inputs-1:0]             in_ready_o,   // depends on registers only
    input  beat_t [     Inputs-1:0]             in_i,
    output logic  [    Outputs-1:0]             out_valid_o,  // depends on registers only
    input  logic  [    Outputs-1:0]             out_ready_i,
    output beat_t [    Outputs-1:0]             out_o,
    // To the sequencer
    output logic                                idle_o,       // nothing in flight
    output logic  [StatusWords-1:0][      63:0] status_o
);

  localparam int Reduce = int'(KIND_REDUCE);
  localparam int Partition = int'(KIND_PARTITION);
  localparam int Pass = int'(KIND_PASS);
  localparam int unsigned KindNumbers = 4;  // a user's operator: raise this, add a generate block below
  localparam int unsigned ReduceOuts = (ReduceOutputs < Outputs) ? ReduceOutputs : Outputs;

  // The step's kind, decided in the clock of step_i.
  logic [7:0] kind_d, kind_q;
  logic kind_error_d, kind_error_q;
  always_comb begin
    kind_d = KIND_NONE;
    kind_error_d = 1'b0;
    for (int unsigned o = 0; o < Outputs; o++) begin
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
        .cfg_valid_i,
        .cfg_word_i,
        .cfg_mask_i,
        .in_valid_i (in_valid_i & {Inputs{op_on[Reduce]}}),
        .in_ready_o (op_in_ready[Reduce]),
        .in_i,
        .out_valid_o(op_out_valid[Reduce]),
        .out_ready_i(out_ready_i & {Outputs{op_on[Reduce]}}),
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
        .cfg_valid_i,
        .cfg_word_i,
        .cfg_mask_i,
        .in_valid_i (in_valid_i & {Inputs{op_on[Partition]}}),
        .in_ready_o (op_in_ready[Partition]),
        .in_i,
        .out_valid_o(op_out_valid[Partition]),
        .out_ready_i(out_ready_i & {Outputs{op_on[Partition]}}),
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
        .cfg_valid_i,
        .cfg_word_i,
        .cfg_mask_i,
        .in_valid_i (in_valid_i & {Inputs{op_on[Pass]}}),
        .in_ready_o (op_in_ready[Pass]),
        .in_i,
        .out_valid_o(op_out_valid[Pass]),
        .out_ready_i(out_ready_i & {Outputs{op_on[Pass]}}),
        .out_o      (op_out[Pass]),
        .idle_o     (op_idle[Pass]),
        .status_o   (op_status[Pass])
    );
  end

  always_comb begin
    in_ready_o  = '0;
    out_valid_o = '0;
    out_o       = '0;
    idle_o      = 1'b1;
    status_o    = '0;
    for (int unsigned k = 0; k < KindNumbers; k++) begin
      if (op_on[k]) begin
        in_ready_o  = op_in_ready[k];
        out_valid_o = op_out_valid[k];
        out_o       = op_out[k];
        idle_o      = op_idle[k];
        status_o    = op_status[k];
      end
    end
    status_o[0] |= 64'(kind_error_q) << ERR_KIND;
  end

endmodule

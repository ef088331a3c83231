// SPDX-License-Identifier: Apache-2.0
// polyloom_op_slot_tb: a slot behind ports of the same C++ types for every shape (test only).
// How:          Ports = 8 inputs and outputs, of which the slot has Inputs and Outputs (times Partitions); beats in three
// fields. Source: own design.   Tests: operators_rtl_test.cc, let_rtl_test.cc.
// verilog_format: off
module polyloom_op_slot_tb
  import polyloom_stream_pkg::beat_t;
#(
    parameter  int unsigned        Inputs           = 8,
    parameter  int unsigned        Outputs          = 8,
    parameter  logic        [63:0] Kinds            = 64'he,
    parameter  int unsigned        ReduceOutputs    = 2,
    parameter  int unsigned        PartitionDepth   = 4,
    parameter  int unsigned        PartitionBuckets = 64,
    parameter  int unsigned        RecordBeats      = 16,
    parameter  int unsigned        LetGeometry      = 0,
    parameter  int unsigned        LetOpenDepth     = 64,
    parameter  int unsigned        Partitions       = 1,
    localparam int unsigned        Ins              = Inputs * Partitions,
    localparam int unsigned        Outs             = Outputs * Partitions,
    localparam int unsigned        Ports            = 8,
    localparam int unsigned        StatusWords      = 2 + 64 + 8
) (
    input  logic                                    clk_i,
    input  logic                                    rst_ni,
    input  logic                                    flush_i,
    input  logic                                    step_i,
    input  logic [Ports-1:0]                        cfg_valid_i,
    input  logic [Ports-1:0][            7:0]       cfg_kind_i,
    input  logic [Ports-1:0][           63:0]       cfg_word_i,
    input  logic [Ports-1:0][            7:0]       cfg_mask_i,
    input  logic [Ports-1:0]                        in_valid_i,
    output logic [Ports-1:0]                        in_ready_o,
    input  logic [Ports-1:0]                        in_last_i,
    input  logic [Ports-1:0][           31:0]       in_keep_i,
    input  logic [Ports-1:0][          255:0]       in_data_i,
    output logic [Ports-1:0]                        out_valid_o,
    input  logic [Ports-1:0]                        out_ready_i,
    output logic [Ports-1:0]                        out_last_o,
    output logic [Ports-1:0][           31:0]       out_keep_o,
    output logic [Ports-1:0][          255:0]       out_data_o,
    output logic                                    idle_o,
    output logic [      1:0][StatusWords-1:0][63:0] status_o
);

  beat_t [Ins - 1:0] in;
  beat_t [Outs - 1:0] out;
  logic [Outs - 1:0][Ins - 1:0] mask;
  logic [Ins - 1:0] in_ready;
  logic [Outs - 1:0] out_valid;
  logic [Partitions - 1:0][StatusWords-1:0][63:0] status;

  always_comb begin
    in_ready_o  = '0;
    out_valid_o = '0;
    out_last_o  = '0;
    out_keep_o  = '0;
    out_data_o  = '0;
    for (int unsigned i = 0; i < Ins; i++) begin
      in[i] = '{last: in_last_i[i], keep: in_keep_i[i], data: in_data_i[i]};
      in_ready_o[i] = in_ready[i];
    end
    for (int unsigned p = 0; p < 2; p++) status_o[p] = '0;
    status_o[Partitions-1:0] = status;
    for (int unsigned o = 0; o < Outs; o++) begin
      mask[o] = cfg_mask_i[o][Ins-1:0];
      out_valid_o[o] = out_valid[o];
      out_last_o[o] = out[o].last;
      out_keep_o[o] = out[o].keep;
      out_data_o[o] = out[o].data;
    end
  end

  polyloom_op_slot #(.Kinds(Kinds), .Inputs(Inputs), .Outputs(Outputs), .StatusWords(StatusWords),
      .ReduceOutputs(ReduceOutputs), .PartitionDepth(PartitionDepth), .PartitionBuckets(PartitionBuckets),
      .RecordBeats(RecordBeats), .LetGeometry(LetGeometry), .LetOpenDepth(LetOpenDepth), .Partitions(Partitions)) i_slot
      (.cfg_valid_i(cfg_valid_i[Outs-1:0]), .cfg_kind_i(cfg_kind_i[Outs-1:0]), .cfg_word_i(cfg_word_i[Outs-1:0]),
      .cfg_mask_i(mask), .in_valid_i(in_valid_i[Ins-1:0]), .in_ready_o(in_ready), .in_i(in), .out_valid_o(out_valid),
      .out_ready_i(out_ready_i[Outs-1:0]), .out_o(out), .status_o(status), .*);

endmodule

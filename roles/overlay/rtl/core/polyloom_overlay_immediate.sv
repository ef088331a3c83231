// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_immediate: the number in an instruction word.
// How:          multiplexers by the major opcode, a stage behind polyloom_overlay_decode, which takes as long.
// Latency:      none: no registers.
// Throughput:   a word a cycle.
// Backpressure: none; paths from inputs to imm_o.
// Order/loss:   none.
// Reset:        none.
// Limits:       not for branches, whose target has its own adder.
// Cost:         about 50 LUT4 (ECP5; part of polyloom_overlay_core).
// Source:       RISC-V unprivileged ISA 20191213, chapter 24.   Tests: test_polyloom_overlay_cores.py
module polyloom_overlay_immediate (
    input  logic [31:0] word_i,
    input  logic        whole_i,  // the word is no instruction: it is the number
    output logic [31:0] imm_o
);

  logic upper, jal, none;
  logic [4:0] low;
  assign upper = word_i[4] && word_i[2] && !word_i[6];  // lui, auipc
  assign jal   = word_i[3];  // of what has a number; fence and Send have none
  assign none  = word_i[6] && word_i[4];  // a CSR's operand is the other one
  assign low   = word_i[6:5] == 2'b01 ? word_i[11:7] : word_i[24:20];

  always_comb begin
    if (whole_i) imm_o = word_i;
    else if (none) imm_o = '0;
    else if (upper) imm_o = {word_i[31:12], 12'd0};
    else if (jal) imm_o = {{12{word_i[31]}}, word_i[19:12], word_i[20], word_i[30:25], low[4:1], 1'b0};
    else imm_o = {{21{word_i[31]}}, word_i[30:25], low};
  end

endmodule

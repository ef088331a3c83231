// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_immediate: what the instruction word says of the adder's second operand: its immediate, inverted where the
//               adder subtracts; all zeros or ones for a register, which an XOR joins with it.
// How:          multiplexers by the major opcode, a stage behind polyloom_overlay_decode, which takes as long.
// Latency:      none: no registers.
// Throughput:   a word a cycle.
// Backpressure: none; paths from inputs to imm_o.
// Order/loss:   none.
// Reset:        none.
// Limits:       not for branches, whose target has its own adder; of an illegal word it is anything.
// Cost:         about 45 LUT4 (ECP5; part of polyloom_overlay_core).
// Source:       RISC-V unprivileged ISA 20191213, chapter 24.
//               Tests: test_polyloom_overlay_immediate.py, test_polyloom_overlay_cores.py
module polyloom_overlay_immediate (
    input  logic [31:2] word_i,
    input  logic        uses_i,  // the operand is the immediate; else a register
    input  logic        sub_i,   // it is subtracted
    output logic [31:0] imm_o
);

  logic upper, jal, none, sign, store;
  assign upper = uses_i && word_i[4] && word_i[2] && !word_i[6];  // lui, auipc
  assign jal   = uses_i && word_i[3];  // of what has a number; fence and Send have none
  assign store = word_i[6:5] == 2'b01;
  assign none  = word_i[6] && word_i[4];  // a CSR's operand is the other one
  assign sign  = (uses_i && word_i[31]) ^ sub_i;

  // Only numbers of the form I are subtracted.
  always_comb begin
    imm_o[31:20] = upper ? word_i[31:20] : {12{sign}};
    imm_o[19:12] = upper || jal ? word_i[19:12] : {8{sign}};
    imm_o[11] = jal ? word_i[20] : sign;
    imm_o[10:5] = uses_i ? word_i[30:25] ^ {6{sub_i}} : '1;
    imm_o[4:0] = !uses_i ? '1 : store ? word_i[11:7] : word_i[24:20] ^ {5{sub_i}};
    if (jal) imm_o[0] = 1'b0;
    if (upper || (!uses_i && !sub_i)) imm_o[11:0] = '0;
    if (none) imm_o = '0;
  end

endmodule

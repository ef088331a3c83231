// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe_alu: the one adder for positions, limits and lengths of messages, for the unit at work.
// How:          two operands are picked from the packet, the request, the settings and a register that keeps a result.
// Latency:      none; temp_q a cycle.   Throughput: an operation a cycle.   Backpressure: none.
// Order/loss:   none.   Reset: none.   Limits: unsigned; zero_o and borrow_o belong to a subtraction.
// Cost:         not measured alone.   Source: own design.   Tests: test_polyloom_mpe.py, test_mpe_faults.py, interop_test.cc
module polyloom_mpe_alu
  import polyloom_mpe_pkg::*;
(
    input  logic            clk_i,
    input  alu_op_t         op_i,
    input  logic     [31:0] head_length_i,
    input  logic     [31:0] head_offset_i,
    input  logic     [31:0] env_length_i,
    input  logic     [31:0] window_i,
    input  logic     [10:0] part_i,         // bytes of a piece
    input  request_t        req_i,
    output logic     [31:0] result_o,
    output logic            borrow_o,
    output logic            zero_o,
    output logic     [31:0] temp_o
);
  logic [31:0] a, b;
  always_comb begin
    unique case (op_i.a)
      A_ZERO:   a = '0;
      A_LENGTH: a = head_length_i;
      A_OFFSET: a = head_offset_i;
      A_ENV:    a = env_length_i;
      A_POS:    a = req_i.pos;
      A_TEMP:   a = temp_o;
      A_BYTES:  a = req_i.bytes;
      default:  a = req_i.limit;
    endcase
    unique case (op_i.b)
      B_ZERO:    b = '0;
      B_BYTES:   b = req_i.bytes;
      B_LIMIT:   b = req_i.limit;
      B_POS:     b = req_i.pos;
      B_WINDOW:  b = window_i;
      B_HALF:    b = window_i >> 1;
      B_ADDRESS: b = req_i.address;
      default:   b = 32'(part_i);
    endcase
  end
  logic carry;
  assign {carry, result_o} = {1'b0, a} + {1'b0, b ^ {32{op_i.subtract}}} + 33'(op_i.subtract);
  assign borrow_o = !carry;
  assign zero_o = result_o == '0;
  always_ff @(posedge clk_i) if (op_i.keep) temp_o <= result_o;
endmodule

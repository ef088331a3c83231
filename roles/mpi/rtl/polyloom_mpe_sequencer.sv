// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe_sequencer: decides all that the engine does, by a program of one wide instruction a cycle.
// How:          polyloom_mpe_isa_pkg says what an instruction does. Registers are LUT RAM, pointers have copies in flip-flops, so
//               that the address of a load needs no register file. The instruction at work gives the address of the next one.
//                   program -> instruction -> registers -> ALU -> register, memory, output
//                      ^-------------- next? <----------------'
// Latency:      an instruction a cycle; what a load brings is there in the next one.
// Throughput:   an instruction a cycle.
// Backpressure: none; the program asks before it puts out.
// Order/loss:   none.
// Reset:        begins at instruction 0. Registers and memory are the program's to clear.
// Limits:       calls 8 deep.
// Cost:         not measured alone.   Source: own design.   Tests: test_polyloom_mpe_sequencer.py, test_mpe_pair_rules.py
module polyloom_mpe_sequencer
  import polyloom_mpe_isa_pkg::*;
(
    input  logic                clk_i,
    input  logic                rst_ni,
    // Program
    output place_t              next_o,
    input  instruction_t        word_i,        // at next_o of the last cycle
    output logic                rests_o,       // it waits for an event
    // Inputs
    output input_e              input_o,
    input  logic         [31:0] input_i,       // in the same cycle
    input  logic         [ 4:0] conditions_i,  // NO_COMMAND and on
    // Outputs
    output output_e             output_o,      // none, but for one cycle
    output logic         [31:0] result_o
);

  localparam instruction_t NOTHING = '0;
  instruction_t i;
  logic run_q;
  assign i = run_q ? word_i : NOTHING;

  // Operands
  logic [31:0] registers_q[32];
  logic [31:0] a, b_whole, b, loaded, result;
  assign a = registers_q[i.a];
  assign input_o = input_e'(i.b);
  always_comb begin
    unique case (i.from)
      FROM_REGISTER: b_whole = registers_q[i.b];
      FROM_NUMBER: b_whole = {16'd0, i.number, i.b};
      FROM_MEMORY: b_whole = loaded;
      default: b_whole = input_i;
    endcase
    unique case (i.part)
      WHOLE: b = b_whole;
      LOW: b = {16'd0, b_whole[15:0]};
      HIGH: b = {16'd0, b_whole[31:16]};
      default: b = {16'd0, b_whole[12:0], 3'b0};
    endcase
  end

  // Result
  logic [31:0] x, y;
  logic [32:0] sum;
  logic zero, no_borrow, negative;
  assign x   = i.op[1] ? ~a : a;
  assign y   = i.op[0] ? ~b : b;
  assign sum = {1'b0, x} + {1'b0, y} + 33'(i.op[1] || i.op[0]);
  always_comb begin
    unique case (i.op)
      ADD, SUB, RSUB: result = sum[31:0];
      ADDH, SUBH, RSUBH: result = {16'd0, sum[15:0]};
      AND: result = a & b;
      OR: result = a | b;
      XOR: result = a ^ b;
      ANDN: result = a & ~b;
      PACK: result = {b[15:0], a[15:0]};
      INSLO: result = {a[31:16], b[15:0]};
      SHR8: result = {8'd0, b[31:8]};
      default: result = b;
    endcase
  end
  assign zero = result == '0;
  assign no_borrow = sum[32];
  assign negative = result[15];
  assign result_o = result;
  logic write;
  register_t d;
  assign d = i.target[4:0];
  assign write = i.target[5] || i.target == O_FLAGS;
  assign output_o = i.target[5] ? O_NONE : output_e'(i.target);
  always_ff @(posedge clk_i) if (write) registers_q[d] <= result;

  // Memory
  address_t pointers_q[4];
  address_t address;
  always_ff @(posedge clk_i) begin
    if (write && d >= FIRST_POINTER) pointers_q[d[1:0]] <= address_t'(result);
  end
  assign address = i.by_pointer ? pointers_q[i.offset[5:4]] + address_t'(i.offset[3:0]) : {{($bits(
      address_t
  ) - 6) {1'b1}}, i.offset};
  polyloom_ram_1r1w #(
      .Width    (32),
      .Depth    (DATA_WORDS),
      .ByteWidth(8)
  ) i_data (
      .clk_i,
      .we_i   (i.access[2]),
      .be_i   ({{2{i.access != STORE_LOW}}, {2{i.access != STORE_HIGH}}}),
      .waddr_i(address),
      .wdata_i({i.access == STORE_HIGH ? result[15:0] : result[31:16], result[15:0]}),
      .re_i   (i.access == LOAD),
      .raddr_i(address),
      .rdata_o(loaded)
  );

  // What comes next
  place_t at_q, next;
  place_t calls_q[8];
  logic [2:0] depth_q, last;
  logic jump;
  always_comb begin
    unique case (i.cond)
      NEVER: jump = 1'b0;
      ZERO_RESULT: jump = zero;
      NOT_ZERO: jump = !zero;
      NO_BORROW: jump = no_borrow;
      BORROW: jump = !no_borrow;
      NEGATIVE: jump = negative;
      NOT_NEGATIVE: jump = !negative;
      NO_COMMAND: jump = conditions_i[0];
      RESPONSE_WAITS: jump = conditions_i[1];
      NO_WORD: jump = conditions_i[2];
      LAST_WORD: jump = conditions_i[3];
      WRITER_FULL: jump = conditions_i[4];
      default: jump = 1'b1;
    endcase
    next = jump ? i.to : at_q + 1'b1;
    if (i.cond == CASE) next[3:0] = i.to[3:0] | result[3:0];
    if (i.cond == RETURN) next = calls_q[last];
    if (!run_q) next = '0;
  end
  assign last   = depth_q - 1'b1;
  assign next_o = next;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      run_q   <= 1'b0;
      depth_q <= '0;
    end else begin
      run_q <= 1'b1;
      if (i.cond == CALL) depth_q <= depth_q + 1'b1;
      if (i.cond == RETURN) depth_q <= last;
    end
  end
  always_ff @(posedge clk_i) begin
    at_q <= next;
    if (i.cond == CALL) calls_q[depth_q] <= at_q + 1'b1;
  end

  assign rests_o = i.cond == CASE && i.from == FROM_INPUT && i.b == I_EVENT;
endmodule

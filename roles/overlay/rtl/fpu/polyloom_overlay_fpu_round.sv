// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_fpu_round: last two stages of the FPU's pipeline: rounding, flags, choice of the result.
// How:          stage 7 decides whether to round up and what that leads to, stage 8 adds. A negative integer is the complement
//               of its magnitude, plus one unless that is rounded up. Underflow is tininess after rounding as if the exponent
//               had no bound: a number just below the smallest normal one is tiny unless it rounds up one bit further down.
// Latency:      2 cycles.
// Throughput:   one operation a cycle.
// Backpressure: none.
// Order/loss:   kept.
// Reset:        none: its user keeps valid bits.
// Limits:       none.
// Cost:         see polyloom_overlay_fpu.
// Source:       IEEE 754-2019, 4.3 and 7; RISC-V unprivileged ISA 20191213, chapter 11; own design.
// Tests:        test_polyloom_overlay_fpu_round.py, overlay_fpu_rtl_test.cc, test_polyloom_overlay_fpu.py
module polyloom_overlay_fpu_round
  import polyloom_overlay_fpu_pkg::*;
(
    input  logic           clk_i,
    input  logic    [ 8:7] valid_i,   // in front of each stage
    input  normal_t        normal_i,
    output owner_t         owner_o,
    output logic    [31:0] word_o,
    output logic    [ 4:0] flags_o
);

  typedef struct packed {
    owner_t      owner;
    logic        known;
    logic [31:0] word;
    logic [4:0]  flags;
    logic        sign;
    logic        to_int;
    logic [31:0] keep;
    logic        up;
  } decided_t;

  function automatic logic rounds_up(input logic [2:0] rm, input logic sign, input logic odd, input logic half,
                                     input logic rest);
    unique case (rm)
      RNE: return half && (rest || odd);
      RTZ: return 1'b0;
      RDN: return sign && (half || rest);
      RUP: return !sign && (half || rest);
      default: return half;
    endcase
  endfunction

  // Stage 7.
  decided_t decided_d, decided_q;
  always_comb begin
    logic rest, sign, up, inexact, overflow, underflow, outside, ones, negative_known;
    sign = normal_i.sign;
    rest = normal_i.rest != '0 || normal_i.sticky;
    up = rounds_up(normal_i.beside.rm, sign, normal_i.keep[0], normal_i.half, normal_i.next || rest);
    inexact = normal_i.half || normal_i.next || rest;
    ones = normal_i.keep[22:0] == '1;

    decided_d.owner = normal_i.beside.owner;
    decided_d.known = normal_i.beside.known;
    decided_d.word = normal_i.beside.word;
    decided_d.flags = normal_i.beside.flags;
    // Nothing is left of a difference: its sign is the mode's.
    decided_d.sign = normal_i.beside.subtract && normal_i.keep == '0 && !inexact ? normal_i.beside.rm == RDN : sign;
    decided_d.to_int = normal_i.beside.to_int;
    decided_d.keep = normal_i.keep ^ {32{normal_i.beside.to_int && sign}};
    decided_d.up = up ^ (normal_i.beside.to_int && sign);

    overflow = normal_i.beyond || (normal_i.keep[30:23] == 8'd254 && ones && up);
    underflow = inexact && !normal_i.beyond && normal_i.keep[30:23] == '0 &&
        !(ones && up && normal_i.half && rounds_up(normal_i.beside.rm, sign, 1'b1, normal_i.next, rest));
    // Integers: the magnitude, rounded, does not fit. All 32 bits ones and rounded up cannot be: 24 are the most.
    negative_known = normal_i.keep[31] && (normal_i.keep[30:0] != '0 || up);
    if (!normal_i.beside.is_signed) outside = sign && (normal_i.keep != '0 || up);
    else outside = sign ? negative_known : normal_i.keep[31];

    if (!normal_i.beside.known) begin
      if (normal_i.beside.to_int) begin
        decided_d.flags = outside ? INVALID : 5'(inexact);
        decided_d.known = outside;
        decided_d.word  = !normal_i.beside.is_signed ? '0 : {sign, {31{!sign}}};
      end else begin
        decided_d.flags = {2'b00, overflow, underflow, inexact || overflow};
        decided_d.known = normal_i.beyond;
        decided_d.word  = {sign, rounds_up(normal_i.beside.rm, sign, 1'b1, 1'b1, 1'b1) ? INFINITE : GREATEST};
      end
    end
  end
  always_ff @(posedge clk_i) if (valid_i[7]) decided_q <= decided_d;

  // Stage 8.
  logic [31:0] rounded;
  assign rounded = decided_q.keep + 32'(decided_q.up);
  always_ff @(posedge clk_i) begin
    if (valid_i[8]) begin
      owner_o <= decided_q.owner;
      flags_o <= decided_q.flags;
      if (decided_q.known) word_o <= decided_q.word;
      else word_o <= {decided_q.to_int ? rounded[31] : decided_q.sign, rounded[30:0]};
    end
  end

endmodule

// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_fpu_prepare: first two stages of the FPU's pipeline: operands as factors and addend, and results that are
// known without a sum.
// How:          every operation is a product plus an addend: a sum multiplies by one, a product adds a zero of its own sign, a
//               conversion to an integer adds to no product, one from an integer multiplies it by one or minus one.
//               Stage 1 unpacks, compares, finds operands that are no numbers; stage 2 gives their results and the distance
//               of addend and product.
// Latency:      2 cycles; factors after 1.
// Throughput:   one operation a cycle.
// Backpressure: none.
// Order/loss:   kept.
// Reset:        none: its user keeps valid bits.
// Limits:       op is not one of the divider's; rm is 0 to 4.
// Cost:         see polyloom_overlay_fpu.
// Source:       RISC-V unprivileged ISA 20191213, chapter 11; IEEE 754-2019; own design.
// Tests:        test_polyloom_overlay_fpu_prepare.py, overlay_fpu_rtl_test.cc, test_polyloom_overlay_fpu.py
module polyloom_overlay_fpu_prepare
  import polyloom_overlay_pkg::*;
  import polyloom_overlay_fpu_pkg::*;
(
    input  logic               clk_i,
    input  logic        [ 1:0] valid_i,      // in front of stages 1, 2
    input  operation_t         operation_i,
    // Behind stage 1
    output logic signed [32:0] x_o,
    output logic signed [32:0] y_o,
    // Behind stage 2
    output beside_t            beside_o,
    output logic        [23:0] addend_o,
    output logic        [ 6:0] shift_o       // of the addend, to the right from the top
);

  /* verilator lint_off UNUSEDSIGNAL */  // of a number, each user needs something else
  function automatic logic [31:0] class_of(input number_t n);
    logic [9:0] is;
    logic normal;
    normal = !n.infinite && !n.nan && n.mantissa[23];
    is[0]  = n.sign && n.infinite;
    is[1]  = n.sign && normal;
    is[2]  = n.sign && !n.mantissa[23] && !n.zero;
    is[3]  = n.sign && n.zero;
    is[4]  = !n.sign && n.zero;
    is[5]  = !n.sign && !n.mantissa[23] && !n.zero;
    is[6]  = !n.sign && normal;
    is[7]  = !n.sign && n.infinite;
    is[8]  = n.signaling;
    is[9]  = n.nan && !n.signaling;
    return 32'(is);
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  // Stage 1.
  prepared_t first_d, first_q;
  logic fused, sum, converts;
  assign fused = operation_i.op inside {FPU_MADD, FPU_MSUB, FPU_NMSUB, FPU_NMADD};
  assign sum = operation_i.op inside {FPU_ADD, FPU_SUB};
  assign converts = operation_i.op inside {FPU_TO_INT, FPU_TO_UINT};

  always_comb begin
    /* verilator lint_off UNUSEDSIGNAL */  // as above
    number_t a, b, c;
    /* verilator lint_on UNUSEDSIGNAL */
    logic [31:0] b_bits;
    logic product_sign, addend_sign, less, equal, ordered, quiet, invalid;
    first_d = '0;
    b_bits = sum ? 32'h3f80_0000 : operation_i.b;
    a = unpacked(operation_i.a);
    b = unpacked(b_bits);
    // A product's own addend is replaced below.
    c = unpacked(sum ? operation_i.b : converts ? operation_i.a : fused ? operation_i.c : '0);

    first_d.beside.owner = operation_i.owner;
    first_d.beside.rm = operation_i.rm;
    first_d.a = operation_i.a;
    first_d.b = operation_i.b;

    // Factors.
    first_d.x = {9'b0, a.mantissa};
    first_d.y = {9'b0, b.mantissa};
    first_d.no_product = a.zero || b.zero;
    product_sign = a.sign ^ b.sign ^ (operation_i.op inside {FPU_NMSUB, FPU_NMADD});
    addend_sign = c.sign ^ (operation_i.op inside {FPU_SUB, FPU_MSUB, FPU_NMADD});
    if (operation_i.op == FPU_FMUL || !(fused || sum)) addend_sign = product_sign;
    first_d.addend = c.mantissa;
    first_d.addend_exp = c.exponent;
    first_d.beside.sign = product_sign;
    first_d.beside.subtract = product_sign ^ addend_sign;
    // Bit 48 of the sum is worth 2 to the product's exponent, the sum of the factors' less the bias.
    first_d.beside.top = 10'(a.exponent) + 10'(b.exponent) - 10'd100;

    // What needs no sum.
    ordered = !a.nan && !b.nan;
    equal = (operation_i.a == operation_i.b) || (a.zero && b.zero);
    less = a.sign != b.sign ? a.sign : (operation_i.a[30:0] < operation_i.b[30:0]) != a.sign;
    quiet = 1'b0;
    invalid = 1'b0;
    unique case (operation_i.op)
      FPU_MUL, FPU_MULH, FPU_MULHSU, FPU_MULHU: begin
        first_d.x = {operation_i.a[31] && operation_i.op inside {FPU_MULH, FPU_MULHSU}, operation_i.a};
        first_d.y = {operation_i.b[31] && operation_i.op == FPU_MULH, operation_i.b};
        first_d.beside.multiplies_int = 1'b1;
        first_d.beside.high = operation_i.op != FPU_MUL;
        first_d.beside.known = 1'b1;
      end
      FPU_MIN, FPU_MAX: begin
        // -0 is below +0; equal numbers have equal bits.
        first_d.select = a.nan ? (b.nan ? 2'b11 : 2'b10) : b.nan || (less == (operation_i.op == FPU_MIN)) ? 2'b01 : 2'b10;
        invalid = a.signaling || b.signaling;
        first_d.beside.known = 1'b1;
      end
      FPU_EQ: begin
        first_d.beside.word[0] = ordered && equal;
        invalid = a.signaling || b.signaling;
        first_d.beside.known = 1'b1;
      end
      FPU_LT, FPU_LE: begin
        first_d.beside.word[0] = ordered && (equal ? operation_i.op == FPU_LE : less);
        invalid = !ordered;
        first_d.beside.known = 1'b1;
      end
      FPU_CLASS: begin
        first_d.beside.word  = class_of(a);
        first_d.beside.known = 1'b1;
      end
      FPU_TO_INT, FPU_TO_UINT: begin
        first_d.y = '0;
        first_d.no_product = 1'b1;
        first_d.beside.to_int = 1'b1;
        first_d.beside.is_signed = operation_i.op == FPU_TO_INT;
        first_d.beside.sign = a.sign;
        first_d.beside.subtract = 1'b0;
        // Beyond 32 bits; an exponent of 158 has its bit at the top.
        if (a.nan || a.exponent > 8'd158) begin
          first_d.beside.known = 1'b1;
          invalid = 1'b1;
          if (operation_i.op == FPU_TO_INT) first_d.beside.word = {a.sign && !a.nan, {31{!a.sign || a.nan}}};
          else first_d.beside.word = {32{!a.sign || a.nan}};
        end
      end
      FPU_FROM_INT, FPU_FROM_UINT: begin
        first_d.beside.sign = operation_i.a[31] && operation_i.op == FPU_FROM_INT;
        first_d.beside.subtract = 1'b0;
        first_d.x = {first_d.beside.sign, operation_i.a};
        first_d.y = first_d.beside.sign ? '1 : 33'd1;
        first_d.from_int = 1'b1;
        first_d.addend = '0;
      end
      default: begin
        // Infinities and NaN. An invalid product is so whatever is added.
        quiet = a.nan || b.nan || c.nan;
        invalid = a.signaling || b.signaling || c.signaling || (a.infinite && b.zero) || (a.zero && b.infinite) ||
            ((a.infinite || b.infinite) && c.infinite && first_d.beside.subtract && !quiet);
        first_d.beside.known = quiet || invalid || a.infinite || b.infinite || c.infinite;
        first_d.beside.word = quiet || invalid ? QUIET_NAN : {c.infinite ? addend_sign : product_sign, INFINITE};
      end
    endcase
    first_d.beside.flags = invalid ? INVALID : '0;
  end

  always_ff @(posedge clk_i) if (valid_i[0]) first_q <= first_d;
  assign x_o = first_q.x;
  assign y_o = first_q.y;

  // Stage 2.
  beside_t beside_d;
  logic signed [9:0] distance;
  logic [6:0] shift_d;
  always_comb begin
    beside_d = first_q.beside;
    unique case (first_q.select)
      2'b01:   beside_d.word = first_q.a;
      2'b10:   beside_d.word = first_q.b;
      2'b11:   beside_d.word = QUIET_NAN;
      default: ;
    endcase
    distance = (first_q.beside.to_int ? 10'sd158 : first_q.beside.top) - $signed({2'b00, first_q.addend_exp});
    shift_d  = distance[9:7] != '0 ? '1 : distance[6:0];  // from 76 on it is all the same
    if (!first_q.beside.to_int && (first_q.no_product || distance[9])) begin
      shift_d = '0;
      beside_d.top = $signed({2'b00, first_q.addend_exp});
    end
    if (first_q.from_int) beside_d.top = 10'sd200;  // bit 2 is worth one
  end

  always_ff @(posedge clk_i) begin
    if (valid_i[1]) begin
      beside_o <= beside_d;
      addend_o <= first_q.addend;
      shift_o  <= shift_d;
    end
  end

endmodule

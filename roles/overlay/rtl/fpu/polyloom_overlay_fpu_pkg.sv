// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_fpu_pkg: times of the FPU, and what its stages hand to each other.
// How:          a number in flight is a sum of 76 bits: the product of two mantissas lies in bits 49:2, the addend's mantissa
//               goes anywhere from bits 75:52 downwards. `top` is the exponent (biased by 127) of bit 75.
// Source: own design.   Tests: overlay_fpu_rtl_test.cc, built and run by test_polyloom_overlay_fpu.py.
package polyloom_overlay_fpu_pkg;

  import polyloom_overlay_pkg::*;

  // Cycles, as in roles/overlay/sim/tile/timing.h, whose times the tests compare.
  localparam int unsigned LATENCY = 10;  // from a pipelined operation's grant to its response
  localparam int unsigned DIVIDE_INTERVAL = 17;  // from a start of the divider to its next

  localparam int unsigned SUM_BITS = 76;
  localparam logic [31:0] QUIET_NAN = 32'h7fc0_0000;
  localparam logic [30:0] INFINITE = 31'h7f80_0000;
  localparam logic [30:0] GREATEST = 31'h7f7f_ffff;

  // Bits of flags.
  localparam logic [4:0] INVALID = 5'b10000;
  localparam logic [4:0] DIVIDED_BY_ZERO = 5'b01000;

  // Rounding modes.
  localparam logic [2:0] RNE = 3'd0;
  localparam logic [2:0] RTZ = 3'd1;
  localparam logic [2:0] RDN = 3'd2;
  localparam logic [2:0] RUP = 3'd3;

  // Where a response goes.
  typedef struct packed {
    logic [1:0] core;
    logic [3:0] thread;
  } owner_t;

  // A granted operation.
  typedef struct packed {
    owner_t      owner;
    fpu_op_e     op;
    logic [2:0]  rm;
    logic [31:0] a;
    logic [31:0] b;
    logic [31:0] c;
  } operation_t;

  // One of M, where there is no floating point: the lower bits of fpu_op_e.
  typedef struct packed {
    owner_t      owner;
    logic [2:0]  op;
    logic [31:0] a;
    logic [31:0] b;
  } muldiv_t;

  // A number taken apart.
  typedef struct packed {
    logic sign;
    logic [7:0] exponent;  // 1 for subnormal numbers too
    logic [23:0] mantissa;
    logic zero;
    logic infinite;
    logic nan;
    logic signaling;
  } number_t;

  function automatic number_t unpacked(input logic [31:0] bits);
    logic tiny, ones, fraction;
    tiny = bits[30:23] == '0;
    ones = bits[30:23] == '1;
    fraction = bits[22:0] != '0;
    return
    '{
        sign: bits[31],
        exponent: {bits[30:24], bits[23] | tiny},
        mantissa: {!tiny, bits[22:0]},
        zero: tiny && !fraction,
        infinite : ones && !fraction,
        nan: ones && fraction,
        signaling: ones && fraction && !bits[22]
    }
    ;
  endfunction

  // What an operation carries from stage to stage beside its numbers.
  typedef struct packed {
    owner_t            owner;
    logic [2:0]        rm;
    logic              multiplies_int;
    logic              high;            // the product's upper word
    logic              to_int;
    logic              is_signed;       // to_int
    logic              known;           // the result is word and flags: neither summed nor rounded
    logic [31:0]       word;
    logic [4:0]        flags;
    logic              sign;            // of the product
    logic              subtract;        // addend and product have different signs
    logic signed [9:0] top;
  } beside_t;

  // Behind the first stage.
  typedef struct packed {
    beside_t            beside;
    logic signed [32:0] x;           // factors
    logic signed [32:0] y;
    logic [23:0]        addend;      // mantissa
    logic [7:0]         addend_exp;
    logic               no_product;  // it is zero
    logic               from_int;
    logic [1:0]         select;      // of min and max: 00 neither, 01 a, 10 b, 11 NaN
    logic [31:0]        a;
    logic [31:0]        b;
  } prepared_t;

  // Behind the sum.
  typedef struct packed {
    beside_t             beside;
    logic [SUM_BITS-1:0] sum;     // magnitude
    logic [SUM_BITS-1:0] limit;   // one bit set: no further may the sum move left
    logic                sticky;  // there is something below the sum's lowest bit
    logic                sign;
  } summed_t;

  // Behind normalization.
  typedef struct packed {
    beside_t     beside;
    logic [31:0] keep;    // what is rounded: exponent and fraction, or an integer
    logic        half;    // the next bit
    logic        next;    // the one below
    logic [49:0] rest;
    logic        sticky;
    logic        beyond;  // exponent beyond the greatest
    logic        sign;
  } normal_t;

endpackage

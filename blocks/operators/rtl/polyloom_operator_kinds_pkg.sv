// SPDX-License-Identifier: Apache-2.0
// polyloom_operator_kinds_pkg: numbers of operators, as in `config` instructions.
// How:          Made from spec/ by python -m spec; do not edit.
// Source: docs/reference/registers.md.   Tests: those of the modules.
package polyloom_operator_kinds_pkg;

  typedef enum logic [7:0] {
    KIND_NONE = 8'd0,
    KIND_REDUCE = 8'd1,
    KIND_PARTITION = 8'd2,
    KIND_PASS = 8'd3,
    KIND_LET = 8'd4
  } kind_e;

  // One more than the greatest.
  localparam int unsigned KINDS = 5;

endpackage

// SPDX-License-Identifier: Apache-2.0
// polyloom_operator_pkg: numbers of the operator socket, as in sim/operator.h: configuration words, errors.
// How:          configuration words: README.md, "Configuration". Status word 0 is common to all operators:
//               bits 7:0 are errors (any set one is a fault of the step), the rest the operator says.
// Source: own design, docs/design.md, section 4.7.   Tests: operators_test.cc compares the numbers with the model's.
package polyloom_operator_pkg;

  // Errors, bits of status word 0. They stay until the next step or flush.
  localparam int unsigned ERR_LENGTH = 0;  // inputs of one join differ in length
  localparam int unsigned ERR_CONFIG = 1;  // mask empty, masks overlap, function or field unknown
  localparam int unsigned ERR_STRAY = 2;  // a beat on an input of which no output takes
  localparam int unsigned ERR_RECORD = 3;  // partition: more keys than the record holds, or values than keys
  localparam int unsigned ERR_KIND = 4;  // slot: kinds of one step differ, or the slot does not hold it
  localparam int unsigned ERR_TREE = 5;  // let: a tree that is cut off or not breadth-first
  localparam int unsigned ERR_DEPTH = 6;  // let: more opened nodes wait for their children than it remembers
  localparam int unsigned ERRORS = 8;
  localparam int unsigned STATUS_STRIDE = 128;  // from a partition's status words to those of the next

  // Reduce: word[7:0] function, word[15:8] type, word[63:32] factor (fp32) or divisor (integers).
  typedef enum logic [7:0] {
    FN_SUM     = 8'd0,
    FN_MIN     = 8'd1,
    FN_MAX     = 8'd2,
    FN_AVERAGE = 8'd3
  } function_e;

  typedef enum logic [7:0] {
    TYPE_FP32   = 8'd0,
    TYPE_INT32  = 8'd1,
    TYPE_UINT32 = 8'd2
  } element_e;

  // Partition: word[4:0] shift, word[10:8] bits, word[19:16] mode, word[63:32] buckets of this output.
  localparam int unsigned MODE_PAIR = 16;  // records of 64 bit: key in the low word, value in the high one
  localparam int unsigned MODE_RECORD = 17;  // remember where each key goes
  localparam int unsigned MODE_STEER = 18;  // beats are values; they go where the remembered keys went
  localparam int unsigned MODE_SILENT = 19;  // nothing leaves: histogram and record only

  // Let: bits of the word.
  localparam int unsigned LET_PADDED = 0;  // records of 32 bytes, of which 24 count
  localparam int unsigned LET_BIAS_ZERO = 1;  // count field: children, not children - 1
  localparam int unsigned LET_PARENT_FIRST = 2;  // a record enters the pipe when its parent has left it
  localparam int unsigned LET_WORD_BITS = 3;

  localparam int unsigned LET_GEOMETRY = 24;  // cycles of the geometry's arithmetic
  localparam int unsigned LET_ID = 26;  // bits of a record's number
  localparam int unsigned LET_COUNT = 6;  // bits of a count field

  // A record of a tree, 24 bytes; more: count field, number of the first child.
  typedef struct packed {
    logic [LET_COUNT-1:0] count;
    logic [LET_ID-1:0]    first;
    logic [31:0]          mass;
    logic [2:0][31:0]     position;  // [0] x
    logic [31:0]          q;
  } let_node_t;

  // What a LET is for, a beat.
  typedef struct packed {
    logic [31:0]      radius;
    logic [31:0]      kappa;
    logic [2:0][31:0] high;    // corner of the box
    logic [2:0][31:0] low;     // [0] x
  } let_target_t;

endpackage

// SPDX-License-Identifier: Apache-2.0
// polyloom_collective_encoding_pkg: what programs of collective nodes are encoded in.
// How:          Made from spec/ by python -m spec; do not edit.
// Source: docs/reference/registers.md.   Tests: those of the modules.
package polyloom_collective_encoding_pkg;

  localparam int unsigned BEAT_BYTES = 32;  // 256 bit: an HBM2 pseudo-channel's width
  localparam int unsigned BEAT_WORDS = 4;  // of 64 bit
  localparam int unsigned INSTRUCTION_WORDS = 4;  // of 64 bit
  localparam int unsigned MARKS = 32;  // completion cycles that are kept

  typedef enum logic [7:0] {
    OP_END = 8'd0,
    OP_READ = 8'd1,
    OP_WRITE = 8'd2,
    OP_SEND = 8'd3,
    OP_TAKE = 8'd4,
    OP_FEED = 8'd5,
    OP_CONFIG = 8'd6,
    OP_GO = 8'd7
  } op_e;

  localparam logic [7:0] FROM_READ = 8'h00;
  localparam logic [7:0] FROM_LANE = 8'h80;
  localparam logic [7:0] FROM_OPERATOR = 8'hc0;
  localparam logic [7:0] FROM_NONE = 8'hff;

  localparam logic [7:0] FLAG_EAGER = 8'd1;
  localparam logic [7:0] FLAG_PULSE_ONLY = 8'd2;
  localparam logic [7:0] FLAG_OPEN_END = 8'd4;
  localparam logic [7:0] FLAG_TOGETHER = 8'd1;

  typedef enum logic [7:0] {
    CONTROL_HELLO = 8'd1,
    CONTROL_ABORT = 8'd2,
    CONTROL_SIGNATURE = 8'd3,
    CONTROL_CHECK = 8'd4
  } control_e;

  typedef enum logic [7:0] {
    FAULT_NONE = 8'd0,
    FAULT_BAD_PROGRAM = 8'd1,
    FAULT_SIGNATURE = 8'd2,
    FAULT_LENGTH = 8'd3,
    FAULT_OVERFLOW = 8'd4,
    FAULT_CHECK = 8'd5,
    FAULT_ABORTED = 8'd6,
    FAULT_TIMEOUT = 8'd7,
    FAULT_UNEXPECTED = 8'd8,
    FAULT_OPERATOR_ERROR = 8'd9
  } fault_e;

  // Registers, offsets from the role's base.
  localparam logic [11:0] REG_START = 12'h000;
  localparam logic [11:0] REG_STATE = 12'h001;
  localparam logic [11:0] REG_NODE = 12'h002;
  localparam logic [11:0] REG_HELLO = 12'h003;
  localparam logic [11:0] REG_WATCHDOG = 12'h004;
  localparam logic [11:0] REG_CLEAR = 12'h005;
  localparam logic [11:0] REG_SHAPE = 12'h006;
  localparam logic [11:0] REG_PROGRAM_SIZE = 12'h007;
  localparam logic [11:0] REG_BEGIN = 12'h008;
  localparam logic [11:0] REG_FINISH = 12'h009;
  localparam logic [11:0] REG_MARK = 12'h020;
  localparam logic [11:0] REG_PEER = 12'h080;
  localparam logic [11:0] REG_STATUS = 12'h200;

endpackage

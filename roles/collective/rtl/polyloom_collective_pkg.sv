// SPDX-License-Identifier: Apache-2.0
// polyloom_collective_pkg: the numbers of program.h for the RTL, and the types that its modules exchange.
// How:          program.h is the master; test_rtl_package.py compares every number here with it. cfg_t is the one
//               typed parameter struct of the role; every module takes it whole and reads what it needs.
// Limits:       cfg_t as checked by polyloom_collective_engine.
// Source: own design, after OPTWEB sections 2.C and Fig. 2.   Tests: test_rtl_package.py.
package polyloom_collective_pkg;

  localparam int unsigned BEAT_BYTES = 32;
  localparam int unsigned BEAT_WORDS = 4;
  localparam int unsigned INSTRUCTION_WORDS = 4;
  localparam int unsigned ADDR_W = 40;  // byte offset in a channel
  localparam int unsigned BURST_BEATS = 32;  // no burst crosses a multiple of this: 1 KiB, so never 4 KiB either
  localparam int unsigned MARKS = 32;

  // What a node is made of. One value a node, made from the parameters of its top.
  typedef struct packed {
    int unsigned channels;        // 1..16: DMA engines R# and W#, one memory channel each
    int unsigned lanes;           // 1..15
    int unsigned op_inputs;       // 0..16: streams into one operator of the slot; 0: no slot
    int unsigned op_outputs;      // 0..16
    int unsigned op_kinds;        // bit k: the slot holds OperatorKind k
    int unsigned partitions;      // 1..2: side by side; the slot has as many times the inputs and outputs
    int unsigned record_beats;    // 2..: beats of keys an input that a partition remembers
    int unsigned rx_beats;        // 4..4096: receive buffer of a lane
    int unsigned tx_beats;        // 2..64: FIFO before the wire
    int unsigned read_beats;      // 64..1024: buffer of R#; carries read_latency + 32 beats at full rate
    int unsigned write_beats;     // 2..256: FIFO before W#
    int unsigned program_size;    // 16..65536 instructions, power of two
    int unsigned channel_bits;    // 12..40: a channel holds 2^channel_bits bytes
    int unsigned block_check;     // 1: blocks carry signature and CRC
    int unsigned copy_paths;      // 1: the switch joins R# to W#
    int unsigned relay_paths;     // 1: the switch joins rx to tx
    int unsigned command_cycles;  // 0..100000: wait before a program's first instruction
    int unsigned step_cycles;     // 0..100000: wait between steps
  } cfg_t;
  // A module alone (lint, a look at its size) is one of this node; the engine hands its own to all of them.
  localparam cfg_t SMALL = '{
      channels: 2,
      lanes: 2,
      op_inputs: 2,
      op_outputs: 2,
      op_kinds: 8,
      partitions: 1,
      record_beats: 1024,
      rx_beats: 32,
      tx_beats: 4,
      read_beats: 64,
      write_beats: 32,
      program_size: 16,
      channel_bits: 20,
      block_check: 1,
      copy_paths: 1,
      relay_paths: 1,
      command_cycles: 0,
      step_cycles: 0
  };

  typedef enum logic [7:0] {
    OP_END    = 8'd0,
    OP_READ   = 8'd1,
    OP_WRITE  = 8'd2,
    OP_SEND   = 8'd3,
    OP_TAKE   = 8'd4,
    OP_FEED   = 8'd5,
    OP_CONFIG = 8'd6,
    OP_GO     = 8'd7
  } op_e;

  localparam logic [7:0] FROM_READ = 8'h00;
  localparam logic [7:0] FROM_LANE = 8'h80;
  localparam logic [7:0] FROM_OPERATOR = 8'hc0;
  localparam logic [7:0] FROM_NONE = 8'hff;

  localparam logic [7:0] FLAG_EAGER = 8'd1;
  localparam logic [7:0] FLAG_PULSE_ONLY = 8'd2;
  localparam logic [7:0] FLAG_OPEN_END = 8'd4;
  localparam logic [7:0] FLAG_TOGETHER = 8'd1;  // of go

  typedef enum logic [7:0] {
    CONTROL_HELLO     = 8'd1,
    CONTROL_ABORT     = 8'd2,
    CONTROL_SIGNATURE = 8'd3,
    CONTROL_CHECK     = 8'd4
  } control_e;
  localparam logic [15:0] CONTROL_MARK = 16'hfe00;  // in [63:48] of hello and abort

  typedef enum logic [7:0] {
    FAULT_NONE           = 8'd0,
    FAULT_BAD_PROGRAM    = 8'd1,
    FAULT_SIGNATURE      = 8'd2,
    FAULT_LENGTH         = 8'd3,
    FAULT_OVERFLOW       = 8'd4,
    FAULT_CHECK          = 8'd5,
    FAULT_ABORTED        = 8'd6,
    FAULT_TIMEOUT        = 8'd7,
    FAULT_UNEXPECTED     = 8'd8,
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

  // One instruction: word 0 in the lowest bits, fields as in program.h.
  typedef struct packed {
    logic [31:0] extra;
    logic [31:0] runs;
    logic [63:0] stride;
    logic [63:0] base;
    logic [31:0] run_bytes;
    logic [7:0]  flags;
    logic [7:0]  source;
    logic [7:0]  index;
    logic [7:0]  op;
  } instruction_t;

  // What a DMA engine walks over.
  typedef struct packed {
    logic [ADDR_W-1:0] base;
    logic [ADDR_W-1:0] stride;     // modulo 2^ADDR_W, so negative strides just add
    logic [31:0]       run_bytes;
    logic [31:0]       runs;
  } pattern_t;

  // What go hands to the engines: the shadow registers. Arrays stand beside it, one entry an engine.
  typedef struct packed {
    logic     valid;
    logic     open_end;  // W#
    pattern_t pattern;
  } dma_step_t;
  typedef struct packed {
    logic        valid;
    logic        eager;
    logic        pulse_only;
    logic [31:0] signature;
  } lane_step_t;
  typedef struct packed {
    logic        valid;
    logic [7:0]  kind;
    logic [63:0] word;
    logic [63:0] inputs;
  } config_step_t;

  // A fault that an engine raises for one cycle; code FAULT_NONE: none.
  typedef struct packed {
    logic [7:0]  code;
    logic [63:0] value;
  } fault_t;

  // Words that count in the last beat of a frame, 1..4, from the keep bits of each word's first byte.
  function automatic logic [2:0] keep_words(logic [3:0] first);
    return {2'b0, first[0]} + {2'b0, first[1]} + {2'b0, first[2]} + {2'b0, first[3]};
  endfunction

  // Mask of the first `bytes` bytes of a beat; 0 stands for a whole beat.
  function automatic logic [31:0] first_bytes(logic [4:0] bytes);
    logic [31:0] mask;
    for (int unsigned i = 0; i < 32; i++) mask[i] = (bytes == 5'd0) || (i[4:0] < bytes);
    return mask;
  endfunction

endpackage

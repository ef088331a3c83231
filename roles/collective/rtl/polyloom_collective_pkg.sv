// SPDX-License-Identifier: Apache-2.0
// polyloom_collective_pkg: the types that the role's modules exchange; numbers: polyloom_collective_encoding_pkg.
// How:          cfg_t is the one typed parameter struct of the role; every module takes it whole and reads what it needs.
// Limits:       cfg_t as checked by polyloom_collective_engine.
// Source: own design, after OPTWEB sections 2.C and Fig. 2.   Tests: those of the modules.
package polyloom_collective_pkg;

  localparam int unsigned ADDR_W = 40;  // byte offset in a channel
  localparam int unsigned BURST_BEATS = 32;  // no burst crosses a multiple of this: 1 KiB, so never 4 KiB either

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

  localparam logic [15:0] CONTROL_MARK = 16'hfe00;  // in [63:48] of hello and abort

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

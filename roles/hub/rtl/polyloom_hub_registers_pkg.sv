// SPDX-License-Identifier: Apache-2.0
// polyloom_hub_registers_pkg: registers and numbers of the hub.
// How:          Made from spec/ by python -m spec; do not edit.
// Source: docs/reference/registers.md.   Tests: those of the modules.
package polyloom_hub_registers_pkg;

  localparam int unsigned NORTH = 0;
  localparam int unsigned EAST = 1;
  localparam int unsigned SOUTH = 2;
  localparam int unsigned WEST = 3;
  localparam int unsigned LOCAL = 4;
  localparam int unsigned PORTS = 5;

  typedef enum logic [3:0] {
    CAUSE_NONE = 4'd0,
    CAUSE_UNMAPPED = 4'd1,
    CAUSE_OVERLAP = 4'd2,
    CAUSE_ABSENT = 4'd3,
    CAUSE_POISONED = 4'd4,
    CAUSE_U_TURN = 4'd5,
    CAUSE_MALFORMED = 4'd6,
    CAUSE_REFUSED = 4'd7,
    CAUSE_PROXY_FULL = 4'd8,
    CAUSE_FUNCTION_FULL = 4'd9
  } cause_e;

  typedef enum logic [3:0] {
    DMA_NONE = 4'd0,
    DMA_NOT_LOCAL = 4'd1,
    DMA_OUTSIDE = 4'd2,
    DMA_ZERO = 4'd3,
    DMA_MISALIGNED = 4'd4,
    DMA_CROSSES = 4'd5,
    DMA_LOOP = 4'd6,
    DMA_RESERVED = 4'd7,
    DMA_FUNCTION = 4'd8,
    DMA_POISONED = 4'd9
  } dma_error_e;

  localparam int unsigned CONTROL_LAST = 0;
  localparam int unsigned CONTROL_FLAG = 1;
  localparam int unsigned CONTROL_FUNCTION = 2;
  localparam int unsigned CONTROL_BITS = 3;

  localparam int unsigned CAUSES = 10;

  localparam int unsigned CHAIN_MAX = 65536;  // descriptors of a chain
  localparam int unsigned PROXY_DEPTH = 16;  // descriptors in the proxy queue
  localparam int unsigned DESCRIPTOR_BYTES = 64;  // of a descriptor
  localparam int unsigned RULE_SHIFT = 24;  // lowest address bit that rules look at
  localparam logic [63:0] MAGIC = 64'h31304255484c5950;  // what `id` reads: PYLHUB01

  // Registers, byte offsets.
  localparam logic [15:0] REG_ID = 16'h0000;
  localparam logic [15:0] REG_SHAPE = 16'h0008;
  localparam logic [15:0] REG_NODE = 16'h0010;
  localparam logic [15:0] REG_LINKS = 16'h0018;
  localparam logic [15:0] REG_STATUS = 16'h0020;
  localparam logic [15:0] REG_STATUS_CLEAR = 16'h0028;
  localparam logic [15:0] REG_CYCLE = 16'h0030;
  localparam logic [15:0] REG_RULES = 16'h0100;
  localparam logic [15:0] REG_COUNTERS = 16'h0200;
  localparam logic [15:0] REG_DROPS = 16'h0400;
  localparam logic [15:0] REG_CHAIN = 16'h0800;
  localparam logic [15:0] REG_DMA_STATE = 16'h0808;
  localparam logic [15:0] REG_CHAIN_ERROR = 16'h0810;
  localparam logic [15:0] REG_PROXY_ERROR = 16'h0818;
  localparam logic [15:0] REG_DMA_DONE = 16'h0820;
  localparam logic [15:0] REG_FUNCTION_CONTROL = 16'h1000;
  localparam logic [15:0] REG_FUNCTION_CONFIG = 16'h1008;
  localparam logic [15:0] REG_FUNCTION_STATE = 16'h1010;
  localparam logic [15:0] REG_FUNCTION_STATUS = 16'h1100;
  localparam logic [15:0] REG_LANES = 16'h1400;
  localparam logic [15:0] REG_PROXY = 16'h4000;

endpackage

// SPDX-License-Identifier: Apache-2.0
// polyloom_hub_pkg: the types that the hub's modules exchange; with the numbers of polyloom_hub_registers_pkg.
// How:          cfg_t is the one typed parameter struct of the role; every module takes it whole and reads what it needs.
// Limits:       cfg_t as checked by polyloom_hub_node.
// Source: own design, after PEACH2 section 2.2.   Tests: those of the modules.
package polyloom_hub_pkg;

  import polyloom_hub_registers_pkg::*;

  // What a hub is made of. One value a hub, made from the parameters of its top.
  typedef struct packed {
    int unsigned max_payload;       // bytes of a TLP: 128, 256, 512
    int unsigned slots;             // 2..32: TLPs that a link's receive buffer holds = credits of its sender
    int unsigned tags;              // 1..32: reads of the DMA under way
    int unsigned memory_bits;       // 16..32: the on-board memory has 2^memory_bits bytes
    int unsigned chain_max;         // 1..65536: descriptors of a chain; one more is a loop
    int unsigned lanes;             // 1..8: outputs of the function (1 where there is none)
    int unsigned function_kinds;    // bit k: the function's slot holds operator k; 0: no function
    int unsigned function_width;    // 128, 256: bits that the function takes a cycle of its clock
    int unsigned function_num;      // the function's clock has function_num of function_den edges
    int unsigned function_den;
    int unsigned open_depth;        // LET: opened nodes a lane waits for
    int unsigned geometry_latency;  // LET: stages of the geometry pipe; 0: what its arithmetic takes
  } cfg_t;
  // A module alone (lint, unit tests) is one of this hub; the top hands its own to all of them.
  localparam cfg_t SMALL = '{
      max_payload: 128,
      slots: 4,
      tags: 4,
      memory_bits: 16,
      chain_max: 8,
      lanes: 2,
      function_kinds: 8,
      function_width: 256,
      function_num: 1,
      function_den: 1,
      open_depth: 64,
      geometry_latency: 0
  };

  localparam int unsigned BEAT_BYTES = 16;
  localparam int unsigned READ_BYTES = 512;  // largest read of the DMA; also no read crosses a multiple
  localparam int unsigned ADDR_W = 39;  // the window
  localparam int unsigned PAGE = 4096;  // no TLP crosses a multiple

  localparam int unsigned REPLY = 5;  // an input of the switch that leads to N only: reads of the DMA, responses to N
  localparam int unsigned LINKS = 4;  // ports with a lane
  localparam int unsigned INPUTS = 6;
  localparam int unsigned LOCAL_SLOTS = 4;  // TLPs that wait in the switch from inside, and reads and responses
  localparam int unsigned REPLY_SLOTS = 2;
  localparam int unsigned RULES = 2;
  localparam int unsigned RULE_BITS = 15;

  typedef enum logic [7:0] {
    TYPE_READ       = 8'h20,  // MRd
    TYPE_COMPLETION = 8'h4a,  // CplD
    TYPE_WRITE      = 8'h60   // MWr
  } type_e;

  // A beat of a TLP inside the hub: `top` is the index of its last byte that counts.
  typedef struct packed {
    logic         last;
    logic [3:0]   top;
    logic [127:0] data;
  } beat_t;

  // A header. CplD: address[31:0] = bytes that remain with these, [63:32] offset.
  typedef struct packed {
    logic [63:0] address;
    logic [31:0] length;
    logic [7:0]  zero;
    logic [7:0]  tag;
    logic [6:0]  reserved;
    logic        poisoned;
    logic [7:0]  kind;      // type_e
  } header_t;

  // A rule matches if lower <= (address[38:24] & mask) <= upper.
  typedef struct packed {
    logic                 valid;
    logic [RULE_BITS-1:0] mask;
    logic [RULE_BITS-1:0] upper;
    logic [RULE_BITS-1:0] lower;
  } rule_t;
  typedef rule_t [PORTS-1:0][RULES-1:0] rules_t;

  typedef struct packed {
    cause_e      cause;
    logic [2:0]  port;
    logic [47:0] address;
  } fault_t;

  // Where a TLP goes; cause CAUSE_NONE: to the one port of dest, else nowhere.
  typedef struct packed {
    cause_e           cause;
    logic [PORTS-1:0] dest;
    logic             stream;   // to the function's input, which may have no room
    logic [47:0]      address;
  } route_t;

  // What counts of a port: one strobe each.
  typedef struct packed {
    logic drop;
    logic stall;
    logic beat_out;
    logic beat_in;
    logic tlp_out;
    logic tlp_in;
  } events_t;
  localparam int unsigned EVENTS = $bits(events_t);
  localparam int unsigned COUNTER_BITS = 40;

  // A lane of the function.
  typedef struct packed {
    logic [38:0] base;
    logic [38:0] capacity;
    logic [38:0] flag;
  } lane_t;

  // What the registers show of the DMA.
  typedef struct packed {
    logic              chain_busy;
    logic              proxy_busy;
    logic [4:0]        queued;
    logic [ADDR_W-1:0] address;        // descriptor in work
    dma_error_e        chain_error;
    logic [47:0]       chain_address;  // of the error
    dma_error_e        proxy_error;
    logic [31:0]       chain_done;
    logic [31:0]       proxy_done;
  } dma_state_t;

  // What the registers show of the function.
  typedef struct packed {
    logic        active;
    logic        idle;
    logic        error;
    logic [15:0] done;      // lanes
    logic [15:0] overflow;
  } function_state_t;

  // A command to the function, for one cycle.
  typedef struct packed {
    logic        step;
    logic        flush;
    logic [7:0]  kind;
    logic [15:0] used;   // lanes
  } function_command_t;

  // A beat of what the DMA reads: `final_beat` ends a read, `bad`: poisoned.
  typedef struct packed {
    logic         final_beat;
    logic         bad;
    logic [3:0]   top;
    logic [127:0] data;
  } read_beat_t;

  // A descriptor, word 0 in the lowest bits.
  typedef struct packed {
    logic [63:0] flag;
    logic [63:0] next;
    logic [31:0] id;
    logic [31:0] control;
    logic [63:0] destination_stride;
    logic [63:0] source_stride;
    logic [31:0] blocks;
    logic [31:0] block_bytes;
    logic [63:0] destination;
    logic [63:0] source;
  } descriptor_t;

  // What the write side does with the data of a block that is being read.
  typedef struct packed {
    logic              proxy;         // of the proxy queue, not of the chain
    logic              final_block;   // of its descriptor
    logic              to_stream;     // to the function instead of an address
    logic              stream_end;    // its last byte ends the function's stream
    logic              flag;
    logic [ADDR_W-1:0] flag_address;
    logic [31:0]       id;
    logic [31:0]       bytes;
    logic [ADDR_W-1:0] address;
  } block_t;

  // Beats of a payload.
  function automatic int unsigned beats_of(int unsigned bytes);
    return (bytes + BEAT_BYTES - 1) / BEAT_BYTES;
  endfunction

  // Reset value of a rule that lets exactly one run of upper address bits pass.
  function automatic rule_t run_rule(logic [RULE_BITS-1:0] lower, logic [RULE_BITS-1:0] upper);
    return '{valid: 1'b1, mask: '1, upper: upper, lower: lower};
  endfunction

endpackage

// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_cache_port: a tile's way to its memory slice: lines asked for and lines written back, one request a cycle.
// How:          what lookups want goes on in their order. A miss needs one of 32 slots; if none is free it waits, and all
//               behind it. A miss asks for its line, then writes its victim back; the victim is read when the line is asked
//               for, so the line that comes cannot overwrite it.
//                   lookup --+--> FIFO --+--> slot? victim read? --> register --> slice
//                            '-----------'
// Latency:      line_valid_o 1 cycle after start_i at best. A slot may be used again 9 cycles after its line came here, that is
//               8 after the cycle in which the slice had it, counted in cycles of grants.
// Throughput:   one request a cycle; a miss with a dirty victim takes two.
// Backpressure: hold_o asks that no more lookups are granted: only a long row of dirty flushes gets so far. line_valid_o does
//               not wait for line_ready_i. Misses alone never need it.
// Order/loss:   requests of a tile leave in the order of its lookups; nothing lost.
// Reset:        emptied, all slots free.
// Limits:       checked by polyloom_overlay_cache.
// Cost:         FIFO of 2 x threads x 74 bits in block RAM.
// Source:       own design.
// Tests:        test_polyloom_overlay_cache_port.py, memory_rtl_test.cc
module polyloom_overlay_cache_port
  import polyloom_overlay_pkg::*;
  import polyloom_overlay_memory_pkg::*;
#(
    parameter cfg_t Cfg = TINY
) (
    input  logic      clk_i,
    input  logic      rst_ni,
    output logic      hold_o,
    output logic      idle_o,          // nothing waits, no line is under way
    // From lookups: a miss, or a flush of a dirty line
    input  logic      start_valid_i,
    input  start_t    start_i,
    // A line came
    input  logic      arrived_i,
    // The victim's bytes
    output logic      victim_want_o,
    output place_t    victim_place_o,
    input  logic      victim_grant_i,  // line_wdata is there in the next cycle
    // To the slice
    output logic      line_valid_o,
    input  logic      line_ready_i,
    output line_req_t line_o
);

  localparam int unsigned THREADS = Cfg.cores * Cfg.threads;
  localparam int unsigned DEPTH = 2 * THREADS + 8;
  localparam int unsigned IN_FLIGHT = 3;  // lookups granted and not decided
  typedef logic [$clog2(DEPTH+1)-1:0] usage_t;
  typedef logic [$clog2(MISSES+1)-1:0] slots_t;

  logic older, next_valid, room, may, go, back_q, leaves;
  start_t head, next;
  usage_t usage;
  slots_t slots_q;
  logic [SLOT_REST-1:0] resting_q;

  polyloom_stream_ram_fifo #(
      .T(start_t),
      .Depth(DEPTH)
  ) i_fifo (
      .clk_i,
      .rst_ni,
      .flush_i(1'b0),
      .in_valid_i(start_valid_i && (older || !go)),
      .in_ready_o(room),
      .in_i(start_i),
      .out_valid_o(older),
      .out_ready_i(go),
      .out_o(head),
      .usage_o(usage)
  );
  always_ff @(posedge clk_i) assert (!start_valid_i || room);

  assign hold_o = usage >= usage_t'(DEPTH - IN_FLIGHT);
  assign next_valid = older || start_valid_i;
  assign next = older ? head : start_i;

  assign leaves = !line_valid_o || line_ready_i;
  assign may = next_valid && leaves && !back_q && (next.flush || slots_q != '0);
  assign victim_want_o = may && next.dirty;
  assign victim_place_o = next.place;
  assign go = may && (!next.dirty || victim_grant_i);

  // ---- slots ----

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      slots_q   <= slots_t'(MISSES);
      resting_q <= '0;
    end else begin
      resting_q <= {resting_q[SLOT_REST-2:0], arrived_i};
      slots_q   <= slots_q + slots_t'(resting_q[SLOT_REST-1]) - slots_t'(go && !next.flush);
    end
  end
  assign idle_o = !older && !line_valid_o && slots_q == slots_t'(MISSES);

  // ---- to the slice ----

  line_addr_t line_q, victim_q;
  logic write_q;
  logic [INDEX_BITS-1:0] tag_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      line_valid_o <= 1'b0;
      back_q <= 1'b0;
    end else if (leaves) begin
      line_valid_o <= back_q || go;
      back_q <= go && !next.flush && next.dirty;
    end
  end

  always_ff @(posedge clk_i) begin
    if (leaves && back_q) begin
      write_q <= 1'b1;
      line_q  <= victim_q;
    end else if (go) begin
      write_q <= next.flush;
      line_q <= next.flush ? next.victim : next.wanted;
      victim_q <= next.victim;
      tag_q <= next.thread;
    end
  end

  assign line_o = '{write: write_q, tag: tag_q, addr: {line_q, 5'b0}};

endmodule

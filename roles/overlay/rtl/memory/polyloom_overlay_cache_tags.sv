// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_cache_tags: which lines a tile's cache holds: tags, states and the tree of each set, looked up and kept.
// How:          a row for each set of each thread: a RAM of tags a way, and one RAM of states (valid and dirty bits, the
//               pseudo-LRU tree, and the way that it names as victim). A miss writes tag and state as if its line had come
//               already: its thread asks nothing before that. So rows are read and written by lookups only.
//                   grant g: row address | t: tags compared, victim's tag chosen | d: decision, place | e: row written
// Latency:      decided_o 2 cycles after grant_i. A row may be asked again 4 cycles after its last grant.
// Throughput:   one lookup a cycle.
// Backpressure: none; ready_o is low for the first (rows) cycles after reset.
// Order/loss:   in order.
// Reset:        pipeline emptied; states of all rows are cleared one a cycle, then ready_o rises.
// Limits:       checked by polyloom_overlay_cache. A thread has one request under way (not checked).
// Cost:         64 threads of 4 sets and 16 ways: 16 RAMs of 256 x 25 bits, one of 256 x 51.
// Source:       Tinsel paper III (partition a thread); tree pseudo-LRU.
// Tests:        test_polyloom_overlay_cache_tags.py, memory_rtl_test.cc
module polyloom_overlay_cache_tags
  import polyloom_overlay_pkg::*;
  import polyloom_overlay_memory_pkg::*;
#(
    parameter cfg_t Cfg = TINY
) (
    input  logic    clk_i,
    input  logic    rst_ni,
    output logic    ready_o,          // may be asked
    // From the queue of requests
    input  logic    grant_valid_i,
    input  lookup_t grant_i,
    // Decided, 2 cycles after the grant
    output logic    decided_valid_o,
    output lookup_t decided_o,
    output logic    hit_o,            // not a flush
    output start_t  start_o           // what memory is asked; place: of the hit or of the victim
);

  localparam int unsigned WAYS = Cfg.cache_ways;
  localparam int unsigned SETS = Cfg.cache_sets;
  localparam int unsigned WAY_BITS = $clog2(WAYS);
  localparam int unsigned SET_BITS = $clog2(SETS);
  localparam int unsigned LINE_SHIFT = $clog2(Cfg.line_bytes);
  localparam int unsigned ROWS_USED = Cfg.cores * Cfg.threads * SETS;
  localparam int unsigned ROWS = ROWS_USED < 2 ? 2 : ROWS_USED;
  localparam int unsigned ROW_BITS = $clog2(ROWS);
  localparam int unsigned TAG_BITS = 32 - LINE_SHIFT - SET_BITS;
  localparam int unsigned WAY_WIDTH = WAYS > 1 ? WAY_BITS : 1;

  typedef logic [TAG_BITS-1:0] tag_t;
  typedef logic [ROW_BITS-1:0] row_addr_t;
  typedef logic [WAY_WIDTH-1:0] way_t;
  typedef struct packed {
    logic [WAYS-1:0] valid;
    logic [WAYS-1:0] dirty;
    logic [WAYS-1:0] tree;    // node n: bit n, root 1; 1: the victim lies to the right
    way_t            victim;  // that the tree names
  } state_t;

  function automatic row_addr_t row_of(input logic [INDEX_BITS-1:0] thread, input logic [3:0] set);
    return row_addr_t'(32'(thread) * SETS + 32'(set));
  endfunction

  // Whole words, by way or by bit of a way's number: a simulator takes a bit as long.
  typedef logic [WAYS-1:0][WAYS-1:0] by_way_t;
  // The nodes on a way's path from the root (left 0), or those of them where it goes to the left.
  function automatic by_way_t paths(input bit left);
    paths = '0;
    for (int unsigned way = 0; way < WAYS; way++) begin
      for (int unsigned child = WAYS + way; child > 1; child >>= 1) begin
        paths[way][child>>1] = !left || !child[0];
      end
    end
  endfunction
  localparam by_way_t PATH = paths(1'b0);
  localparam by_way_t LEFT = paths(1'b1);
  // The ways whose number has a bit.
  function automatic by_way_t with_bits();
    with_bits = '0;
    for (int unsigned way = 0; way < WAYS; way++) begin
      for (int unsigned b = 0; b < WAY_BITS; b++) with_bits[b][way] = way[b];
    end
  endfunction
  localparam by_way_t WITH_BIT = with_bits();

  // ---- g: the row is read ----

  tag_t   t_tags  [WAYS];
  state_t t_state;

  logic e_valid_q, e_miss_q;
  row_addr_t e_row_q;
  way_t e_way_q;
  tag_t e_tag_q;
  state_t e_state_q, e_state;
  logic sweep_q;
  row_addr_t sweep_row_q;

  for (genvar w = 0; w < WAYS; w++) begin : gen_way
    polyloom_ram_1r1w #(
        .Width(TAG_BITS),
        .Depth(ROWS)
    ) i_tags (
        .clk_i,
        .we_i(e_valid_q && e_miss_q && e_way_q == way_t'(w)),
        .be_i(1'b1),
        .waddr_i(e_row_q),
        .wdata_i(e_tag_q),
        .re_i(grant_valid_i),
        .raddr_i(row_of(grant_i.thread, grant_i.set)),
        .rdata_o(t_tags[w])
    );
  end

  polyloom_ram_1r1w #(
      .Width($bits(state_t)),
      .Depth(ROWS)
  ) i_states (
      .clk_i,
      .we_i(e_valid_q || sweep_q),
      .be_i(1'b1),
      .waddr_i(sweep_q ? sweep_row_q : e_row_q),
      .wdata_i(sweep_q ? '0 : e_state),
      .re_i(grant_valid_i),
      .raddr_i(row_of(grant_i.thread, grant_i.set)),
      .rdata_o(t_state)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sweep_q <= 1'b1;
      sweep_row_q <= '0;
    end else if (sweep_q) begin
      sweep_q <= sweep_row_q != row_addr_t'(ROWS - 1);
      sweep_row_q <= sweep_row_q + 1'b1;
    end
  end
  assign ready_o = !sweep_q;

  // ---- t: tags are compared; the line that may have to go is chosen ----

  logic t_valid_q, t_flush;
  lookup_t t_q;
  logic [WAYS-1:0] t_equal, t_hit_oh;
  way_t t_way;  // of the line that may go

  assign t_flush = t_q.op == MEM_FLUSH;
  assign t_way   = t_flush ? way_t'(t_q.addr[3:0]) & way_t'(WAYS - 1) : t_state.victim;

  for (genvar w = 0; w < WAYS; w++) begin : gen_compare
    assign t_equal[w] = t_tags[w] == t_q.addr[31-:TAG_BITS];
  end
  assign t_hit_oh = t_flush ? '0 : t_state.valid & t_equal;

  // ---- d: hit, miss or flush ----

  logic d_valid_q, d_dirty_q;
  lookup_t d_q;
  logic [WAYS-1:0] d_hit_oh_q;
  way_t d_gone_q, d_way;
  tag_t   d_gone_tag_q;
  state_t d_state_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      t_valid_q <= 1'b0;
      d_valid_q <= 1'b0;
    end else begin
      t_valid_q <= grant_valid_i;
      d_valid_q <= t_valid_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (grant_valid_i) t_q <= grant_i;
    if (t_valid_q) begin
      d_q <= t_q;
      d_hit_oh_q <= t_hit_oh;
      d_gone_q <= t_way;
      d_gone_tag_q <= t_tags[t_way];
      d_dirty_q <= t_state.dirty[t_way];
      d_state_q <= t_state;
    end
  end

  logic d_hit, d_flush;
  logic [31:0] d_victim;
  assign d_hit   = |d_hit_oh_q;
  assign d_flush = d_q.op == MEM_FLUSH;

  always_comb begin
    d_way = d_hit ? '0 : d_gone_q;
    for (int unsigned b = 0; b < WAY_BITS; b++) d_way |= way_t'(|(d_hit_oh_q & WITH_BIT[b])) << b;
  end

  assign d_victim = {d_gone_tag_q, {32 - TAG_BITS{1'b0}}} | (32'(d_q.set) << LINE_SHIFT);
  assign decided_valid_o = d_valid_q;
  assign decided_o = d_q;
  assign hit_o = d_valid_q && d_hit;
  always_comb begin
    start_o.flush  = d_flush;
    start_o.dirty  = d_dirty_q;
    start_o.thread = d_q.thread;
    start_o.wanted = line_addr_t'(d_q.addr >> LINE_SHIFT << (LINE_SHIFT - 5));
    start_o.victim = line_addr_t'(d_victim >> 5);
    start_o.place  = place_t'(((32'(d_q.thread) * SETS + 32'(d_q.set)) << WAY_BITS) | 32'(d_way));
  end

  // ---- e: the row as it is now is written ----

  // The way where a walk from the root ends.
  function automatic way_t victim_of(input logic [WAYS-1:0] tree);
    logic right;
    victim_of = '0;
    for (int level = 0; level < int'(WAY_BITS); level++) begin
      right = tree[way_t'(1<<level)|victim_of];
      victim_of = way_t'(victim_of << 1) | way_t'(right);
    end
  endfunction

  // The tree after a way (one bit of line) was used: the nodes on its path point away from it.
  function automatic logic [WAYS-1:0] used(input logic [WAYS-1:0] tree, input logic [WAYS-1:0] line);
    logic [WAYS-1:0] path, left;
    path = '0;
    left = '0;
    for (int unsigned way = 0; way < WAYS; way++) begin
      if (line[way]) begin
        path |= PATH[way];
        left |= LEFT[way];
      end
    end
    used = (tree & ~path) | left;
  endfunction

  function automatic state_t after(input state_t old, input mem_op_e op, input logic found,
                                   input logic [WAYS-1:0] line);
    after = old;
    if (op == MEM_FLUSH) begin
      after.valid = old.valid & ~line;
    end else begin
      after.valid = old.valid | line;
      after.tree  = used(old.tree, line);
    end
    if (op == MEM_STORE) after.dirty = old.dirty | line;
    else if (!found) after.dirty = old.dirty & ~line;
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) e_valid_q <= 1'b0;
    else e_valid_q <= d_valid_q;
  end

  always_comb begin
    e_state = e_state_q;
    e_state.victim = victim_of(e_state_q.tree);
  end

  always_ff @(posedge clk_i) begin
    if (d_valid_q) begin
      e_miss_q  <= !d_hit && !d_flush;
      e_row_q   <= row_of(d_q.thread, d_q.set);
      e_way_q   <= d_way;
      e_tag_q   <= d_q.addr[31-:TAG_BITS];
      e_state_q <= after(d_state_q, d_q.op, d_hit, d_hit ? d_hit_oh_q : WAYS'(1) << d_gone_q);
    end
  end

endmodule

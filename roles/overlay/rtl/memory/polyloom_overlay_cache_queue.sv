// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_cache_queue: the cores' requests to a tile's cache, one of them granted a cycle.
// How:          a FIFO a core, which a request passes by when it is empty; cores that have one take turns, the next after the
//               last granted first.
//                   core 0: req --+--> FIFO --+
//                                 '-----------+--> turn --> grant
//                   core 1: ...    -----------'
// Latency:      0 cycles: a request may be granted in the cycle in which it comes.
// Throughput:   one grant a cycle.
// Backpressure: hold_i keeps all requests waiting. There is always room: a thread has one request under way.
//               grant_o depends on req_i and hold_i combinationally; it comes late in the cycle.
// Order/loss:   in order within a core; nothing lost.
// Reset:        emptied; core 0 is first. Takes requests in the first cycle after reset.
// Limits:       Cfg.cores 1, 2, 4; Cfg.threads 1..16, a power of two (checked by polyloom_overlay_cache); at most one request a
//               thread (asserted).
// Cost:         16 x 74 bits of LUT RAM a core, most of it.
// Source:       own design.
// Tests:        test_polyloom_overlay_cache_queue.py, memory_rtl_test.cc
module polyloom_overlay_cache_queue
  import polyloom_overlay_pkg::*;
  import polyloom_overlay_memory_pkg::*;
#(
    parameter cfg_t Cfg = TINY
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,
    // From the cores
    input  logic     [Cfg.cores-1:0] req_valid_i,
    input  mem_req_t [Cfg.cores-1:0] req_i,
    // To the cache
    input  logic                     hold_i,
    output logic                     grant_valid_o,
    output lookup_t                  grant_o,
    output logic                     empty_o         // nothing waits that came in an earlier cycle
);

  localparam int unsigned CORES = Cfg.cores;
  localparam int unsigned LINE_SHIFT = $clog2(Cfg.line_bytes);
  localparam int unsigned CORE_BITS = CORES > 1 ? $clog2(CORES) : 1;
  typedef logic [CORE_BITS-1:0] core_t;

  logic [CORES-1:0] held, ready, request, accepted;
  mem_req_t oldest [CORES];
  mem_req_t chosen;
  core_t last_q, turn;

  for (genvar c = 0; c < CORES; c++) begin : gen_core
    mem_req_t head;
    polyloom_stream_lut_fifo #(
        .T(mem_req_t),
        .Depth(Cfg.threads)
    ) i_fifo (
        .clk_i,
        .rst_ni,
        .flush_i(1'b0),
        .in_valid_i(req_valid_i[c] && !(accepted[c] && !held[c])),
        .in_ready_o(ready[c]),
        .in_i(req_i[c]),
        .out_valid_o(held[c]),
        .out_ready_i(accepted[c]),
        .out_o(head)
    );
    assign oldest[c]   = held[c] ? head : req_i[c];
    assign request[c]  = held[c] || req_valid_i[c];
    assign accepted[c] = grant_valid_o && turn == core_t'(c);
    always_ff @(posedge clk_i) assert (!req_valid_i[c] || ready[c]);
  end

  // The first that asks after the last granted.
  always_comb begin
    turn = last_q;
    for (int unsigned i = CORES; i >= 1; i--) begin
      if (request[core_t'((32'(last_q)+i)%CORES)]) turn = core_t'((32'(last_q) + i) % CORES);
    end
  end

  assign grant_valid_o = |request && !hold_i;
  assign empty_o = !(|held);

  assign chosen = oldest[turn];
  always_comb begin
    grant_o.op = chosen.op;
    grant_o.size = chosen.size;
    grant_o.sign = chosen.sign;
    grant_o.thread = INDEX_BITS'(32'(turn) * Cfg.threads + 32'(chosen.thread));
    grant_o.set = 4'((chosen.op == MEM_FLUSH ? chosen.addr >> 4 : chosen.addr >> LINE_SHIFT) & 32'(Cfg.cache_sets - 1));
    grant_o.addr = chosen.addr;
    grant_o.data = chosen.data;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) last_q <= core_t'(CORES - 1);
    else if (grant_valid_o) last_q <= turn;
  end

endmodule

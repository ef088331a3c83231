// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_cache: a tile's data cache: a partition a thread, write-back, write-allocate, 32 misses under way.
// How:          g grant | t tags | d decision | e word | a response. A thread has one request under way and lines of its own, so
//               accesses in the pipeline never concern the same line, and nothing is forwarded.
//                   cores --> queue --> tags --+-- hit ----> lines --> hit response
//                                              +-- miss ---> fill (what is wanted) <-- line -- slice
//                                              '-- asks ---> port -- line requests ---------> slice
// Latency:      G = cycle of the grant, in which the request may come. Hit and flush: response in G + 4. Miss: request in the
//               slice's queue in G + 4 (line_valid_o in G + 3), victim after it; line at the slice's memory port in D
//               (line_rsp_valid_i in D + 1): response in D + 4.
// Throughput:   one lookup a cycle; hits never wait for misses.
// Backpressure: requests have no ready: there is a place for one a thread. Lines that come are always taken. If some 60 flushes
//               of dirty lines wait for the slice, lookups wait too.
// Order/loss:   per core in order of its requests, cores in turn. A tile's line requests leave in the order of grants, so a
//               write-back is before the next read of the same line. A flush waits behind misses that wait for a slot.
// Reset:        all lines invalid: takes a cycle for each set of each thread, in which requests wait.
// Limits:       cores 1, 2, 4; threads a power of two up to 16; ways a power of two up to 16; ways * sets of a thread, a power of
//               two, up to 64; lines of 32 or 64 bytes (checked at elaboration). Addresses aligned and in DRAM or SRAM.
// Cost:         2,647 LUT, 1,060 FF, 42.5 BRAM36 (UltraScale+); 4,718 LUT4, 87 EBR (ECP5). Yosys 0.70, 2026-11.
// Source:       Tinsel paper III; rules: roles/overlay/sim/tile/README.md.
// Tests:        test_polyloom_overlay_cache.py, memory_rtl_test.cc
module polyloom_overlay_cache
  import polyloom_overlay_pkg::*;
  import polyloom_overlay_memory_pkg::*;
#(
    parameter  cfg_t        Cfg      = TINY,
    localparam int unsigned LineBits = 8 * Cfg.line_bytes
) (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    output logic                       idle_o,             // nothing is under way
    // From and to the cores
    input  logic      [ Cfg.cores-1:0] req_valid_i,
    input  mem_req_t  [ Cfg.cores-1:0] req_i,
    output logic      [ Cfg.cores-1:0] hit_valid_o,        // also flushes
    output rsp_t                       hit_o,
    output logic      [ Cfg.cores-1:0] fill_valid_o,
    output rsp_t                       fill_o,
    // Counters: pulses, 3 cycles after the grant
    output logic                       count_hit_o,
    output logic                       count_miss_o,
    output logic                       count_writeback_o,
    // To and from the slice
    output logic                       line_valid_o,
    input  logic                       line_ready_i,
    output line_req_t                  line_o,
    output logic      [  LineBits-1:0] line_wdata_o,
    input  logic                       line_rsp_valid_i,
    input  logic      [INDEX_BITS-1:0] line_rsp_tag_i,
    input  logic      [  LineBits-1:0] line_rsp_data_i
);

  localparam int unsigned THREAD_BITS = $clog2(Cfg.threads);

  if (!(Cfg.cores inside {1, 2, 4}) || !(Cfg.threads inside {1, 2, 4, 8, 16})) begin : gen_bad_cores
    $error("%m: %0d cores of %0d threads; a tile has 1, 2 or 4 of 1, 2, 4, 8 or 16", Cfg.cores, Cfg.threads);
  end
  if (!(Cfg.cache_ways inside {1, 2, 4, 8, 16}) || !(Cfg.cache_sets inside {1, 2, 4, 8, 16}) ||
      Cfg.cache_ways * Cfg.cache_sets > 64) begin : gen_bad_shape
    $error(
        "%m: %0d ways, %0d sets; powers of two up to 16, and a thread has at most 64 lines",
        Cfg.cache_ways,
        Cfg.cache_sets
    );
  end
  if (!(Cfg.line_bytes inside {32, 64})) begin : gen_bad_line
    $error("%m: line_bytes %0d; 32 or 64", Cfg.line_bytes);
  end

  function automatic logic [Cfg.cores-1:0] core_of(input logic [INDEX_BITS-1:0] thread);
    return Cfg.cores'(1) << (thread >> THREAD_BITS);
  endfunction

  function automatic rsp_t response(input logic [3:0] thread, input logic [31:0] data);
    return '{thread: thread & 4'(Cfg.threads - 1), data: data, flags: '0};
  endfunction

  // ---- grant, tags, decision ----

  logic hold, tags_ready, queue_empty, lines_idle, fill_idle, port_idle;
  logic grant_valid, d_valid, d_hit, d_requests;
  lookup_t grant;
  // verilator lint_off UNUSEDSIGNAL  // the set is the tags' alone
  lookup_t d;
  // verilator lint_on UNUSEDSIGNAL
  start_t  d_start;
  word_t   d_word;

  polyloom_overlay_cache_queue #(
      .Cfg(Cfg)
  ) i_queue (
      .clk_i,
      .rst_ni,
      .req_valid_i,
      .req_i,
      .hold_i(hold || !tags_ready),
      .grant_valid_o(grant_valid),
      .grant_o(grant),
      .empty_o(queue_empty)
  );

  polyloom_overlay_cache_tags #(
      .Cfg(Cfg)
  ) i_tags (
      .clk_i,
      .rst_ni,
      .ready_o(tags_ready),
      .grant_valid_i(grant_valid),
      .grant_i(grant),
      .decided_valid_o(d_valid),
      .decided_o(d),
      .hit_o(d_hit),
      .start_o(d_start)
  );

  logic d_flush, d_miss;
  assign d_flush = d_valid && d.op == MEM_FLUSH;
  assign d_miss = d_valid && !d_hit && !d_flush;
  assign d_requests = d_miss || (d_flush && d_start.dirty);
  assign d_word = '{
          store: d.op == MEM_STORE,
          index: d.addr[5:2],
          part: '{size: d.size, sign: d.sign, offset: d.addr[1:0]},
          data: store_lanes(d.size, d.data)
      };

  // ---- lines ----

  logic arrived_valid, victim_want, victim_grant;
  place_t arrived_place, victim_place;
  logic [LineBits-1:0] arrived;
  logic [31:0] hit_data, fill_data;
  logic fill_valid;
  logic [INDEX_BITS-1:0] fill_thread;

  polyloom_overlay_cache_lines #(
      .Cfg(Cfg)
  ) i_lines (
      .clk_i,
      .rst_ni,
      .idle_o(lines_idle),
      .hit_valid_i(d_hit),
      .hit_place_i(d_start.place),
      .hit_i(d_word),
      .hit_data_o(hit_data),
      .fill_valid_i(arrived_valid),
      .fill_place_i(arrived_place),
      .fill_i(arrived),
      .victim_want_i(victim_want),
      .victim_place_i(victim_place),
      .victim_grant_o(victim_grant),
      .victim_o(line_wdata_o)
  );

  polyloom_overlay_cache_fill #(
      .Cfg(Cfg)
  ) i_fill (
      .clk_i,
      .rst_ni,
      .miss_valid_i(d_miss),
      .miss_thread_i(d.thread),
      .miss_place_i(d_start.place),
      .miss_i(d_word),
      .line_rsp_valid_i,
      .line_rsp_tag_i,
      .line_rsp_data_i,
      .fill_valid_o(arrived_valid),
      .fill_place_o(arrived_place),
      .fill_o(arrived),
      .rsp_valid_o(fill_valid),
      .rsp_thread_o(fill_thread),
      .rsp_data_o(fill_data),
      .idle_o(fill_idle)
  );

  polyloom_overlay_cache_port #(
      .Cfg(Cfg)
  ) i_port (
      .clk_i,
      .rst_ni,
      .hold_o(hold),
      .idle_o(port_idle),
      .start_valid_i(d_requests),
      .start_i(d_start),
      .arrived_i(line_rsp_valid_i),
      .victim_want_o(victim_want),
      .victim_place_o(victim_place),
      .victim_grant_i(victim_grant),
      .line_valid_o,
      .line_ready_i,
      .line_o
  );

  // ---- responses ----

  logic e_valid_q, e_flush_q, a_valid_q, a_flush_q;
  logic t_valid_q;
  logic [INDEX_BITS-1:0] e_thread_q, a_thread_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      t_valid_q <= 1'b0;
      e_valid_q <= 1'b0;
      a_valid_q <= 1'b0;
      count_hit_o <= 1'b0;
      count_miss_o <= 1'b0;
      count_writeback_o <= 1'b0;
    end else begin
      t_valid_q <= grant_valid;
      e_valid_q <= d_hit || d_flush;
      a_valid_q <= e_valid_q;
      count_hit_o <= d_hit;
      count_miss_o <= d_miss;
      count_writeback_o <= d_requests && d_start.dirty;
    end
  end

  always_ff @(posedge clk_i) begin
    e_thread_q <= d.thread;
    e_flush_q  <= d_flush;
    a_thread_q <= e_thread_q;
    a_flush_q  <= e_flush_q;
  end

  assign hit_valid_o = a_valid_q ? core_of(a_thread_q) : '0;
  assign hit_o = response(a_thread_q[3:0], a_flush_q ? '0 : hit_data);
  assign fill_valid_o = fill_valid ? core_of(fill_thread) : '0;
  assign fill_o = response(fill_thread[3:0], fill_data);

  assign idle_o = tags_ready && queue_empty && !t_valid_q && !d_valid && !e_valid_q && !a_valid_q && lines_idle &&
      fill_idle && port_idle;

endmodule

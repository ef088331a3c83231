// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_cores: all cores of a tile with their instruction memories.
// How:          polyloom_overlay_core, one instruction memory for two; control requests wait in a register until the cores that
//               they are for have done them; events of the cores are merged in turn.
// Latency:      calls 6 cycles after issue; a response of cycle A lets its thread issue in A + 2. A read of the instruction
//               memory is answered 4 to 12 cycles after it was accepted.
// Throughput:   an instruction a core and cycle; a control request takes an issue slot of its core.
// Backpressure: ctl_ready_o is low while a request is at work; that of a byte which is lost lasts until its event register is empty.
//               event_ready_i low: threads that fault wait, console bytes are refused (ToUart gives 0).
// Order/loss:   control requests in order; no event is lost.
// Reset:        as polyloom_overlay_core.
// Limits:       cores 1, 2 or 4 (checked at elaboration), else as polyloom_overlay_core. A CTL_START of a thread that runs, or of
//               none, does nothing. Its pc's two low bits are
//               ignored; one beyond the memory counts as the memory's end.
// Cost:         see README.md.
// Source:       Tinsel paper III.   Tests: test_polyloom_overlay_cores.py
module polyloom_overlay_cores
  import polyloom_overlay_pkg::*;
#(
    parameter cfg_t Cfg  = TINY,
    parameter bit   Gate = 1'b0   // simulation: a core without threads to run stands still
) (
    input logic clk_i,
    input logic rst_ni,
    input logic [6:0] phase_i,  // low bits of the current cycle's number
    input logic [15:0] hart_base_i,  // id of the tile's thread 0
    input logic tile0_i,  // the board's first tile
    input logic [1:0][31:0] router_sent_i,  // ProgRouterSent, ProgRouterSentInter
    // Control
    input logic ctl_valid_i,
    output logic ctl_ready_o,
    input ctl_req_t ctl_i,  // target: core or pair of this tile
    output logic ctl_rsp_valid_o,  // one for each CTL_READ_INSTR
    output logic [31:0] ctl_rdata_o,
    // Requests
    output logic [Cfg.cores-1:0] cache_req_valid_o,
    output mem_req_t [Cfg.cores-1:0] cache_req_o,
    output logic [Cfg.cores-1:0] scratchpad_req_valid_o,
    output mem_req_t [Cfg.cores-1:0] scratchpad_req_o,
    output logic [Cfg.cores-1:0] fpu_req_valid_o,
    output fpu_req_t [Cfg.cores-1:0] fpu_req_o,
    // Responses
    input logic [Cfg.cores-1:0] hit_valid_i,
    input rsp_t hit_i,
    input logic [Cfg.cores-1:0] fill_valid_i,
    input rsp_t fill_i,
    input logic [Cfg.cores-1:0] scratchpad_valid_i,
    input rsp_t scratchpad_i,
    input logic [Cfg.cores-1:0] fpu_valid_i,
    input rsp_t fpu_i,
    input logic [Cfg.cores-1:0] div_valid_i,
    input rsp_t div_i,
    // Mailbox
    input logic [Cfg.cores-1:0][Cfg.threads-1:0] can_send_i,
    input logic [Cfg.cores-1:0][Cfg.threads-1:0] can_recv_i,
    output logic [Cfg.cores-1:0] recv_valid_o,
    output logic [Cfg.cores-1:0][3:0] recv_thread_o,
    input logic [Cfg.cores-1:0][SLOT_BITS-1:0] recv_slot_i,  // a cycle later
    output logic [Cfg.cores-1:0] free_valid_o,
    output logic [Cfg.cores-1:0][SLOT_BITS-1:0] free_slot_o,
    output logic [Cfg.cores-1:0] send_valid_o,
    output send_t [Cfg.cores-1:0] send_o,
    output logic [Cfg.cores-1:0] wait_valid_o,
    output logic [Cfg.cores-1:0][3:0] wait_thread_o,
    output logic [Cfg.cores-1:0][3:0] wait_bits_o,
    input logic [Cfg.cores-1:0][Cfg.threads-1:0] wake_i,
    input logic [Cfg.cores-1:0][Cfg.threads-1:0][3:0] wake_bits_i,
    // Pulses of the cache
    input logic cache_hit_i,
    input logic cache_miss_i,
    input logic cache_writeback_i,
    // Events
    output logic event_valid_o,
    input logic event_ready_i,
    output tile_event_t event_o,
    // What the cores do
    output logic [Cfg.cores-1:0] retired_o,  // an instruction each
    output trace_t [Cfg.cores-1:0] trace_o
);

  if (Cfg.cores != 1 && Cfg.cores != 2 && Cfg.cores != 4) begin : gen_bad_cores
    $error("%m: cores %0d; 1, 2 or 4", Cfg.cores);
  end

  localparam int unsigned AddrBits = $clog2(Cfg.instr_words);
  localparam int unsigned Pairs = (Cfg.cores + 1) / 2;

  // ---- control ----
  ctl_req_t ctl_q;
  logic [Cfg.cores-1:0] todo_q, wanted, done, read_valid;
  logic [Cfg.cores-1:0][31:0] read_data;
  logic instr, read;

  assign instr = ctl_i.op == CTL_WRITE_INSTR || ctl_i.op == CTL_READ_INSTR;
  assign read  = ctl_i.op == CTL_READ_INSTR;
  always_comb begin
    wanted = '0;
    if (ctl_valid_i) begin
      for (int unsigned k = 0; k < Cfg.cores; k++) begin
        if (instr) wanted[k] = k % 2 == 0 && (ctl_i.all ? k == 0 || !read : ctl_i.target == 10'(k / 2));
        else wanted[k] = (ctl_i.all || ctl_i.target == 10'(k)) && 32'(ctl_i.addr[3:0]) < Cfg.threads;
        if (ctl_i.op == CTL_WRITE_SCRATCHPAD || ctl_i.op == CTL_READ_SCRATCHPAD) wanted[k] = 1'b0;
      end
    end
  end

  assign ctl_ready_o = todo_q == '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      todo_q <= '0;
    end else if (ctl_ready_o) begin
      todo_q <= wanted;
      assert (!ctl_valid_i || !read || wanted != '0);
    end else begin
      todo_q <= todo_q & ~done;
    end
  end
  // A start outside the memory: at its end, where the thread faults.
  always_ff @(posedge clk_i) begin
    if (ctl_ready_o) begin
      ctl_q <= ctl_i;
      if (ctl_i.op == CTL_START && ctl_i.data[31:AddrBits+2] != '0) ctl_q.data <= 32'd1 << (AddrBits + 2);
    end
  end

  assign ctl_rsp_valid_o = |read_valid;
  always_comb begin
    ctl_rdata_o = '0;
    for (int unsigned k = 0; k < Cfg.cores; k++) if (read_valid[k]) ctl_rdata_o |= read_data[k];
  end

  // ---- cores ----
  logic [Cfg.cores-1:0] imem_we;
  logic [Cfg.cores-1:0][AddrBits-1:0] imem_addr;
  logic [Cfg.cores-1:0][31:0] imem_wdata, imem_rdata;
  logic [Cfg.cores-1:0] perf_reset, perf_counting, event_valid, event_ready;
  tile_event_t [Cfg.cores-1:0] event_data;
  logic [2:0][31:0] cache_counts;
  logic [Cfg.cores-1:0][4:0] outside_sel;
  logic [31:0] outside;
  logic [(Cfg.cores > 1 ? $clog2(Cfg.cores) : 1)-1:0] event_core;

  // Where the pick of the next cycle, which joins in the one after, begins to count.
  logic [3:0] turn;
  assign turn = 4'((phase_i + 7'd2) >> 3);

  for (genvar k = 0; k < Cfg.cores; k++) begin : gen_core
    // An instruction is in the pipeline for 8 cycles, then its thread waits to issue or for a response.
    logic core_clk, core_idle, responded;
    assign responded = hit_valid_i[k] || fill_valid_i[k] || scratchpad_valid_i[k] || fpu_valid_i[k] || div_valid_i[k] ||
        (|wake_i[k]);
    polyloom_clock_gate #(
        .Gate (Gate),
        .Rest (16),
        .First(32)
    ) i_clock (
        .clk_i,
        .rst_ni,
        .active_i(!core_idle || responded),
        .clk_o   (core_clk)
    );
    polyloom_overlay_core #(
        .Cfg(Cfg)
    ) i_core (
        .clk_i                 (core_clk),
        .free_clk_i            (clk_i),
        .rst_ni,
        .turn_i                (turn),
        .imem_we_o             (imem_we[k]),
        .imem_addr_o           (imem_addr[k]),
        .imem_wdata_o          (imem_wdata[k]),
        .imem_rdata_i          (imem_rdata[k]),
        .ctl_valid_i           (todo_q[k]),
        .ctl_i                 (ctl_q),
        .ctl_done_o            (done[k]),
        .ctl_rdata_valid_o     (read_valid[k]),
        .ctl_rdata_o           (read_data[k]),
        .cache_req_valid_o     (cache_req_valid_o[k]),
        .cache_req_o           (cache_req_o[k]),
        .scratchpad_req_valid_o(scratchpad_req_valid_o[k]),
        .scratchpad_req_o      (scratchpad_req_o[k]),
        .fpu_req_valid_o       (fpu_req_valid_o[k]),
        .fpu_req_o             (fpu_req_o[k]),
        .hit_valid_i           (hit_valid_i[k]),
        .hit_i,
        .fill_valid_i          (fill_valid_i[k]),
        .fill_i,
        .scratchpad_valid_i    (scratchpad_valid_i[k]),
        .scratchpad_i,
        .fpu_valid_i           (fpu_valid_i[k]),
        .fpu_i,
        .div_valid_i           (div_valid_i[k]),
        .div_i,
        .can_send_i            (can_send_i[k]),
        .can_recv_i            (can_recv_i[k]),
        .recv_valid_o          (recv_valid_o[k]),
        .recv_thread_o         (recv_thread_o[k]),
        .recv_slot_i           (recv_slot_i[k]),
        .free_valid_o          (free_valid_o[k]),
        .free_slot_o           (free_slot_o[k]),
        .send_valid_o          (send_valid_o[k]),
        .send_o                (send_o[k]),
        .wait_valid_o          (wait_valid_o[k]),
        .wait_thread_o         (wait_thread_o[k]),
        .wait_bits_o           (wait_bits_o[k]),
        .wake_i                (wake_i[k]),
        .wake_bits_i           (wake_bits_i[k]),
        .core_id_i             (hart_base_i | 16'(k * Cfg.threads)),
        .outside_o             (outside_sel[k]),
        .outside_i             (k == 0 ? outside : '0),
        .perf_reset_o          (perf_reset[k]),
        .perf_counting_o       (perf_counting[k]),
        .event_valid_o         (event_valid[k]),
        .event_ready_i         (event_ready[k]),
        .event_o               (event_data[k]),
        .idle_o                (core_idle),
        .retired_o             (retired_o[k]),
        .trace_o               (trace_o[k])
    );
  end

  for (genvar p = 0; p < Pairs; p++) begin : gen_imem
    localparam int unsigned Ports = 2 * p + 1 < Cfg.cores ? 2 : 1;
    polyloom_overlay_imem #(
        .Words(Cfg.instr_words),
        .Ports(Ports)
    ) i_imem (
        .clk_i,
        .we_i   (imem_we[2*p+:Ports]),
        .addr_i (imem_addr[2*p+:Ports]),
        .wdata_i(imem_wdata[2*p+:Ports]),
        .rdata_o(imem_rdata[2*p+:Ports])
    );
  end

  polyloom_overlay_cache_counts i_cache_counts (
      .clk_i,
      .rst_ni,
      .clear_i   (perf_reset[0]),
      .counting_i(perf_counting[0]),
      .pulse_i   ({cache_writeback_i, cache_hit_i, cache_miss_i}),
      .count_o   (cache_counts)
  );

  // What only the first core shows.
  always_comb begin
    outside = '0;
    for (int unsigned i = 0; i < 3; i++) if (outside_sel[0][i]) outside |= cache_counts[i];
    for (int unsigned i = 0; i < 2; i++) if (outside_sel[0][i+3] && tile0_i) outside |= router_sent_i[i];
  end

  logic unused;  // of the cores but the first
  assign unused = ^{perf_reset, perf_counting, outside_sel};

  // ---- events ----
  tile_event_t merged;
  rr_arb_tree #(
      .NumIn    (Cfg.cores),
      .DataType (tile_event_t),
      .AxiVldRdy(1'b1),
      .LockIn   (1'b1)
  ) i_events (
      .clk_i,
      .rst_ni,
      .flush_i(1'b0),
      .rr_i   ('0),
      .req_i  (event_valid),
      .gnt_o  (event_ready),
      .data_i (event_data),
      .req_o  (event_valid_o),
      .gnt_i  (event_ready_i),
      .data_o (merged),
      .idx_o  (event_core)
  );

  // A core counts its own threads, a tile all. Of two causes the value is the pc.
  always_comb begin
    event_o = merged;
    event_o.thread = merged.thread | INDEX_BITS'(32'(event_core) * Cfg.threads);
    if (merged.fault && (merged.cause == CAUSE_BAD_FETCH || merged.cause == CAUSE_BREAKPOINT))
      event_o.value = merged.pc;
  end

endmodule

// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_frontend: what a board turns to its host: the shell, its DMA into the slices, the overlay's side of it.
// How:          host link <--> shell --+--> dma, one a slice --> line requests
//                                      '--> host --> ctl of the tiles, messages into and out of the network, registers
//               events of the tiles and faults of the router take turns on their way to the host
// Latency:      of the parts. Throughput: of the parts.
// Backpressure: see polyloom_shell; a host that takes nothing stalls it.
// Order/loss:   of polyloom_shell.
// Reset:        empty.
// Limits:       those of polyloom_overlay_node.
// Cost:         `polyloom synth overlay`.
// Source: own design.   Tests: test_polyloom_overlay_frontend.py.
module polyloom_overlay_frontend
  import polyloom_overlay_pkg::*;
#(
    parameter  cfg_t            Cfg      = TINY,
    parameter  longint unsigned ClockHz  = 64'd250_000_000,
    parameter  bit              Gate     = 1'b0,                       // simulation: a shell without work stands still
    localparam int unsigned     Tiles    = Cfg.tiles_x * Cfg.tiles_y,
    localparam int unsigned     Slices   = Cfg.slices,
    localparam int unsigned     LineBits = 8 * Cfg.line_bytes
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    output logic        idle_o,
    input  logic [63:0] cycle_i,
    input  logic [ 5:0] board_i,  // {y, x}
    input  logic [ 7:0] mesh_i,   // {height, width}

    // Host link
    input  logic        host_rx_valid_i,
    output logic        host_rx_ready_o,
    input  logic [63:0] host_rx_data_i,
    input  logic        host_rx_last_i,
    output logic        host_tx_valid_o,
    input  logic        host_tx_ready_i,
    output logic [63:0] host_tx_data_o,
    output logic        host_tx_last_o,

    // To the slices
    output logic      [Slices-1:0]                     line_valid_o,
    input  logic      [Slices-1:0]                     line_ready_i,
    output line_req_t [Slices-1:0]                     line_o,
    output logic      [Slices-1:0][      LineBits-1:0] line_wdata_o,
    output logic      [Slices-1:0][Cfg.line_bytes-1:0] line_wstrb_o,
    input  logic      [Slices-1:0]                     line_rsp_valid_i,
    input  logic      [Slices-1:0][    INDEX_BITS-1:0] line_rsp_tag_i,
    input  logic      [Slices-1:0][      LineBits-1:0] line_rsp_data_i,

    // To the tiles, and from them
    output logic                                   ctl_valid_o,
    input  logic                                   ctl_ready_i,
    output ctl_req_t                               ctl_o,
    input  logic                                   ctl_rsp_valid_i,
    input  logic        [     31:0]                ctl_rdata_i,
    input  logic                                   event_valid_i,
    output logic                                   event_ready_o,
    input  tile_event_t                            event_i,
    input  logic        [      7:0]                event_tile_i,
    input  logic        [Tiles-1:0][Cfg.cores-1:0] retired_i,

    // To and from the board router
    input  logic         fault_valid_i,  // what it tells the host
    output logic         fault_ready_o,
    input  route_fault_t fault_i,
    output logic         enter_valid_o,
    output flit_t        enter_o,
    input  logic         enter_room_i,
    input  logic         exit_valid_i,
    output logic         exit_ready_o,
    input  flit_t        exit_i,

    // Detection
    output logic        inject_o,
    input  logic        may_inject_i,
    output logic        host_in_o,
    output logic        host_out_o,
    input  logic [31:0] barriers_i
);
  import polyloom_shell_pkg::*;
  localparam logic [7:0] ROLE_OVERLAY = 8'd1;

  logic [Slices-1:0] aw_valid, aw_ready, w_valid, w_ready, w_last, b_valid, b_ready;
  logic [Slices-1:0] ar_valid, ar_ready, r_valid, r_ready, r_last, dma_idle;
  logic [Slices-1:0][MEM_ADDR_BITS-1:0] aw_addr, ar_addr;
  logic [Slices-1:0][7:0] aw_len, ar_len;
  logic [Slices-1:0][MEM_DATA_BITS-1:0] w_data, r_data;
  logic [Slices-1:0][MEM_BYTES-1:0] w_strb;
  logic prog_valid, prog_ready, word_valid, range_ok, reg_valid, reg_rsp_valid, shell_idle, host_idle, work_idle;
  logic [63:0] word;
  prog_req_t prog;
  role_word_t role_word;
  range_t range;
  reg_req_t reg_req;
  reg_rsp_t reg_rsp;
  logic tx_valid, tx_ready, pass_valid, pass_ready, pass_rsp_valid, pass_refused;
  host_word_t tx, pass;
  logic unused_error, unused_reset, unused_event;

  // A cycle late, so that nothing hangs on what stands still; what comes in keeps the clock longer.
  logic work_clk, rests_q;
  always_ff @(posedge work_clk or negedge rst_ni) begin
    if (!rst_ni) rests_q <= 1'b0;
    else rests_q <= shell_idle && work_idle && (&dma_idle) && !host_tx_valid_o && !tx_valid && !pass_rsp_valid;
  end
  polyloom_clock_gate #(
      .Gate(Gate),
      .Rest(8)
  ) i_clock (
      .clk_i,
      .rst_ni,
      .active_i(!rests_q || host_rx_valid_i || ctl_rsp_valid_i || exit_valid_i || event_valid_i || fault_valid_i ||
          (|line_rsp_valid_i)),
      .clk_o(work_clk)
  );
  polyloom_shell #(
      .Role        (ROLE_OVERLAY),
      .Channels    (Slices),
      .ChannelBytes(64'h1_0000_0000),
      .ProgramWords(1),
      .ClockHz     (ClockHz),
      .PassFrames  (1'b1),
      .RoleSpaces  (1'b1)
  ) i_shell (
      .clk_i             (work_clk),
      .rst_ni,
      .position_i        ({13'd0, board_i[5:3], 13'd0, board_i[2:0]}),
      .cycle_i,
      .host_rx_valid_i,
      .host_rx_ready_o,
      .host_rx_data_i,
      .host_rx_last_i,
      .host_rx_first_i   (1'b0),
      .host_tx_valid_o,
      .host_tx_ready_i,
      .host_tx_data_o,
      .host_tx_last_o,
      .mem_aw_valid_o    (aw_valid),
      .mem_aw_ready_i    (aw_ready),
      .mem_aw_addr_o     (aw_addr),
      .mem_aw_len_o      (aw_len),
      .mem_w_valid_o     (w_valid),
      .mem_w_ready_i     (w_ready),
      .mem_w_data_o      (w_data),
      .mem_w_strb_o      (w_strb),
      .mem_w_last_o      (w_last),
      .mem_b_valid_i     (b_valid),
      .mem_b_ready_o     (b_ready),
      .mem_b_resp_i      ('0),
      .mem_ar_valid_o    (ar_valid),
      .mem_ar_ready_i    (ar_ready),
      .mem_ar_addr_o     (ar_addr),
      .mem_ar_len_o      (ar_len),
      .mem_r_valid_i     (r_valid),
      .mem_r_ready_o     (r_ready),
      .mem_r_data_i      (r_data),
      .mem_r_resp_i      ('0),
      .mem_r_last_i      (r_last),
      .mem_error_o       (unused_error),
      .idle_o            (shell_idle),
      .prog_req_valid_o  (prog_valid),
      .prog_req_ready_i  (prog_ready),
      .prog_req_o        (prog),
      .prog_role_o       (role_word),
      .prog_rsp_valid_i  (word_valid),
      .prog_rsp_i        (word),
      .range_o           (range),
      .range_ok_i        (range_ok),
      .reg_req_valid_o   (reg_valid),
      .reg_req_o         (reg_req),
      .reg_rsp_valid_i   (reg_rsp_valid),
      .reg_rsp_i         (reg_rsp),
      .reset_counters_o  (unused_reset),
      .event_valid_i     (1'b0),
      .event_ready_o     (unused_event),
      .event_i           ('0),
      .role_tx_valid_i   (tx_valid),
      .role_tx_ready_o   (tx_ready),
      .role_tx_i         (tx),
      .pass_valid_o      (pass_valid),
      .pass_ready_i      (pass_ready),
      .pass_o            (pass),
      .pass_rsp_valid_i  (pass_rsp_valid),
      .pass_rsp_refused_i(pass_refused)
  );

  for (genvar s = 0; s < int'(Slices); s++) begin : gen_dma
    polyloom_overlay_dma #(
        .Cfg(Cfg)
    ) i_dma (
        .clk_i           (work_clk),
        .rst_ni,
        .idle_o          (dma_idle[s]),
        .mem_aw_valid_i  (aw_valid[s]),
        .mem_aw_ready_o  (aw_ready[s]),
        .mem_aw_addr_i   (aw_addr[s][31:0]),
        .mem_aw_len_i    (aw_len[s]),
        .mem_w_valid_i   (w_valid[s]),
        .mem_w_ready_o   (w_ready[s]),
        .mem_w_data_i    (w_data[s]),
        .mem_w_strb_i    (w_strb[s]),
        .mem_w_last_i    (w_last[s]),
        .mem_b_valid_o   (b_valid[s]),
        .mem_b_ready_i   (b_ready[s]),
        .mem_ar_valid_i  (ar_valid[s]),
        .mem_ar_ready_o  (ar_ready[s]),
        .mem_ar_addr_i   (ar_addr[s][31:0]),
        .mem_ar_len_i    (ar_len[s]),
        .mem_r_valid_o   (r_valid[s]),
        .mem_r_ready_i   (r_ready[s]),
        .mem_r_data_o    (r_data[s]),
        .mem_r_last_o    (r_last[s]),
        .line_valid_o    (line_valid_o[s]),
        .line_ready_i    (line_ready_i[s]),
        .line_o          (line_o[s]),
        .line_wdata_o    (line_wdata_o[s]),
        .line_wstrb_o    (line_wstrb_o[s]),
        .line_rsp_valid_i(line_rsp_valid_i[s]),
        .line_rsp_tag_i  (line_rsp_tag_i[s]),
        .line_rsp_data_i (line_rsp_data_i[s])
    );
    logic unused_high;
    assign unused_high = ^{aw_addr[s][MEM_ADDR_BITS-1:32], ar_addr[s][MEM_ADDR_BITS-1:32]};
  end

  // As a fault of the board's first thread: pc is the key. One that is offered stands until it is taken.
  logic reported_valid, reported_ready, of_router;
  tile_event_t reported, route_event;
  assign route_event = '{
          fault: 1'b1,
          thread: '0,
          cause: {CAUSE_ROUTE, fault_i.why},
          pc: fault_i.key,
          value: fault_i.value
      };
  rr_arb_tree #(
      .NumIn    (2),
      .DataType (tile_event_t),
      .AxiVldRdy(1'b1),
      .LockIn   (1'b1)
  ) i_events (
      .clk_i  (work_clk),
      .rst_ni,
      .flush_i(1'b0),
      .rr_i   ('0),
      .req_i  ({fault_valid_i, event_valid_i}),
      .gnt_o  ({fault_ready_o, event_ready_o}),
      .data_i ({route_event, event_i}),
      .req_o  (reported_valid),
      .gnt_i  (reported_ready),
      .data_o (reported),
      .idx_o  (of_router)
  );

  polyloom_overlay_host #(
      .Cfg(Cfg)
  ) i_host (
      .clk_i             (work_clk),
      .free_clk_i        (clk_i),
      .rst_ni,
      .board_i,
      .mesh_i,
      .range_i           (range),
      .range_ok_o        (range_ok),
      .prog_req_valid_i  (prog_valid),
      .prog_req_ready_o  (prog_ready),
      .prog_req_i        (prog),
      .prog_role_i       (role_word),
      .prog_rsp_valid_o  (word_valid),
      .prog_rsp_o        (word),
      .reg_req_valid_i   (reg_valid),
      .reg_req_i         (reg_req),
      .reg_rsp_valid_o   (reg_rsp_valid),
      .reg_rsp_o         (reg_rsp),
      .pass_valid_i      (pass_valid),
      .pass_ready_o      (pass_ready),
      .pass_i            (pass),
      .pass_rsp_valid_o  (pass_rsp_valid),
      .pass_rsp_refused_o(pass_refused),
      .role_tx_valid_o   (tx_valid),
      .role_tx_ready_i   (tx_ready),
      .role_tx_o         (tx),
      .ctl_valid_o,
      .ctl_ready_i,
      .ctl_o,
      .ctl_rsp_valid_i,
      .ctl_rdata_i,
      .event_valid_i     (reported_valid),
      .event_ready_o     (reported_ready),
      .event_i           (reported),
      .event_tile_i      (of_router ? '0 : event_tile_i),
      .retired_i,
      .enter_valid_o,
      .enter_o,
      .enter_room_i,
      .exit_valid_i,
      .exit_ready_o,
      .exit_i,
      .inject_wanted_o   (inject_o),
      .may_inject_i,
      .host_in_o,
      .host_out_o,
      .barriers_i        (64'(barriers_i)),
      .work_idle_o       (work_idle),
      .idle_o            (host_idle)
  );
  assign idle_o = shell_idle && host_idle && &dma_idle;
endmodule

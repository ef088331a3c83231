// SPDX-License-Identifier: Apache-2.0
// host_swap_top: a shell and an overlay's host side as on a board of 2x2 tiles, for host_swap_test.cc, which is the rest.
module host_swap_top
  import polyloom_overlay_pkg::*, polyloom_shell_pkg::*;
(
    input  logic                      clk_i,
    input  logic                      rst_ni,
    input  logic        [ 5:0]        board_i,
    input  logic        [ 7:0]        mesh_i,
    input  logic                      host_rx_valid_i,
    output logic                      host_rx_ready_o,
    input  logic        [63:0]        host_rx_data_i,
    input  logic                      host_rx_last_i,
    output logic                      host_tx_valid_o,
    input  logic                      host_tx_ready_i,
    output logic        [63:0]        host_tx_data_o,
    output logic                      host_tx_last_o,
    output logic        [ 1:0]        mem_aw_valid_o,
    input  logic        [ 1:0]        mem_aw_ready_i,
    output logic        [ 1:0][ 39:0] mem_aw_addr_o,
    output logic        [ 1:0][  7:0] mem_aw_len_o,
    output logic        [ 1:0]        mem_w_valid_o,
    input  logic        [ 1:0]        mem_w_ready_i,
    output logic        [ 1:0][255:0] mem_w_data_o,
    output logic        [ 1:0][ 31:0] mem_w_strb_o,
    output logic        [ 1:0]        mem_w_last_o,
    input  logic        [ 1:0]        mem_b_valid_i,
    output logic        [ 1:0]        mem_b_ready_o,
    output logic        [ 1:0]        mem_ar_valid_o,
    input  logic        [ 1:0]        mem_ar_ready_i,
    output logic        [ 1:0][ 39:0] mem_ar_addr_o,
    output logic        [ 1:0][  7:0] mem_ar_len_o,
    input  logic        [ 1:0]        mem_r_valid_i,
    output logic        [ 1:0]        mem_r_ready_o,
    input  logic        [ 1:0][255:0] mem_r_data_i,
    input  logic        [ 1:0]        mem_r_last_i,
    output logic                      ctl_valid_o,
    input  logic                      ctl_ready_i,
    output ctl_req_t                  ctl_o,
    input  logic                      ctl_rsp_valid_i,
    input  logic        [31:0]        ctl_rdata_i,
    input  logic                      event_valid_i,
    output logic                      event_ready_o,
    input  tile_event_t               event_i,
    input  logic        [ 7:0]        event_tile_i,
    input  logic        [ 3:0][  3:0] retired_i,        // by tile and core
    input  logic                      gate_i,           // gate and room
    output logic                      host_in_o
);
  function automatic cfg_t shape();
    cfg_t c;
    c = TINY;
    c.tiles_x = 2;
    c.tiles_y = 2;
    c.slices = 2;
    return c;
  endfunction

  range_t range;
  prog_req_t prog_req;
  role_word_t prog_role;
  reg_req_t reg_req;
  reg_rsp_t reg_rsp;
  host_word_t pass, role_tx;
  flit_t enter;
  logic range_ok, prog_valid, prog_ready, prog_rsp_valid, reg_valid, reg_rsp_valid, pass_valid, pass_ready;
  logic pass_rsp_valid, pass_rsp_refused, role_tx_valid, role_tx_ready;
  logic [63:0] prog_rsp, cycle_q;
  logic mem_error, shell_idle, reset_counters, event_ready, enter_valid, exit_ready, wanted, host_out, idle;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) cycle_q <= '0;
    else cycle_q <= cycle_q + 64'd1;
  end

  polyloom_shell #(
      .Role        (8'd1),
      .Channels    (2),
      .ChannelBytes(64'h1_0000_0000),
      .ProgramWords(1),
      .ClockHz     (64'd250_000_000),
      .PassFrames  (1'b1),
      .RoleSpaces  (1'b1)
  ) i_shell (
      .clk_i,
      .rst_ni,
      .position_i        ({13'd0, board_i[5:3], 13'd0, board_i[2:0]}),
      .cycle_i           (cycle_q),
      .host_rx_valid_i,
      .host_rx_ready_o,
      .host_rx_data_i,
      .host_rx_last_i,
      .host_rx_first_i   (1'b0),
      .host_tx_valid_o,
      .host_tx_ready_i,
      .host_tx_data_o,
      .host_tx_last_o,
      .mem_aw_valid_o,
      .mem_aw_ready_i,
      .mem_aw_addr_o,
      .mem_aw_len_o,
      .mem_w_valid_o,
      .mem_w_ready_i,
      .mem_w_data_o,
      .mem_w_strb_o,
      .mem_w_last_o,
      .mem_b_valid_i,
      .mem_b_ready_o,
      .mem_b_resp_i      ('0),
      .mem_ar_valid_o,
      .mem_ar_ready_i,
      .mem_ar_addr_o,
      .mem_ar_len_o,
      .mem_r_valid_i,
      .mem_r_ready_o,
      .mem_r_data_i,
      .mem_r_resp_i      ('0),
      .mem_r_last_i,
      .mem_error_o       (mem_error),
      .idle_o            (shell_idle),
      .prog_req_valid_o  (prog_valid),
      .prog_req_ready_i  (prog_ready),
      .prog_req_o        (prog_req),
      .prog_role_o       (prog_role),
      .prog_rsp_valid_i  (prog_rsp_valid),
      .prog_rsp_i        (prog_rsp),
      .range_o           (range),
      .range_ok_i        (range_ok),
      .reg_req_valid_o   (reg_valid),
      .reg_req_o         (reg_req),
      .reg_rsp_valid_i   (reg_rsp_valid),
      .reg_rsp_i         (reg_rsp),
      .reset_counters_o  (reset_counters),
      .event_valid_i     (1'b0),
      .event_ready_o     (event_ready),
      .event_i           ('0),
      .role_tx_valid_i   (role_tx_valid),
      .role_tx_ready_o   (role_tx_ready),
      .role_tx_i         (role_tx),
      .pass_valid_o      (pass_valid),
      .pass_ready_i      (pass_ready),
      .pass_o            (pass),
      .pass_rsp_valid_i  (pass_rsp_valid),
      .pass_rsp_refused_i(pass_rsp_refused)
  );

  polyloom_overlay_host #(
      .Cfg(shape())
  ) i_host (
      .clk_i,
      .free_clk_i        (clk_i),
      .rst_ni,
      .board_i,
      .mesh_i,
      .range_i           (range),
      .range_ok_o        (range_ok),
      .prog_req_valid_i  (prog_valid),
      .prog_req_ready_o  (prog_ready),
      .prog_req_i        (prog_req),
      .prog_role_i       (prog_role),
      .prog_rsp_valid_o  (prog_rsp_valid),
      .prog_rsp_o        (prog_rsp),
      .reg_req_valid_i   (reg_valid),
      .reg_req_i         (reg_req),
      .reg_rsp_valid_o   (reg_rsp_valid),
      .reg_rsp_o         (reg_rsp),
      .pass_valid_i      (pass_valid),
      .pass_ready_o      (pass_ready),
      .pass_i            (pass),
      .pass_rsp_valid_o  (pass_rsp_valid),
      .pass_rsp_refused_o(pass_rsp_refused),
      .role_tx_valid_o   (role_tx_valid),
      .role_tx_ready_i   (role_tx_ready),
      .role_tx_o         (role_tx),
      .ctl_valid_o,
      .ctl_ready_i,
      .ctl_o,
      .ctl_rsp_valid_i,
      .ctl_rdata_i,
      .event_valid_i,
      .event_ready_o,
      .event_i,
      .event_tile_i,
      .retired_i,
      .enter_valid_o     (enter_valid),
      .enter_o           (enter),
      .enter_room_i      (gate_i),
      .exit_valid_i      (1'b0),
      .exit_ready_o      (exit_ready),
      .exit_i            ('0),
      .inject_wanted_o   (wanted),
      .may_inject_i      (gate_i),
      .host_in_o,
      .host_out_o        (host_out),
      .barriers_i        ('0),
      .work_idle_o       (),
      .idle_o            (idle)
  );

  logic unused;
  assign unused = ^{mem_error, shell_idle, reset_counters, event_ready, enter_valid, enter, exit_ready, wanted, host_out, idle};

endmodule

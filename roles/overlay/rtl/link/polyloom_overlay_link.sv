// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_link: one of a board's links to its neighbours: messages and the detector's words over a reliable link.
// How:          out -> [ packer ] ---------> data    -.                  .-> tx
//               in  <- [ unpacker ] <------- data     | [ reliable link ] |
//               ctl_in, ctl_out <-[ control ]-> control -'               '<- rx
//               Items and packets: sim/board/mesh_link.h, in its standard form.
// Latency:      message of n flits: its last item is handed over 2 n cycles after its first flit was there and leaves in the
//               next cycle if the wire is idle; comes out 2 n + 3 cycles after it is visible (one more each way with a mask).
// Throughput:   full frames: 60 items in 67 words of wire; 1-flit messages of 3 items, 4-flit messages of 9.
// Backpressure: messages that the far side does not take stop messages here, not control words.
// Order/loss:   messages in order, packets in order, each once; packets overtake messages.
// Reset:        both ends of the link together.
// Limits:       those of the parts.
// Cost:         blocks/reliable_link/README.md.
// Source:       docs/sources/tinsel.md, 3.3; own design.
// Tests:        overlay_link_swap_test.cc (test_polyloom_overlay_link.py)
module polyloom_overlay_link
  import polyloom_overlay_pkg::*;
#(
    parameter cfg_t Cfg = TINY
) (
    input  logic                                       clk_i,
    input  logic                                       rst_ni,
    // Constant while it runs: see polyloom_reliable_link
    input  logic                                [15:0] timeout_i,
    input  logic                                [15:0] word_time_i,
    // Board router
    input  logic                                       out_valid_i,
    output logic                                       out_ready_o,
    input  flit_t                                      out_i,
    output logic                                       in_valid_o,
    output flit_t                                      in_o,
    input  logic                                       in_room_i,
    // Detector
    input  logic                                       epoch_i,
    output logic                                       sent_o,
    output logic                                       received_o,
    output logic                                       held_o,
    input  logic                                       ctl_in_valid_i,
    output logic                                       ctl_in_ready_o,
    input  logic                                [63:0] ctl_in_i,
    input  logic                                       ctl_in_last_i,
    output logic                                       ctl_out_valid_o,
    input  logic                                       ctl_out_ready_i,
    output logic                                [63:0] ctl_out_o,
    output logic                                       ctl_out_last_o,
    // Wire
    output logic                                       tx_valid_o,
    input  logic                                       tx_ready_i,
    output logic                                [63:0] tx_data_o,
    output logic                                [ 7:0] tx_keep_o,
    output logic                                       tx_last_o,
    input  logic                                       rx_valid_i,
    input  logic                                [63:0] rx_data_i,
    input  logic                                [ 7:0] rx_keep_i,
    input  logic                                       rx_last_i,
    // To counters, and to what stops the clock
    output polyloom_reliable_link_pkg::events_t        events_o,
    output logic                                       idle_o
);

  // To the reliable link
  logic data_out_valid, data_out_ready, data_out_last, control_out_valid, control_out_ready, control_out_last;
  logic [63:0] data_out, control_out;
  // From the reliable link
  logic data_in_valid, data_in_ready, control_in_valid, control_in_ready;
  logic [63:0] data_in, control_in;
  logic link_idle, unpacker_idle, control_idle;

  polyloom_overlay_link_packer i_packer (
      .clk_i,
      .rst_ni,
      .out_valid_i,
      .out_ready_o,
      .out_i,
      .epoch_i,
      .item_valid_o(data_out_valid),
      .item_ready_i(data_out_ready),
      .item_o      (data_out),
      .item_last_o (data_out_last),
      .sent_o
  );

  polyloom_overlay_link_unpacker #(
      .Cfg(Cfg)
  ) i_unpacker (
      .clk_i,
      .rst_ni,
      .item_valid_i(data_in_valid),
      .item_ready_o(data_in_ready),
      .item_i      (data_in),
      .in_valid_o,
      .in_o,
      .in_room_i,
      .epoch_i,
      .held_o,
      .received_o,
      .idle_o      (unpacker_idle)
  );

  polyloom_overlay_link_control i_control (
      .clk_i,
      .rst_ni,
      .ctl_in_valid_i,
      .ctl_in_ready_o,
      .ctl_in_i,
      .ctl_in_last_i,
      .out_valid_o(control_out_valid),
      .out_ready_i(control_out_ready),
      .out_o      (control_out),
      .out_last_o (control_out_last),
      .in_valid_i (control_in_valid),
      .in_ready_o (control_in_ready),
      .in_i       (control_in),
      .ctl_out_valid_o,
      .ctl_out_ready_i,
      .ctl_out_o,
      .ctl_out_last_o,
      .idle_o     (control_idle)
  );

  polyloom_reliable_link i_link (
      .clk_i,
      .rst_ni,
      .timeout_i,
      .word_time_i,
      .data_in_valid_i    (data_out_valid),
      .data_in_ready_o    (data_out_ready),
      .data_in_i          (data_out),
      .data_in_last_i     (data_out_last),
      .control_in_valid_i (control_out_valid),
      .control_in_ready_o (control_out_ready),
      .control_in_i       (control_out),
      .control_in_last_i  (control_out_last),
      .data_out_valid_o   (data_in_valid),
      .data_out_ready_i   (data_in_ready),
      .data_out_o         (data_in),
      .control_out_valid_o(control_in_valid),
      .control_out_ready_i(control_in_ready),
      .control_out_o      (control_in),
      .tx_valid_o,
      .tx_ready_i,
      .tx_data_o,
      .tx_keep_o,
      .tx_last_o,
      .rx_valid_i,
      .rx_data_i,
      .rx_keep_i,
      .rx_last_i,
      .events_o,
      .idle_o             (link_idle)
  );

  assign idle_o = link_idle && unpacker_idle && control_idle;

endmodule

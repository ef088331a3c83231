// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_link, played by hand: in board_parts_tb it stands where a link does, with the link's ports, and a test
// drives and sees each link's side of polyloom_overlay_periphery through the signals of this scope.
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
  typedef struct packed {
    logic        last;
    logic [63:0] data;
  } word_t;
  typedef struct packed {
    logic        last;
    logic [7:0]  keep;
    logic [63:0] data;
  } lane_t;

  // What the test drives: of the board router's side, of counters, of the wire.
  logic out_ready = 1'b0, in_valid = 1'b0, sent = 1'b0, received = 1'b0, held = 1'b0, idle = 1'b0, tx_valid = 1'b0;
  flit_t in = '0;
  lane_t tx = '0;
  polyloom_reliable_link_pkg::events_t events = '0;
  assign out_ready_o = out_ready;
  assign in_valid_o = in_valid;
  assign in_o = in;
  assign {tx_last_o, tx_keep_o, tx_data_o} = tx;
  assign tx_valid_o = tx_valid;
  assign sent_o = sent;
  assign received_o = received;
  assign held_o = held;
  assign idle_o = idle;
  assign events_o = events;

  // The detector's words, to the link and from it.
  logic to_valid, to_ready = 1'b0, from_valid = 1'b0, from_ready;
  word_t to, from = '0;
  assign to_valid = ctl_in_valid_i;
  assign ctl_in_ready_o = to_ready;
  assign to = {ctl_in_last_i, ctl_in_i};
  assign ctl_out_valid_o = from_valid;
  assign from_ready = ctl_out_ready_i;
  assign {ctl_out_last_o, ctl_out_o} = from;
endmodule

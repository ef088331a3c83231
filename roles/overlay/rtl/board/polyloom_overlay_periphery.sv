// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_periphery: a board's four links and its termination detector.
// How:          board router's exits --> links --> wires, and back; the detector's words use the links' control channel.
//               tiles, router --> gather --> detector --> release of the tiles, epoch of the links, gate of the host
// Latency:      of the parts. Throughput: of the parts.
// Backpressure: exits are valid/ready; wires never wait.
// Order/loss:   of polyloom_overlay_link.
// Reset:        links empty, epoch 0.
// Limits:       links lead where the mesh says: those at its edge are silent.
// Cost:         `polyloom synth overlay`.
// Source: own design; Tinsel paper III (links, tinselIdle).   Tests: test_polyloom_overlay_periphery.py.
module polyloom_overlay_periphery
  import polyloom_overlay_pkg::*;
#(
    parameter  cfg_t        Cfg        = TINY,
    parameter  bit          Gate       = 1'b0,                       // simulation: links without work stand still
    localparam int unsigned Tiles      = Cfg.tiles_x * Cfg.tiles_y,
    localparam int unsigned InputsBits = inputs_bits(Cfg.tiles_x),
    localparam int unsigned Links      = 4
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    output logic        idle_o,      // no link has anything to send or to wait for
    input  logic [ 5:0] board_i,     // {y, x}
    input  logic [ 7:0] mesh_i,      // {height, width}
    input  logic [15:0] timeout_i,   // of links: see polyloom_reliable_link
    input  logic [15:0] word_time_i,

    // Wires N, E, S, W
    output logic [Links-1:0]       tx_valid_o,
    input  logic [Links-1:0]       tx_ready_i,
    output logic [Links-1:0][63:0] tx_data_o,
    output logic [Links-1:0][ 7:0] tx_keep_o,
    output logic [Links-1:0]       tx_last_o,
    input  logic [Links-1:0]       rx_valid_i,
    input  logic [Links-1:0][63:0] rx_data_i,
    input  logic [Links-1:0][ 7:0] rx_keep_i,
    input  logic [Links-1:0]       rx_last_i,

    // From the board router, and to it
    input  logic  [     Links-1:0] exit_valid_i,
    output logic  [     Links-1:0] exit_ready_o,
    input  flit_t                  exit_i       [Links],
    output logic  [     Links-1:0] enter_valid_o,
    output flit_t                  enter_o      [Links],
    input  logic  [     Links-1:0] enter_room_i,
    // How many in this cycle: copies made of messages with a key, such messages that are no more
    input  logic  [InputsBits-1:0] copies_i,
    input  logic  [InputsBits-1:0] ended_i,

    // Tiles
    input  logic [Tiles-1:0]       all_idle_i,
    input  logic [Tiles-1:0]       all_vote_i,
    input  logic [Tiles-1:0][15:0] in_flight_i,
    output logic [Tiles-1:0]       release_o,
    output logic [Tiles-1:0]       release_vote_o,

    // Host
    input  logic inject_i,
    output logic may_inject_o,
    input  logic host_in_i,
    input  logic host_out_i,

    // Counters
    output logic [Links-1:0] sent_o,      // pulses
    output logic [Links-1:0] received_o,
    output logic [Links-1:0] again_o,     // a frame is sent again
    output logic [Links-1:0] bad_o,       // one came damaged
    output logic [Links-1:0] held_o,
    output logic [     31:0] barriers_o,
    output logic [     31:0] grants_o
);
  logic epoch;
  logic [Links-1:0] to_valid, to_ready, to_last, from_valid, from_ready, from_last;
  logic [Links-1:0][63:0] to_data, from_data;
  logic [Links-1:0] link_idle;
  polyloom_reliable_link_pkg::events_t [Links-1:0] events;
  for (genvar l = 0; l < int'(Links); l++) begin : gen_link
    logic link_clk;
    // A cycle late, so that nothing hangs on a link that stands still; what goes into a link keeps its clock longer.
    logic idle_q;
    always_ff @(posedge link_clk or negedge rst_ni) begin
      if (!rst_ni) idle_q <= 1'b0;
      else idle_q <= link_idle[l];
    end
    polyloom_clock_gate #(
        .Gate(Gate)
    ) i_clock (
        .clk_i,
        .rst_ni,
        .active_i(!idle_q || rx_valid_i[l] || exit_valid_i[l] || to_valid[l]),
        .clk_o   (link_clk)
    );
    polyloom_overlay_link #(
        .Cfg(Cfg)
    ) i_link (
        .clk_i          (link_clk),
        .rst_ni,
        .timeout_i,
        .word_time_i,
        .events_o       (events[l]),
        .idle_o         (link_idle[l]),
        .tx_valid_o     (tx_valid_o[l]),
        .tx_ready_i     (tx_ready_i[l]),
        .tx_data_o      (tx_data_o[l]),
        .tx_keep_o      (tx_keep_o[l]),
        .tx_last_o      (tx_last_o[l]),
        .rx_valid_i     (rx_valid_i[l]),
        .rx_data_i      (rx_data_i[l]),
        .rx_keep_i      (rx_keep_i[l]),
        .rx_last_i      (rx_last_i[l]),
        .out_valid_i    (exit_valid_i[l]),
        .out_ready_o    (exit_ready_o[l]),
        .out_i          (exit_i[l]),
        .in_valid_o     (enter_valid_o[l]),
        .in_o           (enter_o[l]),
        .in_room_i      (enter_room_i[l]),
        .epoch_i        (epoch),
        .held_o         (held_o[l]),
        .sent_o         (sent_o[l]),
        .received_o     (received_o[l]),
        .ctl_in_valid_i (to_valid[l]),
        .ctl_in_ready_o (to_ready[l]),
        .ctl_in_i       (to_data[l]),
        .ctl_in_last_i  (to_last[l]),
        .ctl_out_valid_o(from_valid[l]),
        .ctl_out_ready_i(from_ready[l]),
        .ctl_out_o      (from_data[l]),
        .ctl_out_last_o (from_last[l])
    );
    assign again_o[l] = events[l].frame_again;
    assign bad_o[l]   = events[l].bad_frame;
    logic unused;
    assign unused = ^events[l];
  end

  assign idle_o = &link_idle;

  // Nothing of these changes what they say while no tile waits and no message comes, goes or becomes copies. Whatever the
  // detector has begun without a passive board is over in 512 cycles: it reads at most 256 ends.
  logic gather_clk, detector_clk, passive, vote;
  polyloom_clock_gate #(
      .Gate(Gate),
      .Rest(32)
  ) i_gather_clock (
      .clk_i,
      .rst_ni,
      .active_i((|all_idle_i) || (|sent_o) || (|received_o) || host_in_i || host_out_i || (|copies_i) || (|ended_i)),
      .clk_o   (gather_clk)
  );
  polyloom_clock_gate #(
      .Gate(Gate),
      .Rest(1000)
  ) i_detector_clock (
      .clk_i,
      .rst_ni,
      .active_i(passive || (|from_valid) || (|to_valid) || inject_i || may_inject_o || host_in_i),
      .clk_o   (detector_clk)
  );
  polyloom_overlay_detector_pkg::count_t [Links-1:0] sent, received;
  polyloom_overlay_gather #(
      .Cfg(Cfg)
  ) i_gather (
      .clk_i     (gather_clk),
      .rst_ni,
      .all_idle_i,
      .all_vote_i,
      .in_flight_i,
      .sent_i    (sent_o),
      .received_i(received_o),
      .host_in_i,
      .host_out_i,
      .copies_i,
      .ended_i,
      .passive_o (passive),
      .vote_o    (vote),
      .sent_o    (sent),
      .received_o(received)
  );
  polyloom_overlay_detector #(
      .Cfg(Cfg)
  ) i_detector (
      .clk_i          (detector_clk),
      .rst_ni,
      .board_i,
      .mesh_i,
      .passive_i      (passive),
      .vote_i         (vote),
      .sent_i         (sent),
      .received_i     (received),
      .ctl_in_valid_i (from_valid),
      .ctl_in_ready_o (from_ready),
      .ctl_in_data_i  (from_data),
      .ctl_in_last_i  (from_last),
      .ctl_out_valid_o(to_valid),
      .ctl_out_ready_i(to_ready),
      .ctl_out_data_o (to_data),
      .ctl_out_last_o (to_last),
      .epoch_o        (epoch),
      .release_o,
      .release_vote_o,
      .inject_i,
      .may_inject_o,
      .host_in_i,
      .barriers_o,
      .grants_o
  );
endmodule

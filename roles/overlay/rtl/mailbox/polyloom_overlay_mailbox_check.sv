// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_mailbox_check: whether the network can serve a send.
// How:          fields of the destination as in arch/address.h, compared with the sizes of the board and of the mesh. With
//               routers a key goes out whatever else destination and mask say; without, as to an accelerator, nothing can.
// Latency:      none: combinational.
// Throughput:   one send a cycle.
// Backpressure: none.
// Order/loss:   none.
// Reset:        none.
// Limits:       legal Cfg: polyloom_overlay_mailbox.
// Cost:         in polyloom_overlay_mailbox.
// Source:       own design.   Tests: test_polyloom_overlay_mailbox_check.py
module polyloom_overlay_mailbox_check
  import polyloom_overlay_pkg::*;
#(
    parameter cfg_t Cfg = TINY
) (
    input  send_t             send_i,
    input  logic              valid_i,
    input  logic              busy_i,   // the thread's previous message has not left
    input  logic        [7:0] mesh_i,   // boards: height, width
    output logic              host_o,   // to a host ...
    output logic              key_o,    // ... or, before all else, to the board's router
    output logic              bad_o,    // no thread could ever receive it, or it comes too early ...
    output send_fault_e       why_o     // ... for this reason, the first of several as in sim/net/mailbox.cc
);

  localparam int unsigned Threads = Cfg.cores * Cfg.threads;
  localparam int unsigned XBits = field_bits(Cfg.tiles_x);
  localparam int unsigned YBits = field_bits(Cfg.tiles_y);
  localparam int unsigned BoardX = XBits + YBits;
  localparam int unsigned BoardY = BoardX + BOARD_BITS;
  localparam int unsigned Extra = mailbox_bits(Cfg.tiles_x, Cfg.tiles_y);  // host side, host, key, accelerator

  logic special, to_tile, nowhere;  // only with valid_i
  assign host_o = send_i.dest[Extra+1];
  assign key_o  = Cfg.routers && send_i.dest[Extra+2];
  always_comb begin
    special = 1'b0;
    to_tile = 1'b0;
    nowhere = 1'b0;
    bad_o   = 1'b0;
    why_o   = SEND_POINTER;
    if (valid_i) begin
      special = !key_o && (send_i.dest[Extra+2] || send_i.dest[Extra+3]);
      to_tile = !host_o && !key_o;
      nowhere = 32'(send_i.dest[0+:XBits]) >= Cfg.tiles_x || 32'(send_i.dest[XBits+:YBits]) >= Cfg.tiles_y ||
          {1'b0, send_i.dest[BoardX+:BOARD_BITS]} >= mesh_i[3:0] || {1'b0, send_i.dest[BoardY+:BOARD_BITS]} >= mesh_i[7:4];
      bad_o = 1'b1;
      if (busy_i) why_o = SEND_BUSY;
      else if (32'(send_i.flits) >= Cfg.max_flits) why_o = SEND_LENGTH;
      else if (special || (to_tile && nowhere)) why_o = SEND_NOWHERE;
      else if (to_tile && send_i.mask == '0) why_o = SEND_NO_RECEIVER;
      else if (to_tile && (send_i.mask >> (Threads - 1)) > 64'd1) why_o = SEND_THREAD;
      else bad_o = send_i.astray;
    end
  end

  logic unused;
  assign unused = &{1'b0, send_i};

endmodule

// SPDX-License-Identifier: Apache-2.0
// mailbox_tb: mailboxes of three sizes, and their parts alone, in one binary; a test drives one scope.
// verilog_format: off
module mailbox_tb
  import polyloom_overlay_pkg::*;
(
    input logic clk_i,
    input logic rst_ni
);

  // 0: small; 1: as large as it gets, with more send slots; 2: as small as it gets; 3: one of more tiles than published.
  // 1 and 3 have routers.
  function automatic cfg_t config_of(int unsigned which);
    cfg_t c;
    c = TINY;
    c.tiles_x = 2;
    c.tiles_y = 3;
    c.routers = 1'(which);
    if (which == 0) begin
      c.cores = 2;
      c.threads = 4;
      c.mailbox_slots = 128;
    end else if (which == 1) begin
      c.extra_send_slot = 1'b1;
    end else if (which == 2) begin
      c.cores = 1;
      c.threads = 1;
      c.mailbox_slots = 128;
      c.max_flits = 3;
    end else begin
      c.tiles_x = 5;
      c.tiles_y = 9;
      c.cores = 2;
      c.max_flits = 1;
    end
    return c;
  endfunction

  for (genvar k = 0; k < 3; k++) begin : gen_mailbox
    localparam cfg_t Cfg = config_of(k);
    localparam int unsigned C = Cfg.cores;
    localparam int unsigned T = Cfg.threads;
    polyloom_overlay_mailbox #(.Cfg(Cfg)) i_dut (.scratchpad_ctl_valid_i(ctl_valid), .scratchpad_ctl_ready_o(ctl_ready),
        .scratchpad_ctl_i(ctl), .scratchpad_ctl_rsp_valid_o(ctl_rsp_valid), .scratchpad_ctl_rdata_o(ctl_rdata), .in_i(in_flit),
        .event_o(event_word), .release_i(released), .release_vote_i(released_vote), .idle_o(), .*);
  end

  begin : gen_scratchpad
    localparam cfg_t Cfg = config_of(0);
    localparam int unsigned C = Cfg.cores;
    logic hold, settled, want = '0, read;
    // A sender of messages of four flits.
    logic [1:0] left_q;
    assign read = left_q != '0 || (want && settled);
    assign hold = left_q == '0 && want && !settled;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) left_q <= '0;
      else if (read) left_q <= left_q - 1'b1;
    end
    polyloom_overlay_mailbox_scratchpad #(.Cfg(Cfg)) i_dut (.hold_i(hold), .settled_o(settled), .read_i(read), .flit_o(rflit),
        .flit_i(wflit), .*);
  end

  for (genvar k = 0; k < 2; k++) begin : gen_turns
    localparam int unsigned Cores = k == 0 ? 4 : 1;
    polyloom_overlay_mailbox_turns #(.Cores(Cores), .Depth(k == 0 ? 5 : 1), .Width(8)) i_dut (.any_o(waiting),
        .valid_o(grant), .request_o(granted), .*);
  end

  for (genvar k = 0; k < 4; k++) begin : gen_pick  // of 1, 2, 3 and 4
    polyloom_overlay_mailbox_pick #(.Count(k + 1)) i_dut (.*);
  end

  for (genvar k = 0; k < 4; k++) begin : gen_check
    polyloom_overlay_mailbox_check #(.Cfg(config_of(k))) i_dut (.*);
  end

  for (genvar k = 0; k < 3; k++) begin : gen_events
    localparam cfg_t Cfg = config_of(k);
    polyloom_overlay_mailbox_events #(.Cfg(Cfg)) i_dut (.event_valid_o(reported_valid), .event_ready_i(reported_ready),
        .event_o(reported), .*);
  end

  for (genvar k = 0; k < 3; k++) begin : gen_queues
    localparam int unsigned Threads = k == 0 ? 16 : k == 1 ? 3 : 1;
    localparam int unsigned Slots = k == 0 ? 512 : k == 1 ? 24 : 5;
    localparam int unsigned Places = k == 0 ? 64 : k == 1 ? 4 : 2;
    polyloom_overlay_mailbox_queues #(.Threads(Threads), .Slots(Slots), .Places(Places)) i_dut (.recv_valid_i(recv),
        .*);
  end

  for (genvar k = 0; k < 3; k++) begin : gen_references
    localparam int unsigned Slots = k == 0 ? 16 : k == 1 ? 8 : 2;
    localparam int unsigned Cores = k == 0 ? 4 : k == 1 ? 3 : 1;
    localparam int unsigned Threads = k == 0 ? 8 : k == 1 ? 5 : 1;
    polyloom_overlay_mailbox_references #(.Slots(Slots), .Cores(Cores), .Threads(Threads), .Queue(k == 0 ? 8 : k == 1 ?
        5 : 2)) i_dut (.set_valid_i(set), .free_valid_i(free), .release_valid_o(released),
        .release_slot_o(released_slot), .release_epoch_o(released_epoch), .*);
  end

  for (genvar k = 0; k < 4; k++) begin : gen_slots
    localparam int unsigned Slots = k == 0 ? 128 : k == 1 ? 16 : k == 2 ? 2 : 8;
    localparam int unsigned First = k == 0 ? 64 : k == 1 ? 3 : k == 2 ? 1 : 0;
    polyloom_overlay_mailbox_slots #(.Slots(Slots), .First(First)) i_dut (.*);
  end

endmodule

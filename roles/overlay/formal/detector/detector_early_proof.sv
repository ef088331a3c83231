// SPDX-License-Identifier: Apache-2.0
// detector_early_proof: two boards are not released while a thread runs or a message is anywhere; the host injects too.
// How: boards (0,0), which is the root, and (1,0), of one tile and one thread each. What threads, messages, links and host
// do is free, within the rules that gather and detector state as limits; messages are counted here, whatever the design
// counts. Checked until the first release.
module detector_early_proof
  import polyloom_overlay_pkg::*;
  import polyloom_overlay_detector_pkg::*;
(
    input logic       clk_i,
    input logic       rst_ni,
    // Per board: what is done in this cycle, if it can be
    input logic [1:0] wait_i,      // the thread waits
    input logic [1:0] wake_i,      // a message wakes it
    input logic [1:0] send_i,      // it sends
    input logic [1:0] free_i,      // a message is freed
    input logic [1:0] hand_out_i,  // a message goes to the link
    input logic [1:0] let_in_i,    // a message comes in from the link
    input logic [1:0] copy_i,      // a message, one with a key, becomes one more ...
    input logic [1:0] end_i,       // ... or ends
    input logic [1:0] stall_i,     // the link pauses control words from this board
    input logic       inject_i     // the host has a message
);
  typedef logic [1:0] few_t;

  logic [1:0] waits_q, let_in, hand_out, frees, sends, copies, ends, fresh_q, release_out, host_in;
  few_t [1:0] here_q, link_q;  // messages on a board that can go on; on the link from it
  logic [1:0][LOCAL_BITS-1:0] local_q;
  logic [1:0] passive, vote, may_inject;
  count_t [1:0][LINKS-1:0] count_sent, count_received;
  logic [1:0][LINKS-1:0] in_valid, in_ready, in_last, out_valid, out_ready, out_last;
  logic [1:0][LINKS-1:0][63:0] in_data, out_data;

  // The rules. A message that came or was sent is here one cycle later; a sender waits in the next cycle at the soonest.
  for (genvar b = 0; b < 2; b++) begin : gen_rules
    assign let_in[b] = let_in_i[b] && link_q[1-b] != '0 && !fresh_q[b];
    assign hand_out[b] = hand_out_i[b] && here_q[b] != '0 && link_q[b] != '1;
    assign frees[b] = free_i[b] && !hand_out[b] && here_q[b] != '0 && !waits_q[b];
    assign sends[b] = send_i[b] && !let_in[b] && !host_in[b] && !waits_q[b] && here_q[b] < 2'd2 && !fresh_q[b];
    assign host_in[b] = b == 0 && inject_i && may_inject[b] && !let_in[b] && here_q[b] < 2'd2 && !fresh_q[b];
    assign copies[b] = copy_i[b] && !let_in[b] && !host_in[b] && !sends[b] && here_q[b] == 2'd1 && !fresh_q[b];
    assign ends[b] = end_i[b] && !hand_out[b] && !frees[b] && here_q[b] != '0;
    always_comb if (let_in_i[b]) assume (here_q[b] < 2'd2);
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        waits_q[b] <= 1'b0;
        fresh_q[b] <= 1'b0;
        here_q[b]  <= '0;
        link_q[b]  <= '0;
        local_q[b] <= '0;
      end else begin
        fresh_q[b] <= let_in[b] || sends[b] || host_in[b] || copies[b];
        here_q[b]  <= here_q[b] + few_t'(fresh_q[b]) - few_t'(hand_out[b] || frees[b] || ends[b]);
        link_q[b]  <= link_q[b] + few_t'(hand_out[b]) - few_t'(let_in[1-b]);
        local_q[b] <= local_q[b] + LOCAL_BITS'(sends[b]) - LOCAL_BITS'(frees[b]);
        if (waits_q[b]) waits_q[b] <= !(wake_i[b] && here_q[b] != '0);
        else waits_q[b] <= wait_i[b] && !sends[b];
      end
    end

    // Board 0 has the link EAST, board 1 the link WEST.
    localparam int unsigned Link = b == 0 ? EAST : WEST;
    always_comb begin
      in_valid[b] = '0;
      in_data[b] = '0;
      in_last[b] = '0;
      out_ready[b] = '0;
      in_valid[b][Link] = out_valid[1-b][4-Link] && !stall_i[1-b];
      in_data[b][Link] = out_data[1-b][4-Link];
      in_last[b][Link] = out_last[1-b][4-Link];
      out_ready[b][Link] = in_ready[1-b][4-Link] && !stall_i[b];
    end

    polyloom_overlay_gather i_gather (
        .clk_i,
        .rst_ni,
        .all_idle_i (waits_q[b]),
        .all_vote_i (waits_q[b]),
        .in_flight_i(local_q[b]),
        .sent_i     (LINKS'(hand_out[b]) << Link),
        .received_i (LINKS'(let_in[b]) << Link),
        .host_in_i  (host_in[b]),
        .host_out_i (1'b0),
        .copies_i   (3'(copies[b])),
        .ended_i    (3'(ends[b])),
        .passive_o  (passive[b]),
        .vote_o     (vote[b]),
        .sent_o     (count_sent[b]),
        .received_o (count_received[b])
    );

    logic epoch, release_vote;
    logic [31:0] barriers, grants;
    polyloom_overlay_detector i_detector (
        .clk_i,
        .rst_ni,
        .board_i        (6'(b)),
        .mesh_i         (8'h12),
        .passive_i      (passive[b]),
        .vote_i         (vote[b]),
        .sent_i         (count_sent[b]),
        .received_i     (count_received[b]),
        .ctl_in_valid_i (in_valid[b]),
        .ctl_in_ready_o (in_ready[b]),
        .ctl_in_data_i  (in_data[b]),
        .ctl_in_last_i  (in_last[b]),
        .ctl_out_valid_o(out_valid[b]),
        .ctl_out_ready_i(out_ready[b]),
        .ctl_out_data_o (out_data[b]),
        .ctl_out_last_o (out_last[b]),
        .epoch_o        (epoch),
        .release_o      (release_out[b]),
        .release_vote_o (release_vote),
        .inject_i       (b == 0 && inject_i),
        .may_inject_o   (may_inject[b]),
        .host_in_i      (host_in[b]),
        .barriers_o     (barriers),
        .grants_o       (grants)
    );
  end

  // The reset comes first.
  logic started = 1'b0;
  always_ff @(posedge clk_i) started <= 1'b1;
  always_comb if (!started) assume (!rst_ni);
  always_comb if (started) assume (rst_ni);

  logic over_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) over_q <= 1'b0;
    else if (release_out != '0) over_q <= 1'b1;
  end
  always_comb begin
    if (rst_ni && release_out != '0 && !over_q) begin
      assert (waits_q == '1);
      assert (here_q == '0 && fresh_q == '0 && link_q == '0);
      assert (host_in == '0);
    end
  end
  always_comb cover (rst_ni && release_out[0] && !over_q);

  // Also after a message with a key had a copy, and both are gone.
  logic copied_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) copied_q <= 1'b0;
    else if (copies[0]) copied_q <= 1'b1;
  end
  always_comb cover (rst_ni && release_out[0] && !over_q && copied_q);
endmodule

// SPDX-License-Identifier: Apache-2.0
// polyloom_reliable_link_tx_channel: the sending half of one channel: items wait here until the far side has them.
// How:          a ring in RAM, addressed by item number. base: oldest item not acknowledged; next: next to send; end: first
//               not yet handed over; limit: first that the far side has no room for; high: first never sent. All count
//               modulo 2^SeqBits. Go-back-N: next returns to base when the far side complains or time is up.
//                   base <= next <= high <= end         items: [base, next) on their way, [next, end) waiting
//               Items come in groups that end with in_last_i and may leave together only from then on, so a group
//               does not leave in two frames when the link is idle.
// Latency:      a group that ends at edge c may leave in a frame that starts in cycle c + 1.
// Throughput:   an item a cycle in, one out.
// Backpressure: in_ready_o is a register: Items are held. Nothing else waits.
// Order/loss:   in order, nothing lost: an item stays until it is acknowledged.
// Reset:        emptied. Takes items from the second cycle on.
// Limits:       Items and FarItems fit the numbers (checked at elaboration); a group has at most Items items;
//               frames start at least 4 cycles apart, and one in the cycle after timeout_o; ack_i, limit_i and nack_i
//               stand in the cycle before report_i.
// Cost:         in polyloom_reliable_link.
// Source:       go-back-N; own design, blocks/reliable_link/sim/link_channel.h.
// Tests:        test_polyloom_reliable_link_tx_channel.py; proof: formal/proofs.toml [reliable_link_channel]
module polyloom_reliable_link_tx_channel #(
    parameter  int unsigned Width     = 64,
    parameter  int unsigned Items     = 0,                    // kept until acknowledged
    parameter  int unsigned FarItems  = 0,                    // the far side's room at the start
    parameter  int unsigned SeqBits   = 0,
    parameter  int unsigned MaxCount  = 0,                    // items of a frame
    localparam int unsigned CountBits = $clog2(MaxCount + 1)
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    // From the user
    input  logic                 in_valid_i,
    output logic                 in_ready_o,
    input  logic [    Width-1:0] in_i,
    input  logic                 in_last_i,        // of a group
    // To the frame builder: what a frame that starts in this cycle may carry
    output logic                 may_send_o,
    output logic [CountBits-1:0] count_o,
    output logic [  SeqBits-1:0] seq_o,
    output logic                 poll_o,           // it must be sent in this cycle and ask for a response
    input  logic                 start_i,          // it starts
    input  logic [CountBits-1:0] accept_i,         // and takes so many items
    input  logic                 read_i,           // its next item, please
    output logic [    Width-1:0] item_o,           // the item asked for last
    // From the receiver: a good frame came
    input  logic                 report_i,
    input  logic [  SeqBits-1:0] ack_i,
    input  logic [  SeqBits-1:0] limit_i,
    input  logic                 nack_i,
    // Time-outs, as they will be in the next cycle
    input  logic [         15:0] timeout_i,        // cycles without progress, at least 2
    output logic                 late_o,           // time is up and something is missing
    output logic                 may_send_next_o,  // something may be sent then
    output logic                 unlocked_o,       // because the far side has told of room
    input  logic                 act_i,            // a frame may start then: if late, send again or ask for room
    // To counters
    output logic                 again_o,          // of the items that may be sent one was sent before
    output logic                 timeout_o,
    output logic                 go_back_o,
    output logic                 idle_o            // nothing is held
);

  if (Items < 1 || Items >= 2 ** (SeqBits - 1) || Items + FarItems >= 2 ** SeqBits) begin : gen_check
    $error(
        "%m: Items is %0d, FarItems %0d; numbers of %0d bits allow fewer than %0d and %0d in all",
        Items,
        FarItems,
        SeqBits,
        2 ** (SeqBits - 1),
        2 ** SeqBits
    );
  end

  localparam int unsigned AddrBits = Items <= 2 ? 1 : $clog2(Items);
  typedef logic [SeqBits-1:0] seq_t;

  seq_t base_q, next_q, high_q, end_q, fill_q, limit_q;
  seq_t base_d, next_d, fill_d;
  logic push, group, ready_q;
  assign push = in_valid_i && ready_q;
  assign group = push && in_last_i;
  assign in_ready_o = ready_q;
  assign fill_d = fill_q + seq_t'(push);

  // What may be sent.
  seq_t avail, room, least;
  assign avail = end_q - next_q;
  assign room = limit_q - next_q;
  assign least = avail < room ? avail : room;
  assign count_o = least < seq_t'(MaxCount) ? CountBits'(least) : CountBits'(MaxCount);
  assign may_send_o = end_q != next_q && limit_q != next_q;
  assign seq_o = next_q;
  assign again_o = high_q != next_q;

  // What a report means, worked out a cycle ahead; only a frame's start can change it in between.
  logic ack_new_q, ack_same_q, ack_next_q, skip_q, limit_new_q, started_q;
  always_ff @(posedge clk_i) begin
    ack_new_q   <= ack_i != base_q && seq_t'(ack_i - base_q) <= seq_t'(high_q - base_q);
    ack_same_q  <= ack_i == base_q;
    ack_next_q  <= ack_i == next_q;
    skip_q      <= seq_t'(ack_i - base_q) > seq_t'(next_q - base_q);
    limit_new_q <= limit_i != limit_q;
  end

  logic accepted, moves, back;
  assign accepted = start_i && accept_i != '0;
  assign moves = report_i && ack_new_q;
  assign back = report_i && nack_i && (ack_same_q || ack_new_q && !skip_q) && (!ack_next_q || started_q || accepted);
  assign base_d = moves ? ack_i : base_q;

  // Time-outs. A cycle ahead, so that what is sent again goes through no longer path than what is new.
  logic [15:0] left_q;
  logic waits_ack, waits_room, expires, repeat_all, request, poll_q;
  assign expires = left_q <= 16'd1 && !moves && !back;
  assign waits_ack = next_q != base_q;
  assign waits_room = next_q == base_q && end_q != next_q && limit_q == next_q && !(report_i && limit_new_q);
  assign late_o = expires && (waits_ack || waits_room);
  assign unlocked_o = report_i && limit_new_q && end_q != next_q && limit_q == next_q;
  assign may_send_next_o = (may_send_o || group && limit_q != next_q || report_i && limit_new_q && (end_q != next_q || group)) ||
      back;
  assign repeat_all = act_i && late_o && waits_ack;
  assign request = act_i && late_o && waits_room;
  assign poll_o = poll_q;
  assign timeout_o = repeat_all;
  assign go_back_o = back;

  // A frame may have started just before its acknowledgement overtakes next: then next follows a cycle later.
  logic behind;
  seq_t next_to_base;
  assign next_to_base = next_q - base_q;
  assign behind = next_to_base[SeqBits-1];
  always_comb begin
    next_d = next_q + (start_i ? seq_t'(accept_i) : '0);
    if (back) next_d = ack_i;
    else if (moves && skip_q && !start_i && !started_q) next_d = ack_i;
    else if (repeat_all || behind) next_d = base_q;
  end

  // high follows what was put on the wire a cycle later.
  seq_t sent_q, high_to_sent;
  assign high_to_sent = high_q - sent_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      base_q <= '0;
      next_q <= '0;
      high_q <= '0;
      sent_q <= '0;
      end_q <= '0;
      fill_q <= '0;
      limit_q <= seq_t'(FarItems);
      ready_q <= 1'b0;
      started_q <= 1'b0;
      poll_q <= 1'b0;
      left_q <= '0;
    end else begin
      base_q <= base_d;
      next_q <= next_d;
      if (accepted) sent_q <= next_q + seq_t'(accept_i);
      if (high_to_sent[SeqBits-1]) high_q <= sent_q;
      if (group) end_q <= fill_d;
      fill_q <= fill_d;
      if (report_i) limit_q <= limit_i;
      ready_q <= seq_t'(fill_d - base_q) != seq_t'(Items);
      started_q <= accepted;
      poll_q <= request;
      if (moves || back || repeat_all || request) left_q <= timeout_i;
      else if ((accepted && next_q == base_q) || (group && end_q == base_q)) left_q <= timeout_i - 1'b1;
      else if (left_q != '0) left_q <= left_q - 1'b1;
      assert (!start_i || (accept_i <= count_o && !behind && !started_q));
      assert (timeout_i >= 16'd2);
    end
  end

  assign idle_o = base_q == fill_q && ready_q;

  seq_t read_q;
  polyloom_ram_1r1w #(
      .Width(Width),
      .Depth(2 ** AddrBits)
  ) i_ram (
      .clk_i,
      .we_i   (push),
      .be_i   (1'b1),
      .waddr_i(AddrBits'(fill_q)),
      .wdata_i(in_i),
      .re_i   (read_i),
      .raddr_i(AddrBits'(read_q)),
      .rdata_o(item_o)
  );
  always_ff @(posedge clk_i) begin
    if (start_i) read_q <= next_q;
    else if (read_i) read_q <= read_q + 1'b1;
  end

endmodule

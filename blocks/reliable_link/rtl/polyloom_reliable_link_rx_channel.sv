// SPDX-License-Identifier: Apache-2.0
// polyloom_reliable_link_rx_channel: the receiving half of one channel: takes each item once, in order.
// How:          a ring in RAM, addressed by item number. taken: oldest item not yet handed on; expected: first not received.
//               A frame's items are written behind expected as they come, those that were had before are passed over;
//               only when the frame proves good does expected move on, so a damaged frame leaves nothing behind.
//                   taken <= expected <= written <= taken + Items
// Latency:      2 cycles from a frame's check (commit_i 1 cycle after the word on the wire) to out_valid_o.
// Throughput:   an item a cycle in, one out.
// Backpressure: the far side keeps to limit_o; what it sends beyond is dropped and not acknowledged. out_ready_i goes to the
//               RAM's address.
// Order/loss:   every item of the far side once, in order.
// Reset:        emptied.
// Limits:       Items fit the numbers (checked at elaboration). head_i before a frame's first item, count_i stands from then
//               to commit_i.
// Cost:         in polyloom_reliable_link.
// Source:       go-back-N; own design, blocks/reliable_link/sim/reliable_link.cc.
// Tests:        test_polyloom_reliable_link_rx_channel.py; proof: formal/proofs.toml [reliable_link_channel]
module polyloom_reliable_link_rx_channel #(
    parameter int unsigned Width   = 64,
    parameter int unsigned Items   = 0,   // received and not yet taken
    parameter int unsigned SeqBits = 0
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    // From the parser
    input  logic               head_i,        // a frame's header: number of its first item
    input  logic [SeqBits-1:0] seq_i,
    input  logic               item_valid_i,
    input  logic [  Width-1:0] item_i,
    input  logic               commit_i,      // the frame is good
    input  logic               any_i,         // it has items of this channel
    // To the frame builder
    output logic [SeqBits-1:0] ack_o,         // number expected next
    output logic [SeqBits-1:0] limit_o,       // first number without room
    output logic               nack_o,        // an item is missing
    input  logic               start_i,       // a frame has said so
    // To the response's timer, with commit_i
    output logic               complain_o,    // a response is due at once
    output logic               report_o,      // much room has come back: likewise, any time
    // To the user
    output logic               out_valid_o,
    input  logic               out_ready_i,
    output logic [  Width-1:0] out_o,
    // To counters
    output logic               gap_o,
    output logic               duplicate_o,
    output logic               idle_o         // nothing is held
);

  if (Items < 1 || Items >= 2 ** SeqBits) begin : gen_check
    $error("%m: Items is %0d; numbers of %0d bits allow 1 to %0d", Items, SeqBits, 2 ** SeqBits - 1);
  end

  localparam int unsigned AddrBits = Items <= 2 ? 1 : $clog2(Items);
  localparam int unsigned Quarter = Items < 8 ? 1 : Items / 4;  // room worth a frame of its own
  typedef logic [SeqBits-1:0] seq_t;

  seq_t expected_q, accepted_q, limit_q, written_q, old_q;
  seq_t late, accepted_d;
  logic gap_q, missing_q, nack_q;

  // Items of the frame that is coming: `old_q` more of them were had, or all come too early.
  logic pass, write;
  assign late  = expected_q - seq_i;
  assign pass  = old_q != '0;
  assign write = item_valid_i && !pass && !gap_q && written_q != limit_q;

  logic gapped, advanced;
  assign gapped = commit_i && any_i && gap_q;
  assign advanced = commit_i && written_q != expected_q;
  assign complain_o = gapped && !missing_q;
  assign gap_o = gapped;
  assign duplicate_o = commit_i && any_i && !gap_q && !advanced;

  logic pop;
  assign pop = out_valid_o && out_ready_i;
  assign accepted_d = accepted_q + seq_t'(pop);
  assign out_valid_o = accepted_q != expected_q;

  // Room that no frame has told of.
  seq_t room_q, room_d;
  assign room_d = (start_i ? '0 : room_q) + seq_t'(pop);
  assign report_o = pop && room_d == seq_t'(Quarter);

  assign ack_o = expected_q;
  assign limit_o = limit_q;
  assign nack_o = nack_q;
  assign idle_o = !out_valid_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      expected_q <= '0;
      accepted_q <= '0;
      limit_q <= seq_t'(Items);
      written_q <= '0;
      old_q <= '0;
      gap_q <= 1'b0;
      missing_q <= 1'b0;
      nack_q <= 1'b0;
      room_q <= '0;
    end else begin
      if (head_i) begin
        gap_q <= late[SeqBits-1];
        old_q <= late[SeqBits-1] ? '0 : late;
        written_q <= expected_q;
      end else begin
        if (item_valid_i && pass) old_q <= old_q - 1'b1;
        if (write) written_q <= written_q + 1'b1;
      end
      if (advanced) expected_q <= written_q;
      accepted_q <= accepted_d;
      limit_q <= limit_q + seq_t'(pop);
      room_q <= room_d;
      if (gapped) missing_q <= 1'b1;
      else if (advanced) missing_q <= 1'b0;
      if (complain_o) nack_q <= 1'b1;
      else if (advanced || start_i) nack_q <= 1'b0;
    end
  end

  // The oldest item is read again until it is there.
  polyloom_ram_1r1w #(
      .Width(Width),
      .Depth(2 ** AddrBits)
  ) i_ram (
      .clk_i,
      .we_i   (write),
      .be_i   (1'b1),
      .waddr_i(AddrBits'(written_q)),
      .wdata_i(item_i),
      .re_i   (!out_valid_o || pop),
      .raddr_i(AddrBits'(accepted_d)),
      .rdata_o(out_o)
  );

endmodule

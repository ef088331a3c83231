// SPDX-License-Identifier: Apache-2.0
// overlay_router_proof: no message of polyloom_overlay_noc_crossbar is lost, doubled, split, mixed, sent without room or starved.
// How: flits carry where they come from, where they belong, and a mark. One message, picked freely, is marked and followed
// by the number of messages before it in its input; as any may be picked, order and presence hold for all. The account
// of an input's room is kept again outside from what is seen on the wires. With One = 1 all messages go to output 0,
// which always has room: then it may never rest while a flit is there for it.
module overlay_router_proof #(
    parameter int unsigned Ports = 2,
    parameter int unsigned MaxFlits = 2,
    parameter int unsigned Flits = 4,
    parameter bit One = 0
) (
    input logic                  clk_i,
    input logic                  rst_ni,
    input logic [Ports-1:0]      start_i,
    input logic [Ports-1:0][1:0] flits_i,
    input logic [Ports-1:0][1:0] way_i,
    input logic [Ports-1:0]      room_i,
    input logic                  pick_i,
    input logic [      1:0]      from_i    // input of the picked message
);

  typedef struct packed {
    logic             first;
    logic             last;
    logic [1:0]       flits;
    logic [1:0]       index;
    logic [1:0] from;
    logic [1:0]       way;
    logic             mark;
  } small_t;

  logic started = 1'b0;
  logic [1:0] from_q;
  always_ff @(posedge clk_i) begin
    started <= 1'b1;
    from_q  <= from_i;
  end
  always_comb begin
    assume (rst_ni == started);
    if (started) assume (from_i == from_q);
    assume (32'(from_i) < Ports);
  end

  // ---- writers: messages whole, begun only after a cycle with room ----

  logic [Ports-1:0] in_valid, in_room, in_room_q, start;
  logic [1:0] in_flits[Ports];
  logic [Ports-1:0] in_way[Ports];
  small_t in[Ports], out[Ports];
  logic [1:0] coming_q[Ports];
  small_t body_q[Ports];  // the flit after the one on the wire
  logic [Ports-1:0] out_valid, out_room;
  logic picked_q, pick;

  assign out_room = One ? '1 : room_i;
  assign pick = pick_i && !picked_q && start[from_i];

  for (genvar i = 0; i < Ports; i++) begin : gen_in
    assign start[i] = start_i[i] && coming_q[i] == '0 && in_room_q[i];
    assign in_valid[i] = start[i] || coming_q[i] != '0;
    always_comb begin
      assume (32'(flits_i[i]) < MaxFlits);
      assume (32'(way_i[i]) < (One ? 1 : Ports));
      in_flits[i] = in[i].flits;
      in_way[i] = Ports'(1) << in[i].way;
      in[i] = body_q[i];
      if (start[i]) begin
        in[i] = '{
            first: 1'b1,
            last: flits_i[i] == '0,
            flits: flits_i[i],
            index: '0,
            from : 2'(i),
            way: way_i[i],
            mark: pick && from_i == 2'(i)
        };
      end
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        coming_q[i]  <= '0;
        in_room_q[i] <= 1'b0;
      end else begin
        coming_q[i]  <= start[i] ? flits_i[i] : coming_q[i] - 2'(coming_q[i] != '0);
        in_room_q[i] <= in_room[i];
      end
    end
    always_ff @(posedge clk_i) begin
      body_q[i] <= in[i];
      body_q[i].first <= 1'b0;
      body_q[i].index <= in[i].index + 1'b1;
      body_q[i].last <= in[i].index + 2'd1 == in[i].flits;
    end
  end

  polyloom_overlay_noc_crossbar #(
      .Ports(Ports),
      .Flits(Flits),
      .MaxFlits(MaxFlits),
      .T(small_t)
  ) i_dut (
      .clk_i,
      .rst_ni,
      .in_valid_i (in_valid),
      .in_first_i (start),
      .in_flits_i (in_flits),
      .in_way_i   (in_way),
      .in_i       (in),
      .in_room_o  (in_room),
      .out_valid_o(out_valid),
      .out_o      (out),
      .out_room_i (out_room)
  );

  // ---- outputs: whole messages, where they belong, granted with room ----

  small_t out_q[Ports];
  logic [Ports-1:0] amid_q, out_room_q;

  for (genvar o = 0; o < Ports; o++) begin : gen_out
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) amid_q[o] <= 1'b0;
      else amid_q[o] <= out_valid[o] && !out[o].last;
    end
    always_ff @(posedge clk_i) begin
      out_q[o] <= out[o];
      out_room_q[o] <= out_room[o];
    end
    always_comb begin
      if (rst_ni) begin
        if (amid_q[o]) begin
          assert (out_valid[o] && !out[o].first && out[o].index == out_q[o].index + 2'd1);
          assert (out[o].from == out_q[o].from && out[o].mark == out_q[o].mark);
        end else if (out_valid[o]) begin
          assert (out[o].first && out[o].index == '0);
          assert (out_room_q[o]);
        end
        if (out_valid[o]) begin
          assert (out[o].last == (out[o].index == out[o].flits));
          assert (32'(out[o].way) == o);
        end
      end
    end
  end

  // ---- the picked message and its input ----

  logic [3:0] inside_q, ahead_q, used_q, used;  // messages of the input; those before the picked one; flits
  logic seen, seen_mark, seen_last, seen_amid;
  logic [1:0] seen_way, others;
  logic followed_q, done_q, eligible_q;
  logic [1:0] way_q;
  logic [2:0] waited_q, waited;
  logic [Ports-1:0] seen_at;

  always_comb begin
    seen = 1'b0;
    seen_mark = 1'b0;
    seen_last = 1'b0;
    seen_amid = 1'b0;
    seen_at = '0;
    others = '0;
    used = used_q;
    if (start[from_i]) used += 4'(flits_i[from_i]) + 4'd1;
    for (int unsigned o = 0; o < Ports; o++) begin
      if (out_valid[o] && out[o].from == from_i) begin
        seen_at[o] = 1'b1;
        if (out[o].first) seen = 1'b1;
        if (out[o].mark) seen_mark = 1'b1;
        if (out[o].last) used -= 4'(out[o].flits) + 4'd1;
        else seen_amid = 1'b1;
      end
      if (out_valid[o] && out[o].first && out[o].from != from_i && 2'(o) == way_q) others++;
    end
    waited = waited_q + 3'(eligible_q ? others : '0);
    if (rst_ni) begin
      assert ((seen_at & (seen_at - 1'b1)) == '0);  // an input is read once
      assert (32'(used) <= Flits);
      assert (in_room[from_i] == (32'(used) + MaxFlits <= Flits));
      if (seen) assert (inside_q != '0);
      if (seen && followed_q) assert (seen_mark == (ahead_q == '0));
      if (seen_mark) assert (picked_q && !(seen && done_q));
      if (seen_mark && seen) assert (followed_q);
      if (followed_q) assert (32'(waited) < Ports);  // in turns
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      inside_q <= '0;
      used_q <= '0;
      picked_q <= 1'b0;
      followed_q <= 1'b0;
      done_q <= 1'b0;
      eligible_q <= 1'b0;
      waited_q <= '0;
    end else begin
      inside_q <= inside_q + 4'(start[from_i]) - 4'(seen);
      used_q   <= used;
      if (pick) begin
        picked_q   <= 1'b1;
        followed_q <= 1'b1;
      end else if (followed_q && seen && ahead_q == '0) begin
        followed_q <= 1'b0;
        done_q <= 1'b1;
      end
      eligible_q <= followed_q && !seen_amid && ahead_q == 4'(seen);
      waited_q   <= waited;
    end
  end

  always_ff @(posedge clk_i) begin
    if (pick) begin
      ahead_q <= inside_q - 4'(seen);
      way_q   <= way_i[from_i];
    end else if (followed_q && seen) begin
      ahead_q <= ahead_q - 1'b1;
    end
  end

  // ---- no rest while there is something to do ----

  if (One) begin : gen_one
    logic [5:0] held_q, held;
    logic need_q;
    assign held = held_q - 6'(out_valid[0]);
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        held_q <= '0;
        need_q <= 1'b0;
      end else begin
        held_q <= held + 6'($countones(in_valid));
        need_q <= held != '0;
      end
    end
    always_comb if (rst_ni) assert (out_valid[0] == need_q);
  end

  // ---- reached ----

  logic full_q, late_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      full_q <= 1'b0;
      late_q <= 1'b0;
    end else begin
      if (followed_q && !in_room[from_i]) full_q <= 1'b1;
      if (32'(waited) == Ports - 1) late_q <= 1'b1;
    end
  end
  always_comb begin
    cover (rst_ni && done_q && full_q);
    cover (rst_ni && done_q && late_q);
    cover (rst_ni && done_q && inside_q == '0 && seen_at == '0 && out_q[0].mark && 32'(out_q[0].flits) == MaxFlits - 1);
  end

endmodule

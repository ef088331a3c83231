// SPDX-License-Identifier: Apache-2.0
// mailbox_references_proof: a slot is released when as many frees have been taken as it was given, not before and not twice; frees
// of slots that are not held change nothing; none is lost.
// How: one slot, picked freely and kept, is followed: what it was given, and the frees of it that have come since. It may be freed
// while it is not held, but such frees must have been done before it is given again; other slots are freed in any way. Two
// cores, two slots, counts up to two. The free list around it is the rule that a slot is set only while it is not held, with the
// epoch that its release gave. Alone: only the picked slot is set and freed, which leaves time for two uses of it within the bound.
module mailbox_references_proof #(
    parameter int unsigned Slots   = 2,
    parameter int unsigned Cores   = 2,
    parameter int unsigned Threads = 2,
    parameter bit          Alone   = 1'b0
) (
    input logic                  clk_i,
    input logic                  rst_ni,
    input logic                  set_i,
    input logic                  set_slot_i,
    input logic [      1:0]      set_count_i,
    input logic [Cores-1:0]      free_i,
    input logic [Cores-1:0][0:0] free_slot_i,
    input logic                  pick_i
);

  logic ready, released, released_epoch, released_slot;
  logic [Cores-1:0] overflow;
  logic [Slots-1:0] held_q, epoch_q;  // slots in use; epoch of the next use
  polyloom_overlay_mailbox_references #(
      .Slots  (Slots),
      .Cores  (Cores),
      .Threads(Threads),
      .Queue  (8)
  ) i_dut (
      .clk_i,
      .rst_ni,
      .ready_o        (ready),
      .set_valid_i    (set_i),
      .set_slot_i,
      .set_epoch_i    (epoch_q[set_slot_i]),
      .set_count_i,
      .free_valid_i   (free_i),
      .free_slot_i,
      .overflow_o     (overflow),
      .idle_o         (),
      .release_valid_o(released),
      .release_slot_o (released_slot),
      .release_epoch_o(released_epoch)
  );

  logic started = 1'b0;
  always_ff @(posedge clk_i) started <= 1'b1;
  logic pick_q;  // the slot that is followed
  always_ff @(posedge clk_i) if (!started) pick_q <= pick_i;

  logic [1:0] given_q, freed_q;  // of the picked slot's use
  logic [3:0] backlog_q;  // frees that have come and are not done: one is done in each cycle
  logic [1:0] settled_q;  // cycles since the backlog was done
  logic stray_q;  // of those, some may be of the picked slot while it was not held
  logic [1:0] now;  // frees of the picked slot
  always_comb begin
    now = '0;
    for (int unsigned c = 0; c < Cores; c++) now += 2'(free_i[c] && free_slot_i[c] == pick_q);
    assume (rst_ni == started);
    assume (!set_i || (ready && !held_q[set_slot_i] && set_count_i inside {2'd1, 2'd2}));
    assume (ready || free_i == '0);
    assume (overflow == '0);
    // A program frees what it has received: later than it is set, and not more.
    if (held_q[pick_q]) assume (3'(freed_q) + 3'(now) <= 3'(given_q));
    if (set_i && set_slot_i == pick_q) assume (now == '0 && !stray_q);
    if (Alone) begin
      assume (!set_i || set_slot_i == pick_q);
      for (int unsigned c = 0; c < Cores; c++) assume (!free_i[c] || free_slot_i[c] == pick_q);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      held_q    <= '0;
      epoch_q   <= '1;
      given_q   <= '0;
      freed_q   <= '0;
      backlog_q <= '0;
      settled_q <= '0;
      stray_q   <= 1'b0;
    end else begin
      if (set_i) held_q[set_slot_i] <= 1'b1;
      if (released) begin
        held_q[released_slot]  <= 1'b0;
        epoch_q[released_slot] <= released_epoch;
      end
      if (set_i && set_slot_i == pick_q) begin
        given_q <= set_count_i;
        freed_q <= '0;
      end else if (held_q[pick_q]) freed_q <= freed_q + now;
      backlog_q <= backlog_q + 4'(free_i[0]) + 4'(free_i[1]) - 4'(backlog_q != '0);
      if (backlog_q != '0 || free_i != '0) settled_q <= '0;
      else if (settled_q != '1) settled_q <= settled_q + 1'b1;
      if (now != '0 && !held_q[pick_q]) stray_q <= 1'b1;
      else if (settled_q == '1) stray_q <= 1'b0;
    end
  end

  always_comb begin
    if (rst_ni && released) begin
      assert (held_q[released_slot]);  // never twice
      assert (released_epoch == !epoch_q[released_slot]);
      if (released_slot == pick_q) assert (freed_q == given_q);  // never early
    end
  end

  // None is lost: with all frees there and done, it has been released.
  always_comb if (rst_ni && settled_q == '1 && held_q[pick_q]) assert (freed_q != given_q);

  // A second use, after a first one that took two frees; or both slots, one after the other.
  logic twice_q, other_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {twice_q, other_q} <= '0;
    else if (released) begin
      if (released_slot != pick_q) other_q <= 1'b1;
      else if (given_q == 2'd2) twice_q <= 1'b1;
    end
  end
  always_comb begin
    if (Alone) cover (rst_ni && twice_q && released && released_slot == pick_q);
    if (!Alone) cover (rst_ni && other_q && released && released_slot == pick_q && given_q == 2'd2);
  end

endmodule

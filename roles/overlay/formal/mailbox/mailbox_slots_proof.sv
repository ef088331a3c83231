// SPDX-License-Identifier: Apache-2.0
// mailbox_slots_proof: the free list never hands out a slot that is in use, loses none, and counts right.
// How: the set of slots in use is kept here; pops come while the list is not empty, pushes give back slots in use, with the
// epoch turned. Of the slots' epochs one, picked freely, is followed.
module mailbox_slots_proof #(
    parameter int unsigned Slots = 4,
    parameter int unsigned First = 1
) (
    input logic       clk_i,
    input logic       rst_ni,
    input logic       pop_i,
    input logic       push_i,
    input logic [1:0] push_slot_i
);

  logic [1:0] count, slot;
  logic epoch;
  logic [Slots-1:0] used_q;
  logic [Slots-1:0] epoch_q;  // of its last use
  polyloom_overlay_mailbox_slots #(
      .Slots(Slots),
      .First(First)
  ) i_dut (
      .clk_i,
      .rst_ni,
      .count_o     (count),
      .pop_i,
      .slot_o      (slot),
      .epoch_o     (epoch),
      .push_i,
      .push_slot_i,
      .push_epoch_i(!epoch_q[push_slot_i])
  );

  // The reset comes first.
  logic started = 1'b0;
  always_ff @(posedge clk_i) started <= 1'b1;
  always_comb begin
    if (!started) assume (!rst_ni);
    assume (!pop_i || count != '0);
    assume (!push_i || used_q[push_slot_i]);
    assume (rst_ni || (!pop_i && !push_i));
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      used_q  <= '0;
      epoch_q <= '0;
    end else begin
      if (push_i) used_q[push_slot_i] <= 1'b0;
      if (pop_i) begin
        used_q[slot]  <= 1'b1;
        epoch_q[slot] <= epoch;
      end
    end
  end

  logic [2:0] uses;
  always_comb begin
    uses = '0;
    for (int unsigned i = 0; i < Slots; i++) uses += 3'(used_q[i]);
    if (rst_ni) begin
      assert (uses + 3'(count) == 3'(Slots - First));  // none lost, none twice
      if (count != '0) begin
        assert (!used_q[slot] && slot >= 2'(First));
        assert (epoch == !epoch_q[slot]);  // each use another one
      end
    end
  end

  // All are used, then given back in another order, and used again.
  logic [2:0] turns_q;  // uses of slot 2
  logic full_q, empty_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      turns_q <= '0;
      full_q  <= 1'b0;
      empty_q <= 1'b0;
    end else begin
      if (pop_i && slot == 2'd2) turns_q <= turns_q + 1'b1;
      if (count == '0) full_q <= 1'b1;
      if (full_q && uses == '0) empty_q <= 1'b1;
    end
  end
  always_comb begin
    cover (rst_ni && empty_q && turns_q == 3'd2);
    cover (rst_ni && pop_i && push_i && full_q && turns_q == 3'd2);
  end

endmodule

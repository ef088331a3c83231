// SPDX-License-Identifier: Apache-2.0
// mailbox_queues_proof: each thread receives the messages that name it, once, in order, with their slots; a full ring takes nothing
// in, and a recv of an empty one takes nothing out.
// How: for one thread, one of its messages, both picked freely, is followed by the number of those before it that the thread has not
// received; when it is its turn the slot must be its own. As any may be picked, this holds for all. A ring of 4 places is full
// too late for a short bound, one of 2 is not; Stalls: the bound is long enough for a message that waited for a full ring.
module mailbox_queues_proof #(
    parameter int unsigned Threads = 2,
    parameter int unsigned Slots   = 4,
    parameter int unsigned Places  = 4,
    parameter bit          Stalls  = 1'b0
) (
    input logic               clk_i,
    input logic               rst_ni,
    input logic               in_valid_i,
    input logic [Threads-1:0] in_threads_i,
    input logic [        1:0] in_slot_i,
    input logic               recv_valid_i,
    input logic               recv_thread_i,
    input logic               thread_i,
    input logic               pick_i
);

  logic started = 1'b0;
  logic [1:0] cleared_q;  // rings
  logic thread_q;
  always_ff @(posedge clk_i) begin
    started <= 1'b1;
    if (!started) thread_q <= thread_i;
  end

  logic [Threads-1:0] can_recv;
  logic [1:0] slot;
  logic delivered, stalled, clear;
  assign clear = cleared_q != 2'd2;
  polyloom_overlay_mailbox_queues #(
      .Threads(Threads),
      .Slots  (Slots),
      .Places (Places)
  ) i_dut (
      .clk_i,
      .rst_ni,
      .clear_i       (clear),
      .clear_thread_i(cleared_q[0]),
      .in_valid_i,
      .in_threads_i,
      .in_slot_i,
      .can_recv_o    (can_recv),
      .recv_valid_i,
      .recv_thread_i,
      .recv_slot_o   (slot),
      .delivered_o   (delivered),
      .stalled_o     (stalled),
      .idle_o        ()
  );

  // Copies that have not been received, of each thread.
  logic [Threads-1:0][3:0] owed_q;
  logic [3:0] served_q, given_q;
  logic recv, came;
  assign recv = recv_valid_i && recv_thread_i == thread_q && can_recv[thread_q];
  assign came = in_valid_i && in_threads_i[thread_q];

  always_comb begin
    assume (rst_ni == started);
    assume (!in_valid_i || (!clear && in_threads_i != '0));
    assume (!recv_valid_i || !clear);
    // As many messages as there are slots can wait at most; of their copies here no more, so no more messages either.
    assume (!in_valid_i || 4'(given_q - served_q) < 4'(Slots));
    for (int unsigned t = 0; t < Threads; t++) assume (owed_q[t] < 4'd8);
  end

  logic followed_q, done_q, turn_q;
  logic [3:0] ahead_q;
  logic [1:0] value_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cleared_q  <= '0;
      owed_q     <= '0;
      followed_q <= 1'b0;
      done_q     <= 1'b0;
      turn_q     <= 1'b0;
      ahead_q    <= '0;
      served_q   <= '0;
      given_q    <= '0;
    end else begin
      if (clear) cleared_q <= cleared_q + 1'b1;
      for (int unsigned t = 0; t < Threads; t++) begin
        owed_q[t] <= owed_q[t] + 4'(in_valid_i && in_threads_i[t]) - 4'(recv_valid_i && recv_thread_i == 1'(t) && can_recv[t]);
      end
      turn_q <= 1'b0;
      if (came && pick_i && !followed_q && !done_q) begin
        followed_q <= 1'b1;
        ahead_q    <= owed_q[thread_q] - 4'(recv);
      end else if (followed_q && recv) begin
        ahead_q <= ahead_q - 1'b1;
        if (ahead_q == '0) begin
          followed_q <= 1'b0;
          done_q     <= 1'b1;
          turn_q     <= 1'b1;
        end
      end
      served_q <= served_q + 4'(delivered);
      if (in_valid_i) given_q <= given_q + 4'(in_threads_i[0]) + 4'(in_threads_i[1]);
    end
  end
  always_ff @(posedge clk_i) if (came && pick_i && !followed_q && !done_q) value_q <= in_slot_i;

  always_comb begin
    if (rst_ni) begin
      if (turn_q) assert (slot == value_q);
      for (int unsigned t = 0; t < Threads; t++) assert (!can_recv[t] || owed_q[t] != '0);
      // In the rings is what was served and not received: never more than their usable places.
      assert (4'(given_q - served_q) <= owed_q[0] + owed_q[1]);
      assert (4'(owed_q[0] + owed_q[1] - (given_q - served_q)) <= 4'(Threads * (Places - 1)));
      // What is owed is in the buffer or can be received.
      if (given_q == served_q) for (int unsigned t = 0; t < Threads; t++) assert (can_recv[t] == (owed_q[t] != '0));
      assert (!stalled || !delivered);
    end
  end

  logic stalled_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) stalled_q <= 1'b0;
    else if (stalled && followed_q) stalled_q <= 1'b1;
  end
  always_comb begin
    if (Stalls) cover (rst_ni && stalled_q && done_q);
    cover (rst_ni && done_q && value_q == 2'd3 && owed_q == '0);
  end

endmodule

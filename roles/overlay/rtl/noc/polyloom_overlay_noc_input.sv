// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_noc_input: the buffer at an input of a router; shows the message at its head and then lets it go.
// How:          flits in a ring of LUT memory, read at once. What arbitration asks of a message (way, length) goes beside it
//               into a short queue whose end is a register, so arbiters start from registers.
//
//               wire --+--> ring of Flits ------------------> flit_o
//                      +--> queue of ways, lengths -> head_q -> head_*_o, grant_i
//               With Replay a message may leave more than once (stay_i with all grants but the last), or not at all (drop_i).
// Latency:      a first flit on the wire in cycle c can be granted in c+1.
// Throughput:   a flit a cycle; the next message (or the same again) can be granted in the cycle after a last flit, or after
//               drop_i.
// Backpressure: room_o: see polyloom_overlay_noc_room. A granted message leaves a flit a cycle and never stops.
// Order/loss:   in order, nothing lost; a message without room is an error of the writer (asserted).
// Reset:        emptied; the memories are not cleared.
// Limits:       flits of a message come in consecutive cycles (asserted), first with its way and length. Flits >= MaxFlits.
// Cost:         in UltraScale+ LUT memory 1 LUT for 1.75 bits of a flit up to 32 deep; see polyloom_overlay_router.
// Source:       Noc::Input in roles/overlay/sim/net/noc.h.   Tests: test_polyloom_overlay_noc_input.py;
//               proof: proofs.toml [overlay_input]
module polyloom_overlay_noc_input
  import polyloom_overlay_noc_pkg::*;
#(
    parameter int unsigned Flits = 0,  // that it holds
    parameter int unsigned MaxFlits = 0,  // of a message
    parameter int unsigned Ways = 1,  // outputs of the router
    parameter logic [Ways-1:0] Allowed = '1,  // those that a message from here may take
    parameter bit Replay = 1'b0,  // way_i may be no bit: what comes of the message is another's business
    parameter type T = logic  // a flit
) (
    input  logic            clk_i,
    input  logic            rst_ni,
    // From the wire
    input  logic            valid_i,
    input  logic            first_i,
    input  logic [     1:0] flits_i,       // of the message, - 1; with the first flit, as way_i
    input  logic [Ways-1:0] way_i,         // one bit: the output that it takes
    input  T                in_i,
    output logic            room_o,        // the longest message may be granted towards here in this cycle
    // To and from the outputs
    output logic            head_valid_o,  // a message waits for its grant
    output logic            head_long_o,   // it has more than one flit
    output logic [Ways-1:0] head_way_o,
    input  logic            grant_i,       // its first flit leaves in this cycle
    input  logic            stay_i,        // Replay: with grant_i: the message will be granted again
    input  logic            drop_i,        // Replay: the message that waits is done with
    output logic            ending_o,      // the last flit of a longer one leaves in this cycle
    output T                flit_o
);

  typedef logic [(Flits > 1 ? $clog2(Flits) : 1)-1:0] addr_t;
  typedef logic [$clog2(Flits+1)-1:0] count_t;
  typedef struct packed {
    logic [1:0]      flits;
    logic [Ways-1:0] way;
  } head_t;

  function automatic addr_t after(input addr_t addr);
    return addr == addr_t'(Flits - 1) ? '0 : addr_t'(plus_one(5'(addr)));
  endfunction

  // ---- flits ----

  T mem_q[Flits];
  addr_t write_q, read_q, read;
  logic [1:0] left_q, flits_q;  // of the message that leaves: flits after this cycle's, as head_t::flits
  logic leaving, stay, stay_q, drop, gone;  // gone: the next message becomes the head

  assign leaving = left_q != '0;
  assign ending_o = left_q == 2'd1;
  assign stay = Replay && stay_i;
  assign drop = Replay && drop_i;
  assign gone = (grant_i && !stay) || drop;
  assign flit_o = mem_q[read];

  always_ff @(posedge clk_i) if (valid_i) mem_q[write_q] <= in_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
    end else begin
      if (valid_i) write_q <= after(write_q);
      if (grant_i || leaving) read_q <= after(read);
    end
  end

  // ---- heads ----

  head_t head_mem_q[Flits];
  head_t head_q, arriving;
  addr_t head_write_q, head_read_q;
  count_t behind_q;  // messages in head_mem_q
  logic head_valid_q, arrive, next, push, pop, empty;

  assign arriving = '{flits: flits_i, way: way_i};
  assign arrive = valid_i && first_i;
  assign empty = behind_q == '0;
  assign next = !head_valid_q || gone;
  assign push = arrive && !(empty && next);
  assign pop = !empty && next;

  assign head_valid_o = head_valid_q && !leaving;
  assign head_long_o = head_q.flits != '0;
  assign head_way_o = head_q.way;

  always_ff @(posedge clk_i) begin
    if (push) head_mem_q[head_write_q] <= arriving;
    if (next) head_q <= empty ? arriving : head_mem_q[head_read_q];
    if (grant_i) begin
      flits_q <= head_q.flits;
      stay_q  <= stay;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_valid_q <= 1'b0;
      head_write_q <= '0;
      head_read_q  <= '0;
      behind_q     <= '0;
      left_q       <= '0;
    end else begin
      if (next) head_valid_q <= arrive || !empty;
      if (push) head_write_q <= after(head_write_q);
      if (pop) head_read_q <= after(head_read_q);
      if (push != pop) behind_q <= push ? behind_q + 1'b1 : behind_q - 1'b1;
      if (grant_i) left_q <= head_q.flits;
      else if (leaving) left_q <= left_q - 1'b1;
    end
  end

  // Where the head's first flit lies: to begin there again, or to go on behind a message that was dropped.
  if (Replay) begin : gen_replay
    addr_t start_mem_q[Flits];
    addr_t start_q;
    always_ff @(posedge clk_i) begin
      if (push) start_mem_q[head_write_q] <= write_q;
      if (next) start_q <= empty ? write_q : start_mem_q[head_read_q];
    end
    assign read = leaving ? read_q : start_q;
  end else begin : gen_once
    assign read = read_q;
  end

  polyloom_overlay_noc_room #(
      .Flits(Flits),
      .MaxFlits(MaxFlits)
  ) i_room (
      .clk_i,
      .rst_ni,
      .arrive_i      (arrive),
      .arrive_flits_i(flits_i),
      .leave_i       ((ending_o && !stay_q) || drop),
      .leave_flits_i (drop ? head_q.flits : flits_q),
      .leave_one_i   (grant_i && !stay && !head_long_o),
      .room_o
  );

  // ---- the writer's promises ----

  logic [1:0] coming_q;  // flits of the message on the wire that must follow

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      coming_q <= '0;
    end else begin
      if (arrive) coming_q <= flits_i;
      else if (coming_q != '0) coming_q <= coming_q - 1'b1;
      assert (!(grant_i || drop) || (head_valid_o && !(grant_i && drop)));
      assert (coming_q == '0 || (valid_i && !first_i))
      else $error("%m: a gap in a message");
      assert (coming_q != '0 || !valid_i || first_i)
      else $error("%m: a flit beyond the length of its message");
      assert (!arrive || ((Replay || way_i != '0) && (way_i & (way_i - 1'b1)) == '0 && (way_i & ~Allowed) == '0))
      else $error("%m: a message wants to go where none goes from here: outputs %b", way_i);
    end
  end

endmodule

// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_mailbox_sender: takes the cores' sends, in the order in which they came, and reads them out.
// How:          a request waits in its core's queue; a queue of sets of cores, one for each cycle in which a send came, keeps the
//               order between cores. A send starts when it is the oldest, the scratchpad has settled and the router has room for
//               the longest message; its flits are read in consecutive cycles.
//                   send --> [ core's queue ] --.
//                      '---> [ order ] ----------'--> start --> scratchpad --> out
// Latency:      a send that came in cycle C can start in C + 1; flit i of one that starts in s is on the wire in s + 1 + i.
// Throughput:   a flit a cycle; no bubble between messages.
// Backpressure: room_i is sampled in the cycle of a start. Cores are never stopped: a thread has one send outstanding, and one
//               that comes while it has is refused.
// Order/loss:   first come, first served; of one cycle the lower core first. Refused sends become events.
// Reset:        nothing is outstanding.
// Limits:       legal Cfg: polyloom_overlay_mailbox.
// Cost:         in polyloom_overlay_mailbox.
// Source:       own design; docs/sources/tinsel.md, 3.1.   Tests: test_polyloom_overlay_mailbox_sender.py
module polyloom_overlay_mailbox_sender
  import polyloom_overlay_pkg::*;
#(
    parameter cfg_t Cfg = TINY,
    localparam int unsigned Threads = Cfg.cores * Cfg.threads,
    localparam int unsigned SlotBits = $clog2(Cfg.mailbox_slots),
    localparam int unsigned CountBits = $clog2(Cfg.cores + 1)
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    input  logic        [           7:0] mesh_i,
    // Cores
    input  logic        [ Cfg.cores-1:0] send_valid_i,
    input  send_t       [ Cfg.cores-1:0] send_i,
    output logic        [   Threads-1:0] can_send_o,
    // Events
    output logic        [ Cfg.cores-1:0] bad_o,         // refused in this cycle
    output send_fault_e [ Cfg.cores-1:0] why_o,
    // In flight
    output logic        [ CountBits-1:0] accepted_o,    // sends accepted in this cycle
    // Scratchpad
    input  logic                         settled_i,
    output logic                         hold_o,        // cores must not store: a send waits for what they have stored
    output logic                         read_o,
    output logic        [SlotBits+2-1:0] raddr_o,
    input  logic        [ FLIT_BITS-1:0] flit_i,        // in the next cycle
    // Network
    output logic                         out_valid_o,
    output flit_t                        out_o,
    input  logic                         room_i,        // for the longest message
    output logic                         start_o,       // a message starts: for counters
    output logic                         idle_o         // none waits or is under way
);

  localparam int unsigned C = Cfg.cores;
  localparam int unsigned T = Cfg.threads;
  localparam int unsigned CoreBits = C > 1 ? $clog2(C) : 1;
  localparam int unsigned ThreadBits = T > 1 ? $clog2(T) : 1;

  typedef logic [(Threads > 1 ? $clog2(Threads) : 1)-1:0] index_t;

  typedef struct packed {
    logic [ThreadBits-1:0] thread;
    logic                  host;
    logic                  key;
    logic [DEST_BITS-1:0]  dest;
    logic [63:0]           mask;
    logic [SlotBits-1:0]   slot;
    logic [1:0]            flits;
  } request_t;

  // ---- requests ----

  logic [Threads-1:0] busy_q;
  logic [C-1:0] good, waiting, pop;
  request_t oldest[C];

  for (genvar c = 0; c < C; c++) begin : gen_core
    logic bad, host, key, ready;
    logic [T-1:0] own;
    request_t request;
    assign own = busy_q[c*T+:T];
    polyloom_overlay_mailbox_check #(
        .Cfg(Cfg)
    ) i_check (
        .valid_i(send_valid_i[c]),
        .send_i (send_i[c]),
        .busy_i (own[send_i[c].thread[ThreadBits-1:0]]),
        .mesh_i,
        .host_o (host),
        .key_o  (key),
        .bad_o  (bad),
        .why_o  (why_o[c])
    );
    assign good[c] = send_valid_i[c] && !bad;
    assign bad_o[c] = bad;
    assign request = '{
            thread: send_i[c].thread[ThreadBits-1:0],
            host: host,
            key: key,
            dest: send_i[c].dest,
            mask: send_i[c].mask,
            slot: send_i[c].slot[SlotBits-1:0],
            flits: send_i[c].flits[1:0]
        };
    polyloom_stream_lut_fifo #(
        .Width($bits(request_t)),
        .Depth(T)
    ) i_queue (
        .clk_i,
        .rst_ni,
        .flush_i    (1'b0),
        .in_valid_i (good[c]),
        .in_ready_o (ready),
        .in_i       (request),
        .out_valid_o(waiting[c]),
        .out_ready_i(pop[c]),
        .out_o      (oldest[c])
    );
    always_ff @(posedge clk_i) assert (!good[c] || ready);
  end

  always_comb begin
    accepted_o = '0;
    for (int unsigned c = 0; c < C; c++) accepted_o += CountBits'(good[c]);
  end

  // ---- which one is served ----

  logic ordered, order_ready, order_pop;
  logic [C-1:0] came, served_q, left;  // cores of the oldest cycle; those of them that have been served
  logic [CoreBits-1:0] core;
  polyloom_stream_lut_fifo #(
      .Width(C),
      .Depth(Threads)
  ) i_order (
      .clk_i,
      .rst_ni,
      .flush_i    (1'b0),
      .in_valid_i (good != '0),
      .in_ready_o (order_ready),
      .in_i       (good),
      .out_valid_o(ordered),
      .out_ready_i(order_pop),
      .out_o      (came)
  );
  assign left = came & ~served_q;
  always_comb begin
    core = '0;
    for (int unsigned i = 0; i < C; i++) if (left[C-1-i]) core = CoreBits'(C - 1 - i);
  end

  // ---- reading ----

  logic start, last;
  logic [1:0] left_q;  // flits still to be read
  logic [1:0] flit_q;  // the next one's number
  logic [SlotBits-1:0] slot_q;
  index_t thread_q, thread, done_thread;
  request_t head;
  assign head = oldest[core];
  assign thread = index_t'(core * T) | index_t'(head.thread);
  assign start = ordered && left_q == '0 && settled_i && room_i;
  assign read_o = start || left_q != '0;
  assign raddr_o = left_q != '0 ? {slot_q, flit_q} : {head.slot, 2'd0};
  assign last = start ? head.flits == '0 : left_q == 2'd1;
  assign done_thread = left_q != '0 ? thread_q : thread;
  assign start_o = start;
  for (genvar c = 0; c < C; c++) begin : gen_pop
    assign pop[c] = start && core == CoreBits'(c);
  end
  assign order_pop = start && (left & ~pop) == '0;

  logic room_q;
  assign hold_o = ordered && left_q == '0 && !settled_i && room_q;  // not room_i, which comes late in the cycle
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      served_q <= '0;
      left_q   <= '0;
      room_q   <= 1'b0;
    end else begin
      if (start) served_q <= order_pop ? '0 : served_q | pop;
      if (start) left_q <= head.flits;
      else if (left_q != '0) left_q <= left_q - 1'b1;
      room_q <= room_i;
    end
  end
  always_ff @(posedge clk_i) begin
    if (start) begin
      thread_q <= thread;
      slot_q   <= head.slot;
    end
    flit_q <= start ? 2'd1 : flit_q + 1'b1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) busy_q <= '0;
    else begin
      if (read_o && last) busy_q[done_thread] <= 1'b0;
      for (int unsigned c = 0; c < C; c++) begin
        if (good[c]) busy_q[index_t'(c*T)|index_t'(send_i[c].thread[ThreadBits-1:0])] <= 1'b1;
      end
    end
  end
  assign can_send_o = ~busy_q;
  assign idle_o = !ordered && left_q == '0;

  // ---- the wire ----

  logic valid_q, first_q, last_q;
  header_t header_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= read_o;
  end
  always_ff @(posedge clk_i) begin
    first_q <= start;
    last_q  <= last;
    if (start) begin
      if (head.key) header_q.kind <= KIND_KEY;
      else if (head.host) header_q.kind <= KIND_HOST;
      else header_q.kind <= (head.mask & (head.mask - 64'd1)) == '0 ? KIND_UNICAST : KIND_MASK;
      header_q.flits <= head.flits;
      header_q.dest  <= head.dest;
      header_q.mask  <= head.mask;
    end
  end
  assign out_valid_o = valid_q;
  assign out_o = '{first: first_q, last: last_q, header: header_q, data: flit_i};

  always_ff @(posedge clk_i) begin
    assert (good == '0 || order_ready);
    assert (!start || waiting[core]);
  end

  logic unused;
  assign unused = &{1'b0, send_i, waiting, order_ready};

endmodule

// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_muldiv_queue: takes the cores' requests for multiplication and division and grants one a cycle.
// How:          a FIFO for each core, of block RAM, so that operands take no LUTs; cores take turns, the next after the last
//               granted. What is not granted is zero behind the RAMs, so that an OR joins the cores.
// Latency:      a request of cycle C is granted in C + 1 at the earliest; its operation is there 3 cycles after the grant.
// Throughput:   one operation a cycle.
// Backpressure: none: a thread has one instruction in flight, so a FIFO of all threads of a core never overflows.
// Order/loss:   in order within a core; nothing lost.
// Reset:        empty; core 0 has the first turn. Requests are taken in the first cycle after reset.
// Limits:       as polyloom_overlay_muldiv.
// Cost:         see polyloom_overlay_muldiv.
// Source:       own design; the order is that of roles/overlay/sim/tile/unit_queue.h.
// Tests:        test_polyloom_overlay_muldiv_queue.py, overlay_fpu_rtl_test.cc, test_polyloom_overlay_fpu.py
module polyloom_overlay_muldiv_queue
  import polyloom_overlay_pkg::*;
  import polyloom_overlay_fpu_pkg::*;
#(
    parameter cfg_t Cfg = TINY
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,
    // From the cores
    input  logic     [Cfg.cores-1:0] req_valid_i,
    input  fpu_req_t [Cfg.cores-1:0] req_i,
    // To the units
    output logic                     valid_o,
    output muldiv_t                  operation_o
);

  localparam int unsigned PlaceBits = Cfg.threads > 1 ? $clog2(Cfg.threads) : 1;
  typedef logic [PlaceBits:0] place_t;

  typedef struct packed {
    logic [2:0]  op;
    logic [3:0]  thread;
    logic [31:0] a;
    logic [31:0] b;
  } entry_t;

  logic [Cfg.cores-1:0] waiting, accepted, granted_q;
  entry_t [Cfg.cores-1:0] read, head_q;

  for (genvar k = 0; k < Cfg.cores; k++) begin : gen_core
    place_t write_q, read_q;
    assign waiting[k] = write_q != read_q;

    polyloom_ram_1r1w #(
        .Width($bits(entry_t)),
        .Depth(512)              // so that it is a block RAM; a word a thread is used
    ) i_ram (
        .clk_i,
        .we_i   (req_valid_i[k]),
        .be_i   (1'b1),
        .waddr_i(9'(write_q[PlaceBits-1:0])),
        .wdata_i({req_i[k].op[2:0], req_i[k].thread, req_i[k].a, req_i[k].b}),
        .re_i   (1'b1),
        .raddr_i(9'(read_q[PlaceBits-1:0])),
        .rdata_o(read[k])
    );

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        write_q <= '0;
        read_q  <= '0;
      end else begin
        write_q <= write_q + place_t'(req_valid_i[k]);
        read_q  <= read_q + place_t'(accepted[k]);
        assert (!req_valid_i[k] || place_t'(write_q - read_q) < place_t'(Cfg.threads))
        else $error("%m: a core has more requests than threads");
      end
    end
    always_ff @(posedge clk_i) head_q[k] <= granted_q[k] ? read[k] : '0;

    logic unused;
    assign unused = ^{req_i[k].op[4:3], req_i[k].rm, req_i[k].c};
  end

  // One bit for each core that comes after the one granted last: of those that wait, the lowest in this set goes first.
  logic [Cfg.cores-1:0] later_q, later, candidates;
  assign later = waiting & later_q;
  assign candidates = later != '0 ? later : waiting;
  assign accepted = candidates & (~candidates + 1'b1);

  logic [1:0] core_d, core_q, core2_q;
  logic valid_q, valid2_q;
  always_comb begin
    core_d = '0;
    for (int unsigned k = 0; k < Cfg.cores; k++) if (accepted[k]) core_d |= 2'(k);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      later_q <= '0;
      granted_q <= '0;
      {valid_o, valid2_q, valid_q} <= '0;
    end else begin
      if (waiting != '0) later_q <= ~(accepted | (accepted - 1'b1));
      granted_q <= accepted;
      {valid_o, valid2_q, valid_q} <= {valid2_q, valid_q, waiting != '0};
    end
  end

  entry_t joined;
  always_comb begin
    joined = '0;
    for (int unsigned k = 0; k < Cfg.cores; k++) joined |= head_q[k];
  end
  always_ff @(posedge clk_i) begin
    core_q <= core_d;
    core2_q <= core_q;
    operation_o <= '{owner: '{core: core2_q, thread: joined.thread}, op: joined.op, a: joined.a, b: joined.b};
  end

endmodule

// SPDX-License-Identifier: Apache-2.0
// polyloom_axi_mux: two initiators share one memory port.
// How:          round-robin for addresses, reads apart from writes; write data follow in the order of the addresses.
//               Responses go back by the highest id bit, which holds the initiator (ByOrder = 0), or, for a memory that
//               responds in order and ignores ids, by a list of requesters (ByOrder = 1).
//                   in 0 --.              .--> AW, AR --.
//                           >-- arbiter --+-- who ------+--> out        B, R: out --> by id or list --> in 0 | in 1
//                   in 1 --'              '--> W -------'
// Latency:      AW, AR, B, R: 0 cycles (combinational). W: 1 cycle after its AW was taken, if no earlier data wait; then 0.
// Throughput:   one beat a cycle on each channel; bursts are not interleaved; with one-beat bursts one each cycle.
// Backpressure: valid to valid and ready to ready are combinational from side to side; put a spill register on either
//               side to cut. Addresses wait when Outstanding of them have no data (W) or, ByOrder, no response yet.
// Order/loss:   order of each initiator is the memory's; nothing lost. No deadlock: an address is passed on only with
//               a place in the lists, and data wait for nothing but the memory.
// Reset:        lists emptied. Takes addresses in the first cycle after reset.
// Limits:       Outstanding >= 2 (checked at elaboration). ByOrder = 0: the highest id bit of initiators is 0, also in their
//               responses; ByOrder = 1: ids are 0 (both asserted). Write data of a burst must not wait for its response.
// Cost:         Outstanding 8, by id: 466 LUT, 26 FF (UltraScale+); 243 ALM (Cyclone V); 494 LUT4 (ECP5), most of it the data
//               multiplexer. `polyloom synth axi_mux`, Yosys 0.70, 2026-11.
// Source:       own design; arbiter and FIFO from PULP common_cells.   Tests: test_polyloom_axi_mux.py, proofs.toml
module polyloom_axi_mux #(
    parameter bit ByOrder = 1'b0,  // route responses by order, not by id
    parameter int unsigned Outstanding = 8  // places of the lists of requesters
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    // From and to the two initiators
    input  polyloom_axi_pkg::req_t [1:0] in_req_i,
    output polyloom_axi_pkg::rsp_t [1:0] in_rsp_o,
    // To and from the memory
    output polyloom_axi_pkg::req_t       out_req_o,
    input  polyloom_axi_pkg::rsp_t       out_rsp_i
);

  import polyloom_axi_pkg::*;

  if (Outstanding < 2) begin : gen_bad_outstanding
    $error("%m: Outstanding %0d; at least 2", Outstanding);
  end

  // Write addresses.
  logic [1:0] aw_valid, aw_ready;
  ax_t [1:0] aw;
  logic aw_room, aw_who, aw_out_valid;
  ax_t aw_out;
  for (genvar i = 0; i < 2; i++) begin : gen_aw
    assign aw_valid[i] = in_req_i[i].aw_valid && aw_room;
    assign aw[i] = ByOrder ? in_req_i[i].aw : '{
            id: {1'(i), in_req_i[i].aw.id[ID_BITS-2:0]},
            addr: in_req_i[i].aw.addr,
            len: in_req_i[i].aw.len
        };
  end
  polyloom_axi_mux_arbiter i_aw (
      .clk_i,
      .rst_ni,
      .in_valid_i (aw_valid),
      .in_ready_o (aw_ready),
      .in_i       (aw),
      .out_valid_o(aw_out_valid),
      .out_ready_i(out_rsp_i.aw_ready),
      .out_o      (aw_out),
      .who_o      (aw_who)
  );

  // Read addresses.
  logic [1:0] ar_valid, ar_ready;
  ax_t [1:0] ar;
  logic ar_room, ar_who, ar_out_valid;
  ax_t ar_out;
  for (genvar i = 0; i < 2; i++) begin : gen_ar
    assign ar_valid[i] = in_req_i[i].ar_valid && ar_room;
    assign ar[i] = ByOrder ? in_req_i[i].ar : '{
            id: {1'(i), in_req_i[i].ar.id[ID_BITS-2:0]},
            addr: in_req_i[i].ar.addr,
            len: in_req_i[i].ar.len
        };
  end
  polyloom_axi_mux_arbiter i_ar (
      .clk_i,
      .rst_ni,
      .in_valid_i (ar_valid),
      .in_ready_o (ar_ready),
      .in_i       (ar),
      .out_valid_o(ar_out_valid),
      .out_ready_i(out_rsp_i.ar_ready),
      .out_o      (ar_out),
      .who_o      (ar_who)
  );

  // The input whose data come next.
  logic w_who_valid, w_who, w_room;
  logic w_out_valid, w_done;
  polyloom_axi_mux_list #(
      .Depth(Outstanding)
  ) i_w_list (
      .clk_i,
      .rst_ni,
      .push_i (aw_out_valid && out_rsp_i.aw_ready),
      .who_i  (aw_who),
      .room_o (w_room),
      .valid_o(w_who_valid),
      .who_o  (w_who),
      .pop_i  (w_done)
  );
  assign w_out_valid = w_who_valid && in_req_i[w_who].w_valid;
  assign w_done = w_out_valid && out_rsp_i.w_ready && in_req_i[w_who].w.last;

  // The input whose responses come next.
  logic b_who_valid, b_who, r_who_valid, r_who, b_done, r_done;
  assign b_done = out_rsp_i.b_valid && out_req_o.b_ready;
  assign r_done = out_rsp_i.r_valid && out_req_o.r_ready && out_rsp_i.r.last;

  if (ByOrder) begin : gen_by_order
    logic b_room, r_room;
    polyloom_axi_mux_list #(
        .Depth(Outstanding)
    ) i_b_list (
        .clk_i,
        .rst_ni,
        .push_i (aw_out_valid && out_rsp_i.aw_ready),
        .who_i  (aw_who),
        .room_o (b_room),
        .valid_o(b_who_valid),
        .who_o  (b_who),
        .pop_i  (b_done)
    );
    polyloom_axi_mux_list #(
        .Depth(Outstanding)
    ) i_r_list (
        .clk_i,
        .rst_ni,
        .push_i (ar_out_valid && out_rsp_i.ar_ready),
        .who_i  (ar_who),
        .room_o (r_room),
        .valid_o(r_who_valid),
        .who_o  (r_who),
        .pop_i  (r_done)
    );
    assign aw_room = w_room && b_room;
    assign ar_room = r_room;
  end else begin : gen_by_id
    assign b_who_valid = 1'b1;
    assign r_who_valid = 1'b1;
    assign b_who = out_rsp_i.b.id[ID_BITS-1];
    assign r_who = out_rsp_i.r.id[ID_BITS-1];
    assign aw_room = w_room;
    assign ar_room = 1'b1;
    logic unused;
    assign unused = ar_who ^ b_done ^ r_done;
  end

  localparam logic [ID_BITS-1:0] Reserved = ByOrder ? '1 : {1'b1, {(ID_BITS - 1) {1'b0}}};  // id bits that must be 0
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < 2; i++) begin
      assert (!rst_ni || !in_req_i[i].aw_valid || (in_req_i[i].aw.id & Reserved) == '0);
      assert (!rst_ni || !in_req_i[i].ar_valid || (in_req_i[i].ar.id & Reserved) == '0);
    end
  end

  always_comb begin
    out_req_o = '{
        aw_valid: aw_out_valid,
        aw: aw_out,
        w_valid: w_out_valid,
        w: in_req_i[w_who].w,
        b_ready: b_who_valid && in_req_i[b_who].b_ready,
        ar_valid: ar_out_valid,
        ar: ar_out,
        r_ready: r_who_valid && in_req_i[r_who].r_ready
    };
  end

  for (genvar i = 0; i < 2; i++) begin : gen_rsp
    always_comb begin
      in_rsp_o[i] = '{
          aw_ready: aw_ready[i] && aw_room,
          w_ready: w_who_valid && w_who == 1'(i) && out_rsp_i.w_ready,
          b_valid: b_who_valid && b_who == 1'(i) && out_rsp_i.b_valid,
          b: out_rsp_i.b,
          ar_ready: ar_ready[i] && ar_room,
          r_valid: r_who_valid && r_who == 1'(i) && out_rsp_i.r_valid,
          r: out_rsp_i.r
      };
      if (!ByOrder) begin
        in_rsp_o[i].b.id[ID_BITS-1] = 1'b0;
        in_rsp_o[i].r.id[ID_BITS-1] = 1'b0;
      end
    end
  end

endmodule

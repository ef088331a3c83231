// SPDX-License-Identifier: Apache-2.0
// axi_mux_proof: every stream that polyloom_axi_mux puts out keeps the handshake; responses reach requesters, data follow addresses.
// How: inputs are free streams that keep the handshake (assumed); a memory that responds in order counts what it owes each input.
module axi_mux_proof #(
    parameter bit ByOrder = 1'b0
) (
    input logic                         clk_i,
    input logic                         rst_ni,
    input polyloom_axi_pkg::req_t [1:0] in_req_i,
    input polyloom_axi_pkg::rsp_t       out_rsp_i
);

  import polyloom_axi_pkg::*;

  rsp_t [1:0] in_rsp;
  req_t out_req;

  polyloom_axi_mux #(
      .ByOrder    (ByOrder),
      .Outstanding(2)
  ) i_dut (
      .clk_i,
      .rst_ni,
      .in_req_i,
      .in_rsp_o (in_rsp),
      .out_req_o(out_req),
      .out_rsp_i
  );

  logic started = 1'b0;
  always_ff @(posedge clk_i) started <= 1'b1;
  always_comb begin
    if (!started) assume (!rst_ni);
    for (int unsigned i = 0; i < 2; i++) begin
      assume (ByOrder ? in_req_i[i].aw.id == '0 : !in_req_i[i].aw.id[ID_BITS-1]);
      assume (ByOrder ? in_req_i[i].ar.id == '0 : !in_req_i[i].ar.id[ID_BITS-1]);
    end
  end

  // From the initiators: assumed. To them: asserted.
  for (genvar i = 0; i < 2; i++) begin : gen_in
    polyloom_stream_checker #(
        .Width ($bits(ax_t)),
        .Assume(1'b1)
    ) i_aw (
        .clk_i,
        .rst_ni,
        .valid_i  (in_req_i[i].aw_valid),
        .ready_i  (in_rsp[i].aw_ready),
        .payload_i(in_req_i[i].aw)
    );
    polyloom_stream_checker #(
        .Width ($bits(w_t)),
        .Assume(1'b1)
    ) i_w (
        .clk_i,
        .rst_ni,
        .valid_i  (in_req_i[i].w_valid),
        .ready_i  (in_rsp[i].w_ready),
        .payload_i(in_req_i[i].w)
    );
    polyloom_stream_checker #(
        .Width ($bits(ax_t)),
        .Assume(1'b1)
    ) i_ar (
        .clk_i,
        .rst_ni,
        .valid_i  (in_req_i[i].ar_valid),
        .ready_i  (in_rsp[i].ar_ready),
        .payload_i(in_req_i[i].ar)
    );
    polyloom_stream_checker #(
        .Width($bits(b_t))
    ) i_b (
        .clk_i,
        .rst_ni,
        .valid_i  (in_rsp[i].b_valid),
        .ready_i  (in_req_i[i].b_ready),
        .payload_i(in_rsp[i].b)
    );
    polyloom_stream_checker #(
        .Width($bits(r_t))
    ) i_r (
        .clk_i,
        .rst_ni,
        .valid_i  (in_rsp[i].r_valid),
        .ready_i  (in_req_i[i].r_ready),
        .payload_i(in_rsp[i].r)
    );
  end

  // To the memory: asserted. From it: assumed.
  polyloom_stream_checker #(
      .Width($bits(ax_t))
  ) i_aw (
      .clk_i,
      .rst_ni,
      .valid_i  (out_req.aw_valid),
      .ready_i  (out_rsp_i.aw_ready),
      .payload_i(out_req.aw)
  );
  polyloom_stream_checker #(
      .Width($bits(w_t))
  ) i_w (
      .clk_i,
      .rst_ni,
      .valid_i  (out_req.w_valid),
      .ready_i  (out_rsp_i.w_ready),
      .payload_i(out_req.w)
  );
  polyloom_stream_checker #(
      .Width($bits(ax_t))
  ) i_ar (
      .clk_i,
      .rst_ni,
      .valid_i  (out_req.ar_valid),
      .ready_i  (out_rsp_i.ar_ready),
      .payload_i(out_req.ar)
  );
  polyloom_stream_checker #(
      .Width ($bits(b_t)),
      .Assume(1'b1)
  ) i_b (
      .clk_i,
      .rst_ni,
      .valid_i  (out_rsp_i.b_valid),
      .ready_i  (out_req.b_ready),
      .payload_i(out_rsp_i.b)
  );
  polyloom_stream_checker #(
      .Width ($bits(r_t)),
      .Assume(1'b1)
  ) i_r (
      .clk_i,
      .rst_ni,
      .valid_i  (out_rsp_i.r_valid),
      .ready_i  (out_req.r_ready),
      .payload_i(out_rsp_i.r)
  );

  // Read bursts asked for and not answered, by initiator and in all; the memory responds to only what was asked of it.
  logic [1:0][4:0] owed_q;
  logic [4:0] open_q;
  logic [1:0] requested, responded;
  for (genvar i = 0; i < 2; i++) begin : gen_count
    assign requested[i] = in_req_i[i].ar_valid && in_rsp[i].ar_ready;
    assign responded[i] = in_rsp[i].r_valid && in_req_i[i].r_ready && in_rsp[i].r.last;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) owed_q[i] <= '0;
      else owed_q[i] <= owed_q[i] + 5'(requested[i]) - 5'(responded[i]);
    end
  end
  logic ar_accepted, r_ended;
  assign ar_accepted = out_req.ar_valid && out_rsp_i.ar_ready;
  assign r_ended = out_rsp_i.r_valid && out_req.r_ready && out_rsp_i.r.last;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) open_q <= '0;
    else open_q <= open_q + 5'(ar_accepted) - 5'(r_ended);
  end

  always_comb begin
    if (rst_ni) begin
      assume (!out_rsp_i.r_valid || open_q != '0);
      if (!ByOrder) assume (!out_rsp_i.r_valid || owed_q[out_rsp_i.r.id[ID_BITS-1]] != '0);
      // One initiator at a time, and nothing is taken that is not passed on.
      assert (!(requested[0] && requested[1]));
      assert ((requested[0] || requested[1]) == ar_accepted);
      assert (!ar_accepted || (requested[1] ? out_req.ar.addr == in_req_i[1].ar.addr : out_req.ar.addr == in_req_i[0].ar.addr));
      assert (owed_q[0] + owed_q[1] == open_q);
      for (int unsigned i = 0; i < 2; i++) assert (!in_rsp[i].r_valid || owed_q[i] != '0);
      assert (!(in_rsp[0].w_ready && in_rsp[1].w_ready));
      cover (responded[0] && owed_q[1] != '0);
      cover (responded[1] && owed_q[0] == 5'd1);
      cover (in_req_i[1].w_valid && in_rsp[1].w_ready && in_req_i[1].w.last);
    end
  end

endmodule

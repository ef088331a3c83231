// SPDX-License-Identifier: Apache-2.0
// stream_fifo_proof: order, no loss, no invention, no bubble and the handshake of polyloom_stream_ram_fifo (Ram = 1) and
// polyloom_stream_lut_fifo (Ram = 0).
// How: one beat of the stream, picked freely, is followed by its distance to the output; when it gets there the output must
// be its payload. As any beat may be picked, this holds for all.
module stream_fifo_proof #(
    parameter bit Ram = 1,
    parameter int unsigned Width = 2,
    parameter int unsigned Depth = 3
) (
    input logic             clk_i,
    input logic             rst_ni,
    input logic             flush_i,
    input logic             in_valid_i,
    input logic [Width-1:0] in_i,
    input logic             out_ready_i,
    input logic             pick_i
);

  localparam int unsigned CountWidth = $clog2(Depth + 1);

  logic in_ready, out_valid;
  logic [Width-1:0] out;
  logic [CountWidth-1:0] usage, held_q;

  if (Ram) begin : gen_ram
    polyloom_stream_ram_fifo #(
        .Width(Width),
        .Depth(Depth)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .flush_i,
        .in_valid_i,
        .in_ready_o (in_ready),
        .in_i,
        .out_valid_o(out_valid),
        .out_ready_i,
        .out_o      (out),
        .usage_o    (usage)
    );
  end else begin : gen_lut
    polyloom_stream_lut_fifo #(
        .Width(Width),
        .Depth(Depth)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .flush_i,
        .in_valid_i,
        .in_ready_o (in_ready),
        .in_i,
        .out_valid_o(out_valid),
        .out_ready_i,
        .out_o      (out)
    );
    assign usage = held_q;  // it does not tell
  end

  polyloom_stream_checker #(
      .Width (Width),
      .Assume(1'b1)
  ) i_in (
      .clk_i,
      .rst_ni,
      .valid_i  (in_valid_i),
      .ready_i  (in_ready),
      .payload_i(in_i)
  );

  // A flush takes back what is offered.
  logic flush_q;
  always_ff @(posedge clk_i) flush_q <= flush_i;

  polyloom_stream_checker #(
      .Width(Width)
  ) i_out (
      .clk_i,
      .rst_ni   (rst_ni && !flush_q),
      .valid_i  (out_valid),
      .ready_i  (out_ready_i),
      .payload_i(out)
  );

  // The reset comes first.
  logic started = 1'b0;
  always_ff @(posedge clk_i) started <= 1'b1;
  always_comb if (!started) assume (!rst_ni);

  logic push, pop;
  assign push = in_valid_i && in_ready;
  assign pop  = out_valid && out_ready_i;

  // The picked beat: picked once, `ahead` beats before it.
  logic followed_q, done_q;
  logic [CountWidth-1:0] ahead_q;
  logic [Width-1:0] value_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      followed_q <= 1'b0;
      done_q     <= 1'b0;
      ahead_q    <= '0;
      held_q     <= '0;
    end else if (flush_i) begin
      followed_q <= 1'b0;
      ahead_q    <= '0;
      held_q     <= '0;
    end else begin
      held_q <= held_q + CountWidth'(push) - CountWidth'(pop);
      if (push && pick_i && !followed_q && !done_q) begin
        followed_q <= 1'b1;
        ahead_q    <= held_q - CountWidth'(pop);
      end else if (followed_q && pop) begin
        ahead_q <= ahead_q - 1'b1;
        if (ahead_q == '0) begin
          followed_q <= 1'b0;
          done_q     <= 1'b1;
        end
      end
    end
  end

  always_ff @(posedge clk_i) if (push && pick_i && !followed_q && !done_q) value_q <= in_i;
  logic flushed_q;  // a flush has emptied a full one
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) flushed_q <= 1'b0;
    else if (flush_i && !in_ready) flushed_q <= 1'b1;
  end

  always_comb begin
    if (rst_ni) begin
      assert (usage == held_q);
      assert (held_q <= CountWidth'(Depth));
      assert (in_ready == (held_q != CountWidth'(Depth)));
      assert (out_valid == (held_q != '0));  // no bubble
      if (followed_q) assert (ahead_q < held_q);
      if (followed_q && ahead_q == '0 && out_valid) assert (out == value_q);
    end
  end

  // Full is reached, and a followed beat comes through a FIFO that was full.
  logic was_full_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) was_full_q <= 1'b0;
    else if (followed_q && !in_ready) was_full_q <= 1'b1;
  end
  always_comb begin
    cover (rst_ni && was_full_q && done_q);
    cover (rst_ni && flushed_q && done_q);
    cover (rst_ni && done_q && held_q == '0 && value_q == '1);
  end

endmodule

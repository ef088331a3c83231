// SPDX-License-Identifier: Apache-2.0
// polyloom_stream_ram_fifo: a deep FIFO in block RAM whose oldest beat stands at the output without a request.
// How:          the RAM's output register and one more register make a spill register that reads ahead. A beat that
//               finds everything empty, or the last beat leaving, goes into the register directly, past the RAM.
//                             .-------------- direct --------------.
//                   in --+----+--> [ RAM ] --> [ RAM's output ] -+-+--> [ spare ] --+--> out
//                                                                 '----------------'
//               Of Depth 2 the registers alone are enough, so there is no RAM.
// Latency:      1 cycle from an accepted beat to a valid output if the FIFO is empty; never more than the beats before it take.
// Throughput:   one beat a cycle in and out, also together; no bubble after a stall.
// Backpressure: in_ready_o falls when Depth beats are held; it depends on registers only, as do out_valid_o and out_o:
//               no combinational path from an input to an output. A full FIFO does not take in the cycle of a pop.
// Order/loss:   in order, nothing lost.
// Reset:        emptied; beats are not cleared. Takes the first beat in the first cycle after reset. flush_i does the same
//               at an edge; a beat that is offered in that cycle is lost too.
// Limits:       Depth >= 2, any number (checked at elaboration).
// Cost:         128 x 289 bits: 614 LUT, 321 FF, 4.5 BRAM36 (UltraScale+); 317 ALM, 8 M10K (Cyclone V); 668 LUT4, 9 EBR,
//               120 MHz (ECP5 speed 6). `polyloom synth stream_ram_fifo`, Yosys 0.70, nextpnr 0.11, 2026-11.
// Source:       own design.   Tests: test_polyloom_stream_ram_fifo.py; proof: formal/proofs.toml [stream_ram_fifo]
module polyloom_stream_ram_fifo #(
    parameter int unsigned Width = 1,  // bits of the payload; not used if T is given
    parameter type T = logic [Width-1:0],  // payload
    parameter int unsigned Depth = 0,  // beats it holds
    localparam int unsigned UsageWidth = $clog2(Depth + 1)
) (
    input  logic                  clk_i,
    input  logic                  rst_ni,
    input  logic                  flush_i,      // empties it
    // From the writer
    input  logic                  in_valid_i,
    output logic                  in_ready_o,
    input  T                      in_i,
    // To the reader
    output logic                  out_valid_o,
    input  logic                  out_ready_i,
    output T                      out_o,
    // For counters: beats held
    output logic [UsageWidth-1:0] usage_o
);

  typedef logic [UsageWidth-1:0] usage_t;

  if (Depth < 2) begin : gen_bad_depth
    $error("%m: Depth %0d; at least 2", Depth);
  end

  logic push, pop;
  usage_t usage_q;  // beats held in all
  assign push = in_valid_i && in_ready_o;
  assign pop = out_valid_o && out_ready_i;
  assign in_ready_o = usage_q != usage_t'(Depth);
  assign usage_o = usage_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) usage_q <= '0;
    else if (flush_i) usage_q <= '0;
    else usage_q <= usage_q + usage_t'(push) - usage_t'(pop);
  end

  if (Depth == 2) begin : gen_registers
    T head_q, next_q;
    assign out_valid_o = usage_q != '0;
    assign out_o = head_q;
    always_ff @(posedge clk_i) begin
      if (pop || usage_q == '0) head_q <= usage_q[1] ? next_q : in_i;
      if (push) next_q <= in_i;
    end
  end else begin : gen_ram
    localparam int unsigned AddrWidth = $clog2(Depth);
    typedef logic [AddrWidth-1:0] addr_t;

    usage_t stored_q, stored_d;  // beats in the RAM and not yet read
    addr_t waddr_q, raddr_q;
    logic fetched_q, fetched_d;  // the RAM's output register holds the next beat (after the spare one)
    logic spare_valid_q, spare_valid_d;
    T spare_q, fetched;

    logic direct, write, read, keep;
    // Nothing stays before the new beat: what the registers hold (the spare one's is older) leaves now, if anything.
    assign direct = push && stored_q == '0 && (fetched_q ? !spare_valid_q && pop : !spare_valid_q || pop);
    assign write = push && !direct;
    assign read = stored_q != '0 && !(fetched_q && spare_valid_q);
    assign keep = fetched_q && !spare_valid_q && !pop;  // the RAM's output must move on: the next read replaces it

    assign fetched_d = read || (fetched_q && spare_valid_q);
    assign spare_valid_d = direct || keep || (spare_valid_q && !pop);
    assign stored_d = stored_q + usage_t'(write) - usage_t'(read);

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        stored_q      <= '0;
        waddr_q       <= '0;
        raddr_q       <= '0;
        fetched_q     <= 1'b0;
        spare_valid_q <= 1'b0;
      end else if (flush_i) begin
        stored_q      <= '0;
        waddr_q       <= '0;
        raddr_q       <= '0;
        fetched_q     <= 1'b0;
        spare_valid_q <= 1'b0;
      end else begin
        stored_q      <= stored_d;
        fetched_q     <= fetched_d;
        spare_valid_q <= spare_valid_d;
        if (write) waddr_q <= waddr_q == addr_t'(Depth - 1) ? '0 : waddr_q + 1'b1;
        if (read) raddr_q <= raddr_q == addr_t'(Depth - 1) ? '0 : raddr_q + 1'b1;
      end
    end

    always_ff @(posedge clk_i) begin
      if (direct) spare_q <= in_i;
      else if (keep) spare_q <= fetched;
    end

    polyloom_ram_1r1w #(
        .Width($bits(T)),
        .Depth(Depth)
    ) i_ram (
        .clk_i,
        .we_i   (write),
        .be_i   (1'b1),
        .waddr_i(waddr_q),
        .wdata_i(in_i),
        .re_i   (read),
        .raddr_i(raddr_q),
        .rdata_o(fetched)
    );

    assign out_valid_o = fetched_q || spare_valid_q;
    assign out_o = spare_valid_q ? spare_q : fetched;
  end

endmodule

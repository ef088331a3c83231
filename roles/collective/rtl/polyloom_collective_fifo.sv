// SPDX-License-Identifier: Apache-2.0
// polyloom_collective_fifo: a queue of beats whose first entry is seen one cycle after it came, at any depth.
// How:          a RAM with a registered read port behind two output registers. A word that comes while nothing waits
//               in the RAM goes straight to an output register; else the RAM refills the registers, one read ahead.
// Latency:      one cycle from push to valid_o, at any depth.
// Throughput:   one a cycle, in and out at once.
// Backpressure: ready_o is a register bit (room in the whole); no path from ready_i to ready_o or valid_i to valid_o.
// Order/loss:   first in, first out; a push without ready_o is ignored (the caller reports it).
// Reset:        rst_ni and flush_i empty it; stored data are not cleared.
// Limits:       Depth 2..65536 counts output registers too; Width >= 1.
// Cost:         3 * Width FF and the RAM; Depth 2 has no RAM.
// Source: own design.   Tests: rtl_engine.cc (as every buffer of the engine, with random stalls).
module polyloom_collective_fifo #(
    parameter  int unsigned Width  = 0,
    parameter  int unsigned Depth  = 0,
    localparam int unsigned CountW = $clog2(Depth + 1)
) (
    input  logic              clk_i,
    input  logic              rst_ni,
    input  logic              flush_i,
    // in
    input  logic              valid_i,
    output logic              ready_o,
    input  logic [ Width-1:0] data_i,
    // out
    output logic              valid_o,
    input  logic              ready_i,
    output logic [ Width-1:0] data_o,
    output logic [CountW-1:0] count_o   // entries held
);
  if (Width < 1 || Depth < 2 || Depth > 65536) begin : gen_bad
    $fatal(1, "%m: Width >= 1 and Depth 2..65536 are legal");
  end

  logic push, pop;
  logic [CountW-1:0] count_q;
  logic full_q;
  logic [1:0] out_valid_q;  // out_valid_q[0]: head
  logic [Width-1:0] out0_q, out1_q;

  assign push = valid_i && !full_q;
  assign pop = valid_o && ready_i;
  assign ready_o = !full_q;
  assign valid_o = out_valid_q[0];
  assign data_o = out0_q;
  assign count_o = count_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
      full_q  <= 1'b0;
    end else if (flush_i) begin
      count_q <= '0;
      full_q  <= 1'b0;
    end else begin
      count_q <= count_q + CountW'(push) - CountW'(pop);
      full_q  <= (count_q == CountW'(Depth) && !pop) || (count_q == CountW'(Depth - 1) && push && !pop);
    end
  end

  // A word to append to the output registers in this cycle.
  logic             fill;
  logic [Width-1:0] fill_data;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) out_valid_q <= '0;
    else if (flush_i) out_valid_q <= '0;
    else begin
      unique case ({
        fill, pop
      })
        2'b10:   out_valid_q <= {out_valid_q[0], 1'b1};
        2'b01:   out_valid_q <= {1'b0, out_valid_q[1]};
        default: ;  // both: as many as before
      endcase
    end
  end
  always_ff @(posedge clk_i) begin
    if (pop && out_valid_q[1]) out0_q <= out1_q;
    else if (pop || !out_valid_q[0]) out0_q <= fill_data;
    if (pop || !out_valid_q[1]) out1_q <= fill_data;
  end

  if (Depth == 2) begin : gen_registers
    assign fill = push;
    assign fill_data = data_i;
  end else begin : gen_ram
    localparam int unsigned RamDepth = Depth - 2;
    localparam int unsigned PtrW = RamDepth > 1 ? $clog2(RamDepth) : 1;
    logic [Width-1:0] ram[RamDepth];
    logic [Width-1:0] ram_q;  // the RAM's read register
    logic ram_valid_q;
    logic [PtrW-1:0] wr_q, rd_q;
    logic [CountW-1:0] ram_count_q;  // in the RAM, not yet read
    logic bypass, ram_read, room;

    // The read register counts as an output place: it moves on as soon as a register is free.
    assign room = !(&out_valid_q) || pop;
    assign bypass = push && !ram_valid_q && ram_count_q == '0 && room;
    assign fill = bypass || (ram_valid_q && room);
    assign fill_data = ram_valid_q ? ram_q : data_i;
    assign ram_read = ram_count_q != '0 && (!ram_valid_q || room);

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        ram_valid_q <= 1'b0;
        wr_q <= '0;
        rd_q <= '0;
        ram_count_q <= '0;
      end else if (flush_i) begin
        ram_valid_q <= 1'b0;
        wr_q <= '0;
        rd_q <= '0;
        ram_count_q <= '0;
      end else begin
        if (ram_read) ram_valid_q <= 1'b1;
        else if (room) ram_valid_q <= 1'b0;
        if (push && !bypass) wr_q <= (wr_q == PtrW'(RamDepth - 1)) ? '0 : wr_q + 1'b1;
        if (ram_read) rd_q <= (rd_q == PtrW'(RamDepth - 1)) ? '0 : rd_q + 1'b1;
        ram_count_q <= ram_count_q + CountW'(push && !bypass) - CountW'(ram_read);
      end
    end
    always_ff @(posedge clk_i) begin
      if (push && !bypass) ram[wr_q] <= data_i;
      if (ram_read) ram_q <= ram[rd_q];
    end
  end
endmodule

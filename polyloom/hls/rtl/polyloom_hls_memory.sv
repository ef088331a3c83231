// SPDX-License-Identifier: Apache-2.0
// polyloom_hls_memory: the RAM of one object of a kernel: two ports for the kernel, the second shared with DMA.
// How:          a true dual-port RAM of 64-bit words with byte enables. The kernel's addresses are of bytes: data are
//               moved to and from their lane here. What the kernel has read stands while it is stalled, also when DMA
//               uses the port in between:
//                   a ----------------> [ port A       ] --> lane --> a_rdata
//                   b ----> dma or b -> [ port B       ] --+--> fresh or held --> lane --> b_rdata
//                   dma --'                                '--> dma_rdata
// Latency:      read: data follow the address by one cycle of the kernel (advance_i), for DMA by one cycle.
// Throughput:   two accesses a cycle.
// Backpressure: none here; the kernel does not advance in a cycle in which it wants port B and DMA has it (asserted).
// Order/loss:   a read sees all writes of earlier cycles. A read of the word that the other port writes in the same
//               cycle gives undefined data: the scheduler keeps such accesses apart (asserted); DMA's user does.
// Reset:        none; the contents are those of the configuration.
// Limits:       Words >= 2; accesses do not cross a word; addresses beyond Words give undefined data and write nothing.
// Cost:         Words x 64 bits of block RAM, 128 flops, lane multiplexers of 64 bits.
// Source:       own design, vendors' inference templates.   Tests: test_polyloom_hls_memory.py
module polyloom_hls_memory #(
    parameter int unsigned Words = 0,  // of 64 bits
    parameter int unsigned InitWords = 1,  // so many words have initial values; the others are zero
    parameter logic [InitWords*64-1:0] Init = '0,  // initial values, the first word lowest
    localparam int unsigned WordBits = $clog2(Words),
    localparam int unsigned AddrWidth = WordBits + 3
) (
    input  logic                 clk_i,
    input  logic                 advance_i,    // the kernel goes on to its next cycle
    // The kernel, port A
    input  logic                 a_en_i,
    input  logic                 a_we_i,
    input  logic [AddrWidth-1:0] a_addr_i,
    input  logic [          7:0] a_be_i,       // bytes from the address on
    input  logic [         63:0] a_wdata_i,    // lowest byte to the address
    output logic [         63:0] a_rdata_o,    // lowest byte from the address
    // The kernel, port B
    input  logic                 b_en_i,
    input  logic                 b_we_i,
    input  logic [AddrWidth-1:0] b_addr_i,
    input  logic [          7:0] b_be_i,
    input  logic [         63:0] b_wdata_i,
    output logic [         63:0] b_rdata_o,
    // DMA, on port B
    input  logic                 dma_en_i,
    input  logic                 dma_we_i,
    input  logic [ WordBits-1:0] dma_word_i,
    input  logic [          7:0] dma_be_i,
    input  logic [         63:0] dma_wdata_i,
    output logic [         63:0] dma_rdata_o
);

  if (Words < 2) begin : gen_bad_words
    $error("%m: Words %0d; at least 2", Words);
  end

  (* no_rw_check *)
  logic [63:0] memory[Words];

  initial begin
    memory = '{default: '0};
    for (int unsigned i = 0; i < InitWords; i++) memory[i] = Init[i*64+:64];
  end

  // Port A
  logic a_use;
  logic [7:0] a_be;
  logic [63:0] a_wdata, a_word;
  logic [2:0] a_lane_q;

  assign a_use = a_en_i && advance_i;
  assign a_be = a_we_i ? a_be_i << a_addr_i[2:0] : '0;
  assign a_wdata = a_wdata_i << {a_addr_i[2:0], 3'b0};

  // two processes, each a port: the form that synthesis takes for true dual-port RAM
  always @(posedge clk_i) begin
    if (a_use) begin
      for (int unsigned i = 0; i < 8; i++) begin
        if (a_be[i]) memory[a_addr_i[AddrWidth-1:3]][i*8+:8] <= a_wdata[i*8+:8];
      end
      a_word <= memory[a_addr_i[AddrWidth-1:3]];
    end
  end

  always_ff @(posedge clk_i) begin
    if (a_use) a_lane_q <= a_addr_i[2:0];
  end

  assign a_rdata_o = a_word >> {a_lane_q, 3'b0};

  // Port B
  logic b_use, fresh_q;
  logic [WordBits-1:0] b_at;
  logic [7:0] b_be;
  logic [63:0] b_wdata, b_word, b_held_q, b_seen;
  logic [2:0] b_lane_q;

  assign b_use = b_en_i && advance_i;
  assign b_at = dma_en_i ? dma_word_i : b_addr_i[AddrWidth-1:3];
  assign b_wdata = dma_en_i ? dma_wdata_i : b_wdata_i << {b_addr_i[2:0], 3'b0};

  always_comb begin
    b_be = '0;
    if (dma_en_i) b_be = dma_we_i ? dma_be_i : '0;
    else if (b_we_i) b_be = b_be_i << b_addr_i[2:0];
  end

  always @(posedge clk_i) begin
    if (dma_en_i || b_use) begin
      for (int unsigned i = 0; i < 8; i++) begin
        if (b_be[i]) memory[b_at][i*8+:8] <= b_wdata[i*8+:8];
      end
      b_word <= memory[b_at];
    end
  end

  always_ff @(posedge clk_i) begin
    fresh_q <= b_use;
    if (fresh_q) b_held_q <= b_word;
    if (b_use) b_lane_q <= b_addr_i[2:0];
    assert (!(dma_en_i && b_use));
    assert (!(a_use && b_use && (a_we_i || b_we_i) && b_at == a_addr_i[AddrWidth-1:3]));
  end

  assign b_seen = fresh_q ? b_word : b_held_q;
  assign b_rdata_o = b_seen >> {b_lane_q, 3'b0};
  assign dma_rdata_o = b_word;

endmodule

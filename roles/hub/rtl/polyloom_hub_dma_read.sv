// SPDX-License-Identifier: Apache-2.0
// polyloom_hub_dma_read: reads of the DMA, from the on-board memory (AXI4) or through N (MRd, CplD), in order.
// How:          request --+--> AR ----> memory --> R, first beat shifted to byte 0 --+--> [ data ] --> write side
//                         '--> MRd ---> N      --> CplD -----------------------------+--> [ descriptor ]
//               Room for all its data is kept before a read begins, so nothing that comes back ever waits. Data of the
//               memory and of N are not under way together, so that their order is the order of requests; descriptors may be.
// Latency:      request at edge k: AR or MRd valid before edge k + 1. Beat from outside at edge k: data valid before k + 1.
// Throughput:   a request a cycle, a beat a cycle.
// Backpressure: request_ready_o falls when `tags` reads are under way or not yet taken by the write side.
// Order/loss:   in order; responses from N must come in the order of the reads.
// Reset:        nothing under way.
// Limits:       1 <= request_bytes_i <= 512 and not across a multiple of 512; completions but the last of a read carry
//               multiples of 16 bytes (so they fit the room that is kept).
// Cost:         see polyloom_hub_node.
// Source: own design.   Tests: test_polyloom_hub_dma_read.py.
module polyloom_hub_dma_read
  import polyloom_hub_pkg::*;
#(
    parameter cfg_t Cfg = SMALL
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,
    // From control and walk
    input  logic                     request_valid_i,
    output logic                     request_ready_o,
    input  logic        [ADDR_W-1:0] request_address_i,
    input  logic        [       9:0] request_bytes_i,
    input  logic                     request_fetch_i,    // a descriptor
    // To the on-board memory
    output logic                     mem_ar_valid_o,
    input  logic                     mem_ar_ready_i,
    output logic        [      39:0] mem_ar_addr_o,
    output logic        [       7:0] mem_ar_len_o,
    input  logic                     mem_r_valid_i,
    output logic                     mem_r_ready_o,
    input  logic        [     127:0] mem_r_data_i,
    input  logic                     mem_r_last_i,
    // To N
    output logic                     mrd_valid_o,
    input  logic                     mrd_ready_i,
    output beat_t                    mrd_o,
    // From N, by the local unit
    input  logic                     reads_header_i,
    input  logic        [       7:0] reads_tag_i,
    output logic                     reads_expected_o,
    input  logic                     reads_valid_i,
    input  logic                     reads_final_i,
    input  logic                     reads_bad_i,
    input  beat_t                    reads_i,
    // To the write side
    output logic                     data_valid_o,
    input  logic                     data_ready_i,
    output read_beat_t               data_o,
    // To control: a descriptor, for one cycle
    output logic                     fetch_valid_o,
    output logic                     fetch_bad_o,
    output descriptor_t              fetch_o,
    output logic                     idle_o
);
  localparam int unsigned Beats = Cfg.tags * READ_BYTES / BEAT_BYTES;
  localparam int unsigned CountW = $clog2(Cfg.tags + 1);
  typedef struct packed {
    logic       fetch;
    logic [3:0] shift;
    logic [9:0] bytes;
  } order_t;

  logic to_memory, accept, memory_kind_q, fetch_open_q;
  logic [CountW-1:0] open_q;  // reads of data not yet taken to their end
  logic ar_ready, ar_order_ready, mrd_ready, mrd_order_ready, room;
  assign to_memory = request_address_i[34:33] == 2'd3;
  assign room = request_fetch_i ? !fetch_open_q
      : open_q != CountW'(Cfg.tags) && (open_q == '0 || memory_kind_q == to_memory);
  assign request_ready_o = room && (to_memory ? ar_ready && ar_order_ready : mrd_ready && mrd_order_ready);
  assign accept = request_valid_i && request_ready_o;

  // To the memory, and back.
  logic [5:0] beats;
  order_t memory_head;
  logic memory_open, memory_first_q, memory_end;
  logic [9:0] memory_left_q, memory_left;
  read_beat_t memory_beat;
  assign beats = 6'((11'(request_address_i[3:0]) + 11'(request_bytes_i) + 11'd15) >> 4);
  polyloom_stream_lut_fifo #(
      .Width(48),
      .Depth(2)
  ) i_ar (
      .clk_i,
      .rst_ni,
      .flush_i    (1'b0),
      .in_valid_i (accept && to_memory),
      .in_ready_o (ar_ready),
      .in_i       ({8'd0, request_address_i[31:4], 4'd0, 8'(beats - 6'd1)}),
      .out_valid_o(mem_ar_valid_o),
      .out_ready_i(mem_ar_ready_i),
      .out_o      ({mem_ar_addr_o, mem_ar_len_o})
  );
  polyloom_stream_lut_fifo #(
      .T    (order_t),
      .Depth(Cfg.tags + 1)
  ) i_memory_order (
      .clk_i,
      .rst_ni,
      .flush_i    (1'b0),
      .in_valid_i (accept && to_memory),
      .in_ready_o (ar_order_ready),
      .in_i       ({request_fetch_i, request_address_i[3:0], request_bytes_i}),
      .out_valid_o(memory_open),
      .out_ready_i(mem_r_valid_i && mem_r_last_i),
      .out_o      (memory_head)
  );
  assign mem_r_ready_o = 1'b1;
  assign memory_left   = memory_first_q ? memory_head.bytes : memory_left_q;
  always_comb begin
    logic [3:0] shift;
    logic [4:0] whole;
    shift = memory_first_q ? memory_head.shift : 4'd0;
    whole = 5'd16 - {1'b0, shift};
    memory_end = memory_left <= 10'(whole);
    memory_beat.final_beat = memory_end;
    memory_beat.bad = 1'b0;
    memory_beat.top = memory_end ? 4'(memory_left - 10'd1) : 4'(whole - 5'd1);
    memory_beat.data = mem_r_data_i >> {shift, 3'b000};
  end

  // To N, and back.
  header_t mrd;
  logic [7:0] tag_q, expected_tag;
  logic north_open, north_fetch, north_end;
  read_beat_t north_beat;
  assign mrd = '{
          address: 64'(request_address_i),
          length: 32'(request_bytes_i),
          zero: '0,
          tag: tag_q,
          reserved: '0,
          poisoned: 1'b0,
          kind: TYPE_READ
      };
  polyloom_stream_lut_fifo #(
      .T    (beat_t),
      .Depth(2)
  ) i_mrd (
      .clk_i,
      .rst_ni,
      .flush_i    (1'b0),
      .in_valid_i (accept && !to_memory),
      .in_ready_o (mrd_ready),
      .in_i       ({1'b1, 4'd15, mrd}),
      .out_valid_o(mrd_valid_o),
      .out_ready_i(mrd_ready_i),
      .out_o      (mrd_o)
  );
  polyloom_stream_lut_fifo #(
      .Width(9),
      .Depth(Cfg.tags + 1)
  ) i_north_order (
      .clk_i,
      .rst_ni,
      .flush_i    (1'b0),
      .in_valid_i (accept && !to_memory),
      .in_ready_o (mrd_order_ready),
      .in_i       ({request_fetch_i, tag_q}),
      .out_valid_o(north_open),
      .out_ready_i(reads_valid_i && north_end),
      .out_o      ({north_fetch, expected_tag})
  );
  assign reads_expected_o = reads_header_i && north_open && expected_tag == reads_tag_i;
  assign north_end = reads_final_i && reads_i.last;
  assign north_beat = '{final_beat: north_end, bad: reads_bad_i, top: reads_i.top, data: reads_i.data};

  // Data, or a part of a descriptor.
  logic memory_data, north_data, memory_fetch_beat, north_fetch_beat, data_ready;
  logic [$clog2(Beats+1)-1:0] unused_usage;
  assign memory_data = mem_r_valid_i && !memory_head.fetch;
  assign north_data = reads_valid_i && !north_fetch;
  assign memory_fetch_beat = mem_r_valid_i && memory_head.fetch;
  assign north_fetch_beat = reads_valid_i && north_fetch;
  polyloom_stream_ram_fifo #(
      .T    (read_beat_t),
      .Depth(Beats)
  ) i_data (
      .clk_i,
      .rst_ni,
      .flush_i    (1'b0),
      .in_valid_i (memory_data || north_data),
      .in_ready_o (data_ready),
      .in_i       (memory_data ? memory_beat : north_beat),
      .out_valid_o(data_valid_o),
      .out_ready_i(data_ready_i),
      .out_o      (data_o),
      .usage_o    (unused_usage)
  );

  logic data_done;
  assign data_done = data_valid_o && data_ready_i && data_o.final_beat;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q <= '0;
      fetch_open_q <= 1'b0;
      fetch_valid_o <= 1'b0;
      fetch_bad_o <= 1'b0;
      memory_first_q <= 1'b1;
      memory_kind_q <= 1'b0;
      tag_q <= '0;
    end else begin
      open_q <= open_q + CountW'(accept && !request_fetch_i) - CountW'(data_done);
      if (accept && !request_fetch_i) memory_kind_q <= to_memory;
      if (accept && !to_memory) tag_q <= tag_q + 8'd1;
      fetch_valid_o <= (memory_fetch_beat && mem_r_last_i) || (north_fetch_beat && north_end);
      if (accept && request_fetch_i) begin
        fetch_open_q <= 1'b1;
        fetch_bad_o  <= 1'b0;
      end else begin
        if (fetch_valid_o) fetch_open_q <= 1'b0;
        if (north_fetch_beat && reads_bad_i) fetch_bad_o <= 1'b1;
      end
      if (mem_r_valid_i) memory_first_q <= mem_r_last_i;
      assert (!mem_r_valid_i || (memory_open && mem_r_last_i == memory_end));
      assert (!(memory_data && north_data));
      assert (!(memory_data || north_data) || data_ready);
    end
  end
  always_ff @(posedge clk_i) begin
    if (mem_r_valid_i) memory_left_q <= memory_left - 10'(memory_beat.top) - 10'd1;
    if (memory_fetch_beat) fetch_o <= {mem_r_data_i, fetch_o[511:128]};
    else if (north_fetch_beat) fetch_o <= {reads_i.data, fetch_o[511:128]};
  end
  assign idle_o = open_q == '0 && !fetch_open_q && !mrd_valid_o && !mem_ar_valid_o;
endmodule

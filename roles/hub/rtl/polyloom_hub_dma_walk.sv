// SPDX-License-Identifier: Apache-2.0
// polyloom_hub_dma_walk: walks over the blocks of a descriptor: checks each, hands it to the write side, reads it.
// How:          addresses are 64-bit sums, so a stride that leads out of the window is seen at the block where it does.
//               Reads end at multiples of 512 bytes. Per block: CHECK, VERDICT, then a read a cycle.
// Latency:      start at edge k: first read requested in the cycle before edge k + 3.
// Throughput:   a read a cycle; two cycles more a block.
// Backpressure: waits for block_ready_i and request_ready_i.
// Order/loss:   blocks in order; an error ends the walk before its block, earlier ones are done.
// Reset:        idle.
// Limits:       block bytes and count of the descriptor are not 0.
// Cost:         see polyloom_hub_node.
// Source: own design.   Tests: test_polyloom_hub_dma_walk.py.
module polyloom_hub_dma_walk
  import polyloom_hub_pkg::*;
  import polyloom_hub_registers_pkg::*;
#(
    parameter cfg_t Cfg = SMALL
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,
    input  logic        [       3:0] node_i,
    input  logic                     north_i,            // N has a link
    // From control
    input  logic                     start_i,
    input  logic                     proxy_i,
    input  descriptor_t              descriptor_i,
    input  logic                     stop_i,             // after the block in work
    output logic                     done_o,             // one cycle
    output dma_error_e               error_o,            // with done_o
    output logic                     own_o,              // a block goes to the own node
    // To the write side
    output logic                     block_valid_o,
    input  logic                     block_ready_i,
    output block_t                   block_o,
    // To the read side
    output logic                     request_valid_o,
    input  logic                     request_ready_i,
    output logic        [ADDR_W-1:0] request_address_o,
    output logic        [       9:0] request_bytes_o
);
  typedef enum logic [1:0] {
    IDLE,
    CHECK,
    VERDICT,
    READS
  } state_e;
  state_e state_q;

  descriptor_t d_q;  // source, destination, blocks: of the block in work
  logic proxy_q, stream;
  logic [ADDR_W-1:0] place_q;
  logic [31:0] left_q;
  dma_error_e error_d, error_q;
  assign stream = d_q.control[CONTROL_FUNCTION];

  // Where a block ends.
  logic [ADDR_W:0] source_end, destination_end;
  logic in_memory, local_source;
  assign source_end = {1'b0, d_q.source[ADDR_W-1:0]} + {8'd0, d_q.block_bytes} - 1'b1;
  assign destination_end = {1'b0, d_q.destination[ADDR_W-1:0]} + {8'd0, d_q.block_bytes} - 1'b1;
  assign in_memory = d_q.source[32] && (d_q.source[31:0] >> Cfg.memory_bits) == '0 && source_end[32]
      && (source_end[31:0] >> Cfg.memory_bits) == '0;
  assign local_source = d_q.source[38:35] == node_i && source_end[39:33] == {1'b0, d_q.source[38:33]}
      && (d_q.source[34:33] == 2'd3 ? in_memory : north_i);
  always_comb begin
    error_d = DMA_NONE;
    if (d_q.source[63:ADDR_W] != '0) error_d = DMA_OUTSIDE;
    else if (!local_source) error_d = DMA_NOT_LOCAL;
    else if (!stream && d_q.destination[63:ADDR_W] != '0) error_d = DMA_OUTSIDE;
    else if (!stream && destination_end[ADDR_W]) error_d = DMA_CROSSES;
  end

  logic [9:0] room, size;
  logic final_read, read, final_block;
  assign room = 10'(READ_BYTES) - 10'(place_q[8:0]);
  assign size = left_q < 32'(room) ? left_q[9:0] : room;
  assign final_read = left_q == 32'(size);
  assign read = request_valid_o && request_ready_i;
  assign final_block = d_q.blocks == 32'd1;
  assign request_valid_o = state_q == READS;
  assign request_address_o = place_q;
  assign request_bytes_o = size;
  assign block_valid_o = state_q == VERDICT && error_q == DMA_NONE && !stop_i;
  assign block_o = '{
          proxy: proxy_q,
          final_block: final_block,
          to_stream: stream,
          stream_end: d_q.control[CONTROL_LAST],
          flag: d_q.control[CONTROL_FLAG],
          flag_address: d_q.flag[ADDR_W-1:0],
          id: d_q.id,
          bytes: d_q.block_bytes,
          address: stream ? '0 : d_q.destination[ADDR_W-1:0]
      };
  assign own_o = block_valid_o && block_ready_i && !stream && d_q.destination[38:35] == node_i;
  assign done_o = (state_q == VERDICT && (error_q != DMA_NONE || stop_i)) || (read && final_read && final_block);
  assign error_o = state_q == VERDICT ? error_q : DMA_NONE;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= IDLE;
    else begin
      unique case (state_q)
        IDLE: if (start_i) state_q <= CHECK;
        CHECK: state_q <= VERDICT;
        VERDICT: begin
          if (done_o) state_q <= IDLE;
          else if (block_ready_i) state_q <= READS;
        end
        READS: if (read && final_read) state_q <= final_block ? IDLE : CHECK;
        default: state_q <= IDLE;
      endcase
    end
  end
  always_ff @(posedge clk_i) begin
    if (state_q == IDLE && start_i) begin
      d_q <= descriptor_i;
      proxy_q <= proxy_i;
    end
    if (state_q == CHECK) begin
      error_q <= error_d;
      place_q <= d_q.source[ADDR_W-1:0];
      left_q  <= d_q.block_bytes;
    end
    if (read) begin
      place_q <= place_q + ADDR_W'(size);
      left_q  <= left_q - 32'(size);
      if (final_read) begin
        d_q.source <= d_q.source + d_q.source_stride;
        d_q.destination <= d_q.destination + d_q.destination_stride;
        d_q.blocks <= d_q.blocks - 32'd1;
      end
    end
  end

  logic unused;
  assign unused = ^{d_q.next, d_q.control[31:CONTROL_BITS], d_q.flag[63:ADDR_W]};
endmodule

// SPDX-License-Identifier: Apache-2.0
// polyloom_hub_dma_write: makes write TLPs, or the function's stream, of what was read, block by block; then the flag.
// How:          [ blocks ]                      a block's first TLP ends at a multiple of the largest payload, so all
//                 data --> pack --+--> packets  others are as large as can be and none crosses 4 KiB
//                                 '--> function
//               A poisoned beat marks its channel as failed: its data and flags go nowhere until clear_i.
// Latency:      beat taken at edge k: payload beat into packets at edge k + 1.
// Throughput:   a beat a cycle within a block; two cycles more between blocks.
// Backpressure: data_ready_o, block_ready_o depend on registers only.
// Order/loss:   in order; the flag is behind the data on the same way.
// Reset:        nothing under way.
// Limits:       as many bytes come as the blocks say.
// Cost:         see polyloom_hub_node.
// Source: own design.   Tests: test_polyloom_hub_dma_write.py.
module polyloom_hub_dma_write
  import polyloom_hub_pkg::*;
#(
    parameter cfg_t Cfg = SMALL
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    // From walk
    input  logic             block_valid_i,
    output logic             block_ready_o,
    input  block_t           block_i,
    // From the read side
    input  logic             data_valid_i,
    output logic             data_ready_o,
    input  read_beat_t       data_i,
    // To the function
    output logic             stream_valid_o,
    input  logic             stream_ready_i,
    output beat_t            stream_o,
    // To the switch
    output logic             out_valid_o,
    input  logic             out_ready_i,
    output beat_t            out_o,
    // To control; index 1: proxy
    output logic       [1:0] done_o,          // a descriptor, data and flag
    output logic       [1:0] failed_o,
    input  logic             clear_i,         // failed_o
    output logic             idle_o
);
  localparam int unsigned Most = Cfg.max_payload;
  localparam int unsigned MostBits = $clog2(Most);
  typedef enum logic [1:0] {
    IDLE,
    MOVE,
    FLAG
  } state_e;
  state_e state_q;

  block_t block;
  logic block_valid, block_pop;
  polyloom_stream_lut_fifo #(
      .T    (block_t),
      .Depth(8)
  ) i_blocks (
      .clk_i,
      .rst_ni,
      .flush_i    (1'b0),
      .in_valid_i (block_valid_i),
      .in_ready_o (block_ready_o),
      .in_i       (block_i),
      .out_valid_o(block_valid),
      .out_ready_i(block_pop),
      .out_o      (block)
  );

  block_t block_q;
  logic [31:0] left_q, feed_q;  // bytes of the block still to go out, to come in
  logic [9:0] chunk_q, size_q;  // bytes of the TLP still to go out, in all
  logic [1:0] failed_q;
  logic failed, load, ends, block_ends, moved;

  // Bytes of this block alone, put together.
  logic feed, pack_ready, pack_valid, pack_pop, unused_last;
  logic [5:0] accept, pack_bytes, unused_held;
  logic [127:0] pack_data;
  logic [  4:0] fed;
  assign feed = data_valid_i && feed_q != '0;
  assign data_ready_o = pack_ready && feed_q != '0;
  assign fed = {1'b0, data_i.top} + 5'd1;
  assign accept = chunk_q < 10'd16 ? 6'(chunk_q) : 6'd16;
  polyloom_hub_pack #(
      .OutBytes(16)
  ) i_pack (
      .clk_i,
      .rst_ni,
      .flush_i    (1'b0),
      .in_valid_i (feed),
      .in_ready_o (pack_ready),
      .in_i       ({1'b0, data_i.top, data_i.data}),
      .accept_i   (accept),
      .out_valid_o(pack_valid),
      .out_ready_i(pack_pop),
      .out_data_o (pack_data),
      .out_bytes_o(pack_bytes),
      .out_last_o (unused_last),
      .held_o     (unused_held)
  );

  logic data_room, commit_room, to_packets, commit, packets_idle;
  assign failed = failed_q[block_q.proxy];
  assign ends = chunk_q <= 10'd16;  // the TLP, with this beat
  assign block_ends = ends && left_q == 32'(chunk_q);
  assign pack_pop = state_q == MOVE && (block_q.to_stream ? failed || stream_ready_i : data_room && commit_room);
  assign moved = pack_pop && pack_valid;
  assign load = block_valid && (state_q == IDLE || (moved && block_ends && !block_q.final_block));
  assign block_pop = load;

  assign stream_valid_o = state_q == MOVE && pack_valid && block_q.to_stream && !failed;
  assign stream_o = '{
          last: block_ends && block_q.final_block && block_q.stream_end,
          top: 4'(accept - 6'd1),
          data: pack_data
      };

  logic flag_now;
  assign flag_now = state_q == FLAG && block_q.flag && !failed;
  assign to_packets = (moved && !block_q.to_stream) || (flag_now && data_room && commit_room);
  assign commit = to_packets && (ends || state_q == FLAG);
  polyloom_hub_packets #(
      .Cfg(Cfg)
  ) i_packets (
      .clk_i,
      .rst_ni,
      .data_valid_i    (to_packets),
      .data_ready_o    (data_room),
      .data_i          (flag_now ? {1'b1, 4'd7, 96'd0, block_q.id} : {ends, 4'(accept - 6'd1), pack_data}),
      .commit_valid_i  (commit),
      .commit_ready_o  (commit_room),
      .commit_void_i   (failed),
      .commit_address_i(flag_now ? block_q.flag_address : block_q.address),
      .commit_bytes_i  (flag_now ? 10'd8 : size_q),
      .out_valid_o,
      .out_ready_i,
      .out_o,
      .idle_o          (packets_idle)
  );

  // The first TLP of a block, and the next one.
  function automatic logic [9:0] first_size(logic [MostBits-1:0] place, logic [31:0] bytes);
    logic [9:0] room;
    room = 10'(Most) - 10'(place);
    return bytes < 32'(room) ? bytes[9:0] : room;
  endfunction
  logic [31:0] left_after;
  logic [ 9:0] next_size;
  assign left_after = left_q - 32'(accept);
  assign next_size  = left_after < 32'(Most) ? left_after[9:0] : 10'(Most);

  logic flag_done;
  assign flag_done = state_q == FLAG && (!flag_now || to_packets);
  assign done_o = flag_done && !failed ? 2'b01 << block_q.proxy : 2'b00;
  assign failed_o = failed_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q  <= IDLE;
      feed_q   <= '0;
      failed_q <= '0;
    end else begin
      if (load) state_q <= MOVE;
      else if (moved && block_ends) state_q <= block_q.final_block ? FLAG : IDLE;
      else if (flag_done) state_q <= IDLE;
      if (load) feed_q <= block.bytes;
      else if (feed && pack_ready) feed_q <= feed_q - 32'(fed);
      if (clear_i) failed_q <= '0;
      else if (feed && pack_ready && data_i.bad) failed_q[block_q.proxy] <= 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (load) begin
      block_q <= block;
      left_q  <= block.bytes;
      chunk_q <= first_size(block.address[MostBits-1:0], block.bytes);
      size_q  <= first_size(block.address[MostBits-1:0], block.bytes);
    end else if (moved) begin
      left_q  <= left_after;
      chunk_q <= ends ? next_size : chunk_q - 10'd16;
      if (ends) begin
        size_q <= next_size;
        block_q.address <= block_q.address + ADDR_W'(size_q);
      end
    end
  end
  assign idle_o = state_q == IDLE && !block_valid && packets_idle;

  logic unused;
  assign unused = ^{pack_bytes, data_i.final_beat, block_q.bytes};
endmodule

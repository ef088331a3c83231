// SPDX-License-Identifier: Apache-2.0
// polyloom_hub_dma_control: which descriptor is next: the chain's, or one of the proxy queue, in turns.
// How:          chain:  FETCH -> WAIT -> CHECK -> (PREFETCH of the next) -> WALK -> TURN
//               proxy:          queue -> CHECK -> WALK -> TURN
//               The chain's next descriptor is fetched before the data of this one are read. A descriptor waits in CHECK
//               while an earlier one may still be writing to the own node: it could read what that writes.
//               An error ends the chain: what was written stays, this descriptor's flag does not go out.
// Latency:      chain start at edge k: fetch requested in the cycle before edge k + 2. Descriptor at edge f: walk begins at
//               f + 2, one later if there is a next one to fetch.
// Throughput:   a descriptor every 5 cycles at most (3 of control, 2 of walk), and its reads.
// Backpressure: waits for the read side and walk.
// Order/loss:   each channel in order.
// Reset:        idle, no errors, counts zero.
// Limits:       none.
// Cost:         see polyloom_hub_node.
// Source: own design.   Tests: test_polyloom_hub_dma_control.py.
module polyloom_hub_dma_control
  import polyloom_hub_pkg::*;
  import polyloom_hub_registers_pkg::*;
#(
    parameter cfg_t Cfg = SMALL
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,
    input  logic        [       3:0] node_i,
    input  logic                     north_i,
    input  logic                     function_i,         // a step is active
    // Registers
    input  logic                     start_i,
    input  logic        [      63:0] start_address_i,
    input  logic                     clear_i,            // errors
    output dma_state_t               state_o,
    // Proxy queue
    input  logic                     proxy_valid_i,
    output logic                     proxy_ready_o,
    input  descriptor_t              proxy_i,
    input  logic        [       4:0] proxy_queued_i,
    // Read side: descriptors
    output logic                     request_valid_o,
    input  logic                     request_ready_i,
    output logic        [ADDR_W-1:0] request_address_o,
    input  logic                     fetch_valid_i,
    input  logic                     fetch_bad_i,
    input  descriptor_t              fetch_i,
    // Walk
    output logic                     walk_o,
    output logic                     walk_proxy_o,
    output descriptor_t              walk_descriptor_o,
    output logic                     walk_stop_o,
    input  logic                     walk_done_i,
    input  dma_error_e               walk_error_i,
    input  logic                     walk_own_i,
    // Write side
    input  logic        [       1:0] done_i,
    input  logic        [       1:0] failed_i,
    output logic                     clear_failed_o,
    input  logic                     quiet_i,            // nothing read or written is under way in the DMA
    input  logic                     settled_i           // and all that it wrote to the own node is there
);
  typedef enum logic [2:0] {
    TURN,
    FETCH,
    WAIT,
    CHECK,
    PREFETCH,
    WALK,
    FAILED
  } state_e;
  state_e state_q, state_d;

  logic chain_q, next_q, requested_q, proxy_q, proxy_last_q, own_q;
  logic [63:0] address_q;  // of the chain's descriptor in work
  logic [16:0] count_q;
  descriptor_t d_q;
  dma_error_e error, fetch_error, next_error;

  // A descriptor's address.
  function automatic dma_error_e bad_address(logic [63:0] address, logic [3:0] node, logic north);
    if (address[63:ADDR_W] != '0) return DMA_OUTSIDE;
    if (address[5:0] != '0) return DMA_MISALIGNED;
    if (address[38:35] != node) return DMA_NOT_LOCAL;
    if (address[34:33] != 2'd3) return north ? DMA_NONE : DMA_NOT_LOCAL;
    return address[32] && (address[31:0] >> Cfg.memory_bits) == '0 ? DMA_NONE : DMA_NOT_LOCAL;
  endfunction
  assign fetch_error = count_q == 17'(Cfg.chain_max) ? DMA_LOOP : bad_address(address_q, node_i, north_i);
  assign next_error  = bad_address(d_q.next, node_i, north_i);

  // A descriptor.
  dma_error_e descriptor_error;
  logic is_last, wants_next;
  always_comb begin
    descriptor_error = DMA_NONE;
    if (d_q.control[31:CONTROL_BITS] != '0) descriptor_error = DMA_RESERVED;
    else if (d_q.block_bytes == '0 || d_q.blocks == '0) descriptor_error = DMA_ZERO;
    else if (d_q.control[CONTROL_FLAG] && d_q.flag[2:0] != '0) descriptor_error = DMA_MISALIGNED;
    else if (d_q.control[CONTROL_FLAG] && d_q.flag[63:ADDR_W] != '0) descriptor_error = DMA_OUTSIDE;
    else if (d_q.control[CONTROL_FUNCTION] && !function_i) descriptor_error = DMA_FUNCTION;
  end
  assign is_last = d_q.control[CONTROL_LAST];
  assign wants_next = !proxy_q && !is_last && next_error == DMA_NONE && count_q != 17'(Cfg.chain_max - 1);

  logic accept_proxy, accept_chain, walk_now, ends, fetched;
  assign accept_proxy = state_q == TURN && proxy_valid_i && !(proxy_last_q && chain_q);
  assign accept_chain = state_q == TURN && !accept_proxy && chain_q;
  assign fetched = state_q == WAIT && fetch_valid_i;
  assign walk_now = state_q == CHECK && state_d == WALK || state_q == PREFETCH && state_d == WALK;

  always_comb begin
    state_d = state_q;
    error   = DMA_NONE;
    ends    = 1'b0;  // of a descriptor's reading
    unique case (state_q)
      TURN: begin
        if (failed_i != '0) state_d = FAILED;
        else if (accept_proxy) state_d = CHECK;
        else if (accept_chain) state_d = next_q ? CHECK : !requested_q ? FETCH : fetch_valid_i ? TURN : WAIT;
      end
      FETCH: begin
        error = fetch_error;
        if (error != DMA_NONE) state_d = TURN;
        else if (request_ready_i) state_d = WAIT;
      end
      WAIT: begin
        if (fetch_valid_i) begin
          error   = fetch_bad_i ? DMA_POISONED : DMA_NONE;
          state_d = fetch_bad_i ? TURN : CHECK;
        end
      end
      CHECK: begin
        error = descriptor_error;
        if (error != DMA_NONE) state_d = TURN;
        else if (!own_q || settled_i) state_d = wants_next ? PREFETCH : WALK;
      end
      PREFETCH: if (request_ready_i) state_d = WALK;
      WALK: begin
        if (walk_done_i) begin
          error   = walk_error_i;
          ends    = 1'b1;
          state_d = TURN;
        end
      end
      default:  if (quiet_i && !requested_q) state_d = TURN;  // FAILED
    endcase
  end

  logic stop_chain, has_fetch;
  assign stop_chain = (!proxy_q && error != DMA_NONE) || (state_q == FAILED && failed_i[0]);
  assign has_fetch = state_q == FETCH && fetch_error == DMA_NONE;
  assign request_valid_o = has_fetch || state_q == PREFETCH;
  assign request_address_o = has_fetch ? address_q[ADDR_W-1:0] : d_q.next[ADDR_W-1:0];
  assign proxy_ready_o = accept_proxy && failed_i == '0;
  assign walk_o = walk_now;
  assign walk_proxy_o = proxy_q;
  assign walk_descriptor_o = d_q;
  assign walk_stop_o = failed_i[proxy_q];
  assign clear_failed_o = state_q == FAILED && state_d == TURN;

  // The chain's next descriptor, fetched ahead.
  descriptor_t ahead_q;
  logic [63:0] next_address_q;
  logic late;  // what was fetched ahead, or asked for, is of a chain that has stopped
  assign late = requested_q && fetch_valid_i && state_q != WAIT;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= TURN;
      chain_q <= 1'b0;
      next_q <= 1'b0;
      requested_q <= 1'b0;
      proxy_q <= 1'b0;
      proxy_last_q <= 1'b0;
      own_q <= 1'b0;
      count_q <= '0;
    end else begin
      state_q <= state_d;
      if (start_i) begin
        chain_q <= 1'b1;
        count_q <= '0;
      end
      if (state_q == TURN && state_d == CHECK) begin
        proxy_q <= accept_proxy;
        proxy_last_q <= accept_proxy;
        if (!accept_proxy) next_q <= 1'b0;
      end else if (state_q == TURN && accept_chain) begin
        proxy_q <= 1'b0;
        proxy_last_q <= 1'b0;
      end
      if (request_valid_o && request_ready_i) requested_q <= 1'b1;
      else if (requested_q && fetch_valid_i) requested_q <= 1'b0;
      if (late && chain_q && !fetch_bad_i) next_q <= 1'b1;
      if (walk_own_i) own_q <= 1'b1;
      else if (state_q == CHECK && settled_i) own_q <= 1'b0;
      if (ends && !proxy_q && error == DMA_NONE && !failed_i[0]) begin
        count_q <= count_q + 17'd1;
        if (is_last) chain_q <= 1'b0;
      end
      if (stop_chain) begin
        chain_q <= 1'b0;
        next_q  <= 1'b0;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (start_i) address_q <= start_address_i;
    else if (accept_chain && failed_i == '0 && count_q != '0) address_q <= next_address_q;
    if (state_q == CHECK && !proxy_q) next_address_q <= d_q.next;
    if (accept_proxy) d_q <= proxy_i;
    else if (state_q == TURN && next_q) d_q <= ahead_q;
    else if (fetched) d_q <= fetch_i;
    if (late) ahead_q <= fetch_i;
  end

  // What the registers show.
  logic [31:0] chain_done_q, proxy_done_q;
  logic [31:0] chain_issued_q, proxy_issued_q;  // handed to walk; not done: still writing
  dma_error_e chain_error_q, proxy_error_q;
  logic [47:0] chain_address_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      chain_done_q <= '0;
      proxy_done_q <= '0;
      chain_issued_q <= '0;
      proxy_issued_q <= '0;
      chain_error_q <= DMA_NONE;
      proxy_error_q <= DMA_NONE;
      chain_address_q <= '0;
    end else begin
      chain_done_q <= chain_done_q + 32'(done_i[0]);
      proxy_done_q <= proxy_done_q + 32'(done_i[1]);
      if (state_q == FAILED && state_d == TURN) begin
        if (failed_i[0]) chain_issued_q <= chain_done_q;
        if (failed_i[1]) proxy_issued_q <= proxy_done_q;
      end else if (ends && error == DMA_NONE && !failed_i[proxy_q]) begin
        if (proxy_q) proxy_issued_q <= proxy_issued_q + 32'd1;
        else chain_issued_q <= chain_issued_q + 32'd1;
      end
      if (clear_i) begin
        chain_error_q   <= DMA_NONE;
        proxy_error_q   <= DMA_NONE;
        chain_address_q <= '0;
      end else begin
        if (stop_chain && chain_error_q == DMA_NONE) begin
          chain_error_q   <= state_q == FAILED ? DMA_POISONED : error;
          chain_address_q <= address_q[47:0];
        end
        if (proxy_q && error != DMA_NONE && proxy_error_q == DMA_NONE) proxy_error_q <= error;
        if (state_q == FAILED && failed_i[1] && proxy_error_q == DMA_NONE) proxy_error_q <= DMA_POISONED;
      end
    end
  end
  assign state_o = '{
          chain_busy: chain_q || requested_q || chain_issued_q != chain_done_q || failed_i[0],
          proxy_busy: proxy_valid_i || (proxy_q && state_q != TURN) || proxy_issued_q != proxy_done_q || failed_i[1],
          queued: proxy_queued_i,
          address: address_q[ADDR_W-1:0],
          chain_error: chain_error_q,
          chain_address: chain_address_q,
          proxy_error: proxy_error_q,
          chain_done: chain_done_q,
          proxy_done: proxy_done_q
      };
endmodule

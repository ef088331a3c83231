// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe_unexpected: the envelopes that came before their receive, in order of arrival.
// How:          two words an envelope in block RAM, chained by next indices in LUT RAM; free places are a chain too, behind a
//               mark of places never used. A search walks the chain, an envelope every two cycles, and keeps what it found.
// Latency:      a search takes 2 cycles, 2 for each envelope it looks at, 1 more if it finds.
// Throughput:   one operation at a time: find (until done), remove what was found, add.
// Backpressure: full_o: no place is left.
// Order/loss:   in order of adding.
// Reset:        empty; clear_i does the same.
// Limits:       256 envelopes, as long as POOL_BYTES holds their payloads. add_i, remove_i not while a search runs.
// Cost:         1 BRAM36; not measured alone.   Source: own design.   Tests: test_polyloom_mpe.py, test_mpe_faults.py, interop_test.cc
module polyloom_mpe_unexpected
  import polyloom_mpe_pkg::*;
(
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             clear_i,
    input  logic      [15:0] eager_i,        // bytes of a place in the pool
    // Search: stands until find_done_o
    input  logic             find_i,
    input  logic             find_by_seq_i,  // peer and number must match, else peer, tag and communicator
    input  logic             find_any_i,     // peer
    input  rank_t            find_peer_i,
    input  logic      [31:0] find_tag_i,
    input  logic      [15:0] find_comm_i,
    input  seq_t             find_seq_i,
    output logic             find_done_o,
    output logic             find_found_o,
    output env_key_t         key_o,          // of what was found
    output env_data_t        data_o,
    output logic      [ 9:0] pool_o,         // first word of its payload
    input  logic             remove_i,       // what was found
    // A new one
    input  logic             add_i,
    input  env_key_t         add_key_i,
    input  env_data_t        add_data_i,
    output logic      [ 9:0] add_pool_o,     // where its payload goes
    output logic             full_o
);

  typedef logic [71:0] word_t;
  logic re, second_q, valid_q, free_valid_q;
  env_t tail_free_q;  // last of the free chain
  env_t scan_q, prev_q, head_q, tail_q, free_q, place, next_scan;
  logic [8:0] mark_q;  // places from here on were never used
  env_t next_q[ENVELOPES];
  word_t rdata;
  env_key_t key, key_q;
  env_data_t data;
  logic hit;

  typedef enum logic [2:0] {
    IDLE,
    READ,
    COMPARE,
    FETCH,
    FOUND,
    FAILED,
    STORE
  } state_e;
  state_e state_q;

  assign place = free_valid_q ? free_q : mark_q[7:0];
  function automatic logic [17:0] at(input env_t number);
    return 18'(number) * 18'(eager_i[12:3]);
  endfunction
  assign add_pool_o = 10'(at(place));
  assign full_o = (!free_valid_q && mark_q[8]) || at(place) + 18'(eager_i[12:3]) > 18'(POOL_BYTES / 8);

  polyloom_ram_1r1w #(
      .Width(72),
      .Depth(2 * ENVELOPES)
  ) i_ram (
      .clk_i,
      .we_i   (add_i || state_q == STORE),
      .be_i   (1'b1),
      .waddr_i({add_i ? place : tail_q, !add_i}),
      .wdata_i(add_i ? word_t'(add_key_i) : word_t'(add_data_i)),
      .re_i   (re),
      .raddr_i({scan_q, second_q}),
      .rdata_o(rdata)
  );
  // The second word of a new envelope follows a cycle later: add_data_i stands that long.

  assign re = state_q == READ || state_q == FETCH;
  assign second_q = state_q == FETCH;
  assign key = env_key_t'(rdata[$bits(env_key_t)-1:0]);
  assign data = env_data_t'(rdata);
  assign hit = find_by_seq_i ? key.peer == find_peer_i && key.seq == find_seq_i :
      (find_any_i || key.peer == find_peer_i) && (find_tag_i == ANY_TAG || key.tag == find_tag_i) &&
      key.comm == find_comm_i;
  assign next_scan = next_q[scan_q];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= IDLE;
      valid_q <= 1'b0;
      free_valid_q <= 1'b0;
      mark_q <= '0;
    end else if (clear_i) begin
      state_q <= IDLE;
      valid_q <= 1'b0;
      free_valid_q <= 1'b0;
      mark_q <= '0;
    end else begin
      unique case (state_q)
        IDLE: begin
          if (add_i) begin
            state_q <= STORE;
            valid_q <= 1'b1;
            if (!free_valid_q) mark_q <= mark_q + 1'b1;
            else if (free_q == tail_free_q) free_valid_q <= 1'b0;
          end else if (find_i) state_q <= valid_q ? READ : FAILED;
          else if (remove_i) begin
            free_valid_q <= 1'b1;
            if (head_q == tail_q) valid_q <= 1'b0;
          end
        end
        READ: state_q <= COMPARE;
        COMPARE:
        if (hit) state_q <= FETCH;
        else state_q <= scan_q == tail_q ? FAILED : READ;
        FETCH: state_q <= FOUND;
        default: state_q <= IDLE;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      IDLE: begin
        if (add_i) begin
          tail_q <= place;
          if (!valid_q) head_q <= place;
          if (free_valid_q) free_q <= next_q[free_q];
        end else if (find_i) begin
          scan_q <= head_q;
          prev_q <= head_q;
        end else if (remove_i) begin
          if (head_q == scan_q) head_q <= next_scan;
          if (tail_q == scan_q) tail_q <= prev_q;
          tail_free_q <= scan_q;
          if (!free_valid_q) free_q <= scan_q;
        end
      end
      COMPARE: begin
        key_q <= key;
        if (!hit && scan_q != tail_q) begin
          prev_q <= scan_q;
          scan_q <= next_scan;
        end
      end
      default: ;
    endcase
  end
  // Two chains, one write a cycle: a removal first closes the gap, then appends the place to the free chain.
  logic append_free_q;
  env_t old_tail_free_q;
  logic had_free_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) append_free_q <= 1'b0;
    else begin
      append_free_q <= state_q == IDLE && remove_i && !add_i && !find_i && !clear_i;
      assert (!(append_free_q && (add_i || remove_i)));
    end
  end
  always_ff @(posedge clk_i) begin
    if (state_q == IDLE && remove_i) begin
      old_tail_free_q <= tail_free_q;
      had_free_q <= free_valid_q;
    end
    if (append_free_q) begin
      if (had_free_q) next_q[old_tail_free_q] <= tail_free_q;
    end else if (state_q == IDLE && add_i) begin
      if (valid_q) next_q[tail_q] <= place;
    end else if (state_q == IDLE && remove_i && head_q != scan_q) next_q[prev_q] <= next_scan;
  end

  assign find_done_o = state_q == FOUND || state_q == FAILED;
  assign find_found_o = state_q == FOUND;
  assign key_o = key_q;
  assign data_o = data;
  assign pool_o = 10'(at(scan_q));
endmodule

// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe_requests: the table of requests, its two lists in order of commands, and searches in it.
// How:          records in LUT RAM, read at once; what many look at in a cycle are bits in registers. The lists (posted receives;
//               sends that want credit) are chains of next indices. A search walks a list or the table, a record a cycle.
// Latency:      a search takes 1 cycle and one for each record it looks at.
// Throughput:   a record read and written a cycle.
// Backpressure: none; no operation while a search runs (asserted).
// Order/loss:   lists keep the order of appending.
// Reset:        no request, lists empty; clear_i does the same.
// Limits:       32 requests.
// Cost:         not measured alone.   Source: own design.   Tests: test_polyloom_mpe.py, test_mpe_faults.py, interop_test.cc
module polyloom_mpe_requests
  import polyloom_mpe_pkg::*;
(
    input  logic                    clk_i,
    input  logic                    rst_ni,
    input  logic                    clear_i,
    // From the unit at work
    input  req_t                    idx_i,
    input  req_op_t                 op_i,              // to request idx_i
    output request_t                data_o,            // of request idx_i
    output req_t                    next_o,            // after it in its list
    input  find_t                   find_i,            // stands until find_done_o
    output logic                    find_done_o,
    output logic                    find_found_o,
    output req_t                    find_idx_o,        // with find_found_o, as the next
    output req_t                    find_prev_o,       // before it in the list
    // From those that move payload: a request is complete
    input  logic                    written_i,
    input  req_t                    written_idx_i,
    input  logic                    copied_i,
    input  req_t                    copied_idx_i,
    input  logic                    copied_bad_i,      // some of it lies outside the kernel's memory
    // A replay block is free again
    output logic                    released_o,
    output logic     [         4:0] released_block_o,
    // State
    output logic     [REQUESTS-1:0] owned_o,           // by the kernel
    output logic     [REQUESTS-1:0] done_o,            // complete for the kernel
    output logic     [REQUESTS-1:0] bad_o,
    output logic     [REQUESTS-1:0] live_o,
    output logic     [REQUESTS-1:0] work_o,
    output logic                    free_valid_o,
    output req_t                    free_idx_o,
    output logic                    want_valid_o,      // the list of sends is not empty
    output req_t                    want_head_o,
    output req_t                    want_tail_o
);

  request_t table_q[REQUESTS];
  req_t next_q[REQUESTS];
  logic [1:0] valid_q;  // lists: 0 posted, 1 want
  req_t head_q[2], tail_q[2];
  logic [REQUESTS-1:0] owned_q, done_q, bad_q, live_q, work_q, held_q;

  // Search
  logic busy_q, done_find_q, found_q, prev_valid_q;
  req_t scan_q, prev_q, idx;
  request_t r;
  logic hit, at_end, walk, release_it;
  seq_t behind;
  assign walk = find_i.find == F_POSTED;
  assign idx = busy_q ? scan_q : idx_i;
  assign r = table_q[idx];
  assign behind = find_i.seq - r.seq;
  always_comb begin
    hit = 1'b0;
    release_it = 1'b0;
    unique case (find_i.find)
      F_POSTED:
      hit = (r.any || r.peer == find_i.peer) && (r.tag == ANY_TAG || r.tag == find_i.tag) && r.comm == find_i.comm;
      F_SENT:
      hit = live_q[scan_q] && (r.state == COPIED || r.state == ASKED) && r.peer == find_i.peer && r.seq == find_i.seq;
      F_ACTIVE: hit = live_q[scan_q] && r.state == ACTIVE && r.peer == find_i.peer && r.seq == find_i.seq;
      F_RELEASE: release_it = held_q[scan_q] && r.peer == find_i.peer && behind != '0 && !behind[15];
      default: ;
    endcase
    at_end = walk ? scan_q == tail_q[0] : scan_q == req_t'(REQUESTS - 1);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      done_find_q <= 1'b0;
    end else begin
      done_find_q <= 1'b0;
      if (!busy_q) begin
        if (find_i.find != F_NONE && !done_find_q) begin
          busy_q <= !(walk && !valid_q[0]);
          done_find_q <= walk && !valid_q[0];
          found_q <= 1'b0;
          prev_valid_q <= 1'b0;
          scan_q <= walk ? head_q[0] : '0;
        end
      end else if (hit || at_end) begin
        busy_q <= 1'b0;
        done_find_q <= 1'b1;
        found_q <= hit;
      end else begin
        prev_q <= scan_q;
        prev_valid_q <= 1'b1;
        scan_q <= walk ? next_q[scan_q] : scan_q + 1'b1;
      end
    end
  end
  assign find_done_o  = done_find_q;
  assign find_found_o = found_q;
  assign find_idx_o   = scan_q;
  assign find_prev_o  = prev_valid_q ? prev_q : scan_q;

  // Records and lists
  logic list, append;
  assign list   = op_i.remove ? op_i.want_list : op_i.append_want;
  assign append = op_i.append_posted || op_i.append_want;
  always_ff @(posedge clk_i) begin
    if (op_i.write) table_q[idx_i] <= op_i.data;
    if (append && valid_q[list]) next_q[tail_q[list]] <= idx_i;
    else if (op_i.remove) next_q[op_i.prev] <= next_q[idx_i];
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else if (clear_i) valid_q <= '0;
    else if (append) valid_q[list] <= 1'b1;
    else if (op_i.remove && head_q[list] == tail_q[list]) valid_q[list] <= 1'b0;
  end
  always_ff @(posedge clk_i) begin
    if (append) begin
      tail_q[list] <= idx_i;
      if (!valid_q[list]) head_q[list] <= idx_i;
    end else if (op_i.remove) begin
      if (head_q[list] == idx_i) head_q[list] <= next_q[idx_i];
      if (tail_q[list] == idx_i) tail_q[list] <= op_i.prev;
    end
  end

  // Bits
  function automatic logic [REQUESTS-1:0] bit_of(input logic en, input req_t at);
    bit_of = '0;
    bit_of[at] = en;
  endfunction
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      owned_q <= '0;
      done_q  <= '0;
      bad_q   <= '0;
      live_q  <= '0;
      work_q  <= '0;
      held_q  <= '0;
    end else if (clear_i) begin
      owned_q <= '0;
      done_q  <= '0;
      bad_q   <= '0;
      live_q  <= '0;
      work_q  <= '0;
      held_q  <= '0;
    end else begin
      assert (!busy_q || !(op_i.write || append || op_i.remove || op_i.own || op_i.disown || op_i.live));
      owned_q <= owned_q & ~bit_of(op_i.disown, idx_i) | bit_of(op_i.own, idx_i);
      done_q <= done_q & ~bit_of(
          op_i.own, idx_i
      ) | bit_of(
          op_i.finish, idx_i
      ) | bit_of(
          written_i, written_idx_i
      ) | bit_of(
          copied_i, copied_idx_i
      );
      bad_q <= bad_q & ~bit_of(op_i.own, idx_i) | bit_of(copied_i && copied_bad_i, copied_idx_i);
      live_q <= live_q & ~bit_of(op_i.dead, idx_i) & ~bit_of(busy_q && release_it, scan_q) | bit_of(op_i.live, idx_i);
      work_q <= work_q & ~bit_of(op_i.rest, idx_i) | bit_of(op_i.work, idx_i);
      held_q <= held_q & ~bit_of(op_i.dead, idx_i) & ~bit_of(busy_q && release_it, scan_q) | bit_of(op_i.held, idx_i);
    end
  end

  always_comb begin
    free_valid_o = 1'b0;
    free_idx_o   = '0;
    for (int i = REQUESTS - 1; i >= 0; i--) begin
      if (!owned_q[i] && !live_q[i]) begin
        free_valid_o = 1'b1;
        free_idx_o   = req_t'(i);
      end
    end
  end
  assign released_o = busy_q && release_it && r.bytes != '0;
  assign released_block_o = r.block;
  assign data_o = r;
  assign next_o = next_q[idx_i];
  assign owned_o = owned_q;
  assign done_o = done_q;
  assign bad_o = bad_q;
  assign live_o = live_q;
  assign work_o = work_q;
  assign want_valid_o = valid_q[1];
  assign want_head_o = head_q[1];
  assign want_tail_o = tail_q[1];
endmodule

// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe_requests: the table of requests, its two lists in order of commands, and searches in it.
// How:          records and bits in LUT RAM, read at once. The lists (posted receives; sends that want credit) are chains of next
//               indices. A search walks a list or the table, a record a cycle. Two pointers go round the bits all the time: one
//               stops at a free request, one at a request with work, until work_next_i.
// Latency:      a search takes 1 cycle and one for each record it looks at; a completion counts after up to 3 cycles.
// Throughput:   a record read and written a cycle.
// Backpressure: none; no operation while a search runs (asserted).
// Order/loss:   lists keep the order of appending.
// Reset:        lists empty; bits are cleared by wipe_i, which runs through all requests after reset and clear_i.
// Limits:       32 requests.
// Cost:         not measured alone.   Source: own design.   Tests: test_polyloom_mpe.py, test_mpe_faults.py, interop_test.cc
module polyloom_mpe_requests
  import polyloom_mpe_pkg::*;
(
    input  logic           clk_i,
    input  logic           rst_ni,
    input  logic           clear_i,
    // From the unit at work
    input  req_t           idx_i,
    input  req_op_t        op_i,              // to request idx_i
    output request_t       data_o,            // of request idx_i
    output req_t           next_o,            // after it in its list
    input  find_t          find_i,            // stands until find_done_o
    output logic           find_done_o,
    output logic           find_found_o,
    output req_t           find_idx_o,        // with find_found_o, as the next
    output req_t           find_prev_o,       // before it in the list
    // From those that move payload: a request is complete
    input  logic           written_i,
    input  req_t           written_idx_i,
    input  logic           copied_i,
    input  req_t           copied_idx_i,
    input  logic           copied_bad_i,      // some of it lies outside the kernel's memory
    // A replay block is free again
    output logic           released_o,
    output logic     [4:0] released_block_o,
    output logic           pending_o,         // a completion is not yet seen
    // State
    input  logic           wipe_i,            // clear the bits of request idx_i
    input  req_t           watch_i,           // of this request:
    output logic           owned_o,           // by the kernel
    output logic           done_o,            // complete for the kernel
    output logic           bad_o,
    output logic           live_o,            // of request idx_i
    output logic           live_any_o,        // of some request
    output logic           work_valid_o,      // request work_idx_o has something to send
    output req_t           work_idx_o,
    input  logic           work_next_i,       // go on to the next one
    output logic           work_any_o,
    output logic           free_valid_o,
    output req_t           free_idx_o,
    output logic           free_none_o,       // it is known that no request is free
    output logic           want_valid_o,      // the list of sends is not empty
    output req_t           want_head_o,
    output req_t           want_tail_o
);

  request_t table_q[REQUESTS];
  req_t next_q[REQUESTS];
  logic [1:0] valid_q;  // lists: 0 posted, 1 want
  req_t head_q[2], tail_q[2];
  logic owned_q[REQUESTS], done_q[REQUESTS], bad_q[REQUESTS], live_q[REQUESTS], work_q[REQUESTS], held_q[REQUESTS];
  logic is_live, is_held;

  // Search
  logic busy_q, done_find_q, found_q, prev_valid_q;
  req_t scan_q, prev_q, idx;
  request_t r;
  logic hit, at_end, walk, release_it;
  seq_t behind;
  assign walk = find_i.find == F_POSTED;
  assign idx = busy_q && !wipe_i ? scan_q : idx_i;
  assign r = table_q[idx];
  assign is_live = live_q[idx];
  assign is_held = held_q[idx];
  assign behind = find_i.seq - r.seq;
  always_comb begin
    hit = 1'b0;
    release_it = 1'b0;
    unique case (find_i.find)
      F_POSTED:
      hit = (r.any || r.peer == find_i.peer) && (r.tag == ANY_TAG || r.tag == find_i.tag) && r.comm == find_i.comm;
      F_SENT: hit = is_live && (r.state == COPIED || r.state == ASKED) && r.peer == find_i.peer && r.seq == find_i.seq;
      F_ACTIVE: hit = is_live && r.state == ACTIVE && r.peer == find_i.peer && r.seq == find_i.seq;
      F_RELEASE: release_it = is_held && r.peer == find_i.peer && behind != '0 && !behind[15];
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

  // Bits, each with one writer a cycle. Completions from outside wait a cycle or two for the unit at work.
  logic release_now, op_done, written_q, copied_q, bad_new_q, take_written, take_copied;
  req_t written_at_q, copied_at_q, done_at;
  logic live_we, live_d, work_we, work_d;
  assign release_now = busy_q && release_it;
  assign live_d = op_i.live && !wipe_i;
  assign live_we = op_i.live || op_i.dead || release_now || wipe_i;
  assign work_d = op_i.work && !wipe_i;
  assign work_we = op_i.work || op_i.rest || wipe_i;
  assign op_done = op_i.own || op_i.finish || wipe_i;
  assign take_written = written_q && !op_done;
  assign take_copied = copied_q && !op_done && !written_q;
  assign done_at = op_done ? idx_i : written_q ? written_at_q : copied_at_q;
  always_ff @(posedge clk_i) begin
    if (op_i.own || op_i.disown || wipe_i) owned_q[idx_i] <= op_i.own && !wipe_i;
    if (live_we) live_q[idx] <= live_d;
    if (work_we) work_q[idx_i] <= work_d;
    if (op_i.held || op_i.dead || release_now || wipe_i) held_q[idx] <= op_i.held && !wipe_i;
    if (op_done || take_written || take_copied) done_q[done_at] <= (op_i.finish || !op_done) && !wipe_i;
    if (op_done || take_copied) bad_q[done_at] <= !op_done && bad_new_q;
    if (written_i) written_at_q <= written_idx_i;
    if (copied_i) begin
      copied_at_q <= copied_idx_i;
      bad_new_q   <= copied_bad_i;
    end
  end
  logic [$bits(req_t):0] live_count_q, work_count_q, used_q;  // used_q: so many requests in a row are not free
  req_t free_q, work_at_q;
  logic used, some_work, has_work;
  assign used = owned_q[free_q] || live_q[free_q];
  assign has_work = work_q[work_at_q];
  assign some_work = work_count_q != '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      written_q <= 1'b0;
      copied_q <= 1'b0;
      live_count_q <= '0;
      work_count_q <= '0;
      used_q <= '0;
      free_q <= '0;
      work_at_q <= '0;
    end else begin
      assert (!busy_q || !(op_i.write || append || op_i.remove || op_i.own || op_i.disown || op_i.live));
      assert (!(written_i && written_q && !take_written) && !(copied_i && copied_q && !take_copied));
      written_q <= written_i || (written_q && !take_written);
      copied_q  <= copied_i || (copied_q && !take_copied);
      if (clear_i) live_count_q <= '0;
      else if (live_we && !wipe_i && live_d != is_live) begin
        live_count_q <= live_d ? live_count_q + 1'b1 : live_count_q - 1'b1;
      end
      if (clear_i) work_count_q <= '0;
      else if (work_we && !wipe_i && work_d != work_q[idx_i]) begin
        work_count_q <= work_d ? work_count_q + 1'b1 : work_count_q - 1'b1;
      end
      if (!used || op_i.disown || op_i.dead || release_now || wipe_i) used_q <= '0;
      else if (!free_none_o) used_q <= used_q + 1'b1;
      if (used) free_q <= free_q + 1'b1;
      if (op_i.work && !some_work) work_at_q <= idx_i;
      else if (work_next_i || (some_work && !has_work)) work_at_q <= work_at_q + 1'b1;
    end
  end
  assign free_valid_o = !used && !wipe_i;
  assign free_idx_o = free_q;
  assign free_none_o = used_q[$bits(req_t)];
  assign pending_o = written_q || copied_q;
  assign owned_o = owned_q[watch_i];
  assign done_o = done_q[watch_i];
  assign bad_o = bad_q[watch_i];
  assign live_o = live_q[idx];
  assign live_any_o = live_count_q != '0;
  assign work_valid_o = some_work && has_work;
  assign work_idx_o = work_at_q;
  assign work_any_o = some_work;
  assign released_o = busy_q && release_it && r.bytes != '0;
  assign released_block_o = r.block;
  assign data_o = r;
  assign next_o = next_q[idx_i];
  assign want_valid_o = valid_q[1];
  assign want_head_o = head_q[1];
  assign want_tail_o = tail_q[1];
endmodule

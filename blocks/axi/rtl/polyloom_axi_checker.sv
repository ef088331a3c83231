// SPDX-License-Identifier: Apache-2.0
// polyloom_axi_checker: listens to an AXI port in simulation and stops it at the first breach of the protocol.
// How:          each channel's handshake; lists of open bursts (by id for reads and write responses) give length and last.
// Latency:      none.
// Throughput:   none.
// Backpressure: listens only.
// Order/loss:   none.
// Reset:        all lists emptied.
// Limits:       simulation only (queues). Stricter than AXI4: data never come before their address, as all of ours do.
// Cost:         none.
// Source:       AMBA AXI4 (IHI 0022) A3.2 to A3.4, A5.   Tests: test_polyloom_axi_checker.py
module polyloom_axi_checker #(
    parameter bit Stop = 1'b1  // stop at a breach; else only tell of it
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    input  polyloom_axi_pkg::req_t       req_i,
    input  polyloom_axi_pkg::rsp_t       rsp_i,
    // To a test: breaches so far, by rule (see the numbers below)
    output logic                   [7:0] broken_o
);

  import polyloom_axi_pkg::*;

  // Rules: 0 an offer fell or changed, 1 a burst crosses a boundary or begins off a beat, 2 last of write data in the
  // wrong place, 3 write data without an address, 4 write response without a burst, 5 read data without a burst,
  // 6 last of read data in the wrong place.
  req_t req_q;
  rsp_t rsp_q;
  logic past_q;
  logic [7:0] w_len[$];  // bursts whose data are not all here
  logic [ID_BITS-1:0] w_id[$];
  int unsigned w_beat;
  int unsigned b_open[2**ID_BITS];  // bursts with all data and no response
  logic [7:0] r_len[2**ID_BITS][$];
  int unsigned r_beat[2**ID_BITS];

  function automatic logic bad_burst(input logic [ADDR_BITS-1:0] addr, input logic [7:0] len);
    return addr % ADDR_BITS'(STRB_BITS) != 0
        || addr % ADDR_BITS'(BOUNDARY) + (ADDR_BITS'(len) + 1) * ADDR_BITS'(STRB_BITS) > ADDR_BITS'(BOUNDARY);
  endfunction

  function automatic logic fell(input logic was, input logic accepted, input logic valid, input logic same);
    return was && !accepted && !(valid && same);
  endfunction

  // verilator lint_off BLKSEQ
  // A model of lists that change several times in a cycle, in the order of the statements.
  always @(posedge clk_i) begin
    logic [7:0] now;
    now = '0;
    if (!rst_ni) begin
      w_len.delete();
      w_id.delete();
      w_beat <= 0;
      for (int i = 0; i < 2 ** ID_BITS; i++) begin
        b_open[i] = 0;
        r_beat[i] = 0;
        r_len[i].delete();
      end
      past_q   <= 1'b0;
      broken_o <= '0;
    end else begin
      past_q <= 1'b1;
      now[0] = past_q && (fell(req_q.aw_valid, rsp_q.aw_ready, req_i.aw_valid, req_q.aw == req_i.aw) ||
                          fell(req_q.w_valid, rsp_q.w_ready, req_i.w_valid, req_q.w == req_i.w) ||
                          fell(req_q.ar_valid, rsp_q.ar_ready, req_i.ar_valid, req_q.ar == req_i.ar) ||
                          fell(rsp_q.b_valid, req_q.b_ready, rsp_i.b_valid, rsp_q.b == rsp_i.b) ||
                          fell(rsp_q.r_valid, req_q.r_ready, rsp_i.r_valid, rsp_q.r == rsp_i.r));
      now[1] = (req_i.aw_valid && bad_burst(req_i.aw.addr, req_i.aw.len)) ||
          (req_i.ar_valid && bad_burst(req_i.ar.addr, req_i.ar.len));
      // A response is checked before what is accepted in the same cycle counts: it cannot be for that.
      if (rsp_i.b_valid && req_i.b_ready) begin
        if (b_open[rsp_i.b.id] == 0) now[4] = 1'b1;
        else b_open[rsp_i.b.id]--;
      end
      if (rsp_i.r_valid && req_i.r_ready) begin
        if (r_len[rsp_i.r.id].size() == 0) begin
          now[5] = 1'b1;
        end else begin
          now[6] = rsp_i.r.last != (r_beat[rsp_i.r.id] == 32'(r_len[rsp_i.r.id][0]));
          r_beat[rsp_i.r.id]++;
          if (rsp_i.r.last) begin
            void'(r_len[rsp_i.r.id].pop_front());
            r_beat[rsp_i.r.id] = 0;
          end
        end
      end
      if (req_i.aw_valid && rsp_i.aw_ready) begin
        w_len.push_back(req_i.aw.len);
        w_id.push_back(req_i.aw.id);
      end
      if (req_i.w_valid && rsp_i.w_ready) begin
        if (w_len.size() == 0) begin
          now[3] = 1'b1;
        end else begin
          now[2] = req_i.w.last != (w_beat == 32'(w_len[0]));
          w_beat <= req_i.w.last ? 0 : w_beat + 1;
          if (req_i.w.last) begin
            b_open[w_id.pop_front()]++;
            void'(w_len.pop_front());
          end
        end
      end
      if (req_i.ar_valid && rsp_i.ar_ready) r_len[req_i.ar.id].push_back(req_i.ar.len);
      broken_o <= broken_o | now;
      if (Stop) begin
        assert (now == '0)
        else $error("%m: rules %b broken; numbers in the source", now);
      end
    end
    req_q <= req_i;
    rsp_q <= rsp_i;
  end
  // verilator lint_on BLKSEQ

endmodule

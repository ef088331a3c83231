// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe_management: registers that are read and written by datagrams (PROTOCOL.md "Management").
// How:          a request is taken word by word; values are written as they come, or read as the answer is sent. While a job is
//               set up, a write is looked at only if it comes from the table's manager.
//                   datagram -> HEAD -> (WHO) -> WRITE or SKIP -> ANSWER: words 5, 6, values -> datagram
// Latency:      some 5 cycles from the end of a request to its answer.
// Throughput:   a value written every cycle, read every 3.
// Backpressure: one request at a time; the rank table is had between the engine's turns.
// Order/loss:   in order. What is not well formed or not allowed is dropped and told by dropped_o.
// Reset:        no job, registers as reset; stop brings back the same, but for TIMES, EAGER, WINDOW.
// Limits:       from_i and bytes_i stand with the datagram's words.
// Cost:         not measured alone.   Source: PROTOCOL.md.   Tests: test_polyloom_mpe.py, test_mpe_faults.py, interop_test.cc
module polyloom_mpe_management
  import polyloom_mpe_pkg::*;
  import polyloom_udp_pkg::endpoint_t;
(
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic      [63:0]       cycle_i,
    // Requests, from word 5 of the frame on
    input  logic                   in_valid_i,
    output logic                   in_ready_o,
    input  logic      [63:0]       in_data_i,
    input  logic                   in_last_i,
    input  logic      [12:0]       in_bytes_i,
    input  endpoint_t              in_from_i,
    // Answers, from word 5 of the frame on
    output logic                   out_valid_o,
    input  logic                   out_ready_i,
    output logic      [63:0]       out_data_o,
    output logic                   out_last_o,
    output endpoint_t              out_to_o,
    output logic      [15:0]       out_bytes_o,
    // Rank table
    output logic                   table_valid_o,
    input  logic                   table_ready_i,
    output table_op_t              table_o,
    input  logic      [63:0]       table_i,
    // What is set
    output cfg_t                   cfg_o,
    output logic                   start_o,        // pulses
    output logic                   stop_o,
    input  logic                   stopped_i,      // the stop is done
    // What is shown
    input  logic                   started_i,
    input  logic                   kernel_done_i,
    input  logic                   waits_i,
    input  logic      [ 2:0][63:0] words_i,        // the command that the kernel waits in
    output logic      [ 3:0]       counter_o,
    input  logic      [31:0]       counter_i,
    input  logic      [47:0]       bytes_in_i,
    input  logic      [47:0]       bytes_out_i,
    output logic                   dropped_o,
    output logic                   idle_o
);

  typedef enum logic [3:0] {
    HEAD,
    WHERE,
    WHO,
    ALLOWED,
    WRITE,
    SKIP,
    ANSWER5,
    ANSWER6,
    FETCH,
    GET,
    VALUE,
    PAD
  } step_e;
  step_e step_q;
  logic ok_q, is_write_q;
  logic [7:0] count_q, left_q;
  logic [15:0] seq_q;
  logic [31:0] reg_q, first_q;
  endpoint_t from_q;
  logic [63:0] value_q;
  cfg_t cfg_q;
  logic stopping_q, waited_q;
  logic [63:0] since_q, start_cycle_q;

  logic is_table, take, in_word;
  logic [31:0] table_reg;
  assign table_reg = reg_q - 32'h100;
  assign is_table = reg_q >= 32'h100 && table_reg <= 32'd2 * MAX_RANKS + 1;
  assign in_word = in_valid_i && in_ready_o;
  assign take = step_q == WRITE && in_word && left_q != '0;

  always_comb begin
    unique case (step_q)
      HEAD, WHERE, SKIP: in_ready_o = 1'b1;
      WRITE: in_ready_o = !is_table || table_ready_i || left_q == '0;
      default: in_ready_o = 1'b0;
    endcase
    table_valid_o = step_q == WHO || (step_q == FETCH && is_table) ||
        (step_q == WRITE && in_valid_i && is_table && left_q != '0);
    table_o = '0;
    table_o.re = step_q != WRITE;
    table_o.we = step_q == WRITE;
    table_o.rank = step_q == WHO ? cfg_q.size : table_reg[7:1];
    table_o.word = step_q == WHO ? T_IP : {1'b0, table_reg[0]};
    table_o.wword = {1'b0, table_reg[0]};
    table_o.wdata = in_data_i;
  end

  // Reading
  logic [63:0] value;
  assign counter_o = reg_q[3:0];
  always_comb begin
    value = '0;
    if (is_table) value = table_i;
    else if (reg_q[31:4] == 28'h1) begin
      unique case (reg_q[3:0])
        4'(COUNTERS): value = 64'(bytes_in_i);
        4'(COUNTERS + 1): value = 64'(bytes_out_i);
        4'(COUNTERS + 2): value = started_i ? cycle_i - start_cycle_q : '0;
        default: value = reg_q[3:0] < 4'(COUNTERS) ? 64'(counter_i) : '0;
      endcase
    end else begin
      unique case (reg_q)
        32'h000: value = VERSION;
        32'h002: value = {61'd0, waits_i, kernel_done_i, started_i};
        32'h003: value = {32'd0, cfg_q.job};
        32'h004: value = {32'd0, 16'(cfg_q.size), 16'(cfg_q.rank)};
        32'h005: value = {32'd0, cfg_q.slots, cfg_q.eager};
        32'h006: value = {cfg_q.ack_delay, cfg_q.retransmit};
        32'h007: value = {16'd0, 16'(cfg_q.retries), cfg_q.window};
        32'h008: value = {32'(POOL_BYTES), 16'(REQUESTS), 16'(MAX_RANKS)};
        32'h020: value = waits_i ? words_i[0] : '0;
        32'h021: value = waits_i ? words_i[1] : '0;
        32'h022: value = waits_i ? words_i[2] : '0;
        32'h023: value = waits_i ? since_q : '0;
        default: ;
      endcase
    end
  end

  // Writing
  logic [7:0] op;
  assign op = in_data_i[39:32];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cfg_q <= '0;
      stopping_q <= 1'b0;
    end else begin
      if (take && !is_table) begin
        unique case (reg_q)
          32'h001: if (in_data_i[1]) stopping_q <= 1'b1;
          32'h003: cfg_q.job <= in_data_i[31:0];
          32'h004: begin
            cfg_q.rank <= rank_t'(in_data_i[15:0]);
            cfg_q.size <= in_data_i[31:16] > 16'(MAX_RANKS) ? rank_t'(MAX_RANKS) : rank_t'(in_data_i[31:16]);
          end
          32'h005: {cfg_q.slots, cfg_q.eager} <= in_data_i[31:0];
          32'h006: {cfg_q.ack_delay, cfg_q.retransmit} <= in_data_i;
          32'h007: begin
            cfg_q.window  <= in_data_i[31:0];
            cfg_q.retries <= in_data_i[47:40] != '0 ? 8'd255 : in_data_i[39:32];  // 255: never gives up
          end
          default: ;
        endcase
      end
      if (stopping_q) cfg_q.job <= '0;
      if (stopped_i) stopping_q <= 1'b0;
    end
  end
  assign start_o = take && reg_q == 32'h001 && in_data_i[0] && !in_data_i[1];
  assign stop_o  = stopping_q;
  assign cfg_o   = cfg_q;

  logic drop;
  assign dropped_o = step_q == SKIP && in_word && in_last_i && !ok_q;
  assign drop = (step_q == HEAD || step_q == WHERE) && in_last_i && !(step_q == WHERE && ok_q && !is_write_q);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) step_q <= HEAD;
    else begin
      unique case (step_q)
        HEAD: if (in_valid_i && !in_last_i) step_q <= WHERE;
        WHERE:
        if (in_valid_i) begin
          if (in_last_i) step_q <= drop ? HEAD : ANSWER5;
          else step_q <= !ok_q || !is_write_q ? SKIP : cfg_q.job != '0 ? WHO : WRITE;
        end
        WHO: if (table_ready_i) step_q <= ALLOWED;
        ALLOWED: step_q <= table_i[31:0] == from_q.ip ? WRITE : SKIP;
        WRITE: if (in_word && in_last_i) step_q <= ANSWER5;
        SKIP: if (in_valid_i && in_last_i) step_q <= ok_q ? ANSWER5 : HEAD;
        ANSWER5: if (out_ready_i) step_q <= ANSWER6;
        ANSWER6: if (out_ready_i) step_q <= is_write_q ? PAD : FETCH;
        FETCH: if (!is_table || table_ready_i) step_q <= GET;
        GET: step_q <= VALUE;
        VALUE: if (out_ready_i) step_q <= left_q == 8'd1 ? HEAD : FETCH;
        default: if (out_ready_i) step_q <= HEAD;
      endcase
    end
  end
  always_ff @(posedge clk_i) begin
    if (step_q == HEAD && in_valid_i) begin
      ok_q <= in_data_i[31:16] == 16'h4d50 && (op == 8'd1 || op == 8'd2) && in_data_i[47:40] != '0 &&
          in_data_i[47:40] <= 8'd128 && in_bytes_i >= (op == 8'd1 ? 13'd14 + {2'b0, in_data_i[47:40], 3'b0} : 13'd14);
      is_write_q <= op == 8'd1;
      count_q <= in_data_i[47:40];
      left_q <= in_data_i[47:40];
      seq_q <= in_data_i[63:48];
      from_q <= in_from_i;
    end
    if (step_q == WHERE && in_valid_i) begin
      reg_q   <= in_data_i[31:0];
      first_q <= in_data_i[31:0];
    end
    if (step_q == ALLOWED && table_i[31:0] != from_q.ip) ok_q <= 1'b0;
    if (take || (step_q == VALUE && out_ready_i)) begin
      reg_q  <= reg_q + 1'b1;
      left_q <= left_q - 1'b1;
    end
    if (step_q == GET) value_q <= value;
    waited_q <= waits_i;
    if (waits_i && !waited_q) since_q <= cycle_i;
    if (start_o) start_cycle_q <= cycle_i;
  end

  always_comb begin
    unique case (step_q)
      ANSWER5: out_data_o = {seq_q, count_q, is_write_q ? 8'd3 : 8'd4, 16'h4d50, 16'd0};
      ANSWER6: out_data_o = {32'd0, first_q};
      VALUE:   out_data_o = value_q;
      default: out_data_o = '0;
    endcase
  end
  assign out_valid_o = step_q inside {ANSWER5, ANSWER6, VALUE, PAD};
  assign out_last_o = step_q == PAD || (step_q == VALUE && left_q == 8'd1);
  assign out_to_o = from_q;
  assign out_bytes_o = 16'd14 + (is_write_q ? '0 : {5'd0, count_q, 3'b0});
  assign idle_o = step_q == HEAD && !in_valid_i && !stopping_q;
endmodule

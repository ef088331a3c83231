// SPDX-License-Identifier: Apache-2.0
// polyloom_shell_sender: sends responses, events and the role's frames to the host, a whole frame at a time.
// How:          PICK chooses the next source, in turn; then the frame's words follow, counted by index. A response that
//               reads takes its data from the read DMA.
// Latency:      1 cycle from a frame at an input to its first word.
// Throughput:   one word a cycle, one cycle lost a frame.
// Backpressure: tx valid and payload stand while stalled. tx_ready_i goes through to the source that is sending.
// Order/loss:   each input in its order; of waiting inputs, the next behind the last one in the ring response, event, role.
// Reset:        back to PICK.
// Limits:       a role frame that stops half way holds all others.
// Cost:         291 LUT, 8 FF; 212 ALM with 8 channels (UltraScale+; Intel ALM estimated;
//               `polyloom synth collective_node`, Yosys 0.70, 2026-11).
// Source:       own design.   Tests: test_polyloom_shell_sender.py
module polyloom_shell_sender
  import polyloom_shell_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,

    // From the parser
    input  logic    response_valid_i,
    output logic    response_ready_o,  // with the response's last word
    input  response_t response_i,

    // From the read DMA
    input  logic       word_valid_i,
    output logic       word_ready_o,
    input  host_word_t word_i,

    // From the role
    input  logic       event_valid_i,
    output logic       event_ready_o,
    input  event_t     event_i,
    input  logic       role_valid_i,
    output logic       role_ready_o,
    input  host_word_t role_i,

    // To the host
    output logic       tx_valid_o,
    input  logic       tx_ready_i,
    output host_word_t tx_o,

    output logic       idle_o,       // nothing to send
    // Counting
    output logic       frame_out_o,
    output logic [3:0] bytes_read_o
);

  typedef enum logic [1:0] {
    PICK,
    RESPONSE,
    EVENT,
    ROLE
  } state_e;
  state_e state_q, state_d, last_q;  // last_q: the source served last
  logic [1:0] index_q;  // word of the frame, stays at 2 in a response's data, at 3 at most

  logic accept, in_data;
  assign accept = tx_valid_o && tx_ready_i;
  assign in_data = state_q == RESPONSE && index_q == 2'd2;
  assign response_ready_o = state_q == RESPONSE && accept && tx_o.last;
  assign event_ready_o = state_q == EVENT && accept && tx_o.last;
  assign role_ready_o = state_q == ROLE && tx_ready_i;
  assign word_ready_o = in_data && tx_ready_i;
  assign frame_out_o = accept && tx_o.last;
  assign idle_o = state_q == PICK && !response_valid_i && !event_valid_i && !role_valid_i;
  assign bytes_read_o = !(in_data && accept) ? 4'd0
                      : word_i.last && response_i.word1[2:0] != 0 ? {1'b0, response_i.word1[2:0]} : 4'd8;

  always_comb begin
    tx_valid_o = 1'b0;
    tx_o = '{last: 1'b0, data: response_i.word0};
    case (state_q)
      RESPONSE: begin
        tx_valid_o = 1'b1;
        if (index_q == 2'd1) tx_o = '{last: !response_i.read, data: response_i.word1};
        if (in_data) begin
          tx_valid_o = word_valid_i;
          tx_o = word_i;
        end
      end
      EVENT: begin
        tx_valid_o = 1'b1;
        case (index_q)
          2'd0: tx_o.data = {8'd0, event_i.detail, 16'd0, event_i.code, OP_EVENT};
          2'd1: tx_o.data = event_i.begin_cycle;
          2'd2: tx_o.data = event_i.finish_cycle;
          default: tx_o = '{last: 1'b1, data: event_i.value};
        endcase
      end
      ROLE: begin
        tx_valid_o = role_valid_i;
        tx_o = role_i;
      end
      default: ;
    endcase
  end

  // After one of three the next in the ring RESPONSE, EVENT, ROLE has the first choice.
  always_comb begin
    state_d = state_q;
    if (frame_out_o) begin
      state_d = PICK;
    end else if (state_q == PICK) begin
      case (last_q)
        RESPONSE: state_d = event_valid_i ? EVENT : role_valid_i ? ROLE : response_valid_i ? RESPONSE : PICK;
        EVENT: state_d = role_valid_i ? ROLE : response_valid_i ? RESPONSE : event_valid_i ? EVENT : PICK;
        default: state_d = response_valid_i ? RESPONSE : event_valid_i ? EVENT : role_valid_i ? ROLE : PICK;
      endcase
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= PICK;
      last_q  <= ROLE;
      index_q <= '0;
    end else begin
      state_q <= state_d;
      if (state_q == PICK && state_d != PICK) last_q <= state_d;
      if (state_q == PICK) index_q <= '0;
      else if (accept && !in_data && state_q != ROLE) index_q <= index_q + 2'd1;
    end
  end

endmodule

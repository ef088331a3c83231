// SPDX-License-Identifier: Apache-2.0
// polyloom_hub_route: decides from a header and the rules by which port a TLP leaves, or why by none.
// How:          all rules are compared at once with address bits 38:24; exactly one port may match. Checks in this
//               order: malformed, poisoned, refused (a kind that must not come by this port), unmapped, overlap,
//               refused (a read of something else than the own hub), turn, absent.
// Latency:      none: combinational, 10 comparisons of 15 bits twice and some 5-bit logic.
// Throughput:   a header a cycle.
// Backpressure: none.
// Order/loss:   none.
// Reset:        none.
// Limits:       Port is a constant of the input that it serves.
// Cost:         see polyloom_hub_node.
// Source: PEACH2 section 2.2 (mask, lower and upper bound).   Tests: test_polyloom_hub_route.py.
module polyloom_hub_route
  import polyloom_hub_pkg::*;
  import polyloom_hub_registers_pkg::*;
#(
    parameter cfg_t Cfg = SMALL,
    parameter int unsigned Port = 0  // the input
) (
    input  rules_t              rules_i,
    input  logic    [LINKS-1:0] links_i,   // present
    input  header_t             header_i,
    output route_t              route_o
);

  logic [PORTS-1:0] match;
  logic [RULE_BITS-1:0] bits;
  assign bits = header_i.address[RULE_SHIFT+:RULE_BITS];
  always_comb begin
    match = '0;
    for (int unsigned p = 0; p < PORTS; p++) begin
      for (int unsigned r = 0; r < RULES; r++) begin
        if (rules_i[p][r].valid && rules_i[p][r].lower <= (bits & rules_i[p][r].mask)
            && (bits & rules_i[p][r].mask) <= rules_i[p][r].upper) begin
          match[p] = 1'b1;
        end
      end
    end
  end

  logic is_read, is_write, is_completion, malformed, refused;
  logic [12:0] page_end;
  logic [31:0] most;
  assign is_read = header_i.kind == TYPE_READ;
  assign is_write = header_i.kind == TYPE_WRITE;
  assign is_completion = header_i.kind == TYPE_COMPLETION;
  assign most = is_read ? READ_BYTES : Cfg.max_payload;
  assign page_end = {1'b0, header_i.address[11:0]} + {3'b0, header_i.length[9:0]};
  assign malformed = !(is_read || is_write || is_completion) || header_i.length == '0 || header_i.length > most
      || (!is_completion && page_end > 13'(PAGE));
  if (Port == NORTH) begin : gen_north
    assign refused = 1'b0;
  end else if (Port == REPLY) begin : gen_reply
    assign refused = is_write;
  end else begin : gen_other
    assign refused = !is_write;
  end

  // The window's own end: above it no rule counts.
  logic in_window, one;
  assign in_window = header_i.address[63:ADDR_W] == '0;
  assign one = (match & (match - 1'b1)) == '0;

  logic [PORTS-1:0] dest;
  if (Port == REPLY) begin : gen_to_north
    assign dest = PORTS'(1) << NORTH;
  end else begin : gen_to_match
    assign dest = is_completion ? PORTS'(1) << LOCAL : match;
  end

  localparam logic Rings = Port == EAST || Port == SOUTH || Port == WEST;
  logic by_address, turn;
  assign by_address = Port != REPLY && !is_completion;
  if (Rings) begin : gen_u_turn
    assign turn = dest[Port];
  end else begin : gen_no_u_turn
    assign turn = 1'b0;
  end

  always_comb begin
    route_o.cause = CAUSE_NONE;
    if (malformed) route_o.cause = CAUSE_MALFORMED;
    else if (header_i.poisoned && !is_completion) route_o.cause = CAUSE_POISONED;
    else if (refused) route_o.cause = CAUSE_REFUSED;
    else if (by_address && (!in_window || match == '0)) route_o.cause = CAUSE_UNMAPPED;
    else if (by_address && !one) route_o.cause = CAUSE_OVERLAP;
    else if (by_address && is_read && !match[LOCAL]) route_o.cause = CAUSE_REFUSED;
    else if (turn) route_o.cause = CAUSE_U_TURN;
    else if ((dest[LINKS-1:0] & ~links_i) != '0) route_o.cause = CAUSE_ABSENT;
    route_o.dest = dest;
    route_o.stream = is_write && header_i.address[32:28] == 5'd1;
    route_o.address = header_i.address[47:0];
  end

  logic unused;
  assign unused = ^{header_i.tag, header_i.zero, header_i.reserved};
endmodule

// SPDX-License-Identifier: Apache-2.0
// polyloom_hub_regs: the register space: rules, links, node, and what the hub's parts show and are told.
// How:          a write acts at once or is refused in the same cycle; a read goes through two registers, because there is
//               much to choose from. After reset two rules are valid: L has the own hub unit, N the own units 0 to 2.
// Latency:      write: next cycle. Read: rdata_o two edges after raddr_i stands.
// Throughput:   one access a cycle.
// Backpressure: none.
// Order/loss:   none.
// Reset:        node and links from strap_i; all else zero.
// Limits:       none.
// Cost:         see polyloom_hub_node.
// Source: own design; registers.h.   Tests: test_polyloom_hub_regs.py.
module polyloom_hub_regs
  import polyloom_hub_pkg::*;
  import polyloom_hub_registers_pkg::*;
#(
    parameter cfg_t Cfg = SMALL,
    localparam int unsigned L = Cfg.lanes,
    localparam int unsigned StatusWords = 2 + Cfg.lanes
) (
    input  logic                                      clk_i,
    input  logic                                      rst_ni,
    input  logic              [            7:0]       strap_i,
    input  logic              [           63:0]       cycle_i,
    // From the local unit
    input  logic                                      write_i,
    input  logic              [           15:0]       waddr_i,
    input  logic              [           63:0]       wdata_i,
    output logic                                      write_ok_o,       // combinational from waddr_i
    input  logic              [           15:0]       raddr_i,
    output logic              [           63:0]       rdata_o,
    output logic                                      read_ok_o,        // with rdata_o
    // To the switch
    output rules_t                                    rules_o,
    output logic              [      LINKS-1:0]       links_o,
    output logic              [            3:0]       node_o,
    // Faults and counters
    output logic                                      clear_o,
    input  fault_t                                    fault_i,
    input  logic                                      fault_more_i,
    input  logic              [     CAUSES-1:0][31:0] drops_i,
    output logic              [            2:0]       counter_port_o,
    output logic              [            2:0]       counter_event_o,
    input  logic              [           63:0]       counter_i,
    // DMA
    output logic                                      chain_start_o,
    output logic              [           63:0]       chain_address_o,
    input  dma_state_t                                dma_i,
    // Function
    output function_command_t                         command_o,
    output logic              [           63:0]       config_o,
    output lane_t             [          L-1:0]       lanes_o,
    input  function_state_t                           function_i,
    input  logic              [StatusWords-1:0][63:0] status_i,
    input  logic              [          L-1:0][63:0] bytes_i
);
  localparam logic HasFunction = Cfg.function_kinds != 0;

  logic [3:0] node_q;
  logic [LINKS-1:0] links_q;
  rules_t rules_q;
  logic [63:0] config_q;
  lane_t [L-1:0] lanes_q;
  assign node_o   = node_q;
  assign links_o  = links_q;
  assign rules_o  = rules_q;
  assign config_o = config_q;
  assign lanes_o  = lanes_q;

  // Where an address points in one of the blocks.
  logic [3:0] w_lane, r_lane;
  logic w_is_rule, w_is_lane;
  assign w_lane = waddr_i[8:5];
  assign w_is_rule = waddr_i[15:8] == REG_RULES[15:8] && waddr_i[7:4] < 4'(PORTS);
  assign w_is_lane = HasFunction && waddr_i[15:9] == REG_LANES[15:9] && 32'(w_lane) < L && waddr_i[4:3] != 2'd3;

  always_comb begin
    write_ok_o = w_is_rule || w_is_lane;
    unique case (waddr_i)
      REG_NODE, REG_LINKS, REG_STATUS_CLEAR: write_ok_o = 1'b1;
      REG_CHAIN: write_ok_o = !dma_i.chain_busy;
      REG_FUNCTION_CONTROL: write_ok_o = HasFunction && !(wdata_i[0] && (function_i.active || wdata_i[1]));
      REG_FUNCTION_CONFIG: write_ok_o = HasFunction;
      default: ;
    endcase
  end
  logic write;
  assign write = write_i && write_ok_o;
  assign clear_o = write && waddr_i == REG_STATUS_CLEAR;
  assign chain_start_o = write && waddr_i == REG_CHAIN;
  assign chain_address_o = wdata_i;
  assign command_o = '{
          step: write && waddr_i == REG_FUNCTION_CONTROL && wdata_i[0],
          flush: write && waddr_i == REG_FUNCTION_CONTROL && wdata_i[1],
          kind: wdata_i[15:8],
          used: wdata_i[31:16]
      };

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      node_q <= strap_i[3:0];
      links_q <= strap_i[7:4];
      rules_q <= '0;
      rules_q[NORTH][0] <= run_rule({strap_i[3:0], 11'h000}, {strap_i[3:0], 11'h5ff});
      rules_q[LOCAL][0] <= run_rule({strap_i[3:0], 11'h600}, {strap_i[3:0], 11'h7ff});
      config_q <= '0;
      lanes_q <= '0;
    end else if (write) begin
      if (waddr_i == REG_NODE) node_q <= wdata_i[3:0];
      if (waddr_i == REG_LINKS) links_q <= wdata_i[LINKS-1:0];
      if (waddr_i == REG_FUNCTION_CONFIG) config_q <= wdata_i;
      for (int unsigned p = 0; p < PORTS; p++) begin
        for (int unsigned r = 0; r < RULES; r++) begin
          if (w_is_rule && waddr_i[7:3] == 5'(2 * p + r)) begin
            rules_q[p][r] <= '{
                valid: wdata_i[63],
                mask: wdata_i[46:32],
                upper: wdata_i[30:16],
                lower: wdata_i[14:0]
            };
          end
        end
      end
      for (int unsigned l = 0; l < L; l++) begin
        if (w_is_lane && 32'(w_lane) == l) begin
          if (waddr_i[4:3] == 2'd0) lanes_q[l].base <= wdata_i[38:0];
          if (waddr_i[4:3] == 2'd1) lanes_q[l].capacity <= wdata_i[38:0];
          if (waddr_i[4:3] == 2'd2) lanes_q[l].flag <= wdata_i[38:0];
        end
      end
    end
  end

  // Reads.
  logic [15:0] raddr_q;
  logic [63:0] rdata_d;
  logic read_ok_d;
  assign counter_port_o  = raddr_i[8:6];
  assign counter_event_o = raddr_i[5:3];
  assign r_lane          = raddr_q[8:5];
  function automatic logic [63:0] rule_word(rule_t rule);
    return {rule.valid, 16'd0, rule.mask, 1'b0, rule.upper, 1'b0, rule.lower};
  endfunction
  always_comb begin
    rdata_d   = '0;
    read_ok_d = 1'b1;
    unique case (raddr_q)
      REG_ID: rdata_d = MAGIC;
      REG_SHAPE:
      rdata_d = {
        6'd0,
        6'(Cfg.memory_bits),
        7'(Cfg.tags),
        9'(HasFunction ? Cfg.function_width : 0),
        16'(Cfg.function_kinds),
        4'(HasFunction ? Cfg.lanes : 0),
        6'(Cfg.slots),
        10'(Cfg.max_payload)
      };
      REG_NODE: rdata_d = 64'(node_q);
      REG_LINKS: rdata_d = 64'(links_q);
      REG_STATUS:
      rdata_d = {
        fault_i.address,
        function_i.error,
        dma_i.proxy_error != DMA_NONE,
        dma_i.chain_error != DMA_NONE,
        fault_more_i,
        1'b0,
        fault_i.port,
        4'd0,
        fault_i.cause
      };
      REG_CYCLE: rdata_d = cycle_i;
      REG_CHAIN: rdata_d = 64'(dma_i.address);
      REG_DMA_STATE: rdata_d = {51'd0, dma_i.queued, 6'd0, dma_i.proxy_busy, dma_i.chain_busy};
      REG_CHAIN_ERROR: rdata_d = {dma_i.chain_address, 12'd0, dma_i.chain_error};
      REG_PROXY_ERROR: rdata_d = {60'd0, dma_i.proxy_error};
      REG_DMA_DONE: rdata_d = {dma_i.proxy_done, dma_i.chain_done};
      REG_FUNCTION_CONFIG: rdata_d = config_q;
      REG_FUNCTION_STATE:
      rdata_d = {16'd0, function_i.overflow, function_i.done, 14'd0, function_i.idle, function_i.active};
      default: begin
        read_ok_d = 1'b0;
        if (raddr_q[15:8] == REG_RULES[15:8] && raddr_q[7:4] < 4'(PORTS)) begin
          read_ok_d = 1'b1;
          for (int unsigned p = 0; p < PORTS; p++) begin
            for (int unsigned r = 0; r < RULES; r++) begin
              if (raddr_q[7:3] == 5'(2 * p + r)) rdata_d = rule_word(rules_q[p][r]);
            end
          end
        end
        if (raddr_q[15:9] == REG_COUNTERS[15:9] && raddr_q[8:6] < 3'(PORTS) && raddr_q[5:3] < 3'(EVENTS)) begin
          read_ok_d = 1'b1;
          rdata_d   = counter_i;
        end
        if (raddr_q[15:7] == REG_DROPS[15:7] && raddr_q[6:3] < 4'(CAUSES)) begin
          read_ok_d = 1'b1;
          for (int unsigned c = 0; c < CAUSES; c++) if (raddr_q[6:3] == 4'(c)) rdata_d = 64'(drops_i[c]);
        end
        if (HasFunction && raddr_q[15:8] == REG_FUNCTION_STATUS[15:8] && 32'(raddr_q[7:3]) < StatusWords) begin
          read_ok_d = 1'b1;
          for (int unsigned w = 0; w < StatusWords; w++) if (raddr_q[7:3] == 5'(w)) rdata_d = status_i[w];
        end
        if (HasFunction && raddr_q[15:9] == REG_LANES[15:9] && 32'(r_lane) < L) begin
          read_ok_d = 1'b1;
          for (int unsigned l = 0; l < L; l++) begin
            if (32'(r_lane) == l) begin
              unique case (raddr_q[4:3])
                2'd0: rdata_d = 64'(lanes_q[l].base);
                2'd1: rdata_d = 64'(lanes_q[l].capacity);
                2'd2: rdata_d = 64'(lanes_q[l].flag);
                default: rdata_d = bytes_i[l];
              endcase
            end
          end
        end
      end
    endcase
    if (!HasFunction && (raddr_q == REG_FUNCTION_CONFIG || raddr_q == REG_FUNCTION_STATE)) rdata_d = '0;
  end
  always_ff @(posedge clk_i) begin
    raddr_q   <= raddr_i;
    rdata_o   <= rdata_d;
    read_ok_o <= read_ok_d;
  end
endmodule

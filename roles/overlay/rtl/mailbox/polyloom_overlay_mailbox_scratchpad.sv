// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_mailbox_scratchpad: the scratchpad: in every cycle a word for a core, a flit read and a flit written.
// How:          two copies of true dual-port block RAM with the same contents.
//                   core word ----> port 0 [ cores'   ] port 1 <--+-- flit written
//                       '--> [ fifo ] --> port 1 [ network's ] <--'
//                                   '---> port 0 [           ] --> flit read
//               A stored word reaches the network's copy by whichever of its ports is idle. Both are busy only while a send is
//               read, four cycles at most, so eight words in the fifo are enough: a send starts only when the fifo is empty or
//               empties in that cycle (settled_o), and if one waits for that, the cores are held for some cycles (hold_i).
//               So a word is in the network's copy at most 8 cycles after its grant, before the thread's next call can come.
//               A word of the host (ctl) takes a cycle in which no core asks, or after 15 of them one in which cores wait.
//               TwoCopies = 0 leaves out the network's copy, to know its cost: not functional.
// Latency:      2 cycles from a core's request to its response if there is no other request; 1 from read_i to flit_o.
// Throughput:   one core request, one flit read and one flit written a cycle.
// Backpressure: cores: a queue for all their threads. scratchpad_ctl_ready_o depends on the cores' requests combinationally.
// Order/loss:   a core's requests in order. A flit read sees the words granted 9 cycles before and all flits written before;
//               a read of what is written in the same cycle is undefined.
// Reset:        queues empty; contents undefined.
// Limits:       legal Cfg: polyloom_overlay_mailbox. Addresses count modulo the scratchpad's size.
// Cost:         in polyloom_overlay_mailbox.
// Source:       own design.   Tests: test_polyloom_overlay_mailbox_scratchpad.py
module polyloom_overlay_mailbox_scratchpad
  import polyloom_overlay_pkg::*;
#(
    parameter cfg_t Cfg = TINY,
    parameter bit TwoCopies = 1'b1,
    localparam int unsigned SlotBits = $clog2(Cfg.mailbox_slots),
    localparam int unsigned FlitAddr = SlotBits + 2
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,
    // Cores
    input  logic     [Cfg.cores-1:0] req_valid_i,
    input  mem_req_t [Cfg.cores-1:0] req_i,
    output logic     [Cfg.cores-1:0] rsp_valid_o,
    output rsp_t                     rsp_o,
    // Host
    input  logic                     ctl_valid_i,
    output logic                     ctl_ready_o,
    input  ctl_req_t                 ctl_i,
    output logic                     ctl_rsp_valid_o,
    output logic     [         31:0] ctl_rdata_o,
    // Sender
    input  logic                     hold_i,           // grant no core: a send waits for settled_o
    output logic                     settled_o,        // what was stored is there or gets there in this cycle
    input  logic                     read_i,
    input  logic     [ FlitAddr-1:0] raddr_i,
    output logic     [FLIT_BITS-1:0] flit_o,
    // Receiver
    input  logic                     write_i,
    input  logic     [ FlitAddr-1:0] waddr_i,
    input  logic     [FLIT_BITS-1:0] flit_i
);

  localparam int unsigned C = Cfg.cores;
  localparam int unsigned CoreBits = C > 1 ? $clog2(C) : 1;
  localparam int unsigned MirrorWords = 8;

  typedef logic [FlitAddr-1:0] faddr_t;

  // What is kept of a request.
  typedef struct packed {
    logic                  store;
    logic [1:0]            size;
    logic                  sign;
    logic [3:0]            thread;
    logic [FlitAddr+4-1:0] addr;    // of a byte
    logic [31:0]           data;
  } access_t;

  // A word on its way to the network's copy.
  typedef struct packed {
    faddr_t      flit;
    logic [1:0]  word;
    logic [3:0]  be;
    logic [31:0] data;
  } word_t;

  // ---- which one is served ----

  access_t [C-1:0] requested;
  access_t granted, access;
  logic grant, any, ctl_go;
  logic [CoreBits-1:0] core;
  for (genvar c = 0; c < C; c++) begin : gen_core
    assign requested[c] = '{
            store: req_i[c].op == MEM_STORE,
            size: req_i[c].size,
            sign: req_i[c].sign,
            thread: req_i[c].thread,
            addr: req_i[c].addr[FlitAddr+4-1:0],
            data: req_i[c].data
        };
  end

  polyloom_overlay_mailbox_turns #(
      .Cores(C),
      .Depth(Cfg.threads),
      .Width($bits(access_t))
  ) i_turns (
      .clk_i,
      .rst_ni,
      .valid_i  (req_valid_i),
      .request_i(requested),
      .hold_i   (hold_i || ctl_go),
      .any_o    (any),
      .valid_o  (grant),
      .core_o   (core),
      .request_o(granted)
  );

  logic [3:0] patience_q;  // cycles that the host's request has waited
  assign ctl_go = ctl_valid_i && !hold_i && (!any || patience_q == '1);
  assign ctl_ready_o = !hold_i && (!any || patience_q == '1);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) patience_q <= '0;
    else if (!ctl_valid_i || ctl_ready_o) patience_q <= '0;
    else if (patience_q != '1) patience_q <= patience_q + 1'b1;
  end

  always_comb begin
    access = granted;
    if (ctl_go) begin
      access.store = ctl_i.op == CTL_WRITE_SCRATCHPAD;
      access.size  = 2'd2;
      access.addr  = ctl_i.addr[FlitAddr+4-1:0];
      access.data  = ctl_i.data;
    end
  end

  // ---- the cores' copy ----

  logic busy, store;
  word_t word;
  logic [3:0][31:0] core_rdata;
  assign busy  = grant || ctl_go;
  assign store = busy && access.store;
  always_comb begin
    word.flit = access.addr[4+:FlitAddr];
    word.word = access.addr[3:2];
    case (access.size)
      2'd0: begin
        word.be   = 4'b0001 << access.addr[1:0];
        word.data = {4{access.data[7:0]}};
      end
      2'd1: begin
        word.be   = access.addr[1] ? 4'b1100 : 4'b0011;
        word.data = {2{access.data[15:0]}};
      end
      default: begin
        word.be   = 4'b1111;
        word.data = access.data;
      end
    endcase
  end

  for (genvar b = 0; b < 4; b++) begin : gen_bank
    logic [31:0] unused;
    polyloom_ram_2rw_be #(
        .Width     (32),
        .Depth     (2 ** FlitAddr),
        .MayCollide(1'b1)            // a core may look at a slot that is not its own
    ) i_cores (
        .clk_i,
        .en_i   ({write_i, busy && word.word == 2'(b)}),
        .we_i   ({1'b1, store}),
        .be_i   ({4'b1111, word.be}),
        .addr_i ({waddr_i, word.flit}),
        .wdata_i({flit_i[32*b+:32], word.data}),
        .rdata_o({unused, core_rdata[b]})
    );
  end

  // The response: two cycles after the grant.
  logic response_q, sign_q, ctl_q;
  logic [1:0] size_q;
  logic [3:0] place_q, thread_q;
  logic [CoreBits-1:0] core_q;
  logic [31:0] rword, aligned, rdata_q;
  logic [C-1:0] rsp_valid_q;
  logic [3:0] rsp_thread_q;
  logic ctl_rsp_q;
  assign rword = core_rdata[place_q[3:2]];
  always_comb begin
    aligned = rword;
    if (size_q == 2'd0) begin
      aligned = 32'(rword[8*place_q[1:0]+:8]);
      if (sign_q && aligned[7]) aligned[31:8] = '1;
    end else if (size_q == 2'd1) begin
      aligned = 32'(rword[16*place_q[1]+:16]);
      if (sign_q && aligned[15]) aligned[31:16] = '1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      response_q  <= 1'b0;
      ctl_q       <= 1'b0;
      rsp_valid_q <= '0;
      ctl_rsp_q   <= 1'b0;
    end else begin
      response_q <= grant;
      ctl_q      <= ctl_go && !access.store;
      ctl_rsp_q  <= ctl_q;
      for (int unsigned c = 0; c < C; c++) rsp_valid_q[c] <= response_q && core_q == CoreBits'(c);
    end
  end
  always_ff @(posedge clk_i) begin
    if (busy) begin
      core_q   <= core;
      thread_q <= access.thread;
      size_q   <= access.size;
      sign_q   <= access.sign;
      place_q  <= access.addr[3:0];
    end
    if (response_q || ctl_q) begin
      rsp_thread_q <= thread_q;
      rdata_q      <= aligned;
    end
  end
  assign rsp_valid_o = rsp_valid_q;
  assign rsp_o = '{thread: rsp_thread_q, data: rdata_q, flags: '0};
  assign ctl_rsp_valid_o = ctl_rsp_q;
  assign ctl_rdata_o = rdata_q;

  // ---- the network's copy ----

  if (TwoCopies) begin : gen_copy
    logic mirrored, mirror_ready, mirror, by_write;
    logic [3:0] waiting_q;  // words in the fifo
    word_t oldest;
    polyloom_stream_lut_fifo #(
        .Width($bits(word_t)),
        .Depth(MirrorWords)
    ) i_mirror (
        .clk_i,
        .rst_ni,
        .flush_i    (1'b0),
        .in_valid_i (store),
        .in_ready_o (mirror_ready),
        .in_i       (word),
        .out_valid_o(mirrored),
        .out_ready_i(mirror),
        .out_o      (oldest)
    );
    assign by_write = !write_i;
    assign mirror = mirrored && (!write_i || !read_i);
    assign settled_o = waiting_q == '0 || (waiting_q == 4'd1 && by_write);
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) waiting_q <= '0;
      else waiting_q <= waiting_q + 4'(store) - 4'(mirror);
    end
    always_ff @(posedge clk_i) assert (!store || mirror_ready);

    for (genvar b = 0; b < 4; b++) begin : gen_bank
      logic here;
      logic [31:0] unused;
      assign here = mirror && oldest.word == 2'(b);
      polyloom_ram_2rw_be #(
          .Width     (32),
          .Depth     (2 ** FlitAddr),
          .MayCollide(1'b1)            // a core may look at a slot that is not its own
      ) i_network (
          .clk_i,
          .en_i   ({write_i || here, read_i || (here && !by_write)}),
          .we_i   ({1'b1, !read_i}),
          .be_i   ({write_i ? 4'b1111 : oldest.be, oldest.be}),
          .addr_i ({write_i ? waddr_i : oldest.flit, read_i ? raddr_i : oldest.flit}),
          .wdata_i({write_i ? flit_i[32*b+:32] : oldest.data, oldest.data}),
          .rdata_o({unused, flit_o[32*b+:32]})
      );
    end
  end else begin : gen_no_copy
    assign settled_o = 1'b1;
    assign flit_o = core_rdata;
    logic unused;
    assign unused = &{1'b0, read_i, raddr_i};
  end

  logic unused;
  always_comb begin
    unused = &{1'b0, ctl_i, access.thread};
    for (int unsigned c = 0; c < C; c++) unused &= req_i[c].addr[31];
  end

endmodule

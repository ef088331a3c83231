// SPDX-License-Identifier: Apache-2.0
// polyloom_axi_pkg: the AXI4 channels that memories and their users speak, as packed structs.
// How:          <channel>_valid, <channel>_ready, <channel> as any stream. A port is two structs, one each way (req from
//               the initiator, rsp to it), so that it is two signals. Left out, as nothing here uses them: lock, cache,
//               prot, qos, region, user. Bursts are INCR of whole beats: size and burst are fixed, and not carried.
// Source:       AMBA AXI4 (IHI 0022), the subset above.   Tests: test_polyloom_axi_mux.py
package polyloom_axi_pkg;

  localparam int unsigned ADDR_BITS = 40;
  localparam int unsigned ID_BITS = 4;
  localparam int unsigned DATA_BITS = 256;
  localparam int unsigned STRB_BITS = DATA_BITS / 8;
  localparam int unsigned SIZE = $clog2(STRB_BITS);  // AxSIZE of every burst
  localparam int unsigned BOUNDARY = 4096;  // bytes; no burst crosses a multiple

  typedef enum logic [1:0] {
    RESP_OKAY   = 2'd0,
    RESP_EXOKAY = 2'd1,
    RESP_SLVERR = 2'd2,
    RESP_DECERR = 2'd3
  } resp_e;

  typedef struct packed {
    logic [ID_BITS-1:0]   id;
    logic [ADDR_BITS-1:0] addr;  // multiple of STRB_BITS
    logic [7:0]           len;   // beats - 1
  } ax_t;

  typedef struct packed {
    logic [DATA_BITS-1:0] data;
    logic [STRB_BITS-1:0] strb;
    logic                 last;
  } w_t;

  typedef struct packed {
    logic [ID_BITS-1:0] id;
    resp_e              resp;
  } b_t;

  typedef struct packed {
    logic [ID_BITS-1:0]   id;
    logic [DATA_BITS-1:0] data;
    resp_e                resp;
    logic                 last;
  } r_t;

  typedef struct packed {
    logic aw_valid;
    ax_t  aw;
    logic w_valid;
    w_t   w;
    logic b_ready;
    logic ar_valid;
    ax_t  ar;
    logic r_ready;
  } req_t;

  typedef struct packed {
    logic aw_ready;
    logic w_ready;
    logic b_valid;
    b_t   b;
    logic ar_ready;
    logic r_valid;
    r_t   r;
  } rsp_t;

endpackage

// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_csrs_pkg: control and status registers of a thread.
// How:          Made from spec/ by python -m spec; do not edit.
// Source: docs/reference/registers.md.   Tests: those of the modules.
package polyloom_overlay_csrs_pkg;

  typedef enum logic [11:0] {
    CSR_FFLAGS = 12'h001,
    CSR_FRM = 12'h002,
    CSR_FCSR = 12'h003,
    CSR_INSTR_ADDR = 12'h800,
    CSR_INSTR = 12'h801,
    CSR_FREE = 12'h802,
    CSR_CAN_SEND = 12'h803,
    CSR_CAN_RECV = 12'h805,
    CSR_SEND_LEN = 12'h806,
    CSR_SEND_PTR = 12'h807,
    CSR_SEND_DEST = 12'h808,
    CSR_RECV = 12'h809,
    CSR_WAIT_UNTIL = 12'h80a,
    CSR_FROM_UART = 12'h80b,
    CSR_TO_UART = 12'h80c,
    CSR_NEW_THREAD = 12'h80d,
    CSR_KILL_THREAD = 12'h80e,
    CSR_EMIT = 12'h80f,
    CSR_CYCLE = 12'hc00,
    CSR_FLUSH = 12'hc01,
    CSR_PERF_COUNT = 12'hc07,
    CSR_MISS_COUNT = 12'hc08,
    CSR_HIT_COUNT = 12'hc09,
    CSR_WRITEBACK_COUNT = 12'hc0a,
    CSR_CPU_IDLE_COUNT = 12'hc0b,
    CSR_CPU_IDLE_COUNT_U = 12'hc0c,
    CSR_CYCLE_U = 12'hc0d,
    CSR_PROG_ROUTER_SENT = 12'hc0e,
    CSR_PROG_ROUTER_SENT_INTER = 12'hc0f,
    CSR_HART_ID = 12'hf14
  } csr_e;

  // By page, the upper eight bits.
  function automatic logic csr_exists(input logic [11:0] number);
    case (number[11:4])
      8'h00:   return number[3:0] inside {[4'h1 : 4'h3]};
      8'h80:   return number[3:0] inside {[4'h0 : 4'h3], [4'h5 : 4'hf]};
      8'hc0:   return number[3:0] inside {[4'h0 : 4'h1], [4'h7 : 4'hf]};
      8'hf1:   return number[3:0] inside {4'h4};
      default: return 1'b0;
    endcase
  endfunction

endpackage

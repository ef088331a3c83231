// SPDX-License-Identifier: Apache-2.0
// overlay_fpu_tb: FPUs of three sizes for overlay_fpu_rtl_test.cc, their ports side by side: 4 cores of 16 threads (ports 0
// to 3), 1 core of 1 thread (4), 2 cores of 2 threads (5, 6).
// verilog_format: off
module overlay_fpu_tb
  import polyloom_overlay_pkg::*;
#(
    parameter bit Fpu = 1  // else M only
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic [ 6:0] req_valid_i,
    input  logic [ 4:0] op_i        [7],
    input  logic [ 2:0] rm_i        [7],
    input  logic [ 3:0] thread_i    [7],
    input  logic [31:0] a_i         [7],
    input  logic [31:0] b_i         [7],
    input  logic [31:0] c_i         [7],
    output logic [ 6:0] rsp_valid_o,
    output logic [ 6:0] div_valid_o,
    // By FPU
    output logic [ 3:0] rsp_thread_o[3],
    output logic [31:0] rsp_data_o  [3],
    output logic [ 4:0] rsp_flags_o [3],
    output logic [ 3:0] div_thread_o[3],
    output logic [31:0] div_data_o  [3],
    output logic [ 4:0] div_flags_o [3]
);

  typedef int unsigned numbers_t[3];
  localparam numbers_t CORES = '{4, 1, 2};
  localparam numbers_t THREADS = '{16, 1, 2};
  localparam numbers_t FIRST = '{0, 4, 5};

  function automatic cfg_t sized(input int unsigned cores, input int unsigned threads);
    cfg_t cfg;
    cfg = TINY;
    cfg.cores = cores;
    cfg.threads = threads;
    cfg.fpu = Fpu;
    return cfg;
  endfunction

  for (genvar i = 0; i < 3; i++) begin : gen_fpu
    fpu_req_t [CORES[i]-1:0] req;
    rsp_t rsp, div;
    for (genvar k = 0; k < CORES[i]; k++) begin : gen_core
      localparam int unsigned Port = FIRST[i] + k;
      assign req[k] = '{
              op: fpu_op_e'(op_i[Port]),
              rm: rm_i[Port],
              thread: thread_i[Port],
              a: a_i[Port],
              b: b_i[Port],
              c: c_i[Port]
          };
    end
    polyloom_overlay_fpu #(.Cfg(sized(CORES[i], THREADS[i]))) i_fpu (.req_valid_i(req_valid_i[FIRST[i]+:CORES[i]]),
        .req_i(req), .rsp_valid_o(rsp_valid_o[FIRST[i]+:CORES[i]]), .rsp_o(rsp),
        .div_valid_o(div_valid_o[FIRST[i]+:CORES[i]]), .div_o(div), .*);
    assign rsp_thread_o[i] = rsp.thread;
    assign rsp_data_o[i]   = rsp.data;
    assign rsp_flags_o[i]  = rsp.flags;
    assign div_thread_o[i] = div.thread;
    assign div_data_o[i]   = div.data;
    assign div_flags_o[i]  = div.flags;
  end

endmodule

# SPDX-License-Identifier: Apache-2.0
# lint: polyloom_axi_mux ByOrder=0
# lint: polyloom_axi_mux ByOrder=1
polyloom_axi_pkg.sv
+incdir+${common_cells}/include
${common_cells}/src/cf_math_pkg.sv
${common_cells}/src/lzc.sv
${common_cells}/src/rr_arb_tree.sv
${common_cells}/src/fifo_v3.sv
polyloom_axi_mux_arbiter.sv
polyloom_axi_mux_list.sv
polyloom_axi_mux.sv

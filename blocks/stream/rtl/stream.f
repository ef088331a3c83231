# SPDX-License-Identifier: Apache-2.0
# lint: polyloom_stream_ram_fifo Width=289 Depth=128
# lint: polyloom_stream_ram_fifo Width=1 Depth=2
# lint: polyloom_stream_ram_fifo Width=8 Depth=3
# The package, and this folder's modules. Spill registers, small FIFOs, forks and arbiters are the library's.
polyloom_stream_pkg.sv
-f ../../ram/rtl/ram.f
${common_cells}/src/spill_register.sv
${common_cells}/src/fifo_v3.sv
${common_cells}/src/stream_fifo.sv
${common_cells}/src/stream_fork.sv
${common_cells}/src/cf_math_pkg.sv
${common_cells}/src/lzc.sv
+incdir+${common_cells}/include
${common_cells}/src/rr_arb_tree.sv
polyloom_stream_ram_fifo.sv
-f lut_fifo.f

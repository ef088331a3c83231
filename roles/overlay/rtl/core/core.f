# SPDX-License-Identifier: Apache-2.0
# lint: polyloom_overlay_resume Threads=16 Ports=4
# lint: polyloom_overlay_resume Threads=1 Ports=6
# lint: polyloom_overlay_imem Words=2048 Ports=2
# lint: polyloom_overlay_imem Words=64 Ports=1
# lint: polyloom_overlay_decode Fp=1 MulDiv=1
# lint: polyloom_overlay_decode Fp=0 MulDiv=0
# lint: polyloom_overlay_context AddrBits=11
# lint: polyloom_overlay_next_pc AddrBits=11
# lint: polyloom_overlay_next_pc AddrBits=16
# lint: polyloom_overlay_context AddrBits=16
# lint: polyloom_overlay_responses Threads=16 Fpu=1
# lint: polyloom_overlay_responses Threads=1 Fpu=0
# lint: polyloom_overlay_regfile Fp=1
# lint: polyloom_overlay_regfile Fp=0
# lint: polyloom_overlay_issue Threads=16 Ports=4 Words=2048
# The cores of a tile.
-f ../pkg.f
-f ../../../../blocks/clock/rtl/clock.f
-f ../../../../blocks/ram/rtl/ram.f
${common_cells}/src/cf_math_pkg.sv
${common_cells}/src/lzc.sv
+incdir+${common_cells}/include
${common_cells}/src/rr_arb_tree.sv
polyloom_overlay_ready_queue.sv
polyloom_overlay_resume.sv
polyloom_overlay_issue.sv
polyloom_overlay_event.sv
polyloom_overlay_context.sv
polyloom_overlay_responses.sv
polyloom_overlay_regfile.sv
polyloom_overlay_imem.sv
polyloom_overlay_decode.sv
polyloom_overlay_immediate.sv
polyloom_overlay_shifter.sv
polyloom_overlay_alu.sv
polyloom_overlay_count.sv
polyloom_overlay_csr.sv
polyloom_overlay_writeback.sv
polyloom_overlay_operands.sv
polyloom_overlay_next_pc.sv
polyloom_overlay_core.sv
polyloom_overlay_cache_counts.sv
polyloom_overlay_cores.sv

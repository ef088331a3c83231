# SPDX-License-Identifier: Apache-2.0
# The FPU that a tile's cores share.
-f ../pkg.f
${common_cells}/src/cf_math_pkg.sv
${common_cells}/src/lzc.sv
-f ../../../../blocks/stream/rtl/lut_fifo.f
../../../../blocks/ram/rtl/polyloom_ram_1r1w.sv
polyloom_overlay_fpu_pkg.sv
polyloom_overlay_fpu_queue.sv
polyloom_overlay_fpu_prepare.sv
polyloom_overlay_fpu_sum.sv
polyloom_overlay_fpu_round.sv
polyloom_overlay_fpu_pipe.sv
polyloom_overlay_divider_queue.sv
polyloom_overlay_fpu_divider.sv
polyloom_overlay_muldiv_queue.sv
polyloom_overlay_muldiv_multiplier.sv
polyloom_overlay_muldiv_divider.sv
polyloom_overlay_muldiv.sv
polyloom_overlay_fpu.sv

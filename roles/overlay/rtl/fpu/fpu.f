# SPDX-License-Identifier: Apache-2.0
# The FPU that a tile's cores share.
-f ../pkg.f
+incdir+${common_cells}/include
${common_cells}/src/cf_math_pkg.sv
${common_cells}/src/lzc.sv
-f ../../../../blocks/stream/rtl/lut_fifo.f
../../../../blocks/ram/rtl/polyloom_ram_1r1w.sv
${cvfpu}/src/fpnew_pkg.sv
${cvfpu}/vendor/opene906/E906_RTL_FACTORY/gen_rtl/clk/rtl/gated_clk_cell.v
${cvfpu}/vendor/opene906/E906_RTL_FACTORY/gen_rtl/fpu/rtl/pa_fpu_dp.v
${cvfpu}/vendor/opene906/E906_RTL_FACTORY/gen_rtl/fpu/rtl/pa_fpu_frbus.v
${cvfpu}/vendor/opene906/E906_RTL_FACTORY/gen_rtl/fpu/rtl/pa_fpu_src_type.v
${cvfpu}/vendor/opene906/E906_RTL_FACTORY/gen_rtl/fdsu/rtl/pa_fdsu_ctrl.v
${cvfpu}/vendor/opene906/E906_RTL_FACTORY/gen_rtl/fdsu/rtl/pa_fdsu_ff1.v
${cvfpu}/vendor/opene906/E906_RTL_FACTORY/gen_rtl/fdsu/rtl/pa_fdsu_pack_single.v
${cvfpu}/vendor/opene906/E906_RTL_FACTORY/gen_rtl/fdsu/rtl/pa_fdsu_prepare.v
${cvfpu}/vendor/opene906/E906_RTL_FACTORY/gen_rtl/fdsu/rtl/pa_fdsu_round_single.v
${cvfpu}/vendor/opene906/E906_RTL_FACTORY/gen_rtl/fdsu/rtl/pa_fdsu_special.v
${cvfpu}/vendor/opene906/E906_RTL_FACTORY/gen_rtl/fdsu/rtl/pa_fdsu_srt_single.v
${cvfpu}/vendor/opene906/E906_RTL_FACTORY/gen_rtl/fdsu/rtl/pa_fdsu_top.v
${cvfpu}/src/fpnew_divsqrt_th_32.sv
polyloom_overlay_fpu_pkg.sv
polyloom_overlay_fpu_queue.sv
polyloom_overlay_fpu_prepare.sv
polyloom_overlay_fpu_sum.sv
polyloom_overlay_fpu_round.sv
polyloom_overlay_fpu_pipe.sv
polyloom_overlay_fpu_divider.sv
polyloom_overlay_fpu.sv

# SPDX-License-Identifier: Apache-2.0
# The overlay's FPU beside CVFPU with its divider for fp32.
-f ../../rtl/fpu/fpu.f
+incdir+${common_cells}/include
${common_cells}/src/cf_math_pkg.sv
${common_cells}/src/lzc.sv
${common_cells}/src/rr_arb_tree.sv
${cvfpu}/src/fpnew_pkg.sv
${cvfpu}/src/fpnew_classifier.sv
${cvfpu}/src/fpnew_rounding.sv
${cvfpu}/src/fpnew_fma.sv
${cvfpu}/src/fpnew_fma_multi.sv
${cvfpu}/src/fpnew_noncomp.sv
${cvfpu}/src/fpnew_cast_multi.sv
${cvfpu}/vendor/opene906/E906_RTL_FACTORY/gen_rtl/clk/rtl/gated_clk_cell.v
${cvfpu}/vendor/opene906/E906_RTL_FACTORY/gen_rtl/fpu/rtl/pa_fpu_dp.v
${cvfpu}/vendor/opene906/E906_RTL_FACTORY/gen_rtl/fpu/rtl/pa_fpu_src_type.v
${cvfpu}/vendor/opene906/E906_RTL_FACTORY/gen_rtl/fpu/rtl/pa_fpu_frbus.v
${cvfpu}/vendor/opene906/E906_RTL_FACTORY/gen_rtl/fdsu/rtl/pa_fdsu_ctrl.v
${cvfpu}/vendor/opene906/E906_RTL_FACTORY/gen_rtl/fdsu/rtl/pa_fdsu_ff1.v
${cvfpu}/vendor/opene906/E906_RTL_FACTORY/gen_rtl/fdsu/rtl/pa_fdsu_pack_single.v
${cvfpu}/vendor/opene906/E906_RTL_FACTORY/gen_rtl/fdsu/rtl/pa_fdsu_prepare.v
${cvfpu}/vendor/opene906/E906_RTL_FACTORY/gen_rtl/fdsu/rtl/pa_fdsu_round_single.v
${cvfpu}/vendor/opene906/E906_RTL_FACTORY/gen_rtl/fdsu/rtl/pa_fdsu_special.v
${cvfpu}/vendor/opene906/E906_RTL_FACTORY/gen_rtl/fdsu/rtl/pa_fdsu_srt_single.v
${cvfpu}/vendor/opene906/E906_RTL_FACTORY/gen_rtl/fdsu/rtl/pa_fdsu_top.v
${cvfpu}/src/fpnew_divsqrt_th_32.sv
${cvfpu}/src/fpnew_opgroup_fmt_slice.sv
${cvfpu}/src/fpnew_opgroup_multifmt_slice.sv
${cvfpu}/src/fpnew_opgroup_block.sv
${cvfpu}/src/fpnew_top.sv
cvfpu_tb.sv

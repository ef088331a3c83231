# SPDX-License-Identifier: Apache-2.0
# The links between boards, top polyloom_overlay_link.
-f ../pkg.f
link.vlt
${common_cells}/src/cf_math_pkg.sv
${common_cells}/src/lzc.sv
-f ../../../../blocks/stream/rtl/lut_fifo.f
-f ../../../../blocks/reliable_link/rtl/reliable_link.f
polyloom_overlay_link_packer.sv
polyloom_overlay_link_unpacker.sv
polyloom_overlay_link_control.sv
polyloom_overlay_link.sv

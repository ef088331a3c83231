# SPDX-License-Identifier: Apache-2.0
# The host side of an overlay board, top polyloom_overlay_host. Board sizes other than the smallest: host_tb.sv.
-f ../pkg.f
-f ../../../../blocks/shell/rtl/pkg.f
-f ../../../../blocks/stream/rtl/stream.f
polyloom_overlay_host_range.sv
polyloom_overlay_host_words.sv
polyloom_overlay_host_frames.sv
polyloom_overlay_host_inject.sv
polyloom_overlay_host_room.sv
polyloom_overlay_host_tx.sv
polyloom_overlay_host_regs.sv
polyloom_overlay_host.sv

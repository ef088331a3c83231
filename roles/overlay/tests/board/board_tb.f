# SPDX-License-Identifier: Apache-2.0
-f ../../rtl/pkg.f
../../rtl/board/polyloom_overlay_distribute.sv
../../rtl/board/polyloom_overlay_counters.sv
../../rtl/board/polyloom_overlay_still.sv
board_tb.sv

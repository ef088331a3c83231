# SPDX-License-Identifier: Apache-2.0
# All of a board but its network; tiles and links are played by hand.
board_parts_tb.vlt
-f ../../rtl/memory/memory.f
../../../../blocks/reliable_link/rtl/polyloom_reliable_link_pkg.sv
-f ../../rtl/detector/detector.f
-f ../../rtl/host/host.f
-f ../../../../blocks/clock/rtl/clock.f
-f ../../../../blocks/shell/rtl/shell.f
tile_by_hand.sv
link_by_hand.sv
../../rtl/board/polyloom_overlay_distribute.sv
../../rtl/board/polyloom_overlay_tiles.sv
../../rtl/board/polyloom_overlay_periphery.sv
../../rtl/board/polyloom_overlay_frontend.sv
board_parts_tb.sv

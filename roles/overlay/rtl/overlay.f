# SPDX-License-Identifier: Apache-2.0
# An overlay board, top polyloom_overlay_node.
# lint: polyloom_overlay_node TilesX=1
# lint: polyloom_overlay_node TilesX=2 TilesY=2 Slices=2
# lint: polyloom_overlay_node TilesX=2 TilesY=2 Slices=2 Routers=0
-f core/core.f
-f fpu/fpu.f
-f memory/memory.f
-f mailbox/mailbox.f
-f noc/noc.f
-f link/link.f
-f detector/detector.f
-f host/host.f
-f ../../../blocks/clock/rtl/clock.f
-f ../../../blocks/shell/rtl/shell.f
-f ../../../blocks/stream/rtl/stream.f
board/polyloom_overlay_tile.sv
board/polyloom_overlay_distribute.sv
board/polyloom_overlay_tiles.sv
board/polyloom_overlay_periphery.sv
board/polyloom_overlay_frontend.sv
board/polyloom_overlay_counters.sv
board/polyloom_overlay_still.sv
board/polyloom_overlay_node.sv

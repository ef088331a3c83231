# SPDX-License-Identifier: Apache-2.0
# lint: polyloom_overlay_noc_room Flits=16 MaxFlits=4
# lint: polyloom_overlay_noc_room Flits=2 MaxFlits=1
# lint: polyloom_overlay_noc_input Flits=16 MaxFlits=4
# lint: polyloom_overlay_noc_input Flits=4 MaxFlits=4
# lint: polyloom_overlay_noc_arbiter Legs=5
# lint: polyloom_overlay_noc_arbiter Legs=1
# lint: polyloom_overlay_noc_output Legs=5
# lint: polyloom_overlay_noc_output Legs=1
# lint: polyloom_overlay_noc_exit Flits=32 MaxFlits=4
# lint: polyloom_overlay_noc_exit Flits=1 MaxFlits=1
# lint: polyloom_overlay_noc_switch Ports=3
# lint: polyloom_overlay_noc_crossbar Ports=3 Flits=4 MaxFlits=2
# lint: polyloom_overlay_noc_input Flits=7 MaxFlits=4 Replay=1
# The message network of a board. `-f noc.f` brings the package of the overlay too.
-f ../pkg.f
-f ../../../../blocks/clock/rtl/clock.f
-f ../../../../blocks/stream/rtl/lut_fifo.f
${common_cells}/src/cf_math_pkg.sv
${common_cells}/src/lzc.sv
+incdir+${common_cells}/include
${common_cells}/src/rr_arb_tree.sv
polyloom_overlay_records_pkg.sv
polyloom_overlay_noc_pkg.sv
polyloom_overlay_noc_room.sv
polyloom_overlay_noc_input.sv
polyloom_overlay_noc_arbiter.sv
polyloom_overlay_noc_output.sv
polyloom_overlay_noc_exit.sv
polyloom_overlay_noc_switch.sv
polyloom_overlay_noc_crossbar.sv
polyloom_overlay_router.sv
polyloom_overlay_expander_record.sv
polyloom_overlay_expander.sv
polyloom_overlay_board_input.sv
polyloom_overlay_router_port.sv
polyloom_overlay_board_router.sv
polyloom_overlay_noc.sv

# SPDX-License-Identifier: Apache-2.0
# lint: polyloom_collective_pick Sources=5 Reach=5'd27
# lint: polyloom_collective_pick Sources=3 Reach=3'd2
# The collective node, top polyloom_collective_node.
-f ../../../blocks/stream/rtl/stream.f
-f ../../../blocks/crc/rtl/crc32.f
-f ../../../blocks/operators/rtl/operators.f
-f ../../../blocks/shell/rtl/shell.f
polyloom_collective_encoding_pkg.sv
polyloom_collective_pkg.sv
polyloom_collective_pattern.sv
polyloom_collective_program.sv
polyloom_collective_sequencer.sv
polyloom_collective_regs.sv
polyloom_collective_watch.sv
polyloom_collective_sync.sv
polyloom_collective_pick.sv
polyloom_collective_switch.sv
polyloom_collective_read.sv
polyloom_collective_write.sv
polyloom_collective_tx.sv
polyloom_collective_rx.sv
polyloom_collective_slot.sv
polyloom_collective_engine.sv
polyloom_collective_owner.sv
polyloom_collective_node.sv

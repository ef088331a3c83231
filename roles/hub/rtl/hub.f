# SPDX-License-Identifier: Apache-2.0
# The hub, top polyloom_hub_node.
# lint: polyloom_hub_node FunctionKinds=24 Lanes=2 OpenDepth=64
# lint: polyloom_hub_node MaxPayload=256 FunctionKinds=16 FunctionWidth=128 FunctionNum=3 FunctionDen=5 GeometryLatency=136
# lint: polyloom_hub_clock Num=3 Den=5
# lint: polyloom_hub_node Lanes=1
-f ../../../blocks/stream/rtl/stream.f
-f ../../../blocks/operators/rtl/operators.f
polyloom_hub_registers_pkg.sv
polyloom_hub_pkg.sv
polyloom_hub_route.sv
polyloom_hub_queue.sv
polyloom_hub_input.sv
polyloom_hub_output.sv
polyloom_hub_switch.sv
polyloom_hub_faults.sv
polyloom_hub_counters.sv
polyloom_hub_memory_write.sv
polyloom_hub_merge.sv
polyloom_hub_packets.sv
polyloom_hub_regs.sv
polyloom_hub_local.sv
polyloom_hub_pack.sv
polyloom_hub_dma_read.sv
polyloom_hub_dma_write.sv
polyloom_hub_dma_walk.sv
polyloom_hub_dma_control.sv
polyloom_hub_dma.sv
polyloom_hub_clock.sv
polyloom_hub_lane.sv
polyloom_hub_function.sv
polyloom_hub_node.sv

# SPDX-License-Identifier: Apache-2.0
# The hub, top polyloom_hub_node.
-f ../../../blocks/stream/rtl/stream.f
-f ../../../blocks/operators/rtl/operators.f
polyloom_hub_pkg.sv
polyloom_hub_route.sv
polyloom_hub_input.sv
polyloom_hub_output.sv
polyloom_hub_switch.sv

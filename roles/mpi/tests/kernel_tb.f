# SPDX-License-Identifier: Apache-2.0
-f ../rtl/kernel_node.f
kernel_tb.vlt
polyloom_kernel_player.sv
kernel_units.sv
kernel_tb.sv

# SPDX-License-Identifier: Apache-2.0
# A kernel for tests: plays commands from DRAM.
polyloom_kernel_player.sv

# SPDX-License-Identifier: Apache-2.0
# The kernel node, top polyloom_kernel_node; the kernel polyloom_kernel_app comes with a list of its own.
# lint: polyloom_kernel_node -f ../tests/player.f
-f kernel_shell.f
polyloom_kernel_node.sv

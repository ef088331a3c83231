# SPDX-License-Identifier: Apache-2.0
# All of a kernel node but its kernel, top polyloom_kernel_shell.
-f mpe.f
polyloom_kernel_memory.sv
polyloom_kernel_shell.sv

# SPDX-License-Identifier: Apache-2.0
# The shell, top polyloom_shell.
shell.vlt
${common_cells}/src/spill_register.sv
polyloom_shell_pkg.sv
polyloom_shell_fifo.sv
polyloom_shell_parser.sv
polyloom_shell_write_dma.sv
polyloom_shell_read_dma.sv
polyloom_shell_regs.sv
polyloom_shell_sender.sv
polyloom_shell.sv

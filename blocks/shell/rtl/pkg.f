# SPDX-License-Identifier: Apache-2.0
# The shell's types alone, for what stands at its ports.
shell.vlt
polyloom_shell_pkg.sv

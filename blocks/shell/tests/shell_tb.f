# SPDX-License-Identifier: Apache-2.0
-f ../rtl/shell.f
shell_tb.sv

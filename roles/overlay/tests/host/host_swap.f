# SPDX-License-Identifier: Apache-2.0
-f ../../rtl/host/host.f
-f ../../../../blocks/shell/rtl/shell.f
host_swap_top.sv

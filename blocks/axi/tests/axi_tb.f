# SPDX-License-Identifier: Apache-2.0
-f ../rtl/axi.f
-f ../rtl/axi_checker.f
axi_tb.sv

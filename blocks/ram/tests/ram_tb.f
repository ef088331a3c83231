# SPDX-License-Identifier: Apache-2.0
-f ../rtl/ram.f
ram_tb.sv

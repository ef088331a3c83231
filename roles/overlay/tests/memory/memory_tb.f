# SPDX-License-Identifier: Apache-2.0
-f ../../rtl/memory/memory.f
memory_tb.vlt
memory_tb.sv

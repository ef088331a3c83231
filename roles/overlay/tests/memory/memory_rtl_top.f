# SPDX-License-Identifier: Apache-2.0
-f ../../rtl/memory/memory.f
memory_rtl_top.sv

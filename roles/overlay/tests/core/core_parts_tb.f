# SPDX-License-Identifier: Apache-2.0
-f ../../rtl/core/core.f
core_parts_tb.sv

# SPDX-License-Identifier: Apache-2.0
-f ../../rtl/core/core.f
core_units_tb.sv

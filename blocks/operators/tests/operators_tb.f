# SPDX-License-Identifier: Apache-2.0
-f ../rtl/operators.f
operators_tb.sv

# SPDX-License-Identifier: Apache-2.0
-f ../rtl/clock.f
clock_tb.sv

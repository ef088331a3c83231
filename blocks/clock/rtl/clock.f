# SPDX-License-Identifier: Apache-2.0
# lint: polyloom_clock_gate Gate=1'b1
# lint: polyloom_clock_gate Gate=1'b0
# lint: polyloom_clock_busy In=2 Out=3
polyloom_clock_gate.sv
polyloom_clock_busy.sv

# SPDX-License-Identifier: Apache-2.0
-f ../../rtl/fpu/fpu.f
fpu_tb.vlt
fpu_tb.sv

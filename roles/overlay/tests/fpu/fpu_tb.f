# SPDX-License-Identifier: Apache-2.0
-f ../../rtl/fpu/fpu.f
fpu_tb.sv

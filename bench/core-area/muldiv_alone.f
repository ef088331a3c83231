# SPDX-License-Identifier: Apache-2.0
-f ../../roles/overlay/rtl/fpu/fpu.f
muldiv_alone.sv

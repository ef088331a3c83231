# SPDX-License-Identifier: Apache-2.0
-f ../../rtl/link/link.f
link_tb.vlt
link_tb.sv

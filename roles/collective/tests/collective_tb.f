# SPDX-License-Identifier: Apache-2.0
-f ../rtl/collective.f
../../../blocks/axi/rtl/polyloom_axi_pkg.sv
collective_tb.vlt
collective_parts.sv
collective_tb.sv

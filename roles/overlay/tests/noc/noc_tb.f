# SPDX-License-Identifier: Apache-2.0
-f ../../rtl/noc/noc.f
noc_tb.sv

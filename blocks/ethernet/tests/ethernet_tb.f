# SPDX-License-Identifier: Apache-2.0
-f ../rtl/ethernet.f
ethernet_tb.sv

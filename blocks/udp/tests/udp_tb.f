# SPDX-License-Identifier: Apache-2.0
-f ../rtl/udp.f
udp_tb.sv

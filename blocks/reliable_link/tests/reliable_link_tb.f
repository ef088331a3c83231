# SPDX-License-Identifier: Apache-2.0
-f ../rtl/reliable_link.f
reliable_link_tb.sv

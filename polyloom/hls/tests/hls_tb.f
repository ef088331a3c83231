# SPDX-License-Identifier: Apache-2.0
-f ../rtl/hls.f
hls_tb.sv

# SPDX-License-Identifier: Apache-2.0
-f ../rtl/stream.f
stream_tb.sv

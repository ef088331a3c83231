# SPDX-License-Identifier: Apache-2.0
-f ../rtl/stream.f
polyloom_stream_checker.sv
stream_fifo_proof.sv

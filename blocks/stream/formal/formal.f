# SPDX-License-Identifier: Apache-2.0
-f ../rtl/stream.f
polyloom_stream_checker.sv
stream_ram_fifo_proof.sv
stream_lut_fifo_proof.sv

# SPDX-License-Identifier: Apache-2.0
-f ../rtl/axi.f
../../stream/formal/polyloom_stream_checker.sv
axi_mux_proof.sv

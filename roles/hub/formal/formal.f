# SPDX-License-Identifier: Apache-2.0
-f ../rtl/hub.f
../../../blocks/stream/formal/polyloom_stream_checker.sv
hub_output_proof.sv

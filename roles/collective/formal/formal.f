# SPDX-License-Identifier: Apache-2.0
-f ../rtl/collective.f
../../../blocks/stream/formal/polyloom_stream_checker.sv
collective_switch_proof.sv
collective_sync_proof.sv

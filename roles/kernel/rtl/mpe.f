# SPDX-License-Identifier: Apache-2.0
# The message passing engine, top polyloom_mpe.
-f ../../../blocks/ethernet/rtl/ethernet.f
-f ../../../blocks/udp/rtl/udp.f
mpe.vlt
polyloom_mpe_pkg.sv
polyloom_mpe_pair.sv
polyloom_mpe_parse.sv
polyloom_mpe_requests.sv
polyloom_mpe_unexpected.sv
polyloom_mpe_writer.sv
polyloom_mpe_reader.sv
polyloom_mpe_builder.sv
polyloom_mpe_receive.sv
polyloom_mpe_command.sv
polyloom_mpe_timers.sv
polyloom_mpe_send.sv
polyloom_mpe_retry.sv
polyloom_mpe_engine.sv
polyloom_mpe_counters.sv
polyloom_mpe_management.sv
polyloom_mpe_out.sv
polyloom_mpe.sv

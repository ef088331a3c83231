# SPDX-License-Identifier: Apache-2.0
# The message passing engine, top polyloom_mpe.
-f ../../../blocks/ethernet/rtl/ethernet.f
-f ../../../blocks/udp/rtl/udp.f
mpe.vlt
polyloom_mpe_pkg.sv
polyloom_mpe_isa_pkg.sv
polyloom_mpe_map_pkg.sv
polyloom_mpe_asm_pkg.sv
polyloom_mpe_program_boot_pkg.sv
polyloom_mpe_program_receive_pkg.sv
polyloom_mpe_program_match_pkg.sv
polyloom_mpe_program_rendezvous_pkg.sv
polyloom_mpe_program_command_pkg.sv
polyloom_mpe_program_response_pkg.sv
polyloom_mpe_program_send_pkg.sv
polyloom_mpe_program_work_pkg.sv
polyloom_mpe_program_time_pkg.sv
polyloom_mpe_program_manage_pkg.sv
polyloom_mpe_program_registers_pkg.sv
polyloom_mpe_program.sv
polyloom_mpe_sequencer.sv
polyloom_mpe_events.sv
polyloom_mpe_parse.sv
polyloom_mpe_writer.sv
polyloom_mpe_reader.sv
polyloom_mpe_builder.sv
polyloom_mpe_counters.sv
polyloom_mpe_out.sv
polyloom_mpe.sv

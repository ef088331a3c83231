# SPDX-License-Identifier: Apache-2.0
-f ../../rtl/noc/noc.f
overlay_input_proof.sv
overlay_board_input_proof.sv
overlay_output_proof.sv
overlay_router_proof.sv

# SPDX-License-Identifier: Apache-2.0
-f ../../rtl/noc/noc.f
overlay_router_proof.sv

# SPDX-License-Identifier: Apache-2.0
-f ../../rtl/noc/noc.f
board_router_alone.sv

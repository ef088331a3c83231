# SPDX-License-Identifier: Apache-2.0
-f ../rtl/hub.f
hub_tb.vlt
hub_parts.sv
hub_dma_parts.sv
hub_tb.sv

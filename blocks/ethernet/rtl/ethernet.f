# SPDX-License-Identifier: Apache-2.0
# lint: polyloom_ethernet_store Words=512
# lint: polyloom_ethernet_store Words=24
# Ethernet frames at a lane of 64 bits: check sequence, store of whole frames.
-f ../../crc/rtl/crc32.f
-f ../../ram/rtl/ram.f
-f ../../stream/rtl/lut_fifo.f
polyloom_ethernet_fcs_rx.sv
polyloom_ethernet_fcs_tx.sv
polyloom_ethernet_store.sv

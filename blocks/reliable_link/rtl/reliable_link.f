# SPDX-License-Identifier: Apache-2.0
# lint: polyloom_reliable_link MaxItems=60
# lint: polyloom_reliable_link MaxItems=3 TxItems=7 RxItems=5 ControlItems=2 AckDelay=1
# lint: polyloom_reliable_link_tx_channel Items=1024 FarItems=1024 SeqBits=16 MaxCount=60
# lint: polyloom_reliable_link_tx_channel Width=2 Items=3 FarItems=4 SeqBits=3 MaxCount=2
# lint: polyloom_reliable_link_rx_channel Items=1024 SeqBits=16
# lint: polyloom_reliable_link_rx_channel Width=2 Items=3 SeqBits=3
# The reliable link, top polyloom_reliable_link.
reliable_link.vlt
-f ../../crc/rtl/crc32.f
-f ../../ram/rtl/ram.f
polyloom_reliable_link_pkg.sv
polyloom_reliable_link_tx_channel.sv
polyloom_reliable_link_rx_channel.sv
polyloom_reliable_link_parser.sv
polyloom_reliable_link_framer.sv
polyloom_reliable_link.sv

# SPDX-License-Identifier: Apache-2.0
# lint: polyloom_crc32 Words=1
# lint: polyloom_crc32 Words=4
# lint: polyloom_crc32 Words=7
# CRC-32, top polyloom_crc32.
crc32.vlt
polyloom_crc32_pkg.sv
polyloom_crc32.sv

# SPDX-License-Identifier: Apache-2.0
# CRC-32, top polyloom_crc32.
crc32.vlt
polyloom_crc32_pkg.sv
polyloom_crc32.sv

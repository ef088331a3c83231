# SPDX-License-Identifier: Apache-2.0
# lint: polyloom_ram_1rw Width=32 Depth=13 ByteWidth=8
# lint: polyloom_ram_1r1w Width=32 Depth=13 ByteWidth=8
# lint: polyloom_ram_1r1w Width=289 Depth=128
# lint: polyloom_ram_2rw Width=32 Depth=13
# lint: polyloom_ram_2rw_be Width=32 Depth=13
# lint: polyloom_ram_2rw_be Width=32 Depth=16 MayCollide=1
polyloom_ram_1rw.sv
polyloom_ram_1r1w.sv
polyloom_ram_2rw.sv
polyloom_ram_2rw_be.sv

# SPDX-License-Identifier: Apache-2.0
polyloom_ram_1rw.sv
polyloom_ram_1r1w.sv

# SPDX-License-Identifier: Apache-2.0
-f ../../rtl/overlay.f
tile_alone.sv

# SPDX-License-Identifier: Apache-2.0
# A tile's cache, a slice of memories, the host's way to it.
# lint: polyloom_overlay_slice Clients=2
# lint: polyloom_overlay_slice Clients=9
-f ../pkg.f
-f ../../../../blocks/stream/rtl/stream.f
-f ../../../../blocks/ram/rtl/ram.f
polyloom_overlay_memory_pkg.sv
polyloom_overlay_cache_queue.sv
polyloom_overlay_cache_tags.sv
polyloom_overlay_cache_lines.sv
polyloom_overlay_cache_fill.sv
polyloom_overlay_cache_port.sv
polyloom_overlay_cache.sv
polyloom_overlay_slice_lines.sv
polyloom_overlay_slice.sv
polyloom_overlay_dma.sv

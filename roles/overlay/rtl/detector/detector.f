# SPDX-License-Identifier: Apache-2.0
# Termination detection: gather and detector.
-f ../pkg.f
-f ../../../../blocks/ram/rtl/ram.f
-f ../../../../blocks/stream/rtl/lut_fifo.f
polyloom_overlay_detector_pkg.sv
polyloom_overlay_gather.sv
polyloom_overlay_detector_read.sv
polyloom_overlay_detector_combine.sv
polyloom_overlay_detector_sum.sv
polyloom_overlay_detector.sv

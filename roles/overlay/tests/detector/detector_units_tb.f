# SPDX-License-Identifier: Apache-2.0
-f ../../rtl/detector/detector.f
detector_units_tb.sv

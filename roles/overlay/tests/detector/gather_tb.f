# SPDX-License-Identifier: Apache-2.0
-f ../../rtl/detector/detector.f
gather_tb.sv

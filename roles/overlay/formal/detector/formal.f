# SPDX-License-Identifier: Apache-2.0
-f ../../rtl/detector/detector.f
detector_early_proof.sv
detector_sum_proof.sv

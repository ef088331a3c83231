# SPDX-License-Identifier: Apache-2.0
# What all parts of the overlay share.
polyloom_overlay_csrs_pkg.sv
polyloom_overlay_pkg.sv

# SPDX-License-Identifier: Apache-2.0
# For simulation only.
polyloom_axi_pkg.sv
polyloom_axi_checker.sv

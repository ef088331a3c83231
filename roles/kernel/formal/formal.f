# SPDX-License-Identifier: Apache-2.0
../rtl/polyloom_mpe_pkg.sv
../rtl/polyloom_mpe_pair.sv
mpe_pair_proof.sv

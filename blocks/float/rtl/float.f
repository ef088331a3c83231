# SPDX-License-Identifier: Apache-2.0
# lint: polyloom_fp_add Width=32
# lint: polyloom_fp_add Width=64
# lint: polyloom_fp_mul Width=32
# lint: polyloom_fp_mul Width=64
# lint: polyloom_fp_add Width=32 Deep=1
# lint: polyloom_fp_add Width=64 Deep=1
# lint: polyloom_fp_mul Width=32 Deep=1
# lint: polyloom_fp_mul Width=64 Deep=1
# lint: polyloom_fp_cmp Width=32
# lint: polyloom_fp_cmp Width=64
# lint: polyloom_fp_from_int Width=32 IntWidth=32
# lint: polyloom_fp_from_int Width=32 IntWidth=64
# lint: polyloom_fp_from_int Width=64 IntWidth=32
# lint: polyloom_fp_from_int Width=64 IntWidth=64
# lint: polyloom_fp_to_int Width=32 IntWidth=32
# lint: polyloom_fp_to_int Width=32 IntWidth=64
# lint: polyloom_fp_to_int Width=64 IntWidth=32
# lint: polyloom_fp_to_int Width=64 IntWidth=64
# lint: polyloom_fp_resize FromWidth=32 ToWidth=64
# lint: polyloom_fp_resize FromWidth=64 ToWidth=32
# lint: polyloom_fp_div Width=32
# lint: polyloom_fp_div Width=64
# lint: polyloom_fp_sqrt Width=32
# lint: polyloom_fp_sqrt Width=64
# All floating-point units.
${common_cells}/src/cf_math_pkg.sv
${common_cells}/src/lzc.sv
polyloom_fp_pkg.sv
polyloom_fp_add.sv
polyloom_fp_mul.sv
polyloom_fp_cmp.sv
polyloom_fp_from_int.sv
polyloom_fp_to_int.sv
polyloom_fp_resize.sv
polyloom_fp_div.sv
polyloom_fp_sqrt.sv

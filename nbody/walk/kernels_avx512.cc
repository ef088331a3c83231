// SPDX-License-Identifier: Apache-2.0
#define POLYLOOM_SIMD avx512
#include "nbody/walk/simd_avx512.h"
// After the vectors that it is written in.
#include "nbody/walk/kernel_body.h"

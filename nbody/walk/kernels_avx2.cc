// SPDX-License-Identifier: Apache-2.0
#define POLYLOOM_SIMD avx2
#include "nbody/walk/simd_avx2.h"
// After the vectors that it is written in.
#include "nbody/walk/kernel_body.h"

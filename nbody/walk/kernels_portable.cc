// SPDX-License-Identifier: Apache-2.0
#define POLYLOOM_SIMD portable
#include "nbody/walk/simd_portable.h"
// After the vectors that it is written in.
#include "nbody/walk/kernel_body.h"

// SPDX-License-Identifier: Apache-2.0
#include "nbody/walk/kernels.h"

#include <cstdlib>
#include <string>

#include "fabric/error.h"

namespace polyloom::nbody {

namespace portable {
Kernels table(const char* name);
}
#ifdef POLYLOOM_NBODY_X86
namespace avx2 {
Kernels table(const char* name);
}
namespace avx512 {
Kernels table(const char* name);
}
#endif

namespace {

Kernels choose() {
  const char* wish = std::getenv("POLYLOOM_SIMD");
  const std::string name = wish == nullptr ? "" : wish;
#ifdef POLYLOOM_NBODY_X86
  const bool has2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool has512 = has2 && __builtin_cpu_supports("avx512f");
  if (has512 && (name.empty() || name == "avx512")) return avx512::table("avx512");
  if (has2 && (name.empty() || name == "avx2")) return avx2::table("avx2");
#endif
  if (name.empty() || name == "portable") return portable::table("portable");
  throw UserError("POLYLOOM_SIMD=" + name +
                  ": allowed are portable and, where the processor has them, avx2, avx512");
}

}  // namespace

const Kernels& kernels() {
  static const Kernels chosen = choose();
  return chosen;
}

}  // namespace polyloom::nbody

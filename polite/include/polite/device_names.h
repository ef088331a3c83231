// SPDX-License-Identifier: Apache-2.0
// Host meanings of device functions that vertex handlers may call, for handlers compiled into a host program
// (the native engine). They respond as one thread of an idle machine would: harmless and deterministic, except
// for the cycle counter, which counts nanoseconds of the wall clock.
#pragma once

#ifndef TINSEL

#include <chrono>
#include <cstdint>

inline uint32_t tinselId() { return 0; }
inline uint64_t polyloomNativeCycles() {
  return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}
inline uint32_t tinselCycleCount() { return static_cast<uint32_t>(polyloomNativeCycles()); }
inline uint32_t tinselCycleCountU() { return static_cast<uint32_t>(polyloomNativeCycles() >> 32) & 0xff; }
inline void tinselEmit(uint32_t) {}
inline void tinselPerfCountReset() {}
inline void tinselPerfCountStart() {}
inline void tinselPerfCountStop() {}
inline uint32_t tinselMissCount() { return 0; }
inline uint32_t tinselHitCount() { return 0; }
inline uint32_t tinselWritebackCount() { return 0; }
inline uint32_t tinselCPUIdleCount() { return 0; }
inline uint32_t tinselCPUIdleCountU() { return 0; }

#endif

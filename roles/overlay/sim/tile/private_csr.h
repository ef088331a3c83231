// SPDX-License-Identifier: Apache-2.0
// CSRs that only their thread can see: executed ahead of time.
#pragma once

#include "roles/overlay/sim/isa/exec.h"
#include "roles/overlay/sim/tile/thread.h"

namespace polyloom::overlay {

constexpr bool is_private_csr(unsigned number) {
  return csr::is_held(number) || is_fp_csr(number) || number == csr::hart_id;
}

/// Precondition: is_private_csr(in.csr()), or a read of a write-only CSR, which gives 0.
inline void execute_private_csr(Thread& t, const Inst& in) {
  if (is_fp_csr(in.csr())) return execute_fp_csr(in, t.x, t.fcsr);
  const CsrAccess access = csr_access(in.op, in, t.x);
  std::uint32_t result = access.number == csr::hart_id ? t.id : 0;
  if (std::uint32_t* held = t.held.find(access.number)) {
    if (csr::is_read(access.number)) result = *held;
    if (access.writes) *held = csr_update(in.op, *held, access.operand);
  }
  t.x[in.rd] = result;
}

/// Cache slot that a write of `operand` to the Flush CSR names: (set << 4) | way, whatever the number of
/// ways.
inline unsigned flushed_slot(const CacheShape& shape, std::uint32_t operand) {
  const unsigned set = (operand >> 4) & shape.set_mask;
  const unsigned way = operand & 15u & (shape.ways - 1);
  return (set << shape.way_shift) + way;
}

}  // namespace polyloom::overlay

// SPDX-License-Identifier: Apache-2.0
// CSRs that only their thread can see: executed ahead of time.
#pragma once

#include "roles/overlay/sim/isa/exec.h"
#include "roles/overlay/sim/tile/thread.h"

namespace polyloom::overlay {

constexpr bool is_private_csr(unsigned number) {
  switch (number) {
    case csr::instr:
    case csr::free:
    case csr::can_send:
    case csr::can_recv:
    case csr::recv:
    case csr::wait_until:
    case csr::from_uart:
    case csr::to_uart:
    case csr::new_thread:
    case csr::kill_thread:
    case csr::emit:
    case csr::cycle:
    case csr::cycle_u:
    case csr::flush:
    case csr::perf_count:
    case csr::miss_count:
    case csr::hit_count:
    case csr::writeback_count:
    case csr::cpu_idle_count:
    case csr::cpu_idle_count_u:
    case csr::prog_router_sent:
    case csr::prog_router_sent_inter:
      return false;
    default:
      return true;
  }
}

/// Precondition: is_private_csr(in.csr()), or a read of a write-only CSR, which gives 0.
inline void execute_private_csr(Thread& t, const Inst& in) {
  if (is_fp_csr(in.csr())) return execute_fp_csr(in, t.x, t.fcsr);
  const CsrAccess access = csr_access(in.op, in, t.x);
  std::uint32_t none = 0;
  std::uint32_t* held = &none;
  switch (access.number) {
    case csr::instr_addr:
      held = &t.instr_addr;
      break;
    case csr::send_len:
      held = &t.send_len;
      break;
    case csr::send_ptr:
      held = &t.send_ptr;
      break;
    case csr::send_dest:
      held = &t.send_dest;
      break;
    case csr::hart_id:
      t.x[in.rd] = t.id;
      return;
    default:
      break;
  }
  if (access.writes) *held = csr_update(in.op, *held, access.operand);
  t.x[in.rd] = 0;  // write-only
}

/// Cache slot that a write of `operand` to the Flush CSR names: (set << 4) | way, whatever the number of
/// ways.
inline unsigned flushed_slot(const CacheShape& shape, std::uint32_t operand) {
  const unsigned set = (operand >> 4) & shape.set_mask;
  const unsigned way = operand & 15u & (shape.ways - 1);
  return (set << shape.way_shift) + way;
}

}  // namespace polyloom::overlay

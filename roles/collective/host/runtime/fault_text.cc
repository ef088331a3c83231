// SPDX-License-Identifier: Apache-2.0
#include "roles/collective/host/runtime/fault_text.h"

#include <fmt/format.h>

#include "roles/collective/arch/program.h"

namespace polyloom::collective {
namespace {

std::string peer_text(const Topology& t, int rank, unsigned lane) {
  const auto& lanes = t.lanes[static_cast<std::size_t>(rank)];
  if (lane >= lanes.size() || lanes[lane].peer < 0) return fmt::format("lane {}", lane);
  return fmt::format("rank {} (lane {})", lanes[lane].peer, lane);
}

std::string waits(const Topology& t, int rank, std::uint64_t lanes, const char* what) {
  std::string text;
  for (unsigned l = 0; l < 32; ++l) {
    if (lanes >> l & 1) text += fmt::format("{}{}", text.empty() ? "" : ", ", peer_text(t, rank, l));
  }
  return text.empty() ? text : fmt::format(" waits for {} of {}", what, text);
}

std::string cause(const blocks::EventFrame& e, const Topology& t, int rank) {
  const unsigned lane = e.detail >> 16 & 0xff;
  const std::string peer = peer_text(t, rank, lane), from = lane == 0xff ? "" : " from " + peer;
  switch (static_cast<Fault>(e.code)) {
    case Fault::bad_program:
      return fmt::format(" was given an instruction that it cannot execute (index {}, {:#x})",
                         e.detail & 0xffff, e.value);
    case Fault::signature:
      return " got a block of another operation from " + peer + ": count, type, root or order differ";
    case Fault::length:
      return " got a block of another length than it expected" + from;
    case Fault::overflow:
      return " had no room for a beat from " + peer;
    case Fault::check:
      return " got a damaged block from " + peer;
    case Fault::aborted:
      return " stopped because " + peer + " did";
    case Fault::timeout: {
      const std::string pulses = waits(t, rank, e.value & 0xffffffff, "permission"),
                        data = waits(t, rank, e.value >> 32, "data");
      const std::string far = lane == 0xff ? "" : " waits for " + peer;
      return pulses.empty() && data.empty() && far.empty() ? " makes no progress" : pulses + data + far;
    }
    case Fault::unexpected:
      return " got data from " + peer + " where none was expected";
    case Fault::operator_error:
      return fmt::format(" has data that its operator cannot work on (status {:#x})", e.value);
  }
  return fmt::format(" stopped with code {}", e.code);
}

}  // namespace

std::string fault_text(const std::vector<std::optional<blocks::EventFrame>>& events, const Topology& topology,
                       double clock_hz) {
  std::string own, heard;
  for (std::size_t r = 0; r < events.size(); ++r) {
    if (!events[r] || events[r]->code == 0) continue;
    const std::string line = fmt::format(
        "\n  rank {}{} ({:.3f} us after its start)", r, cause(*events[r], topology, static_cast<int>(r)),
        static_cast<double>(events[r]->finish - events[r]->begin) / clock_hz * 1e6);
    (events[r]->code == static_cast<std::uint8_t>(Fault::aborted) ? heard : own) += line;
  }
  return "the operation was stopped:" + (own.empty() ? heard : own);
}

}  // namespace polyloom::collective

// SPDX-License-Identifier: Apache-2.0
// The registers of a hub (registers.h).
#include <algorithm>
#include <bit>
#include <cstring>

#include "roles/hub/sim/local.h"

namespace polyloom::hub {

namespace {

constexpr std::uint64_t kRuleBits = std::uint64_t{1} << 63 | 0x7fff'7fff'7fff;
constexpr std::uint64_t kAddressBits = (std::uint64_t{1} << 39) - 1;
constexpr unsigned kFixedStatus = 2;  ///< words of the operator's status before those of lanes
constexpr unsigned kLaneWords = 4;

/// Index in a table of words, if the offset lies in it.
std::optional<unsigned> place(std::uint64_t offset, std::uint32_t base, unsigned words) {
  if (offset < base || offset >= base + 8 * words) return std::nullopt;
  return static_cast<unsigned>((offset - base) / 8);
}

}  // namespace

std::uint64_t Local::shape() const {
  std::uint64_t kinds = 0;
  for (const auto kind : p_.kinds) kinds |= std::uint64_t{1} << static_cast<unsigned>(kind);
  return p_.max_payload | std::uint64_t{p_.slots} << 10 |
         std::uint64_t{function_.exists() ? p_.lanes : 0} << 16 | (kinds & 0xffff) << 20 |
         std::uint64_t{function_.exists() ? p_.function_width : 0} << 36 | std::uint64_t{p_.tags} << 45 |
         std::uint64_t{p_.memory_bits} << 52;
}

std::uint64_t Local::status() const {
  return switch_->status() | std::uint64_t{dma_.error(0) != 0} << 13 |
         std::uint64_t{dma_.error(1) != 0} << 14 | std::uint64_t{function_.error()} << 15;
}

std::optional<std::uint64_t> Local::read_counter(std::uint64_t offset) const {
  const auto i = place(offset, reg::counters, 8 * kPorts);
  if (!i || *i % 8 >= kCounters) return std::nullopt;
  return switch_->counter(*i / 8, static_cast<Counter>(*i % 8));
}

std::optional<std::uint64_t> Local::read_register(Cycle k, std::uint64_t offset) const {
  if (const auto i = place(offset, reg::rules, 2 * kPorts)) return switch_->rules[*i / 2][*i % 2];
  if (const auto i = place(offset, reg::drops, kCauses)) return switch_->drops(static_cast<Cause>(*i));
  if (function_.exists()) {
    if (const auto i = place(offset, reg::function_status, kFixedStatus + p_.lanes))
      return function_.status(*i);
    if (const auto i = place(offset, reg::lanes, kLaneWords * p_.lanes)) {
      const FunctionLane& lane = function_.lanes[*i / kLaneWords];
      const std::uint64_t words[kLaneWords] = {lane.base, lane.capacity, lane.flag, lane.bytes()};
      return words[*i % kLaneWords];
    }
  }
  switch (offset) {
    case reg::id:
      return kMagic;
    case reg::shape:
      return shape();
    case reg::node:
      return node_;
    case reg::links:
      return switch_->present;
    case reg::status:
      return status();
    case reg::cycle:
      return k;
    case reg::chain:
      return dma_.chain_address() % kWindowBytes;
    case reg::dma_state:
      return std::uint64_t{dma_.chain_busy()} | std::uint64_t{dma_.proxy_busy()} << 1 | dma_.queued() << 8;
    case reg::chain_error:
      return dma_.error(0);
    case reg::proxy_error:
      return dma_.error(1);
    case reg::dma_done:
      return dma_.done(0) | std::uint64_t{dma_.done(1)} << 32;
    case reg::function_config:
      return function_.config;
    case reg::function_state:
      return function_.state();
    default:
      return std::nullopt;
  }
}

bool Local::may_write(std::uint64_t offset, std::uint64_t value) const {
  if (place(offset, reg::rules, 2 * kPorts)) return true;
  if (const auto i = place(offset, reg::lanes, kLaneWords * p_.lanes)) {
    return function_.exists() && *i % kLaneWords != kLaneWords - 1;
  }
  switch (offset) {
    case reg::node:
    case reg::links:
    case reg::status_clear:
      return true;
    case reg::chain:
      return !dma_.chain_busy();
    case reg::function_control:
      return function_.exists() && ((value & 1) == 0 || (!function_.active() && (value & 2) == 0));
    case reg::function_config:
      return function_.exists();
    default:
      return false;
  }
}

/// Precondition: may_write().
void Local::write(std::uint64_t offset, std::uint64_t value, Effects& effects) {
  if (const auto i = place(offset, reg::rules, 2 * kPorts)) {
    switch_->rules[*i / 2][*i % 2] = value & kRuleBits;
  } else if (const auto j = place(offset, reg::lanes, kLaneWords * p_.lanes)) {
    FunctionLane& lane = function_.lanes[*j / kLaneWords];
    std::uint64_t* const words[] = {&lane.base, &lane.capacity, &lane.flag};
    *words[*j % kLaneWords] = value & kAddressBits;
  } else if (offset == reg::node) {
    node_ = value & (kMaxNodes - 1);
  } else if (offset == reg::links) {
    switch_->present = value & ((1u << kLinks) - 1);
  } else if (offset == reg::status_clear) {
    switch_->clear();
    effects.clear = true;
  } else if (offset == reg::chain) {
    effects.chain = value;
  } else if (offset == reg::function_config) {
    function_.config = value;
  } else if (offset == reg::function_control) {
    effects.begin = (value & 1) != 0;
    effects.flush = (value & 2) != 0;
    effects.command = value;
  }
}

}  // namespace polyloom::hub

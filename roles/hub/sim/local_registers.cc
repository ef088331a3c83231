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
constexpr std::uint32_t kLaneBytes = 32;

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
         std::uint64_t{function_.exists() ? p_.lanes : 0} << 16 | kinds << 20 |
         std::uint64_t{function_.exists() ? p_.function_width : 0} << 36 | std::uint64_t{p_.tags} << 45 |
         std::uint64_t{p_.memory_bits} << 52;
}

std::uint64_t Local::status() const {
  return switch_->status() | std::uint64_t{dma_[kChain].error() != 0} << 13 |
         std::uint64_t{dma_[kProxy].error() != 0} << 14 | std::uint64_t{function_.error()} << 15;
}

std::optional<std::uint64_t> Local::read_register(Cycle k, std::uint64_t offset) const {
  if (const auto i = place(offset, reg::rules, 2 * kPorts)) return switch_->rules[*i / 2][*i % 2];
  if (const auto i = place(offset, reg::counters, 8 * kPorts); i && *i % 8 < 6) {
    return switch_->counter(*i / 8, static_cast<Counter>(*i % 8));
  }
  if (const auto i = place(offset, reg::drops, kCauses)) return switch_->drops(static_cast<Cause>(*i));
  if (const auto i = place(offset, reg::function_status, kFixedStatus + p_.lanes))
    return function_.status(*i);
  if (const auto i = place(offset, reg::lanes, 4 * p_.lanes)) {
    return function_.exists() ? function_.lane_register(*i / 4, 8 * (*i % 4)) : 0;
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
      return dma_[kChain].descriptor_address();
    case reg::dma_state:
      return std::uint64_t{dma_[kChain].busy()} | std::uint64_t{dma_[kProxy].busy()} << 1 |
             proxies_.size() << 8;
    case reg::chain_error:
      return dma_[kChain].error();
    case reg::proxy_error:
      return dma_[kProxy].error();
    case reg::dma_done:
      return dma_[kChain].done() | std::uint64_t{dma_[kProxy].done()} << 32;
    case reg::function_config:
      return function_.config;
    case reg::function_state:
      return function_.state();
    default:
      return std::nullopt;
  }
}

/// All words of a write; false if one was refused. A descriptor for the proxy queue comes whole.
bool Local::write_registers(const Arrival& arrival, std::uint64_t offset) {
  const std::vector<std::uint8_t>& data = arrival.packet.payload;
  if (offset % 8 != 0 || data.size() % 8 != 0 || offset + data.size() > kRegisterBytes) return false;
  if (offset == reg::proxy) {
    if (data.size() != kDescriptorBytes) return false;
    if (proxies_.size() == kProxyDepth) {
      switch_->fault(Cause::proxy_full, arrival.source, arrival.packet.header.address);
      return true;
    }
    Descriptor descriptor;
    std::memcpy(&descriptor, data.data(), sizeof descriptor);
    proxies_.push_back(descriptor);
    return true;
  }
  for (std::size_t at = 0; at < data.size(); at += 8) {
    std::uint64_t value;
    std::memcpy(&value, data.data() + at, 8);
    if (!write_register(offset + at, value)) return false;
  }
  return true;
}

bool Local::write_register(std::uint64_t offset, std::uint64_t value) {
  if (const auto i = place(offset, reg::rules, 2 * kPorts)) {
    switch_->rules[*i / 2][*i % 2] = value & kRuleBits;
    return true;
  }
  if (offset == reg::function_control || offset == reg::function_config ||
      place(offset, reg::lanes, 4 * p_.lanes)) {
    return function_.exists() && write_function_register(offset, value);
  }
  switch (offset) {
    case reg::node:
      node_ = value & (kMaxNodes - 1);
      return true;
    case reg::links:
      switch_->present = value & ((1u << kLinks) - 1);
      return true;
    case reg::status_clear:
      switch_->clear();
      for (Dma& dma : dma_) dma.clear_error();
      return true;
    case reg::chain:
      if (dma_[kChain].busy()) return false;
      dma_[kChain].start(value);
      return true;
    default:
      return false;
  }
}

bool Local::write_function_register(std::uint64_t offset, std::uint64_t value) {
  if (offset == reg::function_config) {
    function_.config = value;
    return true;
  }
  if (offset == reg::function_control) {
    if ((value & 3) == 3) return false;
    if ((value & 2) != 0) function_.flush();
    return (value & 1) == 0 || function_.begin(value);
  }
  const std::uint64_t at = offset - reg::lanes;
  return function_.set_lane_register(static_cast<unsigned>(at / kLaneBytes), at % kLaneBytes,
                                     value & kAddressBits);
}

}  // namespace polyloom::hub

// SPDX-License-Identifier: Apache-2.0
#include "roles/hub/sim/local.h"

#include <algorithm>
#include <cstring>

namespace polyloom::hub {

using blocks::kNeverCycle;

namespace {

constexpr std::size_t kOutletPackets = 2;
constexpr unsigned kSources = 3;  ///< of packets to L's input: chain, proxy, function

}  // namespace

Local::Local(const std::string& name, const HubParams& params, unsigned node)
    : name_(name),
      p_(params),
      node_(node),
      memory_(name, std::uint64_t{1} << params.memory_bits),
      function_(params),
      tags_(params.tags) {
  for (unsigned c = 0; c < kChannels; ++c) dma_.push_back(Dma(p_, *this, c));
}

bool Local::step(Cycle k) {
  bool changed = false;
  while (!arrivals_.empty() && arrivals_.front().due <= k) {
    const Arrival arrival = std::move(arrivals_.front());
    arrivals_.pop_front();
    handle(k, arrival);
    changed = true;
  }
  while (!memory_reads_.empty() && memory_reads_.front().due <= k) {
    const MemoryRead r = memory_reads_.front();
    memory_reads_.pop_front();
    dma_[r.channel].data(memory_.data() + r.offset, r.bytes, false);
    changed = true;
  }
  if (!dma_[kProxy].busy() && !proxies_.empty()) {
    dma_[kProxy].start(proxies_.front());
    proxies_.pop_front();
    changed = true;
  }
  for (Dma& dma : dma_) changed |= dma.step(k);
  changed |= function_.step(k);
  changed |= send();
  return changed;
}

Cycle Local::next_due(Cycle k) const {
  Cycle due = kNeverCycle;
  if (!arrivals_.empty()) due = std::min(due, arrivals_.front().due);
  if (!memory_reads_.empty()) due = std::min(due, memory_reads_.front().due);
  if (!function_.quiet()) due = std::min(due, k + 1);
  return due == kNeverCycle ? due : std::max(due, k + 1);
}

/// One packet from the channels and the function, in turn.
bool Local::send() {
  Outlet& outlet = outlets_[0];
  if (outlet.packets.size() >= kOutletPackets) return false;
  for (unsigned n = 0; n < kSources; ++n) {
    const unsigned s = (turn_ + n) % kSources;
    const bool offers = s < kChannels ? dma_[s].offers() : function_.offers();
    if (!offers) continue;
    outlet.packets.push_back(s < kChannels ? dma_[s].take() : function_.take());
    turn_ = (s + 1) % kSources;
    return true;
  }
  return false;
}

const Beat* Local::offer(unsigned input) {
  Outlet& outlet = outlets_[input - kLocalPort];
  if (outlet.packets.empty()) return nullptr;
  outlet.beat = outlet.packets.front().beat(outlet.next);
  return &outlet.beat;
}

void Local::taken(unsigned input) {
  Outlet& outlet = outlets_[input - kLocalPort];
  if (++outlet.next < outlet.packets.front().beats()) return;
  outlet.next = 0;
  outlet.packets.pop_front();
}

void Local::beat(Cycle k, const Beat& beat, unsigned source) {
  if (!inside_) {
    incoming_ = {TlpHeader::from(beat.data[0], beat.data[1]), {}};
  } else {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(beat.data.data());
    incoming_.payload.insert(incoming_.payload.end(), bytes, bytes + beat.bytes);
  }
  inside_ = !beat.last;
  if (beat.last) arrivals_.push_back({k + p_.timing.local, source, std::move(incoming_)});
}

void Local::handle(Cycle k, const Arrival& arrival) {
  const TlpHeader& h = arrival.packet.header;
  const std::uint64_t offset = offset_of(h.address);
  const std::vector<std::uint8_t>& data = arrival.packet.payload;
  seen_.add(k);
  if (h.type == TlpType::completion) return completion(arrival);
  if (h.type == TlpType::memory_read) return answer(k, h, arrival.source);
  const auto refuse = [&](Cause cause) { switch_->fault(cause, arrival.source, h.address); };
  if (node_of(h.address) != node_ || unit_of(h.address) != Unit::hub) return refuse(Cause::refused);
  if (offset >= kHubMemory) {
    const std::uint64_t at = offset - kHubMemory;
    if (at + data.size() > memory_.bytes()) return refuse(Cause::refused);
    memory_.write(at, data.data(), data.size());
    written_ = k + p_.memory_write;
  } else if (offset >> 28 == 0) {
    if (!write_registers(arrival, offset)) refuse(Cause::refused);
  } else if (offset >> 28 == 1) {
    if (!function_.active() || function_.room() < data.size()) return refuse(Cause::function_full);
    function_.input(data.data(), data.size(), (h.address & kFunctionLast) != 0);
  } else {
    refuse(Cause::refused);
  }
}

void Local::completion(const Arrival& arrival) {
  const TlpHeader& h = arrival.packet.header;
  const std::vector<std::uint8_t>& data = arrival.packet.payload;
  if (h.tag >= tags_.size() || !tags_[h.tag].used) {
    return switch_->fault(Cause::refused, arrival.source, h.address);
  }
  if (h.poisoned) switch_->fault(Cause::poisoned, arrival.source, h.address);
  dma_[tags_[h.tag].channel].data(data.data(), data.size(), h.poisoned);
  if (h.left() <= data.size()) tags_[h.tag].used = false;
}

/// The answer to a read of a register, poisoned if there is none.
void Local::answer(Cycle k, const TlpHeader& read, unsigned source) {
  const std::uint64_t offset = offset_of(read.address);
  const bool own = node_of(read.address) == node_ && unit_of(read.address) == Unit::hub;
  std::optional<std::uint64_t> value;
  if (!own || read.length != 8 || offset % 8 != 0 || offset >= kRegisterBytes) {
    switch_->fault(Cause::refused, source, read.address);
  } else {
    value = read_register(k, offset);
  }
  const std::uint64_t word = value.value_or(~std::uint64_t{0});
  Packet packet{{.type = TlpType::completion, .poisoned = !value, .tag = read.tag, .length = 8, .address = 8},
                std::vector<std::uint8_t>(8)};
  std::memcpy(packet.payload.data(), &word, 8);
  outlets_[1].packets.push_back(std::move(packet));
}

bool Local::read(Cycle k, unsigned channel, std::uint64_t address, std::uint32_t bytes) {
  if (unit_of(address) == Unit::hub) {
    memory_free_ = std::max(memory_free_, k + p_.memory_read) + (bytes + kTlpBeat - 1) / kTlpBeat;
    memory_reads_.push_back({memory_free_, channel, offset_of(address) - kHubMemory, bytes});
    return true;
  }
  if (outlets_[1].packets.size() >= kOutletPackets || tags_[next_tag_].used) return false;
  tags_[next_tag_] = {true, channel};
  outlets_[1].packets.push_back({{.type = TlpType::memory_read,
                                  .tag = static_cast<std::uint8_t>(next_tag_),
                                  .length = bytes,
                                  .address = address}});
  next_tag_ = (next_tag_ + 1) % static_cast<unsigned>(tags_.size());
  return true;
}

std::string Local::waiting_for() const {
  std::string text;
  for (unsigned c = 0; c < kChannels; ++c) {
    if (!dma_[c].busy()) continue;
    text += (text.empty() ? "" : "; ") + std::string(c == kChain ? "a chain" : "a proxy descriptor") +
            " is in work";
  }
  if (function_.active()) text += (text.empty() ? "" : "; ") + std::string("the function waits for input");
  return text;
}

void Local::counters(const std::string& prefix, const fabric::CounterSink& sink) const {
  sink(prefix + "chain.descriptors", dma_[kChain].done());
  sink(prefix + "proxy.descriptors", dma_[kProxy].done());
}

void Local::digest(fabric::Digest& digest) const {
  digest.add(seen_.value());
  for (const Dma& dma : dma_) digest.add(dma.done()), digest.add(dma.error());
  function_.digest(digest);
}

}  // namespace polyloom::hub

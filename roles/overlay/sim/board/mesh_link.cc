// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/sim/board/mesh_link.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <stdexcept>

namespace polyloom::overlay {
namespace {

constexpr std::uint64_t kLastFlit = 1u << 6;
constexpr unsigned kLengthShift = 56;

/// What follows the header: a mask; with a header in every flit, a key is sent as one too.
bool has_mask(MessageKind kind, bool header_every_flit) {
  return kind == MessageKind::mask || (kind == MessageKind::key && header_every_flit);
}

std::uint64_t pack_header(const Message& message, unsigned epoch) {
  const bool key = message.kind == MessageKind::key;
  const auto thread =
      static_cast<std::uint64_t>(key || message.mask == 0 ? 0 : std::countr_zero(message.mask));
  return static_cast<std::uint64_t>(message.kind) | (std::uint64_t{epoch} << 3) |
         (std::uint64_t{message.flits - 1u} << 4) | (thread << 8) |
         ((key ? message.mask : message.dest) << 16);
}

MessageKind kind_of(std::uint64_t header) { return static_cast<MessageKind>(header & 7); }
unsigned flits_of(std::uint64_t header) { return static_cast<unsigned>((header >> 4) & 3) + 1; }

std::uint64_t payload(const Message& message, unsigned i) {
  return message.data[2 * i] | (std::uint64_t{message.data[2 * i + 1]} << 32);
}

blocks::ReliableLinkParams link_params(const MeshLinkConfig& config, fabric::Time word_period) {
  return config.published ? blocks::ReliableLinkParams::as_published()
                          : blocks::ReliableLinkParams::standard(fabric::Clock(config.clock_hz),
                                                                 config.latency, word_period);
}

}  // namespace

MeshLink::MeshLink(fabric::Tx& tx, fabric::Rx& rx, const MeshLinkConfig& config)
    : config_(config), link_(tx, rx, link_params(config, tx.period()), fabric::Clock(config.clock_hz)) {}

// ---- sending ----

bool MeshLink::has_space(blocks::Channel channel, std::size_t items) const {
  return (channel == blocks::kData ? link_.data_space() : link_.control_space()) >= items;
}

/// Space as it is when all has been told that frames tell before cycle `to`.
bool MeshLink::space(blocks::Channel channel, std::size_t items, Cycle to) {
  if (has_space(channel, items)) return true;
  link_.transmit(to);
  return has_space(channel, items);
}

void MeshLink::send(Cycle to, const Message& message, unsigned epoch) {
  Cycle& last = pushed_[blocks::kData];
  last = std::max(last, to);
  const auto push = [&](std::uint64_t item) {
    if (!link_.push_data(last, item)) throw std::logic_error("a message without room on its link");
  };
  const std::uint64_t header = pack_header(message, epoch);
  if (!config_.header_every_flit) {
    push(header | kLastFlit);
    if (has_mask(message.kind, false)) push(message.mask);
    for (unsigned i = 0; i < 2u * message.flits; ++i) push(payload(message, i));
    return;
  }
  for (unsigned flit = 0; flit < message.flits; ++flit) {
    push(header | (flit + 1u == message.flits ? kLastFlit : 0));
    if (has_mask(message.kind, true)) push(message.mask);
    push(payload(message, 2 * flit));
    push(payload(message, 2 * flit + 1));
  }
}

void MeshLink::send_control(Cycle to, Cycle c, std::span<const std::uint64_t> words) {
  assert(!words.empty() && words.size() < 32);
  Pending pending{c, {}};
  if (config_.published) pending.words.push_back(static_cast<std::uint64_t>(MessageKind::control));
  pending.words.insert(pending.words.end(), words.begin(), words.end());
  std::uint64_t& first = pending.words[config_.published ? 1 : 0];
  assert(first >> kLengthShift == 0);
  first |= static_cast<std::uint64_t>(words.size()) << kLengthShift;
  pending_.push_back(std::move(pending));
  push_waiting(to);
}

void MeshLink::push_waiting(Cycle to) {
  while (!pending_.empty()) {
    const Pending& next = pending_.front();
    const blocks::Channel channel = pending_channel();
    if (!space(channel, next.words.size(), to)) return;
    Cycle& last = pushed_[channel];
    last = std::max({last, next.at, to});
    for (const std::uint64_t word : next.words) {
      config_.published ? link_.push_data(last, word) : link_.push_control(last, word);
    }
    pending_.pop_front();
  }
}

// ---- receiving ----

std::size_t MeshLink::items_needed() const {
  if (items_.empty()) return 1;
  const std::uint64_t header = items_[0];
  if (kind_of(header) == MessageKind::control) {
    return items_.size() < 2 ? 2 : 1 + static_cast<std::size_t>(items_[1] >> kLengthShift);
  }
  const std::size_t flits = flits_of(header);
  const std::size_t head = has_mask(kind_of(header), config_.header_every_flit) ? 2 : 1;
  return config_.header_every_flit ? (head + 2) * flits : head + 2 * flits;
}

bool MeshLink::assemble(Cycle at) {
  while (items_.size() < items_needed()) {
    const Cycle visible = link_.data_visible();
    if (visible > at) return false;
    items_at_ = std::max(items_at_, visible);
    items_.push_back(link_.pop_data(at + 1));
  }
  return true;
}

void MeshLink::unpack() {
  const std::uint64_t header = items_[0];
  Message& message = arrival_.message;
  message.kind = kind_of(header);
  message.flits = static_cast<std::uint8_t>(flits_of(header));
  const bool key = message.kind == MessageKind::key;
  message.dest = key ? config_.key_dest : static_cast<std::uint32_t>(header >> 16) & 0xfffff;
  message.mask = key ? header >> 16 & 0xffffffff : std::uint64_t{1} << ((header >> 8) & 63);
  arrival_.epoch = (header >> 3) & 1;
  arrival_.at = items_at_;
  const std::size_t head = has_mask(message.kind, config_.header_every_flit) ? 2 : 1;
  if (head == 2) message.mask = items_[1];
  std::size_t in = head;
  for (unsigned i = 0; i < 2u * message.flits; ++i) {
    if (config_.header_every_flit && i != 0 && i % 2 == 0) in += head;  // the header again
    message.data[2 * i] = static_cast<std::uint32_t>(items_[in]);
    message.data[2 * i + 1] = static_cast<std::uint32_t>(items_[in] >> 32);
    ++in;
  }
}

const MeshLink::Arrival* MeshLink::front(Cycle at) {
  while (!arrival_ready_ && assemble(at)) {
    if (kind_of(items_[0]) == MessageKind::control) {
      items_[1] &= (std::uint64_t{1} << kLengthShift) - 1;
      control_.push_back({items_at_, {items_.begin() + 1, items_.end()}});
    } else {
      unpack();
      arrival_ready_ = true;
    }
    items_.clear();
  }
  return arrival_ready_ ? &arrival_ : nullptr;
}

std::optional<MeshLink::Control> MeshLink::take_control(Cycle at) {
  if (config_.published) {
    front(at);
    if (control_.empty()) return std::nullopt;
    Control control = std::move(control_.front());
    control_.pop_front();
    return control;
  }
  while (link_.control_visible() <= at) {
    control_at_ = std::max(control_at_, link_.control_visible());
    control_items_.push_back(link_.pop_control(at + 1));
    if (control_items_.size() < control_items_[0] >> kLengthShift) continue;
    Control control{control_at_, std::move(control_items_)};
    control.words[0] &= (std::uint64_t{1} << kLengthShift) - 1;
    control_items_.clear();
    return control;
  }
  return std::nullopt;
}

Cycle MeshLink::next_arrival() const {
  Cycle next = config_.published ? kNeverCycle : link_.control_visible();
  if (!arrival_ready_) next = std::min(next, link_.data_visible());
  if (config_.published) next = std::min(next, link_.next_frame());
  if (!pending_.empty()) next = std::min(next, next_room(pending_channel(), pending_.front().words.size()));
  return next;
}

}  // namespace polyloom::overlay

// SPDX-License-Identifier: Apache-2.0
#include "blocks/switch/sim/ethernet_switch.h"

#include <algorithm>
#include <cstdio>

#include "blocks/crc/sim/crc32.h"
#include "blocks/reliable_link/sim/link_frame.h"
#include "fabric/error.h"

namespace polyloom::blocks {
namespace {

constexpr std::uint64_t kMacMask = (std::uint64_t{1} << 48) - 1;
constexpr std::uint64_t kMinBytes = 18;  ///< addresses, type and check sequence

bool group_address(std::uint64_t mac) { return (mac & 1) != 0; }

/// CRC-32 of all bytes but the last four equals these.
bool check_sequence_right(const std::vector<std::uint64_t>& words, unsigned keep) {
  const std::size_t bytes = 8 * (words.size() - 1) + keep;
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(words[i / 8] >> (8 * (i % 8))); };
  const std::size_t body = bytes - 4;
  Crc32 crc;
  crc.add(std::span(words).first(body / 8));
  for (std::size_t i = body / 8 * 8; i < body; ++i) crc.add_byte(byte(i));
  std::uint32_t sent = 0;
  for (std::size_t i = 0; i < 4; ++i) sent |= std::uint32_t{byte(body + i)} << (8 * i);
  return crc.value() == sent;
}

}  // namespace

EthernetSwitch::EthernetSwitch(std::string name, std::vector<WireEnds> ports, MacTable table,
                               const SwitchParams& params)
    : name_(std::move(name)),
      ports_(std::move(ports)),
      table_(std::move(table)),
      p_(params),
      inputs_(ports_.size()),
      outputs_(ports_.size()) {
  for (const auto& [mac, port] : table_) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%012llx", static_cast<unsigned long long>(mac));
    if (mac > kMacMask || group_address(mac)) {
      throw UserError("switch " + name_ + ": " + text + " is not an address of one station");
    }
    if (port >= ports_.size()) {
      throw UserError("switch " + name_ + ": address " + text + " is at port " + std::to_string(port) +
                      ", but ports are 0.." + std::to_string(ports_.size() - 1));
    }
  }
}

/// Stores the frames of one port whose last word is there before `until`.
void EthernetSwitch::collect(unsigned port, fabric::Time until) {
  fabric::Rx* rx = ports_[port].rx;
  if (rx == nullptr) return;
  Input& in = inputs_[port];
  while (const fabric::Segment* s = rx->front()) {
    const fabric::Time last = s->words.empty() ? s->first : s->word_time(s->words.size() - 1);
    if (last >= until) return;
    fabric::Segment taken = rx->take();
    if (taken.head) {
      in.words = std::move(taken.words);
      in.in_frame = true;
    } else {
      in.words.insert(in.words.end(), taken.words.begin(), taken.words.end());
    }
    if (!taken.tail || !in.in_frame) continue;
    in.in_frame = false;
    stored_.push_back({last, port, taken.keep, std::move(in.words)});
    in.words = {};
  }
}

void EthernetSwitch::enqueue(Output& output, fabric::Tx& tx, const Stored& frame) {
  while (!output.queue.empty() && output.sent != 0 && output.queue.front().end <= frame.at) {
    output.bytes -= output.queue.front().bytes;
    output.queue.pop_front();
    --output.sent;
  }
  // Frames that end before this one is there, though this window has not sent them yet.
  std::uint64_t held = output.bytes;
  for (const Queued& q : output.queue) held -= q.end <= frame.at ? q.bytes : 0;
  if (held + frame.bytes() > p_.queue_bytes) {
    ++output.counters.dropped_full;
    return;
  }
  Queued q;
  q.start = std::max(frame.at + p_.forward_latency, output.free_at);
  q.end = q.start + static_cast<fabric::Time>(frame.words.size()) * tx.period();
  q.bytes = frame.bytes();
  q.keep = frame.keep;
  q.words = frame.words;
  output.free_at = q.end + static_cast<fabric::Time>(kGapWords) * tx.period();
  output.bytes += q.bytes;
  output.counters.most_queued = std::max(output.counters.most_queued, held + q.bytes);
  output.queue.push_back(std::move(q));
}

void EthernetSwitch::forward(Stored& frame) {
  SwitchPortCounters& in = outputs_[frame.port].counters;
  ++in.received;
  if (frame.words.empty() || frame.bytes() < kMinBytes ||
      (p_.check_frames && !check_sequence_right(frame.words, frame.keep))) {
    ++in.dropped_bad;
    return;
  }
  const std::uint64_t mac = frame.words[0] & kMacMask;
  if (group_address(mac)) {
    for (unsigned i = 0; i < ports_.size(); ++i) {
      if (i != frame.port && ports_[i].tx != nullptr) enqueue(outputs_[i], *ports_[i].tx, frame);
    }
    return;
  }
  const auto entry = table_.find(mac);
  if (entry == table_.end() || entry->second == frame.port || ports_[entry->second].tx == nullptr) {
    ++in.dropped_unknown;
    return;
  }
  enqueue(outputs_[entry->second], *ports_[entry->second].tx, frame);
}

void EthernetSwitch::advance(fabric::Time until) {
  stored_.clear();
  for (unsigned i = 0; i < ports_.size(); ++i) collect(i, until);
  std::stable_sort(stored_.begin(), stored_.end(), [](const Stored& a, const Stored& b) {
    return a.at != b.at ? a.at < b.at : a.port < b.port;
  });
  for (Stored& frame : stored_) forward(frame);
  for (unsigned i = 0; i < ports_.size(); ++i) {
    Output& output = outputs_[i];
    for (; output.sent < output.queue.size() && output.queue[output.sent].start < until; ++output.sent) {
      Queued& q = output.queue[output.sent];
      fabric::Segment s;
      s.first = q.start;
      s.keep = q.keep;
      s.words = std::move(q.words);
      ports_[i].tx->send(std::move(s));
      ++output.counters.sent;
    }
  }
}

fabric::Time EthernetSwitch::next_event() const {
  fabric::Time next = fabric::kNever;
  for (unsigned i = 0; i < ports_.size(); ++i) {
    const Output& output = outputs_[i];
    if (output.sent < output.queue.size()) next = std::min(next, output.queue[output.sent].start);
  }
  return next;
}

std::string EthernetSwitch::waiting_for() const {
  std::size_t frames = 0;
  for (const Output& output : outputs_) frames += output.queue.size() - output.sent;
  return frames == 0 ? "" : name_ + ": " + std::to_string(frames) + " frames wait for their output ports";
}

void EthernetSwitch::counters(const fabric::CounterSink& sink) const {
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const SwitchPortCounters& c = outputs_[i].counters;
    const std::string prefix = name_ + ".port." + std::to_string(i) + ".";
    sink(prefix + "received", c.received);
    sink(prefix + "sent", c.sent);
    sink(prefix + "dropped_full", c.dropped_full);
    sink(prefix + "dropped_bad", c.dropped_bad);
    sink(prefix + "dropped_unknown", c.dropped_unknown);
    sink(prefix + "most_queued", c.most_queued);
  }
}

void EthernetSwitch::digest(fabric::Digest& digest) const {
  for (const Output& output : outputs_) {
    const SwitchPortCounters& c = output.counters;
    for (const std::uint64_t v : {c.received, c.sent, c.dropped_full, c.dropped_bad, c.dropped_unknown,
                                  output.bytes, static_cast<std::uint64_t>(output.free_at)}) {
      digest.add(v);
    }
  }
}

}  // namespace polyloom::blocks

// SPDX-License-Identifier: Apache-2.0
#include "roles/collective/sim/node.h"

#include <algorithm>
#include <utility>

namespace polyloom::collective {

using blocks::Space;

namespace {
/// From the edge that brings the last word of a start to the cycle in which the program begins: the RTL's
/// shell.
constexpr Cycle kStartCycles = 3;
}  // namespace

CollectiveNode::CollectiveNode(const CollectiveParams& params, NodeSite site)
    : params_(params),
      name_(site.name),
      clock_(params.clock_hz),
      memory_(params.stored
                  ? std::make_unique<blocks::BackingStore>(site.name, params.channels * params.channel.bytes)
                  : nullptr),
      engine_(
          params, site.lanes, memory_.get(), [this](const ProgramEnd& e) { ended(e); }, site.trace),
      shell_(site.host, *this, {.role = blocks::RoleId::collective}, clock_) {}

void CollectiveNode::advance(fabric::Time until) {
  const Cycle to = clock_.first_edge_from(until);
  engine_.collect(until);
  // The host's frames take effect in their own cycles, so the engine is brought there first.
  while (engine_.now() < to) {
    const Cycle next = std::min(to, std::max(shell_.next_input(), engine_.now()));
    engine_.run(next);
    if (next < to) {
      shell_.receive(next + 1);
      engine_.run(next + 1);
    }
  }
  shell_.receive(to);
  engine_.transmit(until);
  shell_.transmit(to);
}

fabric::Time CollectiveNode::next_event() const {
  const Cycle edge = std::min(engine_.next_edge(), shell_.next_event());
  const fabric::Time next = edge == kNeverCycle ? fabric::kNever : clock_.edge(edge);
  return std::min(next, engine_.next_departure());
}

void CollectiveNode::ended(const ProgramEnd& e) {
  blocks::EventFrame frame;
  frame.code = e.code;
  frame.detail = e.instruction | std::uint32_t{e.code == 0 ? std::uint8_t{0} : e.lane} << 16;
  frame.begin = e.begin;
  frame.finish = e.finish;
  frame.value = e.value;
  shell_.send(e.finish + 1, blocks::encode(frame));
}

// ---- what the host asks ----

bool CollectiveNode::has(const blocks::MemRange& r) const {
  const std::uint64_t end = std::uint64_t{r.address} + r.bytes;
  constexpr unsigned kInstructionBytes = 8 * kInstructionWords;
  if (r.space == Space::channel) {
    return memory_ != nullptr && r.target < params_.channels && end <= params_.channel.bytes;
  }
  return r.space == Space::program && r.address % kInstructionBytes == 0 &&
         r.bytes % kInstructionBytes == 0 && end <= std::uint64_t{params_.program_size} * kInstructionBytes;
}

void CollectiveNode::write_word(blocks::Cycle, const blocks::MemRange& r, std::size_t index,
                                std::uint64_t data, unsigned bytes) {
  if (r.space == Space::channel) {
    memory_->write(r.target * params_.channel.bytes + r.address + 8 * index, &data, bytes);
  } else {
    engine_.program()[r.address / 8 + index] = data;
  }
}

std::uint64_t CollectiveNode::read_word(blocks::Cycle, const blocks::MemRange& r, std::size_t index,
                                        unsigned bytes) {
  if (r.space == Space::program) return engine_.program()[r.address / 8 + index];
  std::uint64_t data = 0;
  memory_->read(r.target * params_.channel.bytes + r.address + 8 * index, &data, bytes);
  return data;
}

std::optional<std::uint64_t> CollectiveNode::role_register(blocks::Cycle, std::uint32_t r) {
  const std::uint32_t i = r - blocks::reg::role_base;
  switch (i) {
    case reg::state:
      return static_cast<std::uint64_t>(engine_.state());
    case reg::node:
      return engine_.node;
    case reg::watchdog:
      return engine_.watchdog;
    case reg::shape:
      return params_.channels | std::uint64_t{engine_.lanes()} << 8 |
             std::uint64_t{params_.operator_ports} << 16 | std::uint64_t{params_.rx_beats} << 32;
    case reg::program_size:
      return params_.program_size;
    case reg::begin:
      return engine_.begin();
    case reg::finish:
      return engine_.finish();
    default:
      break;
  }
  if (i >= reg::mark && i < reg::mark + kMarks) return engine_.mark(i - reg::mark);
  if (i >= reg::peer && i < reg::peer + engine_.lanes()) return engine_.peer(i - reg::peer);
  if (i >= reg::status && i < 0x1000) return engine_.operator_status(i - reg::status);
  return std::nullopt;
}

bool CollectiveNode::set_role_register(blocks::Cycle c, std::uint32_t r, std::uint64_t value) {
  switch (r - blocks::reg::role_base) {
    case reg::start:
      return engine_.start(c + kStartCycles, value);
    case reg::node:
      engine_.node = static_cast<std::uint16_t>(value);
      return value <= 0xffff;
    case reg::hello:
      engine_.hello(c);
      return true;
    case reg::watchdog:
      engine_.watchdog = value;
      return true;
    case reg::clear:
      return engine_.clear();
    default:
      return false;
  }
}

// ---- reports ----

std::string CollectiveNode::waiting_for() const {
  std::string text = engine_.waiting_for();
  const std::string shell = shell_.waiting_for();
  if (!shell.empty()) text += (text.empty() ? "" : "; ") + shell;
  return text;
}

void CollectiveNode::counters(const fabric::CounterSink& sink) const {
  engine_.counters(name_ + ".", sink);
  shell_.counters(name_ + ".host.", sink);
}

void CollectiveNode::digest(fabric::Digest& d) const {
  engine_.digest(d);
  shell_.digest(d);
}

}  // namespace polyloom::collective

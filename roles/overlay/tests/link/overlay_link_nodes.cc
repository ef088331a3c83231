// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/tests/link/overlay_link_nodes.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <string>

namespace polyloom::overlay::testing {

using fabric::Time;

// ---- the model ----

ModelBoard::ModelBoard(Plan plan, std::uint64_t far_messages, const fabric::Port& port, fabric::Clock clock,
                       Time latency)
    : LinkBoard(std::move(plan), far_messages, clock),
      link_(*port.tx, *port.rx,
            MeshLinkConfig{.clock_hz = clock.hz(), .latency = latency, .key_dest = kKeyDest}) {}

void ModelBoard::advance(Time until) {
  const Cycle end = clock_.first_edge_from(until);
  link_.begin(end);
  while (cycle_ < end) {
    const Cycle to = std::min<Cycle>(end, cycle_ / 8 * 8 + 8);
    window(cycle_, to);
    cycle_ = to;
  }
  link_.end(end);
}

void ModelBoard::window(Cycle from, Cycle to) {
  link_.receive(to);
  while (const auto control = link_.take_control(to - 1)) {
    log.packets.push_back(control->words);
    log.packet_at.push_back(control->at);
  }
  const bool listens = from >= plan_.deaf_until && !moody();
  while (const MeshLink::Arrival* arrival = listens ? link_.front(to - 1) : nullptr) {
    if (arrival->epoch != epoch()) {
      log.held_cycles += to - from;
      break;
    }
    log.messages.push_back(arrival->message);
    log.message_at.push_back(std::max(from, arrival->at));
    ++log.received;
    link_.pop();
  }
  link_.push_waiting(to);
  if (plan_.packet && rng_() % plan_.packet_gap < to - from) {
    link_.send_control(to, to, plan_.packet(log.packets_sent++));
  }
  std::uint64_t n;
  for (unsigned sent = 0; sent < 8 && next_message(n) && !moody() && link_.room(to); ++sent) {
    link_.send(to, plan_.message(n), epoch());
    ++log.sent;
  }
  end_phase(to - from);
}

// ---- the RTL ----

namespace {

// flit_t of polyloom_overlay_pkg, from bit 0.
constexpr unsigned kData = 0, kMask = 128, kDest = 192, kFlits = 212, kKind = 214, kLast = 217, kFirst = 218;

void put(const blocks::RtlModel::Port& port, unsigned low, unsigned bits, std::uint64_t value) {
  for (unsigned i = 0; i < bits; ++i) port.set_bit(low + i, (value >> i & 1) != 0);
}
std::uint64_t get(const blocks::RtlModel::Port& port, unsigned low, unsigned bits) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < bits; ++i) value |= std::uint64_t{port.bit(low + i)} << i;
  return value;
}

}  // namespace

RtlBoard::RtlBoard(Plan plan, std::uint64_t far_messages, const fabric::Port& port, fabric::Clock clock,
                   Time latency)
    : LinkBoard(std::move(plan), far_messages, clock),
      model_("link",
             blocks::build_rtl({"polyloom_overlay_link", {"roles/overlay/rtl/link/link.f"}, {}, false}),
             plan_.seed),
      rx_(port.rx, 1),
      tx_(port.tx, 0) {
  const auto params = blocks::ReliableLinkParams::standard(clock, latency, port.tx->period());
  const blocks::LinkStraps straps = blocks::link_straps(clock, params, port.tx->period());
  std::memcpy(model_.input("timeout_i").data, &straps.timeout, 2);
  std::memcpy(model_.input("word_time_i").data, &straps.word_time, 2);
  set("rst_ni", true);
  model_.settle();
  set("rst_ni", false);
  for (int i = 0; i < 4; ++i) model_.settle(), model_.step();
  set("rst_ni", true);
}

void RtlBoard::advance(Time until) {
  for (; clock_.edge(cycle_) < until; ++cycle_) cycle(cycle_);
  tx_.flush(until);
}

void RtlBoard::cycle(Cycle k) {
  drive_wire(clock_.edge(k), clock_.edge(k + 1));
  drive_out(k);
  model_.settle();
  sample(k);
  model_.step();
  end_phase(1);
}

void RtlBoard::drive_wire(Time t, Time next) {
  rx_.collect(t);
  const blocks::LaneBeat* beat = rx_.beat();
  set("rx_valid_i", beat != nullptr);
  if (beat != nullptr) {
    std::memcpy(model_.input("rx_data_i").data, beat->data.data(), 8);
    *model_.input("rx_keep_i").data = static_cast<std::uint8_t>((1u << beat->keep) - 1);
    set("rx_last_i", beat->last);
    rx_.pop_beat();
  }
  tx_ready_ = tx_.ready(t, next);
  set("tx_ready_i", tx_ready_);
}

void RtlBoard::drive_out(Cycle k) {
  set("epoch_i", epoch() != 0);
  std::uint64_t n;
  if (!out_valid_ && (out_flit_ != 0 || next_message(n)) && !moody()) {
    if (out_flit_ == 0) out_ = plan_.message(log.sent);
    out_valid_ = true;
    const auto& flit = model_.input("out_i");
    put(flit, kFirst, 1, out_flit_ == 0);
    put(flit, kLast, 1, out_flit_ + 1u == out_.flits);
    put(flit, kKind, 3, static_cast<unsigned>(out_.kind));
    put(flit, kFlits, 2, out_.flits - 1u);
    put(flit, kDest, 20, out_.dest);
    put(flit, kMask, 64, out_.mask);
    for (unsigned i = 0; i < kFlitWords; ++i)
      put(flit, kData + 32 * i, 32, out_.data[out_flit_ * kFlitWords + i]);
  }
  set("out_valid_i", out_valid_);
  room_ = k >= plan_.deaf_until && !moody();
  set("in_room_i", room_);
  if (plan_.packet && rng_() % plan_.packet_gap == 0) packets_.push_back(plan_.packet(log.packets_sent++));
  if (!ctl_valid_) ctl_valid_ = !packets_.empty() && !moody();
  set("ctl_in_valid_i", ctl_valid_);
  if (ctl_valid_) {
    std::memcpy(model_.input("ctl_in_i").data, &packets_.front()[packet_word_], 8);
    set("ctl_in_last_i", packet_word_ + 1 == packets_.front().size());
  }
  ctl_taken_ = !moody();
  set("ctl_out_ready_i", ctl_taken_);
}

void RtlBoard::sample(Cycle k) {
  if (bit("tx_valid_o") && tx_ready_) {
    blocks::LaneBeat beat;
    beat.words = 1;
    std::memcpy(beat.data.data(), model_.output("tx_data_o").data, 8);
    beat.last = bit("tx_last_o");
    beat.keep = beat.last ? 4 : 8;
    tx_.push(clock_.edge(k), beat);
  }
  if (out_valid_ && bit("out_ready_o")) {
    out_valid_ = false;
    out_flit_ = (out_flit_ + 1) % out_.flits;
  }
  const bool sent = bit("sent_o"), received = bit("received_o"), in = bit("in_valid_o");
  if (sent != (bit("out_ready_o") && out_flit_ == 0 && !out_valid_))
    throw std::runtime_error("sent_o is wrong");
  if (received && !room_) throw std::runtime_error("a message was let in without room");
  if (in_flit_ != 0 && !in) throw std::runtime_error("a gap between flits");
  if (received && log.received / far_messages_ != phase_)
    throw std::runtime_error("a message came too early");
  log.sent += sent;
  log.received += received;
  log.held_cycles += bit("held_o");
  if (in) {
    const auto& flit = model_.output("in_o");
    if ((get(flit, kFirst, 1) != 0) != (in_flit_ == 0)) throw std::runtime_error("first is wrong");
    if (in_flit_ == 0) {
      in_ = Message{};
      in_.kind = static_cast<MessageKind>(get(flit, kKind, 3));
      in_.flits = static_cast<std::uint8_t>(get(flit, kFlits, 2) + 1);
      in_.dest = static_cast<std::uint32_t>(get(flit, kDest, 20));
      in_.mask = get(flit, kMask, 64);
      log.message_at.push_back(k);
    }
    for (unsigned i = 0; i < kFlitWords; ++i) {
      in_.data[in_flit_ * kFlitWords + i] = static_cast<std::uint32_t>(get(flit, kData + 32 * i, 32));
    }
    const bool last = ++in_flit_ == in_.flits;
    if ((get(flit, kLast, 1) != 0) != last) throw std::runtime_error("last is wrong");
    if (last) log.messages.push_back(in_), in_flit_ = 0;
  }
  if (ctl_valid_ && bit("ctl_in_ready_o")) {
    ctl_valid_ = false;
    if (++packet_word_ == packets_.front().size()) packets_.pop_front(), packet_word_ = 0;
  }
  if (ctl_taken_ && bit("ctl_out_valid_o")) {
    std::uint64_t word;
    std::memcpy(&word, model_.output("ctl_out_o").data, 8);
    packet_in_.push_back(word);
    if (bit("ctl_out_last_o")) {
      log.packets.push_back(packet_in_);
      log.packet_at.push_back(k);
      packet_in_.clear();
    }
  }
  idle_ = bit("idle_o");
}

// ---- two boards ----

TwoBoards::TwoBoards(const Plan (&plans)[2], const bool (&rtl)[2], fabric::LinkSpec wire, fabric::Clock c)
    : clock(c) {
  fabric::LinkSpec back = wire;
  back.seed = wire.seed + 1;
  const int ids[2] = {fabric.add_node("a"), fabric.add_node("b")};
  const auto [a, b] = fabric.connect(wire, back, ids[0], ids[1]);
  const fabric::Port ports[2] = {a, b};
  for (unsigned i = 0; i < 2; ++i) {
    const std::uint64_t far = plans[1 - i].messages;
    std::unique_ptr<LinkBoard> node;
    if (rtl[i]) {
      node = std::make_unique<RtlBoard>(plans[i], far, ports[i], clock, wire.latency);
    } else {
      node = std::make_unique<ModelBoard>(plans[i], far, ports[i], clock, wire.latency);
    }
    board[i] = node.get();
    fabric.set_node(ids[i], std::move(node));
  }
}

void TwoBoards::run(Cycle cycles) { fabric::run(fabric, {.limit = clock.edge(cycles)}); }

double payload_share(unsigned flits, bool rtl, Cycle cycles) {
  Plan plans[2];
  for (Plan& plan : plans) {
    plan.messages = cycles;  // more than the link can carry
    plan.message = [flits](std::uint64_t n) {
      Message m;
      m.flits = static_cast<std::uint8_t>(flits);
      m.mask = std::uint64_t{1} << (n % 64);
      m.dest = static_cast<std::uint32_t>(n % 16);
      for (std::uint32_t& word : m.data) word = static_cast<std::uint32_t>(n);
      return m;
    };
  }
  constexpr Time kPeriod = 6'400;  // 10 Gb/s
  TwoBoards boards(plans, {rtl, rtl}, {.latency = 780'000, .period = kPeriod});
  const Cycle warm = cycles / 4;
  boards.run(warm);
  const std::size_t before[2] = {boards.board[0]->log.messages.size(), boards.board[1]->log.messages.size()};
  boards.run(cycles);
  double worst = 1;
  for (unsigned i = 0; i < 2; ++i) {
    const double bits = static_cast<double>(boards.board[i]->log.messages.size() - before[i]) * flits * 128;
    const Time time = boards.clock.edge(cycles) - boards.clock.edge(warm);
    worst = std::min(worst, bits / (static_cast<double>(time) / kPeriod * 64));
  }
  return worst;
}

}  // namespace polyloom::overlay::testing

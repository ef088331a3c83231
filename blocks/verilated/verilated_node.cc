// SPDX-License-Identifier: Apache-2.0
#include "blocks/verilated/verilated_node.h"

#include <algorithm>
#include <cstring>

#include "fabric/error.h"

namespace polyloom::blocks {

using fabric::kNever;
using fabric::Time;

namespace {

constexpr unsigned kHostBeats = 4;  ///< FIFO before the host's wire

/// Kinds of events in the digest, combined with the lane.
enum : std::uint64_t { kRx = 1, kRxPulse = 2, kTx = 3, kTxPulse = 4, kHostRx = 5, kHostTx = 6 };

RtlShape traced(RtlShape shape, bool trace) {
  shape.trace = shape.trace || trace;
  return shape;
}

}  // namespace

VerilatedNode::VerilatedNode(VerilatedParams params, std::vector<std::unique_ptr<AxiMemory>> memories)
    : params_(std::move(params)),
      clock_(params_.clock_hz),
      model_(params_.name, build_rtl(traced(params_.shape, params_.wave != nullptr)), params_.seed),
      memories_(std::move(memories)),
      lane_ports_(model_, params_.name, params_.lanes.size()),
      host_ports_(model_),
      memory_ports_(model_, params_.name, memories_),
      reset_(model_.input("rst_ni")),
      cycle_(model_.input("cycle_i")),
      idle_(model_.output("idle_o")),
      host_{LaneRx(params_.host.rx, 1), LaneTx(params_.host.tx, kHostBeats)} {
  if (cycle_ && cycle_.bits != 64) throw UserError(params_.name + ": port cycle_i must have 64 bits");
  for (const std::string& counter : params_.counters) {
    std::string port = "count_" + counter + "_o";
    std::replace(port.begin(), port.end(), '.', '_');
    counters_.push_back(model_.output(port));
    if (counters_.back().bits != 64) {
      throw UserError(params_.name + ": port " + port + " must be there and have 64 bits");
    }
  }
  if (idle_ && idle_.bits != 1) throw UserError(params_.name + ": port idle_o must have one bit");
  for (const WireEnds& ends : params_.lanes) {
    lanes_.push_back({LaneRx(ends.rx, lane_ports_.beat_words()), LaneTx(ends.tx, params_.tx_beats)});
  }
  if (params_.wave != nullptr) {
    wave_ = *params_.wave;
    model_.trace_open(wave_->path);
  }
  params_.wave = nullptr;
  if (const RtlModel::Port strap = model_.input("strap_i")) {
    if (strap.bits > 64) throw UserError(params_.name + ": port strap_i must have at most 64 bits");
    std::memcpy(strap.data, &params_.strap, (strap.bits + 7) / 8);
  }
  reset();
}

VerilatedNode::~VerilatedNode() {
  if (wave_) model_.trace_close();
}

void VerilatedNode::reset() {
  // An edge of the reset before the first of the clock: no register shows it the values that it woke up with.
  reset_.set_bit(0, true);
  model_.settle();
  reset_.set_bit(0, false);
  for (unsigned i = 0; i < std::max(1u, params_.reset_cycles); ++i) {
    model_.settle();
    model_.step();
  }
  model_.settle();
  reset_.set_bit(0, true);
}

Cycle VerilatedNode::next_edge() const {
  if (awake_) return edge_;
  Time arrival = host_ports_ ? host_.rx.next_arrival() : kNever;
  for (const Lane& lane : lanes_) arrival = std::min(arrival, lane.rx.next_arrival());
  return arrival == kNever ? kNeverCycle : std::max(edge_, clock_.first_edge_from(arrival));
}

void VerilatedNode::advance(Time until) {
  const auto next = [this] { return params_.idle_edges ? edge_ : next_edge(); };
  for (Cycle k; (k = next()) != kNeverCycle && clock_.edge(k) < until;) edge(k, clock_.edge(k));
  for (Lane& lane : lanes_) lane.tx.flush(until);
  host_.tx.flush(until);
}

Time VerilatedNode::next_event() const {
  const Cycle k = next_edge();
  Time next = k == kNeverCycle ? kNever : clock_.edge(k);
  for (const Lane& lane : lanes_) next = std::min(next, lane.tx.next_event());
  return std::min(next, host_.tx.next_event());
}

void VerilatedNode::edge(Cycle k, Time t) {
  const bool input = drive(k, t);
  model_.settle();
  if (wave_) dump(t, true);
  const bool output = sample(k, t);
  bool quiet = idle_ && idle_.bit(0) && !input && !output;
  for (const auto& memory : memories_) quiet = quiet && memory->idle();
  model_.step();
  if (wave_) dump(t, false);
  awake_ = !quiet || !params_.skip_idle;
  edge_ = k + 1;
  ++edges_run_;
}

/// Writes all inputs. True if the design sees more than its clock.
bool VerilatedNode::drive(Cycle k, Time t) {
  bool input = false;
  const Time next = clock_.edge(k + 1);
  if (cycle_) std::memcpy(cycle_.data, &k, 8);
  for (std::size_t l = 0; l < lanes_.size(); ++l) {
    Lane& lane = lanes_[l];
    lane.rx.collect(t);
    const LaneBeat* beat = lane.rx.beat();
    const bool pulse = lane.rx.pulse();
    lane_ports_.drive(l, beat, pulse, lane.tx.ready(t, next));
    if (beat != nullptr) note(k, kRx | l << 8, beat->data[0]), lane.rx.pop_beat();
    if (pulse) note(k, kRxPulse | l << 8, 0), lane.rx.pop_pulse();
    input = input || beat != nullptr || pulse;
  }
  if (host_ports_) {
    host_.rx.collect(t);
    for (; host_.rx.pulse(); host_.rx.pop_pulse()) ++host_pulses_;  // they mean nothing on a host link
    const LaneBeat* word = host_.rx.beat();
    if (word != nullptr && word->words == 0) {
      throw UserError(params_.name + ": the host ended a frame without a word");
    }
    host_ports_.drive(word, host_.tx.ready(t));
    input = input || word != nullptr;
  }
  for (std::size_t c = 0; c < memories_.size(); ++c) memory_ports_.drive(c, memories_[c]->outputs(k));
  return input;
}

/// Reads all outputs before the edge and does what they say. True if the design sends, or wants to.
bool VerilatedNode::sample(Cycle k, Time t) {
  bool output = false;
  for (std::size_t l = 0; l < lanes_.size(); ++l) {
    LaneTx& tx = lanes_[l].tx;
    const bool pulse = lane_ports_.tx_pulse(l), valid = lane_ports_.tx_valid(l);
    output = output || pulse || valid;
    if (valid && tx.ready(t, clock_.edge(k + 1))) {
      const LaneBeat beat = lane_ports_.tx_beat(l);
      tx.push(t, beat);
      note(k, kTx | l << 8, beat.data[0]);
    }
    if (pulse) {
      tx.pulse(t);
      note(k, kTxPulse | l << 8, 0);
    }
  }
  if (host_ports_) {
    const LaneBeat* word = host_.rx.beat();
    const bool taken = word != nullptr && host_ports_.rx_ready();
    host_waits_ = word != nullptr && !taken;
    if (taken) note(k, kHostRx, word->data[0]), host_.rx.pop_beat();
    const bool valid = host_ports_.tx_valid();
    output = output || valid;
    if (valid && host_.tx.ready(t)) {
      const LaneBeat sent = host_ports_.tx_word();
      host_.tx.push(t, sent);
      note(k, kHostTx, sent.data[0]);
    }
  }
  for (std::size_t c = 0; c < memories_.size(); ++c) {
    const AxiMasterOut from = memory_ports_.read(c);
    output = output || from.ar_valid || from.aw_valid || from.w_valid;
    memories_[c]->step(k, from);
  }
  return output;
}

void VerilatedNode::note(Cycle k, std::uint64_t what, std::uint64_t word) {
  seen_.add(k);
  seen_.add(what);
  seen_.add(word);
}

/// The clock rises in the wave at the edge's time and falls half a cycle before it, when the inputs change.
void VerilatedNode::dump(Time t, bool before) {
  const Time half = (clock_.edge(1) - clock_.edge(0)) / 2;
  if (t < wave_->from || (before && t < half)) return;
  if (t > wave_->to) {
    model_.trace_close();
    wave_.reset();
    return;
  }
  model_.trace_dump(before ? t - half : t);
}

std::uint64_t VerilatedNode::counter(std::size_t index) const {
  std::uint64_t value = 0;
  std::memcpy(&value, counters_[index].data, sizeof value);
  return value;
}

std::optional<std::uint64_t> VerilatedNode::work() const {
  if (params_.work.empty() && !params_.lanes_work) return std::nullopt;
  std::uint64_t sum = host_.rx.words() + host_.tx.words();
  for (const auto& lane : lanes_) {
    if (params_.lanes_work) sum += lane.rx.words() + lane.tx.words();
  }
  for (std::size_t i = 0; i < counters_.size(); ++i) {
    if (std::find(params_.work.begin(), params_.work.end(), params_.counters[i]) != params_.work.end())
      sum += counter(i);
  }
  return sum;
}

std::string VerilatedNode::waiting_for() const {
  std::string text = params_.waiting_for ? params_.waiting_for(model_) : "";
  if (host_waits_)
    text += std::string(text.empty() ? "" : "; ") + "the RTL does not take the next word of its host";
  return text;
}

void VerilatedNode::counters(const fabric::CounterSink& sink) const {
  const std::string prefix = params_.name + ".";
  sink(prefix + "edges_run", edges_run_);
  for (std::size_t i = 0; i < counters_.size(); ++i) sink(prefix + params_.counters[i], counter(i));
  for (std::size_t l = 0; l < lanes_.size(); ++l) {
    const std::string lane = prefix + "lane." + std::to_string(l) + ".";
    sink(lane + "rx_words", lanes_[l].rx.words());
    sink(lane + "rx_pulses", lanes_[l].rx.pulses());
    sink(lane + "tx_words", lanes_[l].tx.words());
    sink(lane + "tx_pulses", lanes_[l].tx.pulses());
  }
  for (std::size_t c = 0; c < memories_.size(); ++c)
    memories_[c]->counters(prefix + "mem." + std::to_string(c), sink);
}

void VerilatedNode::digest(fabric::Digest& digest) const {
  digest.add(seen_.value());
  for (const auto& memory : memories_) memory->digest(digest);
}

}  // namespace polyloom::blocks

// SPDX-License-Identifier: Apache-2.0
#include "roles/mpi/sim/model_node.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "blocks/crc/sim/crc32.h"
#include "fabric/error.h"
#include "roles/mpi/arch/messages.h"
#include "roles/mpi/arch/packet.h"
#include "roles/mpi/sim/kernel_code.h"

namespace polyloom::mpi {

using fabric::Time;
using hls::Touch;

namespace {

/// A kernel that never touches the outside is asked again so often, so that others go on beside it.
constexpr Cycle kAhead = 1'000'000;

}  // namespace

// --- FrameLane

/// A word at the lane in cycle `from` or the first one after it in which the wire takes one.
Cycle FrameLane::put(Cycle from, std::uint64_t word, bool head, bool tail) {
  Cycle k = from;
  if (wire_free_ >= clock_.edge(k + 1)) k = std::max(k, clock_.first_edge_from(wire_free_ + 1) - 1);
  const Time leaves = std::max(clock_.edge(k), wire_free_);
  const Time period = ends_.tx->period();
  const bool joins = !head && !out_.empty() && leaves == wire_free_;
  if (!joins) {
    fabric::Segment segment;
    segment.first = leaves;
    segment.head = head;
    segment.tail = false;
    out_.push_back(std::move(segment));
  }
  fabric::Segment& segment = out_.back();
  segment.words.push_back(word);
  segment.tail = tail;
  segment.keep = tail ? 4 : 8;
  wire_free_ = leaves + period;
  ++words_out_;
  return k;
}

// polyloom_ethernet_fcs_tx: two stages before the lane, then the check sequence and two cycles of silence.
void FrameLane::send(const mpe::Frame& frame, Cycle from, std::deque<Cycle>& pops) {
  const std::size_t n = frame.words.size();
  Cycle pop = std::max(from, free_), at = pop + 1;
  pops.push_back(pop);
  if (n > 1) pops.push_back(pop + 1);
  for (std::size_t i = 0; i < n; ++i) {
    at = put(at + 1, frame.words[i], i == 0, false);
    if (i + 2 < n) pops.push_back(at);
  }
  at = put(at + 1, blocks::crc32(frame.words), false, true);
  free_ = at + 3;
}

std::optional<mpe::Frame> FrameLane::receive() {
  while (const fabric::Segment* s = ends_.rx->front()) {
    for (std::size_t i = 0; i < s->words.size(); ++i) {
      seen_ = std::max(clock_.first_edge_from(s->word_time(i)), seen_) + 1;
      partial_.push_back(s->words[i]);
    }
    words_in_ += s->words.size();
    const bool tail = s->tail && !partial_.empty();
    const unsigned keep = s->keep;
    ends_.rx->pop();
    if (!tail) continue;
    mpe::Frame frame;
    const auto bytes = mpi::strip_check(partial_, keep);
    if (bytes) {
      frame.bytes = static_cast<unsigned>(bytes->size());
      frame.words.resize((bytes->size() + 7) / 8);
      std::memcpy(frame.words.data(), bytes->data(), bytes->size());
    }
    // The last word is held until it is known whether it has more than the check sequence; then two stages.
    const Cycle last = seen_ - 1;
    frame.visible = last + (keep <= 4 ? 2 : 3) + 2;
    partial_.clear();
    return frame;
  }
  return std::nullopt;
}

void FrameLane::flush(Time until) {
  for (; !out_.empty() && out_.front().first < until; out_.pop_front())
    ends_.tx->send(std::move(out_.front()));
}

// --- ModelNode

ModelNode::ModelNode(std::string name, const KernelParams& params, std::string code, std::uint32_t ip,
                     blocks::WireEnds lane)
    : name_(std::move(name)),
      code_(std::move(code)),
      clock_(params.clock_hz),
      lane_(lane, clock_),
      engine_(ip, lane_),
      memory_(params.dram_bytes, params.read_latency, params.write_latency) {}

void ModelNode::receive() {
  while (std::optional<mpe::Frame> frame = lane_.receive()) {
    if (frame->words.empty()) {
      engine_.damaged();
    } else {
      engine_.receive(std::move(*frame));
    }
  }
}

void ModelNode::advance(Time until) {
  receive();
  const Cycle end = clock_.first_edge_from(until);
  for (Cycle k; (k = next_cycle()) < end;) {
    step(k);
    cycle_ = k + 1;
    compute(end);
  }
  lane_.flush(until);
}

Time ModelNode::next_event() const {
  const Cycle k = next_cycle();
  return std::min(k == blocks::kNeverCycle ? fabric::kNever : clock_.edge(k), lane_.next_event());
}

Cycle ModelNode::next_cycle() const {
  if (response_ || later_response_) return cycle_;
  const Cycle k = std::min(engine_.next(cycle_), kernel_next());
  return memory_.response() == nullptr ? k : std::min(k, memory_.response()->at);
}

Cycle ModelNode::kernel_next() const {
  if (access_ == nullptr || access_->touch == Touch::done) return blocks::kNeverCycle;
  if (access_->touch == Touch::pop && !engine_.response_valid()) return blocks::kNeverCycle;
  if (access_->touch == Touch::read && requested_) return blocks::kNeverCycle;
  return std::max(due(), cycle_);
}

void ModelNode::step(Cycle k) {
  ++steps_;
  mpe::Inputs in;
  in.command_valid = wants(Touch::push, k);
  if (in.command_valid) in.command = access_->word;
  in.response_taken = wants(Touch::pop, k) && engine_.response_valid();
  in.kernel_done = wants(Touch::done, k);
  const std::uint64_t response = engine_.response();
  std::optional<mpe::Reader::Response> read =
      std::exchange(response_, std::exchange(later_response_, std::nullopt));
  std::optional<std::uint64_t> loaded;  // by the kernel, from DRAM
  if (const NodeMemory::Response* a = memory_.response(); a != nullptr && a->at == k) {
    if (a->whose == NodeMemory::kKernel) {
      loaded = a->word;
    } else {
      read = {a->word, false};
    }
    memory_.pop();
  }
  if (read) in.read = &*read;
  const mpe::MemoryRequest write = engine_.write_request(), requested = engine_.read_request();
  access_block_ram(k, write, requested, in);
  const bool stored = access_dram(k, write, requested, in);

  bool taken = false;
  if (engine_.next(k) == k || in.command_valid || in.response_taken) taken = engine_.step(k, in);
  if (engine_.kernel_runs() != (kernel_ != nullptr)) return start_kernel(k);
  if (access_ == nullptr) return;
  if (in.response_taken) waited_ += k - due();
  if (taken || stored) {
    complete(k);
  } else if (in.response_taken) {
    complete(k, response);
  } else if (loaded) {
    complete(k, *loaded);
  } else if (wants(Touch::cycle, k) || wants(Touch::pause, k)) {
    complete(k, k);
  } else if (wants(Touch::fault, k)) {
    throw UserError(name_ + ": " + kernel_->message() + " (the design stopped)");
  }
}

void ModelNode::compute(Cycle end) {
  if (response_ || later_response_) return;
  mpe::Inputs in;
  if (access_ != nullptr) {
    const bool requests_now = due() <= cycle_;
    in.command_valid = access_->touch == Touch::push && requests_now;
    in.kernel_done = access_->touch == Touch::done && requests_now;
    if (in.command_valid) {
      in.command = access_->word;
    } else if (!in.kernel_done) {
      end = std::min(end, access_->touch == Touch::done ? due() : kernel_next());
    }
  }
  if (memory_.response() != nullptr) end = std::min(end, memory_.response()->at);
  const Cycle to = engine_.compute(cycle_, end, in);
  steps_ += to - cycle_;
  cycle_ = to;
}

// polyloom_kernel_node: writes and reads take turns.
void ModelNode::access_block_ram(Cycle k, const mpe::MemoryRequest& write, const mpe::MemoryRequest& read,
                                 mpe::Inputs& engine) {
  const bool writes = write.valid && write.address < kDramBase,
             reads = read.valid && read.address < kDramBase;
  if (!writes && !reads) return;
  const bool write_first = writes && (write_turn_ || !reads);
  write_turn_ = !write_first;
  engine.write_taken = write_first;
  engine.read_taken = !write_first;
  const std::uint32_t address = write_first ? write.address : read.address;
  if (kernel_ == nullptr) {
    if (!write_first) later_response_ = mpe::Reader::Response{0, true};
    return;
  }
  if (k < due()) lost_ += kernel_->cost_of_dma(address);
  if (write_first) {
    kernel_->dma_write(address, write.data, write.strobe);
  } else {
    std::uint64_t word = 0;
    const bool found = kernel_->dma_read(address, word);
    later_response_ = mpe::Reader::Response{word, !found};
  }
}

// True if a store of the kernel's is taken.
bool ModelNode::access_dram(Cycle k, const mpe::MemoryRequest& write, const mpe::MemoryRequest& read,
                            mpe::Inputs& engine) {
  const bool loads = wants(Touch::read, k) && !requested_, stores = wants(Touch::write, k);
  const bool writes = write.valid && write.address >= kDramBase,
             reads = read.valid && read.address >= kDramBase;
  if (!loads && !stores && !writes && !reads) return false;
  std::array<NodeMemory::Request, NodeMemory::kRequesters> requests;
  if (loads || stores) {
    requests[NodeMemory::kKernel] = {{true, access_->address, access_->word, access_->strobe}, stores};
  }
  if (writes) requests[NodeMemory::kWriter] = {write, true};
  if (reads) requests[NodeMemory::kReader] = {read, false};
  const NodeMemory::Requester taken = memory_.take(k, requests);
  engine.write_taken |= taken == NodeMemory::kWriter;
  engine.read_taken |= taken == NodeMemory::kReader;
  if (taken != NodeMemory::kKernel) return false;
  requested_ = loads;
  return stores;
}

// The engine lets the kernel out of reset in the next cycle, or puts it back.
void ModelNode::start_kernel(Cycle k) {
  if (!engine_.kernel_runs()) standing_ = where();
  kernel_.reset();
  access_ = nullptr;
  if (!engine_.kernel_runs()) return;
  kernel_ = make_kernel(code_);
  kernel_->start(engine_.rank(), k + 1);
  history_.begin(clock_.edge(k + 1), engine_.size());
  pushed_ = popped_ = 0;
  begin_ = k + 1;
  rank_ = engine_.rank();
  standing_.clear();
  go_on(k + 1);
}

// A row of mpi_now.csv; empty of a kernel that has ended.
std::string ModelNode::where() const {
  if (access_ == nullptr || access_->touch == Touch::done) return {};
  mpi::Wait wait{rank_, {}, static_cast<Time>(clock_.edge(command_since_) - clock_.edge(begin_))};
  std::copy(command_.begin(), command_.end(), wait.words);
  const bool waits = access_->touch == Touch::pop && popped_ == 0;
  const char* const place = kernel_->place();
  return std::to_string(rank_) + ",\"" + (waits ? mpi::wait_text(wait) : mpi::busy_text(rank_)) + "\",\"" +
         (place ? place : "") + "\"";
}

void ModelNode::complete(Cycle k, std::uint64_t word) {
  record(k, word);
  kernel_->complete(k, word);
  go_on(k);
}

// For the run record: an access took place in cycle k.
void ModelNode::record(Cycle k, std::uint64_t word) {
  switch (access_->touch) {
    case Touch::push:
      if (pushed_ == 0) command_since_ = due();
      command_[pushed_] = access_->word;
      if (++pushed_ == command_.size()) {
        history_.command(clock_.edge(command_since_), command_.data());
        pushed_ = 0;
      }
      break;
    case Touch::pop:
      responded_[popped_] = word;
      if (++popped_ == responded_.size()) {
        history_.response(clock_.edge(k), responded_.data());
        popped_ = 0;
      }
      break;
    case Touch::read:
    case Touch::write:
      history_.dram(clock_.edge(k) - clock_.edge(due()));
      break;
    default:
      break;
  }
}

void ModelNode::go_on(Cycle k) {
  lost_ = 0;
  requested_ = false;
  access_ = &kernel_->run(k + kAhead);
  if (access_->touch != Touch::done) return;
  history_.end(clock_.edge(access_->cycle));
  const hls::Counts counts = kernel_->counts();
  counts_.assign(counts.at, counts.at + counts.size);
}

void ModelNode::counters(const fabric::CounterSink& sink) const {
  const std::string prefix = name_ + ".";
  sink(prefix + "cycles_stepped", steps_);
  sink(prefix + "kernel.cycles_waited", waited_);
  sink(prefix + "lane.0.rx_words", lane_.words_in());
  sink(prefix + "lane.0.tx_words", lane_.words_out());
  sink(prefix + "mem.0.beats_read", memory_.reads());
  sink(prefix + "mem.0.beats_written", memory_.writes());
}

void ModelNode::tables(const fabric::TableSink& sink) const {
  history_.tables(engine_.rank(), true, sink);
  const std::string now = kernel_ ? where() : standing_;
  if (!now.empty()) sink("mpi_now", "rank,text,place", now);
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] == 0) continue;
    sink("mpi_counts", "rank,counter,count",
         std::to_string(engine_.rank()) + "," + std::to_string(i) + "," + std::to_string(counts_[i]));
  }
}

void ModelNode::digest(fabric::Digest& digest) const {
  digest.add(lane_.words_in());
  digest.add(lane_.words_out());
  digest.add(steps_);
  digest.add(waited_);
}

}  // namespace polyloom::mpi

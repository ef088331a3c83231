// SPDX-License-Identifier: Apache-2.0
#include "bench/mpi-jacobi/zrlmpi_node.h"

#include <algorithm>

#include "bench/mpi-jacobi/zrlmpi_address.h"

namespace polyloom::bench {
namespace {

constexpr std::uint64_t kMessageWords = 346;
// Ethernet, IP, UDP, ZRLMPI header, check sequence.
constexpr std::uint64_t kHeaderBytes = 14 + 20 + 8 + 32 + 4;
// Words of silence that stand for preamble and gap on our links.
constexpr int kGapWords = 2;

}  // namespace

void add_message(std::vector<Step>& script, Step::Kind kind, int peer, std::uint64_t words) {
  while (words > 0) {
    const std::uint64_t part = std::min(words, kMessageWords);
    script.push_back({kind, peer, part, 0});
    words -= part;
  }
}

ZrlmpiNode::ZrlmpiNode(int rank, std::vector<Step> script, ZrlmpiCosts costs, blocks::WireEnds wire)
    : rank_(rank), script_(std::move(script)), costs_(costs), wire_(wire) {
  progress();
}

void ZrlmpiNode::advance(fabric::Time until) {
  while (const fabric::Segment* front = wire_.rx->front()) {
    const fabric::Time there = front->end() - front->period;
    if (there >= until) break;
    const fabric::Segment frame = wire_.rx->take();
    const auto kind = static_cast<Packet>(frame.words[1] & 0xff);
    const int peer = static_cast<int>(frame.words[1] >> 8);
    const bool data = kind == Packet::data;
    const auto words = static_cast<fabric::Time>(frame.words.size());
    time_ = std::max(time_, there) + (data ? costs_.data + words * costs_.word : costs_.control);
    ++arrived_[{kind, peer}];
    progress();
  }
  while (!out_.empty()) {
    fabric::Segment frame = out_.front();
    frame.first =
        std::max(frame.first, wire_.tx->free_at() + (packets_ > 0 ? kGapWords * wire_.tx->period() : 0));
    if (frame.first >= until) break;
    wire_.tx->send(std::move(frame));
    out_.pop_front();
  }
}

fabric::Time ZrlmpiNode::next_event() const {
  fabric::Time next = fabric::kNever;
  if (!out_.empty()) next = std::max(out_.front().first, wire_.tx->free_at());
  return next;
}

std::string ZrlmpiNode::waiting_for() const {
  if (finished()) return {};
  const Step& step = script_[step_];
  return std::string(step.kind == Step::Kind::send ? "rank " : "a message of rank ") +
         std::to_string(step.peer);
}

// Runs ahead through the script until a packet is missing; the clock is time_, not the window's.
void ZrlmpiNode::progress() {
  for (; step_ < script_.size(); ++step_, begun_ = data_sent_ = false) {
    const Step& step = script_[step_];
    switch (step.kind) {
      case Step::Kind::compute:
        time_ += step.time;
        break;
      case Step::Kind::send:
        if (!begun_) emit(Packet::request, step.peer, 0);
        begun_ = true;
        if (!data_sent_) {
          if (!take(Packet::clear_to_send, step.peer)) return;
          emit(Packet::data, step.peer, step.words);
          data_sent_ = true;
        }
        if (!take(Packet::acknowledge, step.peer)) return;
        break;
      case Step::Kind::receive:
        if (!begun_) {
          if (!take(Packet::request, step.peer)) return;
          emit(Packet::clear_to_send, step.peer, 0);
          begun_ = true;
        }
        if (!take(Packet::data, step.peer)) return;
        emit(Packet::acknowledge, step.peer, 0);
        break;
    }
  }
}

bool ZrlmpiNode::take(Packet kind, int peer) {
  const auto found = arrived_.find({kind, peer});
  if (found == arrived_.end() || found->second == 0) return false;
  --found->second;
  return true;
}

void ZrlmpiNode::emit(Packet kind, int peer, std::uint64_t words) {
  const std::uint64_t bytes = kHeaderBytes + 4 * words;
  fabric::Segment frame;
  frame.words.assign((bytes + 7) / 8, 0);
  frame.keep = static_cast<std::uint8_t>((bytes - 1) % 8 + 1);
  frame.words[0] = zrlmpi_address(peer);
  frame.words[1] = static_cast<std::uint64_t>(kind) | static_cast<std::uint64_t>(rank_) << 8;
  const bool data = kind == Packet::data;
  time_ += data ? costs_.data + static_cast<fabric::Time>(words / 2) * costs_.word : costs_.control;
  frame.first = time_;
  out_.push_back(std::move(frame));
  ++packets_;
}

}  // namespace polyloom::bench

// SPDX-License-Identifier: Apache-2.0
// A cluster for tests: boards that keep what is written to them and respond as a shell does, with no threads
// behind.
#pragma once

#include <cstring>
#include <deque>
#include <functional>
#include <map>

#include "blocks/shell/host_frames.h"
#include "fabric/host/client.h"
#include "fabric/phases.h"
#include "roles/overlay/arch/fault_codes.h"
#include "roles/overlay/host/backend.h"

namespace polyloom::overlay {

class FakeCluster : public HostBackend {
 public:
  struct Start {
    unsigned board;
    blocks::StartFrame frame;
    std::size_t unanswered;  ///< frames that the boards had not answered yet
  };
  struct Sent {
    std::uint32_t dest;
    std::uint64_t mask;
    std::vector<std::uint64_t> payload;
  };

  static constexpr fabric::Time kCallTime = 1000;  ///< ps; a cycle of the boards, too

  explicit FakeCluster(ClusterFacts facts) : facts_(std::move(facts)) {
    for (unsigned b = 0; b < facts_.boards(); ++b) registers[{b, blocks::reg::clock_hz}] = 1'000'000'000;
  }

  // What the host program did.
  std::vector<Start> starts;
  std::vector<Sent> sent;
  std::vector<std::pair<unsigned, blocks::UartInFrame>> input;
  /// Bytes by (board, space, target, byte address); instruction addresses are words there and bytes here.
  std::map<std::tuple<unsigned, unsigned, std::uint32_t>, std::map<std::uint64_t, std::uint8_t>> memory;
  std::vector<fabric::PhaseMark> marks;
  std::size_t calls = 0;  ///< of send, recv and try_recv
  /// What registers hold, by (board, register).
  std::map<std::pair<unsigned, std::uint32_t>, std::uint64_t> registers;
  bool takes_messages = true;  ///< into its network; else they stay where they wait
  /// Called for each message, to respond to it.
  std::function<void(const Sent&)> on_message;

  // What the boards do.
  void put(unsigned board, std::vector<std::uint64_t> words) { frames_.push_back({board, std::move(words)}); }
  void put_message(std::vector<std::uint64_t> payload) {
    blocks::MsgFrame frame;
    frame.mask = 1;
    frame.payload = payload;
    put(0, blocks::encode(frame));
  }
  void put_text(unsigned board, unsigned core, unsigned thread, const std::string& text) {
    for (const char c : text) {
      blocks::UartOutFrame frame;
      frame.core = static_cast<std::uint16_t>(core);
      frame.thread = static_cast<std::uint8_t>(thread);
      frame.byte = static_cast<std::uint8_t>(c);
      put(board, blocks::encode(frame));
    }
  }

  /// Flits have gone on, so that there is room.
  void pass(unsigned flits) {
    for (unreported_ += flits; unreported_ >= kRoomFlits; unreported_ -= kRoomFlits)
      put(0, blocks::encode(blocks::FaultFrame{.cause = kMessageRoom, .value = kRoomFlits}));
  }

  // HostBackend
  const ClusterFacts& facts() const override { return facts_; }
  void send(std::span<const BackendFrame> frames) override {
    time_ += kCallTime;
    ++calls;
    for (const BackendFrame& frame : frames) take(frame.board, frame.words);
  }
  std::vector<BackendFrame> try_recv() override {
    time_ += kCallTime;
    ++calls;
    std::vector<BackendFrame> frames(std::make_move_iterator(frames_.begin()),
                                     std::make_move_iterator(frames_.end()));
    for (BackendFrame& frame : frames) frame.arrival = time_;
    frames_.clear();
    return frames;
  }
  std::vector<BackendFrame> recv() override {
    auto frames = try_recv();
    if (frames.empty())
      throw fabric::SimulatorError(fabric::HostErrorReason::deadlock, "nothing can happen any more");
    return frames;
  }
  fabric::Time now() const override { return time_; }
  void mark(const char* phase, fabric::Time at) override { marks.push_back({phase, at}); }
  std::string finish() override { return "{\"end_ps\": 0}"; }

  std::vector<std::uint8_t> bytes(unsigned board, blocks::Space space, std::uint32_t target,
                                  std::uint64_t address, std::size_t n) {
    auto& space_bytes = memory[{board, static_cast<unsigned>(space), target}];
    std::vector<std::uint8_t> out(n);
    for (std::size_t i = 0; i < n; ++i) {
      const auto found = space_bytes.find(address + i);
      out[i] = found == space_bytes.end() ? 0xee : found->second;
    }
    return out;
  }

 private:
  static std::uint64_t byte_address(const blocks::MemRange& range) {
    return range.space == blocks::Space::instr ? std::uint64_t{4} * range.address : range.address;
  }
  void take(unsigned board, std::span<const std::uint64_t> words) {
    const blocks::HostFrame frame = blocks::decode(words);
    if (const auto* write = std::get_if<blocks::WriteFrame>(&frame)) {
      keep(board, *write);
    } else if (const auto* read = std::get_if<blocks::ReadFrame>(&frame)) {
      response(board, *read);
    } else if (const auto* start = std::get_if<blocks::StartFrame>(&frame)) {
      starts.push_back({board, *start, frames_.size()});
    } else if (const auto* reg = std::get_if<blocks::RegReadFrame>(&frame)) {
      put(board, blocks::encode(blocks::RegDataFrame{reg->tag, reg->reg, registers[{board, reg->reg}]}));
    } else if (const auto* in = std::get_if<blocks::UartInFrame>(&frame)) {
      input.push_back({board, *in});
    } else if (const auto* msg = std::get_if<blocks::MsgFrame>(&frame)) {
      sent.push_back({msg->dest, msg->mask, {msg->payload.begin(), msg->payload.end()}});
      if (takes_messages) pass(static_cast<unsigned>(msg->flits()));
      if (on_message) on_message(sent.back());
    } else {
      throw std::logic_error("a frame that no board takes");
    }
  }
  void keep(unsigned board, const blocks::WriteFrame& write) {
    auto& to = memory[{board, static_cast<unsigned>(write.range.space), write.range.target}];
    const auto data = blocks::unpack_bytes(write.data, write.range.bytes);
    for (std::size_t i = 0; i < data.size(); ++i) to[byte_address(write.range) + i] = data[i];
    put(board, blocks::encode(blocks::WriteDoneFrame{write.tag, write.range}));
  }
  void response(unsigned board, const blocks::ReadFrame& read) {
    const auto data =
        bytes(board, read.range.space, read.range.target, byte_address(read.range), read.range.bytes);
    const auto words = blocks::pack_bytes(data);
    put(board, blocks::encode(blocks::ReadDataFrame{read.tag, read.range, words}));
  }

  ClusterFacts facts_;
  std::deque<BackendFrame> frames_;
  unsigned unreported_ = 0;
  fabric::Time time_ = 0;
};

}  // namespace polyloom::overlay

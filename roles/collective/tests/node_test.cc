// SPDX-License-Identifier: Apache-2.0
// Covers: the host's view of a node: channels, programs, registers, events, what is refused, timing without
// contents. Leaves out: what programs do (engine_test.cc), the frames themselves (blocks/shell).
#include "roles/collective/sim/node.h"

#include <gtest/gtest.h>

#include "blocks/shell/host_frames.h"
#include "fabric/fabric.h"
#include "roles/collective/tests/bench.h"

namespace polyloom::collective {
namespace {

using namespace test;
using namespace blocks;

class Host final : public fabric::Node {
 public:
  explicit Host(fabric::Port port) : port_(port) {}
  void send(std::vector<std::uint64_t> words) { out_.push_back(std::move(words)); }
  void advance(fabric::Time until) override {
    for (; !out_.empty() && port_.tx->free_at() < until && now_ < until; out_.erase(out_.begin())) {
      fabric::Segment s;
      s.first = std::max(now_, port_.tx->free_at());
      s.words = out_.front();
      port_.tx->send(std::move(s));
    }
    while (const fabric::Segment* s = port_.rx->front()) {
      if (s->end() > until) break;
      if (s->head) frames.emplace_back();
      frames.back().insert(frames.back().end(), s->words.begin(), s->words.end());
      port_.rx->pop();
    }
    now_ = until;
  }
  fabric::Time next_event() const override {
    return out_.empty() ? fabric::kNever : std::max(now_, port_.tx->free_at());
  }
  std::vector<std::vector<std::uint64_t>> frames;

 private:
  fabric::Port port_;
  fabric::Time now_ = 0;
  std::vector<std::vector<std::uint64_t>> out_;
};

class NodeTest : public ::testing::Test {
 protected:
  void make(const CollectiveParams& params) {
    fabric_ = std::make_unique<fabric::Fabric>();
    fabric_->add_node("fpga.0");
    fabric_->add_node("host");
    const fabric::LinkSpec link{.latency = 1'000'000, .period = 1'000};
    const auto [a, z] = fabric_->connect(link, link, 0, 1);
    NodeSite site;
    site.name = "fpga.0";
    site.host = {a.tx, a.rx};
    auto node = std::make_unique<CollectiveNode>(params, std::move(site));
    node_ = node.get();
    fabric_->set_node(0, std::move(node));
    auto host = std::make_unique<Host>(z);
    host_ = host.get();
    fabric_->set_node(1, std::move(host));
  }
  template <class F>
  F request(const auto& frame) {
    host_->frames.clear();
    host_->send(encode(frame));
    fabric::run(*fabric_);
    EXPECT_EQ(host_->frames.size(), 1u);
    words_ = host_->frames.empty() ? std::vector<std::uint64_t>{} : host_->frames.back();
    const HostFrame decoded = decode(words_);
    const F* f = std::get_if<F>(&decoded);
    EXPECT_NE(f, nullptr) << "op " << (words_.empty() ? 0 : words_[0] & 0xff);
    return f ? *f : F{};
  }
  std::uint64_t reg_value(std::uint32_t r) {
    return request<RegDataFrame>(RegReadFrame{1, blocks::reg::role_base + r}).value;
  }
  void program(const std::vector<Instruction>& instructions, std::uint32_t index) {
    std::vector<std::uint64_t> words;
    for (const Instruction& i : instructions) {
      for (const std::uint64_t w : i.words()) words.push_back(w);
    }
    const MemRange range{Space::program, 0, 32 * index, static_cast<std::uint32_t>(8 * words.size())};
    request<WriteDoneFrame>(WriteFrame{1, range, words});
  }

  std::unique_ptr<fabric::Fabric> fabric_;
  CollectiveNode* node_ = nullptr;
  Host* host_ = nullptr;
  std::vector<std::uint64_t> words_;
};

TEST_F(NodeTest, AHostLoadsStartsAndReads) {
  make(small_params());
  const std::vector<std::uint64_t> data{0x1111, 0x2222, 0x3333, 0x4444, 0x55};
  request<WriteDoneFrame>(WriteFrame{1, {Space::channel, 1, 96, 33}, data});
  program({read(1, {96, 33, 1, 0}), write(0, {32768, 33, 1, 0}, kFromRead + 1), go(3), end()}, 10);
  const auto event =
      request<EventFrame>(RegWriteFrame{1, blocks::reg::role_base + collective::reg::start, 10});
  EXPECT_EQ(event.code, 0);
  EXPECT_EQ(event.detail, 13u);
  EXPECT_EQ(event.finish - event.begin, reg_value(collective::reg::mark + 3) - event.begin + 2);
  EXPECT_EQ(reg_value(collective::reg::begin), event.begin);
  EXPECT_EQ(reg_value(collective::reg::finish), event.finish);
  EXPECT_EQ(reg_value(collective::reg::state), 0u);
  const auto back = request<ReadDataFrame>(ReadFrame{1, {Space::channel, 0, 32768, 40}});
  (void)back;
  EXPECT_EQ(std::vector<std::uint64_t>(words_.begin() + 2, words_.end()), data);
  const auto text = request<ReadDataFrame>(ReadFrame{1, {Space::program, 0, 32 * 13, 32}});
  EXPECT_EQ(text.range.bytes, 32u);
}

TEST_F(NodeTest, RegistersDescribeTheNode) {
  CollectiveParams p = small_params();
  p.program_size = 64;
  make(p);
  EXPECT_EQ(reg_value(collective::reg::program_size), 64u);
  EXPECT_EQ(reg_value(collective::reg::shape), 2u | 128ull << 32);
  EXPECT_EQ(request<RegDataFrame>(RegReadFrame{1, blocks::reg::role}).value, 3u);
}

TEST_F(NodeTest, RefusesWhatItHasNot) {
  CollectiveParams p = small_params();
  make(p);
  const std::vector<std::uint64_t> four(4, 0);
  const auto refused = [&](const auto& frame) {
    EXPECT_EQ(request<FrameErrorFrame>(frame).reason, FrameReason::refused);
  };
  refused(ReadFrame{1, {Space::channel, 2, 0, 8}});
  refused(ReadFrame{1, {Space::channel, 1, 65528, 16}});
  refused(ReadFrame{1, {Space::program, 0, 8, 32}});
  refused(WriteFrame{1, {Space::program, 0, 32 * 1024, 32}, four});
  refused(ReadFrame{1, {Space::slice0, 0, 0, 8}});
  refused(RegWriteFrame{1, blocks::reg::role_base + collective::reg::start, 1024});
  refused(RegReadFrame{1, blocks::reg::role_base + 0x99});
  p.stored = false;
  make(p);
  refused(ReadFrame{1, {Space::channel, 0, 0, 8}});
}

TEST_F(NodeTest, FaultsAreEvents) {
  make(small_params());
  program({go(0xff, 8)}, 5);
  const auto event =
      request<EventFrame>(RegWriteFrame{1, blocks::reg::role_base + collective::reg::start, 5});
  EXPECT_EQ(event.code, static_cast<std::uint8_t>(Fault::bad_program));
  EXPECT_EQ(event.detail, 0xff0005u);
  EXPECT_EQ(reg_value(collective::reg::state), 2u);
}

// Without contents the same program takes the same cycles.
TEST(TimingOnly, TakesTheSameCycles) {
  Cycle finish[2];
  for (const bool stored : {false, true}) {
    BenchOptions o{.params = small_params(), .links = {{0, 1}}, .nodes = 2};
    o.params.stored = stored;
    Bench b(o);
    b.start(0, {read(0, {0, 30000, 1, 0}), send(0, kFromRead), go(), end()});
    b.start(1, {take(0), write(1, {32768, 30000, 1, 0}, kFromLane), go(), end()});
    b.run();
    EXPECT_TRUE(b.idle());
    finish[stored] = b.engine(1).finish();
  }
  EXPECT_EQ(finish[0], finish[1]);
}

}  // namespace
}  // namespace polyloom::collective

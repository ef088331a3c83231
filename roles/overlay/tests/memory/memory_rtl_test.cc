// SPDX-License-Identifier: Apache-2.0
// Covers: caches and slice in RTL against the fast model's rules (memory_reference.h), every response's cycle
//   and data, counters, and the memory's bytes after all lines were flushed; random loads, stores and flushes
//   of all threads on DRAM (both views) and SRAM; lines of 32 and 64 bytes; more misses than slots, memories
//   that are full; the host's DMA beside caches.
// Leaves out: cores (their tests, swap tests), timing of the DMA.
#include <gtest/gtest.h>

#include <cstdlib>

#include "fabric/full_tests.h"
#include "roles/overlay/tests/memory/memory_rtl_harness.h"

namespace polyloom::overlay::test {
namespace {

bool full() { return fabric::full_tests(); }

/// What random threads do.
struct Load {
  unsigned lines = 40;  ///< that a thread uses
  unsigned hot = 4;     ///< of which it mostly uses this many
  unsigned hot_percent = 70, flush_percent = 5, store_percent = 40;
  unsigned pause = 20;  ///< cycles at most between response and next request, beyond 8
  unsigned sram_percent = 30;
  unsigned accesses = 60;     ///< of a thread
  unsigned end_pause = 2000;  ///< between its flushes at the end
};

/// A thread that loads and stores its own lines and knows what they hold.
struct Program {
  unsigned tile, core, thread;
  std::vector<std::uint32_t> lines;
  std::map<std::uint32_t, std::uint8_t> bytes;  ///< written so far
  unsigned left = 0, flushes = 0;               ///< accesses, and lines to be flushed at the end
  Cycle ready = 0;
  bool waits = false;
  Access last{};
};

/// What runs beside the programs if nothing does.
struct Nothing {
  void drive() {}
  void look() {}
  bool finished() const { return true; }
};

class Bench {
 public:
  Bench(const Shape& shape, unsigned seed, const Load& load)
      : shape_(shape), load_(load), random_(seed), rtl_(shape, dram(), sram()) {
    std::vector<Response> none;
    for (unsigned i = 0; i < 8 + shape.cores * shape.threads * shape.sets; ++i) rtl_.cycle({}, none);
    for (unsigned t = 0; t < shape.tiles; ++t) {
      for (unsigned i = 0; i < shape.cores * shape.threads; ++i) {
        Program p{
            .tile = t, .core = i / shape.threads, .thread = i % shape.threads, .lines = {}, .bytes = {}};
        const unsigned id = t * shape.cores * shape.threads + i;
        for (unsigned l = 0; l < load.lines; ++l) p.lines.push_back(line(id, l));
        p.left = load.accesses;
        p.flushes = shape.sets * shape.ways;
        p.ready = rtl_.now() + below(load.pause + 1);
        programs_.push_back(std::move(p));
      }
    }
  }

  static blocks::DramParams dram() { return blocks::DramParams::ddr3_1600(); }
  static blocks::SramParams sram() { return blocks::SramParams::qdr2(); }

  /// Runs all programs to their ends, then until nothing moves.
  template <class Beside = Nothing>
  void run(Beside* beside = nullptr) {
    for (const Cycle end = rtl_.now() + 2'000'000; rtl_.now() < end;) {
      const std::vector<Access> requests = choose();
      const std::size_t before = responses_.size();
      if (beside != nullptr) beside->drive();
      rtl_.cycle(requests, responses_, [&] {
        if (beside != nullptr) beside->look();
      });
      for (std::size_t i = before; i < responses_.size(); ++i) take(responses_[i]);
      if (HasFatalFailure() || (finished() && rtl_.idle() && (beside == nullptr || beside->finished()))) {
        return;
      }
    }
    FAIL() << "no end";
  }

  void compare() {
    MemoryReference reference(shape_.board(), dram(), sram());
    const std::vector<Response> expected = reference.run(trace_);
    ASSERT_EQ(responses_.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const Response &a = responses_[i], &e = expected[i];
      ASSERT_TRUE(a == e) << "response " << i << ": at " << a.at << ", expected " << e.at << "; tile "
                          << a.tile << " " << e.tile << ", core " << a.core << " " << e.core << ", thread "
                          << a.thread << " " << e.thread << ", fill " << a.fill << " " << e.fill << ", data "
                          << std::hex << a.data << " " << e.data;
    }
    EXPECT_EQ(rtl_.counts(), reference.counts());
    each_byte([&](std::uint32_t at, unsigned want) {
      std::uint8_t model = 0;
      reference.memory().read(0, at, &model, 1);
      ASSERT_EQ(model, want) << std::hex << at;
    });
    compare_bytes();
  }

  /// The memories hold what the programs wrote.
  void compare_bytes() {
    const Memory map(shape_.board());
    each_byte(
        [&](std::uint32_t at, unsigned want) { ASSERT_EQ(byte(map.physical(at)), want) << std::hex << at; });
  }

  Counts counts() const { return rtl_.counts(); }
  const std::vector<Response>& responses() const { return responses_; }
  RtlMemories& rtl() { return rtl_; }
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }

 private:
  static bool HasFatalFailure() { return ::testing::Test::HasFatalFailure(); }

  /// Lines of different threads differ; those of a thread lie in few sets.
  std::uint32_t line(unsigned id, unsigned l) {
    const std::uint32_t offset = (l + below(2) * 256) * shape_.line_bytes;
    if (below(100) < load_.sram_percent) return 0x00800000u + below(2) * 0x00800000u + id * 0x8000u + offset;
    // The interleaved view shows 0x40000000 on; below that the same thread's lines lie elsewhere.
    return (below(2) != 0 ? 0xc0000000u : 0x02000000u) + id * 0x00200000u % 0x3e000000u + offset;
  }

  template <class Check>
  void each_byte(Check&& check) {
    for (const Program& p : programs_) {
      for (const std::uint32_t line : p.lines) {
        for (std::uint32_t at = line; at < line + shape_.line_bytes; ++at) {
          const auto it = p.bytes.find(at);
          check(at, it == p.bytes.end() ? 0u : it->second);
          if (HasFatalFailure()) return;
        }
      }
    }
  }

  std::uint8_t byte(std::uint32_t physical) {
    const unsigned channel = physical < kSramBBase ? 1 : physical < kDramBase ? 2 : 0;
    std::uint8_t value = 0;
    rtl_.memory(channel).read(channel == 0 ? physical : physical & (kSramABase - 1), {&value, 1});
    return value;
  }

  bool finished() const {
    for (const Program& p : programs_) {
      if (p.waits || p.left != 0 || p.flushes != 0) return false;
    }
    return true;
  }

  std::vector<Access> choose() {
    std::vector<Access> requests;
    std::vector<bool> taken(shape_.tiles * shape_.cores);
    const std::size_t first = below(static_cast<unsigned>(programs_.size()));
    for (std::size_t n = 0; n < programs_.size(); ++n) {
      Program& p = programs_[(first + n) % programs_.size()];
      const unsigned core = p.tile * shape_.cores + p.core;
      if (p.waits || p.ready > rtl_.now() || taken[core] || (p.left == 0 && p.flushes == 0)) continue;
      taken[core] = true;
      p.last = next(p);
      p.waits = true;
      requests.push_back(p.last);
      trace_.push_back(p.last);
    }
    return requests;
  }

  Access next(Program& p) {
    Access a{rtl_.now(), p.tile, p.core, p.thread, MemOp::flush, 0, false, 0, 0};
    const bool end = p.left == 0;
    if (end || below(100) < load_.flush_percent) {
      const unsigned which = end ? --p.flushes : below(shape_.sets * shape_.ways);
      a.addr = which / shape_.ways << 4 | which % shape_.ways;
      if (!end) --p.left;
      return a;
    }
    --p.left;
    const bool hot = below(100) < load_.hot_percent;
    a.op = below(100) < load_.store_percent ? MemOp::store : MemOp::load;
    a.size = below(3);
    a.sign = below(2) != 0;
    const std::uint32_t line = p.lines[below(hot ? load_.hot : load_.lines)];
    a.addr = (line + below(shape_.line_bytes)) & ~((1u << a.size) - 1);
    a.data = static_cast<std::uint32_t>(random_());
    return a;
  }

  void take(Response& response) {
    Program& p = programs_[(response.tile * shape_.cores + response.core) * shape_.threads + response.thread];
    ASSERT_TRUE(p.waits) << "a response that nothing waits for, cycle " << response.at;
    p.waits = false;
    p.ready = response.at + 8 + below((p.left != 0 ? load_.pause : load_.end_pause) + 1);
    const Access& a = p.last;
    response.store = a.op == MemOp::store;
    if (response.store) {
      response.data = 0;
      for (unsigned i = 0; i < 1u << a.size; ++i)
        p.bytes[a.addr + i] = static_cast<std::uint8_t>(a.data >> (8 * i));
    } else if (a.op == MemOp::load) {
      std::uint32_t value = 0;
      for (unsigned i = 0; i < 1u << a.size; ++i) {
        const auto it = p.bytes.find(a.addr + i);
        if (it != p.bytes.end()) value |= std::uint32_t{it->second} << (8 * i);
      }
      if (a.size == 0 && a.sign) value = static_cast<std::uint32_t>(static_cast<std::int8_t>(value));
      if (a.size == 1 && a.sign) value = static_cast<std::uint32_t>(static_cast<std::int16_t>(value));
      ASSERT_EQ(response.data, value)
          << "load of " << std::hex << a.addr << " in cycle " << std::dec << response.at;
    }
  }

  Shape shape_;
  Load load_;
  std::mt19937 random_;
  RtlMemories rtl_;
  std::vector<Program> programs_;
  std::vector<Access> trace_;
  std::vector<Response> responses_;
};

constexpr Shape kTile{};
constexpr Shape kSmall{.tiles = 2, .cores = 2, .threads = 8, .ways = 4, .sets = 2, .line_bytes = 64};

void equal(const Shape& shape, unsigned seed, const Load& load) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Bench bench(shape, seed, load);
  bench.run();
  if (!::testing::Test::HasFatalFailure()) bench.compare();
  EXPECT_GT(bench.counts().hits, 0u);
  EXPECT_GT(bench.counts().misses, 0u);
  EXPECT_GT(bench.counts().writebacks, 0u);
}

TEST(OverlayMemoryRtl, RandomAccessesOfATile) { equal(kTile, 1, {}); }

TEST(OverlayMemoryRtl, RandomAccessesWithLinesOf64Bytes) { equal(kSmall, 2, {.lines = 20}); }

TEST(OverlayMemoryRtl, MoreMissesThanSlots) {
  equal(kTile, 3,
        {.lines = 200, .hot = 100, .flush_percent = 0, .store_percent = 80, .pause = 0, .sram_percent = 0});
}

/// More dirty lines are flushed at once than the port's queue holds: lookups wait, nothing is lost.
TEST(OverlayMemoryRtl, AStormOfFlushes) {
  Bench bench(kTile, 4, {.lines = 100, .hot_percent = 0, .store_percent = 100, .end_pause = 0});
  bench.run();
  if (!::testing::Test::HasFatalFailure()) bench.compare_bytes();
  EXPECT_GT(bench.counts().writebacks, 64u * 30);
}

/// The host's side of the DMA: bursts of writes and reads with random stalls, beside a tile that works.
class Host {
 public:
  Host(RtlMemories& rtl, unsigned seed, std::uint32_t base, std::uint32_t bytes)
      : rtl_(rtl), random_(seed), base_(base), shadow_(bytes) {}

  /// Drives the ports of the coming cycle.
  void drive() {
    if (!writing_ && !reading_ && bursts != 0) begin();
    const bool stall = random_() % 4 == 0;
    set("dma_aw_valid_i", aw_), set("dma_ar_valid_i", ar_);
    number("dma_aw_addr_i", at_), number("dma_ar_addr_i", at_);
    number("dma_aw_len_i", beats_ - 1), number("dma_ar_len_i", beats_ - 1);
    if (!w_ && !stall && writing_ && sent_ != beats_) w_ = true, fill();
    set("dma_w_valid_i", w_), set("dma_w_last_i", sent_ + 1 == beats_);
    set("dma_b_ready_i", !stall), set("dma_r_ready_i", !stall);
    stalled_ = stall;
  }

  /// Reads the ports before the edge.
  void look() {
    if (aw_ && get("dma_aw_ready_o")) aw_ = false;
    if (ar_ && get("dma_ar_ready_o")) ar_ = false;
    if (w_ && get("dma_w_ready_o")) w_ = false, ++sent_;
    if (!stalled_ && get("dma_b_valid_o")) {
      ASSERT_TRUE(writing_ && sent_ == beats_);
      writing_ = false;
    }
    if (!stalled_ && get("dma_r_valid_o")) {
      ASSERT_TRUE(reading_);
      const std::uint8_t* expected = &shadow_[at_ - base_ + std::size_t{32} * sent_];
      ASSERT_EQ(std::memcmp(rtl_.output("dma_r_data_o").data, expected, 32), 0) << "beat " << sent_;
      ++sent_, ++beats_read;
      ASSERT_EQ(get("dma_r_last_o"), sent_ == beats_);
      reading_ = sent_ != beats_;
    }
  }
  bool finished() const { return bursts == 0 && !writing_ && !reading_; }

  unsigned bursts = 0, beats_read = 0;

 private:
  void begin() {
    --bursts;
    beats_ = 1 + static_cast<unsigned>(random_() % 16);
    at_ = base_ + static_cast<std::uint32_t>(random_() % (shadow_.size() / 32 - beats_ + 1)) * 32;
    sent_ = 0;
    (random_() % 2 != 0 ? reading_ = ar_ = true : writing_ = aw_ = true);
  }

  void fill() {
    const auto data = rtl_.input("dma_w_data_i"), strobe = rtl_.input("dma_w_strb_i");
    for (unsigned i = 0; i < 32; ++i) {
      data.data[i] = static_cast<std::uint8_t>(random_());
      const bool on = random_() % 4 != 0;
      strobe.set_bit(i, on);
      if (on) shadow_[at_ - base_ + std::size_t{32} * sent_ + i] = data.data[i];
    }
  }
  void set(const char* port, bool value) { rtl_.input(port).set_bit(0, value); }
  void number(const char* port, std::uint32_t value) {
    const auto p = rtl_.input(port);
    std::memcpy(p.data, &value, (p.bits + 7) / 8);
  }
  bool get(const char* port) { return rtl_.output(port).bit(0); }

  RtlMemories& rtl_;
  std::mt19937 random_;
  std::uint32_t base_, at_ = 0;
  std::vector<std::uint8_t> shadow_;
  unsigned beats_ = 1, sent_ = 0;
  bool writing_ = false, reading_ = false, aw_ = false, ar_ = false, w_ = false, stalled_ = false;
};

TEST(OverlayMemoryRtl, TheHostReadsAndWritesBesideTheCaches) {
  for (const Shape& shape : {kTile, kSmall}) {
    for (const std::uint32_t base : {0x00c80000u, 0x01c00000u, 0xf0000000u}) {
      SCOPED_TRACE(testing::Message() << "base " << std::hex << base);
      Bench bench(shape, 5, {.lines = 20, .accesses = 40});
      Host host(bench.rtl(), base, base, 4096);
      host.bursts = 100;
      bench.run(&host);
      if (::testing::Test::HasFatalFailure()) return;
      bench.compare_bytes();
      EXPECT_GT(host.beats_read, 200u);
    }
  }
}

TEST(OverlayMemoryRtl, ManySeedsAndShapes) {
  if (!full()) GTEST_SKIP() << "POLYLOOM_TEST_FULL=1 runs it";
  for (unsigned seed = 100; seed < 130; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
    const Load load{.lines = 4 + below(120),
                    .hot = 1 + below(4),
                    .hot_percent = below(100),
                    .flush_percent = below(20),
                    .store_percent = below(100),
                    .pause = below(100),
                    .sram_percent = below(100),
                    .accesses = 200};
    for (const Shape& shape : {kTile, kSmall, Shape{1, 1, 1, 1, 1, 32}, Shape{3, 4, 16, 8, 8, 32}}) {
      equal(shape, seed, load);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace polyloom::overlay::test

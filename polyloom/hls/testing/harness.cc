// SPDX-License-Identifier: Apache-2.0
// Runs a Verilated kernel: feeds its pops, takes its pushes, plays DRAM and DMA; all with random stalls.
//
// Arguments: FILE SEED STALL CYCLES RANK [SCRATCH WORDS]
//   FILE     lines "port word", the words of each port in order
//   STALL    how many of 100 cycles a handshake does not happen; DMA asks in as many
//   CYCLES   give up after so many
//   SCRATCH  address of an object of WORDS words which only DMA writes and reads: data are checked
// Output: a line "port word" for each push, at the end "cycles N" or "stuck N".
#include <verilated.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <unordered_map>

#include "Vpolyloom_kernel_app.h"

using Top = Vpolyloom_kernel_app;

namespace {

[[noreturn]] void fail(const std::string& what, uint64_t cycle) {
  std::fprintf(stderr, "harness: %s in cycle %" PRIu64 "\n", what.c_str(), cycle);
  std::exit(1);
}

// A kernel has ports besides port 0 only if it uses them.
#define POLYLOOM_PORT(N)                                                                \
  template <typename T>                                                                 \
  bool push_valid_##N(T& top) {                                                         \
    if constexpr (requires { top.push_##N##_valid_o; })                                 \
      return top.push_##N##_valid_o;                                                    \
    else                                                                                \
      return false;                                                                     \
  }                                                                                     \
  template <typename T>                                                                 \
  uint64_t push_word_##N(T& top) {                                                      \
    if constexpr (requires { top.push_##N##_o; })                                       \
      return top.push_##N##_o;                                                          \
    else                                                                                \
      return 0;                                                                         \
  }                                                                                     \
  template <typename T>                                                                 \
  void push_ready_##N(T& top, bool ready) {                                             \
    if constexpr (requires { top.push_##N##_ready_i; }) top.push_##N##_ready_i = ready; \
  }                                                                                     \
  template <typename T>                                                                 \
  bool pop_ready_##N(T& top) {                                                          \
    if constexpr (requires { top.pop_##N##_ready_o; })                                  \
      return top.pop_##N##_ready_o;                                                     \
    else                                                                                \
      return false;                                                                     \
  }                                                                                     \
  template <typename T>                                                                 \
  void pop_offer_##N(T& top, bool valid, uint64_t word) {                               \
    if constexpr (requires { top.pop_##N##_valid_i; }) {                                \
      top.pop_##N##_valid_i = valid;                                                    \
      top.pop_##N##_i = word;                                                           \
    }                                                                                   \
  }

POLYLOOM_PORT(1)
POLYLOOM_PORT(2)
POLYLOOM_PORT(3)

constexpr int kPorts = 4;

class Harness {
 public:
  Harness(uint64_t seed, int stall) : rng_(seed), stall_(stall) {}

  bool chance() { return static_cast<int>(rng_() % 100) < stall_; }

  void load(const char* path) {
    std::FILE* file = std::fopen(path, "r");
    if (file == nullptr) fail(std::string("cannot open ") + path, 0);
    unsigned port = 0;
    uint64_t word = 0;
    while (std::fscanf(file, "%u %" SCNu64, &port, &word) == 2) words_[port].push_back(word);
    std::fclose(file);
  }

  void scratch(uint32_t address, uint32_t words) {
    scratch_ = address;
    scratch_words_ = words;
  }

  // Inputs of the cycle.
  void drive() {
    top.cmd_ready_i = !chance();
    push_ready_1(top, !chance());
    push_ready_2(top, !chance());
    push_ready_3(top, !chance());
    for (int port = 0; port < kPorts; port++) {
      if (!offered_[port]) offered_[port] = !words_[port].empty() && !chance();
      const uint64_t word = offered_[port] ? words_[port].front() : rng_();
      if (port == 0) {
        top.rsp_valid_i = offered_[port];
        top.rsp_i = word;
      }
      if (port == 1) pop_offer_1(top, offered_[port], word);
      if (port == 2) pop_offer_2(top, offered_[port], word);
      if (port == 3) pop_offer_3(top, offered_[port], word);
    }
    top.dram_req_ready_i = !chance();
    top.dram_rsp_valid_i = !reads_.empty() && reads_.front().first <= cycle && !chance();
    top.dram_rdata_i = top.dram_rsp_valid_i ? reads_.front().second : rng_();
    drive_dma();
  }

  // What happened in the cycle, after evaluation.
  void sample() {
    const bool valid[kPorts] = {static_cast<bool>(top.cmd_valid_o), push_valid_1(top), push_valid_2(top),
                                push_valid_3(top)};
    const bool ready[kPorts] = {static_cast<bool>(top.cmd_ready_i), last_ready(1), last_ready(2),
                                last_ready(3)};
    const uint64_t word[kPorts] = {top.cmd_o, push_word_1(top), push_word_2(top), push_word_3(top)};
    for (int port = 0; port < kPorts; port++) {
      if (held_[port] && (!valid[port] || word[port] != held_word_[port]))
        fail("a push was withdrawn or changed", cycle);
      held_[port] = valid[port] && !ready[port];
      held_word_[port] = word[port];
      if (valid[port] && ready[port]) std::printf("%d %" PRIu64 "\n", port, word[port]);
    }
    const bool pops[kPorts] = {static_cast<bool>(top.rsp_ready_o), pop_ready_1(top), pop_ready_2(top),
                               pop_ready_3(top)};
    waits = false;
    for (int port = 0; port < kPorts; port++) {
      if (pops[port] && offered_[port]) {
        words_[port].pop_front();
        offered_[port] = false;
      } else if (pops[port] && words_[port].empty()) {
        waits = true;
      }
    }
    sample_dram();
    sample_dma();
  }

  Top top;
  uint64_t cycle = 0;
  bool waits = false;

 private:
  template <int N>
  bool ready_of() {
    return true;
  }

  bool last_ready(int port) { return read_ready(top, port); }

  template <typename T>
  static bool read_ready(T& top, int port) {
    if constexpr (requires { top.push_1_ready_i; })
      if (port == 1) return top.push_1_ready_i;
    if constexpr (requires { top.push_2_ready_i; })
      if (port == 2) return top.push_2_ready_i;
    if constexpr (requires { top.push_3_ready_i; })
      if (port == 3) return top.push_3_ready_i;
    return false;
  }

  void drive_dma() {
    if (dma_pending_) return;
    top.dma_req_valid_i = scratch_words_ != 0 && chance();
    if (!top.dma_req_valid_i) return;
    dma_pending_ = true;
    const uint32_t word = static_cast<uint32_t>(rng_() % scratch_words_);
    const int kind = static_cast<int>(rng_() % 4);
    top.dma_write_i = kind == 0;
    // other objects are only read, and what comes is not looked at: it is a matter of when
    top.dma_addr_i = kind == 3 ? 0x10000 + static_cast<uint32_t>(rng_() % 0x4000) * 8 : scratch_ + word * 8;
    top.dma_wdata_i = rng_();
    top.dma_strb_i = rng_();
  }

  void sample_dma() {
    if (top.dma_rsp_valid_o) {
      if (expected_.empty()) fail("an answer of DMA that nobody asked for", cycle);
      const Read want = expected_.front();
      expected_.pop_front();
      if (want.checked && (top.dma_error_o || top.dma_rdata_o != want.data))
        fail("DMA read wrong data", cycle);
    }
    dma_wait_ = top.dma_req_valid_i && !top.dma_req_ready_o ? dma_wait_ + 1 : 0;
    if (dma_wait_ > 1) fail("DMA was refused in two cycles on end", cycle);
    if (!top.dma_req_valid_i || !top.dma_req_ready_o) return;
    dma_pending_ = false;
    const bool ours = top.dma_addr_i - scratch_ < scratch_words_ * 8;
    const uint32_t at = (top.dma_addr_i - scratch_) / 8;
    if (!top.dma_write_i) {
      expected_.push_back({ours, ours ? copy_[at] : 0});
    } else {
      for (int i = 0; i < 8; i++) {
        const uint64_t mask = uint64_t{0xFF} << (8 * i);
        if (top.dma_strb_i >> i & 1) copy_[at] = (copy_[at] & ~mask) | (top.dma_wdata_i & mask);
      }
    }
  }

  void sample_dram() {
    if (top.dram_rsp_valid_i) reads_.pop_front();
    if (!top.dram_req_valid_o || !top.dram_req_ready_i) return;
    uint64_t& word = dram_[top.dram_addr_o];
    if (top.dram_addr_o % 8 != 0 || top.dram_addr_o < 0x80000000U) fail("a bad DRAM address", cycle);
    if (!top.dram_write_o) {
      reads_.emplace_back(cycle + 1 + (stall_ != 0 ? rng_() % 40 : 0), word);
      return;
    }
    for (int i = 0; i < 8; i++) {
      const uint64_t mask = uint64_t{0xFF} << (8 * i);
      if (top.dram_strb_o >> i & 1) word = (word & ~mask) | (top.dram_wdata_o & mask);
    }
  }

  struct Read {
    bool checked;
    uint64_t data;
  };

  std::mt19937_64 rng_;
  int stall_;
  std::deque<uint64_t> words_[16];
  bool offered_[kPorts] = {};
  bool held_[kPorts] = {};
  uint64_t held_word_[kPorts] = {};
  std::deque<std::pair<uint64_t, uint64_t>> reads_;
  std::unordered_map<uint32_t, uint64_t> dram_;
  uint32_t scratch_ = 0, scratch_words_ = 0;
  bool dma_pending_ = false;
  int dma_wait_ = 0;
  std::deque<Read> expected_;
  std::map<uint32_t, uint64_t> copy_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) return 2;
  auto context = std::make_unique<VerilatedContext>();
  Verilated::defaultContextp()->randReset(2);
  Verilated::defaultContextp()->randSeed(static_cast<int>(std::strtoul(argv[2], nullptr, 10) % 1000000 + 1));
  Harness h(std::strtoull(argv[2], nullptr, 10), std::atoi(argv[3]));
  h.load(argv[1]);
  const uint64_t limit = std::strtoull(argv[4], nullptr, 10);
  h.top.rank_i = std::atoi(argv[5]);
  if (argc > 7) h.scratch(std::strtoul(argv[6], nullptr, 10), std::strtoul(argv[7], nullptr, 10));
  h.top.dma_req_valid_i = 0;
  h.top.rst_ni = 0;
  h.top.clk_i = 0;
  for (int i = 0; i < 4; i++) {
    h.top.clk_i = 1;
    h.top.eval();
    h.top.clk_i = 0;
    h.top.eval();
  }
  h.top.rst_ni = 1;
  uint64_t waiting = 0;
  for (h.cycle = 0; h.cycle < limit && waiting < 1000; h.cycle++) {
    h.top.cycle_i = h.cycle;
    h.drive();
    h.top.eval();
    if (h.top.done_o) {
      std::printf("cycles %" PRIu64 "\n", h.cycle);
      h.top.final();
      return 0;
    }
    h.sample();
    waiting = h.waits ? waiting + 1 : 0;
    h.top.clk_i = 1;
    h.top.eval();
    h.top.clk_i = 0;
    h.top.eval();
  }
  std::printf("stuck %" PRIu64 "\n", h.cycle);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Runs a kernel: feeds its pops, takes its pushes, plays DRAM and DMA; all with random stalls.
//
// Arguments: FILE SEED STALL CYCLES RANK SCRATCH WORDS [TRACE]
//   FILE     lines "port word", the words of each port in order
//   STALL    how many of 100 cycles a handshake does not happen; DMA asks in as many
//   CYCLES   give up after so many
//   SCRATCH  address of an object of WORDS words which only DMA writes and reads: data are checked
//            (0 words: there is no DMA)
//   TRACE    a file for all that happens at the other ports: lines "cycle what where word"
// Output: a line "port word" for each push, at the end "cycles N" or "stuck N".
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <unordered_map>

#include "circuit.h"

namespace {

[[noreturn]] void fail(const std::string& what, uint64_t cycle) {
  std::fprintf(stderr, "harness: %s in cycle %" PRIu64 "\n", what.c_str(), cycle);
  std::exit(1);
}

class Harness {
 public:
  Harness(uint64_t seed, int stall) : rng_(seed), stall_(stall) {}

  bool chance() { return static_cast<int>(rng_() % 100) < stall_; }

  void load(const char* path) {
    std::FILE* file = std::fopen(path, "r");
    if (file == nullptr) fail(std::string("cannot open ") + path, 0);
    unsigned port = 0;
    uint64_t word = 0;
    while (std::fscanf(file, "%u %" SCNu64, &port, &word) == 2 && port < kPorts) words_[port].push_back(word);
    std::fclose(file);
  }

  void trace(const char* path) { trace_ = std::fopen(path, "w"); }

  void scratch(uint32_t address, uint32_t words) {
    scratch_ = address;
    scratch_words_ = words;
  }

  // Inputs of the cycle.
  void drive() {
    for (Stream& push : pins.push) push.ready = !chance();
    for (int port = 0; port < kPorts; port++) {
      Stream& pop = pins.pop[port];
      if (!offered_[port]) offered_[port] = !words_[port].empty() && !chance();
      pop.valid = offered_[port];
      pop.word = pop.valid ? words_[port].front() : rng_();
    }
    pins.dram_req_ready_i = !chance();
    pins.dram_rsp_valid_i = !reads_.empty() && reads_.front().first <= cycle && !chance();
    pins.dram_rdata_i = pins.dram_rsp_valid_i ? reads_.front().second : rng_();
    drive_dma();
  }

  // What happened in the cycle, after evaluation.
  void sample() {
    for (int port = 0; port < kPorts; port++) {
      const Stream& push = pins.push[port];
      if (held_[port] && (!push.valid || push.word != held_word_[port]))
        fail("a push was withdrawn or changed", cycle);
      held_[port] = push.valid && !push.ready;
      held_word_[port] = push.word;
      if (!push.valid || !push.ready) continue;
      std::printf("%d %" PRIu64 "\n", port, push.word);
      note("push", port, push.word);
    }
    waits = false;
    for (int port = 0; port < kPorts; port++) {
      const Stream& pop = pins.pop[port];
      if (pop.ready && pop.valid) {
        note("pop", port, pop.word);
        words_[port].pop_front();
        offered_[port] = false;
      } else if (pop.ready && words_[port].empty()) {
        waits = true;
      }
    }
    sample_dram();
    sample_dma();
  }

  Pins pins = {};
  uint64_t cycle = 0;
  bool waits = false;

 private:
  void drive_dma() {
    if (dma_pending_) return;
    pins.dma_req_valid_i = scratch_words_ != 0 && chance();
    if (!pins.dma_req_valid_i) return;
    dma_pending_ = true;
    const uint32_t word = static_cast<uint32_t>(rng_() % scratch_words_);
    const int kind = static_cast<int>(rng_() % 4);
    pins.dma_write_i = kind == 0;
    // other objects are only read, and what comes is not looked at: it is a matter of when
    pins.dma_addr_i = kind == 3 ? 0x10000 + static_cast<uint32_t>(rng_() % 0x4000) * 8 : scratch_ + word * 8;
    pins.dma_wdata_i = rng_();
    pins.dma_strb_i = rng_();
  }

  void sample_dma() {
    if (pins.dma_rsp_valid_o) {
      if (expected_.empty()) fail("a response of DMA that nothing asked for", cycle);
      const Read want = expected_.front();
      expected_.pop_front();
      if (want.checked && (pins.dma_error_o || pins.dma_rdata_o != want.data))
        fail("DMA read wrong data", cycle);
    }
    dma_wait_ = pins.dma_req_valid_i && !pins.dma_req_ready_o ? dma_wait_ + 1 : 0;
    if (dma_wait_ > 1) fail("DMA was refused in two cycles on end", cycle);
    if (!pins.dma_req_valid_i || !pins.dma_req_ready_o) return;
    dma_pending_ = false;
    const bool ours = pins.dma_addr_i - scratch_ < scratch_words_ * 8;
    const uint32_t at = (pins.dma_addr_i - scratch_) / 8;
    if (!pins.dma_write_i) {
      expected_.push_back({ours, ours ? copy_[at] : 0});
    } else {
      for (int i = 0; i < 8; i++) {
        const uint64_t mask = uint64_t{0xFF} << (8 * i);
        if (pins.dma_strb_i >> i & 1) copy_[at] = (copy_[at] & ~mask) | (pins.dma_wdata_i & mask);
      }
    }
  }

  void sample_dram() {
    if (pins.dram_rsp_valid_i) {
      note("response", 0, pins.dram_rdata_i);
      reads_.pop_front();
    }
    if (!pins.dram_req_valid_o || !pins.dram_req_ready_i) return;
    // What was not written is undefined.
    uint64_t& word = dram_.try_emplace(pins.dram_addr_o, rng_()).first->second;
    if (pins.dram_addr_o % 8 != 0 || pins.dram_addr_o < 0x80000000U) fail("a bad DRAM address", cycle);
    note(pins.dram_write_o ? "write" : "read", pins.dram_addr_o, pins.dram_write_o ? pins.dram_wdata_o : 0);
    if (!pins.dram_write_o) {
      reads_.emplace_back(cycle + 1 + (stall_ != 0 ? rng_() % 40 : 0), word);
      return;
    }
    for (int i = 0; i < 8; i++) {
      const uint64_t mask = uint64_t{0xFF} << (8 * i);
      if (pins.dram_strb_o >> i & 1) word = (word & ~mask) | (pins.dram_wdata_o & mask);
    }
  }

  void note(const char* what, uint32_t where, uint64_t word) {
    if (trace_ != nullptr)
      std::fprintf(trace_, "%" PRIu64 " %s %" PRIx32 " %" PRIx64 "\n", cycle, what, where, word);
  }

  struct Read {
    bool checked;
    uint64_t data;
  };

  std::mt19937_64 rng_;
  int stall_;
  std::FILE* trace_ = nullptr;
  std::deque<uint64_t> words_[kPorts];
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
  if (argc < 8) return 2;
  circuit_start(static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10)));
  Harness h(std::strtoull(argv[2], nullptr, 10), std::atoi(argv[3]));
  h.load(argv[1]);
  const uint64_t limit = std::strtoull(argv[4], nullptr, 10);
  h.pins.rank_i = std::atoi(argv[5]);
  if (argc > 8) h.trace(argv[8]);
  h.scratch(std::strtoul(argv[6], nullptr, 10), std::strtoul(argv[7], nullptr, 10));
  h.pins.dma_req_valid_i = 0;
  h.pins.rst_ni = 0;
  h.pins.clk_i = 0;
  for (int i = 0; i < 4; i++) {
    h.pins.clk_i = 1;
    circuit_eval(h.pins);
    h.pins.clk_i = 0;
    circuit_eval(h.pins);
  }
  h.pins.rst_ni = 1;
  uint64_t waiting = 0;
  for (h.cycle = 0; h.cycle < limit && waiting < 1000; h.cycle++) {
    h.pins.cycle_i = h.cycle;
    h.drive();
    circuit_eval(h.pins);
    if (h.pins.done_o) {
      std::printf("cycles %" PRIu64 "\n", h.cycle);
      circuit_end();
      return 0;
    }
    h.sample();
    waiting = h.waits ? waiting + 1 : 0;
    h.pins.clk_i = 1;
    circuit_eval(h.pins);
    h.pins.clk_i = 0;
  }
  std::printf("stuck %" PRIu64 "\n", h.cycle);
  return 0;
}

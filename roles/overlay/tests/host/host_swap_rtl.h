// SPDX-License-Identifier: Apache-2.0
// The Verilated host side of a board (host_swap_top.sv) with what a test puts around it: a host, two slices
// behind AXI4, instruction memories and scratchpads behind requests, threads that fault as soon as they
// start. Random stalls everywhere.
#pragma once

#include <array>
#include <cstring>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "blocks/noise.h"
#include "blocks/verilated/rtl_model.h"
#include "roles/overlay/arch/fault_codes.h"

namespace polyloom::overlay::test {

using Words = std::vector<std::uint64_t>;

/// Bits of a port, up to 64.
inline std::uint64_t get(const blocks::RtlModel::Port& port, unsigned low, unsigned bits) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < bits; ++i) value |= std::uint64_t{port.bit(low + i)} << i;
  return value;
}
inline void set(const blocks::RtlModel::Port& port, unsigned low, unsigned bits, std::uint64_t value) {
  for (unsigned i = 0; i < bits; ++i) port.set_bit(low + i, (value >> i & 1) != 0);
}

class HostRtl {
 public:
  static constexpr unsigned kTiles = 4, kCores = 4, kThreads = 16, kPairs = 8, kInstrWords = 2048;

  HostRtl(std::uint64_t seed, unsigned stall, unsigned x, unsigned y, unsigned width, unsigned height)
      : model_("host_swap_top", object(), seed), rng_(seed), stall_(stall) {
    write("rst_ni", 0);
    write("board_i", y << 3 | x);
    write("mesh_i", height << 4 | width);
    for (int i = 0; i < 3; ++i) model_.settle(), model_.step();
    write("rst_ni", 1);
  }

  void send(const Words& frame) {
    for (std::size_t i = 0; i < frame.size(); ++i) rx_.emplace_back(frame[i], i + 1 == frame.size());
  }
  /// Until the host's words are in and `quiet` cycles have brought nothing.
  void settle(unsigned quiet = 400) {
    for (unsigned calm = 0; calm < quiet; ++calm, ++cycles) {
      step();
      if (busy_) calm = 0;
      if (cycles > 20'000'000) throw std::runtime_error("the RTL does not come to rest");
    }
  }

  std::vector<Words> frames;  ///< to the host
  std::array<std::vector<std::uint32_t>, kPairs> instr;
  std::array<std::map<std::uint32_t, std::uint32_t>, kTiles> pads;
  unsigned messages = 0, bytes = 0;  ///< let in; CTL_UART
  std::uint64_t cycles = 0;

 private:
  static std::string object() {
    return blocks::build_rtl({"host_swap_top", {"roles/overlay/tests/host/host_swap.f"}, {}, false});
  }
  bool go() { return stall_ == 0 || rng_() % 8 >= stall_; }
  void write(const std::string& name, std::uint64_t value) {
    const auto port = model_.input(name);
    set(port, 0, std::min(port.bits, 64u), value);
  }
  std::uint64_t read(const std::string& name) const {
    const auto port = model_.output(name);
    return get(port, 0, std::min(port.bits, 64u));
  }

  void step() {
    const bool rx = !rx_.empty() && (rx_open_ || go()), tx = go(), ctl = go(),
               rsp = !responses_.empty() && go();
    rx_open_ = rx;
    event_open_ = event_open_ || (!events_.empty() && go());
    write("host_rx_valid_i", rx);
    write("host_rx_data_i", rx ? rx_.front().first : rng_());
    write("host_rx_last_i", rx && rx_.front().second);
    write("host_tx_ready_i", tx);
    write("ctl_ready_i", ctl);
    write("ctl_rsp_valid_i", rsp);
    write("ctl_rdata_i", rsp ? responses_.front() : rng_());
    write("event_valid_i", event_open_);
    if (event_open_) {
      write("event_tile_i", events_.front().tile);
      const auto port = model_.input("event_i");  // fault, thread, cause, pc, value
      set(port, 0, 32, events_.front().pc), set(port, 32, 32, events_.front().pc);
      set(port, 64, 8, events_.front().cause), set(port, 72, 6, events_.front().thread), set(port, 78, 1, 1);
    }
    // A fetch outside the instruction memory counts as an instruction.
    const std::uint64_t retired = started_.empty() ? 0 : 1ull << started_.front();
    if (retired != 0) started_.pop_front();
    write("retired_i", retired);
    write("gate_i", go());
    for (unsigned c = 0; c < 2; ++c) drive_slice(c);
    model_.settle();
    busy_ = !rx_.empty() || !responses_.empty() || !started_.empty() || event_open_;
    if (rsp) responses_.pop_front();
    if (rx && read("host_rx_ready_o")) rx_.pop_front(), rx_open_ = false;
    if (event_open_ && read("event_ready_o")) events_.pop_front(), event_open_ = false;
    if (read("host_tx_valid_o")) {
      busy_ = true;
      if (tx) take_tx(read("host_tx_data_o"), read("host_tx_last_o"));
    }
    if (read("ctl_valid_o")) {
      busy_ = true;
      if (ctl) request(read("ctl_o"));
    }
    messages += static_cast<unsigned>(read("host_in_o"));
    for (unsigned c = 0; c < 2; ++c) sample_slice(c);
    model_.step();
  }

  void take_tx(std::uint64_t word, bool last) {
    if (!tx_open_) frames.emplace_back();
    frames.back().push_back(word);
    tx_open_ = !last;
  }

  /// ctl_req_t: op[61:59] all[58] target[57:48] addr[47:32] data[31:0].
  void request(std::uint64_t bits) {
    const auto op = bits >> 59, all = bits >> 58 & 1;
    const auto target = static_cast<std::uint32_t>(bits >> 48 & 0x3ff);
    const auto addr = static_cast<std::uint32_t>(bits >> 32 & 0xffff),
               data = static_cast<std::uint32_t>(bits);
    switch (op) {
      case 0:
        for (unsigned pair = all ? 0 : target; pair <= (all ? kPairs - 1 : target); ++pair) {
          instr.at(pair).resize(kInstrWords);
          instr[pair].at(addr) = data;
        }
        break;
      case 1:
        instr.at(target).resize(kInstrWords);
        responses_.push_back(instr[target].at(addr));
        break;
      case 2:
        pads.at(target)[addr] = data;
        break;
      case 3:
        responses_.push_back(
            pads.at(target).try_emplace(addr, blocks::memory_noise(addr / 16)).first->second);
        break;
      case 4:
        for (unsigned core = all ? 0 : target; core <= (all ? kTiles * kCores - 1 : target); ++core) {
          started_.push_back(core);
          events_.push_back({core / kCores, core % kCores * kThreads + addr, kBadFetch, data});
        }
        break;
      default:
        ++bytes;
        for (unsigned core = all ? 0 : target; core <= (all ? kTiles * kCores - 1 : target); ++core) {
          const unsigned thread = core % kCores * kThreads + addr;
          if (!consoles_.insert({core, addr}).second)
            events_.push_back({core / kCores, thread, kConsoleFault, 0});
        }
    }
  }

  // A slice: any number of bursts, in order.
  using Line = std::array<std::uint8_t, 32>;
  struct Burst {
    std::uint64_t address;
    unsigned beats;
  };
  struct Slice {
    std::map<std::uint64_t, Line> lines;
    std::deque<Burst> writes, reads;
    unsigned responses = 0;
    bool aw = false, w = false, ar = false, b = false, r = false;
  };
  void lane(const char* name, unsigned c, bool value) { model_.input(name).set_bit(c, value); }
  bool out(const char* name, unsigned c) const { return model_.output(name).bit(c); }

  void drive_slice(unsigned c) {
    Slice& s = slices_[c];
    lane("mem_aw_ready_i", c, s.aw = go());
    lane("mem_w_ready_i", c, s.w = !s.writes.empty() && go());
    lane("mem_ar_ready_i", c, s.ar = go());
    lane("mem_b_valid_i", c, s.b = s.responses != 0 && (s.b || go()));
    lane("mem_r_valid_i", c, s.r = !s.reads.empty() && (s.r || go()));
    lane("mem_r_last_i", c, s.r && s.reads.front().beats == 1);
    std::uint8_t* data = model_.input("mem_r_data_i").data + 32 * c;
    if (s.r) std::memcpy(data, s.lines[s.reads.front().address].data(), 32);
  }
  void sample_slice(unsigned c) {
    Slice& s = slices_[c];
    busy_ = busy_ || s.responses != 0 || !s.reads.empty() || !s.writes.empty();
    if (s.b && out("mem_b_ready_o", c)) --s.responses, s.b = false;
    if (s.r && out("mem_r_ready_o", c)) {
      s.r = false;
      next(s.reads);
    }
    if (s.w && out("mem_w_valid_o", c)) {
      const std::uint8_t* data = model_.output("mem_w_data_o").data + 32 * c;
      Line& line = s.lines[s.writes.front().address];
      for (unsigned i = 0; i < 32; ++i) {
        if (model_.output("mem_w_strb_o").bit(32 * c + i)) line[i] = data[i];
      }
      if (s.writes.front().beats == 1) ++s.responses;
      next(s.writes);
    }
    if (s.aw && out("mem_aw_valid_o", c)) s.writes.push_back(burst("mem_aw_addr_o", "mem_aw_len_o", c));
    if (s.ar && out("mem_ar_valid_o", c)) s.reads.push_back(burst("mem_ar_addr_o", "mem_ar_len_o", c));
  }
  Burst burst(const char* address, const char* length, unsigned c) const {
    return {get(model_.output(address), 40 * c, 40),
            static_cast<unsigned>(get(model_.output(length), 8 * c, 8)) + 1};
  }
  static void next(std::deque<Burst>& bursts) {
    bursts.front().address += 32;
    if (--bursts.front().beats == 0) bursts.pop_front();
  }

  struct Event {
    unsigned tile, thread;
    std::uint8_t cause;
    std::uint32_t pc;  // and value
  };
  static constexpr std::uint8_t kBadFetch = 2;
  blocks::RtlModel model_;
  std::mt19937_64 rng_;
  unsigned stall_;
  std::deque<std::pair<std::uint64_t, bool>> rx_;
  std::deque<std::uint32_t> responses_;
  std::deque<Event> events_;
  std::deque<unsigned> started_;  ///< cores
  std::set<std::pair<unsigned, std::uint32_t>>
      consoles_;  ///< cores and threads that have a byte, which none reads
  std::array<Slice, 2> slices_;
  bool rx_open_ = false, tx_open_ = false, event_open_ = false, busy_ = false;
};

}  // namespace polyloom::overlay::test

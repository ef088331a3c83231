// SPDX-License-Identifier: Apache-2.0
// Several Verilated engines in one loop: memories behind AXI with latency and stalls, lanes with a fixed wire
// latency, a host that writes registers and programs. Everything random comes from one seed.
//
// Contract: step() is one clock edge of all nodes; inputs are what the edge samples, outputs what it sampled.
//   The harness checks the protocol of every port: AXI payload stable while waiting, bursts inside 4 KiB,
//   w_last at the burst's end, lane payload stable while waiting, control frames of one word.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "Vrtl_engine_top.h"
#include "roles/collective/arch/program.h"
#include "verilated.h"

namespace polyloom::collective::test {

using Bytes = std::vector<std::uint8_t>;

[[noreturn]] inline void fail(const std::string& what) {
  std::fprintf(stderr, "FAIL: %s\n", what.c_str());
  std::exit(1);
}
inline void expect(bool ok, const std::string& what) {
  if (!ok) fail(what);
}
inline void expect_eq(std::uint64_t got, std::uint64_t want, const std::string& what) {
  if (got != want) fail(what + ": got " + std::to_string(got) + ", want " + std::to_string(want));
}

#ifndef CHANNELS
#define CHANNELS 3
#define LANES 2
#endif
inline constexpr unsigned kChannels = CHANNELS, kLanes = LANES;
inline constexpr std::uint64_t kChannelBytes = 1 << 20;

struct Options {
  unsigned read_latency = 20, write_latency = 12, wire_latency = 30;
  unsigned memory_stall = 0, wire_stall = 0;  ///< percent of the cycles in which ready is low or data pause
};

struct LaneBeat {
  std::uint64_t due = 0;
  std::uint32_t words[8] = {};
  std::uint32_t keep = 0;
  bool last = false;
  bool operator==(const LaneBeat& o) const {
    return std::equal(words, words + 8, o.words) && keep == o.keep && last == o.last;
  }
};

struct Event {
  unsigned code, index, lane;
  std::uint64_t begin, finish, value;
};

/// One channel: bursts in order, one beat a cycle.
struct Channel {
  Bytes data = Bytes(kChannelBytes);
  struct Burst {
    std::uint64_t addr, due;
    unsigned beats;
  };
  std::deque<Burst> reads, writes;
  std::deque<std::uint64_t> acks;
  unsigned beat = 0;
  // As shown in the cycle before, to check that they stay.
  bool ar_waits = false, aw_waits = false, w_waits = false;
  std::uint64_t ar = 0, aw = 0;
  LaneBeat w;
};

/// Follows the frames of a lane with block checks, and compares each check frame with a CRC-32 bit by bit.
struct CrcFollower {
  bool data = false;  ///< the next beat belongs to a data frame
  std::uint32_t crc = 0xffffffffu;
  void beat(const LaneBeat& b) {
    const auto kind = static_cast<LaneControl>(b.words[0] & 0xff);
    if (data) {
      for (unsigned w = 0; w < 8; ++w) {
        if (((b.keep >> (w / 2 * 8)) & 1) != 0) {
          for (unsigned i = 0; i < 32; ++i) {
            const std::uint32_t bit = (crc ^ (b.words[w] >> i)) & 1u;
            crc = crc >> 1 ^ (bit != 0 ? 0xedb88320u : 0u);
          }
        }
      }
      data = !b.last;
    } else if (kind == LaneControl::signature) {
      data = true;
      crc = 0xffffffffu;
    } else if (kind == LaneControl::check) {
      expect_eq(b.words[1], ~crc & 0xffffffffu, "CRC of the check frame");
    }
  }
};

class Node {
 public:
  CrcFollower crc[kLanes];
  explicit Node(VerilatedContext* context) : top(std::make_unique<Vrtl_engine_top>(context)) {}
  std::unique_ptr<Vrtl_engine_top> top;
  Channel channels[kChannels];
  std::deque<LaneBeat> rx[kLanes];
  std::deque<std::uint64_t> rx_pulse[kLanes];
  bool tx_waits[kLanes] = {};
  LaneBeat tx_last[kLanes];
  std::vector<Event> events;
  std::uint64_t beats_out[kLanes] = {};
};

/// A set of nodes; connect() joins two lanes.
class Bench {
 public:
  Bench(unsigned nodes, Options options, unsigned seed) : o(options), random_(seed) {
    for (unsigned i = 0; i < nodes; ++i) {
      nodes_.push_back(std::make_unique<Node>(&context_));
      auto& t = *nodes_.back()->top;
      t.rst_ni = 1;
      t.eval();
      t.rst_ni = 0;
      t.clk_i = 0;
      t.eval();
    }
    peers_.resize(nodes);
    for (auto& p : peers_) p.assign(kLanes, {-1, 0});
    for (unsigned i = 0; i < 3; ++i) step();
    for (auto& n : nodes_) n->top->rst_ni = 1;
    step();
  }
  void connect(unsigned a, unsigned la, unsigned b, unsigned lb) {
    peers_[a][la] = {static_cast<int>(b), lb};
    peers_[b][lb] = {static_cast<int>(a), la};
  }
  Node& operator[](unsigned i) { return *nodes_[i]; }
  std::uint64_t now() const { return cycle_; }
  unsigned draw(unsigned below) { return static_cast<unsigned>(random_() % below); }

  /// Called for each beat that enters a wire; may change it. False: it is lost.
  std::function<bool(unsigned node, unsigned lane, LaneBeat&)> tamper;

  void step() {
    for (unsigned i = 0; i < nodes_.size(); ++i) drive(i);
    for (auto& n : nodes_) n->top->eval();
    for (unsigned i = 0; i < nodes_.size(); ++i) sample(i);
    for (auto& n : nodes_) {
      n->top->clk_i = 1;
      n->top->eval();
      n->top->clk_i = 0;
      n->top->eval();
    }
    ++cycle_;
  }
  void steps(unsigned n) {
    while (n-- != 0) step();
  }

  // ---- host
  std::pair<bool, std::uint64_t> reg_access(unsigned node, bool write, std::uint32_t index,
                                            std::uint64_t data) {
    auto& t = *nodes_[node]->top;
    t.reg_valid_i = 1;
    t.reg_write_i = write;
    t.reg_index_i = index;
    t.reg_data_i = data;
    for (unsigned i = 0; i < 4; ++i) {
      step();
      if (t.reg_valid_o) {
        const std::pair<bool, std::uint64_t> r{!t.reg_error_o, t.reg_data_o};
        t.reg_valid_i = 0;
        step();
        return r;
      }
    }
    fail("register access not answered");
  }
  void write_reg(unsigned node, std::uint32_t index, std::uint64_t data) {
    expect(reg_access(node, true, index, data).first, "register write refused");
  }
  std::uint64_t read_reg(unsigned node, std::uint32_t index) {
    const auto [ok, value] = reg_access(node, false, index, 0);
    expect(ok, "register read refused");
    return value;
  }
  void load(unsigned node, const std::vector<Instruction>& program, unsigned at = 0) {
    auto& t = *nodes_[node]->top;
    unsigned address = at * kInstructionWords;
    for (const Instruction& i : program) {
      for (const std::uint64_t w : i.words()) {
        t.prog_valid_i = 1;
        t.prog_write_i = 1;
        t.prog_addr_i = address++;
        t.prog_data_i = w;
        t.eval();
        expect(t.prog_ready_o, "program memory not ready");
        step();
      }
    }
    t.prog_valid_i = 0;
  }
  /// Starts all nodes with the given skew in cycles (start written at the same edge when zero).
  void start(const std::vector<unsigned>& skew) {
    const std::uint64_t base = cycle_;
    std::vector<bool> done(nodes_.size());
    for (unsigned left = static_cast<unsigned>(nodes_.size()); left != 0;) {
      for (unsigned i = 0; i < nodes_.size(); ++i) {
        auto& t = *nodes_[i]->top;
        if (!done[i] && cycle_ >= base + skew[i]) {
          t.reg_valid_i = t.reg_write_i = 1;
          t.reg_index_i = reg::start;
          t.reg_data_i = 0;
        }
      }
      step();
      for (unsigned i = 0; i < nodes_.size(); ++i) {
        auto& t = *nodes_[i]->top;
        if (!done[i] && t.reg_valid_i && t.reg_valid_o) {
          expect(!t.reg_error_o, "start refused");
          t.reg_valid_i = 0;
          done[i] = true;
          --left;
        }
      }
    }
  }
  /// Runs until every node has one more event; returns these.
  std::vector<Event> finish(unsigned limit = 100000) {
    for (unsigned i = 0; i < limit; ++i) {
      bool all = true;
      for (auto& n : nodes_) all = all && !n->events.empty();
      if (all) {
        std::vector<Event> r;
        for (auto& n : nodes_) {
          r.push_back(n->events.front());
          n->events.erase(n->events.begin());
        }
        return r;
      }
      step();
    }
    fail("no end after " + std::to_string(limit) + " cycles");
  }
  /// Loads one program a node, runs them, and demands that all end without a fault.
  std::vector<Event> run(const std::vector<std::vector<Instruction>>& programs,
                         std::vector<unsigned> skew = {}) {
    skew.resize(nodes_.size());
    for (unsigned i = 0; i < nodes_.size(); ++i) load(i, programs[i]);
    start(skew);
    auto events = finish();
    for (unsigned i = 0; i < nodes_.size(); ++i) {
      expect_eq(events[i].code, 0,
                "fault at node " + std::to_string(i) + " lane " + std::to_string(events[i].lane) + " value " +
                    std::to_string(events[i].value) + " instruction " + std::to_string(events[i].index));
    }
    for (unsigned i = 0; i < 200 && !all_idle(); ++i) step();
    expect(all_idle(), "nodes idle after the end");
    return events;
  }
  bool all_idle() {
    for (auto& n : nodes_) {
      n->top->eval();
      if (!n->top->idle_o) return false;
    }
    return true;
  }
  void fill(Bytes& b) {
    for (auto& x : b) x = static_cast<std::uint8_t>(random_());
  }

  Options o;

 private:
  bool chance(unsigned percent) { return percent != 0 && draw(100) < percent; }

  template <class T>
  static void set_bit(T& port, unsigned bit, bool value) {
    port = static_cast<T>((port & ~(T{1} << bit)) | (T{value} << bit));
  }
  /// Word `w` of entry `i` of a packed array of 32-bit-multiple entries, whatever C++ type Verilator chose.
  template <class P>
  static std::uint32_t& word(P& port, unsigned i) {
    return reinterpret_cast<std::uint32_t*>(&port)[i];
  }
  template <class P>
  static std::uint64_t bits(P& port, unsigned at, unsigned width) {
    std::uint64_t r = 0;
    const auto* p = reinterpret_cast<const std::uint8_t*>(&port);
    for (unsigned i = 0; i < width; ++i) r |= std::uint64_t{(p[(at + i) / 8] >> ((at + i) % 8)) & 1u} << i;
    return r;
  }

  void drive(unsigned i) {
    Node& n = *nodes_[i];
    auto& t = *n.top;
    t.cycle_i = cycle_;
    t.event_ready_i = !chance(o.wire_stall);
    for (unsigned l = 0; l < kLanes; ++l) {
      const bool beat = !n.rx[l].empty() && n.rx[l].front().due <= cycle_;
      set_bit(t.lane_rx_valid_i, l, beat);
      if (beat) {
        for (unsigned w = 0; w < 8; ++w) word(t.lane_rx_data_i, 8 * l + w) = n.rx[l].front().words[w];
        word(t.lane_rx_keep_i, l) = n.rx[l].front().keep;
        set_bit(t.lane_rx_last_i, l, n.rx[l].front().last);
        n.rx[l].pop_front();
      }
      const bool pulse = !n.rx_pulse[l].empty() && n.rx_pulse[l].front() <= cycle_;
      set_bit(t.lane_rx_pulse_i, l, pulse);
      if (pulse) n.rx_pulse[l].pop_front();
      set_bit(t.lane_tx_ready_i, l, !chance(o.wire_stall));
    }
    for (unsigned c = 0; c < kChannels; ++c) {
      Channel& ch = n.channels[c];
      set_bit(t.mem_ar_ready_i, c, !chance(o.memory_stall));
      set_bit(t.mem_aw_ready_i, c, !chance(o.memory_stall));
      set_bit(t.mem_w_ready_i, c, !chance(o.memory_stall));
      const bool data = !ch.reads.empty() && ch.reads.front().due <= cycle_ && !chance(o.memory_stall);
      set_bit(t.mem_r_valid_i, c, data);
      if (data) {
        auto& b = ch.reads.front();
        for (unsigned w = 0; w < 8; ++w) {
          std::uint32_t v = 0;
          for (unsigned k = 0; k < 4; ++k) v |= std::uint32_t{ch.data[b.addr + 4 * w + k]} << (8 * k);
          word(t.mem_r_data_i, 8 * c + w) = v;
        }
        b.addr += kBeatBytes;
        if (--b.beats == 0) ch.reads.pop_front();
      }
      const bool ack = !ch.acks.empty() && ch.acks.front() <= cycle_;
      set_bit(t.mem_b_valid_i, c, ack);
      if (ack) ch.acks.pop_front();
    }
  }

  void sample(unsigned i) {
    Node& n = *nodes_[i];
    auto& t = *n.top;
    if (t.event_valid_o && t.event_ready_i) {
      n.events.push_back({t.event_code_o, t.event_detail_o & 0xffff, t.event_detail_o >> 16, t.event_begin_o,
                          t.event_finish_o, t.event_value_o});
    }
    for (unsigned l = 0; l < kLanes; ++l) sample_lane(i, l);
    for (unsigned c = 0; c < kChannels; ++c) sample_channel(n, c);
  }

  void sample_lane(unsigned i, unsigned l) {
    Node& n = *nodes_[i];
    auto& t = *n.top;
    const auto [peer, peer_lane] = peers_[i][l];
    const bool valid = (t.lane_tx_valid_o >> l) & 1;
    LaneBeat b;
    for (unsigned w = 0; w < 8; ++w) b.words[w] = word(t.lane_tx_data_o, 8 * l + w);
    b.keep = word(t.lane_tx_keep_o, l);
    b.last = (t.lane_tx_last_o >> l) & 1;
    if (n.tx_waits[l]) expect(valid && b == n.tx_last[l], "lane payload changed while it waited");
    const bool fire = valid && ((t.lane_tx_ready_i >> l) & 1);
    n.tx_waits[l] = valid && !fire;
    n.tx_last[l] = b;
    if (fire) {
      expect(b.last || b.keep == 0xffffffff, "a beat before the last is not whole");
      expect((b.keep & (b.keep + 1)) == 0 && b.keep != 0, "keep is no run of ones from byte 0");
      ++n.beats_out[l];
      if (BLOCK_CHECK != 0) n.crc[l].beat(b);
      b.due = cycle_ + o.wire_latency;
      if ((!tamper || tamper(i, l, b)) && peer >= 0)
        nodes_[static_cast<unsigned>(peer)]->rx[peer_lane].push_back(b);
    }
    if (((t.lane_tx_pulse_o >> l) & 1) && peer >= 0) {
      nodes_[static_cast<unsigned>(peer)]->rx_pulse[peer_lane].push_back(cycle_ + o.wire_latency);
    }
  }

  void sample_channel(Node& n, unsigned c) {
    auto& t = *n.top;
    Channel& ch = n.channels[c];
    const auto burst = [&](std::uint64_t addr, std::uint64_t len) {
      expect(addr % kBeatBytes == 0 && addr + (len + 1) * kBeatBytes <= kChannelBytes,
             "burst outside the channel");
      expect(addr / 4096 == (addr + (len + 1) * kBeatBytes - 1) / 4096, "burst crosses 4 KiB");
    };
    const bool ar = (t.mem_ar_valid_o >> c) & 1;
    const std::uint64_t ar_addr = bits(t.mem_ar_addr_o, 40 * c, 40), ar_len = bits(t.mem_ar_len_o, 8 * c, 8);
    if (ch.ar_waits) expect(ar && ar_addr * 256 + ar_len == ch.ar, "AR changed while it waited");
    ch.ar = ar_addr * 256 + ar_len;
    ch.ar_waits = ar && !((t.mem_ar_ready_i >> c) & 1);
    if (ar && !ch.ar_waits) {
      burst(ar_addr, ar_len);
      ch.reads.push_back({ar_addr, cycle_ + o.read_latency, static_cast<unsigned>(ar_len + 1)});
    }
    const bool aw = (t.mem_aw_valid_o >> c) & 1;
    const std::uint64_t aw_addr = bits(t.mem_aw_addr_o, 40 * c, 40), aw_len = bits(t.mem_aw_len_o, 8 * c, 8);
    if (ch.aw_waits) expect(aw && aw_addr * 256 + aw_len == ch.aw, "AW changed while it waited");
    ch.aw = aw_addr * 256 + aw_len;
    ch.aw_waits = aw && !((t.mem_aw_ready_i >> c) & 1);
    if (aw && !ch.aw_waits) {
      burst(aw_addr, aw_len);
      ch.writes.push_back({aw_addr, 0, static_cast<unsigned>(aw_len + 1)});
    }
    const bool w = (t.mem_w_valid_o >> c) & 1;
    LaneBeat b;
    for (unsigned k = 0; k < 8; ++k) b.words[k] = word(t.mem_w_data_o, 8 * c + k);
    b.keep = word(t.mem_w_strb_o, c);
    b.last = (t.mem_w_last_o >> c) & 1;
    if (ch.w_waits && !(w && b == ch.w)) {
      fail("W changed while it waited, cycle " + std::to_string(cycle_) + " valid " + std::to_string(w) +
           " strobe " + std::to_string(b.keep) + " was " + std::to_string(ch.w.keep) + " word " +
           std::to_string(b.words[0]) + " was " + std::to_string(ch.w.words[0]) + " last " +
           std::to_string(b.last) + " was " + std::to_string(ch.w.last));
    }
    ch.w = b;
    ch.w_waits = w && !((t.mem_w_ready_i >> c) & 1);
    if (w && !ch.w_waits) early_.push_back({&ch, b});
    // Data may come in the cycle of its request, or before a stalled one: give it to its burst when that is
    // known.
    for (auto it = early_.begin(); it != early_.end();) {
      if (it->channel != &ch || ch.writes.empty()) {
        ++it;
        continue;
      }
      auto& front = ch.writes.front();
      for (unsigned k = 0; k < kBeatBytes; ++k) {
        if ((it->beat.keep >> k) & 1)
          ch.data[front.addr + k] = static_cast<std::uint8_t>(it->beat.words[k / 4] >> (8 * (k % 4)));
      }
      front.addr += kBeatBytes;
      expect(it->beat.last == (--front.beats == 0), "w_last is not at the burst's end");
      if (front.beats == 0) {
        ch.writes.pop_front();
        ch.acks.push_back(cycle_ + o.write_latency);
      }
      it = early_.erase(it);
    }
  }

  struct Early {
    Channel* channel;
    LaneBeat beat;
  };
  VerilatedContext context_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<std::vector<std::pair<int, unsigned>>> peers_;
  std::vector<Early> early_;
  std::mt19937_64 random_;
  std::uint64_t cycle_ = 0;
};

// ---- instructions, short
inline Instruction read_from(unsigned c, std::uint64_t base, std::uint32_t bytes, std::uint32_t runs = 1,
                             std::int64_t stride = 0) {
  return {Op::read, static_cast<std::uint8_t>(c), kFromNone, 0, bytes, base, stride, runs, 0};
}
inline Instruction write_to(unsigned c, unsigned from, std::uint64_t base, std::uint32_t bytes,
                            std::uint32_t runs = 1, std::int64_t stride = 0, std::uint8_t flags = 0) {
  return {Op::write,
          static_cast<std::uint8_t>(c),
          static_cast<std::uint8_t>(from),
          flags,
          bytes,
          base,
          stride,
          runs,
          0};
}
inline Instruction send(unsigned l, unsigned from, std::uint8_t flags = 0, std::uint32_t signature = 7) {
  return {Op::send, static_cast<std::uint8_t>(l), static_cast<std::uint8_t>(from), flags, 0, 0, 0, 0,
          signature};
}
inline Instruction take(unsigned l, std::uint8_t flags = 0, std::uint32_t signature = 7) {
  return {Op::take, static_cast<std::uint8_t>(l), kFromNone, flags, 0, 0, 0, 0, signature};
}
inline Instruction feed(unsigned i, unsigned from) {
  return {Op::feed, static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(from), 0, 0, 0, 0, 0, 0};
}
inline Instruction config(unsigned o, OperatorKind kind, std::uint64_t word, std::uint64_t inputs) {
  return {
      Op::config, static_cast<std::uint8_t>(o),    kFromNone, 0, 0, word, static_cast<std::int64_t>(inputs),
      0,          static_cast<std::uint32_t>(kind)};
}
inline Instruction go(unsigned mark = 0xff, std::uint8_t flags = 0) {
  return {Op::go, static_cast<std::uint8_t>(mark), kFromNone, flags, 0, 0, 0, 0, 0};
}
inline Instruction end() { return {}; }
inline unsigned from_read(unsigned c) { return kFromRead + c; }
inline unsigned from_lane(unsigned l) { return kFromLane + l; }
inline unsigned from_op(unsigned o) { return kFromOperator + o; }

}  // namespace polyloom::collective::test

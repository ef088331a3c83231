// SPDX-License-Identifier: Apache-2.0
// What stands around a Verilated shell in its tests: memory channels behind AXI4, a program memory, role
// registers, each with random stalls, each checking the rules of its port.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <random>
#include <vector>

#include "blocks/shell/host_frames.h"

namespace polyloom::blocks::test {

#define CHECK(condition)                                                          \
  do {                                                                            \
    if (!(condition)) {                                                           \
      std::fprintf(stderr, "%s:%d: CHECK(%s)\n", __FILE__, __LINE__, #condition); \
      std::exit(1);                                                               \
    }                                                                             \
  } while (false)

/// Bits of a Verilator port of any width: all its types are little-endian in memory.
template <class Port>
std::uint64_t get_bits(const Port& port, unsigned low, unsigned bits) {
  std::uint64_t value = 0;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(&port);
  for (unsigned i = 0; i < bits; ++i) {
    value |= std::uint64_t{static_cast<std::uint8_t>(bytes[(low + i) / 8] >> (low + i) % 8 & 1)} << i;
  }
  return value;
}
template <class Port>
void set_bits(Port& port, unsigned low, unsigned bits, std::uint64_t value) {
  auto* bytes = reinterpret_cast<std::uint8_t*>(&port);
  for (unsigned i = 0; i < bits; ++i) {
    const auto mask = static_cast<std::uint8_t>(1u << (low + i) % 8);
    if (value >> i & 1)
      bytes[(low + i) / 8] = static_cast<std::uint8_t>(bytes[(low + i) / 8] | mask);
    else
      bytes[(low + i) / 8] = static_cast<std::uint8_t>(bytes[(low + i) / 8] & ~mask);
  }
}

/// Random stalls: `stall` of 8 cycles on average.
struct Dice {
  std::mt19937_64 rng;
  unsigned stall = 0;
  bool go() { return stall == 0 || rng() % 8 >= stall; }
};

/// One memory channel. drive() before the clock edge, sample() at it.
class Channel {
 public:
  Channel(unsigned index, std::size_t bytes, Dice& dice) : memory(bytes), index_(index), dice_(dice) {}

  template <class Top>
  void drive(Top& top, std::uint64_t cycle) {
    aw_ready_ = aws_.size() < 4 && dice_.go();
    w_ready_ = !aws_.empty() && dice_.go();
    ar_ready_ = ars_.size() < 4 && dice_.go();
    if (!b_valid_) b_valid_ = !bs_.empty() && dice_.go();
    if (!r_valid_) r_valid_ = !ars_.empty() && cycle >= ars_.front().ready && dice_.go();
    set_bits(top.mem_aw_ready_i, index_, 1, aw_ready_);
    set_bits(top.mem_w_ready_i, index_, 1, w_ready_);
    set_bits(top.mem_ar_ready_i, index_, 1, ar_ready_);
    set_bits(top.mem_b_valid_i, index_, 1, b_valid_);
    set_bits(top.mem_b_resp_i, 2 * index_, 2, b_valid_ && bs_.front() ? 2 : 0);
    set_bits(top.mem_r_valid_i, index_, 1, r_valid_);
    for (unsigned word = 0; word < 4; ++word) {
      // Without valid the bus shows nonsense.
      std::uint64_t data = dice_.rng();
      if (r_valid_) std::memcpy(&data, &memory[ars_.front().address - base + 8 * word], 8);
      set_bits(top.mem_r_data_i, 256 * index_ + 64 * word, 64, data);
    }
    set_bits(top.mem_r_last_i, index_, 1, r_valid_ && ars_.front().beats == 1);
    set_bits(top.mem_r_resp_i, 2 * index_, 2, r_valid_ && bad(ars_.front().address) ? 2 : 0);
  }

  template <class Top>
  void sample(Top& top, std::uint64_t cycle) {
    const bool aw = get_bits(top.mem_aw_valid_o, index_, 1);
    const bool w = get_bits(top.mem_w_valid_o, index_, 1);
    const bool ar = get_bits(top.mem_ar_valid_o, index_, 1);
    const auto aw_address = get_bits(top.mem_aw_addr_o, 40 * index_, 40);
    const auto aw_beats = static_cast<unsigned>(get_bits(top.mem_aw_len_o, 8 * index_, 8)) + 1;
    const auto ar_address = get_bits(top.mem_ar_addr_o, 40 * index_, 40);
    const auto ar_beats = static_cast<unsigned>(get_bits(top.mem_ar_len_o, 8 * index_, 8)) + 1;
    std::vector<std::uint64_t> w_now;
    for (unsigned i = 0; i < 4; ++i) w_now.push_back(get_bits(top.mem_w_data_o, 256 * index_ + 64 * i, 64));
    w_now.push_back(get_bits(top.mem_w_strb_o, 32 * index_, 32));
    w_now.push_back(get_bits(top.mem_w_last_o, index_, 1));
    stable(aw_before_, aw, aw_ready_, {aw_address, aw_beats});
    stable(w_before_, w, w_ready_, w_now);
    stable(ar_before_, ar, ar_ready_, {ar_address, ar_beats});
    if (aw || w || ar) used = true;
    if (w && w_ready_) {
      Burst& burst = aws_.front();
      for (unsigned i = 0; i < 32; ++i) {
        if (!(w_now[4] >> i & 1) || bad(burst.address)) continue;
        memory[burst.address - base + i] = static_cast<std::uint8_t>(w_now[i / 8] >> (8 * (i % 8)));
      }
      CHECK(w_now[5] == (burst.beats == 1));
      write_failed_ |= bad(burst.address);
      burst.address += 32;
      if (--burst.beats == 0) {
        aws_.pop_front();
        bs_.push_back(write_failed_);
        write_failed_ = false;
      }
    }
    if (b_valid_ && get_bits(top.mem_b_ready_o, index_, 1)) bs_.pop_front(), b_valid_ = false;
    if (r_valid_ && get_bits(top.mem_r_ready_o, index_, 1)) {
      r_valid_ = false;
      ars_.front().address += 32;
      if (--ars_.front().beats == 0) ars_.pop_front();
    }
    if (aw && aw_ready_) aws_.push_back(checked(aw_address, aw_beats, cycle));
    if (ar && ar_ready_) ars_.push_back(checked(ar_address, ar_beats, cycle + latency));
  }

  bool idle() const { return aws_.empty() && ars_.empty() && bs_.empty(); }
  std::vector<std::uint8_t> memory;
  std::uint64_t base = 0;                      ///< address of the first byte
  bool used = false;                           ///< since it was cleared
  std::uint64_t latency = 1;                   ///< cycles from a read request's edge to its first beat
  std::uint64_t bad_from = ~0ull, bad_to = 0;  ///< addresses that respond with an error

 private:
  struct Burst {
    std::uint64_t address;
    unsigned beats;
    std::uint64_t ready;
  };
  using Payload = std::vector<std::uint64_t>;

  Burst checked(std::uint64_t address, unsigned beats, std::uint64_t ready) const {
    CHECK(address % 32 == 0 && beats >= 1 && beats <= 16);
    CHECK(address >= base && address - base + 32 * beats <= memory.size());
    CHECK(address / 4096 == (address + 32 * beats - 1) / 4096);
    return {address, beats, ready};
  }
  bool bad(std::uint64_t address) const { return address >= bad_from && address < bad_to; }
  /// A valid payload that was not taken must still be there.
  static void stable(Payload& before, bool valid, bool ready, const Payload& now) {
    if (!before.empty()) CHECK(valid && now == before);
    before = valid && !ready ? now : Payload{};
  }

  unsigned index_;
  Dice& dice_;
  bool aw_ready_ = false, w_ready_ = false, ar_ready_ = false, b_valid_ = false, r_valid_ = false;
  bool write_failed_ = false;
  std::deque<Burst> aws_, ars_;
  std::deque<bool> bs_;
  Payload aw_before_, w_before_, ar_before_;
};

/// Program memory: responds to reads in order, 1 cycle later or more.
class Program {
 public:
  Program(std::size_t words, Dice& dice) : memory(words), dice_(dice) {}
  template <class Top>
  void drive(Top& top) {
    ready_ = dice_.go();
    response_ = !responses_.empty() && dice_.go();
    top.prog_req_ready_i = ready_;
    top.prog_rsp_valid_i = response_;
    top.prog_rsp_i = response_ ? responses_.front() : dice_.rng();
  }
  template <class Top>
  void sample(Top& top) {
    if (response_) responses_.pop_front();
    if (!top.prog_req_valid_o || !ready_) return;
    const auto address = get_bits(top.prog_req_o, 64, 32);
    CHECK(address < memory.size());
    if (get_bits(top.prog_req_o, 96, 1))
      memory[address] = get_bits(top.prog_req_o, 0, 64);
    else
      responses_.push_back(memory[address]);
  }
  std::vector<std::uint64_t> memory;

 private:
  Dice& dice_;
  bool ready_ = false, response_ = false;
  std::deque<std::uint64_t> responses_;
};

// A role with memories of its own: what it has, the same for both sides.
inline constexpr unsigned kPairs = 3, kInstrWords = 100, kPads = 2, kPadBytes = 512;
inline constexpr std::uint32_t slice_base(unsigned slice) {
  return slice == 0 ? 0x00800000u : 0u - static_cast<std::uint32_t>(CHANNEL_BYTES);
}
inline bool role_has(const MemRange& r) {
  const std::uint64_t end = std::uint64_t{r.address} + r.bytes;
  if (r.space == Space::instr) {
    return (r.target < kPairs || r.target == kBroadcast) && r.address + r.bytes / 4 <= kInstrWords;
  }
  if (r.space == Space::scratchpad) {
    return r.target < kPads && r.address % 4 == 0 && r.bytes % 4 == 0 && end <= kPadBytes;
  }
  const auto slice = static_cast<unsigned>(r.space);
  return slice < 2 && r.address >= slice_base(slice) &&
         end <= std::uint64_t{slice_base(slice)} + CHANNEL_BYTES;
}

/// Its instruction memories and scratchpads, by 64-bit words of a range as the C++ shell has them.
struct RoleStore {
  using Memory = std::vector<std::uint32_t>;
  std::vector<Memory> instr = std::vector<Memory>(kPairs, Memory(kInstrWords));
  std::vector<Memory> pads = std::vector<Memory>(kPads, Memory(kPadBytes / 4));

  void write(const MemRange& r, std::size_t index, std::uint64_t data, unsigned bytes) {
    const std::size_t at = 2 * index + (r.space == Space::instr ? r.address : r.address / 4);
    auto& memories = r.space == Space::instr ? instr : pads;
    for (unsigned m = 0; m < memories.size(); ++m) {
      if (r.target != kBroadcast && r.target != m) continue;
      for (unsigned i = 0; i < bytes / 4; ++i)
        memories[m][at + i] = static_cast<std::uint32_t>(data >> (32 * i));
    }
  }
  std::uint64_t read(const MemRange& r, std::size_t index, unsigned bytes) const {
    const std::size_t at = 2 * index + (r.space == Space::instr ? r.address : r.address / 4);
    const auto& memory = (r.space == Space::instr ? instr : pads)[r.target == kBroadcast ? 0 : r.target];
    return memory[at] | (bytes == 8 ? std::uint64_t{memory[at + 1]} << 32 : 0);
  }
};

/// The same behind the shell's port for words: prog_req, prog_role.
class RoleWords {
 public:
  explicit RoleWords(Dice& dice) : dice_(dice) {}
  template <class Top>
  void drive(Top& top) {
    ready_ = dice_.go();
    response_ = !responses_.empty() && dice_.go();
    top.prog_req_ready_i = ready_;
    top.prog_rsp_valid_i = response_;
    top.prog_rsp_i = response_ ? responses_.front() : dice_.rng();
  }
  template <class Top>
  void sample(Top& top) {
    if (response_) responses_.pop_front();
    if (!top.prog_req_valid_o || !ready_) return;
    const bool pair = get_bits(top.prog_role_o, 0, 1), all = get_bits(top.prog_role_o, 41, 1);
    const auto at = get_bits(top.prog_role_o, 1, 30), target = all ? 0 : get_bits(top.prog_role_o, 31, 10);
    auto& memories = get_bits(top.prog_role_o, 42, 1) ? store.pads : store.instr;
    CHECK(target < memories.size() && at + pair < memories[target].size());
    if (!get_bits(top.prog_req_o, 96, 1)) {
      // The high half of an odd number of words means nothing.
      const std::uint64_t high = pair ? memories[target][at + 1] : dice_.rng();
      responses_.push_back(memories[target][at] | high << 32);
      return;
    }
    for (std::size_t m = target; m <= (all ? memories.size() - 1 : target); ++m) {
      memories[m][at] = static_cast<std::uint32_t>(get_bits(top.prog_req_o, 0, 32));
      if (pair) memories[m][at + 1] = static_cast<std::uint32_t>(get_bits(top.prog_req_o, 32, 32));
    }
  }
  RoleStore store;

 private:
  Dice& dice_;
  bool ready_ = false, response_ = false;
  std::deque<std::uint64_t> responses_;
};

/// Role registers 0..7 of a test role: 0..5 read and write, 6 read only, 7 write only. The same for both
/// sides.
struct RoleRegisters {
  std::uint64_t value[8] = {0, 0, 0, 0, 0, 0, 0x600d, 0};
  static bool readable(std::uint32_t index) { return index < 7; }
  static bool writable(std::uint32_t index) { return index < 8 && index != 6; }
};

}  // namespace polyloom::blocks::test

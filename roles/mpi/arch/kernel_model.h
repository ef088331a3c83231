// SPDX-License-Identifier: Apache-2.0
// A kernel as C++, exact to the cycle: what emit/model.py writes derives from KernelModel. The contract with
// who runs it is in polyloom/hls/README.md, The model.
//
//   std::unique_ptr<KernelModel> kernel(polyloom_kernel_model());
//   kernel->start(rank, cycle);
//   while (kernel->run().touch != Touch::done) kernel->complete(cycle, word);
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace polyloom::hls {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using u128 = unsigned __int128;
using s32 = std::int32_t;
using s64 = std::int64_t;
using s128 = __int128;

enum class Touch : u8 { push, pop, read, write, cycle, done, fault, pause };

// What a kernel does that is seen from outside, and the first cycle in which it asks for it.
struct Access {
  Touch touch = Touch::pause;
  u8 strobe = 0;    // write: which bytes
  u32 port = 0;     // push, pop: 0 for commands and responses
  u32 address = 0;  // read, write: of a word in DRAM
  u64 word = 0;     // push, write
  u64 cycle = 0;
};

// A block RAM in the kernel's address space.
struct Area {
  u32 base, bytes;
  bool constant;  // DMA does not write it
  int counter;    // of cycles in which the kernel uses the port that DMA has, too; -1: it never does
};

// Counters of where cycles go (emit/count.py), if the kernel was made with them.
struct Counts {
  const u64* at = nullptr;
  u64 size = 0;
};

class KernelModel {
 public:
  virtual ~KernelModel() = default;

  // Begins; once. ``cycle``: the first one that is not in reset.
  void start(u32 rank, u64 cycle) {
    rank_ = rank;
    now_ = cycle;
  }

  // Goes on to the next access, or to a pause: the beginning of an iteration in cycle ``limit`` or later.
  // After done and fault there is nothing to go on to.
  const Access& run(u64 limit = ~u64{0}) {
    limit_ = limit;
    begin_ = now_;
    for (u32 i = 0; i < counter_count_; i++) counters_[i] = 0;
    resume();
    return access_;
  }

  // The access took place in ``cycle``, its own or a later one (a read: its response came, one cycle later at
  // the earliest). ``word``: of pop, read and cycle. After a pause: the kernel goes on in that cycle.
  void complete(u64 cycle, u64 word = 0) {
    now_ = cycle;
    word_ = word;
  }

  // How many cycles a DMA access there cost the kernel, on average over the cycles from the last completed
  // access to the one that ``run`` gave: the part of these in which the kernel used the port that DMA has,
  // too.
  double cost_of_dma(u32 address) const {
    const Area* area = area_of(address);
    if (area == nullptr || area->counter < 0 || access_.cycle <= begin_) return 0;
    return static_cast<double>(counters_[area->counter]) / static_cast<double>(access_.cycle - begin_);
  }

  virtual Counts counts() const { return {}; }

  // Of a fault: as the circuit's simulation says it.
  const char* message() const { return message_; }

  // Where the program called, of the last command; null before the first one, and of a kernel without checks.
  const char* place() const { return place_; }

  // DMA of a word; false where no object is, or none to be written.
  bool dma_read(u32 address, u64& word) {
    const u8* at = find(address, false);
    if (at != nullptr) std::memcpy(&word, at, 8);
    return at != nullptr;
  }
  bool dma_write(u32 address, u64 word, u8 strobe) {
    u8* at = find(address, true);
    for (unsigned i = 0; at != nullptr && i < 8; i++)
      if (strobe >> i & 1) at[i] = static_cast<u8>(word >> 8 * i);
    return at != nullptr;
  }

  // The byte at an address, and those up to the end of its object; null where no object is.
  u8* find(u32 address, bool writing) {
    const Area* area = area_of(address);
    return area == nullptr || (writing && area->constant) ? nullptr : ram_ + (address - kBase);
  }

 protected:
  static constexpr u32 kBase = 0x10000;

  KernelModel(const Area* areas, u32 area_count, u8* ram, u64* counters, u32 counter_count)
      : areas_(areas),
        area_count_(area_count),
        ram_(ram),
        counters_(counters),
        counter_count_(counter_count) {}

  // Runs to the next access; true if there is one, false if the entry has returned.
  virtual bool resume() = 0;

  // How much later than in its first cycle the access took place.
  u64 waited() const { return now_ - access_.cycle; }

  void request(Touch touch, u64 cycle) {
    access_.touch = touch;
    access_.cycle = now_ = cycle;
  }
  void request_push(u32 port, u64 word, u64 cycle) {
    access_.port = port;
    access_.word = word;
    request(Touch::push, cycle);
  }
  void request_pop(u32 port, u64 cycle) {
    access_.port = port;
    request(Touch::pop, cycle);
  }
  void request_read(u32 address, u64 cycle) {
    lane_ = address % 8 * 8;
    access_.address = address & ~u32{7};
    request(Touch::read, cycle);
  }
  u64 response() const { return word_ >> lane_; }
  void request_write(u32 address, u64 word, u8 strobe, u64 cycle) {
    access_.address = address & ~u32{7};
    access_.word = word << address % 8 * 8;
    access_.strobe = static_cast<u8>(strobe << address % 8);
    request(Touch::write, cycle);
  }

  void bad_address(const char* before, u32 address, const char* after, u64 cycle) {
    std::snprintf(message_, sizeof message_, "rank %u: %s0x%08x%s", rank_, before, address, after);
    request(Touch::fault, cycle);
  }
  void bad_division(const char* before, u128 dividend, const char* after, u64 cycle) {
    char digits[40];
    char* at = digits + sizeof digits;
    *--at = 0;
    do *--at = static_cast<char>('0' + static_cast<int>(dividend % 10));
    while ((dividend /= 10) != 0);
    std::snprintf(message_, sizeof message_, "rank %u: %s%s%s", rank_, before, at, after);
    request(Touch::fault, cycle);
  }

  // Notes a word of a command that was just taken; true if it is the last one of a message whose buffer lies
  // in no object. ``place``: where the program calls. A command of three words: roles/mpi/ENGINE.md.
  bool bad_command(const char* place, u32 dram_bytes) {
    command_[command_words_] = access_.word;
    if (++command_words_ < 3) return false;
    command_words_ = 0;
    place_ = place;
    const u64 op = command_[0] & 0xFF, at = command_[1] >> 32, count = command_[2] & 0xFFFFFFFF;
    const u32 tag = static_cast<u32>(command_[0] >> 32);
    const bool sends = op == 1 || op == 2 || op == 8 || op == 9;
    if (op == 8 && tag == 4 && (command_[1] & 0xFFFF) == 0xFFFF)  // the kernel ends the job
      std::fprintf(stderr, "rank %u: last call: %s\n", rank_, place);
    if (count == 0 || !(sends || op == 3 || op == 10)) return false;
    if (at >= kDram && at + count <= u64{kDram} + dram_bytes) return false;
    for (u32 i = 0; i < area_count_; i++)
      if (at >= areas_[i].base && at + count <= u64{areas_[i].base} + areas_[i].bytes) return false;
    std::snprintf(
        message_, sizeof message_,
        "rank %u: %s: %s %llu bytes %s 0x%08x, tag %d: no array or block of memory has so many there", rank_,
        place, sends ? "sends" : "receives", static_cast<unsigned long long>(count), sends ? "from" : "at",
        static_cast<u32>(at), static_cast<int>(tag));
    request(Touch::fault, now_);
    return true;
  }

  u64 now_ = 0, limit_ = 0, word_ = 0;
  u32 rank_ = 0;

 private:
  static constexpr u32 kDram = 0x80000000;

  const Area* area_of(u32 address) const {
    for (u32 i = 0; i < area_count_; i++)
      if (address - areas_[i].base < areas_[i].bytes) return &areas_[i];
    return nullptr;
  }

  Access access_;
  const Area* areas_;
  u32 area_count_;
  u8* ram_;
  u64* counters_;
  u32 counter_count_;
  u64 begin_ = 0;
  u32 lane_ = 0, command_words_ = 0;
  u64 command_[3] = {};
  const char* place_ = nullptr;
  char message_[1024] = {};
};

// What operations compute, on bits in the lower end of an unsigned number whose other bits are zero.
namespace model {

template <unsigned Width>
inline s32 sign(u32 v) {
  return static_cast<s32>(v << (32 - Width)) >> (32 - Width);
}
template <unsigned Width>
inline s64 sign(u64 v) {
  return static_cast<s64>(v << (64 - Width)) >> (64 - Width);
}
template <unsigned Width>
inline s128 sign(u128 v) {
  return static_cast<s128>(v << (128 - Width)) >> (128 - Width);
}

// A distance of the width or more moves everything out.
template <unsigned Width, typename T>
inline T shl(T a, T b) {
  return b < Width ? a << b : 0;
}
template <unsigned Width, typename T>
inline T lshr(T a, T b) {
  return b < Width ? a >> b : 0;
}
template <unsigned Width, typename T>
inline T ashr(T a, T b) {
  return static_cast<T>(sign<Width>(a) >> (b < Width ? b : Width - 1));
}

// As polyloom_hls_divide.sv, a divisor of zero included.
template <typename T>
inline T udiv(T a, T b) {
  return b ? a / b : ~T{0};
}
template <typename T>
inline T urem(T a, T b) {
  return b ? a % b : a;
}
template <unsigned Width, typename T>
inline T sdiv(T a, T b) {
  const bool a_negative = sign<Width>(a) < 0, b_negative = sign<Width>(b) < 0;
  const T x = a_negative ? -static_cast<T>(sign<Width>(a)) : a,
          y = b_negative ? -static_cast<T>(sign<Width>(b)) : b;
  return a_negative != b_negative ? -udiv(x, y) : udiv(x, y);
}
template <unsigned Width, typename T>
inline T srem(T a, T b) {
  const bool a_negative = sign<Width>(a) < 0;
  const T x = a_negative ? -static_cast<T>(sign<Width>(a)) : a;
  const T r = urem(x, sign<Width>(b) < 0 ? -static_cast<T>(sign<Width>(b)) : b);
  return a_negative ? -r : r;
}

template <unsigned Bytes>
inline u64 load(const u8* at) {
  u64 word = 0;
  std::memcpy(&word, at, Bytes);
  return word;
}
template <unsigned Bytes>
inline void store(u8* at, u64 word) {
  std::memcpy(at, &word, Bytes);
}

inline float number(u32 v) { return __builtin_bit_cast(float, v); }
inline double number(u64 v) { return __builtin_bit_cast(double, v); }
inline u32 bits(float v) { return __builtin_bit_cast(u32, v); }
inline u64 bits(double v) { return __builtin_bit_cast(u64, v); }
// Of what an operation makes: there is one NaN (blocks/float/README.md).
inline u32 result(float v) { return v != v ? 0xFFC00000 : bits(v); }
inline u64 result(double v) { return v != v ? 0xFFF8000000000000 : bits(v); }
inline float root(float v) { return __builtin_sqrtf(v); }
inline double root(double v) { return __builtin_sqrt(v); }

// As polyloom_fp_to_int.sv, out of range too, where C++ has no result.
template <typename Int, unsigned Mantissa, unsigned Exponent, typename T>
inline Int integer(T v) {
  constexpr unsigned kBits = sizeof(Int) * 8, kBias = (1 << (Exponent - 1)) - 1;
  const unsigned exponent = static_cast<unsigned>(v >> Mantissa) & ((1u << Exponent) - 1);
  const u64 mantissa = (u64{1} << Mantissa | (v & ((u64{1} << Mantissa) - 1))) << (63 - Mantissa);
  const Int top = static_cast<Int>(mantissa >> (64 - kBits));
  const Int moved = exponent < kBias ? 0 : top >> ((kBias + kBits - 1 - exponent) % kBits);
  return v >> (sizeof(T) * 8 - 1) ? -moved : moved;
}

}  // namespace model
}  // namespace polyloom::hls

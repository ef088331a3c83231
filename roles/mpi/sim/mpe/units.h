// SPDX-License-Identifier: Apache-2.0
// The engine's units that move words, as C++ that is stepped a cycle at a time: each has the registers of the
// module of its name (polyloom_mpe_NAME.sv says what it is for). In a cycle its outputs are asked first,
// which depend on registers and what is handed in; edge() then is the clock's.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "roles/mpi/sim/mpe/program.h"

namespace polyloom::mpi::mpe {

/// Words of a packet, and whether one is its last.
struct Word {
  std::uint64_t data = 0;
  bool last = false;
};

/// polyloom_stream_lut_fifo.
template <typename T, unsigned Depth>
class Fifo {
 public:
  bool full() const { return count_ == Depth; }
  bool empty() const { return count_ == 0; }
  const T& front() const { return items_[head_]; }
  void pop() {
    head_ = (head_ + 1) % Depth;
    --count_;
  }
  void push(const T& item) {
    items_[(head_ + count_) % Depth] = item;
    ++count_;
  }

 private:
  std::array<T, Depth> items_{};
  unsigned head_ = 0, count_ = 0;
};

constexpr unsigned kBeats = 32, kHeaderWords = 16;
using Store = std::array<std::uint64_t, kStoreWords>;

/// A word of the kernel's memory that a unit asks for.
struct MemoryRequest {
  bool valid = false;
  std::uint32_t address = 0;
  std::uint64_t data = 0;
  std::uint8_t strobe = 0;
};

// Jobs as the program puts them together: write_job_t, read_job_t of polyloom_mpe_pkg.
struct Job {
  explicit Job(std::uint32_t word = 0) : word_(word) {}
  unsigned store() const { return word_ >> 16 & (kStoreWords - 1); }
  unsigned bytes() const { return word_ & 0x7FF; }
  bool to_memory() const { return (word_ & 0x8000) != 0; }
  bool to_store() const { return (word_ & 0x4000) != 0; }
  bool from_store() const { return (word_ & 0x2000) != 0; }
  bool report() const { return (word_ & 0x8000) != 0; }
  bool record() const { return (word_ & 0x4000) != 0; }
  bool replay() const { return (word_ & 0x2000) != 0; }

 private:
  std::uint32_t word_;
};

class Writer {
 public:
  bool ready() const { return !waits_; }
  bool idle() const { return !waits_ && !busy_; }
  MemoryRequest request(const Word* in) const;
  /// `in`: the payload's word at hand, or null. `taken`: the memory takes the request. True: it takes the
  /// word.
  bool step(const Word* in, bool taken, Store& store);
  /// After step(): what the program puts out in this cycle.
  void address(std::uint32_t value) { address_ = value; }
  void job(std::uint32_t value) {
    job_ = Job(value);
    waits_ = true;
  }

 private:
  void begin();
  bool have(const Word* in) const { return from_store_ ? store_valid_ : in != nullptr; }
  std::uint64_t turned(std::uint64_t word) const {
    return shift_ == 0 ? word : word << 8 * shift_ | word >> (64 - 8 * shift_);
  }
  std::uint64_t carried(std::uint64_t word) const;

  bool busy_ = false, from_store_ = false, store_valid_ = false, ended_ = false, first_ = false;
  bool to_memory_ = false, to_store_ = false, waits_ = false;
  unsigned place_ = 0, shift_ = 0, rest_ = 0, source_ = 0;
  std::uint32_t word_ = 0, address_ = 0;
  std::uint64_t carry_ = 0, stored_ = 0;
  Job job_;
};

class Reader {
 public:
  bool ready() const { return !busy_; }
  MemoryRequest request() const { return {busy_ && request_ != 0 && open_ != kBeats, word_ << 3, 0, 0}; }
  bool valid() const;
  Word word() const;
  /// `bad`, with the last word: some lay outside of the memory.
  bool bad() const { return bad_ || (uses(true) && fifo_.front().error); }
  struct Response {
    std::uint64_t data;
    bool error;
  };
  /// `next`: the word is taken. `asked`: the memory takes the request. `response`: of the memory, or null.
  void step(bool next, bool requested, const Response* response);
  void start(std::uint32_t address, unsigned bytes);

 private:
  bool uses(bool step) const {
    return busy_ && !fifo_.empty() && source_ != 0 && (step || (!primed_ && shift_ != 0));
  }
  std::uint64_t turned(std::uint64_t word) const {
    return shift_ == 0 ? word : word >> 8 * shift_ | word << (64 - 8 * shift_);
  }

  bool busy_ = false, primed_ = false, bad_ = false;
  std::uint32_t word_ = 0;
  unsigned request_ = 0, open_ = 0, shift_ = 0, left_ = 0, source_ = 0;
  std::uint64_t low_ = 0;
  Fifo<Response, kBeats> fifo_;
};

class Builder {
 public:
  bool ready() const { return words_.empty() && !waits_; }
  bool idle() const { return ready() && !runs_ && !paying_; }
  bool copied() const { return copied_; }
  bool copied_bad() const { return copied_bad_; }
  bool valid(const Reader& reader) const;
  Word word(const Reader& reader) const;
  /// `next`: the datagram's word is taken; `asked`, `response`: as for the reader, which is stepped, too.
  void step(bool next, Reader& reader, bool requested, const Reader::Response* response, Store& store);
  /// After step(): what the program puts out in this cycle.
  void address(std::uint32_t value) { address_ = value; }
  void job(std::uint32_t value) {
    wait_ = Job(value);
    waits_ = promised_ = true;
  }
  void header(std::uint64_t value, bool last) {
    words_.push({last, promised_, value});
    if (last) promised_ = false;
  }
  void reported() { copied_ = false; }

 private:
  struct Header {
    bool last, pays;
    std::uint64_t data;
  };
  Fifo<Header, kHeaderWords> words_;
  bool promised_ = false, waits_ = false, runs_ = false, paying_ = false, stored_valid_ = false;
  bool copied_ = false, copied_bad_ = false;
  Job wait_, run_;
  std::uint32_t address_ = 0;
  unsigned place_ = 0, left_ = 0;
  std::uint64_t stored_ = 0;
};

}  // namespace polyloom::mpi::mpe

// SPDX-License-Identifier: Apache-2.0
// The C ABI around a design whose equal instances are lanes of vectors. Compiled by polyloom.rtl.lanes, which
// generates polyloom_lanes_tables.h (tables; emit.py says what memory there is) and the LLVM code of the
// chunks.
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <random>
#include <string>

#include "blocks/noise.h"
#include "blocks/verilated/shim/abi.h"

namespace {

// What the tables hold; emit.py says what each means.
struct Fill {
  std::uint32_t offset, count, size, width;
  bool random;
  std::uint64_t value;
};
struct Write {
  std::uint32_t memory, rows, words, lanes, mask, address, data;
  std::int32_t enables;
};
struct Set {  ///< of chunks: a range of kMembers
  std::uint32_t first, count;
};
struct Memory {
  std::uint64_t offset, rows;  ///< rows of all lanes
  std::uint32_t lanes, width;
  Set readers;
};
struct Input {  ///< 64 bits of an input
  std::uint32_t offset;
  Set readers;
};
struct Check {
  const char* where;
  std::uint32_t lanes, offset;
};
struct Commit {
  std::uint32_t offset, bytes;
};
using Bytes = std::uint8_t*;
using Chunk = void (*)(Bytes q, Bytes d, Bytes t, Bytes k, Bytes m, Bytes p, Bytes f);

#include "polyloom_lanes_tables.h"

constexpr std::size_t kChunkCount = kChunks.size();
constexpr std::size_t kFlagWords = (kChunkCount + 63) / 64;

struct Region {
  explicit Region(std::size_t size) : data(static_cast<std::uint8_t*>(::operator new(size + 64, kAlign))) {
    std::memset(data, 0, size + 64);
  }
  ~Region() { ::operator delete(data, kAlign); }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  static constexpr std::align_val_t kAlign{64};
  std::uint8_t* data;
};

struct Instance {
  std::uint64_t* now() const { return reinterpret_cast<std::uint64_t*>(f.data); }
  std::uint64_t* next() const { return now() + kFlagWords; }
  std::uint64_t* commit() const { return next() + kFlagWords; }
  bool in_reset() const { return (p.data[kResetOffset] & 1) == 0; }

  Region q{kBytes_q}, d{kBytes_d}, t{kBytes_t}, k{kBytes_k}, m{kBytes_m}, p{kBytes_p}, f{kBytes_f};
  Region before{kBytes_p};  ///< the inputs that the last settle() saw
  std::string error;
};

Instance& of(void* handle) { return *static_cast<Instance*>(handle); }

std::uint64_t masked(std::uint64_t value, unsigned width) {
  return width >= 64 ? value : value & ((std::uint64_t{1} << width) - 1);
}

void add(std::uint64_t* flags, const Set& set) {
  for (std::uint32_t i = set.first; i < set.first + set.count; ++i) {
    flags[kMembers[i] / 64] |= std::uint64_t{1} << (kMembers[i] % 64);
  }
}

void add_all(std::uint64_t* flags) {
  for (std::size_t i = 0; i < kChunkCount; ++i) flags[i / 64] |= std::uint64_t{1} << (i % 64);
}

void fill(std::uint8_t* registers, const Fill& f, std::mt19937_64* random) {
  for (std::uint32_t i = 0; i < f.count; ++i) {
    std::uint8_t* element = registers + f.offset + i * f.size;
    for (std::uint32_t byte = 0; byte < f.size; byte += 8) {
      const unsigned left = f.width - 8 * byte;
      const std::uint64_t value = f.random ? masked((*random)(), left) : (byte == 0 ? f.value : 0);
      std::memcpy(element + byte, &value, f.size < 8 ? f.size : 8);
    }
  }
}

/// Registers without a reset start at random, memories with noise, so that nothing relies on what they hold.
void* create(std::uint64_t seed) {
  try {
    auto instance = std::make_unique<Instance>();
    std::mt19937_64 random(seed);
    for (const Fill& f : kStarts) fill(instance->q.data, f, &random);
    add_all(instance->now());
    for (const Memory& memory : kMemories) {
      const std::uint32_t words = (memory.width + 31) / 32;
      auto* word = instance->m.data + memory.offset;
      const std::uint64_t of_lane = memory.rows / memory.lanes;
      for (std::uint64_t row = 0; row < memory.rows; ++row) {
        for (std::uint32_t k = 0; k < words; ++k, word += 4) {
          const auto noise =
              polyloom::blocks::memory_noise(static_cast<std::uint32_t>(row % of_lane * words + k));
          const auto value = static_cast<std::uint32_t>(masked(noise, memory.width - 32 * k));
          std::memcpy(word, &value, 4);
        }
      }
    }
    return instance.release();
  } catch (...) {
    return nullptr;
  }
}

void destroy(void* handle) { delete static_cast<Instance*>(handle); }

std::uint8_t* port(void* handle, std::uint32_t i) { return of(handle).p.data + kPortOffsets[i]; }

/// Calls `body` with the number of each set bit; bits that it sets behind come later.
template <typename Body>
void for_each_bit(std::uint64_t* flags, Body body) {
  for (std::size_t word = 0; word < kFlagWords; ++word) {
    while (flags[word] != 0) {
      const std::size_t number = word * 64 + static_cast<unsigned>(__builtin_ctzll(flags[word]));
      flags[word] &= flags[word] - 1;
      body(number);
    }
  }
}

std::uint64_t mask_of(const std::uint8_t* data, std::uint32_t lanes) {
  std::uint64_t mask = 0;
  std::memcpy(&mask, data, lanes <= 8 ? 1 : lanes <= 16 ? 2 : lanes <= 32 ? 4 : 8);
  return mask;
}

template <typename Body>
void for_each_lane(std::uint64_t mask, Body body) {
  for (; mask != 0; mask &= mask - 1) body(static_cast<unsigned>(__builtin_ctzll(mask)));
}

void write(Instance& i, const Write& w) {
  std::uint64_t mask = 0;
  std::memcpy(&mask, i.k.data + w.mask, 8);
  if (mask == 0) return;
  const Memory& memory = kMemories[w.memory];
  auto* const rows = reinterpret_cast<std::uint32_t*>(i.m.data + memory.offset);
  const auto* const address = reinterpret_cast<const std::uint32_t*>(i.t.data + w.address);
  const auto* const data = reinterpret_cast<const std::uint32_t*>(i.t.data + w.data);
  add(i.next(), memory.readers);
  if (w.words == 1 && w.enables < 0) {
    for_each_lane(mask, [&](unsigned lane) { rows[lane * w.rows + address[lane]] = data[lane]; });
    return;
  }
  const auto* const enables =
      w.enables < 0 ? nullptr : reinterpret_cast<const std::uint32_t*>(i.t.data + w.enables);
  for_each_lane(mask, [&](unsigned lane) {
    std::uint32_t* const row = rows + (std::size_t{lane} * w.rows + address[lane]) * w.words;
    for (std::uint32_t k = 0; k < w.words; ++k) {
      const std::uint32_t at = k * w.lanes + lane;
      const std::uint32_t enable = enables == nullptr ? ~std::uint32_t{0} : enables[at];
      row[k] = (row[k] & ~enable) | (data[at] & enable);
    }
  });
}

void reset(Instance& i) {
  for (const Fill& f : kResets) fill(i.q.data, f, nullptr);
  add_all(i.now());
}

int settle(void* handle) {
  Instance& i = of(handle);
  for (const Input& input : kInputs) {
    std::uint64_t value = 0;
    std::uint64_t before = 0;
    std::memcpy(&value, i.p.data + input.offset, 8);
    std::memcpy(&before, i.before.data + input.offset, 8);
    if (value == before) continue;
    std::memcpy(i.before.data + input.offset, &value, 8);
    add(i.now(), input.readers);
  }
  if (i.in_reset()) reset(i);
  for_each_bit(i.now(), [&](std::size_t chunk) {
    kChunks[chunk](i.q.data, i.d.data, i.t.data, i.k.data, i.m.data, i.p.data, i.f.data);
  });
  return 0;
}

bool checks_fail(Instance& i) {
  std::uint8_t any = 0;
  for (std::size_t byte = 0; byte < kCheckBytes; ++byte) any |= i.k.data[byte];
  if (any == 0 || i.in_reset()) return false;
  for (const Check& check : kChecks) {
    if (mask_of(i.k.data + check.offset, check.lanes) == 0) continue;
    i.error = std::string("an assertion does not hold: ") + check.where;
    return true;
  }
  return false;
}

int step(void* handle) {
  Instance& i = of(handle);
  if (checks_fail(i)) return 1;
  for (const Write& w : kWrites) write(i, w);
  for_each_bit(i.commit(), [&](std::size_t chunk) {
    const Commit& commit = kCommits[chunk];
    for (std::uint32_t at = commit.offset; at < commit.offset + commit.bytes; at += 64) {
      std::memcpy(i.q.data + at, i.d.data + at, 64);
    }
  });
  for (std::size_t word = 0; word < kFlagWords; ++word) {
    i.now()[word] |= i.next()[word];
    i.next()[word] = 0;
  }
  if (i.in_reset()) reset(i);
  return 0;
}

const char* error(void* handle) { return of(handle).error.c_str(); }

int trace_open(void* handle, const char* path) {
  of(handle).error = std::string("built without waves, so none can go to ") + path;
  return 1;
}

int trace_dump(void*, std::uint64_t) { return 0; }

void trace_close(void*) {}

constexpr polyloom_rtl_api kApi = {
    POLYLOOM_RTL_ABI_VERSION,
    0,
    kTop,
    kParameters,
    kPorts.size(),
    kPorts.data(),
    create,
    destroy,
    port,
    settle,
    step,
    error,
    trace_open,
    trace_dump,
    trace_close,
};

}  // namespace

extern "C" __attribute__((visibility("default"))) const polyloom_rtl_api* polyloom_rtl_abi(void) {
  return &kApi;
}

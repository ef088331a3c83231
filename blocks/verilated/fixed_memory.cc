// SPDX-License-Identifier: Apache-2.0
// The AxiMemory of fixed latencies: a byte store in pages, and two queues of bursts.
#include <array>
#include <cstring>
#include <deque>
#include <map>

#include "blocks/verilated/axi_memory.h"
#include "fabric/error.h"

namespace polyloom::blocks {
namespace {

/// Bytes that were never written are zero and take no room.
class Pages {
 public:
  template <typename Byte, typename Copy>
  static void split(std::uint64_t address, std::span<Byte> bytes, Copy copy) {
    while (!bytes.empty()) {
      const std::size_t offset = address % kPage, n = std::min<std::size_t>(bytes.size(), kPage - offset);
      copy(address / kPage, offset, bytes.first(n));
      address += n;
      bytes = bytes.subspan(n);
    }
  }
  void write(std::uint64_t address, std::span<const std::uint8_t> bytes) {
    split(address, bytes, [&](std::uint64_t page, std::size_t offset, std::span<const std::uint8_t> part) {
      std::memcpy(pages_[page].data() + offset, part.data(), part.size());
    });
  }
  void read(std::uint64_t address, std::span<std::uint8_t> bytes) const {
    split(address, bytes, [&](std::uint64_t page, std::size_t offset, std::span<std::uint8_t> part) {
      const auto it = pages_.find(page);
      if (it == pages_.end()) {
        std::memset(part.data(), 0, part.size());
      } else {
        std::memcpy(part.data(), it->second.data() + offset, part.size());
      }
    });
  }
  void digest(fabric::Digest& digest) const {
    for (const auto& [page, bytes] : pages_) {
      digest.add(page);
      for (std::size_t i = 0; i < kPage; i += 8) {
        std::uint64_t word;
        std::memcpy(&word, &bytes[i], 8);
        digest.add(word);
      }
    }
  }

 private:
  static constexpr std::size_t kPage = 4096;
  std::map<std::uint64_t, std::array<std::uint8_t, kPage>> pages_;  // ordered, for the digest
};

class FixedMemory final : public AxiMemory {
 public:
  explicit FixedMemory(const FixedMemoryParams& params) : p_(params), beat_(params.beat_bytes) {
    if (p_.beat_bytes < 8 || p_.beat_bytes > 128 || p_.read_latency < 1 || p_.write_latency < 1 ||
        p_.bursts < 1) {
      throw UserError("fixed memory: beats of 8 to 128 bytes, latencies and bursts of at least 1");
    }
  }

  unsigned beat_bytes() const override { return p_.beat_bytes; }
  std::uint64_t size() const override { return p_.bytes; }

  const AxiSlaveOut& outputs(Cycle k) override {
    out_ = {};
    out_.ar_ready = reads_.size() < p_.bursts;
    out_.aw_ready = writes_.size() + responses_.size() < p_.bursts;
    out_.w_ready = true;
    out_.b_valid = !responses_.empty() && responses_.front().at <= k;
    if (out_.b_valid) out_.b_id = responses_.front().id;
    if (!reads_.empty() && reads_.front().ready <= k) {
      const Burst& burst = reads_.front();
      store_.read(burst.address, beat_);
      out_.r_valid = true;
      out_.r_last = burst.beats == 1;
      out_.r_id = burst.id;
      out_.r_data = beat_.data();
    }
    return out_;
  }

  void step(Cycle k, const AxiMasterOut& from) override {
    if (out_.r_valid && from.r_ready) {
      Burst& burst = reads_.front();
      burst.address += p_.beat_bytes;
      ++beats_read_;
      if (--burst.beats == 0) reads_.pop_front();
    }
    if (out_.b_valid && from.b_ready) responses_.pop_front();
    if (out_.ar_ready && from.ar_valid)
      reads_.push_back(burst("read", from.ar_addr, from.ar_len, from.ar_id, k + p_.read_latency));
    if (out_.aw_ready && from.aw_valid)
      writes_.push_back(burst("write", from.aw_addr, from.aw_len, from.aw_id, 0));
    if (out_.w_ready && from.w_valid) {
      Beat beat{{from.w_data, from.w_data + p_.beat_bytes}, {}, from.w_last};
      beat.strobe.assign(from.w_strobe, from.w_strobe + (p_.beat_bytes + 7) / 8);
      data_.push_back(std::move(beat));
    }
    // Data may come before their address; they wait.
    while (!writes_.empty() && !data_.empty()) write_beat(k);
  }

  bool idle() const override {
    return reads_.empty() && writes_.empty() && responses_.empty() && data_.empty();
  }

  void write(std::uint64_t address, std::span<const std::uint8_t> bytes) override {
    store_.write(address, bytes);
  }
  void read(std::uint64_t address, std::span<std::uint8_t> bytes) const override {
    store_.read(address, bytes);
  }

  void counters(const std::string& prefix, const fabric::CounterSink& sink) const override {
    sink(prefix + ".beats_read", beats_read_);
    sink(prefix + ".beats_written", beats_written_);
  }
  void digest(fabric::Digest& digest) const override {
    store_.digest(digest);
    digest.add(beats_read_);
    digest.add(beats_written_);
  }

 private:
  struct Burst {
    std::uint64_t address;
    unsigned beats;
    std::uint32_t id;
    Cycle ready;
  };
  struct Response {
    Cycle at;
    std::uint32_t id;
  };
  struct Beat {
    std::vector<std::uint8_t> data, strobe;
    bool last;
  };

  Burst burst(const char* what, std::uint64_t address, unsigned length, std::uint32_t id, Cycle ready) const {
    check_burst(what, address, length + 1, p_.beat_bytes, p_.bytes);
    return {address, length + 1, id, ready};
  }

  void write_beat(Cycle k) {
    Burst& burst = writes_.front();
    const Beat& beat = data_.front();
    check_last(beat.last, burst.beats);
    for (unsigned i = 0; i < p_.beat_bytes; ++i) {
      if (beat.strobe[i / 8] >> (i % 8) & 1) store_.write(burst.address + i, std::span(&beat.data[i], 1));
    }
    burst.address += p_.beat_bytes;
    ++beats_written_;
    data_.pop_front();
    if (--burst.beats == 0) {
      responses_.push_back({k + p_.write_latency, burst.id});
      writes_.pop_front();
    }
  }

  FixedMemoryParams p_;
  Pages store_;
  AxiSlaveOut out_;
  std::vector<std::uint8_t> beat_;
  std::deque<Burst> reads_, writes_;
  std::deque<Beat> data_;
  std::deque<Response> responses_;
  std::uint64_t beats_read_ = 0, beats_written_ = 0;
};

}  // namespace

void check_burst(const char* what, std::uint64_t address, unsigned beats, unsigned beat_bytes,
                 std::uint64_t size) {
  const std::uint64_t bytes = std::uint64_t{beats} * beat_bytes;
  if (address % beat_bytes == 0 && address <= size && bytes <= size - address) return;
  throw UserError("memory: a " + std::string(what) + " of " + std::to_string(bytes) + " bytes at " +
                  std::to_string(address) + "; it must lie in " + std::to_string(size) +
                  " bytes and start at a multiple of " + std::to_string(beat_bytes));
}

void check_last(bool last, unsigned beats_left) {
  if (last == (beats_left == 1)) return;
  throw UserError("memory: the last data beat of a write comes " + std::string(last ? "before" : "after") +
                  " the end that its address told");
}

std::unique_ptr<AxiMemory> make_fixed_memory(const FixedMemoryParams& params) {
  return std::make_unique<FixedMemory>(params);
}

}  // namespace polyloom::blocks

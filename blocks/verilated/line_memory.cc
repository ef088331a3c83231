// SPDX-License-Identifier: Apache-2.0
#include "blocks/verilated/line_memory.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "fabric/error.h"

namespace polyloom::blocks {
namespace {

/// Timing is blocks::Dram or blocks::Sram: they have the same functions.
template <class Timing, class Params>
class LineMemory final : public AxiMemory {
 public:
  LineMemory(const Params& params, std::shared_ptr<BackingStore> store, std::uint64_t base,
             std::shared_ptr<MemoryBus> bus, unsigned beat_bytes)
      : bus_(bus ? std::move(bus) : std::make_shared<MemoryBus>()),
        timing_(params, bus_.get()),
        store_(std::move(store)),
        base_(base),
        bytes_(params.bytes),
        beat_bytes_(beat_bytes),
        line_bytes_(params.request_bytes),
        beats_(beat_bytes == 0 ? 0 : line_bytes_ / beat_bytes) {
    if (beats_ == 0 || line_bytes_ % beat_bytes != 0) {
      throw UserError("memory channel: requests of " + std::to_string(line_bytes_) + " bytes in beats of " +
                      std::to_string(beat_bytes) + "; a request is a whole number of beats");
    }
    if (base_ > store_->bytes() || bytes_ > store_->bytes() - base_) {
      throw UserError("memory channel: it must lie in its backing store");
    }
  }

  unsigned beat_bytes() const override { return beat_bytes_; }
  std::uint64_t size() const override { return bytes_; }

  const AxiSlaveOut& outputs(Cycle k) override {
    const auto served = [this](std::uint32_t request, Cycle c) { serve(request, c); };
    timing_.advance(k, served);
    timing_.deliver(k + beats_, served);
    const bool room = waiting_.empty() && bus_->free(k) && !timing_.full(k);
    out_ = {};
    out_.ar_ready = room;
    out_.aw_ready = room && writes_.empty();
    out_.w_ready = out_.aw_ready || !writes_.empty();
    out_.b_valid = !responses_.empty() && responses_.front().ready <= k;
    if (out_.b_valid) out_.b_id = responses_.front().id;
    out_.r_valid = !lines_.empty() && lines_.front().ready <= k;
    if (out_.r_valid) {
      const Line& line = lines_.front();
      out_.r_id = line.id;
      out_.r_last = line.sent + 1 == beats_;
      out_.r_data = line.bytes.data() + std::size_t{line.sent} * beat_bytes_;
    }
    return out_;
  }

  void step(Cycle k, const AxiMasterOut& from) override {
    if (out_.r_valid && from.r_ready && ++lines_.front().sent == beats_) lines_.pop_front();
    if (out_.b_valid && from.b_ready) responses_.pop_front();
    if (out_.ar_ready && from.ar_valid) {
      for (const Request& r : requests_) {
        if (r.used && !r.write && r.id == from.ar_id) {
          throw UserError("memory channel: two reads with the id " + std::to_string(r.id) + " are under way");
        }
      }
      waiting_.push_back(take("read", false, from.ar_addr, from.ar_len, from.ar_id));
    }
    if (out_.aw_ready && from.aw_valid) {
      writes_.push_back(take("write", true, from.aw_addr, from.aw_len, from.aw_id));
    }
    if (out_.w_ready && from.w_valid) take_beat(from);
    while (!waiting_.empty()) {
      const Request& r = requests_[waiting_.front()];
      if (timing_.full(k) || !bus_->free(k) || !timing_.submit(k, r.address, r.write, waiting_.front()))
        break;
      waiting_.pop_front();
    }
  }

  bool idle() const override {
    return timing_.in_flight() == 0 && waiting_.empty() && writes_.empty() && lines_.empty() &&
           responses_.empty();
  }

  void write(std::uint64_t address, std::span<const std::uint8_t> bytes) override {
    store_->write(base_ + address, bytes.data(), bytes.size());
  }
  void read(std::uint64_t address, std::span<std::uint8_t> bytes) const override {
    store_->read(base_ + address, bytes.data(), bytes.size());
  }

  void counters(const std::string& prefix, const fabric::CounterSink& sink) const override {
    sink(prefix + ".reads", timing_.counters().reads);
    sink(prefix + ".writes", timing_.counters().writes);
  }
  // Of what was written, not of all bytes: a channel has gigabytes.
  void digest(fabric::Digest& digest) const override {
    timing_.digest(digest);
    digest.add(written_.value());
  }

 private:
  struct Request {
    std::uint64_t address;
    std::uint32_t id;
    unsigned beats_here;  ///< of a write
    bool write, used;
    std::vector<std::uint8_t> bytes, strobe;  ///< of a write; a bit a byte
  };
  struct Line {
    Cycle ready;
    std::uint32_t id;
    unsigned sent;
    std::vector<std::uint8_t> bytes;
  };
  struct Response {
    Cycle ready;
    std::uint32_t id;
  };

  std::uint32_t take(const char* what, bool write, std::uint64_t address, unsigned length, std::uint32_t id) {
    check_burst(what, address, length + 1, beat_bytes_, bytes_);
    if (length + 1 != beats_ || address % line_bytes_ != 0) {
      throw UserError(std::string("memory channel: a ") + what + " of " + std::to_string(length + 1) +
                      " beats at " + std::to_string(address) + "; it serves lines of " +
                      std::to_string(line_bytes_) + " bytes, one a burst");
    }
    std::uint32_t i = 0;
    while (i < requests_.size() && requests_[i].used) ++i;
    if (i == requests_.size()) requests_.emplace_back();
    Request& r = requests_[i];
    r.address = address, r.id = id, r.beats_here = 0, r.write = write, r.used = true;
    r.bytes.resize(line_bytes_);
    r.strobe.resize(line_bytes_ / 8);
    return i;
  }

  /// A beat of the oldest write that lacks data.
  void take_beat(const AxiMasterOut& from) {
    if (writes_.empty()) throw UserError("memory channel: W came before its AW");
    Request& r = requests_[writes_.front()];
    check_last(from.w_last, beats_ - r.beats_here);
    std::copy_n(from.w_data, beat_bytes_, &r.bytes[std::size_t{r.beats_here} * beat_bytes_]);
    std::copy_n(from.w_strobe, beat_bytes_ / 8, &r.strobe[std::size_t{r.beats_here} * beat_bytes_ / 8]);
    if (r.beats_here++ == 0) waiting_.push_back(writes_.front());
    if (r.beats_here == beats_) writes_.pop_front();
  }

  void serve(std::uint32_t request, Cycle c) {
    Request& r = requests_[request];
    std::uint8_t* at = store_->data() + base_ + r.address;
    if (!r.write) {
      lines_.push_back({c - (beats_ - 1), r.id, 0, {at, at + line_bytes_}});
    } else {
      if (r.beats_here != beats_) throw UserError("memory channel: W beats of a burst came too late");
      for (unsigned i = 0; i < line_bytes_; ++i) {
        if (r.strobe[i / 8] >> (i % 8) & 1) at[i] = r.bytes[i];
      }
      for (unsigned i = 0; i < line_bytes_; i += 8) {
        std::uint64_t word;
        std::memcpy(&word, at + i, 8);
        written_.add(word);
      }
      written_.add(r.address);
      responses_.push_back({c, r.id});
    }
    r.used = false;
  }

  std::shared_ptr<MemoryBus> bus_;
  Timing timing_;
  std::shared_ptr<BackingStore> store_;
  std::uint64_t base_, bytes_;
  unsigned beat_bytes_, line_bytes_, beats_;
  AxiSlaveOut out_;
  std::vector<Request> requests_;      ///< known to the channel by index
  std::deque<std::uint32_t> writes_;   ///< AW taken, data owed
  std::deque<std::uint32_t> waiting_;  ///< taken, not yet submitted
  std::deque<Line> lines_;
  std::deque<Response> responses_;
  fabric::Digest written_;
};

}  // namespace

std::unique_ptr<AxiMemory> make_dram_memory(const DramParams& params, std::shared_ptr<BackingStore> store,
                                            std::uint64_t base, std::shared_ptr<MemoryBus> bus,
                                            unsigned beat_bytes) {
  return std::make_unique<LineMemory<Dram, DramParams>>(params, std::move(store), base, std::move(bus),
                                                        beat_bytes);
}

std::unique_ptr<AxiMemory> make_sram_memory(const SramParams& params, std::shared_ptr<BackingStore> store,
                                            std::uint64_t base, std::shared_ptr<MemoryBus> bus,
                                            unsigned beat_bytes) {
  return std::make_unique<LineMemory<Sram, SramParams>>(params, std::move(store), base, std::move(bus),
                                                        beat_bytes);
}

}  // namespace polyloom::blocks

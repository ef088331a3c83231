// SPDX-License-Identifier: Apache-2.0
#include "blocks/verilated/hbm2_memory.h"

#include <array>
#include <deque>
#include <utility>

#include "fabric/error.h"

namespace polyloom::blocks {
namespace {

constexpr unsigned kBeat = Hbm2Channel::kBeatBytes;

class Hbm2Memory final : public AxiMemory {
 public:
  Hbm2Memory(const Hbm2MemoryParams& params, std::shared_ptr<BackingStore> store, std::uint64_t base)
      : p_(params), channel_(params.channel), store_(std::move(store)), base_(base) {
    if (base_ > store_->bytes() || p_.channel.bytes > store_->bytes() - base_ || p_.bursts == 0 ||
        p_.write_buffer == 0 || p_.read_buffer == 0) {
      throw UserError("HBM2 channel: it must lie in its store, and its buffers hold at least one");
    }
  }

  unsigned beat_bytes() const override { return kBeat; }
  std::uint64_t size() const override { return p_.channel.bytes; }

  const AxiSlaveOut& outputs(Cycle k) override {
    out_ = {};
    out_.ar_ready = reads_.size() < p_.bursts;
    out_.aw_ready = writes_.size() < p_.bursts;
    out_.w_ready = data_.size() < p_.write_buffer;
    out_.b_valid = !responses_.empty() && responses_.front().at <= k;
    if (out_.b_valid) out_.b_id = responses_.front().id;
    out_.r_valid = !replies_.empty() && replies_.front().ready <= k;
    if (out_.r_valid) {
      out_.r_last = replies_.front().last;
      out_.r_id = replies_.front().id;
      out_.r_data = replies_.front().data.data();
    }
    return out_;
  }

  void step(Cycle k, const AxiMasterOut& from) override {
    if (out_.r_valid && from.r_ready) replies_.pop_front();
    if (out_.b_valid && from.b_ready) responses_.pop_front();
    if (out_.ar_ready && from.ar_valid)
      reads_.push_back(burst("read", from.ar_addr, from.ar_len, from.ar_id));
    if (out_.aw_ready && from.aw_valid)
      writes_.push_back(burst("write", from.aw_addr, from.aw_len, from.aw_id));
    if (out_.w_ready && from.w_valid) {
      Data& beat = data_.emplace_back();
      std::copy_n(from.w_data, kBeat, beat.bytes.begin());
      std::copy_n(from.w_strobe, kBeat / 8, beat.strobe.begin());
      beat.last = from.w_last;
    }
    const bool read = !reads_.empty() && replies_.size() < p_.channel.read_latency + p_.read_buffer;
    const bool write = !data_.empty() && !writes_.empty();
    if (!read && !write) return;
    const auto grant = channel_.arbitrate(read, read ? reads_.front().address : 0, write,
                                          write ? writes_.front().address : 0);
    if (grant.read) read_beat(k);
    if (grant.write) write_beat(k);
  }

  bool idle() const override {
    return reads_.empty() && replies_.empty() && writes_.empty() && data_.empty() && responses_.empty();
  }

  void write(std::uint64_t address, std::span<const std::uint8_t> bytes) override {
    store_->write(base_ + address, bytes.data(), bytes.size());
  }
  void read(std::uint64_t address, std::span<std::uint8_t> bytes) const override {
    store_->read(base_ + address, bytes.data(), bytes.size());
  }

  void counters(const std::string& prefix, const fabric::CounterSink& sink) const override {
    sink(prefix + ".beats_read", beats_read_);
    sink(prefix + ".beats_written", beats_written_);
    sink(prefix + ".conflicts", channel_.conflicts());
  }
  // Of what was done to the bytes, not of all of them: a channel has hundreds of MiB.
  void digest(fabric::Digest& digest) const override {
    digest.add(beats_read_);
    digest.add(beats_written_);
    digest.add(written_.value());
  }

 private:
  struct Burst {
    std::uint64_t address;
    unsigned beats;
    std::uint32_t id;
  };
  struct Reply {
    Cycle ready;
    bool last;
    std::uint32_t id;
    std::array<std::uint8_t, kBeat> data;
  };
  struct Data {
    std::array<std::uint8_t, kBeat> bytes;
    std::array<std::uint8_t, kBeat / 8> strobe;
    bool last;
  };
  struct Response {
    Cycle at;
    std::uint32_t id;
  };

  Burst burst(const char* what, std::uint64_t address, unsigned length, std::uint32_t id) const {
    check_burst(what, address, length + 1, kBeat, p_.channel.bytes);
    return {address, length + 1, id};
  }

  void read_beat(Cycle k) {
    Burst& burst = reads_.front();
    Reply& reply = replies_.emplace_back();
    reply.ready = channel_.read_ready(k);
    reply.last = burst.beats == 1;
    reply.id = burst.id;
    store_->read(base_ + burst.address, reply.data.data(), kBeat);
    ++beats_read_;
    burst.address += kBeat;
    if (--burst.beats == 0) reads_.pop_front();
  }

  void write_beat(Cycle k) {
    Burst& burst = writes_.front();
    const Data& beat = data_.front();
    check_last(beat.last, burst.beats);
    std::uint8_t* to = store_->data() + base_ + burst.address;
    for (unsigned i = 0; i < kBeat; ++i) {
      if (beat.strobe[i / 8] >> (i % 8) & 1) to[i] = beat.bytes[i];
    }
    for (unsigned w = 0; w < kBeat; w += 8) {
      std::uint64_t word;
      std::memcpy(&word, to + w, 8);
      written_.add(word);
    }
    written_.add(burst.address);
    ++beats_written_;
    burst.address += kBeat;
    data_.pop_front();
    if (--burst.beats == 0) {
      responses_.push_back({channel_.write_done(k), burst.id});
      writes_.pop_front();
    }
  }

  Hbm2MemoryParams p_;
  Hbm2Channel channel_;
  std::shared_ptr<BackingStore> store_;
  std::uint64_t base_;
  AxiSlaveOut out_;
  std::deque<Burst> reads_, writes_;
  std::deque<Reply> replies_;
  std::deque<Data> data_;
  std::deque<Response> responses_;
  fabric::Digest written_;
  std::uint64_t beats_read_ = 0, beats_written_ = 0;
};

}  // namespace

std::unique_ptr<AxiMemory> make_hbm2_memory(const Hbm2MemoryParams& params,
                                            std::shared_ptr<BackingStore> store, std::uint64_t base) {
  return std::make_unique<Hbm2Memory>(params, std::move(store), base);
}

}  // namespace polyloom::blocks

// SPDX-License-Identifier: Apache-2.0
// Small parts that the inside of a hub is made of, cycle for cycle as their RTL: a FIFO, polyloom_hub_pack,
// polyloom_hub_packets, polyloom_hub_merge. What they show is the state before an edge; their owner
// looks at all that it needs first and moves them then.
#pragma once

#include <deque>
#include <vector>

#include "roles/hub/sim/packet.h"

namespace polyloom::hub {

/// What goes in at an edge shows after it.
template <class T>
class Fifo {
 public:
  explicit Fifo(std::size_t depth) : depth_(depth) {}
  bool ready() const { return items_.size() < depth_; }
  bool valid() const { return !items_.empty(); }
  std::size_t size() const { return items_.size(); }
  const T& front() const { return items_.front(); }
  void push(T item) { items_.push_back(std::move(item)); }
  void pop() { items_.pop_front(); }
  void clear() { items_.clear(); }

 private:
  std::size_t depth_;
  std::deque<T> items_;
};

/// Puts beats of 1 to 16 bytes together to beats of as many as the reader takes.
class Pack {
 public:
  explicit Pack(unsigned out_bytes) : room_(out_bytes + kTlpBeat) {}
  bool ready() const { return !ended_ && row_.size() <= room_; }
  bool valid(unsigned take) const { return row_.size() >= take || (ended_ && !row_.empty()); }
  unsigned bytes(unsigned take) const { return std::min(take, held()); }
  /// The next beat ends the stream.
  bool last(unsigned take) const { return ended_ && row_.size() <= take; }
  unsigned held() const { return static_cast<unsigned>(row_.size()); }
  const std::uint8_t* data() const { return row_.data(); }

  /// An edge: so many bytes leave, a beat comes (or null).
  void move(unsigned give, const Beat* in) {
    row_.erase(row_.begin(), row_.begin() + give);
    ended_ = (in != nullptr && in->last) || (ended_ && !row_.empty());
    if (in == nullptr) return;
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(in->data.data());
    row_.insert(row_.end(), bytes, bytes + in->bytes);
  }
  void flush() {
    row_.clear();
    ended_ = false;
  }

 private:
  std::size_t room_;
  std::vector<std::uint8_t> row_;
  bool ended_ = false;
};

/// Makes write packets: one begins only when all of it is here.
class Packets {
 public:
  struct Commit {
    bool no = false;  ///< throw the payload away
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
  };
  explicit Packets(unsigned max_payload) : data_(2 * (tlp_beats(max_payload) - 1)), commits_(kCommits) {}

  bool data_ready() const { return data_.ready(); }
  bool commit_ready() const { return commits_.ready(); }
  bool valid() const { return body_ ? data_.valid() && !void_ : commits_.valid() && !commits_.front().no; }
  Beat beat() const {
    if (body_) {
      Beat b = data_.front();
      b.last = left_ == 1;
      return b;
    }
    Beat b;
    b.data = TlpHeader{.length = commits_.front().bytes, .address = commits_.front().address}.words();
    return b;
  }
  bool idle() const { return !data_.valid() && !commits_.valid() && !body_; }

  /// An edge: the beat was taken; payload and commit come (or null).
  void move(bool taken, const Beat* data, const Commit* commit) {
    const bool begins = !body_ && commits_.valid() && (taken || commits_.front().no);
    const bool gives = body_ && data_.valid() && (taken || void_);
    if (!body_ && commits_.valid()) left_ = tlp_beats(commits_.front().bytes) - 1;
    if (begins) {
      body_ = left_ != 0;
      void_ = commits_.front().no;
      commits_.pop();
    } else if (gives) {
      data_.pop();
      body_ = --left_ != 0;
    }
    if (data != nullptr) data_.push(*data);
    if (commit != nullptr) commits_.push(*commit);
  }

 private:
  static constexpr std::size_t kCommits = 8;
  Fifo<Beat> data_;
  Fifo<Commit> commits_;
  bool body_ = false, void_ = false;
  unsigned left_ = 0;
};

/// Several streams of packets become one, packet by packet, round robin.
class Merge {
 public:
  explicit Merge(unsigned inputs) : inputs_(inputs), last_(inputs - 1) {}
  /// The input whose beat is offered, of those in the mask; -1: none.
  int choice(std::uint32_t valid) const {
    if (held_) return (valid >> chosen_ & 1) != 0 ? static_cast<int>(chosen_) : -1;
    for (unsigned n = 1; n <= inputs_; ++n) {
      const unsigned i = (last_ + n) % inputs_;
      if ((valid >> i & 1) != 0) return static_cast<int>(i);
    }
    return -1;
  }
  /// An edge at which a beat of `choice` is offered.
  void move(int choice, bool taken, bool last) {
    if (choice < 0) return;
    held_ = !(taken && last);
    chosen_ = last_ = static_cast<unsigned>(choice);
  }

 private:
  unsigned inputs_, chosen_ = 0, last_;
  bool held_ = false;
};

}  // namespace polyloom::hub

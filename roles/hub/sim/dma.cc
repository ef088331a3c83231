// SPDX-License-Identifier: Apache-2.0
#include "roles/hub/sim/dma.h"

#include <algorithm>
#include <cstring>

namespace polyloom::hub {

namespace {

constexpr std::uint32_t kReadBytes = 512;
constexpr std::uint32_t kKnownBits = kLast | kFlag | kFunction;
constexpr unsigned kFlagBytes = 8;
constexpr std::size_t kCompactBytes = 1 << 16;

std::uint64_t at(std::uint64_t base, std::int64_t stride, std::uint32_t block) {
  return base + static_cast<std::uint64_t>(stride) * block;
}

}  // namespace

Dma::Dma(const HubParams& params, DmaSide& side, unsigned channel)
    : p_(params), side_(side), channel_(channel) {}

void Dma::start(std::uint64_t descriptor) {
  chain_ = true;
  count_ = 0;
  address_ = descriptor;
  next_descriptor();
}

void Dma::start(const Descriptor& descriptor) {
  chain_ = false;
  address_ = 0;
  d_ = descriptor;
  state_ = State::check;
}

/// Looks at where the next descriptor of a chain lies.
void Dma::next_descriptor() {
  asked_ = false;
  state_ = State::fetch;
  const std::uint64_t a = address_;
  if (++count_ > kChainMax) return fail(DmaError::loop);
  if (a % kDescriptorBytes != 0) return fail(DmaError::misaligned);
  if (a >= kWindowBytes) return fail(DmaError::outside);
  d_ = {};
  d_.source = a;
  d_.block_bytes = kDescriptorBytes;
  d_.blocks = 1;
  if (const DmaError error = bad_block(); error != DmaError::none) fail(error);
}

void Dma::fail(DmaError error) {
  pending_ = error;
  state_ = State::stop;
}

DmaError Dma::bad_descriptor() const {
  if ((d_.control & ~kKnownBits) != 0) return DmaError::reserved;
  if (d_.block_bytes == 0 || d_.blocks == 0) return DmaError::zero;
  if ((d_.control & kFlag) != 0 && d_.flag % kFlagBytes != 0) return DmaError::misaligned;
  if ((d_.control & kFlag) != 0 && d_.flag >= kWindowBytes) return DmaError::outside;
  if ((d_.control & kFunction) != 0 && !side_.function_ready()) return DmaError::function;
  return DmaError::none;
}

/// Of the block that would be read next.
DmaError Dma::bad_block() const {
  const std::uint64_t from = at(d_.source, d_.source_stride, read_block_);
  if (from >= kWindowBytes) return DmaError::outside;
  const bool hub = unit_of(from) == Unit::hub;
  const std::uint64_t memory = std::uint64_t{1} << p_.memory_bits;
  const std::uint64_t offset = offset_of(from);
  const bool inside = hub ? offset >= kHubMemory && offset - kHubMemory < memory &&
                                d_.block_bytes <= memory - (offset - kHubMemory)
                          : d_.block_bytes <= kUnitBytes - offset && side_.has_north();
  if (node_of(from) != side_.node() || !inside) return DmaError::not_local;
  if ((d_.control & kFunction) != 0 || state_ == State::fetch) return DmaError::none;
  const std::uint64_t to = at(d_.destination, d_.destination_stride, read_block_);
  if (to >= kWindowBytes) return DmaError::outside;
  return d_.block_bytes > kWindowBytes - to ? DmaError::crosses : DmaError::none;
}

void Dma::data(const std::uint8_t* bytes, std::size_t n, bool poisoned) {
  under_way_ -= n;
  if (poisoned && state_ != State::stop) fail(DmaError::poisoned);
  if (state_ != State::stop) fifo_.insert(fifo_.end(), bytes, bytes + n);
}

bool Dma::step(Cycle k) {
  switch (state_) {
    case State::idle:
      return false;
    case State::fetch:
      return fetch(k);
    case State::check:
      read_block_ = write_block_ = 0;
      read_at_ = write_at_ = 0;
      state_ = State::run;
      if (const DmaError error = bad_descriptor(); error != DmaError::none) fail(error);
      return true;
    case State::run: {
      const bool wrote = (d_.control & kFunction) != 0 ? write_function() : write();
      const bool asked = read(k);
      return wrote || asked;
    }
    case State::flag: {
      if (packet_) return false;
      if ((d_.control & kFlag) != 0) {
        const std::uint64_t value = d_.id;
        packet_.emplace(
            Packet{{.length = kFlagBytes, .address = d_.flag}, std::vector<std::uint8_t>(kFlagBytes)});
        std::memcpy(packet_->payload.data(), &value, kFlagBytes);
      }
      ++done_;
      state_ = State::idle;
      if (chain_ && (d_.control & kLast) == 0) {
        address_ = d_.next;
        next_descriptor();
      }
      return true;
    }
    case State::stop:
      if (under_way_ != 0) return false;
      fifo_.clear();
      fifo_head_ = 0;
      if (error_ == 0) error_ = static_cast<std::uint64_t>(pending_) | address_ << 16;
      pending_ = DmaError::none;
      state_ = State::idle;
      return true;
  }
  return false;
}

bool Dma::fetch(Cycle k) {
  if (!asked_) {
    read_block_ = 0;
    if (!side_.read(k, channel_, address_, kDescriptorBytes)) return false;
    under_way_ += kDescriptorBytes;
    asked_ = true;
    return true;
  }
  if (fifo_.size() < kDescriptorBytes) return false;
  std::memcpy(&d_, fifo_.data(), kDescriptorBytes);
  fifo_.clear();
  fifo_head_ = 0;
  state_ = State::check;
  return true;
}

void Dma::advance_block(std::uint32_t& block, std::uint64_t& at, std::uint64_t n) {
  at += n;
  if (at != d_.block_bytes) return;
  at = 0;
  ++block;
}

/// Asks for the next bytes, if there is room for them.
bool Dma::read(Cycle k) {
  if (read_block_ == d_.blocks || pending_ != DmaError::none) return false;
  if (read_at_ == 0) {
    if (const DmaError error = bad_block(); error != DmaError::none) {
      pending_ = error;
      return true;
    }
  }
  const std::uint64_t from = at(d_.source, d_.source_stride, read_block_) + read_at_;
  const std::uint64_t n = std::min<std::uint64_t>(kReadBytes - from % kReadBytes, d_.block_bytes - read_at_);
  // What waits for the rest of a packet has a place of its own.
  const std::uint64_t room = std::uint64_t{p_.tags} * kReadBytes + p_.max_payload;
  if (under_way_ + fifo_.size() - fifo_head_ + n > room) return false;
  if (!side_.read(k, channel_, from, static_cast<std::uint32_t>(n))) return false;
  under_way_ += n;
  advance_block(read_block_, read_at_, n);
  return true;
}

/// Goes on if everything that could be asked for has gone out.
bool Dma::all_written() {
  const bool cut = pending_ != DmaError::none && write_block_ == read_block_ && write_at_ == read_at_;
  if (write_block_ != d_.blocks && !cut) return false;
  state_ = cut ? State::stop : State::flag;
  return true;
}

bool Dma::write() {
  if (packet_) return false;
  if (all_written()) return true;
  const std::uint64_t to = at(d_.destination, d_.destination_stride, write_block_) + write_at_;
  // Ends at multiples of the largest payload, so no packet crosses a page.
  const std::uint64_t n =
      std::min<std::uint64_t>(p_.max_payload - to % p_.max_payload, d_.block_bytes - write_at_);
  if (fifo_.size() - fifo_head_ < n) return false;
  const auto first = fifo_.begin() + static_cast<std::ptrdiff_t>(fifo_head_);
  packet_.emplace(Packet{{.length = static_cast<std::uint32_t>(n), .address = to},
                         {first, first + static_cast<std::ptrdiff_t>(n)}});
  consume(n);
  advance_block(write_block_, write_at_, n);
  return true;
}

bool Dma::write_function() {
  if (all_written()) return true;
  const std::uint64_t left = d_.block_bytes - write_at_;
  const std::size_t n = std::min<std::size_t>({kTlpBeat, left, fifo_.size() - fifo_head_});
  if (n == 0 || (n < kTlpBeat && n < left) || side_.function_room() < n) return false;
  const bool last = (d_.control & kLast) != 0 && write_block_ + 1 == d_.blocks && n == left;
  side_.function_input(fifo_.data() + fifo_head_, n, last);
  consume(n);
  advance_block(write_block_, write_at_, n);
  return true;
}

void Dma::consume(std::size_t n) {
  fifo_head_ += n;
  if (fifo_head_ < fifo_.size() && fifo_head_ < kCompactBytes) return;
  fifo_.erase(fifo_.begin(), fifo_.begin() + static_cast<std::ptrdiff_t>(fifo_head_));
  fifo_head_ = 0;
}

Packet Dma::take() {
  Packet packet = std::move(*packet_);
  packet_.reset();
  return packet;
}

}  // namespace polyloom::hub

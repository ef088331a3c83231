// SPDX-License-Identifier: Apache-2.0
// The DMA's walk over blocks and its write side.
#include <cstring>

#include "roles/hub/sim/dma.h"

namespace polyloom::hub {

DmaRequest DmaWalk::request() const {
  const std::uint32_t room = kReadBytes - static_cast<std::uint32_t>(place_ % kReadBytes);
  return {state_ == State::reads, false, place_, std::min(left_, room)};
}

DmaBlock DmaWalk::block() const {
  return {.channel = channel_,
          .final_block = d_.blocks == 1,
          .to_stream = stream(),
          .stream_end = (d_.control & kLast) != 0,
          .flag = (d_.control & kFlag) != 0,
          .flag_address = d_.flag,
          .address = stream() ? 0 : d_.destination,
          .id = d_.id,
          .bytes = d_.block_bytes};
}

bool DmaWalk::done(bool stop, bool taken) const {
  if (state_ == State::verdict) return error_ != DmaError::none || stop;
  return state_ == State::reads && taken && final_read() && d_.blocks == 1;
}

void DmaWalk::begin(unsigned channel, const Descriptor& d) {
  channel_ = channel;
  d_ = d;
  state_ = State::check;
}

/// Of the block in work.
DmaError DmaWalk::judge(const DmaInputs& in) const {
  if (d_.source >= kWindowBytes) return DmaError::outside;
  const std::uint64_t memory = std::uint64_t{1} << p_.memory_bits, offset = offset_of(d_.source);
  bool inside;
  if (unit_of(d_.source) == Unit::hub) {
    inside = offset >= kHubMemory && offset - kHubMemory < memory &&
             d_.block_bytes <= memory - (offset - kHubMemory);
  } else {
    inside = d_.block_bytes <= kUnitBytes - offset && in.north;
  }
  if (node_of(d_.source) != in.node || !inside) return DmaError::not_local;
  if (stream()) return DmaError::none;
  if (d_.destination >= kWindowBytes) return DmaError::outside;
  return d_.block_bytes > kWindowBytes - d_.destination ? DmaError::crosses : DmaError::none;
}

void DmaWalk::move(const DmaInputs& in, bool stop, bool block_ready, bool taken) {
  switch (state_) {
    case State::idle:
      return;
    case State::check:
      error_ = judge(in);
      place_ = d_.source;
      left_ = d_.block_bytes;
      state_ = State::verdict;
      return;
    case State::verdict:
      if (error_ != DmaError::none || stop) {
        state_ = State::idle;
      } else if (block_ready) {
        state_ = State::reads;
      }
      return;
    case State::reads:
      if (!taken) return;
      const std::uint32_t n = request().bytes;
      place_ += n;
      left_ -= n;
      if (left_ != 0) return;
      state_ = d_.blocks == 1 ? State::idle : State::check;
      d_.source += static_cast<std::uint64_t>(d_.source_stride);
      d_.destination += static_cast<std::uint64_t>(d_.destination_stride);
      --d_.blocks;
      return;
  }
}

Beat DmaWrite::payload() const {
  Beat b;
  b.bytes = static_cast<std::uint8_t>(take());
  std::memcpy(b.data.data(), pack_.data(), b.bytes);
  return b;
}

Beat DmaWrite::stream() const {
  Beat b = payload();
  b.last = chunk_ <= kTlpBeat && left_ == chunk_ && block_.final_block && block_.stream_end;
  return b;
}

int DmaWrite::done() const {
  const bool over = state_ == State::flag && (!flag_now() || room());
  return over && !failed() ? static_cast<int>(block_.channel) : -1;
}

/// A block begins; its first packet ends at a multiple of the largest payload.
void DmaWrite::load(const DmaBlock& block) {
  block_ = block;
  left_ = feed_ = block.bytes;
  const std::uint64_t room = p_.max_payload - block.address % p_.max_payload;
  chunk_ = size_ = static_cast<unsigned>(std::min<std::uint64_t>(block.bytes, room));
  state_ = State::move;
}

bool DmaWrite::move(const DmaInputs& in, const DmaBlock* block, const DmaData* data, bool clear_failed) {
  const bool voids = !packets_.idle() && !packets_.valid();
  const bool fail = failed(), flag = flag_now(), has_room = room(),
             over = state_ == State::flag && (!flag || has_room);
  const bool takes = block_.to_stream ? fail || in.function_ready : has_room;
  const bool moved = state_ == State::move && takes && pack_.valid(take());
  const unsigned given = moved ? take() : 0;
  const bool ends = chunk_ <= kTlpBeat, block_ends = ends && left_ == chunk_;
  const bool loads =
      blocks_.valid() && (state_ == State::idle || (moved && block_ends && !block_.final_block));
  const bool packet = (moved && !block_.to_stream) || (flag && has_room);
  Beat beat;
  Packets::Commit commit{fail, block_.address, size_};
  if (flag) {
    beat.data = {block_.id, 0};
    beat.bytes = kFlagBytes;
    commit = {fail, block_.flag_address, kFlagBytes};
  } else if (packet) {
    beat = payload();
  }
  const bool commits = packet && (ends || state_ == State::flag);
  packets_.move(in.packet_taken, packet ? &beat : nullptr, commits ? &commit : nullptr);
  pack_.move(given, data != nullptr ? &data->beat : nullptr);
  if (clear_failed) {
    failed_ = 0;
  } else if (data != nullptr && data->bad) {
    failed_ |= 1u << block_.channel;
  }
  if (data != nullptr) feed_ -= data->beat.bytes;
  if (moved) {
    left_ -= given;
    chunk_ -= given;
    if (ends) {
      block_.address += size_;
      chunk_ = size_ = std::min(left_, p_.max_payload);
    }
    if (block_ends) state_ = block_.final_block ? State::flag : State::idle;
  } else if (over) {
    state_ = State::idle;
  }
  if (loads) {
    const DmaBlock next = blocks_.front();
    blocks_.pop();
    load(next);
  }
  if (block != nullptr) blocks_.push(*block);
  return moved || over || loads || packet || voids || block != nullptr || data != nullptr || clear_failed;
}

}  // namespace polyloom::hub

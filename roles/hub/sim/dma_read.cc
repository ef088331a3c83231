// SPDX-License-Identifier: Apache-2.0
// The DMA's read side.
#include <cstring>

#include "roles/hub/sim/dma.h"

namespace polyloom::hub {

DmaRead::DmaRead(const HubParams& params, const std::uint8_t* memory)
    : p_(params),
      memory_(memory),
      ar_(2),
      mrd_(2),
      north_(params.tags + 1),
      data_(params.tags * kReadBytes / kTlpBeat) {}

bool DmaRead::ready(const DmaRequest& request) const {
  const bool to_memory = unit_of(request.address) == Unit::hub;
  const bool room =
      request.fetch ? !fetch_open_ : open_ != p_.tags && (open_ == 0 || memory_kind_ == to_memory);
  if (!room) return false;
  return to_memory ? ar_.ready() && ar_.size() + bursts_.size() <= p_.tags : mrd_.ready() && north_.ready();
}

void DmaRead::move(const DmaInputs& in, const DmaRequest* accepted, bool data_taken) {
  const bool data_done = data_taken && data_.front().final_beat;
  const bool fetch_was = fetch_valid_;
  fetch_valid_ = false;
  if (!bursts_.empty() && bursts_.front().ready <= in.k) memory_beat(in.k);
  if (ar_.valid()) {
    bursts_.push_back(ar_.front());
    bursts_.back().ready = in.k + p_.memory_read;
    ar_.pop();
  }
  if (in.mrd_taken) mrd_.pop();
  if (data_taken) data_.pop();
  if (in.completion != nullptr) north_beat(in);
  for (; !data_in_.empty(); data_in_.pop_front()) data_.push(data_in_.front());
  open_ -= data_done;
  if (fetch_was) fetch_open_ = false;
  if (accepted == nullptr) return;
  const bool to_memory = unit_of(accepted->address) == Unit::hub;
  if (accepted->fetch) {
    fetch_open_ = true;
    fetch_bad_ = false;
    fetch_at_ = 0;
  } else {
    ++open_;
    memory_kind_ = to_memory;
  }
  if (to_memory) {
    ar_.push({accepted->fetch, accepted->address, accepted->bytes, 0});
    return;
  }
  Beat beat;
  beat.data =
      TlpHeader{
          .type = TlpType::memory_read, .tag = tag_, .length = accepted->bytes, .address = accepted->address}
          .words();
  beat.last = true;
  mrd_.push(beat);
  north_.push({accepted->fetch, tag_++});
}

/// A beat of the memory, aligned there; its first one is shifted to byte 0.
void DmaRead::memory_beat(Cycle) {
  Burst& burst = bursts_.front();
  const auto whole = static_cast<std::uint32_t>(kTlpBeat - burst.address % kTlpBeat);
  const std::uint32_t n = std::min(burst.bytes, whole);
  DmaData d;
  d.beat.bytes = static_cast<std::uint8_t>(n);
  std::memcpy(d.beat.data.data(), memory_ + (offset_of(burst.address) - kHubMemory), n);
  d.final_beat = n == burst.bytes;
  if (burst.fetch) {
    fetch_beat(d.beat, d.final_beat, false);
  } else {
    data_in_.push_back(d);
  }
  burst.address += n;
  burst.bytes -= n;
  if (burst.bytes == 0) bursts_.pop_front();
}

void DmaRead::north_beat(const DmaInputs& in) {
  const bool end = in.completion_final && in.completion->last;
  DmaData d{*in.completion, end, in.completion_bad};
  d.beat.last = false;
  if (north_.front().fetch) {
    fetch_beat(d.beat, end, in.completion_bad);
  } else {
    data_in_.push_back(d);
  }
  if (end) north_.pop();
}

void DmaRead::fetch_beat(const Beat& beat, bool end, bool bad) {
  auto* bytes = reinterpret_cast<std::uint8_t*>(&fetch_);
  if (fetch_at_ + beat.bytes <= sizeof fetch_) std::memcpy(bytes + fetch_at_, beat.data.data(), beat.bytes);
  fetch_at_ += beat.bytes;
  fetch_bad_ = fetch_bad_ || bad;
  fetch_valid_ = end;
}

}  // namespace polyloom::hub

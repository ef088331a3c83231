// SPDX-License-Identifier: Apache-2.0
// The DMA as a whole, and its control: which descriptor is next.
#include "roles/hub/sim/dma.h"

namespace polyloom::hub {

namespace {

constexpr std::uint32_t kKnownBits = kLast | kFlag | kFunction;
constexpr std::uint64_t kShownBits = (std::uint64_t{1} << 48) - 1;

}  // namespace

Dma::Dma(const HubParams& params, const std::uint8_t* memory)
    : p_(params), queue_(kProxyDepth), walk_(params), read_(params, memory), write_(params) {}

bool Dma::chain_busy() const {
  return chain_ || requested_ || issued_[kChain] != done_[kChain] || (write_.failed_channels() & 1) != 0;
}

bool Dma::proxy_busy() const {
  return queue_.valid() || (proxy_ && state_ != State::turn) || issued_[kProxy] != done_[kProxy] ||
         (write_.failed_channels() & 2) != 0;
}

bool Dma::idle() const { return !chain_busy() && !proxy_busy() && read_.idle() && write_.idle(); }

DmaError Dma::bad_address(std::uint64_t a, const DmaInputs& in) const {
  if (a >= kWindowBytes) return DmaError::outside;
  if (a % kDescriptorBytes != 0) return DmaError::misaligned;
  if (node_of(a) != in.node) return DmaError::not_local;
  if (unit_of(a) != Unit::hub) return in.north ? DmaError::none : DmaError::not_local;
  const std::uint64_t offset = offset_of(a);
  const bool inside = offset >= kHubMemory && (offset - kHubMemory) >> p_.memory_bits == 0;
  return inside ? DmaError::none : DmaError::not_local;
}

DmaError Dma::fetch_error(const DmaInputs& in) const {
  return count_ == kChainMax ? DmaError::loop : bad_address(address_, in);
}

DmaError Dma::descriptor_error(const DmaInputs& in) const {
  if ((d_.control & ~kKnownBits) != 0) return DmaError::reserved;
  if (d_.block_bytes == 0 || d_.blocks == 0) return DmaError::zero;
  if ((d_.control & kFlag) != 0 && d_.flag % 8 != 0) return DmaError::misaligned;
  if ((d_.control & kFlag) != 0 && d_.flag >= kWindowBytes) return DmaError::outside;
  if ((d_.control & kFunction) != 0 && !in.function_active) return DmaError::function;
  return DmaError::none;
}

/// The chain's next descriptor is fetched before the data of this one.
bool Dma::wants_next(const DmaInputs& in) const {
  return !proxy_ && (d_.control & kLast) == 0 && bad_address(d_.next, in) == DmaError::none &&
         count_ != kChainMax - 1;
}

DmaRequest Dma::control_request(const DmaInputs& in) const {
  const bool fetch = state_ == State::fetch && fetch_error(in) == DmaError::none;
  const bool ahead = state_ == State::prefetch;
  return {fetch || ahead, true, (fetch ? address_ : d_.next) % kWindowBytes, kDescriptorBytes};
}

Dma::Verdict Dma::judge(const DmaInputs& in, bool request_ready, bool walk_done) const {
  Verdict v{state_};
  const auto fail = [&](DmaError error) {
    v.error = error;
    v.next = State::turn;
  };
  switch (state_) {
    case State::turn:
      if (write_.failed_channels() != 0) {
        v.next = State::failed;
      } else if (accept_proxy()) {
        v.next = State::check;
      } else if (accept_chain()) {
        v.next = next_                 ? State::check
                 : !requested_         ? State::fetch
                 : read_.fetch_valid() ? State::turn
                                       : State::wait;
      }
      break;
    case State::fetch:
      if (const DmaError error = fetch_error(in); error != DmaError::none) {
        fail(error);
      } else if (request_ready) {
        v.next = State::wait;
      }
      break;
    case State::wait:
      if (!read_.fetch_valid()) break;
      v.next = State::check;
      if (read_.fetch_bad()) fail(DmaError::poisoned);
      break;
    case State::check:
      if (const DmaError error = descriptor_error(in); error != DmaError::none) {
        fail(error);
      } else if (!own_ || (read_.idle() && write_.idle() && in.settled)) {
        v.next = wants_next(in) ? State::prefetch : State::walk;
      }
      break;
    case State::prefetch:
      if (request_ready) v.next = State::walk;
      break;
    case State::walk:
      if (!walk_done) break;
      v = {State::turn, walk_.error(), true};
      break;
    case State::failed:
      if (read_.idle() && write_.idle() && !requested_) v.next = State::turn;
      break;
  }
  return v;
}

bool Dma::step(const DmaInputs& in) {
  const unsigned failed = write_.failed_channels();
  const DmaRequest fetch = control_request(in), blocks = walk_.request();
  const DmaRequest request = fetch.valid ? fetch : blocks;
  const bool request_ready = read_.ready(request), accepted = request.valid && request_ready;
  const bool walk_taken = blocks.valid && !fetch.valid && request_ready;
  const bool stop = (failed >> (proxy_ ? 1 : 0) & 1) != 0;
  const bool walk_done = walk_.done(stop, walk_taken);
  const Verdict v = judge(in, request_ready, walk_done);
  const bool block = walk_.block_valid(stop) && write_.block_ready();
  const DmaBlock handed = walk_.block();
  const bool own = block && walk_.to_own(in.node);
  const bool data_taken = read_.data_valid() && write_.data_ready();
  const DmaData data = data_taken ? read_.data() : DmaData{};
  const int done = write_.done();
  const bool clear_failed = state_ == State::failed && v.next == State::turn;
  const bool walks = (state_ == State::check || state_ == State::prefetch) && v.next == State::walk;
  const bool block_ready = write_.block_ready();
  bool changed = in.start || in.clear || in.proxy != nullptr || in.completion != nullptr || in.mrd_taken ||
                 in.packet_taken || accepted || walk_done || walks || walk_.checks() || v.next != state_ ||
                 read_.ar_waits() || read_.fetch_valid() || read_.next_due() <= in.k;
  const bool settled = read_.idle() && write_.idle() && in.settled;

  if (walks) {
    walk_.begin(proxy_ ? kProxy : kChain, d_);
  } else {
    walk_.move(in, stop, block_ready, walk_taken);
  }
  changed |= write_.move(in, block ? &handed : nullptr, data_taken ? &data : nullptr, clear_failed);
  const bool stop_chain =
      (!proxy_ && v.error != DmaError::none) || (state_ == State::failed && (failed & 1) != 0);
  report(in, v, stop_chain, done, failed);
  control(in, v, fetch.valid && request_ready, own, settled);
  if (stop_chain) chain_ = next_ = false;
  read_.move(in, accepted ? &request : nullptr, data_taken);
  return changed;
}

/// Registers of the control; v was found from them as they are.
void Dma::control(const DmaInputs& in, const Verdict& v, bool requested, bool own, bool settled) {
  const bool took_proxy = accept_proxy(), took_chain = accept_chain();
  const bool checks = state_ == State::turn && v.next == State::check;
  const bool late = requested_ && read_.fetch_valid() && state_ != State::wait;
  if (took_proxy && v.next == State::check) {
    d_ = queue_.front();
    queue_.pop();
  } else if (state_ == State::turn && next_) {
    d_ = ahead_;
  } else if (state_ == State::wait && read_.fetch_valid()) {
    d_ = read_.fetched();
  }
  if (in.proxy != nullptr) queue_.push(*in.proxy);
  if (state_ == State::turn && v.next != State::failed && took_chain && count_ != 0) address_ = next_address_;
  if (state_ == State::check && !proxy_) next_address_ = d_.next;
  if (checks) {
    proxy_ = proxy_last_ = took_proxy;
    if (!took_proxy) next_ = false;
  } else if (state_ == State::turn && took_chain) {
    proxy_ = proxy_last_ = false;
  }
  if (late) ahead_ = read_.fetched();
  const bool was_requested = requested_;
  if (requested) {
    requested_ = true;
  } else if (requested_ && read_.fetch_valid()) {
    requested_ = false;
  }
  if (was_requested && late && chain_ && !read_.fetch_bad()) next_ = true;
  if (own) {
    own_ = true;
  } else if (state_ == State::check && settled) {
    own_ = false;
  }
  if (in.start) {
    chain_ = true;
    count_ = 0;
    address_ = *in.start;
  }
  state_ = v.next;
}

/// What the registers show.
void Dma::report(const DmaInputs& in, const Verdict& v, bool stop_chain, int done, unsigned failed) {
  if (state_ == State::failed && v.next == State::turn) {
    for (unsigned c = 0; c < 2; ++c) {
      if ((failed >> c & 1) != 0) issued_[c] = done_[c];
    }
  } else if (v.ends && v.error == DmaError::none && (failed >> (proxy_ ? 1 : 0) & 1) == 0) {
    ++issued_[proxy_ ? kProxy : kChain];
    if (!proxy_) {
      ++count_;
      if ((d_.control & kLast) != 0) chain_ = false;
    }
  }
  if (done >= 0) ++done_[static_cast<unsigned>(done)];
  if (in.clear) {
    error_ = {};
    return;
  }
  if (stop_chain && error_[kChain] == 0) {
    const DmaError error = state_ == State::failed ? DmaError::poisoned : v.error;
    error_[kChain] = static_cast<std::uint64_t>(error) | (address_ & kShownBits) << 16;
  }
  if (proxy_ && v.error != DmaError::none && error_[kProxy] == 0)
    error_[kProxy] = static_cast<std::uint64_t>(v.error);
  if (state_ == State::failed && (failed & 2) != 0 && error_[kProxy] == 0) {
    error_[kProxy] = static_cast<std::uint64_t>(DmaError::poisoned);
  }
}

}  // namespace polyloom::hub

// SPDX-License-Identifier: Apache-2.0
#include "roles/hub/sim/local.h"

#include <cstring>

namespace polyloom::hub {

bool MemoryWrite::move(Cycle k, const TlpHeader* begins, const Beat* beat) {
  bool changed = false;
  for (; !responses_.empty() && responses_.front() <= k; responses_.pop_front()) {
    --open_;
    changed = true;
  }
  bool over = false;
  if (tail_) {
    tail_ = false;
    over = true;
  } else if (beat != nullptr) {
    tail_ = beat->last && spills_;
    over = beat->last && !spills_;
  }
  if (over) {
    active_ = false;
    responses_.push_back(k + 1 + latency_);  // a register before the memory
  }
  if (begins != nullptr) {
    active_ = true;
    ++open_;
    const auto shift = static_cast<std::uint32_t>(begins->address % kTlpBeat);
    spills_ = (shift + begins->length + kTlpBeat - 1) / kTlpBeat > tlp_beats(begins->length) - 1;
  }
  return changed || over || beat != nullptr || begins != nullptr;
}

Local::Local(const std::string& name, const HubParams& params, unsigned node)
    : name_(name),
      p_(params),
      node_(node),
      memory_(name, std::uint64_t{1} << params.memory_bits),
      memory_write_(params.memory_write),
      dma_(params, memory_.data()),
      function_(params),
      writers_(1 + params.lanes),
      to_north_(2) {}

/// Looks at what the switch's step will have changed when step() comes.
void Local::begin(Cycle k) {
  seen_valid_ = accepted_ = false;
  taken_[0] = taken_[1] = false;
  settled_ = switch_->local_idle() && state_ == State::head && memory_write_.idle();
  if (state_ == State::fetch0) counter_ = read_counter(offset_of(header_.address));
  if (state_ == State::fetch1) {
    value_ = counter_ ? counter_ : read_register(k, offset_of(header_.address));
  }
}

Local::Kind Local::classify(const TlpHeader& h) const {
  const std::uint64_t offset = offset_of(h.address);
  const bool own = h.address < kWindowBytes && node_of(h.address) == node_ && unit_of(h.address) == Unit::hub;
  const bool registers = offset < kRegisterBytes && offset % 8 == 0 && h.length % 8 == 0;
  if (h.type == TlpType::completion) {
    return {State::reads, !dma_.expects(h.tag) ? Cause::refused : h.poisoned ? Cause::poisoned : Cause::none};
  }
  if (h.type == TlpType::memory_read) {
    return {State::fetch0, own && registers && h.length == 8 ? Cause::none : Cause::refused};
  }
  if (!own) return {State::skip, Cause::refused};
  if (offset >= kHubMemory) {
    const bool inside = (offset - kHubMemory) >> p_.memory_bits == 0;
    return {inside ? State::memory : State::skip, inside ? Cause::none : Cause::refused};
  }
  if (registers && offset == reg::proxy) {
    const Cause full = dma_.proxy_ready() ? Cause::none : Cause::proxy_full;
    return {State::proxy, h.length == kDescriptorBytes ? full : Cause::refused};
  }
  if (registers) return {State::word, Cause::none};
  if (offset >> 28 != 1) return {State::skip, Cause::refused};
  const bool room = function_.exists() && function_.free() >= tlp_beats(h.length) - 1;
  return {State::stream, room ? Cause::none : Cause::function_full};
}

bool Local::word_bad() const { return memory_write_.idle() && !may_write(at_, word()); }

bool Local::takes_beat(const Beat& beat, unsigned source) {
  seen_ = beat;
  seen_source_ = source;
  seen_valid_ = true;
  switch (state_) {
    case State::head: {
      const Kind kind = classify(TlpHeader::from(beat.data[0], beat.data[1]));
      return kind.cause != Cause::none || kind.state != State::memory || memory_write_.ready();
    }
    case State::memory:
      return memory_write_.data_ready();
    case State::word:
      return memory_write_.idle() && (last_word() || word_bad());
    case State::proxy:
      return memory_write_.idle();
    case State::stream:
      return function_.network_ready();
    case State::reads:
    case State::skip:
      return true;
    default:
      return false;
  }
}

std::uint32_t Local::valid_mask(unsigned input) const {
  if (input == kReply) {
    return std::uint32_t{dma_.mrd_valid()} | std::uint32_t{state_ == State::reply0 || state_ == State::reply1}
                                                 << 1;
  }
  std::uint32_t mask = dma_.packet_valid();
  for (std::size_t l = 0; l < function_.lanes.size(); ++l) {
    mask |= std::uint32_t{function_.lanes[l].valid()} << (1 + l);
  }
  return mask;
}

Beat Local::reply_beat() const {
  Beat b;
  if (state_ == State::reply0) {
    b.data =
        TlpHeader{
            .type = TlpType::completion, .poisoned = bad_, .tag = header_.tag, .length = 8, .address = 8}
            .words();
  } else {
    b.data = {response_, 0};
    b.bytes = 8;
    b.last = true;
  }
  return b;
}

const Beat* Local::offer(unsigned input) {
  const unsigned i = input - kLocalPort;
  const int choice = (i == 0 ? writers_ : to_north_).choice(valid_mask(input));
  if (choice < 0) return nullptr;
  if (i == 1) {
    offered_[i] = choice == 0 ? dma_.mrd() : reply_beat();
  } else {
    offered_[i] = choice == 0 ? dma_.packet() : function_.lanes[static_cast<std::size_t>(choice) - 1].beat();
  }
  return &offered_[i];
}

bool Local::step(Cycle k) {
  for (unsigned i = 0; i < 2; ++i) {
    Merge& merge = i == 0 ? writers_ : to_north_;
    choice_[i] = merge.choice(valid_mask(kLocalPort + i));
    const Beat* beat = offer(kLocalPort + i);
    merge.move(choice_[i], taken_[i], beat != nullptr && beat->last);
  }
  const bool in = seen_valid_;
  Effects effects;
  DmaInputs dma{.k = k,
                .node = node_,
                .north = (switch_->present & 1) != 0,
                .function_active = function_.active(),
                .settled = settled_ && !in,
                .mrd_taken = taken_[1] && choice_[1] == 0,
                .packet_taken = taken_[0] && choice_[0] == 0};
  Function::Inputs function;
  Beat network = seen_;
  if (state_ == State::stream && in) {
    network.last = seen_.last && (header_.address & kFunctionLast) != 0;
    function.network = &network;
  }
  dma.function_ready = !function_.exists() || function_.dma_ready(function.network != nullptr);
  Beat stream;
  if (dma_.stream_valid()) {
    stream = dma_.stream();
    function.dma = &stream;
  }
  function.taken = taken_[0] ? choice_[0] - 1 : -1;

  const TlpHeader header = TlpHeader::from(seen_.data[0], seen_.data[1]);
  const bool begins = state_ == State::head && accepted_ && classify(header).state == State::memory &&
                      classify(header).cause == Cause::none;
  const bool stores = state_ == State::memory && accepted_;
  if (stores) {
    memory_.write(at_, seen_.data.data(), seen_.bytes);
    at_ += seen_.bytes;
  }
  if (state_ == State::reads && in) {
    dma.completion = &seen_;
    dma.completion_final = header_.left() == header_.length;
    dma.completion_bad = header_.poisoned;
  }
  Descriptor proxy;
  if (state_ == State::proxy && accepted_) {
    std::memcpy(reinterpret_cast<std::uint8_t*>(&proxy_) + proxy_at_, seen_.data.data(), kTlpBeat);
    proxy_at_ += kTlpBeat;
    proxy = proxy_;
    if (seen_.last) dma.proxy = &proxy;
  }
  const State before = state_;
  const bool waits_for_memory = state_ == State::word && in && !memory_write_.idle();
  if (state_ == State::word && in && memory_write_.idle()) words(effects);
  if (state_ == before) advance(taken_[1] && choice_[1] == 1);
  bool changed = in || before != State::head || waits_for_memory;
  changed |= memory_write_.move(k, begins ? &header : nullptr, stores ? &seen_ : nullptr);
  dma.start = effects.chain;
  dma.clear = effects.clear;
  function.begin = effects.begin;
  function.flush = effects.flush;
  function.command = effects.command;
  changed |= dma_.step(dma);
  if (function_.exists()) {
    changed |= !function_.quiet() || function.begin || function.flush || function.network != nullptr ||
               function.dma != nullptr || function.taken >= 0;
    function_.step(function);
  }
  return changed;
}

/// A word of a register write.
void Local::words(Effects& effects) {
  if (may_write(at_, word())) {
    write(at_, word(), effects);
    at_ += 8;
    half_ = !last_word();
    return;
  }
  fault_ = {Cause::refused, source_, header_.address};
  state_ = State::fault;
  after_ = seen_.last ? State::head : State::skip;
}

/// A header.
void Local::head() {
  header_ = TlpHeader::from(seen_.data[0], seen_.data[1]);
  const Kind kind = classify(header_);
  source_ = seen_source_;
  at_ = kind.state == State::memory ? offset_of(header_.address) - kHubMemory : offset_of(header_.address);
  half_ = false;
  proxy_at_ = 0;
  bad_ = header_.poisoned || kind.cause != Cause::none;
  response_ = ~std::uint64_t{0};
  counter_.reset();
  state_ = kind.state;
  seen_digest_.add(seen_.data[0]);
  seen_digest_.add(seen_.data[1]);
  if (kind.cause == Cause::none) return;
  fault_ = {kind.cause, source_, header_.address};
  state_ = State::fault;
  after_ = kind.cause == Cause::poisoned ? State::reads
           : kind.state == State::fetch0 ? State::reply0
                                         : State::skip;
}

void Local::advance(bool reply_taken) {
  switch (state_) {
    case State::head:
      if (accepted_) head();
      return;
    case State::memory:
    case State::proxy:
    case State::stream:
    case State::reads:
    case State::skip:
    case State::word:
      if (accepted_ && seen_.last) state_ = State::head;
      return;
    case State::fetch0:
      state_ = State::fetch1;
      return;
    case State::fetch1:
      state_ = State::fetch2;
      return;
    case State::fetch2:
      if (value_) response_ = *value_;
      bad_ = !value_;
      fault_ = {Cause::refused, source_, header_.address};
      state_ = value_ ? State::reply0 : State::fault;
      after_ = State::reply0;
      return;
    case State::reply0:
      if (reply_taken) state_ = State::reply1;
      return;
    case State::reply1:
      if (reply_taken) state_ = State::head;
      return;
    case State::fault:
      if (fault_.cause != Cause::none && switch_->fault_free()) {
        switch_->fault(fault_.cause, fault_.source, fault_.address);
        state_ = after_;
      }
      return;
  }
}

std::string Local::waiting_for() const {
  std::string text;
  const auto add = [&](const std::string& what) { text += (text.empty() ? "" : "; ") + what; };
  if (dma_.chain_busy()) add("a chain is in work");
  if (dma_.proxy_busy()) add("a proxy descriptor is in work");
  if (function_.error()) {
    add("the function's operator stopped: " + blocks::operators::error_text(function_.status(0)));
  } else if (function_.active()) {
    add("the function waits for input");
  }
  return text;
}

void Local::counters(const std::string& prefix, const fabric::CounterSink& sink) const {
  sink(prefix + "chain.descriptors", dma_.done(0));
  sink(prefix + "proxy.descriptors", dma_.done(1));
}

void Local::digest(fabric::Digest& digest) const {
  digest.add(seen_digest_.value());
  for (unsigned c = 0; c < 2; ++c) digest.add(dma_.done(c)), digest.add(dma_.error(c));
  function_.digest(digest);
}

}  // namespace polyloom::hub

// SPDX-License-Identifier: Apache-2.0
#include "blocks/memory/sim/dram.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>
#include <numeric>
#include <string>

#include "fabric/error.h"

namespace polyloom::blocks {
namespace {

void need(bool ok, const std::string& what) {
  if (!ok) throw UserError("DRAM parameters: " + what);
}

}  // namespace

void Dram::check() const {
  need(p_.core_hz > 0 && p_.memory_hz > 0, "clocks must be above 0 Hz");
  need(p_.core_hz <= 10'000'000'000 && p_.memory_hz <= 10'000'000'000, "clocks must be at most 10 GHz");
  need(std::has_single_bit(p_.burst_bytes) && std::has_single_bit(p_.row_bytes) &&
           std::has_single_bit(p_.banks),
       "burst_bytes, row_bytes and banks must be powers of two");
  need(p_.row_bytes >= p_.burst_bytes && p_.banks <= 64, "a row holds at least a burst; at most 64 banks");
  need(p_.request_bytes > 0 && p_.beat_bytes > 0 && p_.request_bytes % p_.beat_bytes == 0,
       "request_bytes must be a multiple of beat_bytes");
  need(std::has_single_bit(p_.request_bytes) && p_.request_bytes <= p_.row_bytes,
       "request_bytes must be a power of two, at most row_bytes");
  need(p_.max_bypass <= 63, "max_bypass is at most 63");
  need(p_.window_beats >= 1 && p_.queue >= 1 && p_.queue <= 4096,
       "queue is 1..4096, window_beats at least 1");
  need(p_.kept_bursts == 0 || (std::has_single_bit(p_.kept_bursts) && p_.kept_bursts > 1),
       "kept_bursts must be 0 or a power of two above 1");
  need(p_.refi > p_.rfc, "refi must exceed rfc");
}

void Dram::set_ticks() {
  const std::uint64_t g = std::gcd(p_.core_hz, p_.memory_hz);
  core_units_ = static_cast<Tick>(p_.memory_hz / g);
  clock_units_ = static_cast<Tick>(p_.core_hz / g);
  const auto u = [this](unsigned clocks) { return static_cast<Tick>(clocks) * clock_units_; };
  t_.cl = u(p_.cl), t_.cwl = u(p_.cwl), t_.rcd = u(p_.rcd), t_.rp = u(p_.rp), t_.ras = u(p_.ras),
  t_.rc = u(p_.rc);
  // A request of several bursts takes so many column commands in a row, modelled as one long burst.
  const unsigned bursts = std::max(1u, p_.request_bytes / p_.burst_bytes);
  const unsigned port = p_.request_bytes / p_.beat_bytes * p_.beat_clocks;
  const unsigned more = (bursts - 1) * p_.ccd;
  t_.rrd = u(p_.rrd), t_.faw = u(p_.faw), t_.ccd = u(std::max(bursts * p_.ccd, port)),
  t_.data = u(p_.data + more);
  t_.wtr = u(p_.wtr), t_.rtw = u(std::max(p_.rtw + more, port)), t_.rtp = u(p_.rtp + more), t_.wr = u(p_.wr);
  t_.refi = u(p_.refi), t_.rfc = u(p_.rfc);
}

Dram::Dram(const DramParams& params, MemoryBus* bus) : p_(params), bus_(bus ? bus : &own_bus_) {
  check();
  set_ticks();
  burst_shift_ = static_cast<unsigned>(std::countr_zero(std::max(p_.burst_bytes, p_.request_bytes)));
  bank_bits_ = static_cast<unsigned>(std::countr_zero(p_.banks));
  row_shift_ = static_cast<unsigned>(std::countr_zero(p_.row_bytes));
  bank_mask_ = p_.banks - 1;
  beats_ = p_.request_bytes / p_.beat_bytes;
  window_size_ = std::min({p_.queue, std::max(1u, p_.window_beats / beats_), kMaxWindow});
  fifo_.resize(std::bit_ceil(p_.queue));
  done_.resize(std::bit_ceil(2 * p_.queue));
  banks_.resize(p_.banks);
  if (p_.request_bytes < p_.burst_bytes) kept_ = KeptBursts(p_.kept_bursts);
  // No activates before time zero: the four-activate window starts empty.
  last_acts_.fill(std::numeric_limits<Tick>::min() / 2);
  next_refresh_ = t_.refi;
}

bool Dram::submit(Cycle c, std::uint64_t addr, bool write, std::uint32_t id) {
  assert(c >= last_submit_ && c >= reached_ && "requests must be offered in order of time");
  last_submit_ = c;
  if (waiting_ >= p_.queue && next_event_ < static_cast<Tick>(c) * core_units_)
    run(c);  // what has left the queue before this cycle
  if (waiting_ >= p_.queue || !bus_->free(c)) {
    ++counters_.refused;
    return false;
  }
  bus_->take(c, write ? beats_ : 1);
  const auto mask = static_cast<unsigned>(fifo_.size()) - 1;
  Request& r = fifo_[(fifo_head_ + fifo_count_) & mask];
  // A write is complete when its last beat is here.
  r.arrival = static_cast<Tick>(c + (write ? beats_ - 1 : 0) + p_.front_cycles) * core_units_;
  r.burst = addr >> burst_shift_;
  const std::uint64_t frame = addr >> row_shift_;
  r.row = static_cast<std::uint32_t>(frame >> bank_bits_);
  std::uint64_t bank = frame;
  if (p_.bank_hash && bank_bits_ != 0) {
    // XOR of all groups of bank_bits_ bits of the row: halves are folded on each other.
    std::uint64_t fold = r.row;
    if (8 * bank_bits_ < 32) fold ^= fold >> (8 * bank_bits_);
    fold ^= fold >> (4 * bank_bits_);
    fold ^= fold >> (2 * bank_bits_);
    bank ^= fold ^ (fold >> bank_bits_);
  }
  r.bank = static_cast<std::uint8_t>(bank & bank_mask_);
  r.write = write;
  r.id = id;
  r.order = order_++;
  if (waiting_ == 0) skip_idle_refreshes(r.arrival);
  if (fifo_count_ == 0) next_event_ = waiting_ == 0 ? r.arrival : std::min(next_event_, r.arrival);
  ++fifo_count_;
  ++waiting_;
  return true;
}

/// While nothing was there to serve, refreshes took place on time: account for those due before t.
void Dram::skip_idle_refreshes(Tick t) {
  if (t < next_refresh_) return;
  const Tick due = next_refresh_ + (t - next_refresh_) / t_.refi * t_.refi;
  counters_.refreshes += static_cast<std::uint64_t>((due - next_refresh_) / t_.refi);
  next_refresh_ = due;
  now_ = std::max(now_, due);
  refresh();
}

/// Closes all banks as soon as they may be, and keeps them closed for tRFC. Nothing is prepared.
void Dram::refresh() {
  Tick start = std::max(now_, next_refresh_);
  for (unsigned i = 0; i < p_.banks; ++i) {
    const Bank& b = banks_[i];
    const Tick precharge = std::max({now_, next_refresh_, b.pre_ok});
    if (b.open) note(DramCommand::precharge, precharge, i, b.row);
    // act_ok of a closed bank is its precharge and tRP, or a time that its last activate rules out anyway.
    start = std::max(start, b.open ? precharge + t_.rp : b.act_ok);
  }
  for (Bank& b : banks_) {
    b.open = false;
    b.act_ok = start + t_.rfc;
  }
  note(DramCommand::refresh, start, 0, 0);
  next_refresh_ += t_.refi;
  refresh_waits_ = false;
  ++counters_.refreshes;
}

void Dram::fill_window() {
  const auto mask = static_cast<unsigned>(fifo_.size()) - 1;
  while (has_room() && fifo_count_ != 0 && fifo_[fifo_head_].arrival <= now_) {
    const Request r = fifo_[fifo_head_];
    fifo_head_ = (fifo_head_ + 1) & mask;
    --fifo_count_;
    if (!r.write && kept_.has(r.burst) && !in_window(r.burst, false)) {
      serve_kept(r);
      continue;
    }
    if (r.write) kept_.drop(r.burst);
    enter(r);
  }
}

void Dram::enter(const Request& r) {
  const auto slot = static_cast<unsigned>(std::countr_one(used_));
  const std::uint64_t bit = std::uint64_t{1} << slot;
  if (in_window(r.burst, false)) behind_ |= bit;
  ++burst_filter_[r.burst % burst_filter_.size()];
  window_[slot] = r;
  used_ |= bit;
  ++window_count_;

  Bank& b = banks_[r.bank];
  if (b.open && b.row == r.row && !refresh_waits_) {
    prepare(slot);
  } else {
    b.waiting |= bit;
    if (b.pending == 0 && !refresh_waits_) want_row(r.bank);
  }
}

/// A request in the window is for the burst.
bool Dram::in_window(std::uint64_t burst, bool only_writes) const {
  // A counter for each hash of a burst tells cheaply that none is.
  if (burst_filter_[burst % burst_filter_.size()] == 0) return false;
  for (std::uint64_t m = used_; m != 0; m &= m - 1) {
    const Request& r = window_[static_cast<unsigned>(std::countr_zero(m))];
    if (r.burst == burst && (r.write || !only_writes)) return true;
  }
  return false;
}

void Dram::serve_kept(const Request& r) {
  constexpr Cycle kRamCycles = 2;
  ++counters_.reads;
  ++counters_.kept_reads;
  const Cycle cycle = std::max(cycle_of(now_) + kRamCycles + p_.back_cycles, response_free_) + beats_ - 1;
  response_free_ = cycle + 1;
  push_done(cycle, r.id);
  --waiting_;
  retire(r.order);
}

/// A bank that no prepared request holds turns to the oldest request that waits for it: precharged now if it
/// is open.
void Dram::want_row(unsigned bank) {
  const std::uint64_t bit = std::uint64_t{1} << bank;
  if (wanted_ & bit) return;
  wanted_ |= bit;
  Bank& b = banks_[bank];
  if (b.open) {
    const Tick precharge = std::max(now_, b.pre_ok);
    note(DramCommand::precharge, precharge, bank, b.row);
    b.open = false;
    b.act_ok = std::max(b.act_ok, precharge + t_.rp);
  }
  Choice oldest;
  for (std::uint64_t m = b.waiting; m != 0; m &= m - 1) {
    const auto i = static_cast<unsigned>(std::countr_zero(m));
    oldest.offer(0, window_[i].order, i);
  }
  b.next = oldest.slot;
  if (row_known_) offer_row(b);
}

void Dram::offer_row(const Bank& b) {
  const Tick rank_ok = std::max(last_acts_[(act_index_ + 3) & 3] + t_.rrd, last_acts_[act_index_] + t_.faw);
  row_choice_.offer(std::max({b.act_ok, rank_ok, now_}), window_[b.next].order, b.next);
}

/// The activate that can be given first, the oldest of equals.
void Dram::plan_rows() {
  row_known_ = true;
  row_choice_ = {};
  for (std::uint64_t m = wanted_; m != 0; m &= m - 1) {
    offer_row(banks_[static_cast<unsigned>(std::countr_zero(m))]);
  }
}

/// Its row is open (or has been told to open): its column command may be given from column_ok on.
void Dram::prepare(unsigned slot) {
  const std::uint64_t bit = std::uint64_t{1} << slot;
  const Request& r = window_[slot];
  Bank& b = banks_[r.bank];
  ++b.pending;
  b.waiting &= ~bit;
  prepared_ |= bit;
  ready_[slot] = b.column_ok;
  if (column_known_ && (behind_ & bit) == 0) {
    column_choice_.offer(std::max({b.column_ok, r.write ? next_write_ : next_read_, now_}), r.order, slot);
  }
}

void Dram::activate(unsigned slot, Tick when) {
  now_ = when;
  const std::uint32_t row = window_[slot].row;
  Bank& b = banks_[window_[slot].bank];
  wanted_ &= ~(std::uint64_t{1} << window_[slot].bank);
  last_acts_[act_index_] = when;
  act_index_ = (act_index_ + 1) & 3;
  b.open = true;
  b.row = row;
  b.act_ok = when + t_.rc;
  b.pre_ok = when + t_.ras;
  b.column_ok = when + t_.rcd;
  note(DramCommand::activate, when, window_[slot].bank, row);
  ++counters_.activates;
  row_known_ = false;
  for (std::uint64_t m = b.waiting; m != 0; m &= m - 1) {
    const auto i = static_cast<unsigned>(std::countr_zero(m));
    if (window_[i].row == row) prepare(i);
  }
}

/// When a refresh is due, what is prepared finishes first; then all banks are closed.
void Dram::consider_refresh() {
  refresh_waits_ = true;
  wanted_ = 0;
  row_known_ = false;
  if (prepared_ != 0) return;
  refresh();
  for (unsigned i = 0; i < p_.banks; ++i) {
    if (banks_[i].waiting != 0) want_row(i);
  }
}

/// The request whose column command can be given first, the oldest of equals.
void Dram::plan_column() {
  column_known_ = true;
  column_choice_ = {};
  const Tick ok[2] = {std::max(next_read_, now_), std::max(next_write_, now_)};
  for (std::uint64_t m = prepared_ & ~behind_; m != 0; m &= m - 1) {
    const auto i = static_cast<unsigned>(std::countr_zero(m));
    column_choice_.offer(std::max(ready_[i], ok[window_[i].write]), window_[i].order, i);
  }
}

/// Moves from event to event: an arrival, an activate or a column command, whichever is first.
void Dram::run(Cycle until) {
  const Tick limit = static_cast<Tick>(until) * core_units_;
  while (waiting_ != 0 && next_event_ < limit) {
    if (used_ == 0) {
      skip_idle_refreshes(fifo_[fifo_head_].arrival);
      now_ = std::max(now_, fifo_[fifo_head_].arrival);
    }
    if (now_ >= limit) {
      next_event_ = now_;
      return;
    }
    if (now_ >= next_refresh_) consider_refresh();
    fill_window();
    if (!row_known_) plan_rows();
    if (!column_known_) plan_column();
    Tick first = std::min(row_choice_.when, column_choice_.when);
    if (has_room() && fifo_count_ != 0) first = std::min(first, fifo_[fifo_head_].arrival);
    if (first >= limit) {
      next_event_ = first;
      return;
    }
    if (first == row_choice_.when) {
      activate(row_choice_.slot, first);
    } else if (first == column_choice_.when) {
      serve(column_choice_.slot, first);
    } else {
      now_ = first;
    }
  }
}

void Dram::serve(unsigned slot, Tick when) {
  const Request r = window_[slot];
  Bank& b = banks_[r.bank];
  if (r.write) {
    next_write_ = std::max(next_write_, when + t_.ccd);
    next_read_ = std::max(next_read_, when + t_.cwl + t_.data + t_.wtr);
    b.pre_ok = std::max(b.pre_ok, when + t_.cwl + t_.data + t_.wr);
  } else {
    next_read_ = std::max(next_read_, when + t_.ccd);
    next_write_ = std::max(next_write_, when + t_.rtw);
    b.pre_ok = std::max(b.pre_ok, when + t_.rtp);
  }
  now_ = when;
  column_known_ = false;
  note(r.write ? DramCommand::write : DramCommand::read, when, r.bank, r.row);
  ++counters_.bursts;
  finish(slot, when);
  if (!r.write && !in_window(r.burst, true)) kept_.keep(r.burst);
  if (behind_ != 0) share_burst(r, when);
}

/// Younger requests to a burst just served: those in the same direction ride along, the first of the others
/// is freed.
void Dram::share_burst(const Request& served, Tick when) {
  for (;;) {
    Choice first;
    for (std::uint64_t m = behind_; m != 0; m &= m - 1) {
      const auto i = static_cast<unsigned>(std::countr_zero(m));
      if (window_[i].burst == served.burst) first.offer(0, window_[i].order, i);
    }
    if (first.when == kNotReady) return;
    behind_ &= ~(std::uint64_t{1} << first.slot);
    if (window_[first.slot].write != served.write) return;
    ++counters_.shared_bursts;
    finish(first.slot, when);
  }
}

void Dram::finish(unsigned slot, Tick when) {
  const Request& r = window_[slot];
  const std::uint64_t bit = std::uint64_t{1} << slot;
  Bank& b = banks_[r.bank];
  b.pending -= (prepared_ & bit) != 0;
  b.waiting &= ~bit;
  Cycle cycle;
  if (r.write) {
    ++counters_.writes;
    cycle = cycle_of(when + t_.cwl + t_.data);
  } else {
    ++counters_.reads;
    cycle = std::max(cycle_of(when + t_.cl + t_.data) + p_.back_cycles, response_free_) + beats_ - 1;
    response_free_ = cycle + 1;
  }
  push_done(cycle, r.id);
  --waiting_;
  --burst_filter_[r.burst % burst_filter_.size()];
  used_ &= ~bit;
  --window_count_;
  prepared_ &= ~bit;
  if (b.pending == 0 && b.waiting != 0 && !refresh_waits_) want_row(r.bank);
  retire(r.order);
}

void Dram::retire(std::uint64_t order) {
  early_ |= std::uint64_t{1} << (order - base_);
  const int served = std::countr_one(early_);
  base_ += static_cast<unsigned>(served);
  early_ = served == 64 ? 0 : early_ >> served;
}

void Dram::push_done(Cycle cycle, std::uint32_t id) {
  last_done_ = std::max(last_done_, cycle);
  if (done_count_ == done_.size()) {
    std::vector<Done> larger(done_.size() * 2);
    for (unsigned i = 0; i < done_count_; ++i) larger[i] = done_[(done_head_ + i) & (done_.size() - 1)];
    done_.swap(larger);
    done_head_ = 0;
  }
  done_[(done_head_ + done_count_) & (static_cast<unsigned>(done_.size()) - 1)] = {last_done_, id};
  ++done_count_;
}

Cycle Dram::cycle_of(Tick t) {
  // Successive services are close together: counting on is cheaper than dividing.
  if (t > known_tick_ + 64 * core_units_ || t + 64 * core_units_ < known_tick_) {
    known_cycle_ = static_cast<Cycle>(t / core_units_);
    known_tick_ = static_cast<Tick>(known_cycle_) * core_units_;
  }
  while (known_tick_ < t) known_tick_ += core_units_, ++known_cycle_;
  while (known_tick_ - core_units_ >= t) known_tick_ -= core_units_, --known_cycle_;
  return known_cycle_;
}

Cycle Dram::next_event() const {
  Cycle next = kNeverCycle;
  if (done_count_ != 0) next = done_[done_head_].cycle;
  if (waiting_ != 0) next = std::min(next, static_cast<Cycle>(next_event_ / core_units_));
  return std::max(next, reached_);
}

void Dram::digest(fabric::Digest& d) const {
  for (const std::uint64_t v : {counters_.reads, counters_.writes, counters_.activates, counters_.bursts,
                                counters_.refreshes, static_cast<std::uint64_t>(waiting_), last_done_}) {
    d.add(v);
  }
  for (unsigned i = 0; i < done_count_; ++i) d.add(done_[(done_head_ + i) & (done_.size() - 1)].cycle);
}

}  // namespace polyloom::blocks

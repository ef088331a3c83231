// SPDX-License-Identifier: Apache-2.0
#include "roles/mpi/sim/mpe/units.h"

namespace polyloom::mpi::mpe {
namespace {

unsigned less(unsigned bytes) { return bytes > 8 ? bytes - 8 : 0; }
std::uint64_t low_bytes(unsigned count) {
  return count >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * count) - 1;
}

}  // namespace

// Bytes below the shift are those of the word before.
std::uint64_t Writer::carried(std::uint64_t word) const {
  const std::uint64_t before = low_bytes(shift_);
  return (carry_ & before) | (turned(word) & ~before);
}

MemoryRequest Writer::request(const Word* in) const {
  const bool out = busy_ && rest_ != 0 && to_memory_ && (have(in) || source_ == 0);
  if (!out) return {};
  const std::uint64_t word = from_store_ ? stored_ : in != nullptr ? in->data : 0;
  const unsigned ends = rest_ >= 8 ? 0xFF : (1u << rest_) - 1, begins = first_ ? 0xFFu << shift_ : 0xFF;
  return {true, word_ << 3, carried(word), static_cast<std::uint8_t>(ends & begins)};
}

bool Writer::step(const Word* in, bool taken, Store& store) {
  if (!busy_) {
    if (waits_) begin();
    return false;
  }
  const bool out = rest_ != 0, wants = source_ != 0;
  const bool out_step = out && (have(in) || !wants) && (!to_memory_ || taken);
  const bool skip = !out && !from_store_ && !ended_;
  const bool in_step = (out_step && wants) || (skip && in != nullptr);
  const bool read = from_store_ && wants && (!store_valid_ || (in_step && source_ > 8));
  const bool over = !out && (from_store_ || ended_);
  const std::uint64_t word = from_store_ ? stored_ : in != nullptr ? in->data : 0;
  if (out_step && to_store_) store[place_] = word;
  if (read) stored_ = store[place_];
  if (from_store_ ? read : out_step) place_ = (place_ + 1) % kStoreWords;
  if (read) {
    store_valid_ = true;
  } else if (in_step || over) {
    store_valid_ = false;
  }
  if (out_step) {
    rest_ = less(rest_);
    ++word_;
    first_ = false;
    carry_ = turned(word);
    if (wants) source_ = less(source_);
  }
  if (in_step && !from_store_ && in->last) ended_ = true;
  if (over) busy_ = false;
  return in_step && !from_store_;
}

void Writer::begin() {
  const bool wanted = (job_.to_memory() || job_.to_store()) && job_.bytes() != 0;
  busy_ = first_ = true;
  waits_ = ended_ = false;
  from_store_ = job_.from_store();
  to_store_ = job_.to_store();
  to_memory_ = job_.to_memory();
  place_ = job_.store();
  word_ = address_ >> 3;
  shift_ = to_memory_ ? address_ & 7 : 0;
  rest_ = wanted ? job_.bytes() + shift_ : 0;
  source_ = wanted ? job_.bytes() : 0;
}

bool Reader::valid() const {
  return busy_ && left_ != 0 && (primed_ || shift_ == 0) && (!fifo_.empty() || source_ == 0);
}

// Two neighbours make a word: of the first stays what was turned down.
Word Reader::word() const {
  const std::uint64_t kept = shift_ == 0 ? 0 : low_bytes(8 - shift_);
  const std::uint64_t next = fifo_.empty() ? 0 : turned(fifo_.front().data);
  return {((low_ & kept) | (next & ~kept)) & low_bytes(left_), left_ <= 8};
}

void Reader::step(bool next, bool requested, const Response* response) {
  if (uses(next)) {
    source_ = less(source_);
    low_ = turned(fifo_.front().data);
    primed_ = true;
    bad_ |= fifo_.front().error;
    fifo_.pop();
    --open_;
  }
  if (response != nullptr) fifo_.push(*response);
  if (requested) {
    ++word_;
    --request_;
    ++open_;
  }
  if (next) {
    busy_ = left_ > 8;
    left_ = less(left_);
  }
}

void Reader::start(std::uint32_t address, unsigned bytes) {
  busy_ = true;
  word_ = address >> 3;
  shift_ = address & 7;
  left_ = bytes;
  source_ = bytes + shift_;
  request_ = (source_ + 7) / 8;
  primed_ = bad_ = false;
}

bool Builder::valid(const Reader& reader) const {
  if (!paying_) return !words_.empty();
  return runs_ && (run_.replay() ? stored_valid_ : reader.valid());
}

Word Builder::word(const Reader& reader) const {
  if (!paying_) return {words_.front().data, words_.front().last && !words_.front().pays};
  return run_.replay() ? Word{stored_, left_ <= 8} : reader.word();
}

void Builder::step(bool next, Reader& reader, bool requested, const Reader::Response* response,
                   Store& store) {
  const bool pays = paying_ && next;
  const Word word = pays ? this->word(reader) : Word{};
  const bool ends = pays && word.last, from_reader = pays && !run_.replay();
  const bool take = waits_ && !runs_ && !copied_ && (wait_.replay() || reader.ready());
  if (ends && run_.report()) copied_bad_ = !run_.replay() && reader.bad();

  const bool reads = paying_ && runs_ && run_.replay() && (!stored_valid_ || (next && left_ > 8));
  const bool writes = from_reader && run_.record();
  if (reads) stored_ = store[place_];
  if (writes) store[place_] = word.data;
  if (reads) {
    stored_valid_ = true;
  } else if (next) {
    stored_valid_ = false;
  }
  reader.step(from_reader, requested, response);
  if (take) {
    if (!wait_.replay()) reader.start(address_, wait_.bytes());
    run_ = wait_;
    place_ = wait_.store();
    left_ = wait_.bytes();
    waits_ = false;
  } else {
    if (reads || writes) place_ = (place_ + 1) % kStoreWords;
    if (pays) left_ -= 8;
  }
  runs_ = take || (runs_ && !ends);
  if (!paying_ && next) {
    paying_ = words_.front().last && words_.front().pays;
    words_.pop();
  } else if (ends) {
    paying_ = false;
  }
  if (ends && run_.report()) copied_ = true;
}

}  // namespace polyloom::mpi::mpe

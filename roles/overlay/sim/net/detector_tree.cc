// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/sim/net/detector_tree.h"

#include <algorithm>
#include <cassert>

#include "fabric/node.h"

namespace polyloom::overlay {
namespace {

constexpr std::uint32_t kCountMask = (1u << 24) - 1;
constexpr unsigned kGateMask = 0xffff;

}  // namespace

TreeDetector::TreeDetector(const DetectorConfig& config, const Activity& activity, DetectorEnv& env)
    : Detector(config, activity, env) {
  const BoardCoord root = root_of(config.mesh);
  if (!is_root()) parent_ = link_towards(config.board, root);
  for (unsigned link = 0; link < kLinks; ++link) {
    if (!has_link(link)) continue;
    const BoardCoord child = beyond(link);
    if (child != root && link_towards(child, root) == opposite(link)) children_.push_back(link);
  }
}

unsigned TreeDetector::other_end(unsigned key) {
  unsigned x = (key >> 2) & 7, y = key >> 5;
  const unsigned link = key & 3;
  switch (link) {
    case kLinkNorth:
      ++y;
      break;
    case kLinkEast:
      ++x;
      break;
    case kLinkSouth:
      --y;
      break;
    default:
      --x;
      break;
  }
  return end_key({x, y}, opposite(link));
}

// ---- the board's own state ----

void TreeDetector::step(Cycle now) {
  look(now);
  if (release_at_ <= now) release();
}

void TreeDetector::release() {
  const Cycle at = release_at_;
  release_at_ = kNeverCycle;
  ++epoch_;
  ++counters_.barriers;
  own_.reset();
  own_valid_ = false;
  forwarded_.reset();
  for (auto& report : from_child_) {
    if (report && report->epoch != epoch_bit()) report.reset();
  }
  passive_since_ = kNeverCycle;
  env_.release_threads(at, release_vote_);
}

void TreeDetector::look(Cycle now) {
  if (release_at_ != kNeverCycle) return;  // decided: nothing can change before the release
  if (!passive()) {
    passive_since_ = kNeverCycle;
    own_valid_ = false;
    return;
  }
  if (own_valid_ && own_version_ == version_) return;
  own_valid_ = false;
  if (passive_since_ == kNeverCycle || passive_version_ != version_) {
    passive_since_ = activity_.changed;
    passive_version_ = version_;
  }
  if (passive_since_ + config_.gather <= now) take_snapshot(passive_since_ + config_.gather);
}

void TreeDetector::take_snapshot(Cycle now) {
  Report report;
  report.vote = all_vote();
  report.gate = gate_;
  report.epoch = epoch_bit();
  for (unsigned link = 0; link < kLinks; ++link) {
    if (!has_link(link)) continue;
    report.ends[end_key(config_.board, link)] = {static_cast<std::uint32_t>(sent_[link]) & kCountMask,
                                                 static_cast<std::uint32_t>(received_[link]) & kCountMask};
  }
  const Cycle done = read(now, report);
  own_ = std::move(report);
  own_version_ = version_;
  own_valid_ = true;
  ++counters_.reports;
  combine(done);
}

Cycle TreeDetector::read(Cycle c, const Report& report) {
  reader_free_ = std::max(c, reader_free_) + config_.end * report.ends.size();
  return reader_free_;
}

// ---- combining ----

bool TreeDetector::merge(Report& into, const Report& from) {
  into.vote = into.vote && from.vote;
  into.gate = (into.gate + from.gate) & kGateMask;
  for (const auto& [key, end] : from.ends) {
    const auto other = into.ends.find(other_end(key));
    if (other == into.ends.end()) {
      into.ends[key] = end;
    } else if (other->second.sent == end.received && other->second.received == end.sent) {
      into.ends.erase(other);
    } else {
      return false;
    }
  }
  return true;
}

void TreeDetector::combine(Cycle c) {
  // A stale snapshot of this board may be passed on: its counts cannot agree with those of its neighbours.
  // But it is never useful, so it is not.
  if (!own_valid_ || release_at_ != kNeverCycle) return;
  Report sum = *own_;
  for (const unsigned link : children_) {
    if (!from_child_[link] || from_child_[link]->epoch != epoch_bit()) return;
    if (!merge(sum, *from_child_[link])) return;
  }
  if (parent_) {
    if (forwarded_ == sum) return;
    forwarded_ = sum;
    send_report(c + config_.turn + config_.end * sum.ends.size(), sum);
  } else if (sum.gate == granted_) {
    assert(sum.ends.empty());
    decide(c + config_.turn, sum.vote);
  }
}

void TreeDetector::decide(Cycle c, bool voted) {
  const std::uint64_t word = kRelease | (std::uint64_t{voted} << 8);
  for (const unsigned link : children_) send(c, link, {&word, 1});
  release_at_ = c + config_.gather;
  release_vote_ = voted;
}

// Report: word 0 = op[7:0] vote[8] epoch[9] ends[23:16] gate[47:32]; then a word an end: key[63:48]
// sent[47:24] received[23:0].
void TreeDetector::send_report(Cycle c, const Report& report) {
  std::vector<std::uint64_t> words;
  words.push_back(kReport | (std::uint64_t{report.vote} << 8) | (std::uint64_t{report.epoch} << 9) |
                  (static_cast<std::uint64_t>(report.ends.size()) << 16) |
                  (std::uint64_t{report.gate} << 32));
  for (const auto& [key, end] : report.ends) {
    words.push_back((std::uint64_t{key} << 48) | (std::uint64_t{end.sent} << 24) | end.received);
  }
  send(c, *parent_, words);
}

TreeDetector::Report TreeDetector::parse(std::span<const std::uint64_t> words) const {
  Report report;
  report.vote = (words[0] >> 8) & 1;
  report.epoch = (words[0] >> 9) & 1;
  report.gate = static_cast<unsigned>(words[0] >> 32) & kGateMask;
  for (const std::uint64_t word : words.subspan(1)) {
    report.ends[static_cast<unsigned>(word >> 48)] = {static_cast<std::uint32_t>(word >> 24) & kCountMask,
                                                      static_cast<std::uint32_t>(word) & kCountMask};
  }
  return report;
}

void TreeDetector::control(Cycle c, unsigned link, std::span<const std::uint64_t> words) {
  assert(!words.empty());
  switch (words[0] & 0xff) {
    case kReport:
      from_child_[link] = parse(words);
      combine(read(c, *from_child_[link]));
      break;
    case kRelease:
      decide(c + config_.turn, (words[0] >> 8) & 1);
      break;
    case kRequest:
      gate_link_ = link;
      request(c + config_.turn);
      break;
    case kGrant:
      grant(c + config_.turn);
      break;
    default:
      assert(false && "unknown control word");
  }
}

// ---- the host's gate ----

bool TreeDetector::may_inject(Cycle c) {
  if (release_at_ != kNeverCycle) return false;  // decided: the message belongs to the next epoch
  if (!own_valid_) return true;                  // active, or passive and not yet reported
  if (requested_) return false;
  ++counters_.grants;
  if (is_root()) {
    // The root's own report has not been sent: withdrawing it is enough.
    own_valid_ = false;
    passive_since_ = c;
    return true;
  }
  requested_ = true;
  request(c);
  return false;
}

void TreeDetector::request(Cycle c) {
  if (parent_) {
    const std::uint64_t word = kRequest;
    send(c, *parent_, {&word, 1});
    return;
  }
  // From now on only a report made after the grant counts. If the decision has just been taken, the release
  // overtakes the grant and the grant holds for the next epoch.
  granted_ = (granted_ + 1) & kGateMask;
  grant(c);
}

void TreeDetector::grant(Cycle c) {
  if (config_.board == BoardCoord{0, 0}) {
    requested_ = false;
    gate_ = (gate_ + 1) & kGateMask;
    own_valid_ = false;  // report again, with or without messages
    passive_since_ = c;
    passive_version_ = version_;
    return;
  }
  const std::uint64_t word = kGrant;
  send(c, gate_link_, {&word, 1});
}

// ---- looking in ----

Cycle TreeDetector::next_event() const {
  if (release_at_ != kNeverCycle) return release_at_;
  if (!passive() || (own_valid_ && own_version_ == version_)) return kNeverCycle;
  return passive_since_ == kNeverCycle ? 0 : passive_since_ + config_.gather;
}

std::string TreeDetector::describe() const {
  if (!own_valid_) return {};
  for (const unsigned link : children_) {
    if (from_child_[link]) continue;
    const BoardCoord child = beyond(link);
    return "waits for the boards behind (" + std::to_string(child.x) + "," + std::to_string(child.y) +
           ") to become idle";
  }
  return "waits for other boards to become idle";
}

std::uint64_t TreeDetector::state_hash() const {
  fabric::Digest digest;
  digest.add(Detector::state_hash());
  for (const std::uint64_t value : {std::uint64_t{epoch_}, std::uint64_t{gate_}, std::uint64_t{granted_}}) {
    digest.add(value);
  }
  return digest.value();
}

}  // namespace polyloom::overlay

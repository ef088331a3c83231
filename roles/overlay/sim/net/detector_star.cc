// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/sim/net/detector_star.h"

#include <algorithm>
#include <cassert>

namespace polyloom::overlay {

StarDetector::StarDetector(const DetectorConfig& config, const Activity& activity, DetectorEnv& env)
    : Detector(config, activity, env) {}

/// Messages sent by threads of this board minus last frees on it: what crossed its periphery does not count.
std::int64_t StarDetector::count() const {
  std::int64_t count =
      activity_.in_flight - static_cast<std::int64_t>(host_in_) + static_cast<std::int64_t>(host_out_);
  for (unsigned link = 0; link < kLinks; ++link) {
    count += static_cast<std::int64_t>(sent_[link]) - static_cast<std::int64_t>(received_[link]);
  }
  return count;
}

// ---- tokens on their way ----

void StarDetector::route(Cycle c, const Token& token) {
  const BoardCoord to = token.to_master() ? BoardCoord{0, 0} : token.board;
  const unsigned link = link_towards(config_.board, to);
  if (link == kHostPort) {
    if (token.to_master()) {
      to_master_.push_back({c + config_.bridge_hop, token});
    } else {
      to_board(c, token);
    }
    return;
  }
  const std::uint64_t words[2] = {
      token.op | (std::uint64_t{token.vote} << 8) | (std::uint64_t{token.black} << 9) |
          (static_cast<std::uint64_t>(token.board.x | (token.board.y << 4)) << 16),
      static_cast<std::uint64_t>(token.count)};
  send(c + config_.turn, link, {words, token.op == kReply ? 2u : 1u});
}

void StarDetector::control(Cycle c, unsigned, std::span<const std::uint64_t> words) {
  assert(!words.empty());
  Token token{};
  token.op = static_cast<Op>(words[0] & 0xff);
  token.vote = (words[0] >> 8) & 1;
  token.black = (words[0] >> 9) & 1;
  token.board = {static_cast<unsigned>(words[0] >> 16) & 15, static_cast<unsigned>(words[0] >> 20) & 15};
  if (words.size() > 1) token.count = static_cast<std::int64_t>(words[1]);
  route(c, token);
}

// ---- a board ----

void StarDetector::to_board(Cycle c, const Token& token) {
  if (token.op != kDone && frozen_) thaw(c);
  if (token.op == kProbe) {
    token_held_ = true;
    held_since_ = c;
  } else if (token.op == kDone) {
    release_at_ = c + config_.gather;
    release_vote_ = token.vote;
  } else {
    route(c, {.op = kAck, .board = config_.board});
  }
}

void StarDetector::thaw(Cycle c) {
  frozen_ = false;
  env_.freeze_threads(c, false);
}

void StarDetector::received(Cycle c, unsigned link) {
  Detector::received(c, link);
  if (frozen_) thaw(c);  // another board has been released already
}

void StarDetector::step(Cycle now) {
  if (is_corner()) {
    if (!started_) {
      started_ = true;
      broadcast(now, kProbe, false);
    }
    while (!to_master_.empty() && to_master_.front().at <= now) {
      const Timed timed = to_master_.front();
      to_master_.pop_front();
      to_master(timed.at, timed.token);
    }
    while (!from_master_.empty() && from_master_.front().at <= now) {
      const Timed timed = from_master_.front();
      from_master_.pop_front();
      route(timed.at, timed.token);
    }
  }
  if (release_at_ <= now) {
    release_at_ = kNeverCycle;
    frozen_ = true;
    ++counters_.barriers;
    env_.freeze_threads(now, true);
    env_.release_threads(now, release_vote_);
    route(now, {.op = kAck, .board = config_.board});
  }
  if (!all_wait()) {
    black_ = true;
    passive_since_ = kNeverCycle;
    return;
  }
  if (passive_since_ == kNeverCycle) passive_since_ = now;
  if (token_held_ && passive_since_ + config_.gather <= now) {
    token_held_ = false;
    ++counters_.reports;
    route(now, {.op = kReply, .vote = all_vote(), .black = black_, .board = config_.board, .count = count()});
    black_ = false;
  }
}

Cycle StarDetector::next_event() const {
  Cycle next = release_at_;
  if (is_corner() && (!started_ || (host_waits_ && stage_ == Stage::probe))) return 0;
  if (!to_master_.empty()) next = std::min(next, to_master_.front().at);
  if (!from_master_.empty()) next = std::min(next, from_master_.front().at);
  if (all_wait() && token_held_) {
    next = std::min(next, passive_since_ == kNeverCycle ? 0 : passive_since_ + config_.gather);
  }
  return next;
}

// ---- the master ----

void StarDetector::broadcast(Cycle c, Op op, bool vote) {
  responses_ = 0;
  all_white_ = all_vote_ = true;
  sum_ = static_cast<std::int64_t>(host_in_) - static_cast<std::int64_t>(host_out_);
  host_seen_ = host_in_ + host_out_;
  for (unsigned y = 0; y < config_.mesh.height; ++y) {
    for (unsigned x = 0; x < config_.mesh.width; ++x) {
      from_master_.push_back({c + config_.bridge_hop, {.op = op, .vote = vote, .board = {x, y}}});
    }
  }
}

void StarDetector::to_master(Cycle c, const Token& token) {
  if (token.op == kReply) {
    all_white_ = all_white_ && !token.black;
    all_vote_ = all_vote_ && token.vote;
    sum_ += token.count;
  }
  if (++responses_ < config_.mesh.boards()) return;
  switch (stage_) {
    case Stage::probe: {
      ++probes_;
      const bool idle = all_white_ && sum_ == 0 && host_seen_ == host_in_ + host_out_;
      if (idle) stage_ = Stage::done;
      broadcast(c + config_.turn, idle ? kDone : kProbe, all_vote_);
      break;
    }
    case Stage::done:
      stage_ = Stage::release;
      broadcast(c + config_.turn, kRelease, false);
      break;
    case Stage::release:
      stage_ = Stage::probe;
      broadcast(c + config_.turn, kProbe, false);
      break;
  }
}

std::string StarDetector::describe() const {
  if (!is_corner()) return {};
  return stage_ == Stage::probe ? "the master waits for boards to become idle"
                                : "the master releases the boards";
}

}  // namespace polyloom::overlay

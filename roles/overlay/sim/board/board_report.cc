// SPDX-License-Identifier: Apache-2.0
// What a board tells people: counters, tables, what it waits for, digest.
#include "roles/overlay/sim/board/board.h"
#include "roles/overlay/sim/board/waiting_text.h"

namespace polyloom::overlay {

/// A link that sends again either gets through or is said to be down (role.cc).
std::optional<std::uint64_t> Board::work() const {
  for (const auto& link : links_) {
    if (link != nullptr && link->waits_for_ack()) return kWillWork;
  }
  std::uint64_t sum = instructions() + detector_->counters().barriers + faults_;
  for (unsigned t = 0; t < tiles_.size(); ++t) {
    const MailboxCounters& box = noc_.mailbox(t).counters();
    sum += box.sent + box.delivered;
  }
  sum += noc_.expanders().counters().beats;
  return sum;
}

/// "fpga.0.1: 1023 threads wait in tinselIdle, 1 waits for can-recv (thread 17 of tile 0); ..."
std::string Board::waiting_for() const {
  ThreadGroups groups(params_.board);
  Blocking blocking(params_.board);
  for (unsigned t = 0; t < tiles_.size(); ++t) {
    const Mailbox& mailbox = noc_.mailbox(t);
    for (unsigned thread = 0; thread < params_.board.threads_per_tile(); ++thread) {
      blocking.note(mailbox.can_send(thread), mailbox.can_recv(thread), t, thread);
      switch (tiles_[t]->thread_state(thread)) {
        case ThreadState::off:
          groups.note("not running", t, thread);
          break;
        case ThreadState::faulted:
          groups.note("stopped by a fault", t, thread);
          break;
        case ThreadState::running:
          groups.note("running", t, thread);
          break;
        case ThreadState::memory:
          groups.note("waiting for memory", t, thread);
          break;
        case ThreadState::mailbox:
          groups.note("waiting in " + wait_name(mailbox.waiting(thread)), t, thread);
          break;
      }
    }
  }
  if (groups.count("not running") == params_.board.threads()) return {};
  std::string text = groups.text() + blocking.text();
  if (net_.activity.in_flight != 0) {
    text +=
        ", " + std::to_string(net_.activity.in_flight) + " messages sent or received here are not yet freed";
  }
  if (!from_host_.empty())
    text += ", " + std::to_string(from_host_.size()) + " messages of the host wait to enter";
  if (const std::string why = shell_.waiting_for(); !why.empty()) text += "; " + why;
  if (const std::string detection = detector_->describe(); !detection.empty())
    text += "; detection " + detection;
  static const char* const sides[] = {"north", "east", "south", "west"};
  for (unsigned link = 0; link < kLinks; ++link) {
    if (links_[link] == nullptr) continue;
    if (const std::string why = links_[link]->waiting_for(); !why.empty()) {
      text += std::string("; link ") + sides[link] + " " + why;
    }
  }
  if (!first_fault_.empty()) text += "; " + first_fault_;
  return text;
}

void Board::counters(const fabric::CounterSink& sink) const {
  const std::string prefix = site_.name + ".";
  const auto put = [&](const std::string& name, std::uint64_t value) { sink(prefix + name, value); };
  for (unsigned t = 0; t < tiles_.size(); ++t) {
    const std::string tile = "tile." + std::to_string(t) + ".";
    tiles_[t]->counters(prefix + tile, now_, sink);
    const MailboxCounters& box = noc_.mailbox(t).counters();
    put(tile + "mailbox.sent", box.sent);
    put(tile + "mailbox.sent_flits", box.sent_flits);
    put(tile + "mailbox.received", box.received);
    put(tile + "mailbox.received_flits", box.received_flits);
    put(tile + "mailbox.delivered", box.delivered);
    put(tile + "mailbox.refused", box.refused);
    put(tile + "router.flits", noc_.tile_flits(t));
  }
  memory_system_.counters(prefix, sink);
  put("noc.message_hops", noc_.counters().message_hops);
  put("noc.flit_hops", noc_.counters().flit_hops);
  put("noc.blocked", noc_.counters().blocked);
  if (params_.board.programmable_routers) {
    const RouterCounters& router = noc_.expanders().counters();
    put("router.copies", router.copies);
    put("router.copies_links", router.copies_links);
    put("router.keys", router.keys);
    put("router.beats", router.beats);
  }
  static const char* const names[] = {"north", "east", "south", "west"};
  for (unsigned link = 0; link < kLinks; ++link) {
    if (links_[link] == nullptr) continue;
    const std::string name = std::string("link.") + names[link] + ".";
    put(name + "messages_out", detector_->sent_on(link));
    put(name + "messages_in", detector_->received_on(link));
    links_[link]->counters(prefix + name, sink);
  }
  put("host.messages_in", detector_->from_host());
  put("host.messages_out", detector_->to_host());
  shell_.counters(prefix + "host.", sink);
  const DetectorCounters& detection = detector_->counters();
  put("barriers", detection.barriers);
  put("detection.reports", detection.reports);
  put("detection.control_words", detection.control_words);
  put("detection.held_messages", detection.held_messages);
  put("detection.grants", detection.grants);
  put("faults", faults_);
  put("cycles", now_);
}

void Board::tables(const fabric::TableSink& sink) const {
  for (std::size_t i = 0; i < supersteps_.size(); ++i) {
    const Superstep& step = supersteps_[i];
    sink("supersteps", "board,step,end_ps,voted,instructions_in_step,message_hops_in_step",
         site_.name + "," + std::to_string(i) + "," + std::to_string(clock_.edge(step.end)) + "," +
             (step.voted ? "1" : "0") + "," + std::to_string(step.work.instructions) + "," +
             std::to_string(step.work.message_hops));
  }
  if (!params_.profile) return;
  for (unsigned t = 0; t < tiles_.size(); ++t) {
    for (unsigned pair = 0; pair < (params_.board.cores_per_tile + 1) / 2; ++pair) {
      const auto counts = tiles_[t]->profile(pair);
      for (std::size_t word = 0; word < counts.size(); ++word) {
        if (counts[word] == 0) continue;
        sink("profile", "board,tile,pair,address,count",
             site_.name + "," + std::to_string(t) + "," + std::to_string(pair) + "," +
                 std::to_string(4 * word) + "," + std::to_string(counts[word]));
      }
    }
  }
}

void Board::digest(fabric::Digest& digest) const {
  for (unsigned t = 0; t < tiles_.size(); ++t) {
    tiles_[t]->digest(digest);
    digest.add(noc_.mailbox(t).state_hash());
  }
  memory_system_.digest(digest);
  digest.add(memory_.digest());
  digest.add(noc_.counters().flit_hops);
  digest.add(noc_.counters().blocked);
  digest.add(detector_->state_hash());
  for (const auto& link : links_) {
    if (link != nullptr) link->digest(digest);
  }
  shell_.digest(digest);
  digest.add(static_cast<std::uint64_t>(net_.activity.in_flight));
  digest.add(faults_);
}

}  // namespace polyloom::overlay

// SPDX-License-Identifier: Apache-2.0
#include "fabric/worker.h"

#include <algorithm>
#include <utility>

namespace polyloom::fabric {

void Outcome::merge(const Outcome& other) {
  next = std::min(next, other.next);
  stop = stop || other.stop;
  interrupted = interrupted || other.interrupted;
  worked = worked || other.worked;
  if (other.failed >= 0 && (failed < 0 || other.failed < failed)) {
    failed = other.failed;
    error = other.error;
  }
}

void Worker::add(int id, Node& node, std::vector<Link*> in) {
  items_.push_back({.wake = kNever, .node = &node, .until = 0, .id = id, .in = std::move(in)});
}

/// Runs `body` and notes what a node throws.
template <typename Body>
void Worker::guard(Outcome& outcome, Body body) {
  try {
    body();
  } catch (...) {
    outcome.failed = context_.node;
    outcome.error = std::current_exception();
  }
  context_.node = -1;
}

void Worker::advance(Item& item, Time until) {
  context_.node = item.id;
  item.node->advance(until);
  item.until = until;
  item.advanced = true;
}

void Worker::refresh(Item& item, Time now, Outcome& outcome) {
  context_.node = item.id;
  Time wake = item.node->next_event();
  for (Link* link : item.in) wake = std::min(wake, link->next_arrival(now));
  item.wake = wake;
  outcome.stop = outcome.stop || item.node->wants_stop();
}

bool Worker::surveyed(Item& item) {
  const std::optional<std::uint64_t> work = item.node->work();
  const bool worked = work ? *work != item.work || *work == Node::kWillWork : item.advanced;
  item.advanced = false;
  item.work = work.value_or(0);
  return worked;
}

Outcome Worker::prepare(Time now) {
  Outcome outcome;
  context_.start = context_.until = now;  // nothing may be sent
  guard(outcome, [&] {
    for (Item& item : items_) {
      item.until = now;
      refresh(item, now, outcome);
      outcome.next = std::min(outcome.next, item.wake);
    }
  });
  return outcome;
}

void Worker::receive(unsigned parity, const std::vector<std::unique_ptr<Worker>>& team,
                     const std::vector<Place>& places) {
  for (const auto& other : team) {
    for (Link* link : other->context_.filled[parity]) {
      const Place place = places[static_cast<std::size_t>(link->to())];
      if (place.worker == index_) arrive(place.index, link->deliver(parity));
    }
  }
}

void Worker::arrive(int index, Time at) {
  Item& item = items_[static_cast<std::size_t>(index)];
  item.wake = std::min(item.wake, at);
}

Outcome Worker::step(const Window& window, const std::vector<std::unique_ptr<Worker>>& team,
                     const std::vector<Place>& places) {
  Outcome outcome;
  receive(window.parity() ^ 1, team, places);
  context_.start = window.start;
  context_.until = window.until;
  context_.parity = window.parity();
  context_.earliest_arrival = kNever;
  context_.filled[window.parity()].clear();  // its links were emptied in the step before
  guard(outcome, [&] {
    for (Item& item : items_) {
      if (item.wake < window.until) {
        advance(item, window.until);
        refresh(item, window.until, outcome);
      }
      outcome.next = std::min(outcome.next, item.wake);
      if (window.survey && surveyed(item)) outcome.worked = true;
    }
  });
  outcome.next = std::min(outcome.next, context_.earliest_arrival);
  return outcome;
}

Outcome Worker::catch_up(Time end) {
  Outcome outcome;
  context_.start = context_.until = end;  // nothing may be sent
  guard(outcome, [&] {
    for (Item& item : items_) {
      if (item.until < end) advance(item, end);
    }
  });
  return outcome;
}

}  // namespace polyloom::fabric

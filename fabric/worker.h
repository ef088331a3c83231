// SPDX-License-Identifier: Apache-2.0
// A share of a fabric's nodes, advanced through each window by one thread. Internal to the engines.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "fabric/link.h"
#include "fabric/node.h"

namespace polyloom::fabric {

/// One step of the run: nodes are advanced from `start` to `until`; `number` counts steps.
struct Window {
  Time start = 0, until = 0;
  std::uint64_t number = 0;
  bool survey = false;  ///< at its end nodes are asked for their work

  unsigned parity() const { return number & 1; }
};

/// What is known after a window; outcomes of several workers or processes merge into one.
struct Outcome {
  Time next = kNever;        ///< earliest time at which anything happens
  bool stop = false;         ///< a node wants to stop
  bool interrupted = false;  ///< the user wants to stop
  bool worked = false;       ///< some node has worked since the last survey; set by surveys only
  int failed = -1;           ///< lowest node that threw
  std::exception_ptr error;  ///< what it threw, if it was in this process

  void merge(const Outcome& other);
};

/// Where a node is advanced: worker of the team (-1: in another process) and index there.
struct Place {
  int worker = -1;
  int index = -1;
};

/// Nodes are kept with the time at which they next have something to do, so an idle one costs a comparison.
/// The sends of a window go to outboxes; the next step's receivers empty them, so one barrier a window is
/// enough. Thread safety: each worker is stepped by one thread; between steps, by the engine only.
class Worker {
 public:
  explicit Worker(int index) : index_(index) {}

  void add(int id, Node& node, std::vector<Link*> in);
  SendContext& context() { return context_; }
  std::size_t size() const { return items_.size(); }

  /// Asks all nodes anew; to be called before the first step.
  Outcome prepare(Time now);
  /// Receives what the team sent in the window before and advances the nodes that have something to do.
  Outcome step(const Window& window, const std::vector<std::unique_ptr<Worker>>& team,
               const std::vector<Place>& places);
  /// Empties the outboxes that the team filled in a window, without advancing.
  void receive(unsigned parity, const std::vector<std::unique_ptr<Worker>>& team,
               const std::vector<Place>& places);
  /// Something arrives for node `index` from outside the team.
  void arrive(int index, Time at);
  /// Brings the nodes that were left idle to `end`.
  Outcome catch_up(Time end);

 private:
  struct Item {
    Time wake;  ///< min(next_event, next arrival)
    Node* node;
    Time until;  ///< of the last advance
    int id;
    std::vector<Link*> in;
    bool advanced = true;    ///< since the last survey
    std::uint64_t work = 0;  ///< at the last survey
  };
  /// Whether the node has worked since the last survey.
  static bool surveyed(Item& item);
  void refresh(Item& item, Time now, Outcome& outcome);
  void advance(Item& item, Time until);
  template <typename Body>
  void guard(Outcome& outcome, Body body);

  int index_;
  std::vector<Item> items_;
  SendContext context_;
};

}  // namespace polyloom::fabric

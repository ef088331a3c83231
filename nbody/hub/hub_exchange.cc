// SPDX-License-Identifier: Apache-2.0
#include "nbody/hub/hub_exchange.h"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>

#include "fabric/error.h"
#include "nbody/hub/layout.h"
#include "nbody/run/bytes.h"
#include "nbody/tree/accept.h"

namespace polyloom::nbody {

using hub::Unit;

namespace {

constexpr Unit kUnit = Unit::accelerator0;
constexpr std::uint64_t kSequence = ~std::uint64_t{0} << 32;

double cpu_seconds() {
  timespec t{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void need_room(std::uint64_t bytes, std::uint64_t room, const char* what) {
  if (bytes > room) {
    throw UserError(std::string(what) + " of " + std::to_string(bytes) +
                    " bytes; the memory of a node holds " + std::to_string(room) +
                    ": use more nodes or fewer bodies");
  }
}

}  // namespace

/// Around each public call: what the process computed since the last one passes as simulated time, and what
/// the call takes counts as waiting.
class HubExchange::Call {
 public:
  explicit Call(HubExchange& exchange) : exchange_(exchange), from_(wall_seconds()) {
    if (exchange_.compute_ != ComputeTime::kMeasured) return;
    const double seconds = cpu_seconds() - exchange_.computed_from_;
    exchange_.session_.pass(static_cast<hub::Time>(seconds * 1e12));
  }
  ~Call() {
    exchange_.waited_ += wall_seconds() - from_;
    exchange_.computed_from_ = cpu_seconds();
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 private:
  HubExchange& exchange_;
  double from_;
};

HubExchange::HubExchange(hub::Session& session, unsigned ranks, HubLet let, ComputeTime compute)
    : session_(session),
      node_(session.node(session.own().front())),
      ranks_(ranks),
      let_(let),
      compute_(compute),
      memory_(node_.map(kUnit, layout::kBytes)) {
  const std::uint64_t shape = node_.read_register(hub::reg::shape);
  const bool makes_lets = hub::field::shape_kinds.of(shape) >> hub::kLetKind & 1;
  lanes_ = makes_lets ? static_cast<unsigned>(hub::field::shape_lanes.of(shape)) : 0;
  if (let == HubLet::kHub && lanes_ == 0) {
    throw UserError(
        "the cluster's hubs have no LET operator; use --let host, or a cluster that has it, such as "
        "peach2-8");
  }
  for (unsigned p = 0; p < ranks_; ++p) word(layout::let_flag(p)) = layout::kNoLet;
  computed_from_ = cpu_seconds();
  settle();  // every memory is mapped from here on
}

std::uint64_t& HubExchange::word(std::uint64_t offset) const {
  return *reinterpret_cast<std::uint64_t*>(memory_.data() + offset);
}

double HubExchange::simulated() {
  const Call call(*this);
  return 1e-12 * static_cast<double>(session_.now());
}

void HubExchange::settle() {
  const Call call(*this);
  session_.meet();
}

// Boxes alternate: a peer may be a message ahead, but not two, for it needs our next one to go on.
void HubExchange::send(unsigned peer, std::span<const std::byte> bytes) {
  need_room(bytes.size(), layout::kMailBytes, "a message");
  const unsigned box = message_ & 1;
  const std::uint64_t from = layout::mail_out(peer, box);
  if (!bytes.empty()) {
    std::memcpy(memory_.data() + from, bytes.data(), bytes.size());
    node_.put(kUnit, from, hub::address(peer, kUnit, layout::mail_in(rank(), box)), bytes.size());
  }
  node_.store64(hub::address(peer, kUnit, layout::mail_flag(rank(), box)), message_ << 32 | bytes.size());
}

Bytes HubExchange::receive(unsigned peer) {
  const unsigned box = message_ & 1;
  const hub::Held flag = node_.wait(kUnit, layout::mail_flag(peer, box), message_ << 32, hub::Compare::equal,
                                    kSequence, fabric::kNever);
  const auto* data = reinterpret_cast<const std::byte*>(memory_.data() + layout::mail_in(peer, box));
  return {data, data + (flag.value & ~kSequence)};
}

std::vector<Bytes> HubExchange::all_to_all(std::vector<Bytes> parts) {
  const Call call(*this);
  ++message_;
  // Each begins with its successor, so that no node is the first of all others.
  for (unsigned d = 1; d < ranks_; ++d) send((rank() + d) % ranks_, parts[(rank() + d) % ranks_]);
  std::vector<Bytes> received(ranks_);
  received[rank()] = std::move(parts[rank()]);
  for (unsigned d = 1; d < ranks_; ++d) {
    const unsigned peer = (rank() + ranks_ - d) % ranks_;
    received[peer] = receive(peer);
  }
  return received;
}

std::vector<Bytes> HubExchange::all_gather(std::span<const std::byte> mine) {
  return all_to_all(std::vector<Bytes>(ranks_, Bytes(mine.begin(), mine.end())));
}

std::span<NodeRecord> HubExchange::tree_memory(std::size_t count) {
  need_room(count * sizeof(NodeRecord), std::min(layout::kTreeBytes, layout::kLetBytes), "a tree");
  return {reinterpret_cast<NodeRecord*>(memory_.data() + layout::kTree), count};
}

std::vector<TreeView> HubExchange::exchange_lets(const TreeView& local, std::span<const Summary> summaries) {
  const Call call(*this);
  if (let_ == HubLet::kHub) {
    send_lets_by_hub(local, summaries);
  } else {
    send_lets_by_host(local, summaries);
  }
  const Summary& own = summaries[rank()];
  std::vector<TreeView> received;
  for (unsigned from = 0; from < ranks_; ++from) {
    if (from == rank() || !own.any || !summaries[from].any) continue;
    auto* nodes = reinterpret_cast<NodeRecord*>(memory_.data() + layout::let_in(from));
    std::uint64_t bytes = sizeof(NodeRecord);
    if (travels(summaries[from], own)) {
      bytes = node_
                  .wait(kUnit, layout::let_flag(from), layout::kNoLet, hub::Compare::not_equal,
                        ~std::uint64_t{0}, fabric::kNever)
                  .value;
      word(layout::let_flag(from)) = layout::kNoLet;
      if (bytes & hub::kFlagOverflow) need_room(bytes & ~hub::kFlagOverflow, layout::kLetBytes, "a LET");
    } else {
      make_let({{&summaries[from].root, 1}, {}}, own.target, {nodes, 1});
    }
    received.push_back({{nodes, bytes / sizeof(NodeRecord)}, {}});
  }
  return received;
}

// A tree whose root is accepted needs no transfer: all have the root.
bool HubExchange::travels(const Summary& from, const Summary& to) const {
  return from.any && to.any && (let_ == HubLet::kFull || !accepted(from.root, to.target));
}

void HubExchange::send_lets_by_hub(const TreeView& local, std::span<const Summary> summaries) {
  std::vector<unsigned> peers;
  for (unsigned p = 0; p < ranks_; ++p) {
    if (p != rank() && travels(summaries[rank()], summaries[p])) peers.push_back(p);
  }
  for (std::size_t first = 0; first < peers.size(); first += lanes_) {
    finish_lanes();
    start_lanes(std::span(peers).subspan(first, std::min<std::size_t>(lanes_, peers.size() - first)), local,
                summaries);
  }
}

void HubExchange::start_lanes(std::span<const unsigned> peers, const TreeView& local,
                              std::span<const Summary> summaries) {
  std::vector<hub::LetLane> lanes;
  for (const unsigned p : peers) {
    hub::LetLane& lane = lanes.emplace_back();
    std::memcpy(lane.target.data(), &summaries[p].target, sizeof(Target));
    lane.output = {hub::address(p, kUnit, layout::let_in(rank())), layout::kLetBytes,
                   hub::address(p, kUnit, layout::let_flag(rank()))};
  }
  node_.let(kUnit, layout::kTree, local.nodes.size_bytes(), lanes, layout::kLetScratch);
  lanes_started_ = true;
}

// The function may still be writing to far peers when all that comes here has come.
void HubExchange::finish_lanes() {
  while (lanes_started_ && (node_.read_register(hub::reg::function_state) & 1) != 0) {
    node_.check();
  }
  lanes_started_ = false;
}

void HubExchange::send_lets_by_host(const TreeView& local, std::span<const Summary> summaries) {
  for (unsigned d = 1; d < ranks_; ++d) {
    const unsigned p = (rank() + d) % ranks_;
    if (!travels(summaries[rank()], summaries[p])) continue;
    std::uint64_t from = layout::kTree;
    std::size_t count = local.nodes.size();
    if (let_ == HubLet::kHost) {
      const double begin = cpu_seconds();
      from = layout::let_out(p);
      auto* out = reinterpret_cast<NodeRecord*>(memory_.data() + from);
      count = make_let(local, summaries[p].target, {out, local.nodes.size()});
      if (compute_ == ComputeTime::kMeasured) {
        session_.pass(static_cast<hub::Time>((cpu_seconds() - begin) * 1e12));
      }
    }
    const std::uint64_t bytes = count * sizeof(NodeRecord);
    if (bytes != 0) node_.put(kUnit, from, hub::address(p, kUnit, layout::let_in(rank())), bytes);
    node_.store64(hub::address(p, kUnit, layout::let_flag(rank())), bytes);
  }
}

}  // namespace polyloom::nbody

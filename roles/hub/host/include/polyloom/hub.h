// SPDX-License-Identifier: Apache-2.0
// Using a cluster of hubs from C++: memory in the common window, remote writes, chained DMA, reads by proxy,
// functions on the way.
//
//   hub::Session session;  // one process's; it starts or joins the simulator
//   hub::Node& me = session.node(session.own().front());
//   auto memory = me.map(hub::Unit::accelerator0, 1 << 20);
//   me.put(hub::Unit::accelerator0, 0, hub::address(1, hub::Unit::accelerator0, 4096), 256);
//   me.store64(hub::address(1, hub::Unit::accelerator0), 1);  // the flag of node 1, behind the data
//   me.wait(hub::Unit::accelerator0, 0, 1);                   // until the other node has set ours
//
// Time: simulated time stands still while the program computes; each call costs the cluster's call_time.
//   Memory is as the simulated time of the last call finds it.
// Order: what one node sends to one other arrives in order, so a flag is behind its data; between a DMA and
//   the process's own stores there is no order.
// Errors: HubError says what a hub or endpoint reports; after another SimulatorError only destructors may be
//   called. Thread safety: none.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fabric/host/client.h"
#include "roles/hub/arch/endpoint_frames.h"
#include "roles/hub/arch/registers.h"
#include "roles/hub/arch/window.h"

namespace polyloom::hub {

using fabric::Time;

/// What a hub or an endpoint found wrong; the hub's status tells more.
struct HubError : UserError {
  using UserError::UserError;
};

/// The first fault of a hub since its status was cleared, and how many there were of each cause.
struct Faults {
  Cause cause = Cause::none;
  unsigned port = 0;          ///< it came in by: N, E, S, W, L, 5 = replies
  std::uint64_t address = 0;  ///< low 48 bits
  DmaError chain = DmaError::none, proxy = DmaError::none;
  std::uint64_t chain_descriptor = 0;
  bool function = false;
  std::uint64_t lost_writes = 0;  ///< of the endpoint: to memory that is not mapped

  bool any() const;
  /// In words, for messages.
  std::string text() const;
};

/// A 64-bit word written when all data before it are in place.
struct Flag {
  std::uint64_t address = 0;
  std::uint32_t id = 1;
};

/// One descriptor: blocks with strides, between addresses of the window.
struct Copy {
  std::uint64_t source = 0, destination = 0;
  std::uint32_t bytes = 0;  ///< of a block
  std::uint32_t blocks = 1;
  std::int64_t source_stride = 0, destination_stride = 0;
  std::optional<Flag> flag = std::nullopt;
  bool to_function = false;  ///< the hub's function takes the data; no destination
};

/// Where an output of the function goes. base and capacity: multiples of the largest payload.
struct LaneOutput {
  std::uint64_t base = 0, capacity = 0;
  std::uint64_t flag = 0;  ///< gets the number of bytes, with kFlagOverflow if they did not fit; 0: none
};

/// The LET operator's number among kinds of functions (blocks/operators, Kind::let).
inline constexpr std::uint8_t kLetKind = 4;

/// A peer of locally essential trees: what its tree is for, and where it goes.
struct LetLane {
  std::array<float, 8>
      target{};  ///< min x, y, z, max x, y, z, kappa, radius (blocks/operators/sim/make_let.h)
  LaneOutput output;
};

/// What a wait found.
struct Held {
  std::uint64_t value = 0;
  Time time = 0;  ///< since when; of a word that held before the call, when the node's last write landed
};

class Session;

/// One node's endpoint and hub.
class Node {
 public:
  unsigned number() const { return number_; }
  std::uint64_t address(Unit unit, std::uint64_t offset = 0) const {
    return hub::address(number_, unit, offset);
  }

  /// Memory of this process at unit 0, 1 or 2 of the node, zero at first; once for each. Valid until the
  /// session ends.
  std::span<std::uint8_t> map(Unit unit, std::size_t bytes);
  std::span<std::uint8_t> memory(Unit unit) const;

  /// Writes from own memory to any address; own memory is read as the bytes leave.
  void put(Unit unit, std::uint64_t offset, std::uint64_t destination, std::uint64_t bytes);
  void store(std::uint64_t destination, std::span<const std::uint8_t> bytes);
  void store64(std::uint64_t destination, std::uint64_t value);

  /// Until the word in own memory, masked, compares with the value. Throws HubError, with what the hub
  /// reports, if that does not come within `most`.
  Held wait(Unit unit, std::uint64_t offset, std::uint64_t value, Compare how = Compare::equal,
            std::uint64_t mask = ~std::uint64_t{0}, Time most = fabric::kNever);

  // Registers: written in any hub, read in the own one.
  void write_register(std::uint32_t offset, std::uint64_t value) { write_register(number_, offset, value); }
  void write_register(unsigned node, std::uint32_t offset, std::uint64_t value);
  std::uint64_t read_register(std::uint32_t offset);

  /// Starts a chain; its descriptors are written to own memory there (64 bytes each, aligned), and must stay.
  /// Data may lie at any address and have any length but 0; the address of a flag is a multiple of 8.
  void dma(std::span<const Copy> chain, Unit unit, std::uint64_t offset);
  /// Lets the hub of the copy's source do it: a read of remote memory. Its destination may be anywhere.
  void get(const Copy& copy);
  /// A put of the own hub's DMA without a chain: as get, of own memory.
  void push(const Copy& copy) { get(copy); }

  /// Begins a step of the function: lane o of the operator writes to lanes[o]; one of no capacity is not
  /// used.
  void start_function(std::uint8_t kind, std::uint64_t config, std::span<const LaneOutput> lanes);
  void stop_function();
  /// Sends the LETs of the tree of so many bytes in own memory to all lanes, in one pass. The targets and the
  /// descriptors are written to own memory at `scratch` (a multiple of 64; 32 bytes a lane and 192), and must
  /// stay until the flags have come. config: LetSetup::word().
  void let(Unit unit, std::uint64_t tree, std::uint64_t bytes, std::span<const LetLane> lanes,
           std::uint64_t scratch, std::uint64_t config = 0);

  Faults faults();
  void clear_faults();
  /// Throws HubError if there are any.
  void check();

 private:
  friend class Session;
  struct Map;
  Node(Session& session, unsigned number, unsigned link, unsigned lanes);
  std::vector<std::uint64_t> request(std::span<const std::uint64_t> command);
  void need(Unit unit, std::uint64_t offset, std::uint64_t bytes, const char* what) const;

  Session* session_;
  unsigned number_, link_, lanes_;
  std::vector<std::shared_ptr<Map>> maps_;
};

struct SessionOptions {
  fabric::HostOptions host;
  /// Nodes of this process; empty: POLYLOOM_CLIENT's if the cluster has a client a node, else all.
  std::vector<unsigned> nodes;
  bool routes = true;  ///< write the shipped routing tables
};

/// A process's connection. All processes of a cluster make theirs before simulated time begins; each returns
/// when every hub has its routing table.
class Session {
 public:
  explicit Session(const SessionOptions& options = {});
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Hubs of the cluster.
  unsigned nodes() const { return nodes_; }
  unsigned max_payload() const { return max_payload_; }
  /// Numbers of this process's.
  const std::vector<unsigned>& own() const { return own_; }
  /// Precondition: it is one of own(). Throws UserError otherwise.
  Node& node(unsigned number);

  Time now() const { return client_->now(); }
  /// Lets simulated time pass.
  void pass(Time time);
  // Around waiting for anything outside of the simulation, as in fabric/host/client.h. Other nodes may write
  // to this process's memory between away() and back(), so it must not look there.
  void away(Time most = fabric::kNever) { client_->away(most); }
  void back() { client_->back(); }
  void meet(std::span<const unsigned> clients = {}) { client_->meet(clients); }
  /// Ends the run. Returns the simulator's JSON.
  std::string finish() { return client_->finish(); }
  fabric::HostClient& client() { return *client_; }

 private:
  friend class Node;
  std::unique_ptr<fabric::HostClient> client_;
  unsigned nodes_ = 0, max_payload_ = 0;
  std::vector<unsigned> own_;
  std::vector<std::unique_ptr<Node>> own_nodes_;
};

}  // namespace polyloom::hub

// SPDX-License-Identifier: Apache-2.0
// Collective operations between the memories of a cluster of FPGAs: what a host program includes.
//
//   polyloom::collective::Communicator comm({.cluster = "optweb-8"});
//   std::vector<Handle> handles;
//   for (int r = 0; r < comm.size(); ++r) handles.push_back(comm.rank(r).all_reduce<float>(in[r], out[r]));
//   std::cout << *handles[0].wait().simulated_seconds << "\n";
//
// Contract: one process drives all ranks. A call for the whole communicator, or one post per rank (as in an
//   NCCL group); a posted operation runs when its last rank has posted, and its handles give the result or
//   say why not. Data pass through buffers in the nodes' memories: loaded by DMA over the host link, or
//   written in place when POLYLOOM_LOAD=backdoor (then, and natively, view() is the memory itself). Not
//   thread safe.
// Errors: UserError with the cause in words: which member of a group differs, what does not fit and by how
//   much, which lane is wired wrongly, which node waits for which. After a fault of a node all nodes have
//   stopped and been cleared.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "fabric/error.h"
#include "roles/collective/host/schedule/cost.h"
#include "roles/collective/host/schedule/plan.h"

namespace polyloom::collective {

struct Options {
  std::string
      cluster{};     ///< name or path; empty: POLYLOOM_CLUSTER, natively too unless native_ranks is given
  std::string on{};  ///< "sim" or "native"; empty: POLYLOOM_ON, else sim
  /// Of a native communicator without a cluster; empty: 8. Refused beside what rules such a one out.
  std::optional<int> native_ranks{};
  /// Simulated time without progress that counts as a hang, longer where an operation itself takes longer; 0:
  /// never.
  double watchdog_seconds = 5e-3;
};

/// Which pseudo-channel of a memory channel. A read stream and a write stream of one channel run at full rate
/// only in different ones.
enum class Half { first, second, any };

/// Bytes in the memory of one rank. Freed when the last copy goes; must not outlive its communicator.
class Buffer {
 public:
  Buffer() = default;
  int rank() const;
  std::uint64_t bytes() const;
  const Layout& layout() const;
  struct State;

 private:
  friend class Communicator;
  std::shared_ptr<State> state_;
};

struct Result {
  std::string operation, algorithm;
  std::uint64_t bytes = 0;  ///< of the vector that algorithm bandwidth counts
  int ranks = 0;
  std::size_t steps = 0;
  /// From the end of a barrier, after which all ranks begin together, to the last rank's end; nothing
  /// natively.
  std::optional<double> simulated_seconds{};
  std::optional<double> predicted_seconds{};  ///< nothing too where the host loads programs in parts
  double bus_factor = 0;                      ///< nccl-tests' convention

  std::optional<double> algorithm_gbps() const;  ///< Gb/s
  std::optional<double> bus_gbps() const;        ///< algorithm bandwidth x bus factor
};

/// Which rank a key goes to. Its bucket is key >> shift, the lowest `bits` bits of that.
struct Partition {
  unsigned shift = 0, bits = 0;  ///< at most 6 bits
  /// [bucket]; empty: as many neighbouring buckets for each rank as for the others, in order of ranks.
  std::vector<int> owners{};
};
/// What came of it, [rank].
struct Partitioned {
  std::vector<std::vector<std::uint32_t>> keys, values;  ///< values: empty if none were given
  std::vector<std::vector<std::uint64_t>> histogram;     ///< [sender][bucket]
  Result result{};
};

/// Elements as what they are made of.
template <class T>
std::span<const std::uint8_t> bytes_of(std::span<const T> elements) {
  static_assert(std::is_trivially_copyable_v<T>, "elements move as bytes");
  return {reinterpret_cast<const std::uint8_t*>(elements.data()), elements.size_bytes()};
}
template <class T>
requires(!std::is_const_v<T>) std::span<std::uint8_t> bytes_of(std::span<T> elements) {
  static_assert(std::is_trivially_copyable_v<T>, "elements move as bytes");
  return {reinterpret_cast<std::uint8_t*>(elements.data()), elements.size_bytes()};
}

/// An operation under way.
class Handle {
 public:
  bool done() const;    ///< has run, or failed
  Result wait() const;  ///< throws its UserError; also if ranks are missing that have not posted
  struct State;

 private:
  friend class Communicator;
  std::shared_ptr<State> state_;
};

/// What a node says after the end of its program. Cycles of the nodes' clock; all zero natively.
struct NodeRun {
  std::uint64_t begin = 0, finish = 0;
  std::vector<std::uint64_t> marks;   ///< [mark] completion cycle of the step whose `go` named it
  std::vector<std::uint64_t> status;  ///< words of the operator's status after the last step
};

/// How programs of one's own are run.
struct RunOptions {
  bool barrier = true;        ///< all begin together (cost.h, prelude); mark 0 gets the cycle
  unsigned marks = 2;         ///< so many marks are fetched
  unsigned status_words = 0;  ///< so many words of the operator's status are, from
  unsigned first_status_word = 0;
  std::vector<int> start_order{};  ///< ranks are started in this order, a host call apart; empty: ascending
  /// Seconds for which a rank may have to wait while others are at work; a shorter watchdog is set to them.
  double patience = 0;
};

class Rank;

class Communicator {
 public:
  explicit Communicator(const Options& options = {});
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  int size() const;
  bool native() const;
  const Topology& topology() const;
  const NodeShape& shape() const;
  /// Of the cost model; nothing natively.
  const std::optional<CostParameters>& parameters() const;

  /// Buffers of all ranks in the layout that `algorithm` (empty: the quickest) works best on. Send buffers
  /// lie in the first pseudo-channels, receive buffers in the second. Throws UserError with the sizes if one
  /// does not fit, and for an average of integers in stages: only `call` sees whether their sums overflow.
  struct Prepared {
    Request request;
    std::string algorithm;
    std::vector<Buffer> send, recv;  ///< [rank]; empty ones where a rank has none
    struct Made;
    std::shared_ptr<Made> made{};  ///< the plan, and the schedule once it has run; none for "memory"
  };
  Prepared prepare(const Request& request, const std::string& algorithm = "");
  void write(const Buffer& buffer, std::span<const std::uint8_t> bytes);
  void read(const Buffer& buffer, std::span<std::uint8_t> bytes);
  template <class T>
  void write(const Buffer& buffer, std::span<const T> elements) {
    write(buffer, bytes_of(elements));
  }
  template <class T>
  void read(const Buffer& buffer, std::span<T> elements) {
    read(buffer, bytes_of(elements));
  }
  /// The buffer's pieces in the memory itself, in order; empty where memory cannot be reached.
  std::vector<std::span<std::uint8_t>> view(const Buffer& buffer);
  /// Runs the operation once on these buffers.
  Result run(const Prepared& prepared);
  /// Runs operations one after the other in one program, without a word of the host in between.
  void run_all(std::span<const Prepared* const> operations, const RunOptions& options = {});

  /// All at once: writes `send`, runs, reads `recv`; one span a rank.
  Result call(const Request& request, std::span<const std::span<const std::uint8_t>> send,
              std::span<const std::span<std::uint8_t>> recv, const std::string& algorithm = "");
  /// One rank's part of an operation. Spans must stay valid until the handle is done.
  Handle post(int rank, const Request& request, std::span<const std::uint8_t> send,
              std::span<std::uint8_t> recv);
  /// The same with elements for bytes (rank.h). Throws UserError if there is no such rank.
  Rank rank(int number);

  /// Keys, and values beside them, go from each rank to the owners of their buckets; lengths need not be
  /// known. Each column may have any length, the same for keys and values of a rank; `values` may be empty.
  /// The order in which records come to a rank is free; key and value stay together. Needs channels and
  /// operator ports for the members of a row or column; simulated_seconds is the passes', without the host's
  /// reading of lengths between two.
  Partitioned partition(std::span<const std::span<const std::uint32_t>> keys,
                        std::span<const std::span<const std::uint32_t>> values, const Partition& how);

  // ---- programs of one's own (roles/collective/arch/program.h)
  /// Memory in one channel; placed in that half (Half::any: wherever there is room).
  Buffer allocate(int rank, unsigned channel, std::uint64_t bytes, Half half = Half::any);
  /// Part of a buffer, from byte `at` on.
  void write(const Buffer& buffer, std::uint64_t at, std::span<const std::uint8_t> bytes);
  void read(const Buffer& buffer, std::uint64_t at, std::span<std::uint8_t> bytes);
  /// Executes one program a rank, each to its `end`; a program longer than a node's program memory is loaded
  /// in parts. Throws UserError with the cause if a node stops.
  std::vector<NodeRun> run_programs(std::vector<std::vector<Instruction>> programs,
                                    const RunOptions& options = {});
  /// Around waiting for anything outside of the cluster, where other programs share it: simulated time passes
  /// without this one (fabric/host/README.md). No other call in between.
  void away();
  void back();
  double clock_hz() const;              ///< of the nodes; 0 natively
  std::uint64_t channel_bytes() const;  ///< of each memory channel
  unsigned partitions() const;          ///< partition operators of a node (blocks/operators/README.md)
  unsigned record_beats() const;        ///< beats of keys an input that a partition remembers

  /// Throws UserError if the request is not in order, as all calls with one do.
  void check(const Request& request) const;
  /// The choices for a request, quickest first, as a table.
  std::string explain(const Request& request) const;
  std::string choose(const Request& request) const;
  /// Names that apply, the published first; natively before them "memory", which does the operation at once.
  /// With another name its schedule is executed step by step, slowly.
  std::vector<std::string> algorithms(const Request& request) const;

 private:
  struct State;
  Prepared allot(const Situation& situation, const std::string& algorithm);
  Result call_scaled(const Request& request, std::span<const std::span<const std::uint8_t>> send,
                     std::span<const std::span<std::uint8_t>> recv, const std::string& algorithm,
                     int binades);
  std::unique_ptr<State> state_;
};

}  // namespace polyloom::collective

#include "polyloom/rank.h"

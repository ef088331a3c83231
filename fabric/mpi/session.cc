// SPDX-License-Identifier: Apache-2.0
#include "fabric/mpi/session.h"

#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <exception>
#include <numeric>

#include "fabric/mpi/wire.h"
#include "fabric/processes.h"
#include "fabric/team.h"

namespace polyloom::fabric::mpi {
namespace {

// The first message of a window has a fixed buffer, small enough for MPI to send it without a handshake; what
// does not fit follows in a second one.
constexpr std::size_t kFirstWords = 480;
constexpr int kFirstTag = 1, kRestTag = 2;

bool failed_together = false;  // the last run() threw in all processes, so ending MPI is safe

/// After each window each process sends each other one message with its outcome and the segments for it. With
/// few processes this is the least waiting: one exchange does the work of a reduction and of the delivery.
class MpiProcesses final : public Processes {
 public:
  explicit MpiProcesses(Fabric& fabric) : fabric_(fabric) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    for (int r = 0; r < size_; ++r) {
      if (r != rank_) peers_.push_back({r, {}, std::vector<std::uint64_t>(kFirstWords)});
    }
    peer_of_rank_.assign(static_cast<std::size_t>(size_), nullptr);
    for (Peer& peer : peers_) peer_of_rank_[static_cast<std::size_t>(peer.rank)] = &peer;
  }

  Outcome exchange(Team& team, const Window& window, const Outcome& mine) override {
    std::vector<MPI_Request> receives, sends;
    for (Peer& peer : peers_) {
      receives.emplace_back();
      MPI_Irecv(peer.in.data(), kFirstWords, MPI_UINT64_T, peer.rank, kFirstTag, MPI_COMM_WORLD,
                &receives.back());
      peer.out.begin(window.number, mine);
    }
    collect(team, window);
    for (Peer& peer : peers_) send(peer, sends);
    MPI_Waitall(static_cast<int>(receives.size()), receives.data(), MPI_STATUSES_IGNORE);
    Outcome merged = mine;
    for (Peer& peer : peers_) {
      const std::size_t total = peer.in[0];
      if (total > kFirstWords) {
        peer.in.resize(total);
        MPI_Recv(peer.in.data() + kFirstWords, static_cast<int>(total - kFirstWords), MPI_UINT64_T, peer.rank,
                 kRestTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      }
      const std::span<const std::uint64_t> message(peer.in.data(), total);
      merged.merge(read_outcome(message, window.number));
      deliver(team, message);
      peer.in.resize(kFirstWords);
    }
    MPI_Waitall(static_cast<int>(sends.size()), sends.data(), MPI_STATUSES_IGNORE);
    failed_together = merged.failed >= 0;
    return merged;
  }

  void sum(std::vector<std::uint64_t>& values) override {
    MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_UINT64_T, MPI_SUM,
                  MPI_COMM_WORLD);
  }

  std::vector<std::string> gather(const std::string& mine) override {
    const auto ranks = static_cast<std::size_t>(size_);
    std::vector<int> lengths(ranks), starts(ranks);
    const int length = static_cast<int>(mine.size());
    MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, MPI_COMM_WORLD);
    std::exclusive_scan(lengths.begin(), lengths.end(), starts.begin(), 0);
    std::string all(static_cast<std::size_t>(starts.back() + lengths.back()), '\0');
    MPI_Allgatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), starts.data(), MPI_CHAR,
                   MPI_COMM_WORLD);
    std::vector<std::string> texts;
    for (std::size_t r = 0; r < ranks; ++r) {
      texts.push_back(all.substr(static_cast<std::size_t>(starts[r]), static_cast<std::size_t>(lengths[r])));
    }
    return texts;
  }

 private:
  struct Peer {
    int rank;
    Message out;
    std::vector<std::uint64_t> in;
  };

  /// Empties the outboxes of links that lead to other processes into the messages.
  void collect(Team& team, const Window& window) {
    for (const auto& worker : team.workers()) {
      for (Link* link : worker->context().filled[window.parity()]) {
        if (fabric_.owns(link->to())) continue;
        Peer& peer = *peer_of_rank_[static_cast<std::size_t>(fabric_.owner(link->to()))];
        for (const Segment& segment : link->outbox(window.parity())) peer.out.add(link->id(), segment);
        link->outbox(window.parity()).clear();
      }
    }
  }

  static void send(Peer& peer, std::vector<MPI_Request>& sends) {
    const std::span<const std::uint64_t> words = peer.out.finish();
    const std::size_t first = std::min(words.size(), kFirstWords);
    sends.emplace_back();
    MPI_Isend(words.data(), static_cast<int>(first), MPI_UINT64_T, peer.rank, kFirstTag, MPI_COMM_WORLD,
              &sends.back());
    if (first == words.size()) return;
    sends.emplace_back();
    MPI_Isend(words.data() + first, static_cast<int>(words.size() - first), MPI_UINT64_T, peer.rank, kRestTag,
              MPI_COMM_WORLD, &sends.back());
  }

  void deliver(Team& team, std::span<const std::uint64_t> message) {
    read_segments(message, [&](int id, Segment segment) {
      Link& link = fabric_.link(id);
      const Place place = team.places()[static_cast<std::size_t>(link.to())];
      segment.period = link.spec().period;
      team.workers()[static_cast<std::size_t>(place.worker)]->arrive(place.index, segment.first);
      link.receive(std::move(segment));
    });
  }

  Fabric& fabric_;
  int rank_ = 0, size_ = 1;
  std::vector<Peer> peers_;
  std::vector<Peer*> peer_of_rank_;
};

}  // namespace

Session::Session(int& argc, char**& argv) : exceptions_(std::uncaught_exceptions()) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  MPI_Comm machine;
  int on_machine = 1;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &machine);
  MPI_Comm_size(machine, &on_machine);
  MPI_Comm_free(&machine);
  processes_on_machine = static_cast<unsigned>(on_machine);
  processes_factory() = [](Fabric& fabric) { return std::make_unique<MpiProcesses>(fabric); };
}

Session::~Session() {
  processes_factory() = nullptr;
  if (std::uncaught_exceptions() > exceptions_ && !failed_together) return;
  MPI_Finalize();
}

std::vector<int> contiguous_shares(const std::vector<NodeHints>& nodes, int ranks) {
  double total = 0, before = 0;
  for (const NodeHints& node : nodes) total += node.weight;
  std::vector<int> owners;
  for (const NodeHints& node : nodes) {
    const double middle = total > 0 ? (before + node.weight / 2) / total : 0;
    before += node.weight;
    owners.push_back(node.on_rank_zero ? 0 : std::clamp(static_cast<int>(middle * ranks), 0, ranks - 1));
  }
  return owners;
}

void Session::partition(Fabric& fabric) const {
  std::vector<NodeHints> hints;
  for (int id = 0; id < fabric.node_count(); ++id) hints.push_back(fabric.node_hints(id));
  fabric.set_partition(rank_, contiguous_shares(hints, size_));
}

}  // namespace polyloom::fabric::mpi

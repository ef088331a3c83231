// SPDX-License-Identifier: Apache-2.0
// Peers by MPI. Loaded by polite/native/peers.cc when a program is one of several processes, so that all else
// builds and runs without MPI.
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <stdexcept>

#include "polite/native/peers.h"

namespace polyloom::polite {
namespace {

/// A message longer than this goes in pieces; one that is shorter is the last.
constexpr std::size_t kPiece = std::size_t{1} << 30;
/// Exchanges take turns: a process that has begun the next one may not be heard in this one.
constexpr int kTags[2] = {1, 2};

class MpiPeers final : public Peers {
 public:
  MpiPeers() {
    int provided = 0, initialized = 0;
    MPI_Initialized(&initialized);
    if (initialized == 0) {
      // Who waits lets others run: on a host that is shared, the time that they would lose else is that of the
      // kernel's turns. Open MPI reads it in MPI_Init.
      ::setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
      MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
      // Who fails does not wait for the others: its launcher ends them.
      ::on_exit(
          [](int status, void*) {
            int finalized = 0;
            MPI_Finalized(&finalized);
            if (status == 0 && finalized == 0) MPI_Finalize();
          },
          nullptr);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    MPI_Comm_dup(MPI_COMM_WORLD, &all_);
    MPI_Comm host;
    MPI_Comm_split_type(all_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &on_host_);
    int first = rank_;  // of its host
    MPI_Bcast(&first, 1, MPI_INT, 0, host);
    MPI_Comm_free(&host);
    first_of_host_.resize(static_cast<std::size_t>(size_));
    MPI_Allgather(&first, 1, MPI_INT, first_of_host_.data(), 1, MPI_INT, all_);
    for (int process = 0; process < size_; ++process)
      hosts_ += first_of_host_[static_cast<std::size_t>(process)] == process;
    char name[MPI_MAX_PROCESSOR_NAME];
    int length = 0;
    MPI_Get_processor_name(name, &length);
    host_.assign(name, static_cast<std::size_t>(length));
  }

  unsigned rank() const override { return static_cast<unsigned>(rank_); }
  unsigned size() const override { return static_cast<unsigned>(size_); }
  unsigned hosts() const override { return hosts_; }
  unsigned on_this_host() const override { return static_cast<unsigned>(on_host_); }
  std::string host() const override { return host_; }
  bool is_near(unsigned process) const override {
    return first_of_host_[process] == first_of_host_[static_cast<std::size_t>(rank_)];
  }

  void sum(std::span<std::uint64_t> values) override {
    MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_UINT64_T, MPI_SUM, all_);
  }

  std::vector<Bytes> gather(std::span<const std::byte> mine) override {
    const auto count = static_cast<std::size_t>(size_);
    std::vector<std::uint64_t> lengths(count);
    const std::uint64_t length = mine.size();
    MPI_Allgather(&length, 1, MPI_UINT64_T, lengths.data(), 1, MPI_UINT64_T, all_);
    std::vector<Bytes> all(count);
    for (int root = 0; root < size_; ++root) {  // most often one of them gives something
      Bytes& bytes = all[static_cast<std::size_t>(root)];
      bytes.resize(lengths[static_cast<std::size_t>(root)]);
      if (root == rank_) std::copy(mine.begin(), mine.end(), bytes.begin());
      for (std::size_t at = 0; at < bytes.size(); at += kPiece) {
        MPI_Bcast(bytes.data() + at, static_cast<int>(std::min(kPiece, bytes.size() - at)), MPI_BYTE, root,
                  all_);
      }
    }
    return all;
  }

  void exchange(std::span<const unsigned> to, std::vector<Bytes>& out, std::span<const unsigned> from,
                const Take& take) override {
    const int tag = kTags[turn_ ^= 1];
    sends_.clear();
    for (std::size_t i = 0; i < to.size(); ++i) {
      for (std::size_t at = 0;; at += kPiece) {
        const std::size_t length = std::min(kPiece, out[i].size() - at);
        MPI_Isend(out[i].data() + at, static_cast<int>(length), MPI_BYTE, static_cast<int>(to[i]), tag, all_,
                  &sends_.emplace_back());
        if (length < kPiece) break;
      }
    }
    for (std::size_t left = from.size(); left > 0; --left) {
      const int process = receive(MPI_ANY_SOURCE, tag);
      take(static_cast<unsigned>(process), in_);
    }
    MPI_Waitall(static_cast<int>(sends_.size()), sends_.data(), MPI_STATUSES_IGNORE);
  }

 private:
  /// One message into in_. Returns whose it is.
  int receive(int process, int tag) {
    in_.clear();
    for (;;) {
      MPI_Message message;
      MPI_Status status;
      MPI_Mprobe(process, tag, all_, &message, &status);
      int length = 0;
      MPI_Get_count(&status, MPI_BYTE, &length);
      process = status.MPI_SOURCE;
      const std::size_t at = in_.size();
      in_.resize(at + static_cast<std::size_t>(length));
      MPI_Mrecv(in_.data() + at, length, MPI_BYTE, &message, MPI_STATUS_IGNORE);
      if (static_cast<std::size_t>(length) < kPiece) return process;
    }
  }

  MPI_Comm all_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1, on_host_ = 1;
  unsigned hosts_ = 0;
  std::vector<int> first_of_host_;  ///< by process
  std::string host_;
  unsigned turn_ = 0;
  std::vector<MPI_Request> sends_;
  Bytes in_;
};

}  // namespace
}  // namespace polyloom::polite

extern "C" polyloom::polite::Peers* polyloom_join_processes() {
  static polyloom::polite::MpiPeers peers;
  return &peers;
}

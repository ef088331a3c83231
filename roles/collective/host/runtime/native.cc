// SPDX-License-Identifier: Apache-2.0
#include "roles/collective/host/runtime/native.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <vector>

#include "fabric/parallel.h"
#include "roles/collective/host/runtime/native_reduce.h"
#include "roles/collective/host/schedule/topology.h"

namespace polyloom::collective {
namespace {

using In = std::span<const std::uint8_t>;
using Out = std::span<std::uint8_t>;

constexpr std::size_t kJobBytes = 1 << 18;     ///< of memory that a job touches, about
constexpr std::size_t kThreadBytes = 1 << 20;  ///< a thread more pays from so much work on

/// do_job(0), ..., do_job(jobs - 1), each once, in any order, on as many threads as `bytes` of work deserve.
template <class F>
void in_parallel(std::size_t jobs, std::size_t bytes, F do_job) {
  const std::size_t cores = fabric::host_threads(0);
  fabric::parallel_for(jobs, static_cast<unsigned>(std::min(cores, bytes / kThreadBytes + 1)), do_job);
}

class Copies {
 public:
  void add(In from, Out to) {
    bytes_ += from.size();
    for (std::size_t at = 0; at < from.size(); at += kJobBytes) {
      const std::size_t n = std::min(kJobBytes, from.size() - at);
      jobs_.push_back({from.subspan(at, n), to.subspan(at, n)});
    }
  }
  void run() const {
    in_parallel(jobs_.size(), bytes_, [&](std::size_t j) {
      std::memmove(jobs_[j].to.data(), jobs_[j].from.data(), jobs_[j].from.size());
    });
  }

 private:
  struct Job {
    In from;
    Out to;
  };
  std::vector<Job> jobs_;
  std::size_t bytes_ = 0;
};

/// Bytes [at, at + bytes) of all vectors, combined, into each of `to` from its begin on.
struct Part {
  std::size_t at = 0, bytes = 0;
  std::vector<Out> to;
};

void reduce(const Request& r, std::span<const In> send, const std::vector<Part>& parts) {
  struct Job {
    const Part* part;
    std::size_t begin, bytes;
  };
  const std::size_t block = kBlockElements * sizeof(std::uint32_t);
  const std::size_t step = std::max(block, kJobBytes / send.size() / block * block);
  std::vector<Job> jobs;
  std::size_t bytes = 0;
  for (const Part& part : parts) {
    for (std::size_t at = 0; at < part.bytes; at += step) {
      jobs.push_back({&part, at, std::min(step, part.bytes - at)});
    }
    bytes += part.bytes * (send.size() + part.to.size());
  }
  const Combine combine{r.reduce, r.type, static_cast<unsigned>(send.size())};
  in_parallel(jobs.size(), bytes, [&](std::size_t j) {
    const Job& job = jobs[j];
    std::vector<const std::uint32_t*> from(send.size());
    for (std::size_t at = job.begin; at < job.begin + job.bytes; at += block) {
      const std::size_t n = std::min(block, job.begin + job.bytes - at);
      for (std::size_t i = 0; i < send.size(); ++i) {
        from[i] = reinterpret_cast<const std::uint32_t*>(send[i].data() + job.part->at + at);
      }
      // Made in the cache, then copied to whom it is for: also to memory that is one of the inputs.
      static thread_local std::array<std::uint32_t, kBlockElements> made;
      reduce_block(combine, from, made.data(), n / sizeof(std::uint32_t));
      for (const Out& to : job.part->to) std::memcpy(to.data() + at, made.data(), n);
    }
  });
}

bool overlap(In a, In b) {
  return !a.empty() && !b.empty() && a.data() < b.data() + b.size() && b.data() < a.data() + a.size();
}

/// The vector that all ranks combine, cut as they get it.
std::vector<Part> results(const Request& r, std::span<const Out> recv) {
  if (r.traits().receives == Holds::vector) {
    Part whole{0, r.total(), {}};
    std::copy_if(recv.begin(), recv.end(), std::back_inserter(whole.to),
                 [](const Out& out) { return !out.empty(); });
    return {whole};
  }
  std::vector<Part> blocks;
  std::size_t at = 0;
  for (std::size_t i = 0; i < recv.size(); at += r.sizes[i++]) blocks.push_back({at, r.sizes[i], {recv[i]}});
  return blocks;
}

void move(const Request& r, std::span<const In> send, std::span<const Out> recv) {
  if (r.reduces()) return reduce(r, send, results(r, recv));
  Copies copies;
  for (const Transfer& t : transfers(r, static_cast<int>(send.size()))) {
    copies.add(send[index(t.from)].subspan(t.at, t.bytes), recv[index(t.to)].subspan(t.into));
  }
  copies.run();
}

}  // namespace

void run_native(const Request& request, std::span<const In> send, std::span<const Out> recv) {
  // What another rank still has to read must not be written. A vector that is combined in its own place is
  // not: each block is read by all before it is written. Elements must be aligned.
  std::vector<std::vector<std::uint8_t>> kept(send.size());
  std::vector<In> from(send.begin(), send.end());
  for (std::size_t i = 0; i < send.size(); ++i) {
    const bool clash = std::any_of(recv.begin(), recv.end(), [&](const Out& out) {
      const bool in_place =
          request.reduces() && request.traits().receives == Holds::vector && out.data() == send[i].data();
      return !in_place && overlap(send[i], out);
    });
    const bool odd = request.reduces() && reinterpret_cast<std::uintptr_t>(send[i].data()) % 4 != 0;
    if (!clash && !odd) continue;
    kept[i].assign(send[i].begin(), send[i].end());
    from[i] = kept[i];
  }
  move(request, from, recv);
}

}  // namespace polyloom::collective

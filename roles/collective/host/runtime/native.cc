// SPDX-License-Identifier: Apache-2.0
#include "roles/collective/host/runtime/native.h"

#include <algorithm>
#include <array>
#include <cstring>
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

void move(const Request& r, std::span<const In> send, std::span<const Out> recv) {
  const std::size_t n = send.size(), root = index(r.root);
  Copies copies;
  std::size_t at = 0;
  switch (r.operation) {
    case Operation::unicast:
      copies.add(send[root], recv[index(r.destination)]);
      break;
    case Operation::broadcast:
      for (std::size_t i = 0; i < n; ++i) {
        if (i != root) copies.add(send[root], recv[i]);
      }
      break;
    case Operation::scatter:
      for (std::size_t i = 0; i < n; at += r.sizes[i++])
        copies.add(send[root].subspan(at, r.sizes[i]), recv[i]);
      break;
    case Operation::gather:
      for (std::size_t i = 0; i < n; at += r.sizes[i++]) copies.add(send[i], recv[root].subspan(at));
      break;
    case Operation::all_gather:
      for (std::size_t i = 0; i < n; at += r.sizes[i++]) {
        for (std::size_t j = 0; j < n; ++j) copies.add(send[i], recv[j].subspan(at));
      }
      break;
    case Operation::all_to_all: {
      std::vector<std::size_t> filled(n, 0);
      for (std::size_t i = 0; i < n; ++i) {
        at = 0;
        for (std::size_t j = 0; j < n; ++j) {
          const std::size_t bytes = r.sizes[i * n + j];
          copies.add(send[i].subspan(at, bytes), recv[j].subspan(filled[j]));
          at += bytes;
          filled[j] += bytes;
        }
      }
      break;
    }
    case Operation::reduce:
      return reduce(r, send, {{0, r.total(), {recv[root]}}});
    case Operation::all_reduce:
      return reduce(r, send, {{0, r.total(), {recv.begin(), recv.end()}}});
    case Operation::reduce_scatter: {
      std::vector<Part> parts;
      for (std::size_t i = 0; i < n; at += r.sizes[i++]) parts.push_back({at, r.sizes[i], {recv[i]}});
      return reduce(r, send, parts);
    }
    case Operation::barrier:
      break;
  }
  copies.run();
}

}  // namespace

void run_native(const Request& request, std::span<const In> send, std::span<const Out> recv) {
  // What another rank still has to read must not be written. A vector that is all-reduced in its own place is
  // not: each block is read by all before it is written. Elements must be aligned.
  std::vector<std::vector<std::uint8_t>> kept(send.size());
  std::vector<In> from(send.begin(), send.end());
  for (std::size_t i = 0; i < send.size(); ++i) {
    const bool clash = std::any_of(recv.begin(), recv.end(), [&](const Out& out) {
      const bool in_place = request.operation == Operation::all_reduce && out.data() == send[i].data();
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

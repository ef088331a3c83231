// SPDX-License-Identifier: Apache-2.0
#include "roles/mpi/runtime/manager/watch.h"

#include <algorithm>

#include "roles/mpi/arch/field.h"

namespace polyloom::mpi {
namespace {

constexpr unsigned kLooks = 2;                  // after the first
constexpr std::uint64_t kIdleBytes = 8 * 1024;  // what repetition and our own questions may move in a period

bool same(const std::map<unsigned, Sight>& a, const std::map<unsigned, Sight>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    const Sight &p = x.second, &q = y.second;
    return x.first == y.first && std::equal(p.wait.words, p.wait.words + 3, q.wait.words) &&
           p.wait.since == q.wait.since && p.envelopes == q.envelopes && q.bytes - p.bytes <= kIdleBytes;
  });
}

}  // namespace

void Watch::alive(Time now) {
  next_ = now + period_;
  same_ = 0;
  last_.clear();
  suspect_.reset();
}

// FPGA ranks that have not ended.
std::vector<unsigned> Watch::running(const std::vector<bool>& ended) const {
  std::vector<unsigned> ranks;
  for (unsigned r = 0; r < ended.size(); ++r) {
    if (!ended[r] && station_.job().is_fpga[r]) ranks.push_back(r);
  }
  return ranks;
}

// Its last message may be on its way still, so it is looked at twice.
void Watch::look_for_stopped(const std::vector<bool>& ended) {
  const std::vector<unsigned> done = boards_.done(running(ended));
  const std::optional<unsigned> found = done.empty() ? std::nullopt : std::optional(done.front());
  stopped_ = found == suspect_ ? found : std::nullopt;
  suspect_ = found;
}

// CPU ranks that compute do not respond; then nothing is known, and nothing is wrong.
bool Watch::look_at_cpus(const std::vector<bool>& ended, std::map<unsigned, Sight>& seen) {
  const Job& job = station_.job();
  std::uint16_t from = 0;
  while (station_.take_system(POLYLOOM_ANY_RANK, POLYLOOM_WAITING, &from)) owing_.erase(from);  // too late
  std::set<unsigned> requested;
  for (unsigned r = 0; r < job.config.size; ++r) {
    if (ended[r] || job.is_fpga[r]) continue;
    requested.insert(r);
    if (owing_.insert(r).second) station_.send_system(static_cast<std::uint16_t>(r), POLYLOOM_QUERY, {});
  }
  const Time end = station_.now() + period_;
  while (!requested.empty() && station_.now() < end) {
    station_.pump(end);
    while (const auto data = station_.take_system(POLYLOOM_ANY_RANK, POLYLOOM_WAITING, &from)) {
      requested.erase(from);
      owing_.erase(from);
      if (data->size() < 48 || get_little<std::uint64_t>(*data, 0) == 0) return false;
      Sight& sight = seen[from];
      sight.wait.rank = from;
      for (unsigned i = 0; i < 3; ++i) sight.wait.words[i] = get_little<std::uint64_t>(*data, 8 * i);
      sight.wait.since = get_little<std::int64_t>(*data, 24);
      sight.envelopes = get_little<std::uint64_t>(*data, 32);
      sight.bytes = get_little<std::uint64_t>(*data, 40);
    }
  }
  return requested.empty();
}

bool Watch::look(const std::vector<bool>& ended) {
  look_for_stopped(ended);
  std::map<unsigned, Sight> seen;
  bool all = true;
  for (const unsigned r : running(ended)) {  // one after the other, as the first that works ends the look
    const auto wait = boards_.waiting(r);
    all = wait.has_value();
    if (!all) break;
    const BoardCounters c = boards_.counters({r}).front();
    seen[r] = {*wait, c.value[5] + c.value[6], c.value[10]};
  }
  all = all && look_at_cpus(ended, seen);
  next_ = station_.now() + period_;
  if (!all || seen.empty()) {
    same_ = 0;
    last_.clear();
    return false;
  }
  same_ = same(last_, seen) ? same_ + 1 : 0;
  last_ = std::move(seen);
  return same_ >= kLooks;
}

std::vector<Wait> Watch::waits() const {
  std::vector<Wait> waits;
  for (const auto& [rank, sight] : last_) waits.push_back(sight.wait);
  return waits;
}

std::string crowd(const std::vector<Wait>& waits, const Job& job) {
  for (const Wait& send : waits) {
    const int to = waits_for(send);
    if (!waits_to_send(send) || to < 0 || !job.is_fpga[static_cast<unsigned>(to)]) continue;
    const auto other = std::find_if(waits.begin(), waits.end(),
                                    [&](const Wait& w) { return w.rank == static_cast<unsigned>(to); });
    if (other == waits.end() || waits_to_send(*other)) continue;
    if (waits_for(*other) >= 0 && waits_for(*other) != static_cast<int>(send.rank)) continue;
    const std::string sender = "rank " + std::to_string(send.rank), receiver = "rank " + std::to_string(to);
    if ((send.words[0] & 0xFF) == POLYLOOM_SEND_WAIT)
      return receiver + " takes " + std::to_string(job.config.credits) + " short messages of " + sender +
             " before their receives; another MPI_Send waits for its own: use MPI_Isend, or post the "
             "receives " +
             "earlier (docs/guides/mpi.md, Limits)";
    return receiver + " keeps at most " +
           std::to_string(std::max(job.config.credits, job.config.most_envelopes)) + " messages of " +
           sender + " that no receive has taken: if " + sender + " has sent as many that " + receiver +
           " does not want yet, post their receives earlier (docs/guides/mpi.md, Limits)";
  }
  return {};
}

std::vector<unsigned> circle(const std::vector<Wait>& waits) {
  std::map<unsigned, int> next;
  for (const Wait& w : waits) next[w.rank] = waits_for(w);
  for (const auto& [first, unused] : next) {
    std::vector<unsigned> path;
    int at = static_cast<int>(first);
    while (at >= 0 && next.contains(static_cast<unsigned>(at)) && path.size() <= next.size()) {
      path.push_back(static_cast<unsigned>(at));
      at = next[static_cast<unsigned>(at)];
      if (at == static_cast<int>(first)) return path;
    }
  }
  return {};
}

}  // namespace polyloom::mpi

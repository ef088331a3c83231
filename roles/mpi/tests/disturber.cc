// SPDX-License-Identifier: Apache-2.0
#include "roles/mpi/tests/disturber.h"

#include <algorithm>

#include "roles/mpi/arch/packet.h"

namespace polyloom::mpi::testing {

using fabric::Time;
namespace {

// UDP's destination port.
bool is_mpi(const std::vector<std::uint64_t>& words) {
  return words.size() > 5 && (words[4] >> 32 & 0xFFFF) == (mpi::kMpiPort >> 8 | (mpi::kMpiPort & 0xFF) << 8);
}

}  // namespace

void Disturber::pass(std::size_t port, Time at, std::uint8_t keep) {
  for (int copy = chance(faults_.twice) ? 2 : 1; copy > 0; --copy) {
    const auto late = static_cast<Time>(static_cast<double>(faults_.lateness) *
                                        std::uniform_real_distribution<>(0, 1)(random_));
    out_[1 - port].push({at + (chance(faults_.late) ? late : 0), ++order_, keep, partial_[port]});
  }
}

void Disturber::pass_as_reported(std::size_t port, Time at, std::uint8_t keep) {
  const Fate fate = is_mpi(partial_[port]) ? schedule(number_++) : Fate::pass;
  const auto send = [&] { out_[1 - port].push({at, ++order_, keep, partial_[port]}); };
  if (fate == Fate::late && !overtaken_[port]) {
    overtaken_[port] = Held{at, 0, keep, partial_[port]};
    return;
  }
  if (fate != Fate::lost) send();
  if (fate == Fate::twice) send();
  if (overtaken_[port] && is_mpi(partial_[port])) {
    out_[1 - port].push({at, ++order_, overtaken_[port]->keep, std::move(overtaken_[port]->words)});
    overtaken_[port].reset();
  }
}

void Disturber::advance(Time until) {
  for (std::size_t p = 0; p < 2; ++p) {
    while (const fabric::Segment* front = ports_[p].rx->front()) {
      const Time end = front->words.empty() ? front->first : front->word_time(front->words.size() - 1);
      if (end >= until) break;
      const fabric::Segment s = ports_[p].rx->take();
      partial_[p].insert(partial_[p].end(), s.words.begin(), s.words.end());
      if (!s.tail) continue;
      if (schedule) {
        pass_as_reported(p, end, s.keep);
      } else {
        pass(p, end, s.keep);
      }
      partial_[p].clear();
    }
  }
  for (std::size_t p = 0; p < 2; ++p) {
    while (!out_[p].empty() && std::max(out_[p].top().at, ports_[p].tx->free_at()) < until) {
      fabric::Segment s;
      s.first = std::max(out_[p].top().at, ports_[p].tx->free_at());
      s.keep = out_[p].top().keep;
      s.words = out_[p].top().words;
      out_[p].pop();
      ports_[p].tx->send(std::move(s));
    }
  }
}

Time Disturber::next_event() const {
  Time next = fabric::kNever;
  for (std::size_t p = 0; p < 2; ++p) {
    if (!out_[p].empty()) next = std::min(next, std::max(out_[p].top().at, ports_[p].tx->free_at()));
  }
  return next;
}

}  // namespace polyloom::mpi::testing

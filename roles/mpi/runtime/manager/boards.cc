// SPDX-License-Identifier: Apache-2.0
#include "roles/mpi/runtime/manager/boards.h"

#include <algorithm>
#include <map>

#include "fabric/error.h"

namespace polyloom::mpi {

namespace {

/// FPGAs that are asked at the same time: each responds within some microseconds, and the table of a large job
/// goes to all of them over the manager's one link.
constexpr std::size_t kAtOnce = 64;

}  // namespace

const char* const kBoardCounterNames[16] = {
    "frames_in",      "frames_out",         "dropped_fcs", "dropped_foreign", "not_in_order",
    "envelopes_sent", "envelopes_accepted", "sent_again",  "dropped_no_room", "time_outs",
    "bytes_in",       "bytes_out",          "cycles",      nullptr,           nullptr,
    nullptr};

std::vector<Management> Boards::query(std::vector<Question> questions) {
  struct Open {
    std::size_t question;
    unsigned tries;
    Time again;
  };
  std::vector<Management> responses(questions.size());
  std::map<std::uint32_t, Open> open;  // by address
  const auto endpoint = [&](std::size_t i) {
    Endpoint to = station_.job().table.at(questions[i].rank);
    to.port = kManagementPort;
    return to;
  };
  const auto send = [&](Open& o) {
    station_.transport().send(endpoint(o.question), write_management(questions[o.question].what));
    o.again = station_.now() + limits_.timeout;
    ++o.tries;
  };
  station_.on_other([&](const Endpoint& from, Bytes datagram) {
    const auto at = open.find(from.ip);
    if (at == open.end() || from.port != kManagementPort) return;
    const Management& request = questions[at->second.question].what;
    const auto right = request.op == ManagementOp::write ? ManagementOp::written : ManagementOp::data;
    const auto m = read_management(datagram);
    if (!m || m->op != right || m->seq != request.seq || m->first != request.first) return;
    responses[at->second.question] = *m;
    open.erase(at);
  });
  for (std::size_t next = 0; next < questions.size() || !open.empty();) {
    for (; next < questions.size() && open.size() < kAtOnce; ++next) {
      questions[next].what.seq = ++seq_;
      send(open[endpoint(next).ip] = {next, 0, 0});
    }
    Time until = kNever;
    for (auto& [ip, o] : open) {
      if (o.again <= station_.now()) {
        if (o.tries == limits_.tries) {
          station_.on_other({});
          throw UserError("rank " + std::to_string(questions[o.question].rank) +
                          ": its FPGA does not respond to management; is it a node of role "
                          "kernel, and is its address that of the job's table?");
        }
        send(o);
      }
      until = std::min(until, o.again);
    }
    station_.pump(until);
  }
  station_.on_other({});
  return responses;
}

void Boards::write(const std::vector<unsigned>& ranks, std::uint32_t first, const Values& values) {
  for (std::size_t at = 0; at < values.size(); at += kMaxRegisters) {
    const std::size_t count = std::min<std::size_t>(kMaxRegisters, values.size() - at);
    Management m{
        ManagementOp::write, static_cast<std::uint8_t>(count), 0, first + static_cast<std::uint32_t>(at), {}};
    m.values.assign(values.begin() + static_cast<std::ptrdiff_t>(at),
                    values.begin() + static_cast<std::ptrdiff_t>(at + count));
    std::vector<Question> questions;
    for (const unsigned rank : ranks) questions.push_back({rank, m});
    query(std::move(questions));
  }
}

std::vector<Boards::Values> Boards::read(const std::vector<unsigned>& ranks, std::uint32_t first,
                                         unsigned count) {
  std::vector<Question> questions;
  for (const unsigned rank : ranks)
    questions.push_back({rank, {ManagementOp::read, static_cast<std::uint8_t>(count), 0, first, {}}});
  std::vector<Values> found;
  for (Management& m : query(std::move(questions))) {
    if (m.values.size() != count)
      throw UserError("rank " + std::to_string(ranks[found.size()]) + ": a response of another length");
    found.push_back(std::move(m.values));
  }
  return found;
}

void Boards::configure(const std::vector<unsigned>& ranks, const std::vector<std::uint64_t>& clock_hz) {
  const Job& job = station_.job();
  const Config& c = job.config;
  stop(ranks);
  const std::vector<Values> about = read(ranks, 0x000, 1), bounds = read(ranks, 0x008, 1);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::string name = "rank " + std::to_string(ranks[i]);
    if (about[i][0] != 0x504C4D50'00000001)
      throw UserError(name + ": the FPGA speaks another version of the protocol");
    const std::uint64_t most_ranks = bounds[i][0] & 0xFFFF, pool = bounds[i][0] >> 32;
    if (c.size > most_ranks) {
      throw UserError(name + ": a job of " + std::to_string(c.size) +
                      " ranks; its FPGA is built for at most " + std::to_string(most_ranks));
    }
    const std::uint64_t wanted = std::uint64_t{c.eager_bytes} * c.credits * (c.size + 1u);
    if (pool != 0 && wanted > pool) {
      throw UserError(name + ": credits x eager_bytes x (size + 1) = " + std::to_string(wanted) +
                      " bytes; its FPGA keeps " + std::to_string(pool) + "; lower credits or eager_bytes");
    }
  }
  Values table;
  for (const Endpoint& e : job.table) {
    table.push_back(e.mac);
    table.push_back(e.ip | std::uint64_t{e.port} << 32);
  }
  write(ranks, 0x100, table);
  std::vector<Question> settings;
  for (const unsigned rank : ranks) {
    const auto cycles = [&](Time ps) {
      const long double value =
          static_cast<long double>(ps) * static_cast<long double>(clock_hz[rank]) / 1e12L;
      return static_cast<std::uint64_t>(std::min(value, 4294967295.0L));
    };
    const Values values = {
        rank | std::uint64_t{c.size} << 16,
        c.eager_bytes | std::uint64_t{c.credits} << 16 | std::uint64_t{c.most_envelopes} << 32,
        cycles(c.retransmission) | cycles(c.ack_delay) << 32, c.window | std::uint64_t{c.retries} << 32};
    settings.push_back({rank, {ManagementOp::write, 4, 0, 0x004, values}});
  }
  query(std::move(settings));
  write(ranks, 0x003, {c.job});
}

std::vector<BoardCounters> Boards::counters(const std::vector<unsigned>& ranks) {
  std::vector<BoardCounters> counters;
  for (const Values& values : read(ranks, 0x010, 16)) {
    counters.emplace_back();
    std::copy(values.begin(), values.end(), counters.back().value);
  }
  return counters;
}

std::vector<unsigned> Boards::done(const std::vector<unsigned>& ranks) {
  const std::vector<Values> states = read(ranks, 0x002, 1);
  std::vector<unsigned> found;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if ((states[i][0] & 2) != 0) found.push_back(ranks[i]);
  }
  return found;
}

std::optional<Wait> Boards::waiting(unsigned rank) {
  const Values values = read({rank}, 0x020, 4)[0];
  if (values[3] == 0) return std::nullopt;
  Wait wait;
  wait.rank = rank;
  std::copy(values.begin(), values.begin() + 3, wait.words);
  wait.since = static_cast<std::int64_t>(values[3]);
  return wait;
}

}  // namespace polyloom::mpi

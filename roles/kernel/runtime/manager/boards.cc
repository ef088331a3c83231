// SPDX-License-Identifier: Apache-2.0
#include "roles/kernel/runtime/manager/boards.h"

#include <algorithm>

#include "fabric/error.h"

namespace polyloom::mpi {

const char* const kBoardCounterNames[16] = {
    "frames_in",      "frames_out",         "dropped_fcs", "dropped_foreign", "not_in_order",
    "envelopes_sent", "envelopes_accepted", "sent_again",  "dropped_no_room", "time_outs",
    "bytes_in",       "bytes_out",          "cycles",      nullptr,           nullptr,
    nullptr};

Management Boards::ask(unsigned rank, Management request) {
  Endpoint to = station_.job().table.at(rank);
  to.port = kManagementPort;
  request.seq = ++seq_;
  std::optional<Management> answer;
  station_.on_other([&](const Endpoint& from, Bytes datagram) {
    if (from.ip != to.ip || from.port != kManagementPort) return;
    const auto m = read_management(datagram);
    const auto right = request.op == ManagementOp::write ? ManagementOp::written : ManagementOp::data;
    if (m && m->op == right && m->seq == request.seq && m->first == request.first) answer = m;
  });
  const std::vector<std::byte> datagram = write_management(request);
  for (unsigned i = 0; i < limits_.tries && !answer; ++i) {
    station_.transport().send(to, datagram);
    const Time end = station_.now() + limits_.timeout;
    while (!answer && station_.now() < end) station_.pump(end);
  }
  station_.on_other({});
  if (!answer) {
    throw UserError("rank " + std::to_string(rank) +
                    ": its FPGA does not answer to management; is it a node of role "
                    "kernel, and is its address that of the job's table?");
  }
  return *answer;
}

void Boards::write(unsigned rank, std::uint32_t first, const std::vector<std::uint64_t>& values) {
  for (std::size_t at = 0; at < values.size(); at += kMaxRegisters) {
    const std::size_t count = std::min<std::size_t>(kMaxRegisters, values.size() - at);
    Management m{
        ManagementOp::write, static_cast<std::uint8_t>(count), 0, first + static_cast<std::uint32_t>(at), {}};
    m.values.assign(values.begin() + static_cast<std::ptrdiff_t>(at),
                    values.begin() + static_cast<std::ptrdiff_t>(at + count));
    ask(rank, m);
  }
}

std::vector<std::uint64_t> Boards::read(unsigned rank, std::uint32_t first, unsigned count) {
  const Management m = ask(rank, {ManagementOp::read, static_cast<std::uint8_t>(count), 0, first, {}});
  if (m.values.size() != count)
    throw UserError("rank " + std::to_string(rank) + ": an answer of another length");
  return m.values;
}

void Boards::configure(unsigned rank, std::uint64_t clock_hz) {
  const Job& job = station_.job();
  const Config& c = job.config;
  stop(rank);
  const std::uint64_t version = read(rank, 0x000, 1)[0], limits = read(rank, 0x008, 1)[0];
  const std::string name = "rank " + std::to_string(rank);
  if (version != 0x504C4D50'00000001)
    throw UserError(name + ": the FPGA speaks another version of the protocol");
  const std::uint64_t most_ranks = limits & 0xFFFF, pool = limits >> 32;
  if (c.size > most_ranks) {
    throw UserError(name + ": a job of " + std::to_string(c.size) + " ranks; its FPGA is built for at most " +
                    std::to_string(most_ranks));
  }
  const std::uint64_t wanted = std::uint64_t{c.eager_bytes} * c.credits * (c.size + 1u);
  if (pool != 0 && wanted > pool) {
    throw UserError(name + ": credits x eager_bytes x (size + 1) = " + std::to_string(wanted) +
                    " bytes; its FPGA keeps " + std::to_string(pool) + "; lower credits or eager_bytes");
  }
  const auto cycles = [&](Time ps) {
    const long double value = static_cast<long double>(ps) * static_cast<long double>(clock_hz) / 1e12L;
    return static_cast<std::uint64_t>(std::min(value, 4294967295.0L));
  };
  std::vector<std::uint64_t> table;
  for (const Endpoint& e : job.table) {
    table.push_back(e.mac);
    table.push_back(e.ip | std::uint64_t{e.port} << 32);
  }
  write(rank, 0x100, table);
  write(rank, 0x004,
        {rank | std::uint64_t{c.size} << 16,
         c.eager_bytes | std::uint64_t{c.credits} << 16 | std::uint64_t{c.most_envelopes} << 32,
         cycles(c.retransmission) | cycles(c.ack_delay) << 32, c.window | std::uint64_t{c.retries} << 32});
  write(rank, 0x003, {c.job});
}

BoardCounters Boards::counters(unsigned rank) {
  const std::vector<std::uint64_t> values = read(rank, 0x010, 16);
  BoardCounters counters;
  std::copy(values.begin(), values.end(), counters.value);
  return counters;
}

std::optional<Wait> Boards::waiting(unsigned rank) {
  const std::vector<std::uint64_t> values = read(rank, 0x020, 4);
  if (values[3] == 0) return std::nullopt;
  Wait wait;
  wait.rank = rank;
  std::copy(values.begin(), values.begin() + 3, wait.words);
  wait.since = static_cast<std::int64_t>(values[3]);
  return wait;
}

}  // namespace polyloom::mpi

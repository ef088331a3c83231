// SPDX-License-Identifier: Apache-2.0
#include "roles/mpi/arch/history.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "roles/mpi/arch/command.h"
#include "roles/mpi/arch/messages.h"

namespace polyloom::mpi {
namespace {

constexpr std::size_t kCalls = 1 << 17;        // kept of all FPGAs, and of all CPU ranks
constexpr std::size_t kLeast = 128;            // of each
constexpr std::size_t kSums = 1024;            // of each; more peers are summed as one
constexpr std::uint16_t kOthers = 0xFFFE;      // that one
constexpr History::Time kPolling = 2'000'000;  // questions in vain that follow so soon are a way to wait

unsigned op_of(const std::uint64_t* words) { return static_cast<unsigned>(words[0] & 0xFF); }
bool requests(unsigned op) { return op == POLYLOOM_TEST || op == POLYLOOM_IPROBE; }

/// Of a message: what a command does.
const char *const kStart = "start", *const kWait = "wait", *const kBoth = "both", *const kLook = "look";
const char* kind_of(unsigned op) {
  switch (op) {
    case POLYLOOM_SEND:
    case POLYLOOM_SSEND:
    case POLYLOOM_RECV:
      return kStart;
    case POLYLOOM_WAIT:
    case POLYLOOM_TEST:
      return kWait;
    case POLYLOOM_SEND_WAIT:
    case POLYLOOM_SSEND_WAIT:
    case POLYLOOM_RECV_WAIT:
      return kBoth;
    default:
      return kLook;
  }
}

Wait wait_of(unsigned rank, std::uint64_t word0, std::uint64_t comm) { return {rank, {word0, comm, 0}, 0}; }

}  // namespace

void History::begin(Time at, unsigned ranks) {
  *this = {};
  began_ = true;
  begin_ = end_ = last_ = at;
  most_ = std::max(kLeast, kCalls / std::max(ranks, 1u));
}

void History::command(Time at, const std::uint64_t words[3]) {
  now_ = {};
  now_.begin = at;
  std::copy_n(words, 3, now_.words);
}

void History::response(Time at, const std::uint64_t words[2]) {
  const unsigned op = op_of(now_.words);
  const auto responded = static_cast<std::uint16_t>(words[0] >> 16);
  now_.end = at;
  now_.peer = static_cast<std::uint16_t>(now_.words[0] >> 16);
  now_.tag = static_cast<std::int32_t>(now_.words[0] >> 32);
  now_.handle = kind_of(op) == kStart ? responded : static_cast<std::uint16_t>(now_.words[1] >> 16);
  now_.bytes = static_cast<std::uint32_t>(now_.words[2]);
  const bool keeps = op == POLYLOOM_TEST && (now_.words[0] >> 8 & POLYLOOM_KEEP) != 0;
  now_.done = !requests(op) || (!keeps && (words[0] >> 8 & 1) != 0);
  // Of a receive that is complete, and of what was found: which message it was.
  const Wait wait = wait_of(0, now_.words[0], now_.words[1] & 0xFFFF);
  if (now_.done && kind_of(op) != kStart && !waits_to_send(wait)) {
    now_.peer = responded;
    now_.tag = static_cast<std::int32_t>(words[0] >> 32);
    const auto bytes = static_cast<std::uint32_t>(words[1]);
    now_.bytes = bytes == POLYLOOM_CANCELLED ? 0 : bytes;
  }
  if (kind_of(op) == kStart && (words[0] & 0xFF) == POLYLOOM_OK) {
    std::copy_n(now_.words, 3, open_[responded].begin());
  } else if (kind_of(op) == kWait && now_.done) {
    open_.erase(now_.handle);
  }
  const bool goes_on = polls_ && requests(op) && now_.begin - last_ <= kPolling;
  note(now_, goes_on ? last_ : now_.begin);
  count(now_);
  polls_ = requests(op) && !now_.done;
  last_ = at;
}

void History::count(const Call& call) {
  if (static_cast<std::uint16_t>(call.words[1]) == POLYLOOM_SYSTEM) return;
  const char* const kind = kind_of(op_of(call.words));
  const bool sends = waits_to_send(wait_of(0, call.words[0], 0));
  const bool in_collective = call.words[1] % 2 == 1;
  if (sends && (kind == kStart || kind == kBoth)) {
    if (!in_collective) ++pairs_[call.peer][0];
    ++sent_;
    sent_bytes_ += call.bytes;
  } else if (!sends && call.done && (kind == kWait || kind == kBoth)) {
    if (!in_collective) ++pairs_[call.peer][1];
    ++received_;
    received_bytes_ += call.bytes;
  }
}

// `since`: from when on the time is the call's.
void History::note(const Call& call, Time since) {
  const Time time = call.end - since;
  waited_ += time;
  // Without what makes no difference to the call's name.
  const auto comm = static_cast<std::uint16_t>(call.words[1]);
  const std::uint64_t tag = comm % 2 == 1 ? 0xFFFF'0000'0000 : 0;
  const std::uint64_t kind = kind_of(op_of(call.words)) == kWait ? 0x7FFF : 0xFF;
  Key key{call.words[0] & (tag | kind), comm == POLYLOOM_SYSTEM ? comm : comm % 2, call.peer};
  if (sums_.size() >= kSums && !sums_.contains(key)) std::get<2>(key) = kOthers;
  Sum& sum = sums_[key];
  ++sum.count;
  sum.time += time;

  const bool joins = since != call.begin;
  if (!joins) {
    ++commands_;
    full_ = calls_.size() == most_;
    if (!full_) calls_.push_back(call);
  } else if (!full_) {
    const Time begin = calls_.back().begin;
    calls_.back() = call;
    calls_.back().begin = begin;
  }
}

std::vector<Wait> History::open() const {
  std::vector<Wait> waits;
  std::set<std::pair<std::uint64_t, std::uint64_t>> collectives;  // by communicator and tag
  for (const auto& [handle, words] : open_) {
    const std::uint64_t comm = words[1] & 0xFFFF;
    if (comm % 2 == 1 && !collectives.emplace(comm, words[0] >> 32).second) continue;
    waits.emplace_back();
    std::ranges::copy(words, waits.back().words);
  }
  return waits;
}

void History::tables(unsigned rank, bool fpga, const Sink& sink) const {
  if (!began_) return;
  const auto join = [](auto... values) {
    std::string row;
    ((row += std::to_string(values) + ","), ...);
    return row;
  };
  std::string row = join(rank, int{fpga}, begin_, std::max(end_, last_), waited_, dram_, commands_,
                         calls_.size(), sent_, sent_bytes_, received_, received_bytes_);
  row.pop_back();
  sink("mpi_ranks",
       "rank,fpga,begin_ps,end_ps,waited_ps,dram_ps,commands,kept,sent,sent_bytes,received,received_bytes",
       row);
  std::map<std::tuple<std::string, bool, std::uint16_t>, Sum> by_name;
  for (const auto& [key, sum] : sums_) {
    const auto& [word0, comm, peer] = key;
    const Wait wait = wait_of(rank, word0, comm);
    Sum& all = by_name[{wait_call(wait), waits_to_send(wait), peer}];
    all.count += sum.count;
    all.time += sum.time;
  }
  for (const auto& [key, sum] : by_name) {
    const auto& [call, sends, peer] = key;
    sink("mpi_waits", "rank,call,sends,peer,count,ps",
         join(rank) + call + "," + join(int{sends}, peer, sum.count) + std::to_string(sum.time));
  }
  for (const auto& [peer, messages] : pairs_)
    sink("mpi_pairs", "rank,peer,sent,received", join(rank, peer, messages[0]) + std::to_string(messages[1]));
  if (fpga && ended_ && !open_.empty())
    sink("mpi_left", "rank,text", join(rank) + "\"" + left_text(rank, open()) + "\"");
  for (const Call& call : calls_) {
    const auto comm = static_cast<std::uint16_t>(call.words[1]);
    const Wait wait = wait_of(rank, call.words[0], comm);
    sink("mpi_calls", "rank,begin_ps,end_ps,call,kind,sends,peer,comm,handle,bytes,done,tag",
         join(rank, call.begin, call.end) + wait_call(wait) + "," + kind_of(op_of(call.words)) + "," +
             join(int{waits_to_send(wait)}, call.peer, comm, call.handle, call.bytes, int{call.done}) +
             std::to_string(static_cast<std::uint32_t>(call.tag)));
  }
}

}  // namespace polyloom::mpi

// SPDX-License-Identifier: Apache-2.0
#include "roles/mpi/runtime/manager/manager.h"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "fabric/error.h"
#include "fabric/json_text.h"
#include "roles/mpi/arch/field.h"

namespace polyloom::mpi {
namespace {

using nlohmann::json;

constexpr Time kMillisecond = 1'000'000'000;

Time hang_period(const Job& job) {
  const Time fallback = job.on_fabric ? 5 * kMillisecond : 1000 * kMillisecond;
  return json::parse(job.text).value("hang_ps", fallback);
}

// The argument block of arch/system.h.
std::vector<std::byte> argument_block(std::uint32_t rank, std::uint32_t size,
                                      const std::vector<std::string>& arguments) {
  std::vector<std::byte> block;
  const auto argc = static_cast<std::uint32_t>(arguments.size());
  put_little(block, rank);
  put_little(block, size);
  put_little(block, argc);
  std::uint32_t at = 12 + 4 * argc;
  for (const std::string& text : arguments) {
    put_little(block, at);
    at += static_cast<std::uint32_t>(text.size()) + 1;
  }
  for (const std::string& text : arguments) {
    for (const char c : text) block.push_back(static_cast<std::byte>(c));
    block.push_back(std::byte{0});
  }
  if (block.size() > POLYLOOM_ARGV_BYTES) {
    throw UserError("the program's arguments take " + std::to_string(block.size()) +
                    " bytes; allowed: " + std::to_string(POLYLOOM_ARGV_BYTES));
  }
  return block;
}

}  // namespace

Manager::Manager(const Job& job)
    : job_(job),
      station_(job, make_transport(job)),
      boards_(station_, Limits{}),
      watch_(station_, boards_, hang_period(job)),
      clock_hz_(job.config.size),
      ended_(job.config.size, false) {
  const json file = json::parse(job.text);
  for (const json& word : file.value("arguments", json::array({"program"})))
    arguments_.push_back(bytes_of(word));
  const json kernels = file.value("kernels", json::object());
  for (unsigned r = 0; r < job.config.size; ++r) {
    if (!job.is_fpga[r]) continue;
    fpgas_.push_back(r);
    const json kernel = kernels.value(std::to_string(r), json::object());
    clock_hz_[r] = kernel.value("clock_hz", std::uint64_t{156'250'000});
    const Strings strings = kernel.contains("report") ? read_strings(bytes_of(kernel["report"])) : Strings{};
    const auto print = [this, r](unsigned stream, const std::string& text) {
      say({{"event", "output"},
           {"rank", r},
           {"stream", stream == POLYLOOM_STDERR ? "stderr" : "stdout"},
           {"text", json_bytes(text)}});
    };
    libraries_.try_emplace(r, strings, print);
  }
}

void Manager::say(const json& event) { std::cout << json_text(event) << std::endl; }

void Manager::start() {
  boards_.configure(fpgas_, clock_hz_);
  boards_.start(fpgas_);
  began_ = station_.now();
  for (unsigned r = 0; r < job_.config.size; ++r) {
    station_.send_system(static_cast<std::uint16_t>(r), POLYLOOM_ARGV,
                         argument_block(r, job_.config.size, arguments_));
  }
  say({{"event", "start"}, {"ps", began_}});
}

void Manager::hear_record(std::uint16_t from, int tag, std::vector<std::byte> data) {
  const auto library = libraries_.find(from);
  if (library == libraries_.end()) return;
  const std::optional<Response> response = library->second.hear(tag, std::move(data));
  if (!response) return;
  station_.send_system(from, POLYLOOM_RESPONSE, Library::head_of(*response));
  for (const auto& part : response->parts) {
    if (!part.empty()) station_.send_system(from, POLYLOOM_RESPONSE, part);
  }
}

void Manager::hear_end(std::uint16_t from, std::int32_t code) {
  ended_[from] = true;
  if (code != 0) worst_code_ = code;
  say({{"event", "exit"}, {"rank", from}, {"code", code}, {"ps", station_.now() - began_}});
}

void Manager::hear_abort(std::uint16_t from, std::span<const std::byte> data) {
  polyloom_abort reason{1, 0, 0, 0xFFFF, -1, 0xFFFF};
  if (data.size() >= 12) {
    reason.code = get_little<std::int32_t>(data, 0);
    reason.error = get_little<std::uint32_t>(data, 4);
    reason.call = get_little<std::uint32_t>(data, 8);
  }
  if (data.size() >= sizeof reason) {
    reason.peer = get_little<std::uint32_t>(data, 12);
    reason.tag = get_little<std::int32_t>(data, 16);
    reason.comm = get_little<std::uint32_t>(data, 20);
  }
  const std::string text = reason.call == 0
                               ? "rank " + std::to_string(from) + ": the program ended without MPI_Finalize"
                               : abort_text(from, reason);
  aborted_ = true;
  station_.part(from);
  say({{"event", "abort"}, {"rank", from}, {"code", reason.code}, {"text", text}});
}

// True if any rank said something.
bool Manager::hear() {
  bool any = false;
  while (const auto found =
             station_.engine().probe({POLYLOOM_ANY_RANK, POLYLOOM_ANY_TAG, POLYLOOM_SYSTEM, 0})) {
    std::uint16_t from = 0;
    const auto data = station_.take_system(found->source, found->tag, &from);
    any = true;
    if (!data || from >= job_.config.size) continue;
    if (found->tag == POLYLOOM_FIN) hear_end(from, 0);
    if (found->tag == POLYLOOM_EXIT)
      hear_end(from, data->size() < 4 ? 1 : get_little<std::int32_t>(*data, 0));
    if (found->tag == POLYLOOM_ABORT) hear_abort(from, *data);
    hear_record(from, found->tag, *data);
  }
  return any;
}

bool Manager::all_ended() const {
  return std::all_of(ended_.begin(), ended_.end(), [](bool ended) { return ended; });
}

void Manager::say_deadlock() {
  const std::vector<Wait> waits = watch_.waits();
  json list = json::array();
  for (const Wait& wait : waits) {
    Wait shown = wait;
    const std::uint64_t hz = clock_hz_[wait.rank];
    // FPGAs count cycles since their start, CPU ranks tell the time.
    shown.since =
        hz != 0
            ? static_cast<Time>(static_cast<long double>(wait.since) * 1e12L / static_cast<long double>(hz))
            : wait.since - began_;
    list.push_back({{"rank", wait.rank},
                    {"for", waits_for(wait)},
                    {"call", wait_call(wait)},
                    {"since_ps", shown.since},
                    {"text", wait_text(shown)}});
  }
  json ended = json::array();
  for (unsigned r = 0; r < job_.config.size; ++r) {
    if (ended_[r]) ended.push_back(r);
  }
  say({{"event", "deadlock"},
       {"waits", list},
       {"ended", ended},
       {"circle", circle(waits)},
       {"note", crowd(waits, job_)}});
}

void Manager::end() {
  for (unsigned r = 0; r < job_.config.size; ++r) {
    if (!job_.is_fpga[r]) station_.send_system(static_cast<std::uint16_t>(r), POLYLOOM_RELEASE, {});
  }
  // A rank that has acknowledged and gone cannot do so again.
  station_.settle(20 * station_.engine().config().retransmission);
  json counters = json::object();
  const std::vector<BoardCounters> of = boards_.counters(fpgas_);
  for (std::size_t f = 0; f < fpgas_.size(); ++f) {
    for (unsigned i = 0; i < 16; ++i) {
      if (kBoardCounterNames[i]) counters[std::to_string(fpgas_[f])][kBoardCounterNames[i]] = of[f].value[i];
    }
  }
  boards_.stop(fpgas_);
  const Time took = station_.now() - began_;
  const std::string run = station_.transport().finish();
  say({{"event", "end"},
       {job_.on_fabric ? "simulated_ps" : "wall_ps", took},
       {"code", worst_code_},
       {"counters", counters},
       {"run", run.empty() ? json(nullptr) : json::parse(run, nullptr, false)}});
}

Outcome Manager::run() {
  start();
  watch_.alive(station_.now());
  while (!all_ended()) {
    if (hear()) watch_.alive(station_.now());
    if (aborted_) {
      boards_.stop(fpgas_);
      return Outcome::failed;
    }
    if (all_ended()) break;
    const bool stands_still = station_.now() >= watch_.next() && watch_.look(ended_);
    if (const auto rank = watch_.stopped()) {
      say({{"event", "error"},
           {"text", "rank " + std::to_string(*rank) + ": its kernel has stopped without saying how it ended"},
           {"consequence", false}});
      boards_.stop(fpgas_);
      return Outcome::failed;
    }
    if (stands_still) {
      say_deadlock();
      boards_.stop(fpgas_);
      return Outcome::deadlock;
    }
    station_.pump(watch_.next());
  }
  end();
  return worst_code_ == 0 ? Outcome::well : Outcome::failed;
}

}  // namespace polyloom::mpi

// SPDX-License-Identifier: Apache-2.0
#include "roles/mpi/runtime/cpu/job.h"

#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "fabric/error.h"

namespace polyloom::mpi {
namespace {

using nlohmann::json;

template <typename T>
T number(const json& from, const char* key, std::int64_t fallback, std::int64_t least, std::int64_t most) {
  const std::int64_t value = from.value(key, fallback);
  if (value < least || value > most) {
    throw UserError(std::string(key) + " = " + std::to_string(value) + "; allowed: " + std::to_string(least) +
                    " to " + std::to_string(most));
  }
  return static_cast<T>(value);
}

Job build(const json& file) {
  Job job;
  Config& c = job.config;
  c.job = number<std::uint32_t>(file, "job", 0, 1, 0xFFFFFFFF);
  c.size = number<std::uint16_t>(file, "size", 0, 1, 0x7FFF);
  c.rank = number<std::uint16_t>(file, "rank", 0, 0, c.size);
  c.eager_bytes = number<std::uint16_t>(file, "eager_bytes", c.eager_bytes, 8, kMaxPayload);
  c.credits = number<std::uint16_t>(file, "credits", c.credits, 1, 0x4000);
  c.most_envelopes = number<std::uint16_t>(file, "most_envelopes", c.most_envelopes, 0, 0x4000);
  c.window = number<std::uint32_t>(file, "window", c.window, 8, 1 << 30);
  c.window -= c.window % 8;
  c.retries = number<std::uint16_t>(file, "retries", c.retries, 1, 0xFFFF);
  c.rate = number<std::uint64_t>(file, "rate_bps", 0, 0, 1'000'000'000'000);
  const json times = file.value("times", json::object());
  c.retransmission = number<Time>(times, "retransmission_ps", c.retransmission, 1000, 1'000'000'000'000'000);
  c.ack_delay = number<Time>(times, "ack_delay_ps", c.ack_delay, 0, 1'000'000'000'000'000);
  const std::string transport = file.value("transport", "udp");
  if (transport != "udp" && transport != "fabric") {
    throw UserError("transport = \"" + transport + "\"; allowed: \"udp\", \"fabric\"");
  }
  job.on_fabric = transport == "fabric";
  for (const json& entry : file.at("table")) {
    job.table.push_back({parse_mac(entry.value("mac", "00:00:00:00:00:00")), parse_ip(entry.at("ip")),
                         number<std::uint16_t>(entry, "port", kMpiPort, 1, 0xFFFF)});
    job.is_fpga.push_back(entry.value("kind", "cpu") == "fpga");
  }
  if (job.table.size() != c.size + 1u) {
    throw UserError("table has " + std::to_string(job.table.size()) +
                    " entries; right: size + 1 = " + std::to_string(c.size + 1) + ", the manager last");
  }
  std::map<std::pair<std::uint32_t, std::uint16_t>, std::size_t> ranks;
  for (std::size_t rank = 0; rank < job.table.size(); ++rank) {
    const auto [other, is_new] = ranks.try_emplace({job.table[rank].ip, job.table[rank].port}, rank);
    if (is_new) continue;
    throw UserError("table: entries " + std::to_string(other->second) + " and " + std::to_string(rank) +
                    " have the same ip and port; each rank needs its own");
  }
  return job;
}

}  // namespace

std::uint64_t parse_mac(const std::string& text) {
  unsigned b[6];
  char end;
  if (std::sscanf(text.c_str(), "%2x:%2x:%2x:%2x:%2x:%2x%c", b, b + 1, b + 2, b + 3, b + 4, b + 5, &end) !=
      6) {
    throw UserError("mac = \"" + text + "\"; right: six bytes such as 02:50:0a:50:00:01");
  }
  std::uint64_t mac = 0;
  for (const unsigned byte : b) mac = mac << 8 | byte;
  return mac;
}

std::uint32_t parse_ip(const std::string& text) {
  unsigned b[4];
  char end;
  const bool fits = std::sscanf(text.c_str(), "%3u.%3u.%3u.%3u%c", b, b + 1, b + 2, b + 3, &end) == 4 &&
                    b[0] < 256 && b[1] < 256 && b[2] < 256 && b[3] < 256;
  if (!fits) throw UserError("ip = \"" + text + "\"; right: four numbers such as 10.80.0.1");
  return b[0] << 24 | b[1] << 16 | b[2] << 8 | b[3];
}

Job read_job(const std::string& path) {
  std::ifstream in(path);
  if (!in)
    throw UserError(path + ": cannot be read; POLYLOOM_MPI_JOB names the file that polyloom mpirun writes");
  std::stringstream text;
  text << in.rdbuf();
  try {
    Job job = build(json::parse(text.str()));
    job.text = text.str();
    return job;
  } catch (const json::exception& error) {
    throw UserError(path + ": " + error.what());
  } catch (const UserError& error) {
    throw UserError(path + ": " + error.what());
  }
}

}  // namespace polyloom::mpi

// SPDX-License-Identifier: Apache-2.0
// What the launcher tells a process of a job: a JSON file, named by POLYLOOM_MPI_JOB.
//
//   {"job": 7, "rank": 0, "size": 4, "transport": "udp" | "fabric",
//    "eager_bytes": 1440, "credits": 16, "most_envelopes": 0, "window": 64800, "retries": 20, "rate_bps": 0,
//    "times": {"retransmission_ps": ..., "ack_delay_ps": ...},
//    "cpu": {"instructions_a_second": 2500000000} | {"measured": true},  // fabric only; neither: free
//    "table": [{"mac": "02:50:0a:50:00:01", "ip": "10.80.0.1", "port": 2718, "kind": "cpu" | "fpga"},
//              ..., manager]}
#pragma once

#include <string>
#include <vector>

#include "roles/mpi/runtime/engine/engine.h"

namespace polyloom::mpi {

struct Job {
  Config config;
  bool on_fabric = false;
  std::vector<Endpoint> table;  ///< by rank; the manager last
  std::vector<bool> is_fpga;    ///< by rank
  std::string text;             ///< the whole file
};

/// Throws UserError that names file and key.
Job read_job(const std::string& path);
/// Beside a rank's file, with its name and this: a file that says that the rank has called MPI_Init, for who
/// sees its process end and must know whether the other ranks wait for it.
inline constexpr const char* kBegun = ".begun";
/// The same of where a rank is: a line, written when it gets the signal SIGUSR1.
inline constexpr const char* kWhere = ".where";
/// "02:50:0a:50:00:01" and "10.80.0.1"; throw UserError.
std::uint64_t parse_mac(const std::string& text);
std::uint32_t parse_ip(const std::string& text);

}  // namespace polyloom::mpi

// SPDX-License-Identifier: Apache-2.0
// Sentences about calls, errors and waits, for CPU ranks and the manager.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "roles/mpi/arch/system.h"

namespace polyloom::mpi {

/// "MPI_Recv"; "" of no call.
std::string call_name(unsigned call);
/// Of an MPI error class.
std::string error_text(unsigned error);
/// "rank 2: MPI_Recv: the message is longer than the receive's buffer (rank 1, tag 5, MPI_COMM_WORLD)"
std::string abort_text(unsigned rank, const polyloom_abort& reason);
/// "MPI_COMM_WORLD", "communicator 3".
std::string comm_name(unsigned wire);

/// What a rank waits for: a command of ENGINE.md.
struct Wait {
  unsigned rank = 0;
  std::uint64_t words[3] = {};
  std::int64_t since = 0;
};
/// "rank 1 waits in MPI_Recv for a message from rank 0, tag 7, MPI_COMM_WORLD, since 1.204 ms"
std::string wait_text(const Wait& wait);
/// "rank 2: 1 receive from rank 0, tag 5, was never completed"
std::string left_text(unsigned rank, const std::vector<Wait>& open);
/// "rank 2: 1 message from rank 0, tag 5, was never received"
std::string not_received_text(unsigned rank, const std::vector<Wait>& messages);
/// "rank 1 computes"
std::string busy_text(unsigned rank);
/// It waits for its message to be taken.
bool waits_to_send(const Wait& wait);
/// The rank that it waits for, or -1: any.
int waits_for(const Wait& wait);
/// The call as the program wrote it, as far as it is known: "MPI_Bcast", "a receive".
std::string wait_call(const Wait& wait);

}  // namespace polyloom::mpi

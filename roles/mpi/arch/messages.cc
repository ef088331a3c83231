// SPDX-License-Identifier: Apache-2.0
#include "roles/mpi/arch/messages.h"

#include <cstdio>

#include "roles/mpi/arch/calls.h"
#include "roles/mpi/arch/command.h"
#include "roles/mpi/arch/errors.h"
#include "roles/mpi/include/mpi.h"

namespace polyloom::mpi {
namespace {

unsigned op_of(const Wait& w) { return static_cast<unsigned>(w.words[0] & 0xFF); }
unsigned peer_of(const Wait& w) { return static_cast<unsigned>(w.words[0] >> 16 & 0xFFFF); }
std::int32_t tag_of(const Wait& w) { return static_cast<std::int32_t>(w.words[0] >> 32); }
unsigned comm_of(const Wait& w) { return static_cast<unsigned>(w.words[1] & 0xFFFF); }
unsigned type_of(const Wait& w) { return static_cast<unsigned>(w.words[0] >> 8 & 0xFF); }

bool in_collective(const Wait& w) { return comm_of(w) % 2 == 1 && comm_of(w) != POLYLOOM_SYSTEM; }

// What a call that says MPI_ERR_NO_MEM has no room for.
std::string no_room(unsigned call) {
  if (call >= POLYLOOM_CALL_Type_contiguous && call <= POLYLOOM_CALL_Type_dup) {
    return "no room for another datatype: an FPGA rank has at most 32 at once, of 512 runs of bytes in all, "
           "with 8 "
           "repetitions in one another; free some, or make them of fewer blocks";
  }
  if (call >= POLYLOOM_CALL_Comm_group && call <= POLYLOOM_CALL_Group_excl)
    return "too many groups at once: an FPGA rank has at most 31; free some first";
  if (call == POLYLOOM_CALL_Comm_dup || call == POLYLOOM_CALL_Comm_split ||
      call == POLYLOOM_CALL_Comm_create || call == POLYLOOM_CALL_Comm_create_group ||
      call == POLYLOOM_CALL_Cart_create || call == POLYLOOM_CALL_Graph_create ||
      call == POLYLOOM_CALL_Dist_graph_create || call == POLYLOOM_CALL_Dist_graph_create_adjacent) {
    return "too many communicators at once: a rank has at most 61 beside MPI_COMM_WORLD and MPI_COMM_SELF; "
           "free some first";
  }
  if (call >= POLYLOOM_CALL_Ibarrier && call <= POLYLOOM_CALL_Iexscan)
    return "too many collectives that do not block at once: an FPGA rank has at most 16; complete some first";
  if (call == POLYLOOM_CALL_Op_create)
    return "too many operators at once: an FPGA rank has at most 16; free some first";
  if (call >= POLYLOOM_CALL_Comm_create_keyval && call <= POLYLOOM_CALL_Info_dup)
    return "too many keys, attributes or entries of MPI_Info at once; free some first";
  if (call == POLYLOOM_CALL_Sendrecv_replace) return "too long a buffer to be kept";
  return "too many requests at once: a rank has at most 255 on an FPGA, 1023 on a CPU; complete some first";
}

// WAIT says in its type field what it waits for (ENGINE.md).
bool receives(const Wait& w) {
  const unsigned op = op_of(w);
  if (op == POLYLOOM_WAIT || op == POLYLOOM_TEST) return type_of(w) == POLYLOOM_RECV;
  return op == POLYLOOM_RECV || op == POLYLOOM_RECV_WAIT || op == POLYLOOM_PROBE || op == POLYLOOM_IPROBE;
}

// What goes between a rank and the manager.
std::string reported(std::int32_t tag) {
  switch (tag) {
    case POLYLOOM_ARGV:
      return "start";
    case POLYLOOM_PRINT:
    case POLYLOOM_PRINT_PART:
    case POLYLOOM_PRINT_FIRST:
      return "printf";
    case POLYLOOM_CALL:
    case POLYLOOM_CALL_DATA:
    case POLYLOOM_RESPONSE:
      return "C's library";
    case POLYLOOM_EXIT:
      return "exit";
    default:
      return "MPI_Abort";
  }
}

}  // namespace

std::string call_name(unsigned call) {
  static const char* const names[] = {"",
#define X(name) "MPI_" #name,
                                      POLYLOOM_CALLS(X)
#undef X
  };
  return call < sizeof names / sizeof *names ? names[call] : "call " + std::to_string(call);
}

std::string error_text(unsigned error) {
  switch (error) {
#define X(name, text) \
  case MPI_##name:    \
    return text;
    POLYLOOM_ERRORS(X)
#undef X
    default:
      return "error " + std::to_string(error);
  }
}

std::string comm_name(unsigned wire) {
  const unsigned context = wire / 2;
  return context == 0   ? "MPI_COMM_WORLD"
         : context == 1 ? "MPI_COMM_SELF"
                        : "communicator " + std::to_string(context);
}

// What an error says of that call.
static std::string text_of(const polyloom_abort& r) {
  if (r.error == MPI_ERR_NO_MEM) return no_room(r.call);
  if (r.error == MPI_ERR_BUFFER && (r.call == POLYLOOM_CALL_Bsend || r.call == POLYLOOM_CALL_Ibsend))
    return "no room in the buffer of MPI_Buffer_attach for this message beside those that have not been sent";
  return error_text(r.error);
}

std::string abort_text(unsigned rank, const polyloom_abort& r) {
  std::string text = "rank " + std::to_string(rank) + ": " + call_name(r.call);
  if (r.error == 0) return text + ": the program ended the job with code " + std::to_string(r.code);
  text += ": " + text_of(r);
  std::string where;
  if (r.peer != 0xFFFF && r.peer != 0xFFFFFFFF)
    where += "rank " + std::to_string(static_cast<std::int32_t>(r.peer)) + ", ";
  if (r.tag >= 0) where += "tag " + std::to_string(r.tag) + ", ";
  if (r.comm != 0xFFFF) where += comm_name(r.comm) + ", ";
  if (!where.empty()) text += " (" + where.substr(0, where.size() - 2) + ")";
  return text;
}

bool waits_to_send(const Wait& w) { return !receives(w); }

int waits_for(const Wait& w) { return peer_of(w) == POLYLOOM_ANY_RANK ? -1 : static_cast<int>(peer_of(w)); }

std::string wait_call(const Wait& w) {
  if (in_collective(w)) return call_name(static_cast<unsigned>(tag_of(w)) & 0xFFFF);
  if (comm_of(w) == POLYLOOM_SYSTEM && op_of(w) != POLYLOOM_FINALIZE) return reported(tag_of(w));
  switch (op_of(w)) {
    case POLYLOOM_SEND:
      return "MPI_Isend";
    case POLYLOOM_SSEND:
      return "MPI_Issend";
    case POLYLOOM_RECV:
      return "MPI_Irecv";
    case POLYLOOM_TEST:
      return "MPI_Test";
    case POLYLOOM_IPROBE:
      return "MPI_Iprobe";
    case POLYLOOM_SEND_WAIT:
      return "MPI_Send";
    case POLYLOOM_SSEND_WAIT:
      return "MPI_Ssend";
    case POLYLOOM_RECV_WAIT:
      return "MPI_Recv";
    case POLYLOOM_PROBE:
      return "MPI_Probe";
    case POLYLOOM_FINALIZE:
      return "MPI_Finalize";
    case POLYLOOM_WAIT:
      return receives(w) ? "MPI_Wait of a receive" : "MPI_Wait of a send";
    default:
      return "an MPI call";
  }
}

namespace {

std::string with(const Wait& w) {
  const std::string peer = waits_for(w) < 0 ? "any rank" : "rank " + std::to_string(waits_for(w));
  if (in_collective(w)) return peer + ", of " + wait_call(w) + " (do all ranks call it, with the same root?)";
  return peer + (tag_of(w) < 0 ? ", any tag" : ", tag " + std::to_string(tag_of(w)));
}

std::string of(const Wait& w) { return (receives(w) ? "receive from " : "send to ") + with(w); }

}  // namespace

std::string left_text(unsigned rank, const std::vector<Wait>& open) {
  const Wait& first = open.front();
  const bool is_collective = in_collective(first);
  const std::string begin = "rank " + std::to_string(rank) + ": " + std::to_string(open.size()) + " ";
  if (open.size() == 1)
    return begin + (is_collective ? wait_call(first) : of(first) + ",") + " was never completed";
  return begin + "requests were never completed, the first one " +
         (is_collective ? "an " + wait_call(first) : "a " + of(first));
}

std::string not_received_text(unsigned rank, const std::vector<Wait>& messages) {
  const std::string begin =
      "rank " + std::to_string(rank) + ": " + std::to_string(messages.size()) + " message";
  if (messages.size() == 1) return begin + " from " + with(messages.front()) + ", was never received";
  return begin + "s were never received, the first one from " + with(messages.front());
}

std::string busy_text(unsigned rank) { return "rank " + std::to_string(rank) + " computes"; }

std::string wait_text(const Wait& w) {
  std::string text = "rank " + std::to_string(w.rank) + " waits in " + wait_call(w);
  const std::string peer = waits_for(w) < 0 ? "any rank" : "rank " + std::to_string(waits_for(w));
  text += receives(w) ? " for a message from " + peer : " for " + peer + " to receive";
  if (!in_collective(w)) text += tag_of(w) < 0 ? ", any tag" : ", tag " + std::to_string(tag_of(w));
  char since[64];
  std::snprintf(since, sizeof since, ", since %.6f ms", static_cast<double>(w.since) * 1e-9);
  return text + ", " + comm_name(comm_of(w)) + since;
}

}  // namespace polyloom::mpi

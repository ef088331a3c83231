/* SPDX-License-Identifier: Apache-2.0 */
/* Messages between ranks and the manager, comm 0xFFFF (PROTOCOL.md, "System messages"). For C and C++. */
#pragma once

#include <stdint.h>

enum {
  POLYLOOM_ARGV = 1,
  POLYLOOM_PRINT = 2,
  POLYLOOM_EXIT = 3,
  POLYLOOM_ABORT = 4,
  POLYLOOM_FIN = 5,
  POLYLOOM_RELEASE = 6,
  POLYLOOM_ASK = 7,
  POLYLOOM_WAITING = 8,
  POLYLOOM_PRINT_PART = 9
};

enum {
  POLYLOOM_PRINT_INTEGER = 1,
  POLYLOOM_PRINT_DOUBLE = 2,
  POLYLOOM_PRINT_STRING = 3,
  POLYLOOM_PRINT_POINTER = 4,
  POLYLOOM_PRINT_QUAD = 5
};
enum { POLYLOOM_PRINT_ARGUMENTS = 14 };

/* ARGV, words of 32 bits: rank, size, argc, then argc offsets of strings from the block's begin; then the
 * strings. */
struct polyloom_argv {
  uint32_t rank, size, argc;
  uint32_t offset[];
};
enum { POLYLOOM_ARGV_BYTES = 1024 };

/* ABORT. `error` is 0 for MPI_Abort, else an MPI error class; `call` one of enum polyloom_call
 * (runtime/mpi/calls.h); peer (world rank), tag and comm are those of the command that failed, 0xFFFF, -1 and
 * 0xFFFF if there is none. */
struct polyloom_abort {
  int32_t code;
  uint32_t error;
  uint32_t call;
  uint32_t peer;
  int32_t tag;
  uint32_t comm;
};

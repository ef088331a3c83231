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
  POLYLOOM_QUERY = 7,
  POLYLOOM_WAITING = 8,
  POLYLOOM_PRINT_PART = 9,
  POLYLOOM_PRINT_FIRST = 10,
  POLYLOOM_CALL = 11,
  POLYLOOM_CALL_DATA = 12,
  POLYLOOM_RESPONSE = 13
};

enum {
  POLYLOOM_PRINT_INTEGER = 1,
  POLYLOOM_PRINT_DOUBLE = 2,
  POLYLOOM_PRINT_STRING = 3,
  POLYLOOM_PRINT_POINTER = 4,
  POLYLOOM_PRINT_QUAD = 5
};
enum { POLYLOOM_RECORD_ARGUMENTS = 16 };

/* Which function of C's library a CALL asks the manager for; of printf the number that the last one has
 * returned, of time the date at the job's start, in seconds. */
enum polyloom_c_function {
  POLYLOOM_C_printf = 1,
  POLYLOOM_C_snprintf,
  POLYLOOM_C_sscanf,
  POLYLOOM_C_fscanf,
  POLYLOOM_C_strtod,
  POLYLOOM_C_strtof,
  POLYLOOM_C_strerror,
  POLYLOOM_C_tgamma,
  POLYLOOM_C_tgammaf,
  POLYLOOM_C_time,
  POLYLOOM_C_gmtime,
  POLYLOOM_C_localtime,
  POLYLOOM_C_mktime,
  POLYLOOM_C_strftime,
  POLYLOOM_C_fopen,
  POLYLOOM_C_tmpfile,
  POLYLOOM_C_fclose,
  POLYLOOM_C_fread,
  POLYLOOM_C_fwrite,
  POLYLOOM_C_fgets,
  POLYLOOM_C_getline,
  POLYLOOM_C_fgetc,
  POLYLOOM_C_ungetc,
  POLYLOOM_C_fseek,
  POLYLOOM_C_ftell,
  POLYLOOM_C_feof,
  POLYLOOM_C_ferror,
  POLYLOOM_C_clearerr,
  POLYLOOM_C_remove,
  POLYLOOM_C_rename
};

/* FILE* of a kernel; the manager's numbers follow. */
enum { POLYLOOM_STDOUT = 1, POLYLOOM_STDERR = 2, POLYLOOM_STDIN = 3 };

/* RESPONSE: the function's value, of a real its bits; errno if it failed, else 0; lengths of the parts that
 * follow, those of 0 bytes left out. */
enum { POLYLOOM_MOST_PARTS = 30 };
struct polyloom_result {
  int64_t value;
  int32_t error;
  uint32_t parts;
  uint32_t bytes[POLYLOOM_MOST_PARTS];
};

/* ARGV, words of 32 bits: rank, size, argc, then argc offsets of strings from the block's begin; then the
 * strings. */
struct polyloom_argv {
  uint32_t rank, size, argc;
  uint32_t offset[];
};
enum { POLYLOOM_ARGV_BYTES = 1024 };

/* ABORT. `error` is 0 for MPI_Abort, else an MPI error class; `call` one of enum polyloom_call
 * (arch/calls.h); peer (world rank), tag and comm are those of the command that failed, 0xFFFF, -1 and
 * 0xFFFF if there is none. */
struct polyloom_abort {
  int32_t code;
  uint32_t error;
  uint32_t call;
  uint32_t peer;
  int32_t tag;
  uint32_t comm;
};

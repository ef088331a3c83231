/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel: entry, end, time, and what the MPI layer needs of its place.
 *
 * Compiled with -DPOLYLOOM_KERNEL and, where known, -DPOLYLOOM_SIZE=n, -DPOLYLOOM_RANK=r,
 * -DPOLYLOOM_CLOCK_HZ=f. -DPOLYLOOM_MAIN_ARGUMENTS says what `main` is: 0 it has no parameters, 1 it uses
 * argc and argv, 2 it has them but uses neither, so nothing need come for them. */
#include "../mpi/choose.h"
#include "../mpi/internal.h"
#include "kernel.h"
#include "stdlib.h"
#include "string.h"
#include "unistd.h"

#ifndef POLYLOOM_MAIN_ARGUMENTS
#define POLYLOOM_MAIN_ARGUMENTS 1
#endif
#define MOST_ARGUMENTS 16

#if POLYLOOM_MAIN_ARGUMENTS == 0
int main(void);
#else
int main(int argc, char** argv);
#endif

static uint32_t size_reported;

int polyloom_platform_rank(void) { return (int)__polyloom_rank(); }

int polyloom_platform_node(void) { return polyloom_world_rank(); }

int polyloom_platform_size(void) { return (int)size_reported; }

int polyloom_platform_collectives(void) { return POLYLOOM_CHOICE_auto; }

double polyloom_platform_time(void) { return (double)__polyloom_cycle() * (1.0 / POLYLOOM_CLOCK_HZ); }

double polyloom_platform_tick(void) { return 1.0 / POLYLOOM_CLOCK_HZ; }

void* polyloom_platform_scratch(uint32_t bytes) {
  static uint64_t scratch[POLYLOOM_TREE_BYTES / 8] __attribute__((aligned(16)));
  return bytes <= sizeof scratch ? scratch : 0;
}

/* In DRAM if it is long, where a block is kept for the next one. */
const void* polyloom_platform_copy(const void* data, uint32_t bytes) {
  static void* large;
  static uint32_t room;
  void* copy = polyloom_platform_scratch(bytes);
  if (copy == 0) {
    if (bytes > room) {
      free(large);
      large = malloc(bytes);
      room = large == 0 ? 0 : bytes;
    }
    copy = large;
  }
  if (copy != 0) memcpy(copy, data, bytes);
  return copy;
}

/* Short messages have places in block RAM, which is quicker than DRAM. */
#define PLACES 8u
#define PLACE_BYTES 2048u
static uint64_t places[PLACES][PLACE_BYTES / 8] __attribute__((aligned(16)));
static uint8_t is_taken[PLACES];

void* polyloom_platform_keep(uint32_t bytes) {
  for (unsigned i = 0; bytes <= PLACE_BYTES && i < PLACES; i++) {
    if (is_taken[i]) continue;
    is_taken[i] = 1;
    return places[i];
  }
  return malloc(bytes);
}

void polyloom_platform_release(void* kept) {
  const uintptr_t at = (uintptr_t)kept - (uintptr_t)places;
  if (at < sizeof places) {
    is_taken[at / PLACE_BYTES] = 0;
  } else {
    free(kept);
  }
}

/* The manager is the rank after the last. The engine keeps a request for it, whatever the program has
 * started; while the last message has not been acknowledged, that one is in use. */
void polyloom_report_manager(int tag, const void* data, uint32_t bytes) {
  struct polyloom_response a;
  do {
    a = polyloom_start(POLYLOOM_SEND_WAIT, data, bytes, 0, (unsigned)polyloom_world_size(), tag,
                       POLYLOOM_SYSTEM);
  } while (polyloom_response_error(a.word[0]) == POLYLOOM_TOO_MANY);
}

void polyloom_hear_manager(void* into, uint32_t bytes) {
  struct polyloom_response a;
  do {
    a = polyloom_start(POLYLOOM_RECV_WAIT, into, bytes, 0, (unsigned)polyloom_world_size(), POLYLOOM_RESPONSE,
                       POLYLOOM_SYSTEM);
  } while (polyloom_response_error(a.word[0]) == POLYLOOM_TOO_MANY);
}

void polyloom_platform_start(void) {}

void polyloom_platform_finish(void) {}

void polyloom_platform_abort(const struct polyloom_abort* reason) {
  static struct polyloom_abort reported;
  reported = *reason;
  polyloom_report_manager(POLYLOOM_ABORT, &reported, sizeof reported);
  __polyloom_halt();
}

/* Only atexit writes the number: nothing of this is in a circuit that does not call it. */
#define MOST_AT_EXIT 32
static void (*at_exit[MOST_AT_EXIT])(void);
static unsigned waiting;

int atexit(void (*function)(void)) {
  if (waiting == MOST_AT_EXIT) return -1;
  at_exit[waiting++] = function;
  return 0;
}

void polyloom_exit(int code) {
  static int32_t reported;
  for (unsigned i = waiting; i > 0; i--) at_exit[i - 1]();
  if (polyloom_unfinished()) {
    const struct polyloom_abort reason = {code ? code : 1, 0, 0, 0xFFFF, -1, 0xFFFF};
    polyloom_platform_abort(&reason);
  }
  reported = code;
  polyloom_report_manager(POLYLOOM_EXIT, &reported, sizeof reported);
  __polyloom_halt();
}

#if POLYLOOM_MAIN_ARGUMENTS == 1 || !defined(POLYLOOM_SIZE)
/* The argument block of the manager, whose rank is not known before: any rank, but the system's communicator.
 */
static int take_arguments(char* argv[MOST_ARGUMENTS + 1]) {
  static union {
    struct polyloom_argv head;
    char bytes[POLYLOOM_ARGV_BYTES];
  } block __attribute__((aligned(16)));
  polyloom_start(POLYLOOM_RECV_WAIT, &block, sizeof block, 0, POLYLOOM_ANY_RANK, POLYLOOM_ARGV,
                 POLYLOOM_SYSTEM);
  size_reported = block.head.size;
  const int argc = block.head.argc < MOST_ARGUMENTS ? (int)block.head.argc : MOST_ARGUMENTS;
  for (int i = 0; i < argc; i++) argv[i] = block.bytes + block.head.offset[i];
  argv[argc] = 0;
  return argc;
}
#endif

void polyloom_kernel(void) {
#if POLYLOOM_MAIN_ARGUMENTS == 1 || !defined(POLYLOOM_SIZE)
  static char* argv[MOST_ARGUMENTS + 1];
  const int argc = take_arguments(argv);
  (void)argc;
#endif
#if POLYLOOM_MAIN_ARGUMENTS == 0
  polyloom_exit(main());
#elif POLYLOOM_MAIN_ARGUMENTS == 1
  polyloom_exit(main(argc, argv));
#else
  polyloom_exit(main(0, 0));
#endif
}

int MPI_Get_processor_name(char* name, int* resultlen) {
  static const char text[] = "fpga-rank-";
  int length = sizeof text - 1, digits = 1;
  unsigned rank = (unsigned)polyloom_world_rank();
  for (unsigned rest = rank; rest >= 10; rest /= 10) digits++;
  for (int i = 0; i < length; i++) name[i] = text[i];
  for (int i = length + digits - 1; i >= length; i--) {
    name[i] = (char)('0' + rank % 10);
    rank /= 10;
  }
  *resultlen = length + digits;
  name[*resultlen] = 0;
  return MPI_SUCCESS;
}

int gethostname(char* into, size_t most) {
  char name[MPI_MAX_PROCESSOR_NAME];
  int length;
  MPI_Get_processor_name(name, &length);
  strncpy(into, name, most);
  return 0;
}

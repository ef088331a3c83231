/* SPDX-License-Identifier: Apache-2.0 */
/* Covers: sizes around packets and windows, all types, order, wildcards, probes, head-to-head sends,
 * synchronous and self sends, MPI_PROC_NULL, exchanges. Leaves out: errors (errors.c), other communicators
 * (comms.c). */
#include "say.h"

static unsigned char in[1 << 20], out[(1 << 20) + 16];
static const int sizes[] = {0, 1, 7, 8, 9, 1439, 1440, 1441, 2880, 4320, 4321, 64800, 64808, 129601, 1 << 20};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void say_status(const char* what, const MPI_Status* s, MPI_Datatype type) {
  int count;
  MPI_Get_count(s, type, &count);
  SAY("%s: source %d tag %d count %d", what, s->MPI_SOURCE, s->MPI_TAG, count);
}

static void ring_of_sizes(void) {
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  for (int i = 0; i < SIZES; i++) {
    MPI_Request r;
    MPI_Status s;
    int count;
    unsigned char* from = out + i % 9; /* unaligned, too */
    fill(from, (size_t)sizes[i], (unsigned)(rank * 100 + i));
    MPI_Irecv(in, sizeof in, MPI_BYTE, before, i, MPI_COMM_WORLD, &r);
    if (i % 3 == 0) {
      MPI_Send(from, sizes[i], MPI_BYTE, next, i, MPI_COMM_WORLD);
    } else {
      MPI_Ssend(from, sizes[i], MPI_BYTE, next, i, MPI_COMM_WORLD);
    }
    MPI_Wait(&r, &s);
    MPI_Get_count(&s, MPI_BYTE, &count);
    SAY("size %d from %d: %d %016llx", sizes[i], s.MPI_SOURCE, count,
        (unsigned long long)hash(in, (size_t)count));
  }
}

#define TYPE(name, ctype, ...)                                                                              \
  do {                                                                                                      \
    ctype a[5] = {__VA_ARGS__}, b[5] = {0};                                                                 \
    MPI_Status s;                                                                                           \
    int bytes;                                                                                              \
    MPI_Type_size(name, &bytes);                                                                            \
    MPI_Sendrecv(a, 5, name, (rank + 1) % size, 3, b, 5, name, (rank + size - 1) % size, 3, MPI_COMM_WORLD, \
                 &s);                                                                                       \
    SAY(#name " of %d bytes: %016llx", bytes, (unsigned long long)hash(b, sizeof b));                       \
    say_status(#name, &s, name);                                                                            \
  } while (0)

static void types(void) {
  TYPE(MPI_CHAR, char, 'a', 'b', 'c', 'd', 0);
  TYPE(MPI_SIGNED_CHAR, signed char, -1, 2, -3, 4, 127);
  TYPE(MPI_UNSIGNED_CHAR, unsigned char, 255, 2, 3, 4, 5);
  TYPE(MPI_SHORT, short, -32768, 2, 3, 4, 32767);
  TYPE(MPI_UNSIGNED_SHORT, unsigned short, 65535, 2, 3, 4, 5);
  TYPE(MPI_INT, int, -2147483647, 2, 3, 4, 5);
  TYPE(MPI_UNSIGNED, unsigned, 4294967295u, 2, 3, 4, 5);
  TYPE(MPI_LONG, long, -1l, 2, 3, 4, 5);
  TYPE(MPI_UNSIGNED_LONG, unsigned long, 1ul << 63, 2, 3, 4, 5);
  TYPE(MPI_LONG_LONG, long long, -5ll, 2, 3, 4, 5);
  TYPE(MPI_UNSIGNED_LONG_LONG, unsigned long long, 1, 2, 3, 4, 5);
  TYPE(MPI_FLOAT, float, 1.5f, -2, 3, 4, 5);
  TYPE(MPI_DOUBLE, double, 1.25, -2, 3, 4, 5);
  TYPE(MPI_BYTE, unsigned char, 1, 2, 3, 4, 5);
  TYPE(MPI_INT8_T, int8_t, 1, 2, 3, 4, 5);
  TYPE(MPI_INT16_T, int16_t, 1, 2, 3, 4, 5);
  TYPE(MPI_INT32_T, int32_t, 1, 2, 3, 4, 5);
  TYPE(MPI_INT64_T, int64_t, 1, 2, 3, 4, 5);
  TYPE(MPI_UINT8_T, uint8_t, 1, 2, 3, 4, 5);
  TYPE(MPI_UINT16_T, uint16_t, 1, 2, 3, 4, 5);
  TYPE(MPI_UINT32_T, uint32_t, 1, 2, 3, 4, 5);
  TYPE(MPI_UINT64_T, uint64_t, 1, 2, 3, 4, 5);
}

/* Messages of one pair keep their order, also small ones after long ones, and tags pick. */
static void order(void) {
  const int peer = rank ^ 1;
  MPI_Request r[40];
  static int values[40][5000];
  if (peer >= size) return;
  for (int i = 0; i < 40; i++) {
    for (int k = 0; k < 5000; k++) values[i][k] = rank * 1000 + i;
    MPI_Isend(values[i], i % 4 == 1 ? 5000 : i, MPI_INT, peer, i % 3, MPI_COMM_WORLD, &r[i]);
  }
  for (int tag = 2; tag >= 0; tag--) {
    for (int i = tag; i < 40; i += 3) {
      static int got[5000];
      MPI_Status s;
      int count;
      got[0] = -1;
      MPI_Recv(got, 5000, MPI_INT, peer, tag, MPI_COMM_WORLD, &s);
      MPI_Get_count(&s, MPI_INT, &count);
      SAY("order: tag %d count %d first %d last %d", tag, count, got[0], count ? got[count - 1] : -1);
    }
  }
  MPI_Waitall(40, r, MPI_STATUSES_IGNORE);
}

/* All send to rank 0 what only it can name: each source's messages in order, any source. */
static void wildcards(void) {
  if (rank != 0) {
    for (int i = 0; i < 30; i++) {
      const int value[2] = {rank, i};
      MPI_Send(value, 2, MPI_INT, 0, i % 5, MPI_COMM_WORLD);
    }
    return;
  }
  int last[64], in_order = 1, sum = 0;
  for (int i = 0; i < size; i++) last[i] = -1;
  for (int i = 0; i < 30 * (size - 1); i++) {
    int value[2];
    MPI_Status s, found;
    if (i % 2) {
      MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found);
      MPI_Recv(value, 2, MPI_INT, found.MPI_SOURCE, found.MPI_TAG, MPI_COMM_WORLD, &s);
      in_order &= found.MPI_SOURCE == s.MPI_SOURCE && found.MPI_TAG == s.MPI_TAG;
    } else {
      MPI_Recv(value, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
    }
    in_order &= s.MPI_SOURCE == value[0] && s.MPI_TAG == value[1] % 5 && last[value[0]] + 1 == value[1];
    last[value[0]] = value[1];
    sum += value[0] * 100 + value[1];
  }
  SAY("wildcards: in order %d, sum %d", in_order, sum);
}

static void probes(void) {
  int flag = 0, count;
  MPI_Status s;
  if (rank == 0) {
    for (int to = 1; to < size; to++) MPI_Send(out, 100 * to, MPI_BYTE, to, 9, MPI_COMM_WORLD);
  } else {
    while (!flag) MPI_Iprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &s);
    say_status("iprobe", &s, MPI_BYTE);
    MPI_Get_count(&s, MPI_DOUBLE, &count);
    SAY("as doubles: %d", count == MPI_UNDEFINED ? -1 : count);
    MPI_Recv(in, sizeof in, MPI_BYTE, 0, 9, MPI_COMM_WORLD, &s);
    say_status("then", &s, MPI_BYTE);
  }
}

static void to_oneself(void) {
  MPI_Request r[2];
  MPI_Status s[2];
  int a = 41 + rank, b = 0, flag = 0;
  MPI_Isend(&a, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &r[0]);
  MPI_Irecv(&b, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &r[1]);
  while (!flag) MPI_Testall(2, r, &flag, s);
  SAY("to oneself: %d from %d", b, s[1].MPI_SOURCE);
  fill(out, 100000, 5);
  MPI_Isend(out, 100000, MPI_BYTE, rank, 2, MPI_COMM_WORLD, &r[0]);
  MPI_Recv(in, 100000, MPI_BYTE, rank, 2, MPI_COMM_WORLD, &s[0]);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  SAY("long to oneself: %016llx", (unsigned long long)hash(in, 100000));
}

static void no_sender(void) {
  MPI_Request r[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status s;
  int value = 7, index, flag;
  MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &s);
  SAY("no one: %d, source %d, tag %d", value, s.MPI_SOURCE == MPI_PROC_NULL, s.MPI_TAG == MPI_ANY_TAG);
  MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &r[1]);
  MPI_Waitany(3, r, &index, &s);
  SAY("any of no one: %d, null %d", index, r[1] == MPI_REQUEST_NULL);
  MPI_Waitany(3, r, &index, &s);
  MPI_Test(&r[0], &flag, &s);
  SAY("none: %d %d", index == MPI_UNDEFINED, flag);
}

static void any_of_many(void) {
  MPI_Request r[8];
  int values[8], done[8] = {0}, sum = 0;
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  for (int i = 0; i < 8; i++) MPI_Irecv(&values[i], 1, MPI_INT, before, i, MPI_COMM_WORLD, &r[i]);
  for (int i = 7; i >= 0; i--) MPI_Send(&i, 1, MPI_INT, next, i, MPI_COMM_WORLD);
  for (int i = 0; i < 8; i++) {
    int index;
    MPI_Waitany(8, r, &index, MPI_STATUS_IGNORE);
    done[index]++;
    sum += values[index] * (index + 1);
  }
  SAY("any of many: sum %d, each once %d", sum, done[0] == 1 && done[7] == 1);
  int value = rank * 11;
  MPI_Status s;
  MPI_Sendrecv_replace(&value, 1, MPI_INT, next, 4, before, 4, MPI_COMM_WORLD, &s);
  SAY("replaced: %d from %d", value, s.MPI_SOURCE);
  for (int bytes = 8192; bytes <= 300000; bytes = bytes * 3 + 1) {
    fill(out, (size_t)bytes, (unsigned)(rank + bytes));
    MPI_Sendrecv_replace(out, bytes, MPI_BYTE, next, 5, before, 5, MPI_COMM_WORLD, &s);
    SAY("%d bytes replaced: %016llx from %d", bytes, (unsigned long long)hash(out, (size_t)bytes),
        s.MPI_SOURCE);
  }
}

/* One of two has come: Testall says no and leaves both, so that Waitall can tell who sent what. */
static void all_or_none(void) {
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  int early[8] = {0}, late = 0, go = 1, flag = 0, said = 0;
  MPI_Request r[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status s[3];
  MPI_Irecv(early, 8, MPI_INT, MPI_ANY_SOURCE, 51, MPI_COMM_WORLD, &r[0]);
  MPI_Irecv(&late, 1, MPI_INT, before, 52, MPI_COMM_WORLD, &r[2]);
  const int three[3] = {rank, rank + 1, rank + 2};
  MPI_Send(three, 3, MPI_INT, next, 51, MPI_COMM_WORLD);
  MPI_Send(&go, 1, MPI_INT, next, 53, MPI_COMM_WORLD);
  MPI_Recv(&go, 1, MPI_INT, before, 53, MPI_COMM_WORLD, &s[0]);
  for (int i = 0; i < 10; i++) {
    MPI_Testall(3, r, &flag, s);
    said += flag;
  }
  SAY("not all: %d, kept %d", said, r[0] != MPI_REQUEST_NULL);
  MPI_Send(&go, 1, MPI_INT, before, 54, MPI_COMM_WORLD);
  MPI_Recv(&go, 1, MPI_INT, next, 54, MPI_COMM_WORLD, &s[0]);
  MPI_Send(&rank, 1, MPI_INT, next, 52, MPI_COMM_WORLD);
  MPI_Waitall(3, r, s);
  say_status("early", &s[0], MPI_INT);
  say_status("late", &s[2], MPI_INT);
  SAY("early %d, late %d, null %d", early[2], late, r[0] == MPI_REQUEST_NULL && r[2] == MPI_REQUEST_NULL);
  MPI_Testall(3, r, &flag, s);
  SAY("all of none: %d, source %d", flag, s[1].MPI_SOURCE == MPI_ANY_SOURCE);
}

/* A message without data has no type that could differ. */
static void empty(void) {
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  double number = 2.5;
  MPI_Request r[2];
  MPI_Status s[2];
  MPI_Irecv(&number, 1, MPI_DOUBLE, before, 61, MPI_COMM_WORLD, &r[0]);
  MPI_Irecv(&number, 0, MPI_FLOAT, before, 62, MPI_COMM_WORLD, &r[1]);
  MPI_Send(0, 0, MPI_INT, next, 61, MPI_COMM_WORLD);
  MPI_Ssend(0, 0, MPI_CHAR, next, 62, MPI_COMM_WORLD);
  MPI_Waitall(2, r, s);
  MPI_Send(0, 0, MPI_SHORT, next, 63, MPI_COMM_WORLD);
  MPI_Recv(&number, 1, MPI_DOUBLE, before, 63, MPI_COMM_WORLD, &s[0]);
  say_status("empty", &s[0], MPI_DOUBLE);
  say_status("empty and synchronous", &s[1], MPI_FLOAT);
  SAY("as it was: %g", number);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  ring_of_sizes();
  types();
  order();
  MPI_Barrier(MPI_COMM_WORLD);
  wildcards();
  MPI_Barrier(MPI_COMM_WORLD);
  probes();
  to_oneself();
  no_sender();
  any_of_many();
  all_or_none();
  empty();
  MPI_Finalize();
  return 0;
}

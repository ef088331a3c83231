/* SPDX-License-Identifier: Apache-2.0 */
/* Structures with gaps: in messages that are under way when their type is freed, broadcast, packed by hand.
 */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct particle {
  char kind;
  double at[3];
  int number;
  short charge;
};
static int rank, size, next, before;
static struct particle few[8], got[8];

static void say(const char* what, const void* data, int bytes) {
  const unsigned char* at = data;
  unsigned sum = 2166136261u;
  for (int i = 0; i < bytes; i++) sum = (sum ^ at[i]) * 16777619u;
  printf("rank %d: %s: %08x\n", rank, what, sum);
}

static MPI_Datatype particle_type(void) {
  static const int lengths[] = {1, 3, 1, 1};
  static const MPI_Aint offsets[] = {offsetof(struct particle, kind), offsetof(struct particle, at),
                                     offsetof(struct particle, number), offsetof(struct particle, charge)};
  const MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE, MPI_INT, MPI_SHORT};
  MPI_Datatype type;
  MPI_Type_create_struct(4, lengths, offsets, types, &type);
  MPI_Type_commit(&type);
  return type;
}

static void fill(void) {
  memset(few, 0, sizeof few);
  memset(got, 0x55, sizeof got);
  for (int i = 0; i < 8; i++) {
    few[i].kind = (char)('a' + i);
    for (int k = 0; k < 3; k++) few[i].at[k] = rank + 0.25 * i + k;
    few[i].number = 100 * rank + i;
    few[i].charge = (short)-i;
  }
}

static void structures(void) {
  MPI_Datatype type = particle_type();
  MPI_Aint lower, extent;
  MPI_Request r[4];
  MPI_Status s[4];
  int bytes, count, flag = 0;
  MPI_Type_size(type, &bytes);
  MPI_Type_get_extent(type, &lower, &extent);
  printf("rank %d: a particle: %d bytes, extent %ld\n", rank, bytes, (long)extent);
  fill();
  MPI_Irecv(&got[0], 4, type, before, 3, MPI_COMM_WORLD, &r[0]);
  MPI_Irecv(&got[4], 4, type, next, 4, MPI_COMM_WORLD, &r[1]);
  MPI_Isend(&few[0], 3, type, next, 3, MPI_COMM_WORLD, &r[2]);
  MPI_Issend(&few[3], 4, type, before, 4, MPI_COMM_WORLD, &r[3]);
  MPI_Type_free(&type); /* what is under way goes on */
  while (!flag) MPI_Testall(4, r, &flag, s);
  say("particles", got, sizeof got);
  type = particle_type();
  MPI_Get_count(&s[0], type, &count);
  printf("rank %d: %d particles from %d\n", rank, count, s[0].MPI_SOURCE);
  fill();
  MPI_Sendrecv_replace(few, 8, type, next, 5, before, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  say("replaced", few, sizeof few);
  fill();
  MPI_Bcast(rank == 0 ? few : got, 8, type, 0, MPI_COMM_WORLD);
  say("bcast", got, sizeof got);
  /* By hand. */
  char packed[600];
  int position = 0, room;
  fill();
  MPI_Pack_size(8, type, MPI_COMM_WORLD, &room);
  MPI_Pack(&rank, 1, MPI_INT, packed, sizeof packed, &position, MPI_COMM_WORLD);
  MPI_Pack(few, 8, type, packed, sizeof packed, &position, MPI_COMM_WORLD);
  printf("rank %d: packed %d of %d\n", rank, position, room + 4);
  MPI_Sendrecv_replace(packed, position, MPI_PACKED, next, 6, before, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  position = 0;
  MPI_Unpack(packed, sizeof packed, &position, &count, 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Unpack(packed, sizeof packed, &position, got, 8, type, MPI_COMM_WORLD);
  printf("rank %d: from %d\n", rank, count);
  say("unpacked", got, sizeof got);
  MPI_Type_free(&type);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  next = (rank + 1) % size;
  before = (rank + size - 1) % size;
  structures();
  MPI_Finalize();
  return 0;
}

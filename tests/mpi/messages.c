/* SPDX-License-Identifier: Apache-2.0 */
/* Messages that the published system lost, hung on or mixed up: tags, wildcards, short messages, both ways at
 * once, contents that look like headers, every type, odd addresses and lengths, more than a packet, to
 * oneself. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define MOST 5000

static unsigned char data[MOST + 16], got[MOST + 16];

static unsigned checksum(const unsigned char* bytes, int count) {
  unsigned sum = 2166136261u;
  for (int i = 0; i < count; i++) sum = (sum ^ bytes[i]) * 16777619u;
  return sum;
}

static void fill(int seed) {
  for (int i = 0; i < MOST + 16; i++) data[i] = (unsigned char)(i * 7 + seed * 13 + (i >> 8));
}

static void tags(int rank, int size) {
  int a = 70 + rank, b = 90 + rank;
  const int to = (rank + 1) % size, from = (rank + size - 1) % size;
  MPI_Request r[2];
  MPI_Isend(&a, 1, MPI_INT, to, 7, MPI_COMM_WORLD, &r[0]);
  MPI_Isend(&b, 1, MPI_INT, to, 9, MPI_COMM_WORLD, &r[1]);
  int nine, seven;
  MPI_Recv(&nine, 1, MPI_INT, from, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(&seven, 1, MPI_INT, from, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  printf("rank %d: tag 9 %d, tag 7 %d\n", rank, nine, seven);
}

static void head_to_head(int rank, int size) {
  const int peer = rank ^ 1;
  if (peer >= size) return;
  int mine = rank * 11, other = -1;
  MPI_Send(&mine, 1, MPI_INT, peer, 1, MPI_COMM_WORLD);
  MPI_Recv(&other, 1, MPI_INT, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  printf("rank %d: head to head %d\n", rank, other);
}

static void sizes(int rank, int size) {
  static const int counts[] = {0, 1, 3, 8, 63, 64, 65, 200, 1439, 1440, 1441, 2881, MOST};
  const int to = (rank + 1) % size, from = (rank + size - 1) % size;
  for (int i = 0; i < (int)(sizeof counts / sizeof *counts); i++) {
    MPI_Status status;
    int count = -1, shift = i % 8;
    fill(rank + i);
    memset(got, 0, sizeof got);
    MPI_Sendrecv(data + shift, counts[i], MPI_BYTE, to, i, got + (7 - shift), MOST, MPI_BYTE, from, i,
                 MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_BYTE, &count);
    fill(from + i);
    const int same = checksum(data + shift, count) == checksum(got + (7 - shift), count);
    const int spill = got[7 - shift + count] != 0 || (shift < 7 && got[6 - shift] != 0);
    if (rank == size - 1 || !same || spill) {
      printf("rank %d: %d bytes from %d, tag %d: %s\n", rank, count, status.MPI_SOURCE, status.MPI_TAG,
             same && !spill ? "right" : "WRONG");
    }
  }
}

static void types(int rank, int size) {
  const int to = (rank + 1) % size, from = (rank + size - 1) % size;
  float f = 1.25f * (float)(rank + 1), f2;
  double d = 1.0 / (rank + 3), d2;
  short s = (short)(-100 - rank), s2;
  unsigned long long u = 1ull << (40 + rank), u2;
  char c = (char)('a' + rank), c2;
  MPI_Sendrecv(&f, 1, MPI_FLOAT, to, 1, &f2, 1, MPI_FLOAT, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(&d, 1, MPI_DOUBLE, to, 2, &d2, 1, MPI_DOUBLE, from, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(&s, 1, MPI_SHORT, to, 3, &s2, 1, MPI_SHORT, from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(&u, 1, MPI_UNSIGNED_LONG_LONG, to, 4, &u2, 1, MPI_UNSIGNED_LONG_LONG, from, 4, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(&c, 1, MPI_CHAR, to, 5, &c2, 1, MPI_CHAR, from, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  printf("rank %d: %g %.6f %d %llu %c\n", rank, (double)f2, d2, s2, u2, c2);
}

static void wildcards(int rank, int size) {
  if (rank != 0) {
    int value = rank * rank;
    MPI_Ssend(&value, 1, MPI_INT, 0, 100 + rank, MPI_COMM_WORLD);
    return;
  }
  int sum = 0, tag_sum = 0;
  for (int i = 1; i < size; i++) {
    MPI_Status status;
    int value, count;
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    MPI_Recv(&value, count, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum += value * status.MPI_SOURCE;
    tag_sum += status.MPI_TAG - status.MPI_SOURCE;
  }
  printf("rank 0: wildcards %d %d\n", sum, tag_sum);
}

static void header_like(int rank, int size) {
  /* The magic bytes of the published header, over and over. */
  const int to = (rank + 1) % size, from = (rank + size - 1) % size;
  memset(data, 0x96, sizeof data);
  MPI_Request request;
  MPI_Irecv(got, MOST, MPI_UNSIGNED_CHAR, from, 5, MPI_COMM_WORLD, &request);
  MPI_Send(data, 3000, MPI_UNSIGNED_CHAR, to, 5, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  printf("rank %d: header-like %08x\n", rank, checksum(got, 3000));
}

static void to_oneself(int rank) {
  int out = rank + 5, in = 0;
  MPI_Request request;
  MPI_Irecv(&in, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, &request);
  MPI_Send(&out, 1, MPI_INT, rank, 3, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Send(&out, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD);
  MPI_Status status;
  int count;
  MPI_Recv(&in, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  printf("rank %d: itself %d, no one %d\n", rank, in, count);
}

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  tags(rank, size);
  head_to_head(rank, size);
  sizes(rank, size);
  types(rank, size);
  MPI_Barrier(MPI_COMM_WORLD); /* nothing else may match a wildcard */
  wildcards(rank, size);
  MPI_Barrier(MPI_COMM_WORLD);
  header_like(rank, size);
  to_oneself(rank);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Covers: every operation on every type that has it, with each reducing collective, all roots, lengths from
 * nothing to many packets, in place. Values are small whole numbers, so that the order of floating-point sums
 * does not matter. Leaves out: the order itself (order.c). */
#include <stdbool.h>

#include "say.h"

enum { LARGEST = 30000, RANKS = 8 };
static double a[LARGEST], b[LARGEST];
static const int counts[] = {1, 0, 3, 17, 181, 1500};
enum { COUNTS = sizeof counts / sizeof *counts };

#define FILL(ctype)                                                                                         \
  for (int i = 0; i < n; i++) {                                                                             \
    ((ctype*)a)[i] = (ctype)((i * 5 + rank * 3 + salt) % 7 % (sizeof(ctype) == 1 ? 2 : 7) + (i % 11 == 0)); \
    ((ctype*)b)[i] = (ctype)((i + rank) % 3);                                                               \
  }

struct operation {
  MPI_Op op;
  const char* name; /* 0: the list ends */
};
static const struct operation arithmetic[] = {
    {MPI_SUM, "MPI_SUM"}, {MPI_PROD, "MPI_PROD"}, {MPI_MIN, "MPI_MIN"}, {MPI_MAX, "MPI_MAX"}, {MPI_SUM, 0}};
static const struct operation logic[] = {
    {MPI_LAND, "MPI_LAND"}, {MPI_LOR, "MPI_LOR"}, {MPI_LXOR, "MPI_LXOR"}, {MPI_SUM, 0}};
static const struct operation bits[] = {
    {MPI_BAND, "MPI_BAND"}, {MPI_BOR, "MPI_BOR"}, {MPI_BXOR, "MPI_BXOR"}, {MPI_SUM, 0}};

/* One function a type, not one loop a type and operation: compilers optimize each loop for seconds. */
#define REDUCES(function, type, ctype)                                             \
  static void function(const struct operation* list) {                             \
    for (; list->name; list++)                                                     \
      for (int c = 0; c < COUNTS; c++) {                                           \
        const int n = counts[c], salt = c, root = (c + (int)sizeof(ctype)) % size; \
        FILL(ctype)                                                                \
        MPI_Reduce(a, b, n, type, list->op, root, MPI_COMM_WORLD);                 \
        report(#ctype, list->name, n, "reduce", sizeof(ctype));                    \
        FILL(ctype)                                                                \
        MPI_Allreduce(MPI_IN_PLACE, b, n, type, list->op, MPI_COMM_WORLD);         \
        report(#ctype, list->name, n, "allreduce", sizeof(ctype));                 \
        FILL(ctype)                                                                \
        MPI_Scan(a, b, n, type, list->op, MPI_COMM_WORLD);                         \
        report(#ctype, list->name, n, "scan", sizeof(ctype));                      \
      }                                                                            \
  }

static void report(const char* type, const char* op, int n, const char* call, size_t bytes) {
  SAY("%s %s %d: %s %016llx", type, op, n, call, (unsigned long long)hash(b, (size_t)n * bytes));
}

REDUCES(ints, MPI_INT, int)
REDUCES(signed_chars, MPI_SIGNED_CHAR, signed char)
REDUCES(unsigned_chars, MPI_UNSIGNED_CHAR, unsigned char)
REDUCES(shorts, MPI_SHORT, short)
REDUCES(unsigned_shorts, MPI_UNSIGNED_SHORT, unsigned short)
REDUCES(unsigneds, MPI_UNSIGNED, unsigned)
REDUCES(longs, MPI_LONG, long)
REDUCES(unsigned_longs, MPI_UNSIGNED_LONG_LONG, unsigned long long)
REDUCES(floats, MPI_FLOAT, float)
REDUCES(doubles, MPI_DOUBLE, double)
REDUCES(bytes, MPI_BYTE, unsigned char)
REDUCES(bools, MPI_C_BOOL, bool)

struct int_int {
  int value, index;
};
struct double_int {
  double value;
  int index, gap;
};

static void pairs(void) {
  static struct int_int p[500], q[500];
  static struct double_int x[500], y[500];
  for (int i = 0; i < 500; i++) {
    p[i].value = (i * 7 + rank * 5) % 4;
    x[i].value = (i * 3 + rank * 11) % 5 * 0.5;
    p[i].index = x[i].index = rank;
    x[i].gap = y[i].gap = 0;
  }
  MPI_Allreduce(p, q, 500, MPI_2INT, MPI_MINLOC, MPI_COMM_WORLD);
  SAY("minloc %016llx", (unsigned long long)hash(q, sizeof q));
  MPI_Allreduce(p, q, 500, MPI_2INT, MPI_MAXLOC, MPI_COMM_WORLD);
  SAY("maxloc %016llx", (unsigned long long)hash(q, sizeof q));
  MPI_Reduce(x, y, 500, MPI_DOUBLE_INT, MPI_MAXLOC, 0, MPI_COMM_WORLD);
  for (int i = 0; i < 500; i += 50)
    SAY("double maxloc %d: %g %d", i, rank ? 0 : y[i].value, rank ? 0 : y[i].index);
}

static void longer(void) {
  for (int n = 2000; n <= LARGEST; n += 14000) {
    for (int root = 0; root < size; root++) {
      const int salt = root;
      FILL(double)
      MPI_Reduce(a, b, n, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
      SAY("long reduce %d to %d: %016llx", n, root, (unsigned long long)hash(b, (size_t)n * 8));
      FILL(double)
      if (rank == root) {
        MPI_Reduce(MPI_IN_PLACE, b, n, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
      } else {
        MPI_Reduce(b, 0, n, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
      }
      SAY("long reduce in place %d to %d: %016llx", n, root, (unsigned long long)hash(b, (size_t)n * 8));
    }
    const int salt = 3;
    FILL(double)
    MPI_Allreduce(a, b, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    SAY("long allreduce %d: %016llx", n, (unsigned long long)hash(b, (size_t)n * 8));
    FILL(double)
    MPI_Scan(MPI_IN_PLACE, b, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    SAY("long scan in place %d: %016llx", n, (unsigned long long)hash(b, (size_t)n * 8));
    FILL(double)
    MPI_Exscan(a, b, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    SAY("long exscan %d: %016llx", n, rank == 0 ? 0ull : (unsigned long long)hash(b, (size_t)n * 8));
    FILL(double)
    const int block = n / size;
    MPI_Reduce_scatter_block(a, b, block, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    SAY("reduce_scatter_block %d: %016llx", block, (unsigned long long)hash(b, (size_t)block * 8));
    FILL(double)
    MPI_Reduce_scatter_block(MPI_IN_PLACE, b, block, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    SAY("reduce_scatter_block in place %d: %016llx", block, (unsigned long long)hash(b, (size_t)block * 8));
  }
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  void (*const integers[])(const struct operation*) = {
      ints, signed_chars, unsigned_chars, shorts, unsigned_shorts, unsigneds, longs, unsigned_longs};
  for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
    integers[i](arithmetic);
    integers[i](logic);
    integers[i](bits);
  }
  floats(arithmetic);
  doubles(arithmetic);
  bytes(bits);
  bools(logic);
  pairs();
  longer();
  MPI_Finalize();
  return 0;
}

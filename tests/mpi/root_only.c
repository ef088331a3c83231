/* SPDX-License-Identifier: Apache-2.0 */
/* What only rank 0 executes may be what no FPGA can do; and main ends without return. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int up(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

static void request(int values[4], int my_rank, MPI_Comm comm) {
  if (my_rank == 0) {
    static const char line[] = "41 7 -3 12";
    if (sscanf(line, "%d %d %d %d", &values[0], &values[1], &values[2], &values[3]) != 4) exit(1);
    qsort(values, 4, sizeof values[0], up);
    for (int i = 0; i < 3; i++) fprintf(stderr, "%c", toupper(line[i]));
  }
  MPI_Bcast(values, 4, MPI_INT, 0, comm);
}

static int day(void) {
  char text[16];
  const time_t now = 86400 * 366;
  const struct tm* tm = gmtime(&now);
  return strftime(text, sizeof text, "%d", tm) == 2 ? atoi(text) : -1;
}

int main(int argc, char** argv) {
  int rank, size, values[4], sum = 0, all = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  request(values, rank, MPI_COMM_WORLD);
  for (int i = 0; i < 4; i++) sum += values[i] * (i + rank);
  MPI_Reduce(&sum, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  printf("rank %d: %d to %d, %d\n", rank, values[0], values[3], sum);
  if (rank == 0) {
    char* const text = malloc(100);
    snprintf(text, 100, "of %d: %d, %.6f", size, all, pow(all, 0.25));
    if (fopen("/nowhere/at/all", "r") == NULL && errno == ENOENT)
      printf("%s, %d %d\n", strtok(text, "\n"), day(), (int)strlen(text));
    free(text);
  }
  MPI_Finalize();
}

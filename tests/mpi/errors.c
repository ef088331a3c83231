/* SPDX-License-Identifier: Apache-2.0 */
/* Errors that the program deals with: its handlers, which communicators have them, its own classes and codes.
 */
#include <mpi.h>
#include <stdio.h>

static int rank, size, calls, last_class, same;

static void note(MPI_Comm* comm, int* error, ...) {
  int result;
  calls++;
  MPI_Error_class(*error, &last_class);
  MPI_Comm_compare(*comm, MPI_COMM_WORLD, &result);
  same = result == MPI_IDENT;
}

static void other(MPI_Comm* comm, int* error, ...) {
  (void)comm;
  (void)error;
  calls += 100;
}

static void handlers(void) {
  MPI_Errhandler first, second, got;
  MPI_Comm copy;
  int value = 0, error;
  MPI_Comm_create_errhandler(note, &first);
  MPI_Comm_create_errhandler(other, &second);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, first);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy); /* which has it, too */
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, second);
  MPI_Comm_get_errhandler(copy, &got);
  printf("rank %d: the same %d\n", rank, got == first);
  MPI_Errhandler_free(&got);
  MPI_Errhandler_free(&first);
  error = MPI_Send(&value, 1, MPI_INT, size, 0, copy);
  printf("rank %d: calls %d, rank %d, world %d, returned %d\n", rank, calls, last_class == MPI_ERR_RANK, same,
         error != MPI_SUCCESS);
  MPI_Send(&value, -1, MPI_INT, 0, 0, copy);
  printf("rank %d: calls %d, count %d\n", rank, calls, last_class == MPI_ERR_COUNT);
  MPI_Send(&value, 1, MPI_INT, size, 0, MPI_COMM_WORLD);
  printf("rank %d: calls %d\n", rank, calls);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&second);
  printf("rank %d: null %d\n", rank, second == MPI_ERRHANDLER_NULL);
  error = MPI_Bcast(&value, 1, MPI_INT, size, copy);
  printf("rank %d: calls %d, root %d, returned %d\n", rank, calls, last_class == MPI_ERR_ROOT,
         error != MPI_SUCCESS);
  MPI_Comm_free(&copy);
}

static void codes(void) {
  int class, code, found, length, flag, *used;
  char text[MPI_MAX_ERROR_STRING];
  MPI_Errhandler handler;
  MPI_Add_error_class(&class);
  MPI_Add_error_code(class, &code);
  MPI_Add_error_string(class, "of ours");
  MPI_Add_error_string(code, "no more coffee");
  MPI_Error_class(code, &found);
  MPI_Error_string(code, text, &length);
  printf("rank %d: %s, %d, class %d, beyond %d %d\n", rank, text, length, found == class,
         class > MPI_ERR_LASTCODE, code > class);
  MPI_Error_string(class, text, &length);
  printf("rank %d: %s\n", rank, text);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &used, &flag);
  printf("rank %d: last %d\n", rank, flag && *used >= code);
  MPI_Comm_create_errhandler(note, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  calls = 0;
  MPI_Comm_call_errhandler(MPI_COMM_SELF, code);
  printf("rank %d: called %d of class %d, world %d\n", rank, calls, last_class == class, same);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&handler);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  handlers();
  codes();
  MPI_Finalize();
  return 0;
}

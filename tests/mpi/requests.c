/* SPDX-License-Identifier: Apache-2.0 */
/* Persistent requests, buffered sends, messages that are probed and taken, requests let go, some of many;
 * what programs keep in a communicator and ask of the library. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, next, before;

static void persistent(void) {
  int grid[16] = {0}, halo[16] = {0}, round_sum = 0;
  MPI_Datatype column;
  MPI_Request r[3];
  MPI_Status s[3];
  MPI_Type_vector(4, 1, 4, MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_Send_init(grid, 1, column, next, 1, MPI_COMM_WORLD, &r[0]);
  MPI_Recv_init(halo + 1, 1, column, before, 1, MPI_COMM_WORLD, &r[1]);
  MPI_Recv_init(halo, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &r[2]);
  MPI_Type_free(&column);
  for (int round = 0; round < 5; round++) {
    for (int i = 0; i < 16; i++) grid[i] = 100 * rank + 10 * round + i;
    MPI_Startall(3, r);
    MPI_Waitall(3, r, s);
    round_sum = 3 * round_sum + halo[1] + halo[13];
  }
  printf("rank %d: rounds %d, from %d, kept %d\n", rank, round_sum, s[1].MPI_SOURCE,
         r[0] != MPI_REQUEST_NULL);
  int index, flag;
  MPI_Waitany(3, r, &index, &s[0]); /* none of them is active */
  MPI_Testall(3, r, &flag, s);
  printf("rank %d: none %d %d\n", rank, index == MPI_UNDEFINED, flag);
  for (int i = 0; i < 3; i++) MPI_Request_free(&r[i]);
  printf("rank %d: freed %d\n", rank, r[0] == MPI_REQUEST_NULL && r[2] == MPI_REQUEST_NULL);
}

static void buffered(void) {
  enum { MANY = 20 };
  static char room[4000];
  int bytes, values[30], sum = 0;
  void* back;
  MPI_Buffer_attach(room, sizeof room);
  for (int i = 0; i < MANY; i++) {
    for (int k = 0; k < 30; k++) values[k] = rank + i * k;
    MPI_Request r;
    if (i % 2) {
      MPI_Bsend(values, i, MPI_INT, next, i, MPI_COMM_WORLD);
    } else {
      MPI_Ibsend(values, i, MPI_INT, next, i, MPI_COMM_WORLD, &r);
      MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    if (i % 4 != 3) continue;
    for (int k = i; k > i - 4; k--) {
      MPI_Recv(values, 30, MPI_INT, before, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (k > 0) sum += values[k - 1];
    }
  }
  MPI_Buffer_detach(&back, &bytes);
  printf("rank %d: buffered %d, %d bytes back %d\n", rank, sum, bytes, back == (void*)room);
}

static void again(void) {
  static char room[1000];
  int value = 0, got = -1, bytes, flag, sum = 0;
  void* back;
  MPI_Request r[2];
  MPI_Buffer_attach(room, sizeof room);
  MPI_Bsend_init(&value, 1, MPI_INT, next, 40, MPI_COMM_WORLD, &r[0]);
  MPI_Recv_init(&got, 1, MPI_INT, before, 40, MPI_COMM_WORLD, &r[1]);
  for (int round = 0; round < 3; round++) {
    value = 10 * rank + round;
    MPI_Startall(2, r);
    for (flag = 0; !flag;) MPI_Request_get_status(r[1], &flag, MPI_STATUS_IGNORE);
    MPI_Request_get_status(r[1], &flag, MPI_STATUS_IGNORE); /* it is still there */
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    sum = 7 * sum + got + flag;
  }
  MPI_Request_free(&r[0]);
  MPI_Request_free(&r[1]);
  MPI_Buffer_detach(&back, &bytes);
  MPI_Request_get_status(MPI_REQUEST_NULL, &flag, MPI_STATUS_IGNORE);
  printf("rank %d: again %d, null %d\n", rank, sum, flag);
}

static void probed(void) {
  int values[6] = {rank, 1, 2, 3, 4, 5}, got[6] = {0}, count, flag = 0;
  MPI_Message first, second;
  MPI_Request r;
  MPI_Status s;
  MPI_Send(values, 3, MPI_INT, next, 11, MPI_COMM_WORLD);
  MPI_Send(values + 2, 4, MPI_INT, next, 11, MPI_COMM_WORLD);
  MPI_Mprobe(before, MPI_ANY_TAG, MPI_COMM_WORLD, &first, &s);
  MPI_Get_count(&s, MPI_INT, &count);
  while (!flag) MPI_Improbe(before, 11, MPI_COMM_WORLD, &flag, &second, MPI_STATUS_IGNORE);
  MPI_Imrecv(got, 6, MPI_INT, &second, &r);
  MPI_Wait(&r, &s);
  printf("rank %d: %d, then of %d: %d\n", rank, count, s.MPI_SOURCE, got[0]);
  MPI_Mrecv(got, 3, MPI_INT, &first, &s);
  MPI_Get_count(&s, MPI_INT, &count);
  printf("rank %d: the first has %d from %d, null %d\n", rank, count, got[0], first == MPI_MESSAGE_NULL);
}

static void some(void) {
  enum { MANY = 6 };
  MPI_Request r[MANY], let_go;
  MPI_Status s[MANY];
  int values[MANY], indices[MANY], outcount, total = 0, sum = 0, value = rank * 3;
  for (int i = 0; i < MANY; i++) MPI_Irecv(&values[i], 1, MPI_INT, before, 20 + i, MPI_COMM_WORLD, &r[i]);
  MPI_Testsome(MANY, r, &outcount, indices, s);
  total = outcount; /* most likely none */
  for (int i = 0; i < outcount; i++) sum += s[i].MPI_TAG + values[indices[i]];
  for (int i = 0; i < MANY; i++) MPI_Ssend(&value, 1, MPI_INT, next, 20 + i, MPI_COMM_WORLD), value++;
  while (total < MANY) {
    MPI_Testsome(MANY, r, &outcount, indices, s);
    for (int i = 0; i < outcount; i++) sum += s[i].MPI_TAG + values[indices[i]];
    total += outcount;
  }
  MPI_Testsome(MANY, r, &outcount, indices, s);
  printf("rank %d: some %d, none %d\n", rank, sum, outcount == MPI_UNDEFINED);
  static int kept = 77;
  MPI_Isend(&kept, 1, MPI_INT, next, 30, MPI_COMM_WORLD, &let_go);
  MPI_Request_free(&let_go);
  MPI_Irecv(&value, 1, MPI_INT, before, 30, MPI_COMM_WORLD, &r[0]);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  printf("rank %d: %d\n", rank, value);
}

static int copies, deletions;
static int copy(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra;
  *(void**)out = in;
  *flag = ++copies > 0;
  return MPI_SUCCESS;
}
static int discard(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  deletions++;
  return MPI_SUCCESS;
}

static void kept(void) {
  static int value = 5;
  int key, plain, flag, none, *found, length, keys, provided;
  char text[MPI_MAX_ERROR_STRING > MPI_MAX_OBJECT_NAME ? MPI_MAX_ERROR_STRING : MPI_MAX_OBJECT_NAME],
      name[300];
  MPI_Comm comm;
  MPI_Info info, other;
  MPI_Comm_create_keyval(copy, discard, &key, 0);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &plain, 0);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, &value);
  MPI_Comm_set_attr(MPI_COMM_WORLD, plain, &value);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_get_attr(comm, key, &found, &flag);
  MPI_Comm_get_attr(comm, plain, &found, &none);
  MPI_Comm_set_name(comm, "all again");
  MPI_Comm_get_name(comm, name, &length);
  printf("rank %d: copied %d, not %d, named %s\n", rank, flag, none, name);
  MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
  MPI_Comm_free(&comm);
  MPI_Comm_delete_attr(MPI_COMM_WORLD, plain);
  printf("rank %d: copies %d, deletions %d\n", rank, copies, deletions);
  MPI_Comm_free_keyval(&key);
  MPI_Comm_free_keyval(&plain);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &found, &flag);
  printf("rank %d: tags %d %d\n", rank, flag, *found >= 32767);
  MPI_Info_create(&info);
  MPI_Info_set(info, "path", "/here");
  MPI_Info_set(info, "width", "7");
  MPI_Info_set(info, "path", "/there");
  MPI_Info_dup(info, &other);
  MPI_Info_delete(info, "width");
  MPI_Info_get_nkeys(info, &keys);
  MPI_Info_get(other, "path", 299, name, &flag);
  MPI_Info_get_valuelen(info, "width", &length, &none);
  printf("rank %d: %d key, path %s, width %d\n", rank, keys, name, none);
  MPI_Info_free(&info);
  MPI_Info_free(&other);
  MPI_Datatype type;
  MPI_Type_contiguous(3, MPI_INT, &type);
  MPI_Type_get_name(type, name, &length);
  printf("rank %d: no name %d, ", rank, length);
  MPI_Type_set_name(type, "three");
  MPI_Type_get_name(type, name, &length);
  printf("%s %d, ", name, length);
  MPI_Type_free(&type);
  MPI_Type_get_name(MPI_DOUBLE, name, &length);
  printf("%s\n", name);
  int* memory;
  MPI_Alloc_mem(4 * sizeof(int), MPI_INFO_NULL, &memory);
  memory[3] = rank;
  printf("rank %d: memory %d\n", rank, memory[3]);
  MPI_Free_mem(memory);
  MPI_Query_thread(&provided);
  MPI_Error_string(MPI_ERR_TRUNCATE, text, &length);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int class, error = MPI_Send(&value, 1, MPI_INT, size, 0, MPI_COMM_WORLD);
  MPI_Error_class(error, &class);
  printf("rank %d: threads %d, text %d, wrong rank %d\n", rank, provided >= MPI_THREAD_SINGLE,
         length == (int)strlen(text) && length > 5, class == MPI_ERR_RANK);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  next = (rank + 1) % size;
  before = (rank + size - 1) % size;
  persistent();
  buffered();
  again();
  probed();
  if (size > 1) some();
  kept();
  MPI_Finalize();
  return 0;
}

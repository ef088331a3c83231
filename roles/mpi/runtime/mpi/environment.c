/* SPDX-License-Identifier: Apache-2.0 */
/* What programs ask of the library and keep in it: attributes, names, memory, MPI_Info. */
#include "environment.h"

#ifdef POLYLOOM_KERNEL
#define KEYS 16
#define VALUES 64
#define INFOS 16
#define PAIRS 32
#else
#define KEYS 256
#define VALUES 4096
#define INFOS 256
#define PAIRS 4096
#endif

static int fail(int call, int error) { return polyloom_fail(MPI_COMM_WORLD, call, error, -1, -1); }

int polyloom_put_text(char* to, const char* text, int room) {
  int length = 0;
  for (; length < room - 1 && text[length] != 0; length++) to[length] = text[length];
  to[length] = 0;
  return length;
}

int MPI_Get_library_version(char* version, int* resultlen) {
  *resultlen = polyloom_put_text(version, "Polyloom MPI 3.1", MPI_MAX_LIBRARY_VERSION_STRING);
  return MPI_SUCCESS;
}

/* --- Attributes --- */

int polyloom_attributes_made;
/* Calls through pointers of which all are null are not for a circuit: it has no function of that type. */
static int copies_made, deletes_made;
/* A key that the program has freed stays as long as there are values for it, whose functions it has. */
static struct {
  int has_handle, values;
  MPI_Comm_copy_attr_function* copies;
  MPI_Comm_delete_attr_function* deletes;
  void* extra;
} keys[KEYS];
static struct value {
  int is_used, key;
  MPI_Comm comm;
  void* value;
} values[VALUES];

int polyloom_dup_fn(MPI_Comm comm, int keyval, void* extra, void* in, void* out, int* flag) {
  (void)comm;
  (void)keyval;
  (void)extra;
  *(void**)out = in;
  *flag = 1;
  return MPI_SUCCESS;
}

int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function* copies, MPI_Comm_delete_attr_function* deletes,
                           int* keyval, void* extra) {
  for (int i = 0; i < KEYS; i++) {
    if (keys[i].has_handle || keys[i].values > 0) continue;
    keys[i].has_handle = 1;
    keys[i].copies = copies;
    keys[i].deletes = deletes;
    keys[i].extra = extra;
    *keyval = i;
    if (copies != 0) copies_made = 1;
    if (deletes != 0) deletes_made = 1;
    polyloom_attributes_made = 1;
    return MPI_SUCCESS;
  }
  return fail(POLYLOOM_CALL_Comm_create_keyval, MPI_ERR_NO_MEM);
}

static int known(int keyval) { return keyval >= 0 && keyval < KEYS && keys[keyval].has_handle; }

int MPI_Comm_free_keyval(int* keyval) {
  if (!known(*keyval)) return fail(POLYLOOM_CALL_Comm_free_keyval, MPI_ERR_KEYVAL);
  keys[*keyval].has_handle = 0;
  *keyval = MPI_KEYVAL_INVALID;
  return MPI_SUCCESS;
}

static struct value* find(MPI_Comm comm, int keyval) {
  for (int i = 0; i < VALUES; i++) {
    if (values[i].is_used && values[i].comm == comm && values[i].key == keyval) return &values[i];
  }
  return 0;
}

static int discard(struct value* v) {
  const int key = v->key;
  const int error = !deletes_made || keys[key].deletes == 0
                        ? MPI_SUCCESS
                        : keys[key].deletes(v->comm, key, v->value, keys[key].extra);
  if (error != MPI_SUCCESS) return error;
  v->is_used = 0;
  keys[key].values--;
  return MPI_SUCCESS;
}

static int store(MPI_Comm comm, int keyval, void* attribute_val) {
  struct value* v = find(comm, keyval);
  if (v != 0) {
    const int error = discard(v);
    if (error != MPI_SUCCESS) return error;
  }
  for (int i = 0; i < VALUES && v == 0; i++) {
    if (!values[i].is_used) v = &values[i];
  }
  if (v == 0) return polyloom_fail(comm, POLYLOOM_CALL_Comm_set_attr, MPI_ERR_NO_MEM, -1, -1);
  v->is_used = 1;
  v->key = keyval;
  v->comm = comm;
  v->value = attribute_val;
  keys[keyval].values++;
  return MPI_SUCCESS;
}

int MPI_Comm_set_attr(MPI_Comm comm, int keyval, void* attribute_val) {
  if (!polyloom_comm_ok(comm)) return polyloom_fail(comm, POLYLOOM_CALL_Comm_set_attr, MPI_ERR_COMM, -1, -1);
  if (!known(keyval)) return polyloom_fail(comm, POLYLOOM_CALL_Comm_set_attr, MPI_ERR_KEYVAL, -1, -1);
  return store(comm, keyval, attribute_val);
}

int MPI_Comm_get_attr(MPI_Comm comm, int keyval, void* attribute_val, int* flag) {
  static int tag_ub, is_global, universe, none, last;
  if (!polyloom_comm_ok(comm)) return polyloom_fail(comm, POLYLOOM_CALL_Comm_get_attr, MPI_ERR_COMM, -1, -1);
  void** const out = (void**)attribute_val;
  *flag = 1;
  switch (keyval) {
    case MPI_TAG_UB:
      tag_ub = MPI_TAG_UB_VALUE;
      *out = &tag_ub;
      return MPI_SUCCESS;
    case MPI_WTIME_IS_GLOBAL:
      is_global = 1;
      *out = &is_global;
      return MPI_SUCCESS;
    case MPI_UNIVERSE_SIZE:
      universe = polyloom_world_size();
      *out = &universe;
      return MPI_SUCCESS;
    case MPI_HOST:
      none = MPI_PROC_NULL;
      *out = &none;
      return MPI_SUCCESS;
    case MPI_LASTUSEDCODE:
      last = polyloom_last_error();
      *out = &last;
      return MPI_SUCCESS;
    default:
      break;
  }
  const struct value* const v = known(keyval) ? find(comm, keyval) : 0;
  *flag = v != 0;
  if (v != 0) *out = v->value;
  return MPI_SUCCESS;
}

int MPI_Comm_delete_attr(MPI_Comm comm, int keyval) {
  struct value* const v = known(keyval) ? find(comm, keyval) : 0;
  if (v == 0) return polyloom_fail(comm, POLYLOOM_CALL_Comm_delete_attr, MPI_ERR_KEYVAL, -1, -1);
  return discard(v);
}

int polyloom_copy_attributes(MPI_Comm from, MPI_Comm to) {
  for (int i = 0; copies_made && i < VALUES; i++) {
    if (!values[i].is_used || values[i].comm != from || keys[values[i].key].copies == 0) continue;
    const int key = values[i].key;
    void* copied = 0;
    int flag = 0;
    int error = keys[key].copies(from, key, keys[key].extra, values[i].value, &copied, &flag);
    if (error == MPI_SUCCESS && flag) error = store(to, key, copied);
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

/* The last one first, as MPI_Finalize wants it of MPI_COMM_SELF. */
void polyloom_delete_attributes(MPI_Comm comm) {
  for (int i = VALUES - 1; i >= 0; i--) {
    if (values[i].is_used && values[i].comm == comm) discard(&values[i]);
  }
}

/* --- Names --- */

static char names[POLYLOOM_COMMS][MPI_MAX_OBJECT_NAME];
int polyloom_names_made;

void polyloom_delete_name(MPI_Comm comm) { names[comm][0] = 0; }

int MPI_Comm_set_name(MPI_Comm comm, const char* comm_name) {
  if (!polyloom_comm_ok(comm)) return polyloom_fail(comm, POLYLOOM_CALL_Comm_set_name, MPI_ERR_COMM, -1, -1);
  polyloom_names_made = 1;
  polyloom_put_text(names[comm], comm_name, MPI_MAX_OBJECT_NAME);
  return MPI_SUCCESS;
}

int MPI_Comm_get_name(MPI_Comm comm, char* comm_name, int* resultlen) {
  if (!polyloom_comm_ok(comm)) return polyloom_fail(comm, POLYLOOM_CALL_Comm_get_name, MPI_ERR_COMM, -1, -1);
  const char* const standard = comm == MPI_COMM_WORLD  ? "MPI_COMM_WORLD"
                               : comm == MPI_COMM_SELF ? "MPI_COMM_SELF"
                                                       : "";
  *resultlen =
      polyloom_put_text(comm_name, names[comm][0] != 0 ? names[comm] : standard, MPI_MAX_OBJECT_NAME);
  return MPI_SUCCESS;
}

static char type_names[POLYLOOM_TYPES][MPI_MAX_OBJECT_NAME];
int polyloom_type_names_made;

void polyloom_delete_type_name(MPI_Datatype type) {
  type_names[((unsigned)type - POLYLOOM_DERIVED) % POLYLOOM_TYPES][0] = 0;
}

/* The standard's names, which it has two of for many types, cannot be changed. */
int MPI_Type_set_name(MPI_Datatype datatype, const char* type_name) {
  if (!polyloom_type_known(datatype)) return fail(POLYLOOM_CALL_Type_set_name, MPI_ERR_TYPE);
  if (!polyloom_type_derived(datatype)) return MPI_SUCCESS;
  polyloom_type_names_made = 1;
  polyloom_put_text(type_names[(unsigned)datatype - POLYLOOM_DERIVED], type_name, MPI_MAX_OBJECT_NAME);
  return MPI_SUCCESS;
}

int MPI_Type_get_name(MPI_Datatype datatype, char* type_name, int* resultlen) {
  if (!polyloom_type_known(datatype)) return fail(POLYLOOM_CALL_Type_get_name, MPI_ERR_TYPE);
  const char* text = polyloom_type_derived(datatype) ? type_names[(unsigned)datatype - POLYLOOM_DERIVED] : "";
  switch (datatype) {
#define X(type)   \
  case type:      \
    text = #type; \
    break;
    X(MPI_BYTE)
    X(MPI_SIGNED_CHAR)
    X(MPI_SHORT)
    X(MPI_INT)
    X(MPI_LONG)
    X(MPI_UNSIGNED_CHAR)
    X(MPI_UNSIGNED_SHORT)
    X(MPI_UNSIGNED)
    X(MPI_UNSIGNED_LONG)
    X(MPI_FLOAT)
    X(MPI_DOUBLE)
    X(MPI_C_BOOL)
    X(MPI_CHAR)
    X(MPI_2INT)
    X(MPI_FLOAT_INT)
    X(MPI_DOUBLE_INT)
#undef X
    default:
      break;
  }
  *resultlen = polyloom_put_text(type_name, text, MPI_MAX_OBJECT_NAME);
  return MPI_SUCCESS;
}

/* --- Memory --- */

int MPI_Alloc_mem(MPI_Aint size, MPI_Info info, void* baseptr) {
  (void)info;
  void* const made = size < 0 || size > 0xFFFFFFFF ? 0 : polyloom_platform_keep((uint32_t)size);
  if (made == 0) return fail(POLYLOOM_CALL_Alloc_mem, MPI_ERR_NO_MEM);
  *(void**)baseptr = made;
  return MPI_SUCCESS;
}

int MPI_Free_mem(void* base) {
  polyloom_platform_release(base);
  return MPI_SUCCESS;
}

/* --- MPI_Info --- */

static int infos[INFOS];
static struct {
  MPI_Info info; /* MPI_INFO_NULL: free */
  char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1];
} pairs[PAIRS]; /* of one info in the order in which they came */
static int pairs_used;

static int is_info(MPI_Info info) { return (int)info > 0 && (int)info <= INFOS && infos[(int)info - 1]; }

static int same(const char* a, const char* b) {
  while (*a != 0 && *a == *b) {
    a++;
    b++;
  }
  return *a == *b;
}

static int length_of(const char* text) {
  int length = 0;
  while (text[length] != 0) length++;
  return length;
}

static int pair_of(MPI_Info info, const char* key) {
  for (int i = 0; i < pairs_used; i++) {
    if (pairs[i].info == info && same(pairs[i].key, key)) return i;
  }
  return -1;
}

static void remove_pair(int at) {
  for (int i = at + 1; i < pairs_used; i++) pairs[i - 1] = pairs[i];
  pairs_used--;
}

int MPI_Info_create(MPI_Info* info) {
  for (int i = 0; i < INFOS; i++) {
    if (infos[i]) continue;
    infos[i] = 1;
    *info = (MPI_Info)(i + 1);
    return MPI_SUCCESS;
  }
  return fail(POLYLOOM_CALL_Info_create, MPI_ERR_NO_MEM);
}

int MPI_Info_set(MPI_Info info, const char* key, const char* value) {
  if (!is_info(info)) return fail(POLYLOOM_CALL_Info_set, MPI_ERR_INFO);
  int at = pair_of(info, key);
  if (at < 0 && pairs_used == PAIRS) return fail(POLYLOOM_CALL_Info_set, MPI_ERR_NO_MEM);
  if (at < 0) {
    at = pairs_used++;
    pairs[at].info = info;
    polyloom_put_text(pairs[at].key, key, MPI_MAX_INFO_KEY + 1);
  }
  polyloom_put_text(pairs[at].value, value, MPI_MAX_INFO_VAL + 1);
  return MPI_SUCCESS;
}

int MPI_Info_get(MPI_Info info, const char* key, int valuelen, char* value, int* flag) {
  if (!is_info(info)) return fail(POLYLOOM_CALL_Info_get, MPI_ERR_INFO);
  const int at = pair_of(info, key);
  *flag = at >= 0;
  if (at >= 0) polyloom_put_text(value, pairs[at].value, valuelen + 1);
  return MPI_SUCCESS;
}

int MPI_Info_get_valuelen(MPI_Info info, const char* key, int* valuelen, int* flag) {
  if (!is_info(info)) return fail(POLYLOOM_CALL_Info_get_valuelen, MPI_ERR_INFO);
  const int at = pair_of(info, key);
  *flag = at >= 0;
  if (at >= 0) *valuelen = length_of(pairs[at].value);
  return MPI_SUCCESS;
}

int MPI_Info_get_nkeys(MPI_Info info, int* nkeys) {
  if (!is_info(info)) return fail(POLYLOOM_CALL_Info_get_nkeys, MPI_ERR_INFO);
  *nkeys = 0;
  for (int i = 0; i < pairs_used; i++) *nkeys += pairs[i].info == info;
  return MPI_SUCCESS;
}

int MPI_Info_get_nthkey(MPI_Info info, int n, char* key) {
  int before = 0;
  for (int i = 0; i < pairs_used; i++) {
    if (pairs[i].info != info || before++ < n) continue;
    polyloom_put_text(key, pairs[i].key, MPI_MAX_INFO_KEY + 1);
    return MPI_SUCCESS;
  }
  return fail(POLYLOOM_CALL_Info_get_nthkey, MPI_ERR_ARG);
}

int MPI_Info_delete(MPI_Info info, const char* key) {
  const int at = is_info(info) ? pair_of(info, key) : -1;
  if (at < 0) return fail(POLYLOOM_CALL_Info_delete, is_info(info) ? MPI_ERR_INFO_NOKEY : MPI_ERR_INFO);
  remove_pair(at);
  return MPI_SUCCESS;
}

int MPI_Info_dup(MPI_Info info, MPI_Info* newinfo) {
  if (!is_info(info)) return fail(POLYLOOM_CALL_Info_dup, MPI_ERR_INFO);
  int error = MPI_Info_create(newinfo);
  for (int i = 0, all = pairs_used; error == MPI_SUCCESS && i < all; i++) {
    if (pairs[i].info == info) error = MPI_Info_set(*newinfo, pairs[i].key, pairs[i].value);
  }
  return error;
}

int MPI_Info_free(MPI_Info* info) {
  if (!is_info(*info)) return fail(POLYLOOM_CALL_Info_free, MPI_ERR_INFO);
  for (int i = pairs_used - 1; i >= 0; i--) {
    if (pairs[i].info == *info) remove_pair(i);
  }
  infos[(int)*info - 1] = 0;
  *info = MPI_INFO_NULL;
  return MPI_SUCCESS;
}

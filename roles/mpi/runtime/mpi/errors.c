/* SPDX-License-Identifier: Apache-2.0 */
/* Errors as the program sees them: its handlers, its own classes and codes, texts. */
#include "../../arch/errors.h"

#include "environment.h"

#ifdef POLYLOOM_KERNEL
#define HANDLERS 16
#define CODES 16
#else
#define HANDLERS 256
#define CODES 1024
#endif
#define FIRST_HANDLER (MPI_ERRORS_RETURN + 1)
#define FIRST_CODE (MPI_ERR_LASTCODE + 1)

int polyloom_handlers_made;
static struct {
  MPI_Comm_errhandler_function* function;
  int uses; /* handles of the program; communicators have it, too */
} handlers[HANDLERS];

static int fail(MPI_Comm comm, int call, int error) { return polyloom_fail(comm, call, error, -1, -1); }

static int is_used(int number) {
  if (handlers[number].uses > 0) return 1;
  for (int i = 0; i < POLYLOOM_COMMS; i++) {
    const int exists = i <= MPI_COMM_SELF || polyloom_comms[i].used;
    if (exists && polyloom_comms[i].errors == FIRST_HANDLER + number) return 1;
  }
  return 0;
}

int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function* function, MPI_Errhandler* errhandler) {
  for (int i = 0; i < HANDLERS; i++) {
    if (is_used(i)) continue;
    polyloom_handlers_made = 1;
    handlers[i].function = function;
    handlers[i].uses = 1;
    *errhandler = (MPI_Errhandler)(FIRST_HANDLER + i);
    return MPI_SUCCESS;
  }
  return fail(MPI_COMM_WORLD, POLYLOOM_CALL_Comm_create_errhandler, MPI_ERR_NO_MEM);
}

int MPI_Errhandler_free(MPI_Errhandler* errhandler) {
  if (polyloom_handlers_made && (int)*errhandler >= FIRST_HANDLER)
    handlers[*errhandler - FIRST_HANDLER].uses--;
  *errhandler = MPI_ERRHANDLER_NULL;
  return MPI_SUCCESS;
}

int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler) {
  if (!polyloom_comm_ok(comm)) return fail(comm, POLYLOOM_CALL_Comm_set_errhandler, MPI_ERR_COMM);
  polyloom_comms[comm].errors = (uint16_t)errhandler;
  return MPI_SUCCESS;
}

int MPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler* errhandler) {
  if (!polyloom_comm_ok(comm)) return fail(comm, POLYLOOM_CALL_Comm_get_errhandler, MPI_ERR_COMM);
  *errhandler = (MPI_Errhandler)polyloom_comms[comm].errors;
  if (polyloom_handlers_made && (int)*errhandler >= FIRST_HANDLER)
    handlers[*errhandler - FIRST_HANDLER].uses++;
  return MPI_SUCCESS;
}

void polyloom_handle(MPI_Errhandler handler, MPI_Comm comm, int error) {
  if ((int)handler >= FIRST_HANDLER) handlers[handler - FIRST_HANDLER].function(&comm, &error);
}

int MPI_Comm_call_errhandler(MPI_Comm comm, int errorcode) {
  const int known = polyloom_comm_ok(comm);
  fail(comm, POLYLOOM_CALL_Comm_call_errhandler, known ? errorcode : MPI_ERR_COMM);
  return known ? MPI_SUCCESS : MPI_ERR_COMM;
}

/* --- Classes, codes, texts --- */

static int codes_made;
static struct {
  int class;
  char text[MPI_MAX_ERROR_STRING];
} codes[CODES];

int polyloom_last_error(void) { return MPI_ERR_LASTCODE + codes_made; }

static int is_own(int code) { return code >= FIRST_CODE && code < FIRST_CODE + codes_made; }

static int add(int call, int class, int* code) {
  if (codes_made == CODES) return fail(MPI_COMM_WORLD, call, MPI_ERR_NO_MEM);
  *code = FIRST_CODE + codes_made;
  codes[codes_made].class = class < 0 ? *code : class;
  codes[codes_made].text[0] = 0;
  codes_made++;
  return MPI_SUCCESS;
}

int MPI_Add_error_class(int* errorclass) { return add(POLYLOOM_CALL_Add_error_class, -1, errorclass); }

int MPI_Add_error_code(int errorclass, int* errorcode) {
  return add(POLYLOOM_CALL_Add_error_code, errorclass, errorcode);
}

int MPI_Add_error_string(int errorcode, const char* string) {
  if (!is_own(errorcode)) return fail(MPI_COMM_WORLD, POLYLOOM_CALL_Add_error_string, MPI_ERR_ARG);
  polyloom_put_text(codes[errorcode - FIRST_CODE].text, string, MPI_MAX_ERROR_STRING);
  return MPI_SUCCESS;
}

int MPI_Error_class(int errorcode, int* errorclass) {
  *errorclass = is_own(errorcode) ? codes[errorcode - FIRST_CODE].class : errorcode;
  return MPI_SUCCESS;
}

int MPI_Error_string(int errorcode, char* string, int* resultlen) {
  const char* text = is_own(errorcode) ? codes[errorcode - FIRST_CODE].text : "no error of MPI";
  switch (errorcode) {
#define X(name, what) \
  case MPI_##name:    \
    text = what;      \
    break;
    POLYLOOM_ERRORS(X)
#undef X
    default:
      break;
  }
  *resultlen = polyloom_put_text(string, text, MPI_MAX_ERROR_STRING);
  return MPI_SUCCESS;
}

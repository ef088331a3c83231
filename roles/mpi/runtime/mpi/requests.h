/* SPDX-License-Identifier: Apache-2.0 */
/* Of p2p.c, for requests.c, and the other way round. */
#pragma once

#include "internal.h"

/* As MPI_Isend and its like. */
int polyloom_request_start(unsigned op, int call, const void* buf, int count, MPI_Datatype type, int peer,
                           int tag, MPI_Comm comm, MPI_Request* request);
/* WAIT or TEST; an error is returned, not handled. */
int polyloom_request_end(unsigned op, MPI_Request* request, int* done, MPI_Status* status);
/* What the engine knows of a request. */
MPI_Request polyloom_request_plain(MPI_Request r);

extern int polyloom_left_made; /* as polyloom_types_made: there are requests that only the library knows */
void polyloom_finish_requests(void);

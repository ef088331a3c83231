/* SPDX-License-Identifier: Apache-2.0 */
/* What a communicator takes with it when it is copied and loses when it is freed; texts. */
#pragma once

#include "internal.h"

/* The characters of a text that fit, and the 0; their number. */
int polyloom_put_text(char* to, const char* text, int room);
/* The highest error code in use. */
int polyloom_last_error(void);

extern int polyloom_attributes_made, polyloom_names_made; /* as polyloom_types_made */
int polyloom_copy_attributes(MPI_Comm from, MPI_Comm to);
void polyloom_delete_attributes(MPI_Comm comm);
void polyloom_delete_name(MPI_Comm comm);

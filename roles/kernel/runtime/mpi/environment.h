/* SPDX-License-Identifier: Apache-2.0 */
/* What a communicator takes with it when it is copied and loses when it is freed. */
#pragma once

#include "internal.h"

extern int polyloom_attributes_made, polyloom_names_made; /* as polyloom_types_made */
int polyloom_copy_attributes(MPI_Comm from, MPI_Comm to);
void polyloom_delete_attributes(MPI_Comm comm);
void polyloom_delete_name(MPI_Comm comm);

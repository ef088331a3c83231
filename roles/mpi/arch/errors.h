/* SPDX-License-Identifier: Apache-2.0 */
/* Classes of errors and what a person reads of each. For C and C++. */
#pragma once

/* clang-format off */
#define POLYLOOM_ERRORS(X) \
  X(SUCCESS, "no error") \
  X(ERR_BUFFER, "the buffer is not in this rank's memory, or MPI_IN_PLACE is not allowed here") \
  X(ERR_COUNT, "the count is negative, or the message has more than 4294967295 bytes") \
  X(ERR_TYPE, "the datatype is none of Polyloom's or not committed, or the message has another one than the receive") \
  X(ERR_TAG, "the tag must be 0 or more (a receive may have MPI_ANY_TAG)") \
  X(ERR_COMM, "no such communicator") \
  X(ERR_RANK, "no such rank in the communicator") \
  X(ERR_REQUEST, "no such request; it may have been completed before") \
  X(ERR_ROOT, "no such root in the communicator") \
  X(ERR_OP, "the operation does not exist for this datatype") \
  X(ERR_TRUNCATE, "the message is longer than the receive's buffer") \
  X(ERR_NO_MEM, "too many requests or communicators at once, or too long a buffer to be kept") \
  X(ERR_INTERN, "no memory for a message with gaps or a collective that does not block; an FPGA has what malloc leaves of DRAM") \
  X(ERR_GROUP, "no such group") \
  X(ERR_TOPOLOGY, "the communicator has no topology of that kind; MPI_Cart_create, MPI_Graph_create, MPI_Dist_graph_create make them") \
  X(ERR_DIMS, "dimensions must be positive, at most 8, and divide the number of ranks") \
  X(ERR_ARG, "an argument is not one that the call allows") \
  X(ERR_OTHER, "the other rank does not respond") \
  X(ERR_KEYVAL, "no such key of attributes, or no value for it") \
  X(ERR_INFO, "no such MPI_Info") \
  X(ERR_INFO_NOKEY, "the MPI_Info has no such key")
/* clang-format on */

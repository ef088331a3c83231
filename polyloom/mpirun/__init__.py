# SPDX-License-Identifier: Apache-2.0
"""``polyloom mpirun``: compiles an MPI program for every rank, starts the cluster, runs it, ends it, cleans up."""

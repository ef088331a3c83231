# SPDX-License-Identifier: Apache-2.0
"""From MPI C to one program per distinct rank behaviour (ZRLMPI, section III): ``polyloom mpirun``'s first half.

Works on what the C compiler understands, LLVM IR, never on text of C. The passes in order:
``program`` (sources and the kernel's MPI library become one module), ``specialise`` (rank and size enter as constants,
LLVM propagates, inlines and deletes), ``behaviour`` (ranks whose programs differ in arithmetic only become one program
that asks for its rank), ``kernels`` (each program goes through ``polyloom.hls``, once, with a cache).
"""

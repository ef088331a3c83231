/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of C that a kernel does not have: whoever uses one gets its name from the compiler. */
#ifndef POLYLOOM_NONE_H
#define POLYLOOM_NONE_H

#define POLYLOOM_NO_FUNCTION(name) \
  int name() __attribute__((unavailable(#name " is not there in an FPGA kernel; keep it on CPU ranks")));

#endif

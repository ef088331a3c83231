/* SPDX-License-Identifier: Apache-2.0 */
#ifndef POLYLOOM_UNISTD_H
#define POLYLOOM_UNISTD_H

#include "polyloom_none.h"

unsigned sleep(unsigned seconds);
int usleep(unsigned microseconds);

POLYLOOM_NO_FUNCTION(gethostname)
POLYLOOM_NO_FUNCTION(getpid)
POLYLOOM_NO_FUNCTION(fork)
POLYLOOM_NO_FUNCTION(execve)
POLYLOOM_NO_FUNCTION(read)
POLYLOOM_NO_FUNCTION(write)
POLYLOOM_NO_FUNCTION(close)
POLYLOOM_NO_FUNCTION(getopt)
POLYLOOM_NO_FUNCTION(sysconf)
POLYLOOM_NO_FUNCTION(isatty)

#endif

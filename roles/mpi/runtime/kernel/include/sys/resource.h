/* SPDX-License-Identifier: Apache-2.0 */
#ifndef POLYLOOM_SYS_RESOURCE_H
#define POLYLOOM_SYS_RESOURCE_H

#include <polyloom_none.h>
#include <sys/time.h>

struct rusage {
  struct timeval ru_utime, ru_stime;
  long ru_maxrss;
};
#define RUSAGE_SELF 0
POLYLOOM_NOT_HERE(getrusage) int getrusage(int who, struct rusage* into);

#endif

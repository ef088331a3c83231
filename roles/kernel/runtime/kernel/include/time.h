/* SPDX-License-Identifier: Apache-2.0 */
/* Time since the node's start, counted in cycles. */
#ifndef POLYLOOM_TIME_H
#define POLYLOOM_TIME_H

#include <stddef.h>

#include "polyloom_none.h"

typedef long time_t;
typedef long clock_t;
struct timespec {
  time_t tv_sec;
  long tv_nsec;
};
struct timeval {
  time_t tv_sec;
  long tv_usec;
};
#define CLOCKS_PER_SEC 1000000
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1

time_t time(time_t* into);
clock_t clock(void);
int clock_gettime(int which, struct timespec* into);
int gettimeofday(struct timeval* into, void* zone);

POLYLOOM_NO_FUNCTION(localtime)
POLYLOOM_NO_FUNCTION(gmtime)
POLYLOOM_NO_FUNCTION(mktime)
POLYLOOM_NO_FUNCTION(strftime)
POLYLOOM_NO_FUNCTION(asctime)
POLYLOOM_NO_FUNCTION(ctime)
POLYLOOM_NO_FUNCTION(difftime)
POLYLOOM_NO_FUNCTION(nanosleep)

#endif

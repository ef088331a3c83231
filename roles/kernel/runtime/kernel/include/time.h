/* SPDX-License-Identifier: Apache-2.0 */
/* Time since the node's start, counted in cycles. */
#ifndef POLYLOOM_TIME_H
#define POLYLOOM_TIME_H

#include <stddef.h>

#include "polyloom_none.h"

typedef long time_t;
typedef long clock_t;
struct tm {
  int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
};
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

POLYLOOM_NOT_HERE(localtime) struct tm* localtime(const time_t* time);
POLYLOOM_NOT_HERE(localtime_r) struct tm* localtime_r(const time_t* time, struct tm* into);
POLYLOOM_NOT_HERE(gmtime) struct tm* gmtime(const time_t* time);
POLYLOOM_NOT_HERE(gmtime_r) struct tm* gmtime_r(const time_t* time, struct tm* into);
POLYLOOM_NOT_HERE(mktime) time_t mktime(struct tm* time);
POLYLOOM_NOT_HERE(strftime)
size_t strftime(char* into, size_t most, const char* format, const struct tm* time);
POLYLOOM_NOT_HERE(asctime) char* asctime(const struct tm* time);
POLYLOOM_NOT_HERE(ctime) char* ctime(const time_t* time);
POLYLOOM_NOT_HERE(difftime) double difftime(time_t end, time_t begin);
POLYLOOM_NOT_HERE(nanosleep) int nanosleep(const struct timespec* span, struct timespec* left);
POLYLOOM_NOT_HERE(clock_getres) int clock_getres(int which, struct timespec* into);

#endif

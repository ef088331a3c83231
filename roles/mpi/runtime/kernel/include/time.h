/* SPDX-License-Identifier: Apache-2.0 */
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

#define TIME_UTC 1

time_t time(time_t* into);
clock_t clock(void);
int clock_gettime(int which, struct timespec* into);
int clock_getres(int which, struct timespec* into);
int gettimeofday(struct timeval* into, void* zone);
int nanosleep(const struct timespec* span, struct timespec* left);
struct tm* localtime(const time_t* time);
struct tm* localtime_r(const time_t* time, struct tm* into);
struct tm* gmtime(const time_t* time);
struct tm* gmtime_r(const time_t* time, struct tm* into);
time_t mktime(struct tm* time);
size_t strftime(char* into, size_t most, const char* format, const struct tm* time);
char* asctime(const struct tm* time);
char* ctime(const time_t* time);
static inline double difftime(time_t end, time_t begin) { return (double)(end - begin); }
static inline int timespec_get(struct timespec* into, int base) {
  return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, into) == 0 ? base : 0;
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Time is the job's date, which the manager tells once, and the cycles since the node's start. */
#include "time.h"

#include "kernel.h"
#include "stdio.h"
#include "unistd.h"

static uint64_t microseconds(void) { return __polyloom_cycle() / (POLYLOOM_CLOCK_HZ / 1000000); }

static time_t date(void) {
  static time_t began;
  if (began == 0) {
    polyloom_print_begin();
    began = polyloom_call(POLYLOOM_C_time, 0);
  }
  return began;
}

clock_t clock(void) { return (clock_t)microseconds(); }

int clock_gettime(int which, struct timespec* into) {
  const time_t began = which == CLOCK_REALTIME ? date() : 0;
  const uint64_t cycles = __polyloom_cycle();
  into->tv_sec = began + (time_t)(cycles / POLYLOOM_CLOCK_HZ);
  into->tv_nsec = (long)(cycles % POLYLOOM_CLOCK_HZ * 1000000000u / POLYLOOM_CLOCK_HZ);
  return 0;
}

int clock_getres(int which, struct timespec* into) {
  (void)which;
  *into = (struct timespec){0, (1000000000 + POLYLOOM_CLOCK_HZ - 1) / POLYLOOM_CLOCK_HZ};
  return 0;
}

time_t time(time_t* into) {
  const time_t now = date() + (time_t)(__polyloom_cycle() / POLYLOOM_CLOCK_HZ);
  if (into != 0) *into = now;
  return now;
}

int gettimeofday(struct timeval* into, void* zone) {
  (void)zone;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  into->tv_sec = now.tv_sec;
  into->tv_usec = now.tv_nsec / 1000;
  return 0;
}

static void wait_for(uint64_t cycles) {
  const uint64_t end = __polyloom_cycle() + cycles;
  while (__polyloom_cycle() < end) {
  }
}

int usleep(unsigned microseconds_) {
  wait_for((uint64_t)microseconds_ * (POLYLOOM_CLOCK_HZ / 1000000));
  return 0;
}

unsigned sleep(unsigned seconds) {
  wait_for((uint64_t)seconds * POLYLOOM_CLOCK_HZ);
  return 0;
}

int nanosleep(const struct timespec* span, struct timespec* left) {
  wait_for((uint64_t)span->tv_sec * POLYLOOM_CLOCK_HZ +
           (uint64_t)span->tv_nsec * POLYLOOM_CLOCK_HZ / 1000000000u);
  if (left != 0) *left = (struct timespec){0, 0};
  return 0;
}

/* The calendar is the manager's. */
static struct tm* fields(unsigned function, time_t time, struct tm* into) {
  polyloom_print_begin();
  polyloom_print_word(POLYLOOM_PRINT_INTEGER, (unsigned long)time);
  polyloom_call(function, 0);
  polyloom_call_take(0, into);
  return into;
}

static struct tm shown;
struct tm* gmtime_r(const time_t* time, struct tm* into) {
  return fields(POLYLOOM_C_gmtime, *time, into);
}
struct tm* localtime_r(const time_t* time, struct tm* into) {
  return fields(POLYLOOM_C_localtime, *time, into);
}
struct tm* gmtime(const time_t* time) {
  return gmtime_r(time, &shown);
}
struct tm* localtime(const time_t* time) {
  return localtime_r(time, &shown);
}

time_t mktime(struct tm* time) {
  polyloom_report_manager(POLYLOOM_CALL_DATA, time, sizeof *time);
  polyloom_print_begin();
  const time_t value = polyloom_call(POLYLOOM_C_mktime, 0);
  polyloom_call_take(0, time);
  return value;
}

size_t strftime(char* into, size_t most, const char* format, const struct tm* time) {
  polyloom_report_manager(POLYLOOM_CALL_DATA, time, sizeof *time);
  polyloom_print_begin();
  polyloom_print_string(format, ~(size_t)0);
  polyloom_print_word(POLYLOOM_PRINT_INTEGER, most);
  const size_t bytes = (size_t)polyloom_call(POLYLOOM_C_strftime, 0);
  polyloom_call_take(0, into);
  return bytes;
}

char* asctime(const struct tm* time) {
  static char text[64] __attribute__((aligned(16)));
  strftime(text, sizeof text, "%a %b %e %H:%M:%S %Y\n", time);
  return text;
}

char* ctime(const time_t* time) { return asctime(localtime(time)); }

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef POLYLOOM_UNISTD_H
#define POLYLOOM_UNISTD_H

#include <sys/types.h>

#include "polyloom_none.h"

#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define F_OK 0

/* Of getopt, on CPU ranks. */
extern char* optarg;
extern int optind, opterr, optopt;

unsigned sleep(unsigned seconds);
int usleep(unsigned microseconds);

POLYLOOM_NOT_HERE(_exit) __attribute__((noreturn)) void _exit(int code);
POLYLOOM_NOT_HERE(gethostname) int gethostname(char* into, size_t most);
POLYLOOM_NOT_HERE(getpid) pid_t getpid(void);
POLYLOOM_NOT_HERE(getppid) pid_t getppid(void);
POLYLOOM_NOT_HERE(fork) pid_t fork(void);
POLYLOOM_NOT_HERE(execve) int execve(const char* file, char* const arguments[], char* const environment[]);
POLYLOOM_NOT_HERE(read) ssize_t read(int descriptor, void* into, size_t bytes);
POLYLOOM_NOT_HERE(write) ssize_t write(int descriptor, const void* from, size_t bytes);
POLYLOOM_NOT_HERE(close) int close(int descriptor);
POLYLOOM_NOT_HERE(access) int access(const char* name, int mode);
POLYLOOM_NOT_HERE(unlink) int unlink(const char* name);
POLYLOOM_NOT_HERE(getcwd) char* getcwd(char* into, size_t most);
POLYLOOM_NOT_HERE(getopt) int getopt(int count, char* const arguments[], const char* options);
POLYLOOM_NOT_HERE(sysconf) long sysconf(int name);
POLYLOOM_NOT_HERE(isatty) int isatty(int descriptor);

#endif

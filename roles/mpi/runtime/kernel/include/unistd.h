/* SPDX-License-Identifier: Apache-2.0 */
#ifndef POLYLOOM_UNISTD_H
#define POLYLOOM_UNISTD_H

#include <getopt.h>
#include <stdio.h>
#include <sys/types.h>

#include "polyloom_none.h"

#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define F_OK 0
#define X_OK 1
#define W_OK 2
#define R_OK 4
#define _SC_PAGESIZE 30
#define _SC_NPROCESSORS_ONLN 84

unsigned sleep(unsigned seconds);
int usleep(unsigned microseconds);

POLYLOOM_NOT_HERE(_exit) __attribute__((noreturn)) void _exit(int code);
/* What MPI_Get_processor_name says. */
int gethostname(char* into, size_t most);
static inline int unlink(const char* name) { return remove(name); }
POLYLOOM_NOT_HERE(getpid) pid_t getpid(void);
POLYLOOM_NOT_HERE(getppid) pid_t getppid(void);
POLYLOOM_NOT_HERE(fork) pid_t fork(void);
POLYLOOM_NOT_HERE(execve) int execve(const char* file, char* const arguments[], char* const environment[]);
POLYLOOM_NOT_HERE(read) ssize_t read(int descriptor, void* into, size_t bytes);
POLYLOOM_NOT_HERE(write) ssize_t write(int descriptor, const void* from, size_t bytes);
POLYLOOM_NOT_HERE(lseek) off_t lseek(int descriptor, off_t offset, int from);
POLYLOOM_NOT_HERE(dup2) int dup2(int from, int to);
POLYLOOM_NOT_HERE(pipe) int pipe(int ends[2]);
POLYLOOM_NOT_HERE(chdir) int chdir(const char* name);
POLYLOOM_NOT_HERE(rmdir) int rmdir(const char* name);
POLYLOOM_NOT_HERE(alarm) unsigned alarm(unsigned seconds);
POLYLOOM_NOT_HERE(getuid) uid_t getuid(void);
POLYLOOM_NOT_HERE(close) int close(int descriptor);
POLYLOOM_NOT_HERE(access) int access(const char* name, int mode);
POLYLOOM_NOT_HERE(getcwd) char* getcwd(char* into, size_t most);
POLYLOOM_NOT_HERE(sysconf) long sysconf(int name);
POLYLOOM_NOT_HERE(isatty) int isatty(int descriptor);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef POLYLOOM_SIGNAL_H
#define POLYLOOM_SIGNAL_H

#include <polyloom_none.h>
#include <sys/types.h>

typedef int sig_atomic_t;
typedef void (*sighandler_t)(int);
#define SIG_DFL ((sighandler_t)0)
#define SIG_IGN ((sighandler_t)1)
#define SIG_ERR ((sighandler_t)-1)
#define SIGHUP 1
#define SIGINT 2
#define SIGQUIT 3
#define SIGILL 4
#define SIGABRT 6
#define SIGFPE 8
#define SIGKILL 9
#define SIGUSR1 10
#define SIGSEGV 11
#define SIGUSR2 12
#define SIGPIPE 13
#define SIGALRM 14
#define SIGTERM 15
typedef struct {
  unsigned long polyloom[16];
} sigset_t;
struct sigaction {
  sighandler_t sa_handler;
  sigset_t sa_mask;
  int sa_flags;
};
POLYLOOM_NOT_HERE(signal) sighandler_t signal(int number, sighandler_t handler);
POLYLOOM_NOT_HERE(raise) int raise(int number);
POLYLOOM_NOT_HERE(kill) int kill(pid_t process, int number);
POLYLOOM_NOT_HERE(sigaction) int sigaction(int number, const struct sigaction* next, struct sigaction* last);
POLYLOOM_NOT_HERE(sigemptyset) int sigemptyset(sigset_t* set);
POLYLOOM_NOT_HERE(sigaddset) int sigaddset(sigset_t* set, int number);

#endif

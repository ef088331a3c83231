/* SPDX-License-Identifier: Apache-2.0 */
#ifndef POLYLOOM_FCNTL_H
#define POLYLOOM_FCNTL_H

#include <polyloom_none.h>
#include <sys/types.h>

#define O_RDONLY 0
#define O_WRONLY 1
#define O_RDWR 2
#define O_CREAT 64
#define O_EXCL 128
#define O_TRUNC 512
#define O_APPEND 1024
POLYLOOM_NOT_HERE(open) int open(const char* name, int flags, ...);
POLYLOOM_NOT_HERE(creat) int creat(const char* name, mode_t mode);
POLYLOOM_NOT_HERE(fcntl) int fcntl(int descriptor, int command, ...);

#endif

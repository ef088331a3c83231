/* SPDX-License-Identifier: Apache-2.0 */
#ifndef POLYLOOM_SYS_STAT_H
#define POLYLOOM_SYS_STAT_H

#include <polyloom_none.h>
#include <sys/types.h>
#include <time.h>

struct stat {
  dev_t st_dev;
  ino_t st_ino;
  mode_t st_mode;
  off_t st_size;
  time_t st_mtime;
};
#define S_ISREG(mode) (((mode)&0170000) == 0100000)
#define S_ISDIR(mode) (((mode)&0170000) == 0040000)
POLYLOOM_NOT_HERE(stat) int stat(const char* name, struct stat* into);
POLYLOOM_NOT_HERE(fstat) int fstat(int descriptor, struct stat* into);
POLYLOOM_NOT_HERE(mkdir) int mkdir(const char* name, mode_t mode);
POLYLOOM_NOT_HERE(chmod) int chmod(const char* name, mode_t mode);

#endif

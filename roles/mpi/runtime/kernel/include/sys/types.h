/* SPDX-License-Identifier: Apache-2.0 */
#ifndef POLYLOOM_SYS_TYPES_H
#define POLYLOOM_SYS_TYPES_H

#include <stddef.h>

typedef long ssize_t;
typedef long off_t;
typedef int pid_t;
typedef unsigned uid_t, gid_t, mode_t;
typedef unsigned long ino_t, dev_t;

#endif

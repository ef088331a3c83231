/* SPDX-License-Identifier: Apache-2.0 */
/* Set by what the manager does for a kernel; Linux's numbers. */
#ifndef POLYLOOM_ERRNO_H
#define POLYLOOM_ERRNO_H

extern int polyloom_errno;
#define errno polyloom_errno
#define EPERM 1
#define ENOENT 2
#define EINTR 4
#define EIO 5
#define EBADF 9
#define EAGAIN 11
#define ENOMEM 12
#define EACCES 13
#define EBUSY 16
#define EEXIST 17
#define ENOTDIR 20
#define EISDIR 21
#define EINVAL 22
#define ENOSPC 28
#define EPIPE 32
#define EDOM 33
#define ERANGE 34
#define ENOSYS 38
#define EILSEQ 84
#define EOVERFLOW 75
#define ETIMEDOUT 110

#endif

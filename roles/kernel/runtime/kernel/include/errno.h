/* SPDX-License-Identifier: Apache-2.0 */
/* Nothing that a kernel has sets errno; programs look at it on CPU ranks. */
#ifndef POLYLOOM_ERRNO_H
#define POLYLOOM_ERRNO_H

static int polyloom_errno __attribute__((unused));
#define errno polyloom_errno
#define EDOM 33
#define ERANGE 34
#define EINVAL 22
#define ENOENT 2
#define ENOMEM 12

#endif

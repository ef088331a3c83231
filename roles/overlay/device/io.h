// SPDX-License-Identifier: Apache-2.0
// Console output of a thread. Each call busy-waits for the UART. lib.o has the bodies.
#ifndef POLYLOOM_IO_H
#define POLYLOOM_IO_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

int putchar(int c);
/// Adds no newline.
int puts(const char* s);
/// Eight hexadecimal digits.
int puthex(unsigned x);
/// Knows %s and %x (always eight digits, zero-padded), and as additions %d, %u, %c and %%. Widths and flags
/// are not known: an unknown conversion is printed as it stands.
int printf(const char* format, ...);

#ifdef __cplusplus
}
#endif

#endif

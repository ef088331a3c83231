/* SPDX-License-Identifier: Apache-2.0 */
#ifndef POLYLOOM_STRINGS_H
#define POLYLOOM_STRINGS_H

#include <stddef.h>

int strcasecmp(const char* a, const char* b);
int strncasecmp(const char* a, const char* b, size_t most);

#endif

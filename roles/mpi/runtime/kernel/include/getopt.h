/* SPDX-License-Identifier: Apache-2.0 */
#ifndef POLYLOOM_GETOPT_H
#define POLYLOOM_GETOPT_H

#define no_argument 0
#define required_argument 1
#define optional_argument 2

struct option {
  const char* name;
  int has_arg;
  int* flag;
  int val;
};

extern char* optarg;
extern int optind, opterr, optopt;
int getopt(int count, char* const arguments[], const char* letters);
int getopt_long(int count, char* const arguments[], const char* letters, const struct option* names,
                int* place);

#endif

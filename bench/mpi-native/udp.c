/* SPDX-License-Identifier: Apache-2.0 */
/* Microseconds of a round trip of a UDP datagram between two processes on this machine: the least of 20
   batches. Arguments: bytes, rounds a batch. What a runtime over UDP cannot be quicker than. */
#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BATCHES = 20, MOST = 1400 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char** argv) {
  static char data[MOST];
  const size_t bytes = argc > 1 ? (size_t)atoi(argv[1]) : 8;
  const int rounds = argc > 2 ? atoi(argv[2]) : 1000;
  int s[2];
  struct sockaddr_in at[2];
  socklen_t length = sizeof at[0];
  for (int n = 0; n < 2; n++) {
    s[n] = socket(AF_INET, SOCK_DGRAM, 0);
    at[n] = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (bind(s[n], (struct sockaddr*)&at[n], sizeof at[n]) != 0) return 1;
    getsockname(s[n], (struct sockaddr*)&at[n], &length);
  }
  for (int n = 0; n < 2; n++)
    if (connect(s[n], (struct sockaddr*)&at[1 - n], sizeof at[0]) != 0) return 1;
  const pid_t other = fork();
  if (other == 0)
    for (;;)
      if (send(s[1], data, (size_t)recv(s[1], data, MOST, 0), 0) < 0) _exit(1);
  double least = 1e9;
  for (int batch = 0; batch < BATCHES; batch++) {
    const double start = now();
    for (int round = 0; round < rounds; round++)
      if (send(s[0], data, bytes, 0) < 0 || recv(s[0], data, MOST, 0) < 0) return 1;
    const double us = (now() - start) / rounds * 1e6;
    if (us < least) least = us;
  }
  kill(other, SIGKILL);
  printf("us %.4f\n", least);
  return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What a rank prints, to the launcher: a connection for each stream, in place of it before the program
   begins. Input: POLYLOOM_RANK_OUTPUT = "PORT SECRET HOST...", the first host that responds; the rank as the
   MPI's launcher says it. Without a response the streams stay what they are. (ranks.py is the other side.) */
#include <fcntl.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define WHERE "POLYLOOM_RANK_OUTPUT"

static const char* rank_text(void) {
  static const char* const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"};
  for (size_t n = 0; n < sizeof names / sizeof *names; n++)
    if (getenv(names[n]) != NULL) return getenv(names[n]);
  return NULL;
}

static int connection(const char* host, const char* port) {
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
  int s = -1;
  if (getaddrinfo(host, port, &hints, &found) != 0) return -1;
  for (const struct addrinfo* a = found; a != NULL && s < 0; a = a->ai_next) {
    s = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol);
    if (s >= 0 && connect(s, a->ai_addr, a->ai_addrlen) != 0) close(s), s = -1;
  }
  freeaddrinfo(found);
  return s;
}

/* Returns whether the stream goes to the launcher now. */
static int hand_on(int stream, const char* host, const char* port, const char* secret, const char* rank) {
  char text[256];
  const int length =
      snprintf(text, sizeof text, "%s %s %s\n", secret, rank, stream == 1 ? "stdout" : "stderr");
  const int s = connection(host, port);
  /* The old one stays open beside it: Open MPI ends the input of a rank whose outputs are closed. */
  const int done = s >= 0 && write(s, text, (size_t)length) == length && fcntl(stream, F_DUPFD, 100) >= 0 &&
                   dup2(s, stream) >= 0;
  if (s >= 0) close(s);
  return done;
}

__attribute__((constructor)) static void begin(void) {
  static char text[1024];
  const char *where = getenv(WHERE), *rank = rank_text();
  char* rest = text;
  if (where == NULL || rank == NULL || strlen(where) >= sizeof text) return;
  strcpy(text, where);
  unsetenv(WHERE); /* what the program starts has its streams from it */
  const char *port = strtok_r(rest, " ", &rest), *secret = strtok_r(rest, " ", &rest), *host;
  while ((host = strtok_r(rest, " ", &rest)) != NULL) {
    if (!hand_on(1, host, port, secret, rank)) continue;
    hand_on(2, host, port, secret, rank);
    break;
  }
  setvbuf(stdout, NULL, _IOLBF, 0); /* so that what was printed is seen, however the job ends */
  setenv("PYTHONUNBUFFERED", "1", 0);
}

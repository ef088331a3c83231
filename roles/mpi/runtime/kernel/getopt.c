/* SPDX-License-Identifier: Apache-2.0 */
/* Options of a command line, as glibc reads them: words that are none come behind those that are. */
#include "getopt.h"

#include "stdio.h"
#include "string.h"

char* optarg;
int optind = 1, opterr = 1, optopt;
static unsigned letter; /* the next of this word; 0: the next word */
static int skipped;     /* words behind this one that are no options */

/* Takes a word from behind those. */
static char* take(char** words) {
  char* const word = words[optind + skipped];
  for (int i = optind + skipped; i > optind; i--) words[i] = words[i - 1];
  words[optind++] = word;
  return word;
}

static int fail(const char* letters, int code, const char* program, const char* said, const char* what) {
  if (opterr && letters[0] != ':') fprintf(stderr, said, program, what);
  return code;
}

/* The option's argument, joined to it or the next word. */
static int argument(int count, char** words, int wants, char* joined) {
  if (joined != 0) {
    optarg = joined;
  } else if (wants == required_argument) {
    if (optind + skipped >= count) return 0;
    optarg = take(words);
  }
  return 1;
}

static int long_option(int count, char** words, char* word, const char* letters, const struct option* names,
                       int* place) {
  const size_t length = strcspn(word, "=");
  char* const joined = word[length] == '=' ? word + length + 1 : 0;
  int found = -1, alike = 0;
  for (int i = 0; names[i].name != 0; i++) {
    if (strncmp(names[i].name, word, length) != 0) continue;
    const int is_whole = names[i].name[length] == 0;
    if (is_whole || found < 0) found = i;
    alike = is_whole ? 1 : alike + 1;
    if (is_whole) break;
  }
  optopt = 0;
  if (alike > 1) return fail(letters, '?', words[0], "%s: option '--%s' is ambiguous\n", word);
  if (found < 0) return fail(letters, '?', words[0], "%s: unrecognized option '--%s'\n", word);
  const struct option* const o = &names[found];
  optopt = o->val;
  if (joined != 0 && o->has_arg == no_argument)
    return fail(letters, '?', words[0], "%s: option '--%s' doesn't allow an argument\n", o->name);
  if (!argument(count, words, o->has_arg, joined))
    return fail(letters, letters[0] == ':' ? ':' : '?', words[0], "%s: option '--%s' requires an argument\n",
                o->name);
  if (place != 0) *place = found;
  if (o->flag == 0) return o->val;
  *o->flag = o->val;
  return 0;
}

int getopt_long(int count, char* const arguments[], const char* letters, const struct option* names,
                int* place) {
  char** const words = (char**)arguments;
  static char* word;
  optarg = 0;
  if (optind == 0) optind = 1; /* begin again */
  if (letter == 0) {
    for (skipped = 0; letters[0] != '+' && optind + skipped < count; skipped++) {
      const char* const next = words[optind + skipped];
      if (next[0] == '-' && next[1] != 0) break;
    }
    if (optind + skipped >= count) return -1;
    word = words[optind + skipped];
    if (word[0] != '-' || word[1] == 0) return -1;
    take(words);
    if (strcmp(word, "--") == 0) return -1;
    if (names != 0 && word[1] == '-') return long_option(count, words, word + 2, letters, names, place);
    letter = 1;
  }
  const char is[2] = {word[letter++], 0};
  const char* const known = is[0] != ':' && is[0] != ';' ? strchr(letters, is[0]) : 0;
  char* const joined = word[letter] != 0 ? word + letter : 0;
  if (joined == 0 || (known != 0 && known[1] == ':')) letter = 0;
  optopt = is[0];
  if (known == 0) return fail(letters, '?', words[0], "%s: invalid option -- '%s'\n", is);
  if (known[1] == ':' &&
      !argument(count, words, known[2] == ':' ? optional_argument : required_argument, joined))
    return fail(letters, letters[0] == ':' ? ':' : '?', words[0], "%s: option requires an argument -- '%s'\n",
                is);
  return is[0];
}

int getopt(int count, char* const arguments[], const char* letters) {
  return getopt_long(count, arguments, letters, 0, 0);
}

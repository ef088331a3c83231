// SPDX-License-Identifier: Apache-2.0
// A mix of what programs without multiplication do: sorting, a bitwise CRC, a linked list, copying strings,
// division by shifts. Alone (alone.c) its result ends the run; on our core (threads.c) each thread has DATA
// of its own.

#ifndef DATA
#define DATA static
#endif

enum { WORDS = 64, BYTES = 256, NODES = 64 };

struct node {
  struct node* next;
  unsigned key;
};

DATA unsigned words[WORDS];
DATA unsigned char bytes[BYTES], copy[BYTES];
DATA struct node nodes[NODES];

static unsigned next_random(unsigned state) {
  state ^= state << 13;
  state ^= state >> 17;
  return state ^ state << 5;
}

static void sort(void) {
  for (int i = 1; i < WORDS; i++) {
    unsigned value = words[i];
    int j = i - 1;
    for (; j >= 0 && words[j] > value; j--) words[j + 1] = words[j];
    words[j + 1] = value;
  }
}

static unsigned crc(const unsigned char* data, int count) {
  unsigned sum = ~0u;
  for (int i = 0; i < count; i++) {
    sum ^= data[i];
    for (int bit = 0; bit < 8; bit++) sum = sum & 1 ? sum >> 1 ^ 0xEDB88320u : sum >> 1;
  }
  return ~sum;
}

static unsigned walk(unsigned seed) {
  struct node* first = 0;
  for (int i = 0; i < NODES; i++) {
    seed = next_random(seed);
    nodes[i].key = seed;
    struct node** at = &first;
    while (*at && (*at)->key < seed) at = &(*at)->next;
    nodes[i].next = *at;
    *at = &nodes[i];
  }
  unsigned sum = 0;
  for (struct node* node = first; node; node = node->next) sum = (sum << 1 | sum >> 31) + node->key;
  return sum;
}

static unsigned divide(unsigned value, unsigned by) {
  unsigned quotient = 0, rest = 0;
  for (int bit = 31; bit >= 0; bit--) {
    rest = rest << 1 | (value >> bit & 1);
    quotient <<= 1;
    if (rest >= by) rest -= by, quotient |= 1;
  }
  return quotient;
}

static unsigned program(void) {
  unsigned seed = 1;
  for (int i = 0; i < WORDS; i++) words[i] = seed = next_random(seed);
  sort();
  for (int i = 0; i < BYTES; i++) bytes[i] = (unsigned char)(words[i % WORDS] >> (i & 7));
  for (int i = 0; i < BYTES; i++) copy[i] = bytes[i];
  unsigned result = crc(copy, BYTES) ^ walk(seed);
  for (int i = 0; i < 16; i++) result += divide(words[i], words[i + 16] >> 20);
  return result;
}

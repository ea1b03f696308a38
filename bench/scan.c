// A bare scan of a DataFlash log in C: hops from record to record by the lengths that FMT records state, and keeps where
// those of each type begin. scan FILE ROUNDS prints the least milliseconds of processor time, and the number of records.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { HEAD_1 = 0xa3, HEAD_2 = 0x95, FMT = 128, FMT_LENGTH = 89 };

struct places {
  uint64_t *list;
  size_t count, room;
};

static void keep(struct places *of, uint64_t place) {
  if (of->count == of->room) {
    of->room = of->room ? 2 * of->room : 64;
    of->list = realloc(of->list, of->room * sizeof *of->list);
    if (!of->list) exit(1);
  }
  of->list[of->count++] = place;
}

static uint64_t scan(const uint8_t *bytes, size_t size) {
  uint8_t length[256] = {0};
  struct places places[256] = {0};
  uint64_t records = 0;
  length[FMT] = FMT_LENGTH;
  for (size_t at = 0; at + 3 <= size;) {
    uint8_t type = bytes[at + 2];
    if (bytes[at] != HEAD_1 || bytes[at + 1] != HEAD_2 || length[type] == 0 || at + length[type] > size) {
      at++;
      continue;
    }
    if (type == FMT) length[bytes[at + 3]] = bytes[at + 4];
    keep(&places[type], at);
    records++;
    at += length[type];
  }
  for (int type = 0; type < 256; type++) free(places[type].list);
  return records;
}

int main(int count, char **words) {
  FILE *file = count == 3 ? fopen(words[1], "rb") : NULL;
  if (!file || fseek(file, 0, SEEK_END) != 0) return 1;
  size_t size = (size_t)ftell(file);
  uint8_t *bytes = malloc(size);
  rewind(file);
  if (!bytes || fread(bytes, 1, size, file) != size) return 1;
  double least = 1e9;
  uint64_t records = 0;
  for (int round = atoi(words[2]); round > 0; round--) {
    clock_t began = clock();
    records = scan(bytes, size);
    double taken = 1000.0 * (double)(clock() - began) / CLOCKS_PER_SEC;
    if (taken < least) least = taken;
  }
  printf("%.3f %llu\n", least, (unsigned long long)records);
  return 0;
}

// The C library of MAVLink, as a C program uses it: each byte through its parser, then fields to columns of native width.
// mavlink FILE two|all ROUNDS prints the least milliseconds of processor time, and the number of messages.
// Built with CAPTURE, FILE is a capture, of which libpcap hands out the packets: the payloads of UDP are parsed.
#define MAVLINK_USE_MESSAGE_INFO
#include <stddef.h>
#include <ardupilotmega/mavlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef CAPTURE
#include <pcap/pcap.h>
#endif

enum { IDS = 65536, ETHERNET = 14, UDP_HEADER = 8, UDP = 17 };

static const unsigned WIDTH[] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8};

struct table {
  const mavlink_message_info_t *info;
  size_t rows, room;
  char **columns;
};

static struct table tables[IDS];
static int takes_all;
static uint64_t messages;

static size_t width(const mavlink_field_info_t *field) {
  return WIDTH[field->type] * (field->array_length ? field->array_length : 1);
}

static void grow(struct table *of, const mavlink_message_t *message) {
  if (!of->info) {
    of->info = mavlink_get_message_info(message);
    of->columns = calloc(of->info->num_fields, sizeof *of->columns);
  }
  of->room = of->room ? 2 * of->room : 256;
  for (unsigned i = 0; i < of->info->num_fields; i++) {
    of->columns[i] = realloc(of->columns[i], of->room * width(&of->info->fields[i]));
    if (!of->columns[i]) exit(1);
  }
}

static void keep(const mavlink_message_t *message) {
  messages++;
  if (!takes_all && message->msgid != MAVLINK_MSG_ID_ATTITUDE && message->msgid != MAVLINK_MSG_ID_GLOBAL_POSITION_INT)
    return;
  struct table *to = &tables[message->msgid % IDS];
  if (to->rows == to->room) grow(to, message);
  for (unsigned i = 0; i < to->info->num_fields; i++) {
    const mavlink_field_info_t *field = &to->info->fields[i];
    const char *from = _MAV_PAYLOAD(message) + field->wire_offset;
    if (field->array_length) {
      memcpy(to->columns[i] + to->rows * width(field), from, width(field));
      continue;
    }
    switch (WIDTH[field->type]) {
      case 1: to->columns[i][to->rows] = *from; break;
      case 2: memcpy(to->columns[i] + 2 * to->rows, from, 2); break;
      case 4: memcpy(to->columns[i] + 4 * to->rows, from, 4); break;
      default: memcpy(to->columns[i] + 8 * to->rows, from, 8);
    }
  }
  to->rows++;
}

static void parse(const uint8_t *bytes, size_t size) {
  static mavlink_message_t message;
  static mavlink_status_t status;
  for (size_t at = 0; at < size; at++)
    if (mavlink_parse_char(MAVLINK_COMM_0, bytes[at], &message, &status)) keep(&message);
}

static void read_all(uint8_t *bytes, size_t size) {
#ifdef CAPTURE
  char error[PCAP_ERRBUF_SIZE];
  pcap_t *capture = pcap_fopen_offline(fmemopen(bytes, size, "rb"), error);
  struct pcap_pkthdr *head;
  const u_char *packet;
  if (!capture) exit(1);
  while (pcap_next_ex(capture, &head, &packet) == 1) {
    if (head->caplen < ETHERNET + 20 || packet[12] != 8 || packet[13] != 0 || packet[ETHERNET + 9] != UDP) continue;
    size_t payload = ETHERNET + 4 * (size_t)(packet[ETHERNET] & 15) + UDP_HEADER;
    if (payload < head->caplen) parse(packet + payload, head->caplen - payload);
  }
  pcap_close(capture);
#else
  parse(bytes, size);
#endif
}

static void clear(void) {
  messages = 0;
  for (struct table *each = tables; each < tables + IDS; each++) {
    for (unsigned i = 0; each->info && i < each->info->num_fields; i++) free(each->columns[i]);
    free(each->columns);
    *each = (struct table){0};
  }
}

int main(int count, char **words) {
  FILE *file = count == 4 ? fopen(words[1], "rb") : NULL;
  if (!file || fseek(file, 0, SEEK_END) != 0) return 1;
  size_t size = (size_t)ftell(file);
  uint8_t *bytes = malloc(size);
  rewind(file);
  if (!bytes || fread(bytes, 1, size, file) != size) return 1;
  takes_all = strcmp(words[2], "all") == 0;
  double least = 1e9;
  uint64_t found = 0;
  for (int round = atoi(words[3]); round > 0; round--) {
    clock_t began = clock();
    read_all(bytes, size);
    double taken = 1000.0 * (double)(clock() - began) / CLOCKS_PER_SEC;
    if (taken < least) least = taken;
    found = messages;
    clear();
  }
  printf("%.3f %llu\n", least, (unsigned long long)found);
  return 0;
}

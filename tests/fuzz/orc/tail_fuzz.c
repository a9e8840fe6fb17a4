/* A file tail from a stranger: the input is the footer, or the metadata section, with a right postscript put behind it,
 * so that the protobuf messages are reached. The first byte chooses. */
#include "fuzz/fuzz.h"
#include "fuzz/orc/read_all.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 2 || size > 60000) return 0;
  bool is_footer = (data[0] & 1) != 0;
  size_t body = size - 1;
  uint8_t *file = malloc(3 + body + 64);
  if (file == NULL) return 0;
  memcpy(file, "ORC", 3);
  memcpy(file + 3, data + 1, body);
  uint8_t *at = file + 3 + body, *start = at;
  /* PostScript: footerLength 1, compression 2 (none), version 4 packed, metadataLength 5, magic 8000. */
  uint64_t lengths[2] = {is_footer ? body : 0, is_footer ? 0 : body};
  const uint8_t tags[2] = {0x08, 0x28};
  for (int i = 0; i < 2; i++) {
    *at++ = tags[i];
    for (uint64_t v = lengths[i];; v >>= 7) {
      *at++ = (uint8_t)((v & 0x7f) | (v > 0x7f ? 0x80 : 0));
      if (v <= 0x7f) break;
    }
  }
  const uint8_t rest[] = {0x10, 0x00, 0x22, 0x02, 0x00, 0x0c, 0x82, 0xf4, 0x03, 0x03, 'O', 'R', 'C'};
  memcpy(at, rest, sizeof rest);
  at += sizeof rest;
  *at = (uint8_t)(at - start);
  at++;
  fuzz_read_file(file, (size_t)(at - file));
  free(file);
  return 0;
}

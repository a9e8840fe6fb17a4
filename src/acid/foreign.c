/* Files of other formats, recognised by how they begin. */
#include "acid/foreign.h"

#include <string.h>

/* Formats that Hive tables have besides ORC, by their first bytes. */
static const char *guess_format(const uint8_t *head, size_t size) {
  static const struct {
    const char *magic, *name;
    size_t length;
  } known[] = {
      {"PAR1", "Parquet", 4}, {"PARE", "encrypted Parquet", 4},   {"Obj\x01", "Avro", 4},
      {"RCF", "RCFile", 3},   {"SEQ", "a SequenceFile", 3},       {"\x1f\x8b", "gzip", 2},
      {"BZh", "bzip2", 3},    {"PK\x03\x04", "a zip archive", 4}, {"\x28\xb5\x2f\xfd", "zstd", 4},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (size >= known[i].length && memcmp(head, known[i].magic, known[i].length) == 0) return known[i].name;
  }
  for (size_t i = 0; i < size; i++) {
    bool is_text =
        head[i] >= 0x20 ? head[i] != 0x7f : head[i] == '\n' || head[i] == '\r' || head[i] == '\t' || head[i] <= 3;
    if (!is_text || head[i] == 0) return NULL;
  }
  return "text";
}

skep_status skep_foreign_explain(skep_file *file, skep_status status, skep_err *err) {
  uint8_t head[64];
  size_t size = file->size_bytes < sizeof head ? (size_t)file->size_bytes : sizeof head;
  if (status != SKEP_ERR_CORRUPT || size == 0) return status;
  if (skep_file_read_at(file, 0, head, size, NULL) != SKEP_OK) return status;
  if (size >= 3 && memcmp(head, "ORC", 3) == 0) return status;
  const char *format = guess_format(head, size);
  if (format == NULL) return skep_fail(err, status, "not an ORC file: it does not begin with \"ORC\"");
  return skep_fail(err, SKEP_ERR_UNSUPPORTED, "not an ORC file: it looks like %s, which this version does not read",
                   format);
}

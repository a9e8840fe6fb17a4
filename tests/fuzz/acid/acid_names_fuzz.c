/* One name from a directory: as a directory's, a file's and a partition's name. What parses prints and parses the same.
 */
#include <string.h>

#include "acid/name.h"
#include "fuzz/fuzz.h"

static void check_dir(const skep_ctx *ctx, const char *name) {
  skep_dir_name parsed, again;
  skep_err err;
  if (skep_dir_name_parse(name, &parsed, &err) != SKEP_OK || parsed.kind == SKEP_DIR_OTHER) return;
  skep_buf text;
  skep_buf_init(&text, ctx, 4096);
  skep_dir_name_print(&parsed, &text);
  FUZZ_CHECK(skep_dir_name_parse(skep_buf_string(&text), &again, &err) == SKEP_OK);
  FUZZ_CHECK(again.kind == parsed.kind && again.min_write_id == parsed.min_write_id &&
             again.max_write_id == parsed.max_write_id && again.statement == parsed.statement &&
             again.visibility_txn == parsed.visibility_txn);
  skep_buf_fini(&text);
}

static void check_partition(const skep_ctx *ctx, const char *component) {
  skep_buf name, value, escaped, name2, value2;
  skep_buf *all[] = {&name, &value, &escaped, &name2, &value2};
  for (int i = 0; i < 5; i++) skep_buf_init(all[i], ctx, 1 << 20);
  if (skep_partition_component_parse(component, &name, &value) && name.size != 0) {
    skep_partition_escape(skep_buf_string(&name), name.size, &escaped);
    skep_buf_byte(&escaped, '=');
    skep_partition_escape(skep_buf_string(&value), value.size, &escaped);
    FUZZ_CHECK(skep_partition_component_parse(skep_buf_string(&escaped), &name2, &value2));
    FUZZ_CHECK(name2.size == name.size && memcmp(name2.data, name.data, name.size) == 0);
    FUZZ_CHECK(value.size == 0 || (value2.size == value.size && memcmp(value2.data, value.data, value.size) == 0));
  }
  for (int i = 0; i < 5; i++) skep_buf_fini(all[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  char *name = skep_strndup(&ctx, size == 0 ? "" : (const char *)data, size);
  if (name == NULL) return 0;
  skep_file_name file;
  skep_file_name_parse(name, &file);
  FUZZ_CHECK(file.bucket >= -1 && file.attempt >= -1 && file.copy >= 0);
  check_dir(&ctx, name);
  check_partition(&ctx, name);
  skep_release(&ctx, name);
  return 0;
}

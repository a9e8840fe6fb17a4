/* Scripts: the statements found do not depend on how the bytes arrive; substitution ends. The first byte is the size of
 * the pieces. */
#include "hiveql/script.h"

#include <string.h>

#include "fuzz/fuzz.h"

/* All statements, each with its line and length, into out. */
static void split(const skep_ctx *ctx, const char *script, size_t length, size_t piece, skep_buf *out) {
  skep_splitter splitter;
  skep_script_statement one;
  skep_err err = {0};
  skep_splitter_init(&splitter, ctx, 1 << 20);
  for (size_t at = 0; at < length; at += piece) {
    size_t n = length - at < piece ? length - at : piece;
    FUZZ_CHECK(skep_splitter_feed(&splitter, script + at, n, &err) == SKEP_OK);
    while (skep_splitter_next(&splitter, &one, &err) == SKEP_OK) {
      FUZZ_CHECK(one.length > 0 && one.text[one.length] == '\0');
      skep_buf_printf(out, "%u %zu ", one.line, one.length);
      skep_buf_add(out, one.text, one.length);
    }
  }
  while (skep_splitter_finish(&splitter, &one, &err) == SKEP_OK) {
    skep_buf_printf(out, "%u %zu ", one.line, one.length);
    skep_buf_add(out, one.text, one.length);
  }
  FUZZ_CHECK(!skep_splitter_pending(&splitter) || skep_splitter_open(&splitter) == '*');
  skep_splitter_fini(&splitter);
}

static const char *look_up(void *self, const char *space, const char *name) {
  (void)self;
  (void)space;
  static const char *const values[] = {"1", "${b}", "${a}x", NULL, ""};
  return name[0] >= 'a' && name[0] <= 'e' ? values[name[0] - 'a'] : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0 || size > 1 << 14) return 0;
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  skep_err err = {0};
  skep_buf whole, pieces;
  skep_buf_init(&whole, &ctx, 1 << 22);
  skep_buf_init(&pieces, &ctx, 1 << 22);
  const char *script = (const char *)data + 1;
  split(&ctx, script, size - 1, size, &whole);
  split(&ctx, script, size - 1, (size_t)(data[0] % 16) + 1, &pieces);
  FUZZ_CHECK(whole.size == pieces.size && memcmp(skep_buf_string(&whole), skep_buf_string(&pieces), whole.size) == 0);
  skep_buf_reset(&whole);
  skep_status st = skep_substitute(script, size - 1, look_up, NULL, &whole, &err);
  FUZZ_CHECK(st == SKEP_OK || st == SKEP_ERR_SEMANTIC || st == SKEP_ERR_LIMIT);
  const char *rest;
  size_t rest_length;
  if (skep_command_of(script, size - 1, &rest, &rest_length) != SKEP_COMMAND_NONE) {
    FUZZ_CHECK(rest >= script && rest + rest_length <= script + size - 1);
  }
  skep_buf_fini(&whole);
  skep_buf_fini(&pieces);
  return 0;
}

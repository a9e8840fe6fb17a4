/* Texts of values, from partition directories and literals: numbers agree with the C library's, and a value that was
 * read prints to a text that reads back as the same value. */
#include "column/text.h"

#include <stdlib.h>

#include "fuzz/fuzz.h"

static const char *const types[] = {"boolean", "tinyint",    "smallint",       "int",          "bigint",
                                    "float",   "double",     "decimal(38,10)", "decimal(5,2)", "string",
                                    "char(3)", "varchar(3)", "binary",         "date",         "timestamp"};

static void check_double(const char *text, size_t length) {
  double v;
  if (!skep_parse_f64(skep_bytes_of(text, length), &v)) return;
  double expected = strtod(text, NULL);
  FUZZ_CHECK(memcmp(&v, &expected, sizeof v) == 0 || (v != v && expected != expected));
}

static void check_type(const skep_ctx *ctx, const char *name, skep_bytes text) {
  skep_err err = {0};
  skep_arena arena;
  skep_arena_init(&arena, ctx, 1 << 20);
  const skep_type *type;
  FUZZ_CHECK(skep_type_parse(&arena, name, strlen(name), &type, &err) == SKEP_OK);
  skep_vec vec = {0}, again = {0};
  skep_buf shown, back;
  skep_buf_init(&shown, ctx, 1 << 24);
  skep_buf_init(&back, ctx, 1 << 24);
  skep_text style = {.style = SKEP_TEXT_HIVE};
  FUZZ_CHECK(skep_vec_init(&vec, ctx, type, &(skep_forms){0}, &err) == SKEP_OK);
  FUZZ_CHECK(skep_vec_init(&again, ctx, type, &(skep_forms){0}, &err) == SKEP_OK);
  if (skep_vec_append_text(&vec, text, &err) == SKEP_OK) {
    FUZZ_CHECK(skep_text_value(&style, &vec, 0, &shown, &err) == SKEP_OK);
    FUZZ_CHECK(skep_vec_append_text(&again, skep_bytes_of(skep_buf_string(&shown), shown.size), &err) == SKEP_OK);
    FUZZ_CHECK(skep_text_value(&style, &again, 0, &back, &err) == SKEP_OK);
    FUZZ_CHECK(shown.size == back.size && memcmp(skep_buf_string(&shown), skep_buf_string(&back), shown.size) == 0);
    style.style = SKEP_TEXT_JSON;
    FUZZ_CHECK(skep_text_value(&style, &vec, 0, &shown, &err) == SKEP_OK);
    style.style = SKEP_TEXT_COPY;
    FUZZ_CHECK(skep_text_value(&style, &vec, 0, &shown, &err) == SKEP_OK);
  }
  skep_vec_fini(&vec);
  skep_vec_fini(&again);
  skep_buf_fini(&shown);
  skep_buf_fini(&back);
  skep_arena_fini(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > 4000) return 0;
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  char *text = malloc(size + 1);
  if (text == NULL) return 0;
  if (size != 0) memcpy(text, data, size);
  text[size] = 0;
  check_double(text, size);
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) check_type(&ctx, types[i], skep_bytes_of(text, size));
  free(text);
  return 0;
}

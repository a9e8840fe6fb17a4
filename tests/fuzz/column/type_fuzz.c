/* Type strings from the metastore or a command line: what is read can be printed, and reads back as the same type. */
#include "column/type.h"
#include "fuzz/fuzz.h"

static void check_numbers(const skep_type *root) {
  for (uint32_t id = 0; id <= root->max_id; id++) {
    const skep_type *node = skep_type_by_id(root, id);
    FUZZ_CHECK(node != NULL && node->id == id && node->max_id >= id && node->max_id <= root->max_id);
    for (uint32_t i = 0; i < node->n_children && node->kind == SKEP_STRUCT; i++) {
      FUZZ_CHECK(skep_type_child(node, node->names[i], strlen(node->names[i]), false) <= (int64_t)i);
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  ctx.limits.max_types = 2000;
  skep_err err = {0};
  skep_arena arena;
  skep_arena_init(&arena, &ctx, 1 << 24);
  const skep_type *type, *again;
  skep_status st = skep_type_parse(&arena, (const char *)data, size, &type, &err);
  FUZZ_CHECK((st == SKEP_OK) == (type != NULL));
  if (st == SKEP_OK) {
    skep_buf text;
    skep_buf_init(&text, &ctx, 1 << 24);
    skep_type_print(type, &text);
    const char *printed = skep_buf_string(&text);
    FUZZ_CHECK(skep_type_parse(&arena, printed, strlen(printed), &again, &err) == SKEP_OK);
    FUZZ_CHECK(skep_type_equal(type, again));
    check_numbers(type);
    skep_buf_fini(&text);
  }
  skep_arena_fini(&arena);
  return 0;
}

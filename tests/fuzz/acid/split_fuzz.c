/* A split's bytes from a stranger: an error, or a split that has a row type and encodes to bytes that decode again. */
#include "acid/split.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  ctx.limits.max_types = 1000;
  skep_arena arena;
  skep_arena_init(&arena, &ctx, 1 << 28);
  skep_split split, again;
  skep_err err;
  if (skep_split_decode(&arena, skep_bytes_of(data, size), &split, &err) == SKEP_OK) {
    const skep_type *type;
    skep_buf bytes;
    skep_buf_init(&bytes, &ctx, 1 << 28);
    (void)!skep_split_type(&arena, &split, &type, &err);
    skep_split_encode(&split, &bytes);
    FUZZ_CHECK(bytes.status == SKEP_OK);
    FUZZ_CHECK(skep_split_decode(&arena, skep_bytes_of(bytes.data, bytes.size), &again, &err) == SKEP_OK);
    FUZZ_CHECK(again.n_files == split.n_files && again.n_deletes == split.n_deletes);
    skep_buf_fini(&bytes);
  }
  skep_arena_fini(&arena);
  return 0;
}

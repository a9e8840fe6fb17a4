/* A commit message's bytes from a stranger: an error, or a message that encodes to bytes which say the same. */
#include "acid/delta_writer.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  skep_ctx ctx;
  skep_arena arena;
  skep_commit_message message, again;
  skep_err err;
  skep_ctx_init(&ctx);
  skep_arena_init(&arena, &ctx, 1 << 26);
  if (skep_commit_message_decode(&arena, skep_bytes_of(data, size), &message, &err) == SKEP_OK) {
    skep_buf bytes;
    skep_buf_init(&bytes, &ctx, 1 << 26);
    skep_commit_message_encode(&message, &bytes);
    FUZZ_CHECK(bytes.status == SKEP_OK);
    FUZZ_CHECK(skep_commit_message_decode(&arena, skep_bytes_of(bytes.data, bytes.size), &again, &err) == SKEP_OK);
    FUZZ_CHECK(again.n_files == message.n_files && again.n_bytes == message.n_bytes && again.kind == message.kind);
    skep_buf_fini(&bytes);
  }
  skep_arena_fini(&arena);
  return 0;
}

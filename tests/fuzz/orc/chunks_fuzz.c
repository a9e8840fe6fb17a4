/* A compressed stream from a stranger. First byte: codec (0..4), second: block size in units of 64 bytes. What is read
 * whole must be what is read in small windows, and a seek to the start reads it again. */
#include <string.h>

#include "fuzz/fuzz.h"
#include "orc/stream.h"

enum { MAX_BYTES = 1 << 16 };

static skep_status lend(void *self, uint32_t slot, uint64_t offset, size_t length, const uint8_t **out, skep_err *err) {
  (void)slot;
  (void)length;
  (void)err;
  *out = (const uint8_t *)self + offset;
  return SKEP_OK;
}

/* All bytes before the failure or the end, in windows of `want`, at most MAX_BYTES. */
static size_t read_all(skep_orc_stream *s, size_t want, uint8_t *out, bool *failed) {
  size_t n = 0;
  skep_err err;
  *failed = false;
  for (;;) {
    *failed = skep_orc_stream_want(s, want, &err) != SKEP_OK;
    size_t have = (size_t)(s->end - s->at);
    if (*failed || have == 0 || n + have > MAX_BYTES) return n;
    memcpy(out + n, s->at, have);
    s->at += have;
    n += have;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static uint8_t whole[MAX_BYTES], pieces[MAX_BYTES];
  if (size < 2 || size > MAX_BYTES) return 0;
  skep_ctx ctx;
  skep_err err;
  skep_orc_stream s;
  skep_orc_decompressor *d;
  bool failed, failed_again;
  skep_ctx_init(&ctx);
  if (skep_orc_decompressor_new(&ctx, (skep_orc_codec)(1 + data[0] % 5), &d, &err) != SKEP_OK) return 0;
  uint8_t *bytes = malloc(size - 2 + SKEP_ORC_WINDOW_SLACK);
  if (bytes != NULL) {
    memcpy(bytes, data + 2, size - 2);
    memset(bytes + size - 2, 0xa5, SKEP_ORC_WINDOW_SLACK);
    FUZZ_CHECK(skep_orc_stream_init(&s, &ctx, (skep_orc_source){lend, bytes}, 0, 0, size - 2, d,
                                    64 + 64 * (size_t)data[1], "fuzz", &err) == SKEP_OK);
    size_t n = read_all(&s, 1, whole, &failed);
    if (skep_orc_stream_seek(&s, 0, 0, &err) == SKEP_OK) {
      size_t again = read_all(&s, 777, pieces, &failed_again);
      FUZZ_CHECK(failed || failed_again || n == again || n + again > MAX_BYTES);
      FUZZ_CHECK(memcmp(whole, pieces, n < again ? n : again) == 0);
    }
    (void)!skep_orc_stream_seek(&s, size / 2, data[1], &err); /* most likely in the middle of a chunk */
    (void)read_all(&s, 100, pieces, &failed);
    skep_orc_stream_fini(&s);
  }
  free(bytes);
  skep_orc_decompressor_free(d);
  return 0;
}

/* For tests of this layer: a stream over bytes in memory. Each fetch lends a new block with exactly the promised slack
 * and frees the one before, so that the address sanitizer sees a decoder that reads further or keeps an old pointer. */
#ifndef ORC_TEST_SOURCE_H
#define ORC_TEST_SOURCE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants the ones above first. */
#include <cmocka.h>

#include "base/err.h"
#include "orc/stream.h"

typedef struct test_source {
  skep_ctx ctx;
  const uint8_t *bytes;
  size_t size;
  uint8_t *lent;
  size_t n_fetches;
  size_t fail_at; /* 1-based number of the fetch that fails; 0: none */
} test_source;

static inline skep_status test_fetch(void *self, uint32_t slot, uint64_t offset, size_t length, const uint8_t **out,
                                     skep_err *err) {
  test_source *t = self;
  (void)slot;
  if (++t->n_fetches == t->fail_at) return skep_fail(err, SKEP_ERR_IO, "fetch %zu fails", t->n_fetches);
  assert_true(length > 0 && offset <= t->size && length <= t->size - offset);
  free(t->lent);
  t->lent = malloc(length + SKEP_ORC_WINDOW_SLACK);
  assert_non_null(t->lent);
  memcpy(t->lent, t->bytes + offset, length);
  memset(t->lent + length, 0xa5, SKEP_ORC_WINDOW_SLACK);
  *out = t->lent;
  return SKEP_OK;
}

/* An uncompressed stream over all of `bytes`, or a compressed one when there is a codec. */
static inline void test_open(test_source *t, skep_orc_stream *s, const void *bytes, size_t size,
                             skep_orc_decompressor *codec, size_t block_size) {
  skep_err err;
  *t = (test_source){.bytes = bytes, .size = size};
  skep_ctx_init(&t->ctx);
  skep_status status = skep_orc_stream_init(s, &t->ctx, (skep_orc_source){test_fetch, t}, 0, 0, size, codec, block_size,
                                            "column 1 DATA", &err);
  assert_int_equal(status, SKEP_OK);
}

static inline void test_close(test_source *t, skep_orc_stream *s) {
  skep_orc_stream_fini(s);
  free(t->lent);
  t->lent = NULL;
}

#endif

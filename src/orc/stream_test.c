/* Streams: windows over raw bytes and over chunks of every codec and size, positions, hostile headers, failing fetches.
 */
#include "orc/rle.h"
#include "orc/test_compress.h"
#include "orc/test_source.h"

enum { N = 12000, BLOCK = 65536 };

/* Codec 0: uncompressed, without chunks. */
static const skep_orc_codec codecs[] = {SKEP_ORC_NONE, SKEP_ORC_ZLIB, SKEP_ORC_SNAPPY,
                                        SKEP_ORC_LZO,  SKEP_ORC_LZ4,  SKEP_ORC_ZSTD};
enum { N_CODECS = 6 };

typedef struct sample {
  skep_ctx ctx;
  skep_orc_decompressor *d; /* NULL for NONE */
  uint8_t *data;
  test_out bytes;
  size_t *chunk_starts; /* in bytes */
  size_t *chunk_data;   /* in data */
  size_t n_chunks;
} sample;

/* Data cut into chunks of `step` bytes; every third is stored as original, every tenth is followed by one that holds
 * nothing. */
static void sample_make(sample *m, skep_orc_codec codec, size_t step) {
  uint64_t seed = step;
  *m = (sample){0};
  skep_ctx_init(&m->ctx);
  m->data = malloc(N);
  m->chunk_starts = malloc(2 * N * sizeof(size_t));
  m->chunk_data = malloc(2 * N * sizeof(size_t));
  for (size_t i = 0; i < N; i++) m->data[i] = (uint8_t)(i % 100 < 50 ? i / 30 : test_random(&seed));
  if (codec == SKEP_ORC_NONE) {
    for (size_t i = 0; i < N; i++) test_put(&m->bytes, m->data[i]);
    return;
  }
  assert_int_equal(skep_orc_decompressor_new(&m->ctx, codec, &m->d, NULL), SKEP_OK);
  for (size_t at = 0; at < N; at += step) {
    m->chunk_starts[m->n_chunks] = m->bytes.size;
    m->chunk_data[m->n_chunks] = at;
    test_put_chunk(&m->bytes, codec, m->n_chunks % 3 == 1, m->data + at, N - at < step ? N - at : step);
    if (m->n_chunks++ % 10 == 0) test_put_chunk(&m->bytes, codec, m->n_chunks % 20 == 0, m->data, 0);
  }
}

static void sample_free(sample *m) {
  skep_orc_decompressor_free(m->d);
  free(m->data);
  free(m->bytes.bytes);
  free(m->chunk_starts);
  free(m->chunk_data);
}

static void open_sample(const sample *m, test_source *t, skep_orc_stream *s) {
  test_open(t, s, m->bytes.bytes, m->bytes.size, m->d, BLOCK);
}

static const size_t steps[] = {1, 2, 7, 300, 4096, N};
enum { N_STEPS = 6 };

static void check_windows(const sample *m, size_t want, size_t use) {
  test_source t;
  skep_orc_stream s;
  skep_err err;
  size_t at = 0;
  open_sample(m, &t, &s);
  while (at < N) {
    if (skep_orc_stream_want(&s, want, &err) != SKEP_OK) fail_msg("%s", err.text);
    size_t have = (size_t)(s.end - s.at), left = N - at;
    assert_true(have >= (want < left ? want : left) && have <= left);
    assert_memory_equal(s.at, m->data + at, have);
    size_t n = use < have ? use : have;
    s.at += n;
    at += n;
  }
  assert_int_equal(skep_orc_stream_want(&s, want, &err), SKEP_OK);
  assert_true(s.at == s.end);
  test_close(&t, &s);
}

static void test_windows_hold_what_was_wanted_for_all_codecs_and_chunk_sizes(void **state) {
  (void)state;
  for (size_t c = 0; c < N_CODECS; c++) {
    for (size_t k = 0; k < N_STEPS; k++) {
      sample m;
      sample_make(&m, codecs[c], steps[k]);
      check_windows(&m, 10, 10);
      check_windows(&m, 1, N);
      check_windows(&m, 4400, 4097);
      check_windows(&m, SKEP_ORC_RUN_BYTES, 3000);
      sample_free(&m);
    }
  }
}

static void test_copies_and_skips_cross_chunks(void **state) {
  (void)state;
  static uint8_t out[N];
  for (size_t c = 0; c < N_CODECS; c++) {
    for (size_t k = 0; k < N_STEPS; k++) {
      sample m;
      test_source t;
      skep_orc_stream s;
      skep_err err;
      sample_make(&m, codecs[c], steps[k]);
      open_sample(&m, &t, &s);
      size_t at = 0;
      for (size_t n = 0; at + n <= N; n = n * 3 / 2 + 1) {
        if (n % 2 == 0) {
          assert_int_equal(skep_orc_stream_copy(&s, out, n, &err), SKEP_OK);
          assert_memory_equal(out, m.data + at, n);
        } else {
          assert_int_equal(skep_orc_stream_skip(&s, n, &err), SKEP_OK);
        }
        at += n;
      }
      skep_orc_stream copy = s;
      assert_int_equal(skep_orc_stream_skip(&s, N - at + 7, &err), SKEP_ERR_CORRUPT);
      assert_string_equal(err.text, "column 1 DATA: stream ends 7 bytes early");
      if (codecs[c] == SKEP_ORC_NONE) {
        assert_int_equal(skep_orc_stream_copy(&copy, out, N - at + 1, &err), SKEP_ERR_CORRUPT);
        assert_string_equal(err.text, "column 1 DATA: stream ends 1 bytes early");
      }
      test_close(&t, &s);
      sample_free(&m);
    }
  }
}

static void check_seek(const sample *m, skep_orc_stream *s, size_t chunk, size_t within, size_t at) {
  skep_err err;
  uint8_t out[3];
  size_t n = N - at < sizeof out ? N - at : sizeof out;
  if (skep_orc_stream_seek(s, chunk, within, &err) != SKEP_OK) fail_msg("%s", err.text);
  if (skep_orc_stream_copy(s, out, n, &err) != SKEP_OK) fail_msg("%s", err.text);
  assert_memory_equal(out, m->data + at, n);
}

static void test_a_seek_to_any_position_reads_on_from_there(void **state) {
  (void)state;
  for (size_t c = 0; c < N_CODECS; c++) {
    for (size_t k = 0; k < N_STEPS; k++) {
      sample m;
      test_source t;
      skep_orc_stream s;
      skep_err err;
      uint64_t seed = k;
      sample_make(&m, codecs[c], steps[k]);
      open_sample(&m, &t, &s);
      for (unsigned round = 0; round < 100; round++) {
        size_t at = test_random(&seed) % N, chunk = at / steps[k];
        if (m.d == NULL) check_seek(&m, &s, 0, at, at);
        if (m.d == NULL) continue;
        check_seek(&m, &s, m.chunk_starts[chunk], at - m.chunk_data[chunk], at);
        size_t later = at + test_random(&seed) % 40; /* behind the end of the chunk, perhaps */
        if (later < N) check_seek(&m, &s, m.chunk_starts[chunk], later - m.chunk_data[chunk], later);
      }
      /* The end itself is a position, what follows is none. */
      assert_int_equal(skep_orc_stream_seek(&s, m.d == NULL ? 0 : m.bytes.size, m.d == NULL ? N : 0, &err), SKEP_OK);
      assert_int_equal(skep_orc_stream_want(&s, 1, &err), SKEP_OK);
      assert_true(s.at == s.end);
      assert_int_equal(skep_orc_stream_seek(&s, m.bytes.size + 1, m.bytes.size + 1, &err), SKEP_ERR_CORRUPT);
      assert_non_null(strstr(err.text, "column 1 DATA: position "));
      if (m.d != NULL) assert_int_equal(skep_orc_stream_seek(&s, 0, UINT64_MAX, &err), SKEP_ERR_CORRUPT);
      assert_int_equal(skep_orc_stream_reopen(&s, 0, 0, m.bytes.size, &err), SKEP_OK);
      check_seek(&m, &s, 0, 0, 0);
      test_close(&t, &s);
      sample_free(&m);
    }
  }
}

/* A run of 512 values of 64 bits over chunks of one byte. */
static void test_runs_decode_over_chunks_of_one_byte(void **state) {
  (void)state;
  for (size_t c = 1; c < N_CODECS; c++) {
    uint64_t values[512], seed = 1;
    int64_t out[512];
    test_out run = {0}, chunks = {0};
    skep_orc_decompressor *d;
    skep_ctx ctx;
    skep_err err;
    test_source t;
    skep_orc_stream s;
    skep_rle_int r;
    skep_ctx_init(&ctx);
    assert_int_equal(skep_orc_decompressor_new(&ctx, codecs[c], &d, NULL), SKEP_OK);
    for (size_t i = 0; i < 512; i++) values[i] = test_random(&seed);
    test_put_direct(&run, 64, values, 512);
    test_put_direct(&run, 17, (uint64_t[]){1, 2, 3}, 3);
    for (size_t i = 0; i < run.size; i++) test_put_chunk(&chunks, codecs[c], i % 2 == 0, run.bytes + i, 1);
    test_open(&t, &s, chunks.bytes, chunks.size, d, BLOCK);
    skep_rle_int_init(&r, &s, true, false);
    if (skep_rle_int_next(&r, out, 512, &err) != SKEP_OK) fail_msg("%s", err.text);
    assert_memory_equal(out, values, sizeof out);
    assert_int_equal(skep_rle_int_next(&r, out, 3, &err), SKEP_OK);
    assert_int_equal(out[2], 3);
    assert_true(s.window_capacity < 32768); /* no whole block for small chunks */
    test_close(&t, &s);
    free(run.bytes);
    free(chunks.bytes);
    skep_orc_decompressor_free(d);
  }
}

static void check_refused(const test_out *o, size_t block_size, skep_status expected, const char *text) {
  skep_ctx ctx;
  skep_err err;
  test_source t;
  skep_orc_stream s;
  skep_orc_decompressor *d;
  skep_ctx_init(&ctx);
  assert_int_equal(skep_orc_decompressor_new(&ctx, SKEP_ORC_ZLIB, &d, NULL), SKEP_OK);
  test_open(&t, &s, o->bytes, o->size, d, block_size);
  t.ctx.limits.max_chunk_bytes = 5000;
  assert_int_equal(skep_orc_stream_want(&s, 1, &err), expected);
  assert_string_equal(err.text, text);
  test_close(&t, &s);
  skep_orc_decompressor_free(d);
}

static void test_hostile_chunks_are_refused_with_numbers(void **state) {
  (void)state;
  static uint8_t zeros[10000];
  test_out o = {0};
  test_put(&o, 1);
  test_put(&o, 2);
  check_refused(&o, BLOCK, SKEP_ERR_CORRUPT, "column 1 DATA: chunk header needs 3 bytes, 2 left");
  o.size = 0;
  test_put_chunk_header(&o, 0x7fffff, false);
  test_put(&o, 0);
  check_refused(&o, BLOCK, SKEP_ERR_CORRUPT, "column 1 DATA: chunk at byte 0 has 8388607 bytes, 1 left");
  o.size = 0;
  test_put_chunk_header(&o, 1, true);
  check_refused(&o, BLOCK, SKEP_ERR_CORRUPT, "column 1 DATA: chunk at byte 0 has 1 bytes, 0 left");
  o.size = 0;
  test_put_chunk(&o, SKEP_ORC_ZLIB, false, zeros, 200);
  check_refused(&o, 100, SKEP_ERR_CORRUPT,
                "column 1 DATA: chunk at byte 0: zlib chunk holds more than the block size of 100 bytes");
  o.size = 0;
  test_put_chunk_header(&o, 4, false);
  for (int i = 0; i < 4; i++) test_put(&o, 0);
  check_refused(&o, 2, SKEP_ERR_CORRUPT, "column 1 DATA: compressed chunk of 4 bytes exceeds the block size of 2");
  o.size = 0;
  test_put_chunk_header(&o, 0, false);
  check_refused(&o, BLOCK, SKEP_ERR_CORRUPT, "column 1 DATA: compressed chunk without a body");
  o.size = 0;
  test_put_chunk_header(&o, 2, false);
  test_put(&o, 0xff);
  test_put(&o, 0xff);
  check_refused(&o, BLOCK, SKEP_ERR_CORRUPT,
                "column 1 DATA: chunk at byte 0: zlib chunk of 2 bytes does not decompress");
  o.size = 0;
  test_put_chunk(&o, SKEP_ORC_ZLIB, true, zeros, 5001);
  check_refused(&o, BLOCK, SKEP_ERR_LIMIT, "column 1 DATA: chunk of 5001 bytes, limit 5000");
  free(o.bytes);
}

/* As the C++ reader does: only compressed chunks are held to the block size of the postscript. */
static void test_an_original_chunk_may_exceed_the_block_size(void **state) {
  (void)state;
  static uint8_t data[3000], out[3000];
  test_out o = {0};
  skep_ctx ctx;
  skep_err err;
  test_source t;
  skep_orc_stream s;
  skep_orc_decompressor *d;
  skep_ctx_init(&ctx);
  memset(data, 7, sizeof data);
  assert_int_equal(skep_orc_decompressor_new(&ctx, SKEP_ORC_ZLIB, &d, NULL), SKEP_OK);
  test_put_chunk(&o, SKEP_ORC_ZLIB, true, data, sizeof data);
  test_open(&t, &s, o.bytes, o.size, d, 1024);
  assert_int_equal(skep_orc_stream_copy(&s, out, sizeof out, &err), SKEP_OK);
  assert_memory_equal(out, data, sizeof out);
  test_close(&t, &s);
  skep_orc_decompressor_free(d);
  free(o.bytes);
}

static void test_a_stream_of_impossible_length_is_refused(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_err err;
  skep_orc_stream s;
  skep_ctx_init(&ctx);
  assert_int_equal(
      skep_orc_stream_init(&s, &ctx, (skep_orc_source){0}, 0, 10, UINT64_MAX, NULL, 0, "column 2 LENGTH", &err),
      SKEP_ERR_CORRUPT);
  assert_string_equal(err.text, "column 2 LENGTH: stream of 18446744073709551615 bytes at offset 10");
  skep_orc_stream_fini(&s);
  s = (skep_orc_stream){0};
  skep_orc_stream_fini(&s);
  skep_orc_stream_fini(&s);
}

typedef struct few_blocks {
  size_t left;
} few_blocks;
static void *few_alloc(void *self, size_t size) {
  return ((few_blocks *)self)->left == 0 ? NULL : (((few_blocks *)self)->left--, malloc(size));
}
static void *few_resize(void *self, void *block, size_t size) {
  return ((few_blocks *)self)->left == 0 ? NULL : (((few_blocks *)self)->left--, realloc(block, size));
}
static void few_release(void *self, void *block) {
  (void)self;
  free(block);
}

/* Every fetch, then every allocation fails once: a status, no leak, and no use of lent bytes afterwards. */
static void test_failing_fetches_and_allocations_pass_through(void **state) {
  (void)state;
  static uint8_t out[N];
  for (size_t c = 0; c < N_CODECS; c++) {
    sample m;
    sample_make(&m, codecs[c], 2700);
    bool failed = true;
    for (size_t nth = 1; failed && nth < 100; nth++) {
      for (unsigned what = 0; what < 2; what++) {
        test_source t;
        skep_orc_stream s;
        skep_err err = {0};
        few_blocks few = {what == 0 ? SIZE_MAX : nth - 1};
        open_sample(&m, &t, &s);
        t.fail_at = what == 0 ? nth : 0;
        t.ctx.allocator = (skep_allocator){few_alloc, few_resize, few_release, &few};
        skep_status status = SKEP_OK;
        for (size_t at = 0; status == SKEP_OK && at < N; at += 1200) {
          status = skep_orc_stream_want(&s, SKEP_ORC_RUN_BYTES, &err);
          if (status == SKEP_OK) status = skep_orc_stream_copy(&s, out, 1200, &err);
        }
        if (status != SKEP_OK) {
          assert_int_equal(status, what == 0 ? SKEP_ERR_IO : SKEP_ERR_NOMEM);
          assert_memory_equal(err.text, "column 1 DATA: ", 15);
          t.fail_at = 0;
          few.left = SIZE_MAX;
          assert_int_equal(skep_orc_stream_seek(&s, 0, 0, &err), SKEP_OK); /* still in one piece */
          assert_int_equal(skep_orc_stream_copy(&s, out, N, &err), SKEP_OK);
          assert_memory_equal(out, m.data, N);
        }
        if (what == 0) failed = status != SKEP_OK;
        test_close(&t, &s);
      }
    }
    assert_false(failed);
    sample_free(&m);
  }
}

static void test_changed_bytes_do_no_harm(void **state) {
  (void)state;
  for (size_t c = 1; c < N_CODECS; c++) {
    skep_ctx ctx;
    skep_orc_decompressor *d;
    test_out o = {0};
    uint8_t data[90], out[64];
    skep_ctx_init(&ctx);
    for (size_t i = 0; i < sizeof data; i++) data[i] = (uint8_t)(i / 10);
    assert_int_equal(skep_orc_decompressor_new(&ctx, codecs[c], &d, NULL), SKEP_OK);
    for (size_t i = 0; i < 3; i++) test_put_chunk(&o, codecs[c], i == 1, data + 30 * i, 30);
    for (size_t i = 0; i < o.size; i++) {
      for (unsigned x = 1; x < 256; x++) {
        test_source t;
        skep_orc_stream s;
        skep_err err = {0};
        o.bytes[i] ^= (uint8_t)x;
        test_open(&t, &s, o.bytes, o.size, d, 1024);
        for (size_t n = 1; skep_orc_stream_copy(&s, out, n % sizeof out, &err) == SKEP_OK; n++) continue;
        assert_int_equal(err.status, SKEP_ERR_CORRUPT);
        test_close(&t, &s);
        o.bytes[i] ^= (uint8_t)x;
      }
    }
    free(o.bytes);
    skep_orc_decompressor_free(d);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_windows_hold_what_was_wanted_for_all_codecs_and_chunk_sizes),
      cmocka_unit_test(test_copies_and_skips_cross_chunks),
      cmocka_unit_test(test_a_seek_to_any_position_reads_on_from_there),
      cmocka_unit_test(test_runs_decode_over_chunks_of_one_byte),
      cmocka_unit_test(test_hostile_chunks_are_refused_with_numbers),
      cmocka_unit_test(test_an_original_chunk_may_exceed_the_block_size),
      cmocka_unit_test(test_a_stream_of_impossible_length_is_refused),
      cmocka_unit_test(test_failing_fetches_and_allocations_pass_through),
      cmocka_unit_test(test_changed_bytes_do_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

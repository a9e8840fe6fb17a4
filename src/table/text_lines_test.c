/* Lines of files: ends, ranges, headers and footers, compressed files. */
#include "table/text_lines.h"

#include <libdeflate.h>
#include <snappy-c.h>
#include <stdlib.h>
#include <zstd.h>

#include "base/buf.h"
#include "io/memory.h"
#include "support/test.h"

typedef struct fixture {
  skep_ctx ctx;
  skep_fs *fs;
  skep_buf out;
  skep_err err;
} fixture;

static int set_up(void **state) {
  fixture *f = calloc(1, sizeof *f);
  skep_ctx_init(&f->ctx);
  skep_buf_init(&f->out, &f->ctx, 1 << 26);
  *state = f;
  return skep_fs_memory_new(&f->ctx, &f->fs, &f->err) == SKEP_OK ? 0 : -1;
}

static int tear_down(void **state) {
  fixture *f = *state;
  skep_fs_free(f->fs);
  skep_buf_fini(&f->out);
  free(f);
  return 0;
}

static void put(fixture *f, const char *path, const void *bytes, size_t size) {
  assert_ok(skep_fs_memory_put(f->fs, path, bytes, size, &f->err), f->err);
}

/* Appends the lines, each with a '|' behind it, `at_once` at a time. */
static skep_status add_lines(fixture *f, const char *path, const skep_lines_opts *opts, int64_t at_once) {
  skep_lines *lines;
  skep_bytes some[16];
  int64_t n;
  SKEP_TRY(skep_lines_open(&f->ctx, f->fs, path, opts, &lines, &f->err));
  skep_status st;
  while ((st = skep_lines_next(lines, at_once, some, &n, &f->err)) == SKEP_OK) {
    for (int64_t i = 0; i < n; i++) {
      skep_buf_add(&f->out, some[i].at, some[i].left);
      skep_buf_byte(&f->out, '|');
    }
  }
  skep_lines_close(lines);
  return st;
}

static const char *lines_of(fixture *f, const char *path, skep_lines_opts opts) {
  if (opts.end == 0) opts.end = UINT64_MAX;
  skep_buf_reset(&f->out);
  assert_int_equal(add_lines(f, path, &opts, 3), SKEP_END);
  return skep_buf_string(&f->out);
}

static void lines_end_with_lf_cr_or_both(void **state) {
  fixture *f = *state;
  static const char *const cases[][2] = {{"", ""},
                                         {"a", "a|"},
                                         {"a\n", "a|"},
                                         {"\n", "|"},
                                         {"\n\n", "||"},
                                         {"a\nb", "a|b|"},
                                         {"a\r\nb\r\n", "a|b|"},
                                         {"a\rb\r", "a|b|"},
                                         {"a\r\rb", "a||b|"},
                                         {"a\n\rb", "a||b|"},
                                         {"\r\n", "|"},
                                         {"x\r\n\r\ny", "x||y|"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    put(f, "t", cases[i][0], strlen(cases[i][0]));
    assert_string_equal(lines_of(f, "t", (skep_lines_opts){0}), cases[i][1]);
  }
}

static void ranges_of_any_size_share_the_lines(void **state) {
  fixture *f = *state;
  static const char text[] = "one\ntwo\r\n\r\nthree\rfour\n\n\nfive and more\nsix";
  size_t size = sizeof text - 1;
  put(f, "t", text, size);
  for (uint64_t range = 1; range <= size + 1; range++) {
    skep_buf_reset(&f->out);
    for (uint64_t at = 0; at < size; at += range) {
      const skep_lines_opts opts = {.start = at, .end = at + range < size ? at + range : UINT64_MAX};
      assert_int_equal(add_lines(f, "t", &opts, 2), SKEP_END);
    }
    assert_string_equal(skep_buf_string(&f->out), "one|two||three|four|||five and more|six|");
  }
}

static void headers_and_footers_are_passed_over(void **state) {
  fixture *f = *state;
  put(f, "t", "h1\nh2\na\nb\nc\nd\ne\nf1\nf2\n", 22);
  assert_string_equal(lines_of(f, "t", (skep_lines_opts){.header_lines = 2}), "a|b|c|d|e|f1|f2|");
  assert_string_equal(lines_of(f, "t", (skep_lines_opts){.footer_lines = 2}), "h1|h2|a|b|c|d|e|");
  assert_string_equal(lines_of(f, "t", (skep_lines_opts){.header_lines = 2, .footer_lines = 2}), "a|b|c|d|e|");
  assert_string_equal(lines_of(f, "t", (skep_lines_opts){.header_lines = 5, .footer_lines = 5}), "");
  assert_string_equal(lines_of(f, "t", (skep_lines_opts){.header_lines = 50}), "");
}

static void long_lines_grow_the_window_up_to_a_limit(void **state) {
  fixture *f = *state;
  size_t size = 3 << 20;
  char *text = malloc(size);
  memset(text, 'x', size);
  text[size / 2] = '\n';
  put(f, "t", text, size);
  free(text);
  assert_int_equal(strlen(lines_of(f, "t", (skep_lines_opts){0})), size + 1);
  f->ctx.limits.max_value_bytes = 1 << 20;
  const skep_lines_opts opts = {.end = UINT64_MAX};
  assert_int_equal(add_lines(f, "t", &opts, 1), SKEP_ERR_LIMIT);
  assert_non_null(strstr(f->err.text, "a line of more than 1048576 bytes"));
}

static void compressed_files_are_known_by_their_names(void **state) {
  fixture *f = *state;
  static const char text[] = "packed one\npacked two\npacked three\n";
  static const char want[] = "packed one|packed two|packed three|";
  size_t size = sizeof text - 1, n;
  uint8_t out[2000];
  struct libdeflate_compressor *d = libdeflate_alloc_compressor(6);
  n = libdeflate_gzip_compress(d, text, 11, out, sizeof out);
  n += libdeflate_gzip_compress(d, text + 11, size - 11, out + n, sizeof out - n); /* two members */
  put(f, "a.gz", out, n);
  put(f, "short.gz", out, n - 5);
  n = libdeflate_zlib_compress(d, text, size, out, sizeof out);
  libdeflate_free_compressor(d);
  put(f, "a.deflate", out, n);
  n = ZSTD_compress(out, sizeof out, text, size, 3);
  put(f, "a.zst", out, n);
  size_t packed = sizeof out - 8;
  assert_int_equal(snappy_compress(text, size, (char *)out + 8, &packed), SNAPPY_OK);
  memcpy(out, (uint8_t[]){0, 0, 0, (uint8_t)size, 0, 0, 0, (uint8_t)packed}, 8);
  put(f, "a.snappy", out, packed + 8);
  put(f, "a.bz2", out, 20);
  static const char *const names[] = {"a.gz", "a.deflate", "a.zst", "a.snappy"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    assert_string_equal(lines_of(f, names[i], (skep_lines_opts){0}), want);
    assert_false(skep_lines_can_cut(names[i]));
  }
  assert_true(skep_lines_can_cut("000000_0"));
  const skep_lines_opts opts = {.end = UINT64_MAX};
  assert_int_equal(add_lines(f, "short.gz", &opts, 1), SKEP_ERR_CORRUPT);
  assert_string_equal(f->err.text, "gzip data is damaged or ends early");
  assert_int_equal(add_lines(f, "a.bz2", &opts, 1), SKEP_ERR_UNSUPPORTED);
  assert_string_equal(f->err.text, "text files compressed as .bz2, .lz4 or .lzo are not read");
}

static void damaged_compressed_files_are_errors_or_lines(void **state) {
  fixture *f = *state;
  static const char text[] = "packed one\npacked two\npacked three\n";
  uint8_t out[2000], bent[2000];
  size_t packed = sizeof out - 8;
  assert_int_equal(snappy_compress(text, sizeof text - 1, (char *)out + 8, &packed), SNAPPY_OK);
  memcpy(out, (uint8_t[]){0, 0, 0, sizeof text - 1, 0, 0, 0, (uint8_t)packed}, 8);
  const skep_lines_opts opts = {.end = UINT64_MAX};
  for (size_t i = 0; i < packed + 8; i++) {
    memcpy(bent, out, packed + 8);
    bent[i] ^= 0x55;
    put(f, "b.snappy", bent, packed + 8);
    skep_buf_reset(&f->out);
    skep_status st = add_lines(f, "b.snappy", &opts, 4);
    assert_true(st == SKEP_END || st == SKEP_ERR_CORRUPT || st == SKEP_ERR_LIMIT);
    put(f, "b.snappy", out, i);
    st = add_lines(f, "b.snappy", &opts, 4);
    assert_true(i == 0 ? st == SKEP_END : st == SKEP_ERR_CORRUPT);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(lines_end_with_lf_cr_or_both, set_up, tear_down),
      cmocka_unit_test_setup_teardown(ranges_of_any_size_share_the_lines, set_up, tear_down),
      cmocka_unit_test_setup_teardown(headers_and_footers_are_passed_over, set_up, tear_down),
      cmocka_unit_test_setup_teardown(long_lines_grow_the_window_up_to_a_limit, set_up, tear_down),
      cmocka_unit_test_setup_teardown(compressed_files_are_known_by_their_names, set_up, tear_down),
      cmocka_unit_test_setup_teardown(damaged_compressed_files_are_errors_or_lines, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

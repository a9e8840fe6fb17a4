/* Encoded runs from a stranger. First byte: kind of run (low 3 bits), step. Whatever the steps, the same values come
 * out before the same failure; a skip is as good as a read; narrow lanes agree or refuse. */
#include "orc/rle.h"

#include <string.h>

#include "fuzz/fuzz.h"

enum { MAX_VALUES = 4096 };

typedef struct lender {
  const uint8_t *bytes;
} lender;

static skep_status lend(void *self, uint32_t slot, uint64_t offset, size_t length, const uint8_t **out, skep_err *err) {
  (void)slot;
  (void)length;
  (void)err;
  *out = ((lender *)self)->bytes + offset;
  return SKEP_OK;
}

typedef struct input {
  skep_ctx ctx;
  lender lender;
  size_t size;
  skep_orc_stream s;
} input;

static void start(input *in) {
  skep_err err;
  FUZZ_CHECK(skep_orc_stream_init(&in->s, &in->ctx, (skep_orc_source){lend, &in->lender}, 0, 0, in->size, NULL, 0,
                                  "fuzz", &err) == SKEP_OK);
}

/* The values before the failure, at most MAX_VALUES, read in steps; the last, failing step is read again one by one. */
static size_t integers(input *in, bool v2, bool is_signed, size_t step, int64_t *out) {
  skep_rle_int r, before;
  skep_err err;
  size_t n = 0;
  start(in);
  skep_rle_int_init(&r, &in->s, v2, is_signed);
  for (;;) {
    skep_orc_stream s_before = in->s;
    before = r;
    if (n + step > MAX_VALUES || skep_rle_int_next(&r, out + n, step, &err) != SKEP_OK) {
      in->s = s_before;
      r = before;
      while (n < MAX_VALUES && skep_rle_int_next(&r, out + n, 1, &err) == SKEP_OK) n++;
      return n;
    }
    n += step;
  }
}

static void check_integers(input *in, bool v2, bool is_signed, size_t step) {
  static int64_t all[MAX_VALUES], some[MAX_VALUES];
  static int32_t narrow[MAX_VALUES];
  skep_rle_int r;
  skep_err err;
  size_t n = integers(in, v2, is_signed, 1, all);
  FUZZ_CHECK(integers(in, v2, is_signed, step, some) == n);
  FUZZ_CHECK(memcmp(all, some, n * sizeof all[0]) == 0);
  if (n == 0) return;
  start(in);
  skep_rle_int_init(&r, &in->s, v2, is_signed);
  FUZZ_CHECK(skep_rle_int_skip(&r, n - 1, &err) == SKEP_OK);
  FUZZ_CHECK(skep_rle_int_next(&r, some, 1, &err) == SKEP_OK && some[0] == all[n - 1]);
  start(in);
  skep_rle_int_init(&r, &in->s, v2, is_signed);
  bool fits = true;
  for (size_t i = 0; i < n; i++) fits = fits && all[i] == (int32_t)all[i];
  skep_status status = skep_rle_int_next_i32(&r, narrow, n, &err);
  FUZZ_CHECK(!fits || status == SKEP_OK);
  for (size_t i = 0; status == SKEP_OK && i < n; i++) FUZZ_CHECK(narrow[i] == all[i]);
}

static void check_bits(input *in, size_t step) {
  uint8_t bits[64];
  size_t n_set;
  uint64_t n_skipped;
  skep_rle_bit a, b;
  skep_err err;
  input other = *in;
  start(in);
  start(&other);
  skep_rle_bit_init(&a, &in->s);
  skep_rle_bit_init(&b, &other.s);
  for (size_t i = 0; i < MAX_VALUES / step && skep_rle_bit_next(&a, bits, step % 7, step, &n_set, &err) == SKEP_OK; i++)
    FUZZ_CHECK(skep_rle_bit_skip(&b, step, &n_skipped, &err) == SKEP_OK && n_skipped == n_set);
}

static void check_decimals(input *in, size_t step) {
  int64_t narrow[64];
  __int128 wide[64];
  skep_err err;
  input other = *in;
  start(in);
  start(&other);
  while (skep_varint_next_i64(&in->s, narrow, step, &err) == SKEP_OK) {
    FUZZ_CHECK(skep_varint_next_i128(&other.s, wide, step, &err) == SKEP_OK);
    for (size_t i = 0; i < step; i++) FUZZ_CHECK(wide[i] == narrow[i]);
  }
  start(&other);
  while (skep_varint_next_i128(&other.s, wide, step, &err) == SKEP_OK) continue;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0 || size > 65536) return 0;
  uint8_t *bytes = malloc(size - 1 + SKEP_ORC_WINDOW_SLACK);
  if (bytes == NULL) return 0;
  memcpy(bytes, data + 1, size - 1);
  memset(bytes + size - 1, 0xa5, SKEP_ORC_WINDOW_SLACK);
  input in = {.lender = {bytes}, .size = size - 1};
  skep_ctx_init(&in.ctx);
  size_t step = 1 + (data[0] >> 3);
  switch (data[0] & 7) {
    case 0:
      check_integers(&in, false, false, step);
      break;
    case 1:
      check_integers(&in, false, true, step);
      break;
    case 2:
      check_integers(&in, true, false, step * 17);
      break;
    case 3:
      check_integers(&in, true, true, step * 17);
      break;
    case 4:
      check_bits(&in, step);
      break;
    default:
      check_decimals(&in, step);
      break;
  }
  free(bytes);
  return 0;
}

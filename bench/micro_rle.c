/* Micro benchmark of the run decoders: values a second for each form, into 64-bit and 32-bit lanes, from memory.
 *
 *   cmake --preset release -DSKEP_BENCH=ON && cmake --build build/release --target micro_rle
 *   build/release/bench/micro_rle [PART OF A NAME] */
#include <stdio.h>
#include <time.h>

#include "base/err.h"
#include "orc/rle.h"
#include "orc/test_encode.h"

enum {
  RUN = 512,
  N_RUNS = 2048, /* a million values */
  BATCH = 1024,
  ROUNDS = 20
};
#define N_VALUES ((size_t)RUN * N_RUNS)

typedef enum what { INT_64, INT_32, BYTES, BITS, BIT_SKIP, VARINT_64, VARINT_128 } what;

typedef union sink {
  int64_t i64[BATCH];
  int32_t i32[BATCH];
  __int128 i128[BATCH];
  uint8_t bytes[BATCH];
} sink;

typedef struct decoder {
  skep_orc_stream s;
  skep_rle_int integer;
  skep_rle_byte byte;
  skep_rle_bit bit;
  sink out;
} decoder;

static skep_status lend(void *self, uint32_t slot, uint64_t offset, size_t length, const uint8_t **out, skep_err *err) {
  (void)slot;
  (void)length;
  (void)err;
  *out = (const uint8_t *)self + offset;
  return SKEP_OK;
}

static double seconds(void) {
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static skep_status one_batch(decoder *d, what w, skep_err *err) {
  size_t ones;
  uint64_t ones_64;
  switch (w) {
    case INT_64:
      return skep_rle_int_next(&d->integer, d->out.i64, BATCH, err);
    case INT_32:
      return skep_rle_int_next_i32(&d->integer, d->out.i32, BATCH, err);
    case BYTES:
      return skep_rle_byte_next(&d->byte, d->out.bytes, BATCH, err);
    case BITS:
      return skep_rle_bit_next(&d->bit, d->out.bytes, 3, BATCH, &ones, err);
    case BIT_SKIP:
      return skep_rle_bit_skip(&d->bit, BATCH, &ones_64, err);
    case VARINT_64:
      return skep_varint_next_i64(&d->s, d->out.i64, BATCH, err);
    case VARINT_128:
      return skep_varint_next_i128(&d->s, d->out.i128, BATCH, err);
  }
  return SKEP_ERR_INTERNAL;
}

static const char *only; /* part of the names to run; NULL: all */

/* Decodes all of `o` some times and prints the best; empties `o`. */
static void run(const char *name, test_out *o, what w, bool v2, size_t n_values) {
  if (only != NULL && strstr(name, only) == NULL) {
    o->size = 0;
    return;
  }
  static decoder d;
  skep_ctx ctx;
  skep_err err = {0};
  double best = 1e9;
  size_t size = o->size;
  skep_ctx_init(&ctx);
  for (int i = 0; i < SKEP_ORC_WINDOW_SLACK; i++) test_put(o, 0);
  for (int round = 0; round < ROUNDS; round++) {
    skep_status status =
        skep_orc_stream_init(&d.s, &ctx, (skep_orc_source){lend, o->bytes}, 0, 0, size, NULL, 0, "bench", &err);
    skep_rle_int_init(&d.integer, &d.s, v2, true);
    skep_rle_byte_init(&d.byte, &d.s);
    skep_rle_bit_init(&d.bit, &d.s);
    double start = seconds();
    for (size_t i = 0; i < n_values / BATCH && status == SKEP_OK; i++) status = one_batch(&d, w, &err);
    double took = seconds() - start;
    if (took < best) best = took;
    skep_orc_stream_fini(&d.s);
    if (status != SKEP_OK) {
      (void)printf("%s: %s\n", name, err.text);
      break;
    }
  }
  (void)printf("%-28s %8.0f million values/s\n", name, (double)n_values / best * 1e-6);
  o->size = 0;
}

static void fill(uint64_t *values, uint32_t width, uint64_t *seed) {
  for (size_t i = 0; i < RUN; i++) values[i] = test_random(seed) >> (64 - width);
}

static void direct_runs(test_out *o, uint64_t *values, uint64_t *seed) {
  for (size_t i = 0; i < 32; i++) {
    uint32_t width = test_widths[i];
    for (int lanes = 64; lanes >= (width > 32 ? 64 : 32); lanes /= 2) {
      char name[48];
      for (size_t k = 0; k < N_RUNS; k++) {
        fill(values, width, seed);
        test_put_direct(o, width, values, RUN);
      }
      (void)snprintf(name, sizeof name, "v2 direct %u, %d", width, lanes);
      run(name, o, lanes == 64 ? INT_64 : INT_32, true, N_VALUES);
    }
  }
}

static void put_patched(test_out *o, uint64_t *values, uint64_t *seed) {
  uint64_t patches[20];
  fill(values, 10, seed);
  for (size_t i = 0; i < 20; i++) patches[i] = 20u << 12 | test_random(seed) >> 53 | 1;
  test_put_patched(o, 10, values, RUN, true, 77, 2, 12, 5, patches, 20);
}

static void put_other(test_out *o, int form, uint64_t *values, uint64_t *seed) {
  for (size_t k = 0; form == 0 && k < N_VALUES / 8; k++) test_put_short_repeat(o, 2, test_random(seed) >> 48, 8);
  for (size_t k = 0; form == 1 && k < N_RUNS; k++) test_put_delta(o, 0, k, 3, NULL, RUN);
  for (size_t k = 0; form == 2 && k < N_RUNS; k++) test_put_delta(o, 0, k, 0, NULL, RUN);
  for (size_t k = 0; form == 3 && k < N_RUNS; k++) {
    fill(values, 5, seed);
    test_put_delta(o, 5, k, 3, values, RUN);
  }
  for (size_t k = 0; form == 4 && k < N_RUNS; k++) put_patched(o, values, seed);
  for (size_t k = 0; form == 5 && k < N_VALUES / 8; k++) { /* short direct runs */
    fill(values, 12, seed);
    test_put_direct(o, 12, values, 8);
  }
}

static void other_v2_runs(test_out *o, uint64_t *values, uint64_t *seed) {
  static const char *const forms[] = {"v2 short repeat of 8", "v2 fixed delta",  "v2 constant",
                                      "v2 delta of 5 bits",   "v2 patched base", "v2 direct 12, runs of 8"};
  for (int form = 0; form < 6; form++) {
    for (int lanes = 64; lanes >= 32; lanes /= 2) {
      char name[48];
      put_other(o, form, values, seed);
      (void)snprintf(name, sizeof name, "%s, %d", forms[form], lanes);
      run(name, o, lanes == 64 ? INT_64 : INT_32, true, N_VALUES);
    }
  }
}

static void version_1_runs(test_out *o, uint64_t *values, uint64_t *seed) {
  for (size_t k = 0; k < N_VALUES / 128; k++) test_put_v1_repeat(o, k, 1, 128);
  run("v1 runs of 128, 64", o, INT_64, false, N_VALUES);
  for (uint32_t width = 7; width <= 63; width += 14) {
    char name[48];
    for (size_t k = 0; k < N_VALUES / 128; k++) {
      fill(values, width, seed);
      test_put_v1_literals(o, values, 128);
    }
    (void)snprintf(name, sizeof name, "v1 literals of %u bits, 64", width);
    run(name, o, INT_64, false, N_VALUES);
  }
}

static void small_runs(test_out *o, uint64_t *seed) {
  uint8_t *bytes = malloc(N_VALUES);
  if (bytes == NULL) abort();
  for (int equal = 0; equal < 2; equal++) {
    for (size_t i = 0; i < N_VALUES; i++)
      bytes[i] = equal && test_random(seed) % 50 != 0 ? 0xff : (uint8_t)test_random(seed);
    test_put_bytes(o, bytes, N_VALUES);
    run(equal ? "bytes, 98 % equal" : "bytes, random", o, BYTES, true, N_VALUES);
    test_put_bytes(o, bytes, N_VALUES);
    run(equal ? "bits, 98 % equal" : "bits, random", o, BITS, true, N_VALUES * 8);
    test_put_bytes(o, bytes, N_VALUES);
    run(equal ? "bits skipped, 98 % equal" : "bits skipped, random", o, BIT_SKIP, true, N_VALUES * 8);
  }
  free(bytes);
}

static void varints(test_out *o, uint64_t *seed) {
  for (uint32_t width = 7; width <= 105; width += 14) {
    for (int lanes = width > 63 ? 128 : 64; lanes <= 128; lanes *= 2) {
      char name[48];
      for (size_t i = 0; i < N_VALUES; i++) {
        unsigned __int128 v = (unsigned __int128)test_random(seed) << 64 | test_random(seed);
        test_put_varint(o, v >> (128 - width));
      }
      (void)snprintf(name, sizeof name, "decimal of %u bits, %d", width, lanes);
      run(name, o, lanes == 64 ? VARINT_64 : VARINT_128, true, N_VALUES);
    }
  }
}

int main(int argc, char **argv) {
  if (argc > 1) only = argv[1];
  test_out o = {0};
  uint64_t values[RUN], seed = 42;
  direct_runs(&o, values, &seed);
  other_v2_runs(&o, values, &seed);
  version_1_runs(&o, values, &seed);
  small_runs(&o, &seed);
  varints(&o, &seed);
  free(o.bytes);
  return 0;
}

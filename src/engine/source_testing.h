/* For tests: a source over one batch in memory, and random vectors of any type. */
#ifndef ENGINE_SOURCE_TESTING_H
#define ENGINE_SOURCE_TESTING_H

#include "support/test.h"

#include <math.h>
#include <stdlib.h>

#include "column/source.h"
#include "column/text.h"

/* ---- random values ---- */

static inline uint64_t random_u64(uint64_t *state) {
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * UINT64_C(2685821657736338717);
}

static inline void random_string(uint64_t *seed, skep_kind kind, uint8_t *out, size_t *length) {
  static const char *const some[] = {"",
                                     "a",
                                     " ",
                                     "a  ",
                                     "exactly12byt",
                                     "thirteen byte",
                                     "\xff\xfe bad utf-8 \xc3",
                                     "\xff",
                                     "nul \0 in it, and longer",
                                     "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e",
                                     "a string that is long enough to live elsewhere"};
  static const size_t lengths[] = {0, 1, 1, 3, 12, 13, 14, 1, 23, 9, 46};
  uint64_t r = random_u64(seed) >> 11;
  size_t k = r % 11;
  *length = lengths[k];
  memcpy(out, some[k], lengths[k]);
  if (kind == SKEP_CHAR) { /* without blanks at the end; ASCII, so that padding is countable */
    *length = r / 16 % 8;
    for (size_t i = 0; i < *length; i++) out[i] = (uint8_t)('a' + (r >> (i * 4 + 8)) % 3);
  } else if (r / 16 % 3 == 0) {
    *length = r / 64 % 20;
    for (size_t i = 0; i < *length; i++) out[i] = (uint8_t)(random_u64(seed) >> 33);
  }
}

static inline void random_value(uint64_t *seed, skep_vec *vec, int64_t i) {
  uint64_t r = random_u64(seed);
  static const double doubles[] = {0.0, -0.0, 1.5, -1e300, (double)NAN, (double)INFINITY, 4.9e-324};
  static const int64_t seconds[] = {INT64_C(-62135596800), INT64_C(253402300799), 0, -1, 1, 1700000000};
  uint64_t k = r >> 40;
  void *values = vec->values.data;
  switch (vec->form) {
    case SKEP_FORM_BOOL_BITS:
      ((uint8_t *)values)[i >> 3] |= (uint8_t)((k & 1) << (i & 7));
      break;
    case SKEP_FORM_BOOL_BYTES:
      ((uint8_t *)values)[i] = k & 1;
      break;
    case SKEP_FORM_I8:
      ((int8_t *)values)[i] = (int8_t)k;
      break;
    case SKEP_FORM_I16:
      ((int16_t *)values)[i] = (int16_t)(vec->type->kind == SKEP_DECIMAL ? (int64_t)(k % 1999) - 999 : (int64_t)k);
      break;
    case SKEP_FORM_I32:
      ((int32_t *)values)[i] = (int32_t)((int64_t)(k % 2000000) - 719162 - (k % 7 == 0));
      break;
    case SKEP_FORM_I64:
      ((int64_t *)values)[i] = vec->type->kind == SKEP_DECIMAL ? (int64_t)k - 5000 : (int64_t)r;
      break;
    case SKEP_FORM_F32:
      ((float *)values)[i] = k % 3 == 0 ? (float)doubles[k % 7] : (float)k;
      break;
    case SKEP_FORM_F64:
      ((double *)values)[i] = k % 3 == 0 ? doubles[k % 7] : (double)k / 3;
      break;
    case SKEP_FORM_I128:
      ((skep_i128 *)values)[i] =
          vec->type->precision < 19 ? (skep_i128)(k % 1999) - 999 : (skep_i128)(int64_t)r * (k % 2 == 0 ? 1 : 1000000);
      break;
    case SKEP_FORM_TS:
      ((skep_ts *)values)[i] = (skep_ts){.seconds = seconds[k % 6], .nanos = (int32_t)(r % 1000000000)};
      break;
    default:
      fail_msg("no random values of form %d", (int)vec->form);
  }
}

static inline void random_strings(uint64_t *seed, skep_vec *vec, int64_t n, const bool *null, skep_err *err) {
  assert_ok(skep_vec_reserve_heap(vec, (size_t)n * 64, err), *err);
  for (int64_t i = 0; i < n; i++) {
    uint8_t *end = (uint8_t *)vec->heap.data + vec->heap_size;
    size_t length;
    random_string(seed, vec->type->kind, end, &length);
    if (null[i]) length = 0;
    if (vec->type->kind == SKEP_CHAR) {
      while (length < vec->type->length && !null[i]) end[length++] = ' ';
    }
    vec->heap_size += length;
    if (vec->form == SKEP_FORM_STR) {
      ((int32_t *)vec->offsets.data)[i + 1] = (int32_t)vec->heap_size;
      continue;
    }
    skep_view view = {.inlined = {(uint32_t)length, {0}}};
    if (length <= 12) {
      memcpy(view.inlined.bytes, end, length);
    } else {
      memcpy(view.far.prefix, end, 4);
      view.far.at = end;
    }
    ((skep_view *)vec->values.data)[i] = view;
  }
}

/* Fills an initialised vector with n random entries, a seventh of them NULL; those of `below` are NULL in any case. */
static inline void random_vec(uint64_t *seed, skep_vec *vec, int64_t n, const bool *below) {
  skep_err err;
  bool *null = calloc((size_t)n + 1, sizeof *null);
  assert_ok(skep_vec_reserve(vec, n, false, &err), err);
  vec->length = n;
  for (int64_t i = 0; i < n; i++) {
    null[i] = (below != NULL && below[i]) || random_u64(seed) >> 33 < UINT64_C(0x12492492);
    if (!null[i]) continue;
    assert_ok(skep_vec_need_validity(vec, &err), err);
    int64_t count = vec->null_count;
    ((uint8_t *)vec->validity.data)[i >> 3] &= (uint8_t) ~(1u << (i & 7));
    vec->null_count = count + 1;
  }
  skep_kind kind = vec->type->kind;
  if (kind == SKEP_STRUCT) {
    for (uint32_t c = 0; c < vec->n_children; c++) random_vec(seed, &vec->children[c], n, null);
  } else if (kind == SKEP_LIST || kind == SKEP_MAP) {
    int32_t *offsets = vec->offsets.data;
    for (int64_t i = 0; i < n; i++) offsets[i + 1] = offsets[i] + (null[i] ? 0 : (int32_t)(random_u64(seed) >> 40) % 4);
    for (uint32_t c = 0; c < vec->n_children; c++) {
      bool *valid = calloc((size_t)offsets[n] + 1, sizeof *valid);
      random_vec(seed, &vec->children[c], offsets[n], valid);
      free(valid);
      if (kind == SKEP_MAP && c == 0) vec->children[0].has_nulls = false; /* keys are never NULL */
      if (kind == SKEP_MAP && c == 0) vec->children[0].null_count = 0;
    }
  } else if (kind == SKEP_UNION) {
    int32_t count[128] = {0};
    for (int64_t i = 0; i < n; i++) {
      int8_t tag = null[i] ? 0 : (int8_t)((random_u64(seed) >> 40) % vec->n_children);
      ((int8_t *)vec->values.data)[i] = tag;
      ((int32_t *)vec->offsets.data)[i] = null[i] ? 0 : count[tag]++;
    }
    for (uint32_t c = 0; c < vec->n_children; c++) random_vec(seed, &vec->children[c], count[c], NULL);
  } else if (skep_kind_is_bytes(kind)) {
    random_strings(seed, vec, n, null, &err);
  } else {
    for (int64_t i = 0; i < n; i++) {
      if (!null[i]) random_value(seed, vec, i);
    }
  }
  free(null);
}

/* ---- a source over a batch ---- */

typedef struct memory_source {
  skep_source source;
  skep_vec *rows; /* borrowed: the root struct */
  int64_t piece;  /* rows a batch at most */
  skep_forms forms;
  int64_t fail_at; /* fails instead of delivering this row; -1: never */
  uint32_t n_runs, n_open;
} memory_source;

typedef struct memory_run {
  memory_source *source;
  uint32_t n_columns;
  uint32_t columns[64];
  int64_t next; /* atomic */
} memory_run;

struct skep_source_run {
  memory_run run;
};

struct skep_source_reader {
  memory_run *run;
  skep_type type;
  const skep_type *types[64];
  skep_batch batch;
};

static skep_status memory_run_new(skep_source *source, const uint32_t *columns, uint32_t n, skep_source_run **out,
                                  skep_err *err) {
  (void)err;
  memory_source *m = (memory_source *)source;
  *out = calloc(1, sizeof **out);
  (*out)->run.source = m;
  (*out)->run.n_columns = n;
  for (uint32_t i = 0; i < n; i++) (*out)->run.columns[i] = columns[i];
  __atomic_add_fetch(&m->n_runs, 1, __ATOMIC_RELAXED);
  return SKEP_OK;
}

static void memory_run_free(skep_source_run *run) { free(run); }

static skep_status memory_open(skep_source_run *run, skep_source_reader **out, skep_err *err) {
  skep_source_reader *r = calloc(1, sizeof *r);
  memory_run *m = &run->run;
  r->run = m;
  for (uint32_t i = 0; i < m->n_columns; i++) r->types[i] = m->source->source.type->children[m->columns[i]];
  r->type = (skep_type){.kind = SKEP_STRUCT, .n_children = m->n_columns, .children = r->types};
  __atomic_add_fetch(&m->source->n_open, 1, __ATOMIC_RELAXED);
  *out = r;
  return skep_vec_init(&r->batch.root, m->source->rows->ctx, &r->type, &m->source->forms, err);
}

static skep_status memory_next(skep_source_reader *r, int64_t max_rows, const skep_batch **out, skep_err *err) {
  memory_source *m = r->run->source;
  int64_t n = m->piece < max_rows ? m->piece : max_rows;
  int64_t first = __atomic_fetch_add(&r->run->next, n, __ATOMIC_RELAXED);
  if (first >= m->rows->length) return SKEP_END;
  if (first + n > m->rows->length) n = m->rows->length - first;
  if (m->fail_at >= first && m->fail_at < first + n)
    return skep_fail(err, SKEP_ERR_CORRUPT, "t/bucket_00000: row %lld is bent", (long long)m->fail_at);
  skep_vec_reset(&r->batch.root);
  for (uint32_t i = 0; i < r->run->n_columns; i++)
    SKEP_TRY(skep_vec_append(&r->batch.root.children[i], &m->rows->children[r->run->columns[i]], first, n, err));
  r->batch.root.length = n;
  *out = &r->batch;
  return SKEP_OK;
}

static void memory_close(skep_source_reader *r) {
  if (r == NULL) return;
  __atomic_sub_fetch(&r->run->source->n_open, 1, __ATOMIC_RELAXED);
  skep_vec_fini(&r->batch.root);
  free(r);
}

static void memory_destroy(skep_source *source) { free(source); }

static const skep_source_vtab memory_vtab = {.name = "memory",
                                             .run = memory_run_new,
                                             .run_free = memory_run_free,
                                             .open = memory_open,
                                             .next = memory_next,
                                             .close = memory_close,
                                             .destroy = memory_destroy};

/* rows: a struct with the forms given, borrowed. */
static inline memory_source *memory_source_new(skep_vec *rows, const skep_forms *forms, int64_t piece,
                                               uint32_t threads) {
  memory_source *m = calloc(1, sizeof *m);
  m->source = (skep_source){
      .vt = &memory_vtab, .type = rows->type, .estimated_rows = (uint64_t)rows->length, .max_threads = threads};
  m->rows = rows;
  m->piece = piece;
  m->forms = *forms;
  m->fail_at = -1;
  return m;
}

#endif

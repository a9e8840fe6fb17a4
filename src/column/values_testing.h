/* Helpers of tests that need vectors with given values, here and in the layers above. */
#ifndef COLUMN_VALUES_TESTING_H
#define COLUMN_VALUES_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "column/text.h"

typedef struct fixture {
  skep_ctx ctx;
  skep_arena arena;
  skep_buf out;
  skep_err err;
} fixture;

static inline int set_up(void **state) {
  fixture *f = calloc(1, sizeof *f);
  skep_ctx_init(&f->ctx);
  skep_arena_init(&f->arena, &f->ctx, 1 << 26);
  skep_buf_init(&f->out, &f->ctx, 1 << 24);
  *state = f;
  return 0;
}

static inline int tear_down(void **state) {
  fixture *f = *state;
  skep_buf_fini(&f->out);
  skep_arena_fini(&f->arena);
  free(f);
  return 0;
}

static inline skep_bytes text_of(const char *text) { return skep_bytes_of(text, strlen(text)); }

static inline const skep_type *type_of(fixture *f, const char *text) {
  const skep_type *type = NULL;
  assert_int_equal(skep_type_parse(&f->arena, text, strlen(text), &type, &f->err), SKEP_OK);
  return type;
}

/* One more entry: NULL, or the value of a text. */
static inline void append_entry(fixture *f, skep_vec *vec, const skep_forms *forms, const char *text) {
  if (text != NULL) {
    assert_int_equal(skep_vec_append_text(vec, text_of(text), &f->err), SKEP_OK);
    return;
  }
  skep_vec null = {0};
  assert_int_equal(skep_vec_init(&null, &f->ctx, vec->type, forms, &f->err), SKEP_OK);
  assert_int_equal(skep_vec_set_null(&null, 1, &f->err), SKEP_OK);
  assert_int_equal(skep_vec_append(vec, &null, 0, 1, &f->err), SKEP_OK);
  skep_vec_fini(&null);
}

/* A vector of one type whose entries are the texts; NULL texts become NULL. */
static inline void make_vec(fixture *f, skep_vec *vec, const char *type, const skep_forms *forms,
                            const char *const *texts, size_t n) {
  assert_int_equal(skep_vec_init(vec, &f->ctx, type_of(f, type), forms, &f->err), SKEP_OK);
  for (size_t i = 0; i < n; i++) append_entry(f, vec, forms, texts[i]);
}

/* xorshift64*: the same numbers everywhere. */
static inline uint64_t next_random(uint64_t *state) {
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * UINT64_C(2685821657736338717);
}

#endif

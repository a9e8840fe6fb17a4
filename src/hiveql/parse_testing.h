/* What the parser's tests share: a fixture, and trees in prefix form, in which grouping cannot be misread. */
#ifndef HIVEQL_PARSE_TESTING_H
#define HIVEQL_PARSE_TESTING_H

#include "hiveql/parse.h"
#include "hiveql/print_ast.h"
#include "support/test.h"

typedef struct parse_fixture {
  skep_ctx ctx;
  skep_arena arena;
  skep_buf out;
  skep_err err;
} parse_fixture;

static inline int parse_setup(void **state) {
  static parse_fixture f;
  memset(&f, 0, sizeof f);
  skep_ctx_init(&f.ctx);
  skep_arena_init(&f.arena, &f.ctx, (size_t)1 << 28);
  skep_buf_init(&f.out, &f.ctx, (size_t)1 << 28);
  *state = &f;
  return 0;
}

static inline int parse_teardown(void **state) {
  parse_fixture *f = *state;
  skep_arena_fini(&f->arena);
  skep_buf_fini(&f->out);
  return 0;
}

static inline const skep_expr *parsed_expr(parse_fixture *f, const char *text) {
  const skep_expr *expr = NULL;
  skep_status st = skep_parse_expression(&f->arena, text, strlen(text), NULL, &expr, &f->err);
  if (st != SKEP_OK) fail_msg("%s: %s", text, f->err.text);
  return expr;
}

static inline const skep_statement *parsed(parse_fixture *f, const char *text) {
  const skep_statement *statement = NULL;
  skep_status st = skep_parse_statement(&f->arena, text, strlen(text), NULL, &statement, &f->err);
  if (st != SKEP_OK) fail_msg("%s: %s", text, f->err.text);
  return statement;
}

/* The content of `out` as text of the arena; out is empty again. */
static inline const char *taken(parse_fixture *f) {
  assert_int_equal(f->out.status, SKEP_OK);
  const char *text = skep_arena_strndup(&f->arena, skep_buf_string(&f->out), f->out.size);
  skep_buf_reset(&f->out);
  return text;
}

static inline const char *printed_expr(parse_fixture *f, const skep_expr *expr) {
  skep_print_expr(expr, &f->out);
  return taken(f);
}

static inline const char *printed(parse_fixture *f, const skep_statement *statement) {
  skep_print_statement(statement, &f->out);
  return taken(f);
}

#endif

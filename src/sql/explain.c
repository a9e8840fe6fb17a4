/* EXPLAIN LOCKS <statement>: what it would ask for. The statement is bound and not run. Source: Hive ExplainTask
 * (ExplainLockDesc). EXPLAIN [EXTENDED]: a text of our own: tables, the partitions that predicates leave, locks. */
#include <stdio.h>
#include <string.h>

#include "sql/result.h"
#include "sql/statement.h"

static skep_status add_line(skep_result *result, const char *before, const skep_lock_component *c, skep_ctx const *ctx,
                            skep_err *err) {
  skep_buf line;
  skep_buf_init(&line, ctx, 1 << 20);
  skep_buf_printf(&line, "%s%s", before, c->database);
  if (c->table != NULL) skep_buf_printf(&line, ".%s", c->table);
  if (c->partition != NULL) skep_buf_printf(&line, ".%s", c->partition);
  skep_buf_printf(&line, " -> %s", skep_lock_name(c->type));
  skep_status st = skep_buf_check(&line, "a lock", err);
  if (st == SKEP_OK) st = skep_result_texts_row(result, &(const char *){skep_buf_string(&line)}, err);
  skep_buf_fini(&line);
  return st;
}

static skep_status add_locks(skep_session *s, skep_result *result, const char *before, skep_err *err) {
  const skep_explained *e = &s->explained;
  for (uint32_t i = 0; i < e->n; i++) SKEP_TRY(add_line(result, before, &e->components[i], s->ctx, err));
  return SKEP_OK;
}

/* The first line: what is explained. */
static skep_status start(skep_session *s, const skep_explain *explain, bool only_locks, skep_result **out,
                         skep_err *err) {
  static const char *const names[] = {"Explain"};
  char line[200];
  SKEP_TRY(skep_result_texts_new(s, names, 1, out, err));
  snprintf(line, sizeof line, "PLAN OF SKEP: %s", skep_statement_name(explain->statement));
  return skep_result_texts_row(*out, &(const char *){only_locks ? "LOCK INFORMATION:" : line}, err);
}

skep_status skep_explain_run(skep_session *s, const skep_statement *statement, skep_result **out, skep_err *err) {
  const skep_explain *explain = statement->explain;
  char quoted[200];
  bool only_locks = strcmp(explain->options, "LOCKS") == 0;
  skep_result *lines = NULL, *rows = NULL;
  if (!only_locks && explain->options[0] != 0 && strcmp(explain->options, "EXTENDED") != 0)
    return skep_fail(err, SKEP_ERR_UNSUPPORTED, "EXPLAIN %s is not supported yet",
                     skep_quote(quoted, sizeof quoted, explain->options, strlen(explain->options)));
  skep_status st = start(s, explain, only_locks, &lines, err);
  s->explained = (skep_explained){.wanted = true, .tables = only_locks ? NULL : lines};
  if (st == SKEP_OK && skep_statement_asks_for_locks(explain->statement->kind)) {
    st = skep_statement_dispatch(s, explain->statement, &rows, err);
    skep_result_free(rows); /* there is none: it did not come so far */
    if (s->explained.done) st = SKEP_OK;
  }
  if (st == SKEP_OK) st = add_locks(s, lines, only_locks ? "" : "lock ", err);
  s->explained = (skep_explained){0};
  if (st == SKEP_OK) {
    *out = lines;
  } else {
    skep_result_free(lines);
  }
  return st;
}

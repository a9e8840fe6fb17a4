/* EXPLAIN LOCKS <statement>: what it would ask for. The statement is bound and not run. Source: Hive ExplainTask
 * (ExplainLockDesc). EXPLAIN [EXTENDED]: a text of our own: tables, the partitions that predicates leave, locks. */
#include <stdio.h>
#include <string.h>

#include "sql/life_int.h"
#include "sql/result.h"
#include "sql/statement.h"

/* ---- where the statement would enter ---- */

skep_status skep_life_explain(skep_session *s, const skep_lock_component *components, uint32_t n) {
  s->explained.done = true;
  s->explained.components = components;
  s->explained.n = n;
  return SKEP_END;
}

static skep_status explain_line(skep_life *life, skep_buf *line, skep_err *err) {
  SKEP_TRY(skep_buf_check(line, "a line of a plan", err));
  SKEP_TRY(skep_result_texts_row(life->s->explained.tables, &(const char *){skep_buf_string(line)}, err));
  skep_buf_reset(line);
  return SKEP_OK;
}

static skep_status explain_partitions(skep_life *life, const skep_life_table *t, skep_buf *line, skep_err *err) {
  enum { MAX_NAMED = 20 };
  size_t n_read = 0, n_named = 0;
  for (size_t i = 0; i < t->n_partitions; i++) n_read += t->touched == NULL || t->touched[i];
  skep_buf_printf(line, ": %zu of %zu partition%s", n_read, t->n_partitions, t->n_partitions == 1 ? "" : "s");
  SKEP_TRY(explain_line(life, line, err));
  for (size_t i = 0; i < t->n_partitions && n_read != t->n_partitions && n_named < MAX_NAMED; i++) {
    if (!t->touched[i]) continue;
    n_named++;
    skep_buf_printf(line, "  %s", t->partitions[i].name);
    SKEP_TRY(explain_line(life, line, err));
  }
  if (n_read == t->n_partitions || n_named == n_read) return SKEP_OK;
  skep_buf_printf(line, "  and %zu more", n_read - n_named);
  return explain_line(life, line, err);
}

static skep_status explain_table(skep_life *life, const skep_life_table *t, skep_buf *line, skep_err *err) {
  if (t->is_read) {
    skep_buf_printf(line, "read %s.%s", t->t->db, t->t->name);
    if (skep_table_is_partitioned(t->t)) {
      SKEP_TRY(explain_partitions(life, t, line, err));
    } else {
      SKEP_TRY(explain_line(life, line, err));
    }
  }
  if (t->write == 0) return SKEP_OK;
  skep_buf_printf(line, "%s %s.%s",
                  t->write == 'i'   ? "insert into"
                  : t->write == 'u' ? "update"
                                    : "delete from",
                  t->t->db, t->t->name);
  return explain_line(life, line, err);
}

skep_status skep_life_explain_tables(skep_life *life, skep_err *err) {
  skep_buf line;
  skep_status st = SKEP_OK;
  if (life->s->explained.tables == NULL) return SKEP_OK;
  skep_buf_init(&line, life->s->ctx, 1 << 20);
  for (size_t i = 0; i < life->n_tables && st == SKEP_OK; i++) st = explain_table(life, life->tables[i], &line, err);
  skep_buf_fini(&line);
  return st;
}

/* ---- the statement ---- */

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

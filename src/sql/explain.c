/* EXPLAIN LOCKS <statement>: what it would ask for. The statement is bound and not run. Source: Hive ExplainTask
 * (ExplainLockDesc). */
#include "sql/result.h"
#include "sql/statement.h"

static skep_status add_line(skep_result *result, const skep_lock_component *c, skep_ctx const *ctx, skep_err *err) {
  skep_buf line;
  skep_buf_init(&line, ctx, 1 << 20);
  skep_buf_text(&line, c->database);
  if (c->table != NULL) skep_buf_printf(&line, ".%s", c->table);
  if (c->partition != NULL) skep_buf_printf(&line, ".%s", c->partition);
  skep_buf_printf(&line, " -> %s", skep_lock_name(c->type));
  skep_status st = skep_buf_check(&line, "a lock", err);
  if (st == SKEP_OK) st = skep_result_texts_row(result, &(const char *){skep_buf_string(&line)}, err);
  skep_buf_fini(&line);
  return st;
}

static skep_status print(skep_session *s, skep_result **out, skep_err *err) {
  static const char *const names[] = {"Explain"};
  const skep_explained *e = &s->explained;
  skep_result *result;
  SKEP_TRY(skep_result_texts_new(s, names, 1, &result, err));
  skep_status st = skep_result_texts_row(result, &(const char *){"LOCK INFORMATION:"}, err);
  for (uint32_t i = 0; st == SKEP_OK && i < e->n; i++) st = add_line(result, &e->components[i], s->ctx, err);
  if (st == SKEP_OK) {
    *out = result;
  } else {
    skep_result_free(result);
  }
  return st;
}

/* Whether the statement comes to the point where locks are asked for. Others take none, and must not be run. */
static bool asks_for_locks(skep_statement_kind kind) {
  switch (kind) {
    case SKEP_STMT_QUERY:
    case SKEP_STMT_INSERT:
    case SKEP_STMT_LOAD:
    case SKEP_STMT_UPDATE:
    case SKEP_STMT_DELETE:
    case SKEP_STMT_MERGE:
    case SKEP_STMT_CREATE_DATABASE:
    case SKEP_STMT_DROP_DATABASE:
    case SKEP_STMT_ALTER_DATABASE:
    case SKEP_STMT_CREATE_TABLE:
    case SKEP_STMT_DROP_TABLE:
    case SKEP_STMT_DROP_VIEW:
    case SKEP_STMT_TRUNCATE:
    case SKEP_STMT_ALTER_TABLE:
    case SKEP_STMT_ANALYZE:
      return true;
    default:
      return false;
  }
}

skep_status skep_explain_run(skep_session *s, const skep_statement *statement, skep_result **out, skep_err *err) {
  const skep_explain *explain = statement->explain;
  char quoted[200];
  skep_status st = SKEP_OK;
  if (strcmp(explain->options, "LOCKS") != 0)
    return skep_fail(err, SKEP_ERR_UNSUPPORTED, "EXPLAIN%s%s is not supported yet", explain->options[0] != 0 ? " " : "",
                     skep_quote(quoted, sizeof quoted, explain->options, strlen(explain->options)));
  s->explained = (skep_explained){.wanted = true};
  if (asks_for_locks(explain->statement->kind)) {
    st = skep_statement_dispatch(s, explain->statement, out, err);
    skep_result_free(*out); /* there is none: it did not come so far */
    *out = NULL;
  }
  if (s->explained.done) st = SKEP_OK;
  if (st == SKEP_OK) st = print(s, out, err);
  s->explained = (skep_explained){0};
  return st;
}

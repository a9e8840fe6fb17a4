/* SELECT: the engine's rows as a result. The statement's life lasts as long as its result does. */
#include "sql/heartbeat.h"
#include "sql/life.h"
#include "sql/result.h"
#include "sql/transaction.h"

enum { QUERY_BATCH_ROWS = 16384 };

typedef struct query_result {
  skep_result base;
  skep_life life;
  skep_engine_result *rows;
  bool done; /* the life has ended */
} query_result;

static skep_status query_end(query_result *r, skep_status st, skep_err *err) {
  skep_session *s = r->life.s;
  skep_engine_result_close(r->rows);
  r->rows = NULL;
  r->done = true;
  st = skep_heartbeat_why(s, st, err);
  if (st == SKEP_END) st = skep_transaction_check(s, err);
  if (st == SKEP_OK) {
    st = skep_life_commit(&r->life, err);
  } else {
    st = skep_life_fail(&r->life, st);
  }
  skep_heartbeat_runs(s, false);
  return st == SKEP_OK ? SKEP_END : st;
}

static skep_status query_next(skep_result *result, const skep_batch **out, skep_err *err) {
  query_result *r = (query_result *)result;
  skep_status st = skep_session_check(r->life.s, err);
  if (st == SKEP_OK) st = skep_engine_next(r->rows, QUERY_BATCH_ROWS, out, err);
  return st == SKEP_OK ? SKEP_OK : query_end(r, st, err);
}

static void query_destroy(skep_result *result) {
  query_result *r = (query_result *)result;
  const skep_ctx *ctx = r->life.s->ctx;
  if (!r->done) (void)query_end(r, SKEP_END, NULL); /* enough was read */
  skep_release(ctx, r);
}

static const skep_result_vtab query_vtab = {query_next, query_destroy};

/* The columns' names as Hive's clients show them: "t.c" for what * selects. */
static skep_status shown_type(skep_session *s, const skep_bound_query *bound, const skep_type **out, skep_err *err) {
  *out = bound->type;
  if (!skep_session_bool(s, "hive.resultset.use.unique.column.names", true)) return SKEP_OK;
  const char **names = skep_arena_zero(&s->arena, bound->n_outputs + 1, sizeof *names);
  if (names == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a query");
  for (uint32_t i = 0; i < bound->n_outputs; i++) {
    names[i] = bound->names[i];
    if (bound->qualifiers[i] == NULL) continue;
    names[i] = skep_arena_join(&s->arena, bound->qualifiers[i], ".", bound->names[i]);
    if (names[i] == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a query");
  }
  return skep_type_make(&s->arena, bound->type, bound->type->children, names, bound->n_outputs, out, err);
}

static skep_status query_start(query_result *r, const skep_query *query, skep_err *err) {
  skep_life *life = &r->life;
  skep_bound_query *bound;
  const uint64_t *ids;
  const skep_forms forms = {0};
  SKEP_TRY(skep_bind_query(&life->binder, query, &bound, err));
  SKEP_TRY(skep_life_reads(life, bound, err));
  SKEP_TRY(skep_life_enter(life, err));
  SKEP_TRY(skep_life_sources(life, bound, &ids, err));
  SKEP_TRY(shown_type(life->s, bound, &r->base.type, err));
  return skep_life_query(life, bound, ids, &forms, &r->rows, err);
}

skep_status skep_query_run(skep_session *s, const skep_statement *statement, skep_result **out, skep_err *err) {
  query_result *r = skep_alloc_zero(s->ctx, 1, sizeof *r);
  if (r == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a query");
  r->base.vt = &query_vtab;
  skep_status st;
  do {
    st = skep_life_open(&r->life, s, err);
    if (st == SKEP_OK) st = query_start(r, statement->query, err);
  } while (skep_life_again(&r->life, &st, err));
  if (st == SKEP_OK) {
    r->base.runs = true;
    *out = &r->base;
    return SKEP_OK;
  }
  st = skep_life_fail(&r->life, st);
  skep_release(s->ctx, r);
  return st;
}

/* CREATE TABLE ... AS SELECT: the rows are written under the transaction that makes the table; the table appears with
 * its commit, or not at all. */
#include "sql/ddl.h"
#include "sql/insert.h"
#include "sql/transaction.h"

/* The query's columns as the table's. Source: hiveql.md 3.2, 10305. */
static skep_status query_columns(skep_life *life, const skep_bound_query *bound, const skep_type **out, skep_err *err) {
  char quoted[200];
  const skep_type like = {.kind = SKEP_STRUCT};
  for (uint32_t i = 0; i < bound->n_outputs; i++) {
    if (strcmp(bound->type_names[i], "void") != 0) continue;
    return skep_fail(err, SKEP_ERR_SEMANTIC,
                     "SemanticException [Error 10305]: CREATE-TABLE-AS-SELECT creates a VOID type, please use CAST to "
                     "specify the type, near field:  %s",
                     skep_quote(quoted, sizeof quoted, bound->names[i], strlen(bound->names[i])));
  }
  return skep_type_make(&life->s->arena, &like, bound->type->children, bound->names, bound->n_outputs, out, err);
}

static skep_status new_life_table(skep_life *life, skep_catalog_table *t, skep_life_table **out, skep_err *err) {
  skep_life_table *table = skep_arena_zero(&life->s->arena, 1, sizeof *table);
  if (table == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a table");
  table->t = t;
  SKEP_TRY(skep_catalog_path(t->location, &table->path, err));
  *out = table;
  return skep_life_add(life, table, err);
}

static skep_status run(skep_life *life, const skep_statement *statement, skep_err *err) {
  skep_session *s = life->s;
  const skep_create_table *create = statement->create_table;
  skep_bound_query *raw;
  skep_catalog_table *t;
  const skep_type *columns;
  skep_insert_job job = {0};
  SKEP_TRY(skep_bind_query(&life->binder, create->as, &raw, err));
  SKEP_TRY(query_columns(life, raw, &columns, err));
  SKEP_TRY(skep_ddl_new_table(s, statement, columns, &t, err));
  if (t == NULL) return SKEP_END; /* it is there, and may be */
  skep_life_table *table;
  SKEP_TRY(new_life_table(life, t, &table, err));
  SKEP_TRY(skep_target_init(&job.target, life, table, &create->table, NULL, err));
  const skep_name_list names = {.items = raw->names, .n = raw->n_outputs};
  bool moved = skep_table_is_partitioned(t); /* partition columns go to the end */
  SKEP_TRY(skep_insert_bind(&job, life, create->as, moved ? &names : NULL, err));
  SKEP_TRY(skep_life_write(life, table, 'i', err));
  SKEP_TRY(skep_life_reads(life, job.bound, err));
  SKEP_TRY(skep_life_lock_database(life, t->db, SKEP_LOCK_USE_DDL_SHARED, err));
  SKEP_TRY(skep_life_lock(life, table, SKEP_LOCK_USE_CTAS, NULL, 0, err));
  SKEP_TRY(skep_life_enter(life, err));
  s->txn.created = t;
  life->as_hive = true;
  SKEP_TRY(skep_life_sources(life, job.bound, &job.ids, err));
  return skep_insert_write(&job, life, err);
}

skep_status skep_ctas_run(skep_session *s, const skep_statement *statement, skep_result **out, skep_err *err) {
  skep_life life = {0};
  (void)out;
  skep_status st;
  do {
    st = skep_life_open(&life, s, err);
    if (st == SKEP_OK) st = run(&life, statement, err);
  } while (skep_life_again(&life, &st, err));
  if (st == SKEP_END) return skep_life_fail(&life, SKEP_OK); /* nothing was begun that could commit */
  return st == SKEP_OK ? skep_life_commit(&life, err) : skep_life_fail(&life, st);
}

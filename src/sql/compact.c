/* ALTER TABLE ... COMPACT and ABORT COMPACTIONS: requests to the queue, and with AND WAIT the work itself where no
 * worker is alive. See compact/README.md for what the steps do.
 *
 * Source: Hive 4.0 AlterTableCompactAnalyzer, AlterTableCompactOperation, AbortCompactionsOperation; golden 08, 23. */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "compact/initiator.h"
#include "hiveql/print_ast.h"
#include "sql/analyze.h"
#include "sql/compact.h"
#include "sql/rollback.h"
#include "sql/show_int.h"
#include "sql/transaction.h"
#include "txn/string_map.h"

enum { WAIT_MS = 300000, NAP_MS = 200, MAX_PAUSE_MS = 10000, PATIENCE_MS = 10000, MAX_ARENA = 1 << 30 };

/* ---- the session as an environment ---- */

static void say(void *self, const char *line) { skep_session_note(self, "%s", line); }

static void progress(void *self, const skep_compaction *job, const skep_compact_progress *p) {
  skep_compact_session *c = self;
  (void)job;
  if (__atomic_load_n(&c->s->cancelled, __ATOMIC_SEQ_CST) != 0) skep_cancel_ask(&c->cancel);
  int permille = p->bytes_all > 0 ? (int)(1000.0 * (double)p->bytes_done / (double)p->bytes_all) : -1;
  __atomic_store_n(&c->s->job_permille, permille, __ATOMIC_SEQ_CST);
}

static skep_status gather(void *self, const char *database, const char *table, const char *partition, skep_err *err) {
  skep_compact_session *c = self;
  return skep_analyze_again(c->s, database, table, partition, err);
}

void skep_compact_session_init(skep_compact_session *c, skep_session *s, bool chatty) {
  *c = (skep_compact_session){.s = s};
  snprintf(c->worker_id, sizeof c->worker_id, "%.40s-%ld.%016" PRIx64 "%s", s->host, (long)getpid(), s->number,
           s->process);
  snprintf(c->initiator_id, sizeof c->initiator_id, "%.100s-manual", s->host);
  c->env = (skep_compact_env){.ctx = s->ctx,
                              .fs = s->fs,
                              .db = s->db,
                              .catalog = s->catalog,
                              .config = s->config,
                              .conf = skep_transaction_conf(s),
                              .worker_id = c->worker_id,
                              .version = SKEP_COMPACT_VERSION,
                              .cancel = &c->cancel,
                              .say = chatty ? say : NULL,
                              .say_self = s,
                              .progress = progress,
                              .progress_self = c,
                              .gather = gather,
                              .gather_self = c};
}

/* ---- what is asked for ---- */

typedef struct compaction {
  skep_session *s;
  const skep_alter_table *ast;
  const skep_compact *how; /* what COMPACT says, or CONCATENATE means */
  skep_compact_session session;
  const skep_catalog_table *t;
  char type;
  bool incremental;
  const char *properties, *order_by;
  const char **partitions; /* n of them; NULL: the table */
  size_t n;
  int64_t *ids; /* of the requests that were accepted */
  size_t n_ids;
} compaction;

static skep_status type_of(compaction *c, skep_err *err) {
  const char *type = c->how->type;
  c->type = 0;
  if (ddl_same_word(type, "minor")) c->type = SKEP_COMPACTION_MINOR;
  if (ddl_same_word(type, "major")) c->type = SKEP_COMPACTION_MAJOR;
  if (ddl_same_word(type, "rebalance")) c->type = SKEP_COMPACTION_REBALANCE;
  c->incremental = ddl_same_word(type, "incremental");
  if (c->incremental) c->type = SKEP_COMPACTION_MINOR;
  if (c->type != 0) return SKEP_OK;
  return ddl_semantic_fail(err, 10282, "Invalid compaction type, supported values are 'major' and 'minor'");
}

static skep_status check_clauses(compaction *c, skep_err *err) {
  const skep_compact *a = c->how;
  bool rebalance = c->type == SKEP_COMPACTION_REBALANCE;
  if (a->where != NULL) return skep_fail(err, SKEP_ERR_UNSUPPORTED, "COMPACT ... WHERE is not supported yet");
  if (!rebalance && (a->n_buckets > 0 || a->order_by.n > 0))
    return ddl_semantic_fail(err, 0, "CLUSTERED INTO and ORDER BY belong to a rebalance compaction");
  if (a->n_buckets < 0 || a->n_buckets > 4096)
    return ddl_semantic_fail(err, 0, "CLUSTERED INTO %lld BUCKETS: 1 to 4096 are possible", (long long)a->n_buckets);
  if (rebalance && c->t->n_buckets > 0)
    return ddl_task_fail(err, 40000, "Cannot execute rebalancing compaction on bucketed tables: %s",
                         ddl_name(c->s, c->t));
  if (rebalance && c->t->kind == SKEP_TABLE_INSERT_ONLY)
    return ddl_task_fail(err, 40000, "Cannot execute rebalancing compaction on insert-only tables: %s",
                         ddl_name(c->s, c->t));
  return SKEP_OK;
}

/* Hive merges files of plain managed tables in place. */
static skep_status check_concatenate(compaction *c, skep_err *err) {
  if (skep_table_is_transactional(c->t)) return SKEP_OK;
  if (!skep_same_text(c->t->type, "MANAGED_TABLE"))
    return ddl_semantic_fail(err, 30034, "Concatenate/Merge can only be performed on managed tables");
  return skep_fail(
      err, SKEP_ERR_UNSUPPORTED,
      "CONCATENATE of %s, which is not transactional, is not supported (INSERT OVERWRITE it with its rows)",
      ddl_name(c->s, c->t));
}

static skep_status keep(skep_session *s, skep_buf *text, const char **out, skep_err *err) {
  skep_status st = skep_buf_check(text, "a compaction request", err);
  if (st == SKEP_OK) {
    *out = skep_buf_copy(text, &s->arena);
    if (*out == NULL) st = ddl_nomem(err);
  }
  skep_buf_fini(text);
  return st;
}

static skep_status properties_of(compaction *c, skep_err *err) {
  const skep_ast_property_list *list = &c->how->properties;
  size_t n = list->n + (c->incremental ? 1 : 0);
  if (n == 0) return SKEP_OK;
  skep_buf text;
  skep_buf_init(&text, c->s->ctx, SKEP_STRING_MAP_MAX_BYTES);
  skep_string_map_begin(&text, n);
  for (uint32_t i = 0; i < list->n; i++) {
    const char *key = list->items[i].key, *value = list->items[i].value;
    if (value == NULL) value = "";
    skep_string_map_add(&text, skep_bytes_of(key, strlen(key)), skep_bytes_of(value, strlen(value)));
  }
  if (c->incremental)
    skep_string_map_add(&text, skep_bytes_of(SKEP_COMPACTION_INCREMENTAL, strlen(SKEP_COMPACTION_INCREMENTAL)),
                        skep_bytes_of("true", 4));
  return keep(c->s, &text, &c->properties, err);
}

/* Columns alone: the worker sorts rows, it does not compute. */
static skep_status order_of(compaction *c, skep_err *err) {
  const skep_order_list *list = &c->how->order_by;
  if (list->n == 0) return SKEP_OK;
  skep_buf text;
  skep_buf_init(&text, c->s->ctx, 4000);
  skep_buf_text(&text, "ORDER BY ");
  for (uint32_t i = 0; i < list->n; i++) {
    const skep_order_item *o = &list->items[i];
    bool plain = o->expr->kind == SKEP_EXPR_NAME && o->expr->name.n >= 1 && o->expr->name.n <= 2;
    if (!plain) {
      skep_buf_fini(&text);
      return ddl_semantic_fail(err, 0, "ORDER BY of a rebalance compaction takes columns only");
    }
    skep_buf_printf(&text, "%s`%s`%s%s", i > 0 ? ", " : "", o->expr->name.items[o->expr->name.n - 1],
                    o->descending ? " DESC" : "",
                    o->nulls == SKEP_NULLS_FIRST  ? " NULLS FIRST"
                    : o->nulls == SKEP_NULLS_LAST ? " NULLS LAST"
                                                  : "");
  }
  return keep(c->s, &text, &c->order_by, err);
}

/* ---- of which table and partitions ---- */

static skep_status add_partition(compaction *c, const char *name, size_t room, skep_err *err) {
  if (c->partitions == NULL) {
    c->partitions = skep_arena_zero(&c->s->arena, room + 1, sizeof *c->partitions);
    if (c->partitions == NULL) return ddl_nomem(err);
  }
  c->partitions[c->n++] = name;
  return SKEP_OK;
}

/* Without PARTITION: those that need it. */
static skep_status needs_it(compaction *c, const skep_catalog_partition *p, bool *out, skep_err *err) {
  skep_compact_target target = {.t = (skep_catalog_table *)c->t, .p = (skep_catalog_partition *)p};
  const char *why;
  char type = 0;
  bool incremental;
  if (skep_catalog_path(p->location, &target.path, NULL) != SKEP_OK) return SKEP_OK;
  SKEP_TRY(skep_compact_assess(&c->session.env, &target, &c->s->arena, &type, &incremental, &why, err));
  *out = type != 0;
  if (!*out)
    skep_session_note(c->s, "Not enough deltas to initiate compaction for table=%s partition=%s", c->t->name, p->name);
  return SKEP_OK;
}

static skep_status partitions_of(compaction *c, skep_err *err) {
  skep_session *s = c->s;
  const skep_partition_spec *spec = &c->ast->partition;
  const skep_catalog_partition *all;
  size_t n;
  if (!skep_table_is_partitioned(c->t)) {
    if (spec->n > 0)
      return ddl_semantic_fail(err, 10241, "Invalid partition spec: %s is not partitioned", ddl_name(s, c->t));
    return add_partition(c, NULL, 1, err);
  }
  if (spec->n > 0) SKEP_TRY(ddl_spec_check(s, c->t, spec, err));
  if (spec->n > 0 && spec->n < c->t->partition_keys->n_children)
    return ddl_semantic_fail(err, 10299, "Alter table partition type compact does not allow partial partition spec");
  SKEP_TRY(skep_catalog_list_partitions(s->catalog, &s->arena, c->t, true, &all, &n, err));
  for (size_t i = 0; i < n; i++) {
    bool wanted = false;
    if (spec->n > 0) {
      SKEP_TRY(ddl_spec_matches(s, c->t, spec, &all[i], &wanted, err));
    } else {
      SKEP_TRY(needs_it(c, &all[i], &wanted, err));
    }
    if (wanted) SKEP_TRY(add_partition(c, all[i].name, n, err));
  }
  if (spec->n > 0 && c->n > 1)
    return ddl_task_fail(err, 10284, "Compaction can only be requested on one partition at a time.");
  if (spec->n > 0 && c->n == 0) return ddl_semantic_fail(err, 10006, "Partition not found %s", ddl_spec_text(s, spec));
  return SKEP_OK;
}

static skep_status find(skep_session *s, void *self, skep_err *err) {
  compaction *c = self;
  skep_catalog_table *t;
  SKEP_TRY(skep_rollback_check(s, err));
  SKEP_TRY(type_of(c, err));
  SKEP_TRY(ddl_find_table(s, &c->ast->table, false, &t, err));
  c->t = t;
  if (t->kind == SKEP_TABLE_VIEW)
    return ddl_semantic_fail(err, 10131, "To alter a view you need to use the ALTER VIEW command.");
  if (c->ast->kind == SKEP_ALTER_CONCATENATE) SKEP_TRY(check_concatenate(c, err));
  if (!skep_table_is_transactional(t))
    return ddl_task_fail(err, 10286, "Compaction is not allowed on non-ACID table %s", ddl_name(s, t));
  SKEP_TRY(check_clauses(c, err));
  SKEP_TRY(properties_of(c, err));
  SKEP_TRY(order_of(c, err));
  return partitions_of(c, err);
}

/* ---- asking ---- */

static skep_status ask(compaction *c, const char *partition, skep_err *err) {
  skep_session *s = c->s;
  const char *pool = c->how->pool;
  if (pool == NULL) pool = skep_catalog_param_get(&c->t->params, SKEP_COMPACTION_POOL);
  const skep_compaction_request request = {.database = c->t->db,
                                           .table = c->t->name,
                                           .partition = partition,
                                           .type = c->type,
                                           .properties = c->properties,
                                           .initiator_id = c->session.initiator_id,
                                           .initiator_version = SKEP_COMPACT_VERSION,
                                           .pool = pool,
                                           .order_by = c->order_by,
                                           .n_buckets = (int32_t)c->how->n_buckets};
  skep_compaction_answer answer;
  SKEP_TRY(skep_compaction_enqueue(s->db, &c->session.env.conf, &s->arena, &request, &answer, err));
  if (!answer.accepted)
    return ddl_task_fail(err, 10432, "Compaction request for %s.%sCompactionId: %lld is refused, details: %s.",
                         c->t->db, c->t->name, (long long)answer.id, answer.reason);
  c->ids[c->n_ids++] = answer.id;
  skep_session_note(s, "Compaction enqueued with id %lld", (long long)answer.id);
  return SKEP_OK;
}

/* ---- waiting ---- */

static skep_status work(compaction *c, int64_t id, skep_err *err) {
  skep_arena arena;
  skep_compact_done done;
  skep_arena_init(&arena, c->s->ctx, MAX_ARENA);
  skep_status st = skep_compact_revive_own(&c->session.env, &arena, err);
  if (st == SKEP_OK) st = skep_compact_revive(&c->session.env, &arena, NULL, err);
  if (st == SKEP_OK) st = skep_compact_work_once(&c->session.env, id, NULL, &arena, &done, err);
  __atomic_store_n(&c->s->job_permille, -1, __ATOMIC_SEQ_CST);
  skep_arena_fini(&arena);
  return st;
}

static skep_status look(compaction *c, int64_t id, skep_compaction *out, skep_err *err) {
  skep_compaction *rows;
  uint32_t n;
  SKEP_TRY(skep_compaction_list(c->s->db, id, &c->s->arena, &rows, &n, err));
  if (n == 0) return skep_fail(err, SKEP_ERR_NOT_FOUND, "No suitable compaction found");
  *out = rows[0];
  return SKEP_OK;
}

/* Every try is a transaction: a job that had to be put back (no space, a lock) is tried again less and less often. */
static skep_status wait_for(compaction *c, int64_t id, skep_err *err) {
  skep_session *s = c->s;
  int64_t next = 0, pause = NAP_MS;
  int64_t begin = s->ctx->clock_ms(s->ctx->clock_self);
  int64_t most = skep_compact_ms(&c->session.env, "hive.compactor.wait.timeout", 1, WAIT_MS);
  skep_compaction row = {0};
  for (;;) {
    int64_t waited = s->ctx->clock_ms(s->ctx->clock_self) - begin;
    bool alive = false;
    SKEP_TRY(skep_session_check(s, err));
    SKEP_TRY(look(c, id, &row, err));
    if (row.state != 'i' && row.state != 'w') break;
    if (waited > most) break;
    if (row.state == 'i') SKEP_TRY(skep_compact_worker_alive(s->db, &alive, err));
    if (row.state == 'i' && waited >= next && (!alive || waited > PATIENCE_MS)) {
      SKEP_TRY(work(c, id, err));
      next = waited + pause;
      pause = pause * 2 < MAX_PAUSE_MS ? pause * 2 : MAX_PAUSE_MS;
      SKEP_TRY(look(c, id, &row, err));
      if (row.state != 'i' && row.state != 'w') break;
    }
    s->ctx->sleep_ms(s->ctx->clock_self, NAP_MS);
  }
  bool over = row.state != 'i' && row.state != 'w';
  skep_session_note(s, "Compaction with id %lld %s status: %s%s%s", (long long)id, over ? "finished with" : "still has",
                    skep_compaction_state_name(row.state), row.error != NULL ? ": " : "",
                    row.error != NULL ? row.error : "");
  return SKEP_OK;
}

skep_status skep_compact_statement_run(skep_session *s, const skep_statement *statement, skep_result **out,
                                       skep_err *err) {
  *out = NULL;
  /* Source of CONCATENATE: Hive AlterTableConcatenateAnalyzer. */
  const skep_compact concatenate = {.type = "major",
                                    .wait = !skep_session_bool(s, "hive.transactional.concatenate.noblock", false)};
  compaction c = {.s = s, .ast = statement->alter_table};
  c.how = c.ast->kind == SKEP_ALTER_CONCATENATE ? &concatenate : c.ast->compact;
  skep_compact_session_init(&c.session, s, false);
  SKEP_TRY(ddl_in_transaction(s, SKEP_DB_READ, find, &c, err));
  c.ids = skep_arena_zero(&s->arena, c.n + 1, sizeof *c.ids);
  if (c.ids == NULL) return ddl_nomem(err);
  for (size_t i = 0; i < c.n; i++) SKEP_TRY(ask(&c, c.partitions[i], err));
  for (size_t i = 0; c.how->wait && i < c.n_ids; i++) SKEP_TRY(wait_for(&c, c.ids[i], err));
  return SKEP_OK;
}

/* ---- ABORT COMPACTIONS ---- */

skep_status skep_abort_compactions_run(skep_session *s, const skep_statement *statement, skep_result **out,
                                       skep_err *err) {
  static const char *const names[] = {"compactionid", "status", "message"};
  static const char *const header[] = {"CompactionId", "Status", "Message"};
  *out = NULL;
  SKEP_TRY(show_new(s, out, err, 3, names));
  skep_status st = skep_result_texts_row(*out, header, err);
  for (uint32_t i = 0; st == SKEP_OK && i < statement->ids.n; i++) {
    bool done = false;
    const char *text = NULL;
    st = skep_compaction_abort_request(s->db, statement->ids.items[i], s->user, &s->arena, &done, &text, err);
    const char *cells[] = {ddl_number(s, statement->ids.items[i]), done ? "Success" : "Error", text};
    if (st == SKEP_OK) st = skep_result_texts_row(*out, cells, err);
  }
  if (st != SKEP_OK) {
    skep_result_free(*out);
    *out = NULL;
  }
  return st;
}

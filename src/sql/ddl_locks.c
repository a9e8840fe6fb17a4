/* The locks of definitions (DDL). One that can be made at once leaves no rows in HIVE_LOCKS: its single database
 * transaction keeps everybody else from being granted anything. One that has to wait stands in the queue with a
 * transaction of its own, as in Hive, and is made in the database transaction that takes its locks. */
#include "sql/ddl_int.h"
#include "sql/heartbeat.h"
#include "sql/legacy_locks.h"
#include "sql/life_int.h"
#include "sql/transaction.h"
#include "sql/wait.h"

/* ---- what is locked ---- */

enum { MAX_ENTITIES = 3 };

typedef struct entities {
  skep_session *s;
  skep_locks_conf conf;
  skep_lock_entity items[MAX_ENTITIES];
  uint32_t n;
} entities;

static void add_database(entities *e, const char *name, skep_locks_ddl ddl) {
  e->items[e->n++] = (skep_lock_entity){
      .database = name, .object = SKEP_LOCK_OBJECT_DATABASE, .use = skep_locks_of_ddl(&e->conf, ddl, false)};
}

static void add_table(entities *e, const skep_catalog_table *t, skep_locks_ddl ddl, const char *const *partitions,
                      uint32_t n) {
  e->items[e->n++] = (skep_lock_entity){.database = t->db,
                                        .table = t->name,
                                        .object = skep_life_object(t),
                                        .use = skep_locks_of_ddl(&e->conf, ddl, skep_table_is_transactional(t)),
                                        .partitions = partitions,
                                        .n_partitions = n};
}

/* *out NULL: there is none. The statement will say so. */
static skep_status find(entities *e, const skep_table_name *name, skep_catalog_table **out, skep_err *err) {
  skep_session *s = e->s;
  *out = NULL;
  skep_status st = skep_catalog_get_table(s->catalog, &s->arena, ddl_db_of(s, name), name->name, out, err);
  return st == SKEP_ERR_NOT_FOUND ? SKEP_OK : st;
}

static skep_locks_ddl of_alter(const skep_alter_table *a) {
  switch (a->kind) {
    case SKEP_ALTER_TOUCH:
    case SKEP_ALTER_COMPACT:
    case SKEP_ALTER_CONCATENATE: /* which is a compaction */
      return SKEP_LOCKS_DDL_NONE;
    case SKEP_ALTER_ADD_PARTITIONS:
      return a->if_flag ? SKEP_LOCKS_DDL_ADD_PARTITION_IF : SKEP_LOCKS_DDL_ADD_PARTITION;
    case SKEP_ALTER_DROP_PARTITIONS:
      return SKEP_LOCKS_DDL_DROP_PARTITION;
    case SKEP_ALTER_RENAME_PARTITION:
      return SKEP_LOCKS_DDL_RENAME_PARTITION;
    case SKEP_ALTER_CONVERT:
      return SKEP_LOCKS_DDL_CONVERT;
    case SKEP_ALTER_SET_PROPERTIES:
      for (uint32_t i = 0; i < a->properties.n; i++)
        if (ddl_same_word(a->properties.items[i].key, "transactional")) return SKEP_LOCKS_DDL_CONVERT;
      return SKEP_LOCKS_DDL_PROPERTIES;
    case SKEP_ALTER_SET_SERDE_PROPERTIES:
    case SKEP_ALTER_UPDATE_STATISTICS:
      return SKEP_LOCKS_DDL_PROPERTIES;
    case SKEP_ALTER_DROP_CONSTRAINT:
      return SKEP_LOCKS_DDL_DROP_CONSTRAINT;
    case SKEP_ALTER_RENAME:
    case SKEP_ALTER_ADD_COLUMNS:
    case SKEP_ALTER_REPLACE_COLUMNS:
    case SKEP_ALTER_CHANGE_COLUMN:
    case SKEP_ALTER_UPDATE_COLUMNS:
    case SKEP_ALTER_UNSET_PROPERTIES:
    case SKEP_ALTER_SET_FILE_FORMAT:
    case SKEP_ALTER_SET_SERDE:
    case SKEP_ALTER_UNSET_SERDE_PROPERTIES:
    case SKEP_ALTER_NOT_CLUSTERED:
    case SKEP_ALTER_NOT_SORTED:
    case SKEP_ALTER_CLUSTERED_BY:
    case SKEP_ALTER_ADD_CONSTRAINT:
    case SKEP_ALTER_SET_OWNER:
      return SKEP_LOCKS_DDL_DEFINITION;
    default:
      return SKEP_LOCKS_DDL_PLACE;
  }
}

/* A conversion that is none: the table is transactional already. */
static skep_locks_ddl of_table(skep_locks_ddl ddl, const skep_catalog_table *t) {
  return ddl == SKEP_LOCKS_DDL_CONVERT && skep_table_is_transactional(t) ? SKEP_LOCKS_DDL_PROPERTIES : ddl;
}

/* Names of the partitions that any of the specs means. A spec that means nothing at all is the statement's to refuse.
 */
static skep_status matching(entities *e, const skep_catalog_table *t, const skep_partition_spec *const *specs,
                            uint32_t n_specs, const char ***out, uint32_t *n_out, skep_err *err) {
  skep_session *s = e->s;
  const skep_catalog_partition *list;
  size_t n;
  *n_out = 0;
  SKEP_TRY(skep_catalog_list_partitions(s->catalog, &s->arena, t, false, &list, &n, err));
  const char **names = skep_arena_zero(&s->arena, n + 1, sizeof *names);
  if (names == NULL || n > UINT32_MAX) return ddl_nomem(err);
  for (size_t i = 0; i < n; i++) {
    bool any = false;
    for (uint32_t k = 0; k < n_specs && !any; k++)
      if (ddl_spec_matches(s, t, specs[k], &list[i], &any, NULL) != SKEP_OK) any = false;
    if (any) names[(*n_out)++] = list[i].name;
  }
  *out = names;
  return SKEP_OK;
}

static skep_status alter_entities(entities *e, const skep_alter_table *a, skep_err *err) {
  skep_catalog_table *t;
  SKEP_TRY(find(e, &a->table, &t, err));
  if (t == NULL) return SKEP_OK;
  skep_locks_ddl ddl = of_table(of_alter(a), t);
  bool adds = a->kind == SKEP_ALTER_ADD_PARTITIONS;
  uint32_t n_specs = 0, n = 0;
  const char **names = NULL;
  const skep_partition_spec **specs = skep_arena_zero(&e->s->arena, a->n_partitions + 1, sizeof *specs);
  if (specs == NULL) return ddl_nomem(err);
  if (a->partition.n != 0) specs[n_specs++] = &a->partition;
  for (uint32_t i = 0; i < a->n_partitions && !adds && a->kind != SKEP_ALTER_RENAME_PARTITION; i++)
    specs[n_specs++] = &a->partitions[i].spec;
  if (n_specs != 0 && skep_table_is_partitioned(t)) SKEP_TRY(matching(e, t, specs, n_specs, &names, &n, err));
  if (n_specs != 0 && n == 0) return SKEP_OK; /* nothing is there that could be locked */
  add_table(e, t, ddl, names, n);
  return SKEP_OK;
}

static skep_status drop_entities(entities *e, const skep_drop *drop, skep_err *err) {
  skep_catalog_table *t;
  SKEP_TRY(find(e, &drop->table, &t, err));
  if (t == NULL) return SKEP_OK;
  add_database(e, t->db, SKEP_LOCKS_DDL_CREATE_TABLE);
  add_table(e, t, SKEP_LOCKS_DDL_DROP_TABLE, NULL, 0);
  return SKEP_OK;
}

static skep_status analyze_entities(entities *e, const skep_analyze *analyze, skep_err *err) {
  skep_catalog_table *t;
  SKEP_TRY(find(e, &analyze->table, &t, err));
  if (t != NULL) add_table(e, t, SKEP_LOCKS_DDL_PROPERTIES, NULL, 0);
  return SKEP_OK;
}

static skep_status statement_entities(entities *e, const skep_statement *statement, skep_err *err) {
  switch (statement->kind) {
    case SKEP_STMT_CREATE_TABLE:
      add_database(e, ddl_db_of(e->s, &statement->create_table->table), SKEP_LOCKS_DDL_CREATE_TABLE);
      return SKEP_OK;
    case SKEP_STMT_DROP_DATABASE:
      add_database(e, statement->drop_database->name, SKEP_LOCKS_DDL_DROP_DATABASE);
      return SKEP_OK;
    case SKEP_STMT_DROP_TABLE:
    case SKEP_STMT_DROP_VIEW:
      return drop_entities(e, statement->drop, err);
    case SKEP_STMT_ALTER_TABLE:
      return alter_entities(e, statement->alter_table, err);
    case SKEP_STMT_ANALYZE:
      return analyze_entities(e, statement->analyze, err);
    default:
      return SKEP_OK; /* CREATE and ALTER DATABASE: none */
  }
}

static skep_status components_of(skep_session *s, const skep_statement *statement, skep_lock_component **out,
                                 uint32_t *n, skep_err *err) {
  entities e = {.s = s, .conf = skep_life_locks_conf(s)};
  *n = 0;
  if (!skep_life_takes_locks(s)) return SKEP_OK;
  SKEP_TRY(statement_entities(&e, statement, err));
  return skep_locks_decide(&e.conf, e.items, e.n, &s->arena, out, n, err);
}

/* ---- the queue ---- */

static bool same_components(const ddl_ticket *t, const skep_lock_component *c, uint32_t n) {
  if (t->n != n) return false;
  for (uint32_t i = 0; i < n; i++) {
    const skep_lock_component *a = &t->components[i], *b = &c[i];
    if (a->type != b->type || !skep_same_text(a->database, b->database) || !skep_same_text(a->table, b->table) ||
        !skep_same_text(a->partition, b->partition))
      return false;
  }
  return true;
}

void ddl_ticket_end(skep_session *s, ddl_ticket *t) {
  if (t->txn == 0) return;
  skep_heartbeat_watch(s, 0);
  skep_status st = skep_transaction_undo(s, t->txn, true, NULL);
  if (st != SKEP_OK && st != SKEP_ERR_NOT_FOUND) skep_transaction_leave(s, t->txn);
  *t = (ddl_ticket){0};
}

/* In the writing database transaction: stands in the queue. */
static skep_status enqueue(skep_session *s, ddl_ticket *t, skep_lock_component *components, uint32_t n, skep_err *err) {
  const skep_txn_conf conf = skep_transaction_conf(s);
  skep_txn txn;
  skep_lock_state state;
  SKEP_TRY(skep_txn_begin_open(s->db, &conf, SKEP_TXN_DEFAULT, NULL, 0, &txn, err));
  const skep_lock_owner owner = {.txn = txn.id, .is_new = true, .user = s->user, .host = s->host, .agent = s->query_id};
  t->components = components;
  t->n = n;
  SKEP_TRY(skep_lock_request(s->db, &owner, components, n, &s->arena, &t->lock_id, &state, NULL, err));
  t->txn = txn.id;
  return SKEP_OK;
}

/* In the writing database transaction: whether the locks are there. SKEP_END: what is to be locked has changed. */
static skep_status take(skep_session *s, const skep_statement *statement, ddl_ticket *t, skep_lock_state *state,
                        skep_err *err) {
  skep_lock_component *components;
  uint32_t n;
  *state = SKEP_LOCK_ACQUIRED;
  SKEP_TRY(components_of(s, statement, &components, &n, err));
  if (s->explained.wanted) return skep_life_explain(s, components, n);
  if (t->txn != 0) {
    if (!same_components(t, components, n)) return SKEP_END;
    SKEP_TRY(skep_lock_check(s->db, t->lock_id, &s->arena, state, NULL, err));
    if (*state == SKEP_LOCK_WAITING) return SKEP_OK;
    return skep_lock_pass(s->db, NULL, 0, &s->arena, state, NULL, err); /* the ids count on: a definition changes */
  }
  if (n == 0) return SKEP_OK;
  SKEP_TRY(skep_lock_pass(s->db, components, n, &s->arena, state, NULL, err));
  return *state == SKEP_LOCK_ACQUIRED ? SKEP_OK : enqueue(s, t, components, n, err);
}

/* One database transaction: the change, or a place in the queue. */
static skep_status attempt(skep_session *s, const skep_statement *statement, ddl_ticket *t, ddl_body *run, void *self,
                           skep_lock_state *state, bool *changed, skep_err *err) {
  ddl_ticket was = *t;
  SKEP_TRY(skep_db_begin(s->db, SKEP_DB_WRITE, err));
  skep_status st = take(s, statement, t, state, err);
  *changed = st == SKEP_END && !s->explained.wanted;
  if (st == SKEP_OK && *state == SKEP_LOCK_ACQUIRED) st = run(s, self, err);
  if (st == SKEP_OK && *state == SKEP_LOCK_ACQUIRED && t->txn != 0)
    st = skep_txn_commit(s->db, t->txn, NULL, 0, NULL, NULL, err);
  if (st != SKEP_OK) {
    skep_db_rollback(s->db);
    *t = was;
    return st;
  }
  st = skep_db_commit(s->db, err);
  if (st != SKEP_OK && st != SKEP_ERR_IN_DOUBT) *t = was;
  return st;
}

/* The older manager's locks: for each of the statement's database transactions. */
static skep_status take_legacy(skep_session *s, const skep_statement *statement, skep_legacy_held **held,
                               skep_err *err) {
  entities e = {.s = s, .conf = skep_life_locks_conf(s)};
  *held = NULL;
  if (!skep_legacy_is_on(s) || s->explained.wanted || s->no_locks) return SKEP_OK;
  SKEP_TRY(skep_db_begin(s->db, SKEP_DB_READ, err));
  skep_status st = statement_entities(&e, statement, err);
  skep_db_rollback(s->db);
  return st == SKEP_OK ? skep_legacy_take(s, e.items, e.n, held, err) : st;
}

static skep_status in_locks(skep_session *s, const skep_statement *statement, ddl_ticket *ticket, ddl_body *run,
                            void *self, skep_err *err) {
  enum { MAX_TRIES = 20 };
  ddl_ticket own = {0}, *t = ticket != NULL ? ticket : &own;
  skep_lock_state state = SKEP_LOCK_WAITING;
  skep_status st = SKEP_OK;
  for (int i = 0; st == SKEP_OK && state == SKEP_LOCK_WAITING; i++) {
    bool changed = false;
    if (t->txn != 0) {
      const skep_wait wait = {.ext_id = t->lock_id, .txn = t->txn, .components = t->components, .n = t->n};
      skep_heartbeat_watch(s, t->txn);
      st = skep_wait_for_locks(s, &wait, err);
    }
    if (st == SKEP_OK) st = attempt(s, statement, t, run, self, &state, &changed, err);
    if (changed && i < MAX_TRIES) {
      ddl_ticket_end(s, t);
      st = SKEP_OK;
      state = SKEP_LOCK_WAITING;
    } else if (changed) {
      st = skep_fail(err, SKEP_ERR_BUSY, "what the statement locks was changed again and again");
    }
  }
  if (st == SKEP_OK && t->txn != 0) { /* committed with the change */
    skep_heartbeat_watch(s, 0);
    *t = (ddl_ticket){0};
  }
  if (st != SKEP_OK && (st != SKEP_END || ticket == NULL)) ddl_ticket_end(s, t);
  return st;
}

skep_status ddl_in_locks(skep_session *s, const skep_statement *statement, ddl_ticket *ticket, ddl_body *run,
                         void *self, skep_err *err) {
  skep_legacy_held *held;
  skep_status st = take_legacy(s, statement, &held, err);
  if (st == SKEP_OK) st = in_locks(s, statement, ticket, run, self, err);
  skep_legacy_give_back(s, &held);
  return st;
}

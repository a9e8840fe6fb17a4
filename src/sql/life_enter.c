/* Entering: from names looked up in a reading database transaction to locks, a transaction and its snapshot.
 *
 * Order inside the writing database transaction: the transaction's row, the lock request, then the snapshot: it is not
 * older than the grant, and nobody can commit a change of what is locked after it. Where the request has to wait, its
 * rows and the transaction are committed; the locks are taken in a later database transaction, and with them a new
 * transaction whose snapshot has what was waited for (the old one ends without having done anything). Only an explicit
 * transaction keeps its snapshot; then what it writes must not have changed since. */
#include "db/faults.h"
#include "sql/conflict.h"
#include "sql/heartbeat.h"
#include "sql/legacy_locks.h"
#include "sql/life_int.h"
#include "sql/transaction.h"
#include "sql/wait.h"
#include "txn/progress.h"

enum { WRITING_TRIES_FROM = 6 };

/* TXN_LOCK_TBL before NEXT_LOCK_ID, whoever comes (txn/README.md): a request that had the latter and then waited for a
 * committer would wait for ever, since he waits for those who begin. */
static skep_status begin_write(skep_session *s, skep_err *err) {
  skep_db_mode mode;
  SKEP_TRY(skep_txn_begin_mode(s->db, &mode, err));
  SKEP_TRY(skep_db_begin(s->db, mode, err));
  skep_status st = skep_db_lock_txns(s->db, false, err);
  if (st != SKEP_OK) skep_db_rollback(s->db);
  return st;
}

skep_status skep_life_begin_lookup(skep_life *life, skep_err *err) {
  skep_session *s = life->s;
  int64_t most = skep_session_int(s, "hive.txn.retrysnapshot.max.count", WRITING_TRIES_FROM - 1);
  if (most < 0 || most > WRITING_TRIES_FROM) most = WRITING_TRIES_FROM;
  if (life->tries > (uint32_t)most) return begin_write(s, err);
  return skep_db_begin(s->db, SKEP_DB_READ, err);
}

/* ---- what was looked up ---- */

static bool is_statistic(const char *key) {
  static const char *const keys[] = {"numRows",
                                     "rawDataSize",
                                     "numFiles",
                                     "numFilesErasureCoded",
                                     "totalSize",
                                     "COLUMN_STATS_ACCURATE",
                                     "transient_lastDdlTime",
                                     NULL};
  for (size_t i = 0; keys[i] != NULL; i++)
    if (strcmp(key, keys[i]) == 0) return true;
  return false;
}

/* Properties without statistics, which every commit changes. */
static bool same_params(const skep_catalog_params *a, const skep_catalog_params *b) {
  size_t i = 0, k = 0;
  for (;;) {
    while (i < a->n && is_statistic(a->items[i].key)) i++;
    while (k < b->n && is_statistic(b->items[k].key)) k++;
    if (i == a->n || k == b->n) return i == a->n && k == b->n;
    if (!skep_same_text(a->items[i].key, b->items[k].key) || !skep_same_text(a->items[i].value, b->items[k].value))
      return false;
    i++;
    k++;
  }
}

static bool same_constraints(const skep_catalog_table *a, const skep_catalog_table *b) {
  if (a->n_constraints != b->n_constraints) return false;
  for (uint32_t i = 0; i < a->n_constraints; i++) {
    const skep_catalog_constraint *x = &a->constraints[i], *y = &b->constraints[i];
    if (x->kind != y->kind || x->enable != y->enable || !skep_same_text(x->name, y->name) ||
        !skep_same_text(x->text, y->text))
      return false;
  }
  return true;
}

static bool same_definition(const skep_catalog_table *a, const skep_catalog_table *b) {
  return a->id == b->id && a->kind == b->kind && skep_same_text(a->location, b->location) &&
         skep_same_text(a->input_format, b->input_format) && a->n_buckets == b->n_buckets &&
         a->bucketing_version == b->bucketing_version && a->n_bucket_columns == b->n_bucket_columns &&
         skep_type_equal(a->columns, b->columns) && skep_type_equal(a->partition_keys, b->partition_keys) &&
         same_params(&a->params, &b->params) && same_constraints(a, b);
}

static bool same_view(const skep_catalog_table *a, const skep_catalog_table *b) {
  return a->id == b->id && skep_same_text(a->type, b->type) && skep_same_text(a->view_text, b->view_text) &&
         skep_same_text(a->view_expanded_text, b->view_expanded_text) && skep_type_equal(a->columns, b->columns);
}

/* SKEP_END: some view is not what it was. */
static skep_status check_views(skep_life *life, skep_err *err) {
  skep_session *s = life->s;
  for (size_t i = 0; i < life->n_views; i++) {
    skep_catalog_table *now;
    skep_status st = skep_catalog_get_table(s->catalog, &s->arena, life->views[i]->db, life->views[i]->name, &now, err);
    if (st == SKEP_ERR_NOT_FOUND) return SKEP_END;
    if (st != SKEP_OK) return st;
    if (!same_view(life->views[i], now)) return SKEP_END;
  }
  return SKEP_OK;
}

/* SKEP_END: some table is not what it was. */
static skep_status check_definitions(skep_life *life, skep_err *err) {
  skep_session *s = life->s;
  for (size_t i = 0; i < life->n_tables; i++) {
    const skep_catalog_table *t = life->tables[i]->t;
    skep_catalog_table *now;
    if (t->id == 0) continue;
    skep_status st = skep_catalog_get_table(s->catalog, &s->arena, t->db, t->name, &now, err);
    if (st == SKEP_ERR_NOT_FOUND) return SKEP_END;
    if (st != SKEP_OK) return st;
    if (!same_definition(t, now)) return SKEP_END;
  }
  return check_views(life, err);
}

/* After the snapshot: it must not see a write whose partition is not listed. */
static skep_status check_partitions(skep_life *life, skep_err *err) {
  for (size_t i = 0; i < life->n_tables; i++) {
    const skep_life_table *t = life->tables[i];
    int64_t n, max_id;
    if (!t->is_listed) continue;
    SKEP_TRY(skep_catalog_partition_stamp(life->s->catalog, t->t, &n, &max_id, err));
    if (n != t->n_stamp || max_id != t->max_stamp) return SKEP_END;
  }
  return SKEP_OK;
}

/* ---- the transaction ---- */

/* Tables of the statement as txn/txn.h wants them: transactional ones only. */
static skep_status txn_tables(skep_life *life, skep_txn_table **out, uint32_t *n, skep_err *err) {
  skep_txn_table *tables = skep_arena_zero(&life->s->arena, life->n_tables + 1, sizeof *tables);
  if (tables == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a statement");
  *n = 0;
  for (size_t i = 0; i < life->n_tables; i++) {
    const skep_life_table *t = life->tables[i];
    if (!skep_table_is_transactional(t->t) || (!t->is_read && t->write == 0)) continue;
    tables[(*n)++] =
        (skep_txn_table){.database = t->t->db, .table = t->t->name, .write = t->write, .no_list = !t->is_read};
  }
  *out = tables;
  return SKEP_OK;
}

static void take_lists(skep_life *life, const skep_txn_table *tables) {
  for (size_t i = 0, k = 0; i < life->n_tables; i++) {
    skep_life_table *t = life->tables[i];
    if (!skep_table_is_transactional(t->t) || (!t->is_read && t->write == 0)) continue;
    t->write_id = tables[k].write_id;
    t->valid_write_ids = tables[k].valid_write_ids;
    k++;
  }
}

static skep_txn_type type_of(const skep_life *life) {
  if (!skep_session_bool(life->s, "hive.txn.readonly.enabled", false)) return SKEP_TXN_DEFAULT;
  for (size_t i = 0; i < life->n_tables; i++)
    if (life->tables[i]->write != 0) return SKEP_TXN_DEFAULT;
  return SKEP_TXN_READ_ONLY;
}

/* What an explicit transaction is going to write and knows already: a change of it since the snapshot is a conflict
 * that its commit would meet. Of a partitioned table only the commit knows. */
static skep_status check_snapshot(skep_life *life, skep_err *err) {
  skep_session *s = life->s;
  uint32_t n = 0;
  if (skep_conflict_by_rows(s)) return SKEP_OK; /* which rows, the commit knows */
  skep_txn_component *all = skep_arena_zero(&s->arena, life->n_tables + 1, sizeof *all);
  if (all == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a statement");
  for (size_t i = 0; i < life->n_tables; i++) {
    const skep_life_table *t = life->tables[i];
    if (t->write_id == 0 || t->write == 'i' || t->write == 0 || skep_table_is_partitioned(t->t)) continue;
    all[n++] = (skep_txn_component){.database = t->t->db, .table = t->t->name, .op = t->write, .write_id = t->write_id};
  }
  skep_status st = skep_txn_would_conflict(s->db, s->txn.txn.id, all, n, err);
  return st == SKEP_ERR_CONFLICT ? skep_wrap(err, st, "LockException [Error 10263]") : st;
}

/* ---- entering ---- */

typedef struct entering {
  skep_life *life;
  skep_lock_component *components;
  uint32_t n;
  int64_t seen_lock_id; /* skep_lock_next_id when names were looked up, and after our own request */
  skep_txn txn;         /* the one that was opened here, not committed yet */
  skep_txn_table *tables;
  uint32_t n_tables;
  skep_lock_state state;
  bool is_queued; /* the request is in the database */
} entering;

static skep_status open_txn(entering *e, skep_err *err) {
  const skep_txn_conf conf = skep_transaction_conf(e->life->s);
  SKEP_TRY(txn_tables(e->life, &e->tables, &e->n_tables, err));
  return skep_txn_begin_open(e->life->s->db, &conf, type_of(e->life), e->tables, e->n_tables, &e->txn, err);
}

static skep_status start_txn(entering *e, skep_err *err) {
  skep_session *s = e->life->s;
  const skep_txn_conf conf = skep_transaction_conf(s);
  SKEP_TRY(skep_txn_begin_tables(s->db, &conf, &s->txn_arena, &e->txn, e->tables, e->n_tables, err));
  SKEP_TRY(check_partitions(e->life, err));
  take_lists(e->life, e->tables);
  return SKEP_OK;
}

static skep_status join_txn(entering *e, skep_err *err) {
  skep_session *s = e->life->s;
  SKEP_TRY(txn_tables(e->life, &e->tables, &e->n_tables, err));
  SKEP_TRY(skep_txn_use_tables(s->db, &s->arena, &s->txn.txn, e->tables, e->n_tables, err));
  SKEP_TRY(check_partitions(e->life, err)); /* one that was dropped before this touch is nobody's any more */
  take_lists(e->life, e->tables);
  return check_snapshot(e->life, err);
}

/* A definition can have changed only when somebody has asked for locks, or has changed one, since: both count the ids
 * on. Where other programs share the database, one that had its locks before may have changed it now. */
static bool ids_tell(const entering *e) { return skep_db_dialect(e->life->s->db)->ids_in_order; }

/* 0 where it tells nothing: not asked for, it is a round trip there. */
static skep_status next_lock_id(const entering *e, int64_t *out, skep_err *err) {
  *out = 0;
  return ids_tell(e) ? skep_lock_next_id(e->life->s->db, out, err) : SKEP_OK;
}

static skep_status check_lock_id(entering *e, int64_t next_id, skep_err *err) {
  if (next_id == e->seen_lock_id && ids_tell(e)) return SKEP_OK;
  e->seen_lock_id = next_id;
  return check_definitions(e->life, err);
}

static skep_status request(entering *e, int64_t txn, bool is_new, skep_err *err) {
  skep_session *s = e->life->s;
  const skep_lock_owner owner = {.txn = txn, .is_new = is_new, .user = s->user, .host = s->host, .agent = s->query_id};
  int64_t id;
  e->state = SKEP_LOCK_ACQUIRED;
  if (e->n == 0) {
    SKEP_TRY(next_lock_id(e, &id, err));
    return check_lock_id(e, id, err);
  }
  skep_lock_blocker blocker;
  SKEP_TRY(skep_lock_request(s->db, &owner, e->components, e->n, &s->arena, &id, &e->state, &blocker, err));
  SKEP_TRY(check_lock_id(e, id, err));
  if (e->state == SKEP_LOCK_WAITING && blocker.wanted == SKEP_LOCK_SHARED_READ &&
      skep_session_bool(s, "skep.lock.zerowait.read", false))
    return skep_wait_refuse(&blocker, err);
  e->life->lock_id = id;
  e->seen_lock_id = id + 1;
  return SKEP_OK;
}

/* In the writing database transaction. */
static skep_status enter_first(entering *e, skep_err *err) {
  bool is_explicit = e->life->s->txn.txn.id != 0;
  const skep_session *s = e->life->s;
  if (!is_explicit) SKEP_TRY(open_txn(e, err));
  if (is_explicit) SKEP_TRY(skep_txn_set_query(s->db, s->txn.txn.id, s->query_id, err)); /* it may have to wait */
  SKEP_TRY(request(e, is_explicit ? e->life->s->txn.txn.id : e->txn.id, !is_explicit, err));
  /* a broken rule of tests/history: the snapshot of before the wait */
  bool early = e->state == SKEP_LOCK_WAITING && !is_explicit && skep_db_goes_wrong(e->life->s->db, SKEP_DB_WRONG_KEPT);
  if (e->state == SKEP_LOCK_WAITING && !early) return SKEP_OK;
  return is_explicit ? join_txn(e, err) : start_txn(e, err);
}

/* The locks can be had: in the writing database transaction. The statement's own transaction gets a successor, which
 * takes the locks over. */
static skep_status enter_again(entering *e, skep_err *err) {
  skep_session *s = e->life->s;
  int64_t next_id, old = s->txn.txn.id;
  SKEP_TRY(skep_lock_check(s->db, e->life->lock_id, &s->arena, &e->state, NULL, err));
  if (e->state == SKEP_LOCK_WAITING) return SKEP_OK;
  SKEP_TRY(next_lock_id(e, &next_id, err));
  SKEP_TRY(check_lock_id(e, next_id, err));
  if (!e->life->owns_txn) return join_txn(e, err);
  if (skep_db_goes_wrong(s->db, SKEP_DB_WRONG_KEPT)) return SKEP_OK;
  SKEP_TRY(open_txn(e, err));
  SKEP_TRY(skep_lock_move(s->db, e->life->lock_id, old, e->txn.id, err));
  SKEP_TRY(skep_txn_commit(s->db, old, NULL, 0, NULL, NULL, err));
  return start_txn(e, err);
}

/* Ends the database transaction of one of the two. What was looked up has changed: SKEP_END. */
static skep_status settle(entering *e, skep_status st, skep_err *err) {
  skep_life *life = e->life;
  skep_session *s = life->s;
  if (st != SKEP_OK) {
    skep_db_rollback(s->db);
    if (!e->is_queued) life->lock_id = 0; /* it never was */
    life->again = st == SKEP_END;
    return st;
  }
  bool was_queued = e->is_queued;
  e->is_queued = life->lock_id != 0;
  st = skep_db_commit(s->db, err);
  if (st == SKEP_ERR_BUSY) { /* its number would have come too late (txn-protocol 2.1, step 9): nothing was begun */
    if (!was_queued) life->lock_id = 0;
    e->is_queued = was_queued;
    life->again = true;
    return st;
  }
  if (st == SKEP_ERR_IN_DOUBT) { /* what was begun, if it was, is of no use */
    if (e->txn.id != 0) skep_transaction_leave(s, e->txn.id);
    return skep_wrap(err, SKEP_ERR_IO, "the statement could not begin");
  }
  if (st == SKEP_OK && s->txn.txn.id != 0 && !life->owns_txn) skep_heartbeat_listed(s);
  if (st != SKEP_OK || e->txn.id == 0 || e->txn.id == s->txn.txn.id) return st;
  s->txn.txn = e->txn;
  life->owns_txn = true;
  skep_heartbeat_watch(s, e->txn.id);
  return SKEP_OK;
}

static skep_status allocate(const skep_life *life, skep_err *err) {
  skep_session *s = life->s;
  for (size_t i = 0; i < life->n_tables; i++) {
    const skep_life_table *t = life->tables[i];
    int64_t id;
    if (t->write == 0 || t->write_id != 0 || !skep_table_is_transactional(t->t)) continue;
    SKEP_TRY(skep_txn_allocate_write_ids(s->db, &s->txn.txn.id, 1, t->t->db, t->t->name, &id, err));
  }
  return SKEP_OK;
}

/* Hive takes write ids before it asks for locks, so a statement that gives up has used them: names of directories
 * that come later depend on it. Its transaction is going to be aborted. */
static void use_up_write_ids(const skep_life *life) {
  skep_session *s = life->s;
  skep_err why = {0};
  skep_status st = skep_db_begin(s->db, SKEP_DB_WRITE, &why);
  if (st == SKEP_OK) st = skep_db_end(s->db, false, allocate(life, &why), &why);
  if (st != SKEP_OK) skep_log(s->ctx, SKEP_LOG_WARN, "the write ids of a statement that waited: %s", why.text);
}

/* ---- in one round trip ---- */

enum { MAX_SENT_LOCKS = 64 };

static skep_status send_all(entering *e, skep_txn_sent *sent, skep_stmt **lock_id, skep_err *err) {
  skep_session *s = e->life->s;
  const skep_txn_conf conf = skep_transaction_conf(s);
  const skep_lock_owner owner = {.user = s->user, .host = s->host, .agent = s->query_id};
  SKEP_TRY(skep_lock_send_request(s->db, e->components, e->n, lock_id, err));
  SKEP_TRY(skep_txn_send_open(s->db, &conf, type_of(e->life), e->tables, e->n_tables, sent, err));
  SKEP_TRY(skep_lock_send_rows(s->db, &owner, e->components, e->n, err));
  return skep_txn_send_tables(s->db, &conf, e->tables, e->n_tables, sent, err);
}

/* The connection was lost: if the transaction is there, it is found by the statement's id. */
static void leave_unknown(skep_session *s) {
  skep_txn_row *rows;
  uint32_t n;
  if (skep_txn_list(s->db, &s->arena, &rows, &n, NULL) != SKEP_OK) return;
  for (uint32_t i = 0; i < n; i++)
    if (rows[i].state == 'o' && rows[i].agent != NULL && strcmp(rows[i].agent, s->query_id) == 0)
      skep_transaction_leave(s, rows[i].id);
}

/* It is there: what fails from now on ends it as any statement that has entered. */
static skep_status take_sent(entering *e, skep_txn_sent *sent, skep_stmt *lock_id, skep_err *err) {
  skep_life *life = e->life;
  skep_session *s = life->s;
  const skep_txn_conf conf = skep_transaction_conf(s);
  if (lock_id != NULL) SKEP_TRY(skep_stmt_next(lock_id, err));
  int64_t id = lock_id != NULL ? skep_stmt_i64(lock_id, 0) : 0;
  SKEP_TRY(skep_txn_sent_take(s->db, &conf, &s->txn_arena, sent, e->tables, e->n_tables, &e->txn, err));
  life->lock_id = id;
  life->owns_txn = true;
  s->txn.txn = e->txn;
  skep_heartbeat_watch(s, e->txn.id);
  take_lists(life, e->tables);
  return SKEP_OK;
}

/* The locks are held: what is the same now as when it was looked up stays so. */
static skep_status check_after(entering *e, skep_err *err) {
  skep_life *life = e->life;
  SKEP_TRY(skep_db_begin(life->s->db, SKEP_DB_READ, err));
  skep_status st = check_definitions(life, err);
  if (st == SKEP_OK) st = check_partitions(life, err);
  skep_db_rollback(life->s->db);
  life->again = st == SKEP_END;
  return st;
}

/* *done false: nothing was done, and the statement enters in steps. */
static skep_status enter_at_once(entering *e, bool *done, skep_err *err) {
  skep_session *s = e->life->s;
  const skep_txn_conf conf = skep_transaction_conf(s);
  skep_txn_sent sent = {0};
  skep_stmt *lock_id = NULL;
  *done = false;
  if (s->txn.txn.id != 0 || e->n > MAX_SENT_LOCKS || !skep_txn_sends(s->db)) return SKEP_OK;
  SKEP_TRY(txn_tables(e->life, &e->tables, &e->n_tables, err));
  if (e->n_tables > SKEP_TXN_MAX_SENT) return SKEP_OK;
  skep_status st = skep_lock_send_learn(s->db, err);
  if (st == SKEP_OK) st = skep_txn_send_begin(s->db, &conf, &sent, err);
  if (st == SKEP_OK) st = send_all(e, &sent, &lock_id, err);
  st = skep_db_end(s->db, false, st, err);
  *done = st == SKEP_OK || !skep_txn_takes_steps(s->db, st);
  if (st == SKEP_ERR_IN_DOUBT) {
    leave_unknown(s);
    st = skep_wrap(err, SKEP_ERR_IO, "the statement could not begin");
  }
  if (st == SKEP_OK) st = take_sent(e, &sent, lock_id, err);
  skep_stmt_done(lock_id);
  skep_txn_sent_done(&sent);
  if (!*done) return SKEP_OK;
  return st == SKEP_OK ? check_after(e, err) : st;
}

static skep_status enter_waiting(entering *e, skep_err *err) {
  skep_session *s = e->life->s;
  const skep_wait wait = {.ext_id = e->life->lock_id, .txn = s->txn.txn.id, .components = e->components, .n = e->n};
  while (e->state == SKEP_LOCK_WAITING) {
    skep_status st = skep_wait_for_locks(s, &wait, err);
    if (st == SKEP_ERR_BUSY) use_up_write_ids(e->life);
    if (st != SKEP_OK) return st;
    SKEP_TRY(begin_write(s, err));
    SKEP_TRY(settle(e, enter_again(e, err), err));
  }
  return SKEP_OK;
}

/* ---- locks of an explicit transaction ---- */

static bool covers(const skep_lock_component *held, const skep_lock_component *wanted) {
  if (held->type < wanted->type || strcmp(held->database, wanted->database) != 0) return false;
  return skep_same_text(held->table, wanted->table) && skep_same_text(held->partition, wanted->partition);
}

/* Leaves out what the transaction has already. */
static void leave_out_held(entering *e) {
  const skep_session_txn *txn = &e->life->s->txn;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < e->n; i++) {
    bool held = false;
    for (uint32_t k = 0; k < txn->n_locks && !held; k++) held = covers(&txn->locks[k], &e->components[i]);
    if (!held) e->components[kept++] = e->components[i];
  }
  e->n = kept;
}

static skep_status copy_text(skep_arena *arena, const char **text, skep_err *err) {
  if (*text == NULL) return SKEP_OK;
  *text = skep_arena_strndup(arena, *text, strlen(*text));
  return *text != NULL ? SKEP_OK : skep_fail(err, SKEP_ERR_NOMEM, "a lock");
}

static skep_status keep_held(entering *e, skep_err *err) {
  enum { MAX_KEPT = 1000 }; /* what is forgotten is asked for again */
  skep_session *s = e->life->s;
  skep_session_txn *txn = &s->txn;
  for (uint32_t i = 0; i < e->n && txn->n_locks < MAX_KEPT; i++) {
    if (txn->locks == NULL) {
      txn->locks = skep_arena_zero(&s->txn_arena, MAX_KEPT, sizeof *txn->locks);
      if (txn->locks == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a lock");
    }
    skep_lock_component c = e->components[i];
    SKEP_TRY(copy_text(&s->txn_arena, &c.database, err));
    SKEP_TRY(copy_text(&s->txn_arena, &c.table, err));
    SKEP_TRY(copy_text(&s->txn_arena, &c.partition, err));
    txn->locks[txn->n_locks++] = c;
  }
  return SKEP_OK;
}

/* ---- for reading only ---- */

/* A metastore that must not be changed knows nothing of us: no transaction, no locks; what is committed now is seen. */
static skep_status enter_reading(skep_life *life, skep_err *err) {
  skep_session *s = life->s;
  entering e = {.life = life};
  const skep_txn_conf conf = skep_transaction_conf(s);
  for (size_t i = 0; i < life->n_tables; i++) {
    skep_life_table *t = life->tables[i];
    if (t->write != 0) return skep_fail(err, SKEP_ERR_IO, "the metastore is open for reading only");
    if (t->is_read) SKEP_TRY(skep_life_list(life, t, err));
  }
  SKEP_TRY(txn_tables(life, &e.tables, &e.n_tables, err));
  SKEP_TRY(skep_txn_look(s->db, &s->arena, &conf, e.tables, e.n_tables, &e.txn, err));
  s->txn.txn.valid_txns = e.txn.valid_txns;
  s->txn.txn.txns = e.txn.txns;
  take_lists(life, e.tables);
  skep_db_rollback(s->db);
  return SKEP_OK;
}

/* ---- the door ---- */

static skep_status prepare(entering *e, skep_err *err) {
  skep_life *life = e->life;
  for (size_t i = 0; i < life->n_tables; i++) {
    skep_life_table *t = life->tables[i];
    if (t->is_read || t->write != 0) SKEP_TRY(skep_life_list(life, t, err));
  }
  SKEP_TRY(skep_life_components(life, &e->components, &e->n, err));
  if (life->s->explained.wanted) SKEP_TRY(skep_life_explain_tables(life, err));
  if (life->s->explained.wanted) return skep_life_explain(life->s, e->components, e->n);
  if (life->s->txn.is_explicit) leave_out_held(e);
  return next_lock_id(e, &e->seen_lock_id, err);
}

skep_status skep_life_enter(skep_life *life, skep_err *err) {
  skep_session *s = life->s;
  entering e = {.life = life};
  if (skep_db_is_read_only(s->db) && !s->explained.wanted) return enter_reading(life, err);
  SKEP_TRY(prepare(&e, err));
  if (life->n_tables == 0 && e.n == 0) {
    skep_db_rollback(s->db); /* nothing was written */
    return SKEP_OK;
  }
  if (skep_legacy_is_on(s)) {
    skep_db_rollback(s->db); /* it may wait */
    SKEP_TRY(skep_legacy_take(s, life->locks, life->n_locks, &life->legacy, err));
  }
  if (!skep_db_in_write(s->db)) {
    bool done;
    skep_db_rollback(s->db);
    SKEP_TRY(enter_at_once(&e, &done, err));
    if (done) return SKEP_OK;
    SKEP_TRY(begin_write(s, err));
  }
  SKEP_TRY(settle(&e, enter_first(&e, err), err));
  SKEP_TRY(enter_waiting(&e, err));
  return s->txn.is_explicit ? keep_held(&e, err) : SKEP_OK;
}

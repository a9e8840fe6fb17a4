/* Transactions of a session: see transaction.h. START TRANSACTION, COMMIT, ROLLBACK are here too.
 * Error numbers: golden 23-conflicts-errors, hiveql.md 9. */
#include "sql/transaction.h"

#include <stdlib.h>

#include "sql/conflict.h"
#include "sql/ddl.h"
#include "sql/heartbeat.h"
#include "sql/legacy_locks.h"

enum { TXN_MAX_ARENA = 1 << 30 };

skep_txn_conf skep_transaction_conf(const skep_session *s) {
  skep_txn_conf conf = {.user = s->user, .host = s->host, .agent = s->query_id[0] != 0 ? s->query_id : NULL};
  int64_t ms;
  if (skep_config_ms(s->config, "hive.txn.timeout", &ms, NULL) == SKEP_OK && ms > 0) conf.timeout_ms = ms;
  return conf;
}

/* Forgets what was open. */
static void clear(skep_session *s) {
  skep_heartbeat_watch(s, 0);
  skep_release(s->ctx, s->txn.changes);
  s->txn = (skep_session_txn){0};
  __atomic_store_n(&s->written_rows, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&s->written_bytes, 0, __ATOMIC_RELAXED);
  skep_arena_fini(&s->txn_arena);
  skep_arena_init(&s->txn_arena, s->ctx, TXN_MAX_ARENA);
}

/* ---- changes ---- */

static skep_status keep_text(skep_session *s, const char **text, skep_err *err) {
  if (*text == NULL) return SKEP_OK;
  *text = skep_arena_strndup(&s->txn_arena, *text, strlen(*text));
  return *text != NULL ? SKEP_OK : skep_fail(err, SKEP_ERR_NOMEM, "a transaction");
}

skep_status skep_transaction_change(skep_session *s, const skep_session_change *change, uint32_t n_values,
                                    skep_err *err) {
  skep_session_change copy = *change;
  const char **values = skep_arena_zero(&s->txn_arena, n_values + 1, sizeof *values);
  if (values == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a transaction");
  for (uint32_t i = 0; i < n_values; i++) {
    values[i] = change->values[i];
    SKEP_TRY(keep_text(s, &values[i], err));
  }
  copy.values = values;
  SKEP_TRY(keep_text(s, &copy.db, err));
  SKEP_TRY(keep_text(s, &copy.table, err));
  SKEP_TRY(keep_text(s, &copy.partition, err));
  SKEP_TRY(keep_text(s, &copy.location, err));
  void *grown = s->txn.changes;
  SKEP_TRY(skep_grow(s->ctx, &grown, &s->txn.changes_capacity, s->txn.n_changes + 1, sizeof copy, err));
  s->txn.changes = grown;
  s->txn.changes[s->txn.n_changes++] = copy;
  return SKEP_OK;
}

/* ---- commit ---- */

/* What one table or partition got in all, over the changes of the transaction. */
typedef struct sum {
  const skep_session_change *first;
  skep_catalog_stats stats;
  bool is_new;
  bool is_apart;        /* not all in one directory */
  int64_t partition_id; /* the first that was known; 0: new */
  bool is_another;      /* its statements saw different partitions of the name */
} sum;

static int by_place(const skep_session_change *a, const skep_session_change *b) {
  if (a->table_id != b->table_id) return a->table_id < b->table_id ? -1 : 1;
  if (a->partition == NULL || b->partition == NULL) return (a->partition != NULL) - (b->partition != NULL);
  return strcmp(a->partition, b->partition);
}

/* By place, and in the order of the statements within one: qsort is not stable, so addresses decide. */
static int by_place_and_time(const void *a, const void *b) {
  const skep_session_change *x = *(const skep_session_change *const *)a, *y = *(const skep_session_change *const *)b;
  int order = by_place(x, y);
  return order != 0 ? order : (x > y) - (x < y);
}

static void add_change(sum *to, const skep_session_change *change) {
  if (change->is_overwritten) to->stats = (skep_catalog_stats){.set_rows = true};
  to->stats.n_rows += change->n_rows;
  to->stats.is_stale = to->stats.is_stale || change->is_stale;
  to->stats.n_files += change->n_files;
  to->stats.size_bytes += change->n_bytes;
  to->is_new |= change->is_new;
  if (to->partition_id == 0) to->partition_id = change->partition_id;
  to->is_another |= change->partition_id != 0 && change->partition_id != to->partition_id;
  to->is_apart |= skep_catalog_relate(to->first->location, change->location) != SKEP_CATALOG_SAME;
}

static skep_status sum_up(skep_session *s, sum **out, size_t *n, skep_err *err) {
  const skep_session_change **sorted = skep_arena_zero(&s->txn_arena, s->txn.n_changes + 1, sizeof *sorted);
  sum *sums = skep_arena_zero(&s->txn_arena, s->txn.n_changes + 1, sizeof *sums);
  if (sorted == NULL || sums == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a transaction");
  for (size_t i = 0; i < s->txn.n_changes; i++) sorted[i] = &s->txn.changes[i];
  qsort(sorted, s->txn.n_changes, sizeof *sorted, by_place_and_time);
  *n = 0;
  for (size_t i = 0; i < s->txn.n_changes; i++) {
    if (*n == 0 || by_place(sums[*n - 1].first, sorted[i]) != 0) sums[(*n)++].first = sorted[i];
    add_change(&sums[*n - 1], sorted[i]);
  }
  *out = sums;
  return SKEP_OK;
}

/* The table as it is now; it must still be the one that was written. */
static skep_status find_same(skep_session *s, const char *db, const char *name, int64_t id, skep_catalog_table **out,
                             skep_err *err) {
  skep_status st = skep_catalog_get_table(s->catalog, &s->txn_arena, db, name, out, err);
  if (st == SKEP_OK && (*out)->id == id) return SKEP_OK;
  if (st != SKEP_OK && st != SKEP_ERR_NOT_FOUND) return st;
  return skep_fail(err, SKEP_ERR_CONFLICT, "table %s.%s was dropped or renamed by somebody else meanwhile", db, name);
}

static skep_status converted(const char *db, const char *name, skep_err *err) {
  return skep_fail(err, SKEP_ERR_CONFLICT,
                   "table %s.%s was converted to another kind of table by somebody else meanwhile", db, name);
}

skep_status skep_transaction_same_table(skep_session *s, const skep_catalog_table *t, skep_err *err) {
  skep_catalog_table *now;
  SKEP_TRY(find_same(s, t->db, t->name, t->id, &now, err));
  return now->kind == t->kind ? SKEP_OK : converted(t->db, t->name, err);
}

static skep_status same_table(skep_session *s, const skep_session_change *c, skep_catalog_table **out, skep_err *err) {
  if (c->table_id == 0) { /* just stored */
    *out = s->txn.created;
    return SKEP_OK;
  }
  SKEP_TRY(skep_catalog_lock_table(s->catalog, c->table_id, err));
  SKEP_TRY(find_same(s, c->db, c->table, c->table_id, out, err));
  return (*out)->kind == c->kind || c->write_id == 0 ? SKEP_OK : converted(c->db, c->table, err);
}

/* Where the catalog has it now must be where the files were written. */
static skep_status same_place(const sum *u, const char *location, skep_err *err) {
  const skep_session_change *c = u->first;
  const char *path;
  SKEP_TRY(skep_catalog_path(location, &path, err));
  if (!u->is_apart && skep_catalog_relate(path, c->location) == SKEP_CATALOG_SAME) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_CONFLICT, "%s%s%s.%s was given another location by somebody else meanwhile",
                   c->partition != NULL ? c->partition : "", c->partition != NULL ? " of " : "", c->db, c->table);
}

/* A directory that was free when its statement began may have got a partition since, that was dropped again: then it
 * waits to be removed, with what we wrote. A new partition lies below its table, wherever that is now. */
static skep_status new_place(skep_session *s, const skep_catalog_table *t, const sum *u, skep_err *err) {
  const skep_session_change *c = u->first;
  const char *root, *location = skep_catalog_uri(&s->txn_arena, c->location);
  bool pending;
  if (location == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a partition");
  SKEP_TRY(skep_txn_removal_pending(s->db, location, &pending, err));
  if (pending)
    return skep_fail(err, SKEP_ERR_CONFLICT, "partition %s of %s.%s was added and dropped by somebody else meanwhile",
                     c->partition, c->db, c->table);
  SKEP_TRY(skep_catalog_path(t->location, &root, err));
  if (!u->is_apart && skep_catalog_relate(c->location, root) == SKEP_CATALOG_INSIDE) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_CONFLICT, "%s.%s was given another location by somebody else meanwhile", c->db,
                   c->table);
}

static skep_status partition_stats(skep_session *s, const skep_catalog_table *t, const sum *u, skep_err *err) {
  const skep_session_change *c = u->first;
  skep_catalog_partition *p;
  skep_status st = skep_catalog_get_partition(s->catalog, &s->txn_arena, t, c->partition, &p, err);
  if (st == SKEP_ERR_NOT_FOUND && !u->is_new)
    return skep_fail(err, SKEP_ERR_CONFLICT, "partition %s of %s.%s was dropped by somebody else meanwhile",
                     c->partition, c->db, c->table);
  /* Renamed, and made again under the old name: the files went with the other one. */
  if (st == SKEP_OK && u->partition_id != 0 && (u->is_another || u->partition_id != p->id))
    return skep_fail(err, SKEP_ERR_CONFLICT,
                     "partition %s of %s.%s was renamed or dropped, and made again by somebody else meanwhile",
                     c->partition, c->db, c->table);
  if (st == SKEP_OK) SKEP_TRY(same_place(u, p->location, err));
  if (u->is_new && (st == SKEP_OK || st == SKEP_ERR_NOT_FOUND)) SKEP_TRY(new_place(s, t, u, err));
  if (st == SKEP_ERR_NOT_FOUND) {
    const char *location = skep_catalog_uri(&s->txn_arena, c->location);
    if (location == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a partition");
    p = skep_arena_zero(&s->txn_arena, 1, sizeof *p);
    if (p == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a partition");
    *p = (skep_catalog_partition){.values = c->values, .location = location};
    st = skep_catalog_add_partitions(s->catalog, &s->txn_arena, t, p, 1, err);
  }
  if (st != SKEP_OK) return st;
  return skep_catalog_update_stats(s->catalog, t, p, &u->stats, c->write_id, err);
}

/* Its place was chosen when the statement began. */
static skep_status store_created(skep_session *s, skep_err *err) {
  skep_status st = skep_ddl_check_place(s, s->txn.created, err);
  if (st == SKEP_ERR_BUSY || st == SKEP_ERR_SEMANTIC)
    return skep_wrap(err, SKEP_ERR_CONFLICT, "the table's directory was taken by somebody else meanwhile");
  return st != SKEP_OK ? st : skep_ddl_store_table(s, s->txn.created, err);
}

/* Inside the database transaction of the commit. */
static skep_status update_catalog(void *self, skep_db *db, skep_err *err) {
  skep_session *s = self;
  sum *sums;
  size_t n;
  (void)db;
  if (s->txn.created != NULL) SKEP_TRY(store_created(s, err));
  SKEP_TRY(sum_up(s, &sums, &n, err));
  skep_catalog_table *t = NULL;
  for (size_t i = 0; i < n; i++) {
    const skep_session_change *c = sums[i].first;
    if (i == 0 || sums[i - 1].first->table_id != c->table_id) SKEP_TRY(same_table(s, c, &t, err));
    if (c->table_id != 0 && t->kind != c->kind) { /* plain files that were in place when a conversion took them over */
      if (sums[i].is_new) return converted(c->db, c->table, err); /* it did not know the directory */
      continue;
    }
    if (c->partition != NULL) {
      SKEP_TRY(partition_stats(s, t, &sums[i], err));
    } else {
      SKEP_TRY(same_place(&sums[i], t->location, err));
      SKEP_TRY(skep_catalog_update_stats(s->catalog, t, NULL, &sums[i].stats, c->write_id, err));
    }
  }
  return SKEP_OK;
}

static skep_status components(skep_session *s, skep_txn_component **out, uint32_t *n, skep_err *err) {
  skep_txn_component *all = skep_arena_zero(&s->txn_arena, 2 * s->txn.n_changes + 1, sizeof *all);
  if (all == NULL || s->txn.n_changes > UINT32_MAX / 2) return skep_fail(err, SKEP_ERR_NOMEM, "a transaction");
  *n = 0;
  for (size_t i = 0; i < s->txn.n_changes; i++) {
    const skep_session_change *c = &s->txn.changes[i];
    if (c->write_id == 0) continue;
    all[(*n)++] = (skep_txn_component){
        .database = c->db, .table = c->table, .partition = c->partition, .op = c->op, .write_id = c->write_id};
    if (!c->by_absence || !skep_conflict_by_rows(s)) continue;
    all[*n] = all[*n - 1];
    all[(*n)++].op = 's';
  }
  *out = all;
  return SKEP_OK;
}

static void set_undoing(skep_session *s, bool undoing) {
  (void)pthread_mutex_lock(&s->cancel_lock);
  s->undoing = undoing;
  (void)pthread_mutex_unlock(&s->cancel_lock);
}

skep_status skep_transaction_undo(skep_session *s, int64_t txn, bool files_gone, skep_err *err) {
  set_undoing(s, true);
  skep_txn_abort_reason reason = s->ended_with == SKEP_ERR_CANCELLED ? SKEP_ABORT_KILLED : SKEP_ABORT_ROLLBACK;
  skep_status st = skep_txn_abort(s->db, txn, reason, files_gone, err);
  set_undoing(s, false);
  return st;
}

/* A commit whose outcome the database did not say is asked again, as txn/txn.h tells. */
static skep_status settle(skep_session *s, skep_err *err) {
  skep_err ignored;
  skep_status st = skep_transaction_undo(s, s->txn.txn.id, false, &ignored);
  if (st == SKEP_ERR_NOT_FOUND) return SKEP_OK;
  if (st != SKEP_OK) return SKEP_ERR_IN_DOUBT;
  return skep_wrap(err, SKEP_ERR_IO, "the commit failed and the transaction was rolled back");
}

skep_status skep_transaction_commit(skep_session *s, skep_err *err) {
  skep_txn_component *all;
  uint32_t n;
  skep_status st = components(s, &all, &n, err);
  if (st == SKEP_OK) {
    skep_txn_also *also = s->txn.n_changes != 0 || s->txn.created != NULL ? update_catalog : NULL;
    /* what is done to tables that are there locks them one by one */
    const skep_txn_commit_opts opts = {
        .components = all, .n = n, .also = also, .self = s, .beside = s->txn.created == NULL};
    st = skep_conflict_commit(s, &opts, err);
  }
  if (st == SKEP_ERR_IN_DOUBT) st = settle(s, err);
  if (st == SKEP_ERR_CONFLICT || st == SKEP_ERR_ABORTED) st = skep_wrap(err, st, "LockException [Error 10263]");
  if (st != SKEP_OK && st != SKEP_ERR_IN_DOUBT) {
    skep_status undone = skep_transaction_undo(s, s->txn.txn.id, false, NULL);
    if (undone != SKEP_OK && undone != SKEP_ERR_NOT_FOUND) skep_transaction_leave(s, s->txn.txn.id);
  }
  clear(s);
  return st;
}

skep_status skep_transaction_check(skep_session *s, skep_err *err) {
  char state;
  const char *reason;
  if (!s->txn.is_explicit) return SKEP_OK;
  SKEP_TRY(skep_txn_state(s->db, s->txn.txn.id, &state, &s->arena, &reason, err));
  if (state == 'o') return SKEP_OK;
  return skep_fail(err, SKEP_ERR_ABORTED,
                   "LockException [Error 10263]: Transaction manager has aborted the transaction txnid:%lld.  Reason: "
                   "%s",
                   (long long)s->txn.txn.id, reason != NULL ? reason : "it is not known any more");
}

void skep_transaction_leave(skep_session *s, int64_t txn) {
  skep_log(s->ctx, SKEP_LOG_WARN, "transaction %lld could not be aborted now; it is tried again, or will time out",
           (long long)txn);
  if (s->n_left_txns < sizeof s->left_txns / sizeof *s->left_txns) s->left_txns[s->n_left_txns++] = txn;
}

void skep_transaction_retry(skep_session *s) {
  uint32_t kept = 0;
  if (s->n_left_txns == 0 || s->db == NULL) return;
  for (uint32_t i = 0; i < s->n_left_txns; i++) {
    skep_status st = skep_transaction_undo(s, s->left_txns[i], false, NULL);
    if (st != SKEP_OK && st != SKEP_ERR_NOT_FOUND) s->left_txns[kept++] = s->left_txns[i];
  }
  s->n_left_txns = kept;
}

void skep_transaction_abandon(skep_session *s, bool files_gone) {
  if (s->txn.txn.id == 0) return;
  skep_status st = skep_transaction_undo(s, s->txn.txn.id, files_gone, NULL);
  if (st != SKEP_OK && st != SKEP_ERR_NOT_FOUND) skep_transaction_leave(s, s->txn.txn.id);
  clear(s);
}

/* ---- statements ---- */

static skep_status start(skep_session *s, skep_err *err) {
  const skep_txn_conf conf = skep_transaction_conf(s);
  SKEP_TRY(skep_txn_begin(s->db, &conf, &s->txn_arena, SKEP_TXN_DEFAULT, NULL, 0, &s->txn.txn, err));
  s->txn.is_explicit = true;
  skep_heartbeat_watch(s, s->txn.txn.id);
  return SKEP_OK;
}

skep_status skep_transaction_run(skep_session *s, const skep_statement *statement, skep_result **out, skep_err *err) {
  (void)out;
  if (statement->kind == SKEP_STMT_START_TRANSACTION && skep_legacy_is_on(s))
    return skep_fail(err, SKEP_ERR_SEMANTIC,
                     "START TRANSACTION: DummyTxnManager (hive.txn.manager) has no transactions");
  if (statement->kind == SKEP_STMT_START_TRANSACTION) return start(s, err);
  if (statement->kind != SKEP_STMT_COMMIT && statement->kind != SKEP_STMT_ROLLBACK)
    return skep_fail(err, SKEP_ERR_UNSUPPORTED, "%s is not supported", skep_statement_name(statement));
  if (!s->txn.is_explicit)
    return skep_fail(err, SKEP_ERR_SEMANTIC,
                     "LockException [Error 20008]: Operation %s is not allowed without an active transaction",
                     skep_statement_name(statement));
  skep_status st = statement->kind == SKEP_STMT_COMMIT ? skep_heartbeat_hear(s, err) : SKEP_OK;
  if (statement->kind == SKEP_STMT_COMMIT && st == SKEP_OK) return skep_transaction_commit(s, err);
  skep_transaction_abandon(s, false);
  return st;
}

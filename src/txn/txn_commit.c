/* Components and commit: what a transaction wrote, and the one database transaction that makes it visible. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "txn/txn_int.h"

enum { MAX_COMPONENT_BYTES = 1 << 30 };

/* --- what the database has --- */

static skep_status read_components(skep_db *db, skep_arena *arena, int64_t txn, skep_txn_component_list *out,
                                   skep_err *err) {
  skep_stmt *stmt = NULL;
  SKEP_TRY(
      skep_db_query(db,
                    "SELECT \"TC_DATABASE\", \"TC_TABLE\", \"TC_PARTITION\", \"TC_OPERATION_TYPE\", \"TC_WRITEID\" "
                    "FROM \"TXN_COMPONENTS\" WHERE \"TC_TXNID\" = ?",
                    SKEP_PARAMS(skep_p_i64(txn)), &stmt, err));
  skep_status status;
  while ((status = skep_stmt_next(stmt, err)) == SKEP_OK) {
    skep_txn_component c = {.op = skep_stmt_char(stmt, 3), .write_id = skep_stmt_i64(stmt, 4)};
    status = skep_stmt_text_copy(stmt, 0, arena, &c.database, err);
    if (status == SKEP_OK) status = skep_stmt_text_copy(stmt, 1, arena, &c.table, err);
    if (status == SKEP_OK) status = skep_stmt_text_copy(stmt, 2, arena, &c.partition, err);
    if (status == SKEP_OK) status = skep_txn_component_add(arena, out, &c, err);
    if (status != SKEP_OK) break;
  }
  skep_stmt_done(stmt);
  return status == SKEP_END ? SKEP_OK : status;
}

/* --- what the statement adds --- */

static skep_status check_components(const skep_txn_component *c, uint32_t n, bool by_rows, skep_err *err) {
  for (uint32_t i = 0; i < n; i++) {
    if (c[i].op != 'i' && c[i].op != 'u' && c[i].op != 'd' && !(by_rows && c[i].op == 's')) {
      return skep_fail(err, SKEP_ERR_ARGUMENT, "operation letter %d", c[i].op);
    }
    if (c[i].database == NULL || c[i].table == NULL || c[i].write_id < 1) {
      return skep_fail(err, SKEP_ERR_ARGUMENT, "a component without table or write id");
    }
  }
  return SKEP_OK;
}

/* Whether a component of a partition, of this table, is among those given: `sorted` by skep_txn_order_components. */
static bool names_partition(const skep_txn_component_list *sorted, const skep_txn_component *table) {
  size_t low = 0, high = sorted->n;
  while (low < high) { /* the last of the table: partitions stand after NULL */
    size_t middle = low + (high - low) / 2;
    const skep_txn_component *c = &sorted->items[middle];
    int order = skep_txn_order_text(c->database, table->database);
    if (order == 0) order = skep_txn_order_text(c->table, table->table);
    if (order <= 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low > 0 && skep_txn_same_table(&sorted->items[low - 1], table) && sorted->items[low - 1].partition != NULL;
}

/* Whether the table's component is in the list already: the letter itself, or for an insert any letter (Hive merges
 * what one statement does to one resource, and the stronger letter stays). */
static bool is_in(const skep_txn_component_list *list, const skep_txn_component *c) {
  for (size_t i = 0; i < list->n; i++) {
    const skep_txn_component *o = &list->items[i];
    if ((o->op == c->op || c->op == 'i') && o->partition == NULL && skep_txn_same_table(o, c)) return true;
  }
  return false;
}

/* old: the rows that are there; *kept: those that stay, *added: those to be written.
 * Placeholders of tables whose partitions are named go. An unpartitioned table's placeholder is its component already:
 * a letter that is there is not added again. A partition "" only removes the placeholder. */
skep_status skep_txn_merge_components(skep_arena *arena, const skep_txn_component_list *old,
                                      const skep_txn_component *given, uint32_t n, skep_txn_component_list *kept,
                                      skep_txn_component_list *added, skep_err *err) {
  skep_txn_component_list sorted = {0};
  for (uint32_t i = 0; i < n; i++) SKEP_TRY(skep_txn_component_add(arena, &sorted, &given[i], err));
  if (n > 1) qsort(sorted.items, sorted.n, sizeof *sorted.items, skep_txn_order_components);
  for (size_t i = 0; i < old->n; i++) {
    const skep_txn_component *o = &old->items[i];
    if (o->partition == NULL && names_partition(&sorted, o)) continue;
    SKEP_TRY(skep_txn_component_add(arena, kept, o, err));
  }
  for (size_t i = 0; i < sorted.n; i++) {
    const skep_txn_component *c = &sorted.items[i];
    if (c->partition != NULL && c->partition[0] == 0) continue;
    if (c->partition == NULL && (is_in(kept, c) || is_in(added, c))) continue;
    SKEP_TRY(skep_txn_component_add(arena, added, c, err));
  }
  return SKEP_OK;
}

skep_status skep_txn_insert_component(skep_db *db, int64_t txn, const skep_txn_component *c, skep_err *err) {
  bool has_write_id = c->write_id > 0 || c->op == 'c';
  return skep_db_run(
      db,
      "INSERT INTO \"TXN_COMPONENTS\" (\"TC_TXNID\", \"TC_DATABASE\", \"TC_TABLE\", \"TC_PARTITION\", "
      "\"TC_OPERATION_TYPE\", \"TC_WRITEID\") VALUES (?, ?, ?, ?, ?, ?)",
      SKEP_PARAMS(skep_p_i64(txn), skep_p_text(c->database), skep_p_text(c->table), skep_p_text(c->partition),
                  skep_p_char(c->op), has_write_id ? skep_p_i64(c->write_id) : skep_p_null()),
      NULL, err);
}

/* DROP and ALTER TABLE RENAME under a writer take its write id away: what it wrote is nobody's any more. */
static skep_status check_write_id(skep_db *db, int64_t txn, const skep_txn_component *c, skep_err *err) {
  int64_t write_id = 0;
  SKEP_TRY(skep_db_get_i64(db,
                           "SELECT \"T2W_WRITEID\" FROM \"TXN_TO_WRITE_ID\" WHERE \"T2W_DATABASE\" = ? AND "
                           "\"T2W_TABLE\" = ? AND \"T2W_TXNID\" = ?",
                           SKEP_PARAMS(skep_p_text(c->database), skep_p_text(c->table), skep_p_i64(txn)), &write_id,
                           NULL, err));
  if (write_id == c->write_id) return SKEP_OK;
  char table[400], quoted[256];
  snprintf(table, sizeof table, "%.128s.%.256s", c->database, c->table);
  skep_quote(quoted, sizeof quoted, table, strlen(table));
  return skep_fail(err, SKEP_ERR_CONFLICT,
                   "Transaction txnid:%lld cannot write to %s: it was dropped or renamed meanwhile", (long long)txn,
                   quoted);
}

/* Once a table: its components stand together. */
static skep_status check_write_ids(skep_db *db, int64_t txn, const skep_txn_component_list *list, skep_err *err) {
  for (size_t i = 0; i < list->n; i++) {
    if (i > 0 && skep_txn_same_table(&list->items[i], &list->items[i - 1])) continue;
    if (list->items[i].write_id == 0) continue; /* Hive's own rows may have none */
    SKEP_TRY(check_write_id(db, txn, &list->items[i], err));
  }
  return SKEP_OK;
}

static skep_status add_rows(skep_db *db, skep_arena *arena, int64_t txn, const skep_txn_component *given, uint32_t n,
                            skep_err *err) {
  char state;
  skep_txn_component_list old = {0}, kept = {0}, added = {0};
  SKEP_TRY(skep_txn_ensure_open(db, txn, &state, NULL, err));
  SKEP_TRY(read_components(db, arena, txn, &old, err));
  SKEP_TRY(skep_txn_merge_components(arena, &old, given, n, &kept, &added, err));
  SKEP_TRY(check_write_ids(db, txn, &added, err));
  if (kept.n < old.n) {
    SKEP_TRY(skep_db_run(db, "DELETE FROM \"TXN_COMPONENTS\" WHERE \"TC_TXNID\" = ?", SKEP_PARAMS(skep_p_i64(txn)),
                         NULL, err));
    for (size_t i = 0; i < kept.n; i++) SKEP_TRY(skep_txn_insert_component(db, txn, &kept.items[i], err));
  }
  for (size_t i = 0; i < added.n; i++) SKEP_TRY(skep_txn_insert_component(db, txn, &added.items[i], err));
  return SKEP_OK;
}

skep_status skep_txn_add_components(skep_db *db, int64_t txn, const skep_txn_component *components, uint32_t n,
                                    skep_err *err) {
  SKEP_TRY(check_components(components, n, false, err));
  bool joined = false;
  SKEP_TRY(skep_db_begin_unless(db, skep_txn_opening_mode(db), &joined, err));
  skep_arena arena;
  skep_arena_init(&arena, skep_db_ctx(db), MAX_COMPONENT_BYTES);
  skep_status status = add_rows(db, &arena, txn, components, n, err);
  skep_arena_fini(&arena);
  return skep_db_end(db, joined, status, err);
}

/* --- the rows of a commit --- */

static skep_status insert_completed(skep_db *db, int64_t txn, const skep_txn_component_list *list, skep_err *err) {
  for (size_t i = 0; i < list->n; i++) {
    const skep_txn_component *c = &list->items[i];
    if (c->op == 'c' || c->write_id == 0) continue;
    SKEP_TRY(skep_db_run(
        db,
        "INSERT INTO \"COMPLETED_TXN_COMPONENTS\" (\"CTC_TXNID\", \"CTC_DATABASE\", \"CTC_TABLE\", "
        "\"CTC_PARTITION\", \"CTC_WRITEID\", \"CTC_UPDATE_DELETE\") VALUES (?, ?, ?, ?, ?, ?)",
        SKEP_PARAMS(skep_p_i64(txn), skep_p_text(c->database), skep_p_text(c->table), skep_p_text(c->partition),
                    skep_p_i64(c->write_id), skep_p_char(c->op == 'u' || c->op == 'd' ? 'Y' : 'N')),
        NULL, err));
  }
  return SKEP_OK;
}

static bool is_compaction(int type) {
  return type == SKEP_TXN_COMPACTION || type == SKEP_TXN_REBALANCE_COMPACTION || type == SKEP_TXN_SOFT_DELETE;
}

/* What waits for this transaction in the queue of compactions and removals. */
static skep_status set_queue(skep_db *db, int64_t txn, int64_t commit_id, skep_err *err) {
  int64_t now;
  SKEP_TRY(skep_db_now_ms(db, &now, err));
  return skep_db_run(
      db, "UPDATE \"COMPACTION_QUEUE\" SET \"CQ_NEXT_TXN_ID\" = ?, \"CQ_COMMIT_TIME\" = ? WHERE \"CQ_TXN_ID\" = ?",
      SKEP_PARAMS(skep_p_i64(commit_id), skep_p_i64(now), skep_p_i64(txn)), NULL, err);
}

typedef struct commit_work {
  skep_db *db;
  int64_t txn;
  int type;
  int64_t commit_id;
  bool had_rows; /* in TXN_COMPONENTS */
  skep_txn_component_list all, resources;
  const skep_txn_commit_opts *opts;
  skep_txn_meeting *meetings; /* to be judged before it can be committed */
  size_t n_meetings;
} commit_work;

static skep_status is_partitioned(skep_db *db, const skep_txn_component *c, bool *out, skep_err *err) {
  int64_t ignored;
  return skep_db_get_i64(db, SKEP_TXN_HAS_PARTITIONS("?") " LIMIT 1",
                         SKEP_PARAMS(skep_p_text(c->database), skep_p_text(c->table)), &ignored, out, err);
}

/* A partitioned table's placeholder that no partition replaced: nothing was written there. Two statements that changed
 * nothing must not conflict, and Hive leaves no rows of them either (golden 02: write id 5 of s02.logs). */
static skep_status drop_placeholders(skep_db *db, skep_txn_component_list *all, skep_err *err) {
  size_t n = 0;
  for (size_t i = 0; i < all->n; i++) {
    bool partitioned = false;
    if (all->items[i].partition == NULL) SKEP_TRY(is_partitioned(db, &all->items[i], &partitioned, err));
    if (!partitioned) all->items[n++] = all->items[i];
  }
  all->n = n;
  return SKEP_OK;
}

static void drop_letter(skep_txn_component_list *all, char op) {
  size_t n = 0;
  for (size_t i = 0; i < all->n; i++)
    if (all->items[i].op != op) all->items[n++] = all->items[i];
  all->n = n;
}

/* Reads only; SKEP_ERR_CONFLICT when it must be aborted. */
static skep_status read_work(commit_work *w, skep_arena *arena, skep_err *err) {
  const skep_txn_component *given = w->opts->components;
  uint32_t n = w->opts->n;
  skep_txn_component_list old = {0}, added = {0};
  SKEP_TRY(read_components(w->db, arena, w->txn, &old, err));
  w->had_rows = old.n > 0;
  SKEP_TRY(skep_txn_merge_components(arena, &old, given, n, &w->all, &added, err));
  for (size_t i = 0; i < added.n; i++) SKEP_TRY(skep_txn_component_add(arena, &w->all, &added.items[i], err));
  if (w->type == SKEP_TXN_READ_ONLY && w->all.n > 0) {
    return skep_fail(err, SKEP_ERR_ARGUMENT, "a read-only transaction has written");
  }
  /* What leads a cleaner to a dead worker's files is no write. What a rebalance says besides (compaction_queue.c) is.
   */
  if (w->type == SKEP_TXN_COMPACTION || w->type == SKEP_TXN_REBALANCE_COMPACTION) drop_letter(&w->all, 'c');
  SKEP_TRY(check_write_ids(w->db, w->txn, &w->all, err));
  SKEP_TRY(drop_placeholders(w->db, &w->all, err));
  SKEP_TRY(skep_txn_resources(arena, &w->all, &w->resources, err));
  drop_letter(&w->all, 's'); /* for WRITE_SET only */
  return SKEP_OK;
}

/* The same. */
static skep_status check_work(commit_work *w, skep_arena *arena, skep_err *err) {
  if (w->resources.n == 0 && !is_compaction(w->type)) return SKEP_OK;
  /* Nobody opens a transaction or checks conflicts between this and our end: the newest number tells who overlaps. */
  if (skep_txn_more_than_inserts(&w->resources) || is_compaction(w->type))
    SKEP_TRY(skep_db_lock_txns(w->db, true, err));
  SKEP_TRY(skep_txn_max_id(w->db, &w->commit_id, err));
  skep_txn_check check = {.db = w->db, .arena = arena, .txn = w->txn, .commit_id = w->commit_id, .opts = w->opts};
  SKEP_TRY(skep_txn_check_conflicts(&check, &w->resources, err));
  w->meetings = check.meetings;
  w->n_meetings = check.n_meetings;
  if (w->n_meetings == 0) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_BUSY, "transaction txnid:%lld met others: %zu to be judged", (long long)w->txn,
                   w->n_meetings);
}

static skep_status write_commit(commit_work *w, skep_err *err) {
  SKEP_TRY(skep_txn_insert_write_set(w->db, w->txn, w->commit_id, &w->resources, err));
  SKEP_TRY(insert_completed(w->db, w->txn, &w->all, err));
  if (w->had_rows) {
    SKEP_TRY(skep_db_run(w->db, "DELETE FROM \"TXN_COMPONENTS\" WHERE \"TC_TXNID\" = ?",
                         SKEP_PARAMS(skep_p_i64(w->txn)), NULL, err));
  }
  SKEP_TRY(skep_db_run(w->db, "UPDATE \"TXNS\" SET \"TXN_STATE\" = 'c', \"TXN_META_INFO\" = NULL WHERE \"TXN_ID\" = ?",
                       SKEP_PARAMS(skep_p_i64(w->txn)), NULL, err));
  if (is_compaction(w->type)) SKEP_TRY(set_queue(w->db, w->txn, w->commit_id, err));
  return skep_txn_forget_history(w->db, w->txn, err);
}

/* In the caller's or our own transaction. *conflicts: our own one now holds the abort, to be committed. */
static skep_status commit_rows(commit_work *w, skep_arena *arena, bool joined, bool *conflicts, skep_err *err) {
  char state = 0;
  skep_err reason = {0};
  skep_status status = skep_txn_ensure_open(w->db, w->txn, &state, &w->type, &reason);
  if (state == 'c') return SKEP_OK;
  if (status != SKEP_OK) {
    if (err != NULL) *err = reason;
    return status;
  }
  /* What locks rows of the catalog goes before TXN_LOCK_TBL, which everybody waits for. */
  const skep_txn_commit_opts *opts = w->opts;
  bool before = opts->also != NULL && opts->beside && !skep_db_dialect(w->db)->writers_alone;
  status = read_work(w, arena, err);
  if (status == SKEP_OK && before) SKEP_TRY(opts->also(opts->self, w->db, err));
  if (status == SKEP_OK) status = check_work(w, arena, err);
  if (status == SKEP_OK && opts->also != NULL && !before) SKEP_TRY(opts->also(opts->self, w->db, err));
  if (status == SKEP_OK) return write_commit(w, err);
  if (status != SKEP_ERR_CONFLICT || joined) return status;
  if (before) { /* all of it is taken back, and the abort is a database transaction of its own */
    skep_db_rollback(w->db);
    SKEP_TRY(skep_db_begin(w->db, SKEP_DB_ROWS_EARLY, &reason));
  }
  int64_t changed = 0;
  SKEP_TRY(skep_txn_abort_rows(w->db, w->txn, SKEP_ABORT_WRITE_CONFLICT, INT64_MAX, &changed, &reason));
  *conflicts = true;
  return SKEP_OK;
}

/* What was written must be on disk when the answer is given; a reader's end need not. Where others see it before, they
 * do not say so before it is: every transaction's beginning waits until all before it is on disk. */
static skep_status commit_mode(skep_db *db, int64_t txn, bool writes, skep_db_mode *mode, skep_err *err) {
  *mode = SKEP_DB_ROWS_EARLY;
  if (writes || skep_db_in_transaction(db)) return SKEP_OK;
  skep_stmt *stmt = NULL;
  SKEP_TRY(
      skep_db_query(db,
                    "SELECT \"TXN_TYPE\", EXISTS (SELECT 1 FROM \"TXN_COMPONENTS\" WHERE \"TC_TXNID\" = \"TXN_ID\") "
                    "FROM \"TXNS\" WHERE \"TXN_ID\" = ?",
                    SKEP_PARAMS(skep_p_i64(txn)), &stmt, err));
  skep_status status = skep_stmt_next(stmt, err);
  bool must_last = status == SKEP_OK && (is_compaction((int)skep_stmt_i64(stmt, 0)) || skep_stmt_bool(stmt, 1));
  if (!must_last) *mode = SKEP_DB_ROWS_LAZY;
  skep_stmt_done(stmt);
  return status == SKEP_END ? SKEP_OK : status;
}

/* In the caller's arena: what the database transaction's own held. */
static skep_status keep_meetings(const commit_work *w, skep_arena *arena, skep_txn_meeting **out, size_t *n,
                                 skep_err *err) {
  skep_txn_meeting *copy = skep_arena_zero(arena, w->n_meetings, sizeof *copy);
  if (copy == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "conflicts");
  for (size_t i = 0; i < w->n_meetings; i++) {
    copy[i] = w->meetings[i];
    const char **texts[] = {&copy[i].database, &copy[i].table, &copy[i].partition};
    for (int k = 0; k < 3; k++) {
      if (*texts[k] == NULL) continue;
      *texts[k] = skep_arena_strndup(arena, *texts[k], strlen(*texts[k]));
      if (*texts[k] == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "conflicts");
    }
  }
  *out = copy;
  *n = w->n_meetings;
  return SKEP_OK;
}

static skep_status end_commit(commit_work *w, bool joined, bool conflicts, skep_status status, const skep_err *reason,
                              skep_err *err) {
  skep_err ending = {0};
  skep_status ended = skep_db_end(w->db, joined, status, &ending);
  if (conflicts) ended = SKEP_ERR_CONFLICT; /* also when the abort could not be kept: the time-out will do it */
  if (ended != SKEP_OK && err != NULL) *err = status != SKEP_OK || conflicts ? *reason : ending;
  if (ended == SKEP_ERR_IN_DOUBT) return skep_wrap(err, ended, "transaction txnid:%lld", (long long)w->txn);
  return ended;
}

static skep_status commit_once(skep_db *db, int64_t txn, const skep_txn_commit_opts *opts, skep_arena *arena,
                               skep_txn_meeting **meetings, size_t *n_meetings, skep_err *err) {
  bool joined = false, conflicts = false;
  skep_db_mode mode = SKEP_DB_WRITE;
  if (opts->also == NULL || opts->beside) SKEP_TRY(commit_mode(db, txn, opts->n > 0 || opts->also != NULL, &mode, err));
  SKEP_TRY(skep_db_begin_unless(db, mode, &joined, err));
  skep_arena own;
  skep_arena_init(&own, skep_db_ctx(db), MAX_COMPONENT_BYTES);
  commit_work w = {.db = db, .txn = txn, .opts = opts};
  skep_err reason = {0};
  skep_status status = commit_rows(&w, &own, joined, &conflicts, &reason);
  if (status == SKEP_ERR_BUSY && w.n_meetings > 0) {
    skep_status kept = keep_meetings(&w, arena, meetings, n_meetings, &reason);
    if (kept != SKEP_OK) status = kept;
  }
  skep_arena_fini(&own);
  return end_commit(&w, joined, conflicts, status, &reason, err);
}

enum { MAX_TRIES = 8 };

/* Two that waited for each other's rows: one of them was rolled back whole and does it again. A Hive on the same
 * database updates TABLE_PARAMS before TBLS, others the other way round, so that also happens over a table's
 * statistics. */
skep_status skep_txn_commit_with(skep_db *db, int64_t txn, const skep_txn_commit_opts *opts, skep_arena *arena,
                                 skep_txn_meeting **meetings, size_t *n_meetings, skep_err *err) {
  *meetings = NULL;
  *n_meetings = 0;
  SKEP_TRY(check_components(opts->components, opts->n, opts->by_rows, err));
  if (skep_txn_commit_sends(db, opts)) {
    skep_status status = skep_txn_commit_at_once(db, txn, opts, err);
    if (status == SKEP_OK || !skep_txn_takes_steps(db, status)) return status;
  }
  bool alone = opts->also != NULL && !opts->beside;
  bool once = skep_db_dialect(db)->writers_alone || skep_db_in_transaction(db) || alone;
  for (int i = 1;; i++) {
    skep_status status = commit_once(db, txn, opts, arena, meetings, n_meetings, err);
    if (status != SKEP_ERR_BUSY || *n_meetings > 0 || once || i == MAX_TRIES) return status;
  }
}

/* Nothing is judged: no arena is needed. */
skep_status skep_txn_commit(skep_db *db, int64_t txn, const skep_txn_component *components, uint32_t n,
                            skep_txn_also *also, void *self, skep_err *err) {
  const skep_txn_commit_opts opts = {.components = components, .n = n, .also = also, .self = self};
  skep_txn_meeting *none;
  size_t n_none;
  return skep_txn_commit_with(db, txn, &opts, NULL, &none, &n_none, err);
}

static skep_status would_conflict(skep_db *db, skep_arena *arena, int64_t txn, const skep_txn_component *components,
                                  uint32_t n, skep_err *err) {
  skep_txn_component_list all = {0}, resources = {0};
  int64_t commit_id;
  for (uint32_t i = 0; i < n; i++) SKEP_TRY(skep_txn_component_add(arena, &all, &components[i], err));
  SKEP_TRY(skep_txn_resources(arena, &all, &resources, err));
  SKEP_TRY(skep_txn_max_id(db, &commit_id, err));
  skep_txn_check check = {.db = db, .arena = arena, .txn = txn, .commit_id = commit_id};
  return skep_txn_check_conflicts(&check, &resources, err);
}

skep_status skep_txn_would_conflict(skep_db *db, int64_t txn, const skep_txn_component *components, uint32_t n,
                                    skep_err *err) {
  if (n == 0) return SKEP_OK;
  skep_arena arena;
  skep_arena_init(&arena, skep_db_ctx(db), MAX_COMPONENT_BYTES);
  skep_status status = would_conflict(db, &arena, txn, components, n, err);
  skep_arena_fini(&arena);
  return status;
}

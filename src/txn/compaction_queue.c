/* From a request to a result that is ready for cleaning: what initiators and workers do to the queue. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alive.h"
#include "base/config.h"
#include "txn/compaction_int.h"
#include "txn/string_map.h"

/* --- asking --- */

/* Of one table, without dropped directories. */
static skep_status list_of_table(skep_db *db, const char *database, const char *table, skep_arena *arena,
                                 skep_compaction **out, uint32_t *n, skep_err *err) {
  skep_stmt *stmt = NULL;
  SKEP_TRY(skep_db_query(db,
                         "SELECT " SKEP_QUEUE_COLUMNS
                         " FROM \"COMPACTION_QUEUE\" WHERE \"CQ_DATABASE\" = ? AND \"CQ_TABLE\" = ? "
                         "AND " SKEP_NOT_A_REMOVAL " ORDER BY \"CQ_ID\"",
                         SKEP_PARAMS(skep_p_text(database), skep_p_text(table)), &stmt, err));
  return skep_compaction_read_all(stmt, arena, out, n, err);
}

/* The compactor's list: aborted exceptions up to the high watermark, which lies below the lowest open id. */
static void compactor_ids(const skep_txn_ids *ids, skep_txn_ids *out) {
  *out = (skep_txn_ids){.hwm = ids->hwm, .min_open = ids->min_open, .aborted = ids->aborted};
  if (ids->n_open > 0 && ids->open[0] <= out->hwm) out->hwm = ids->open[0] - 1;
  while (out->n_aborted < ids->n_aborted && ids->aborted[out->n_aborted] <= out->hwm) out->n_aborted++;
}

static skep_status highest_now(skep_db *db, const skep_txn_conf *conf, skep_arena *arena, const char *database,
                               const char *table, int64_t *out, skep_err *err) {
  skep_txn now;
  skep_txn_ids ids, compactor;
  SKEP_TRY(skep_txn_snapshot(db, arena, conf, 0, &now, err));
  SKEP_TRY(skep_txn_valid_write_ids(db, arena, &now.txns, database, table, &ids, err));
  compactor_ids(&ids, &compactor);
  *out = compactor.hwm;
  return SKEP_OK;
}

/* The entry that makes a further one pointless. */
static skep_status find_blocking(skep_db *db, const skep_txn_conf *conf, skep_arena *arena,
                                 const skep_compaction_request *r, const skep_compaction **out, skep_err *err) {
  skep_compaction *rows;
  uint32_t n;
  int64_t highest = -1; /* asked for once, when it is needed */
  *out = NULL;
  SKEP_TRY(list_of_table(db, r->database, r->table, arena, &rows, &n, err));
  for (uint32_t i = 0; i < n; i++) {
    if (!skep_same_text(rows[i].partition, r->partition)) continue;
    bool blocks = rows[i].state == 'i' || rows[i].state == 'w';
    if (rows[i].state == 'r' && rows[i].type != SKEP_COMPACTION_ABORT_CLEANUP && rows[i].has_highest) {
      if (highest < 0) SKEP_TRY(highest_now(db, conf, arena, r->database, r->table, &highest, err));
      blocks = rows[i].highest_write_id == highest;
    }
    if (!blocks) continue;
    *out = &rows[i];
    return SKEP_OK;
  }
  return SKEP_OK;
}

static skep_status insert_request(skep_db *db, const skep_compaction_request *r, int64_t id, skep_err *err) {
  int64_t now;
  SKEP_TRY(skep_db_now_ms(db, &now, err));
  return skep_db_run(
      db,
      "INSERT INTO \"COMPACTION_QUEUE\" (\"CQ_ID\", \"CQ_DATABASE\", \"CQ_TABLE\", \"CQ_PARTITION\", \"CQ_STATE\", "
      "\"CQ_TYPE\", \"CQ_ENQUEUE_TIME\", \"CQ_POOL_NAME\", \"CQ_TBLPROPERTIES\", \"CQ_NUMBER_OF_BUCKETS\", "
      "\"CQ_ORDER_BY\", \"CQ_RUN_AS\", \"CQ_INITIATOR_ID\", \"CQ_INITIATOR_VERSION\", \"CQ_RETRY_RETENTION\") VALUES "
      "(?, ?, ?, ?, 'i', ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)",
      SKEP_PARAMS(skep_p_i64(id), skep_p_text(r->database), skep_p_text(r->table), skep_p_text(r->partition),
                  skep_p_char(r->type), skep_p_i64(now), skep_compaction_text(r->pool, 128), skep_p_text(r->properties),
                  r->n_buckets > 0 ? skep_p_i64(r->n_buckets) : skep_p_null(), skep_p_text(r->order_by),
                  skep_compaction_text(r->run_as, 128), skep_compaction_text(r->initiator_id, 128),
                  skep_compaction_text(r->initiator_version, 128)),
      NULL, err);
}

static skep_status check_request(const skep_compaction_request *r, skep_err *err) {
  if (r->type != SKEP_COMPACTION_MINOR && r->type != SKEP_COMPACTION_MAJOR && r->type != SKEP_COMPACTION_REBALANCE)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "compaction type %d", r->type);
  if (r->properties != NULL && strlen(r->properties) > SKEP_STRING_MAP_MAX_BYTES)
    return skep_fail(err, SKEP_ERR_LIMIT, "properties of a compaction with more than %d bytes",
                     SKEP_STRING_MAP_MAX_BYTES);
  if (r->order_by != NULL && strlen(r->order_by) > 4000)
    return skep_fail(err, SKEP_ERR_LIMIT, "ORDER BY of a compaction with more than 4000 bytes");
  return SKEP_OK;
}

static skep_status enqueue(skep_db *db, const skep_txn_conf *conf, skep_arena *arena, const skep_compaction_request *r,
                           skep_compaction_answer *out, skep_err *err) {
  const skep_compaction *blocking;
  *out = (skep_compaction_answer){.id = -1};
  SKEP_TRY(skep_txn_next_queue_id(db, &out->id, err)); /* its row is the lock of all who ask */
  SKEP_TRY(find_blocking(db, conf, arena, r, &blocking, err));
  if (blocking == NULL) {
    out->accepted = true;
    return insert_request(db, r, out->id, err);
  }
  char text[160];
  snprintf(text, sizeof text, "Compaction is already scheduled with state='%s' and id=%lld",
           skep_compaction_state_name(blocking->state), (long long)blocking->id);
  *out = (skep_compaction_answer){.id = -1, .blocking_id = blocking->id};
  out->reason = skep_arena_strndup(arena, text, strlen(text));
  return out->reason != NULL ? SKEP_END : skep_fail(err, SKEP_ERR_NOMEM, "a compaction");
}

skep_status skep_compaction_enqueue(skep_db *db, const skep_txn_conf *conf, skep_arena *arena,
                                    const skep_compaction_request *request, skep_compaction_answer *out,
                                    skep_err *err) {
  bool joined = false;
  SKEP_TRY(check_request(request, err));
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_WRITE, &joined, err));
  skep_status status = enqueue(db, conf, arena, request, out, err);
  if (status != SKEP_END) return skep_db_end(db, joined, status, err);
  if (!joined) skep_db_rollback(db); /* nothing changed but a number, which is given back */
  return SKEP_OK;
}

static skep_status insert_did_not(skep_db *db, const skep_compaction_request *r, const char *reason, skep_err *err) {
  int64_t now;
  skep_compaction row = {.database = r->database,
                         .table = r->table,
                         .partition = r->partition,
                         .state = 'a',
                         .type = r->type != 0 ? r->type : SKEP_COMPACTION_MINOR,
                         .initiator_id = r->initiator_id,
                         .initiator_version = r->initiator_version,
                         .pool = r->pool,
                         .error = reason};
  SKEP_TRY(skep_txn_next_queue_id(db, &row.id, err));
  SKEP_TRY(skep_db_now_ms(db, &now, err));
  row.enqueued_ms = row.started_ms = row.ended_ms = now;
  return skep_compaction_insert_history(db, &row, err);
}

skep_status skep_compaction_did_not_initiate(skep_db *db, const skep_compaction_request *request, const char *reason,
                                             skep_err *err) {
  bool joined = false;
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_WRITE_LAZY, &joined, err));
  return skep_db_end(db, joined, insert_did_not(db, request, reason, err), err);
}

/* --- taking --- */

static int64_t priority_of(const skep_compaction *c) {
  skep_bytes value;
  char text[24];
  int64_t priority = 0;
  if (c->properties == NULL ||
      !skep_string_map_get(c->properties, strlen(c->properties), SKEP_COMPACTION_PRIORITY, &value) ||
      value.left >= sizeof text)
    return 0;
  memcpy(text, value.at, value.left);
  text[value.left] = '\0';
  return skep_parse_int(text, &priority) ? priority : 0;
}

static int by_priority(const void *left, const void *right) {
  const skep_compaction *a = left, *b = right;
  int64_t pa = priority_of(a), pb = priority_of(b);
  if (pa != pb) return pa > pb ? -1 : 1;
  return (a->id > b->id) - (a->id < b->id);
}

skep_status skep_compaction_list_waiting(skep_db *db, const skep_compaction_worker *w, uint32_t limit,
                                         skep_arena *arena, skep_compaction **out, uint32_t *n, skep_err *err) {
  int64_t now;
  skep_stmt *stmt = NULL;
  SKEP_TRY(skep_db_now_ms(db, &now, err));
  if (w->pool != NULL) {
    SKEP_TRY(skep_db_query(db,
                           "SELECT " SKEP_QUEUE_COLUMNS
                           " FROM \"COMPACTION_QUEUE\" WHERE \"CQ_STATE\" = 'i' AND \"CQ_POOL_NAME\" = ? ORDER BY "
                           "\"CQ_ID\"",
                           SKEP_PARAMS(skep_p_text(w->pool)), &stmt, err));
  } else {
    SKEP_TRY(skep_db_query(db,
                           "SELECT " SKEP_QUEUE_COLUMNS
                           " FROM \"COMPACTION_QUEUE\" WHERE \"CQ_STATE\" = 'i' AND (\"CQ_POOL_NAME\" IS NULL OR "
                           "\"CQ_POOL_NAME\" = 'default' OR \"CQ_ENQUEUE_TIME\" < ?) ORDER BY \"CQ_ID\"",
                           SKEP_PARAMS(skep_p_i64(now - w->pool_timeout_ms)), &stmt, err));
  }
  SKEP_TRY(skep_compaction_read_all(stmt, arena, out, n, err));
  if (*n > 1) qsort(*out, *n, sizeof **out, by_priority);
  if (*n > limit) *n = limit;
  return SKEP_OK;
}

static skep_status take(skep_db *db, const skep_compaction_worker *w, int64_t id, skep_arena *arena,
                        skep_compaction *out, skep_err *err) {
  int64_t now, changed = 0;
  SKEP_TRY(skep_db_now_ms(db, &now, err));
  SKEP_TRY(skep_db_run(
      db,
      "UPDATE \"COMPACTION_QUEUE\" SET \"CQ_STATE\" = 'w', \"CQ_WORKER_ID\" = ?, \"CQ_WORKER_VERSION\" = ?, "
      "\"CQ_START\" = ? WHERE \"CQ_ID\" = ? AND \"CQ_STATE\" = 'i'",
      SKEP_PARAMS(skep_compaction_text(w->id, 128), skep_compaction_text(w->version, 128), skep_p_i64(now),
                  skep_p_i64(id)),
      &changed, err));
  *out = (skep_compaction){0};
  return changed > 0 ? skep_compaction_get(db, id, arena, out, err) : SKEP_OK;
}

skep_status skep_compaction_take(skep_db *db, const skep_compaction_worker *worker, int64_t id, skep_arena *arena,
                                 skep_compaction *out, skep_err *err) {
  bool joined = false;
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_WRITE_LAZY, &joined, err));
  return skep_db_end(db, joined, take(db, worker, id, arena, out, err), err);
}

/* --- the worker's transaction --- */

/* The entry as it was taken, and nobody has taken it away. */
static skep_status check_mine(skep_db *db, const skep_compaction *job, skep_arena *arena, skep_compaction *now,
                              skep_err *err) {
  SKEP_TRY(skep_compaction_get(db, job->id, arena, now, err));
  bool mine = now->id == job->id && now->state == 'w' && skep_same_text(now->worker_id, job->worker_id) &&
              now->started_ms == job->started_ms;
  if (mine) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_NOT_FOUND, "compaction %lld is not this worker's any more (%s)", (long long)job->id,
                   now->id != 0 ? skep_compaction_state_name(now->state) : "it is gone");
}

/* The own transaction among the open ones: it is above all others of its list, which it cuts. */
static skep_status without_own(skep_arena *arena, const skep_txn *txn, skep_txn_ids *out, skep_err *err) {
  int64_t *open = skep_arena_zero(arena, (size_t)txn->txns.n_open + 1, sizeof *open);
  if (open == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a list of transactions");
  *out = txn->txns;
  uint32_t n = 0;
  for (uint32_t i = 0; i < txn->txns.n_open; i++)
    if (txn->txns.open[i] < txn->id) open[n++] = txn->txns.open[i];
  open[n++] = txn->id;
  for (uint32_t i = 0; i < txn->txns.n_open; i++)
    if (txn->txns.open[i] > txn->id) open[n++] = txn->txns.open[i];
  out->open = open;
  out->n_open = n;
  if (out->min_open > txn->id) out->min_open = txn->id;
  return SKEP_OK;
}

static skep_status begin(skep_db *db, const skep_txn_conf *conf, skep_arena *arena, const skep_compaction *job,
                         skep_compaction_snapshot *out, skep_err *err) {
  skep_compaction now;
  skep_txn_ids visible;
  skep_txn_table table = {.database = job->database, .table = job->table};
  skep_txn_type type = job->type == SKEP_COMPACTION_REBALANCE ? SKEP_TXN_REBALANCE_COMPACTION : SKEP_TXN_COMPACTION;
  SKEP_TRY(check_mine(db, job, arena, &now, err));
  SKEP_TRY(skep_txn_begin(db, conf, arena, type, &table, 1, &out->txn, err));
  SKEP_TRY(without_own(arena, &out->txn, &visible, err));
  SKEP_TRY(skep_txn_ids_text(arena, &visible, NULL, NULL, &out->valid_txns, err));
  compactor_ids(&table.ids, &out->write_ids);
  SKEP_TRY(skep_txn_ids_text(arena, &out->write_ids, job->database, job->table, &out->valid_write_ids, err));
  SKEP_TRY(skep_db_run(db,
                       "UPDATE \"COMPACTION_QUEUE\" SET \"CQ_HIGHEST_WRITE_ID\" = ?, \"CQ_RUN_AS\" = ?, \"CQ_TXN_ID\" "
                       "= ? WHERE \"CQ_ID\" = ?",
                       SKEP_PARAMS(skep_p_i64(out->write_ids.hwm), skep_compaction_text(conf->user, 128),
                                   skep_p_i64(out->txn.id), skep_p_i64(job->id)),
                       NULL, err));
  /* A rebalance gives rows other ids: an UPDATE or DELETE that read the old ones must not commit after it, nor the
   * other way round. It has no write id, so it meets no INSERT. */
  skep_txn_component c = {.database = job->database, .table = job->table, .partition = job->partition, .op = 'u'};
  if (type == SKEP_TXN_REBALANCE_COMPACTION) SKEP_TRY(skep_txn_insert_component(db, out->txn.id, &c, err));
  c.op = 'c';
  c.write_id = out->write_ids.hwm;
  return skep_txn_insert_component(db, out->txn.id, &c, err);
}

skep_status skep_compaction_begin(skep_db *db, const skep_txn_conf *conf, skep_arena *arena, const skep_compaction *job,
                                  skep_compaction_snapshot *out, skep_err *err) {
  bool joined = false;
  *out = (skep_compaction_snapshot){0};
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_WRITE, &joined, err));
  return skep_db_end(db, joined, begin(db, conf, arena, job, out, err), err);
}

static skep_status beat(skep_db *db, const skep_compaction *job, int64_t txn, const char *progress, skep_err *err) {
  int64_t changed = 0;
  SKEP_TRY(skep_txn_heartbeat(db, &txn, 1, err));
  SKEP_TRY(skep_db_run(
      db,
      "UPDATE \"COMPACTION_QUEUE\" SET \"CQ_HADOOP_JOB_ID\" = ? WHERE \"CQ_ID\" = ? AND \"CQ_STATE\" = 'w' AND "
      "\"CQ_TXN_ID\" = ?",
      SKEP_PARAMS(skep_compaction_text(progress, 32), skep_p_i64(job->id), skep_p_i64(txn)), &changed, err));
  if (changed > 0) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_NOT_FOUND, "compaction %lld is not this worker's any more", (long long)job->id);
}

skep_status skep_compaction_heartbeat(skep_db *db, const skep_compaction *job, int64_t txn, const char *progress,
                                      skep_err *err) {
  bool joined = false;
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_WRITE_LAZY, &joined, err));
  return skep_db_end(db, joined, beat(db, job, txn, progress, err), err);
}

/* --- its end --- */

/* The properties with one more; *out lives in the arena. */
static skep_status with_property(skep_arena *arena, const char *properties, const char *key, int64_t value,
                                 const char **out, skep_err *err) {
  char text[24];
  skep_buf buf;
  snprintf(text, sizeof text, "%lld", (long long)value);
  skep_buf_init(&buf, arena->ctx, SKEP_STRING_MAP_MAX_BYTES);
  skep_string_map_with(properties, properties != NULL ? strlen(properties) : 0, key, text, &buf);
  skep_status status = skep_buf_check(&buf, "properties of a compaction", err);
  if (status == SKEP_OK) {
    *out = skep_buf_copy(&buf, arena);
    if (*out == NULL) status = skep_fail(err, SKEP_ERR_NOMEM, "properties of a compaction");
  }
  skep_buf_fini(&buf);
  return status;
}

static skep_status commit(skep_db *db, skep_arena *arena, const skep_compaction *job, int64_t txn, int64_t lowest,
                          int64_t highest, skep_txn_also *also, void *self, skep_err *err) {
  skep_compaction now;
  SKEP_TRY(check_mine(db, job, arena, &now, err));
  const char *properties = now.properties;
  if (lowest > 0) SKEP_TRY(with_property(arena, properties, SKEP_COMPACTION_LOWEST, lowest, &properties, err));
  SKEP_TRY(skep_db_run(
      db,
      "UPDATE \"COMPACTION_QUEUE\" SET \"CQ_STATE\" = 'r', \"CQ_WORKER_ID\" = NULL, \"CQ_HADOOP_JOB_ID\" = NULL, "
      "\"CQ_HIGHEST_WRITE_ID\" = ?, \"CQ_TBLPROPERTIES\" = ?, \"CQ_ERROR_MESSAGE\" = NULL WHERE \"CQ_ID\" = ?",
      SKEP_PARAMS(skep_p_i64(highest), skep_p_text(properties), skep_p_i64(job->id)), NULL, err));
  return skep_txn_commit(db, txn, NULL, 0, also, self, err);
}

skep_status skep_compaction_commit(skep_db *db, const skep_compaction *job, int64_t txn, int64_t lowest,
                                   int64_t highest, skep_txn_also *also, void *self, skep_err *err) {
  bool joined = false;
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_WRITE, &joined, err));
  skep_arena arena;
  skep_arena_init(&arena, skep_db_ctx(db), 1 << 20);
  skep_status status = commit(db, &arena, job, txn, lowest, highest, also, self, err);
  skep_arena_fini(&arena);
  return skep_db_end(db, joined, status, err);
}

/* What the entry says about a transaction without a row: those that neither a cleaner nor a reaper needs any more. */
static skep_status is_marked(skep_db *db, const char *sql, int64_t id, int64_t txn, bool *found, bool *marked,
                             skep_err *err) {
  skep_stmt *stmt = NULL;
  SKEP_TRY(skep_db_query(db, sql, SKEP_PARAMS(skep_p_i64(id)), &stmt, err));
  skep_status status = skep_stmt_next(stmt, err);
  if (status == SKEP_OK) {
    *found = true;
    *marked = skep_stmt_i64(stmt, 0) == txn && !skep_stmt_is_null(stmt, 1);
  }
  skep_stmt_done(stmt);
  return status == SKEP_END ? SKEP_OK : status;
}

static skep_status ask_entries(skep_db *db, const skep_compaction *job, int64_t txn, bool *committed, skep_err *err) {
  static const char *const places[] = {
      "SELECT \"CQ_TXN_ID\", \"CQ_NEXT_TXN_ID\" FROM \"COMPACTION_QUEUE\" WHERE \"CQ_ID\" = ?",
      "SELECT \"CC_TXN_ID\", \"CC_NEXT_TXN_ID\" FROM \"COMPLETED_COMPACTIONS\" WHERE \"CC_ID\" = ?"};
  bool found = false;
  for (size_t i = 0; i < 2 && !found; i++) SKEP_TRY(is_marked(db, places[i], job->id, txn, &found, committed, err));
  if (found) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_IN_DOUBT, "whether transaction %lld of compaction %lld was committed is not known",
                   (long long)txn, (long long)job->id);
}

static skep_status settle(skep_db *db, const skep_compaction *job, int64_t txn, bool *committed, skep_err *err) {
  char state = 0;
  skep_err why = {0};
  skep_status status = skep_txn_abort(db, txn, SKEP_ABORT_COMPACTION, false, &why);
  if (status != SKEP_ERR_NOT_FOUND) {
    if (err != NULL) *err = why;
    return status;
  }
  SKEP_TRY(skep_txn_state(db, txn, &state, NULL, NULL, err));
  *committed = state == 'c';
  return state == 0 ? ask_entries(db, job, txn, committed, err) : SKEP_OK;
}

skep_status skep_compaction_settle(skep_db *db, const skep_compaction *job, int64_t txn, bool *committed,
                                   skep_err *err) {
  bool joined = false;
  *committed = false;
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_WRITE, &joined, err));
  return skep_db_end(db, joined, settle(db, job, txn, committed, err), err);
}

/* A job that was taken away keeps what became of it. */
static skep_status leave(skep_db *db, skep_arena *arena, const skep_compaction *job, char state, const char *reason,
                         skep_err *err) {
  skep_compaction now;
  int64_t time;
  skep_status status = check_mine(db, job, arena, &now, err);
  if (status == SKEP_ERR_NOT_FOUND) return SKEP_OK;
  if (status != SKEP_OK) return status;
  SKEP_TRY(skep_db_now_ms(db, &time, err));
  return skep_compaction_move(db, &now, state, reason, time, err);
}

/* A transaction that is gone already is as good as aborted. */
static skep_status abort_own(skep_db *db, int64_t txn, bool files_gone, skep_err *err) {
  if (txn == 0) return SKEP_OK;
  skep_status status = skep_txn_abort(db, txn, SKEP_ABORT_COMPACTION, files_gone, err);
  return status == SKEP_ERR_NOT_FOUND ? SKEP_OK : status;
}

static skep_status leave_in_transaction(skep_db *db, const skep_compaction *job, char state, int64_t txn,
                                        bool files_gone, const char *reason, skep_err *err) {
  bool joined = false;
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_WRITE, &joined, err));
  skep_arena arena;
  skep_arena_init(&arena, skep_db_ctx(db), 1 << 20);
  skep_status status = leave(db, &arena, job, state, reason, err);
  skep_arena_fini(&arena);
  if (status == SKEP_OK && txn != 0 && state == 'c') {
    status = skep_txn_commit(db, txn, NULL, 0, NULL, NULL, err); /* as Hive: there was nothing to do */
  } else if (status == SKEP_OK) {
    status = abort_own(db, txn, files_gone, err);
  }
  return skep_db_end(db, joined, status, err);
}

skep_status skep_compaction_fail(skep_db *db, const skep_compaction *job, int64_t txn, bool files_gone,
                                 const char *reason, skep_err *err) {
  return leave_in_transaction(db, job, 'f', txn, files_gone, reason, err);
}

skep_status skep_compaction_refuse(skep_db *db, const skep_compaction *job, int64_t txn, const char *reason,
                                   skep_err *err) {
  return leave_in_transaction(db, job, 'c', txn, true, reason, err);
}

static int64_t attempts_of(const skep_compaction *c) {
  skep_bytes value;
  return c->properties != NULL &&
                 skep_string_map_get(c->properties, strlen(c->properties), SKEP_COMPACTION_ATTEMPTS, &value) &&
                 value.left == 1 && value.at[0] >= '0' && value.at[0] <= '9'
             ? value.at[0] - '0'
             : 0;
}

static skep_status put_back(skep_db *db, skep_arena *arena, const skep_compaction *job, bool died, const char *reason,
                            skep_err *err) {
  skep_compaction now;
  skep_status status = check_mine(db, job, arena, &now, err);
  if (status == SKEP_ERR_NOT_FOUND) return SKEP_OK;
  if (status != SKEP_OK) return status;
  const char *properties = now.properties;
  int64_t attempts = attempts_of(&now) + 1;
  if (died && attempts < 10)
    SKEP_TRY(with_property(arena, properties, SKEP_COMPACTION_ATTEMPTS, attempts, &properties, err));
  return skep_db_run(
      db,
      "UPDATE \"COMPACTION_QUEUE\" SET \"CQ_STATE\" = 'i', \"CQ_WORKER_ID\" = NULL, \"CQ_START\" = NULL, "
      "\"CQ_TXN_ID\" = NULL, \"CQ_HIGHEST_WRITE_ID\" = NULL, \"CQ_HADOOP_JOB_ID\" = NULL, \"CQ_ERROR_MESSAGE\" = ?, "
      "\"CQ_TBLPROPERTIES\" = ? WHERE \"CQ_ID\" = ?",
      SKEP_PARAMS(skep_p_text(reason), skep_p_text(properties), skep_p_i64(job->id)), NULL, err);
}

skep_status skep_compaction_retry(skep_db *db, const skep_compaction *job, int64_t txn, bool files_gone, bool died,
                                  const char *reason, skep_err *err) {
  bool joined = false;
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_WRITE, &joined, err));
  skep_arena arena;
  skep_arena_init(&arena, skep_db_ctx(db), 1 << 20);
  skep_status status = put_back(db, &arena, job, died, reason, err);
  skep_arena_fini(&arena);
  if (status == SKEP_OK) status = abort_own(db, txn, files_gone, err);
  return skep_db_end(db, joined, status, err);
}

/* --- the dead --- */

bool skep_compaction_worker_is_gone(const skep_compaction *c) {
  return c->worker_id != NULL && skep_alive_is_over(c->worker_id);
}

static bool is_ours(const skep_compaction *c) {
  return c->worker_version != NULL && strncmp(c->worker_version, "skep", 4) == 0;
}

static skep_status is_dead(skep_db *db, const skep_compaction *c, int64_t now, int64_t timeout_ms, int64_t begin_ms,
                           bool *out, skep_err *err) {
  char state = 0;
  bool gone = skep_compaction_worker_is_gone(c);
  if (c->txn_id > 0) {
    SKEP_TRY(skep_txn_state(db, c->txn_id, &state, NULL, NULL, err));
    *out = state != 'o' || gone;
    /* committed, or so long over that nobody knows it: Hive's worker writes its row after that */
    if (state == 'c') *out = c->started_ms < now - timeout_ms;
    return SKEP_OK;
  }
  *out = gone || c->started_ms < now - (is_ours(c) ? begin_ms : timeout_ms);
  return SKEP_OK;
}

skep_status skep_compaction_list_dead(skep_db *db, int64_t timeout_ms, int64_t begin_ms, skep_arena *arena,
                                      skep_compaction **out, uint32_t *n, skep_err *err) {
  skep_stmt *stmt = NULL;
  int64_t now;
  uint32_t n_all, kept = 0;
  SKEP_TRY(skep_db_now_ms(db, &now, err));
  SKEP_TRY(skep_db_query(
      db, "SELECT " SKEP_QUEUE_COLUMNS " FROM \"COMPACTION_QUEUE\" WHERE \"CQ_STATE\" = 'w' ORDER BY \"CQ_ID\"",
      SKEP_NO_PARAMS, &stmt, err));
  SKEP_TRY(skep_compaction_read_all(stmt, arena, out, &n_all, err));
  for (uint32_t i = 0; i < n_all; i++) {
    bool dead = false;
    SKEP_TRY(is_dead(db, &(*out)[i], now, timeout_ms, begin_ms, &dead, err));
    if (dead) (*out)[kept++] = (*out)[i];
  }
  *n = kept;
  return SKEP_OK;
}

skep_status skep_compaction_list_of_worker(skep_db *db, const char *worker_id, skep_arena *arena, skep_compaction **out,
                                           uint32_t *n, skep_err *err) {
  skep_stmt *stmt = NULL;
  SKEP_TRY(skep_db_query(db,
                         "SELECT " SKEP_QUEUE_COLUMNS
                         " FROM \"COMPACTION_QUEUE\" WHERE \"CQ_STATE\" = 'w' AND \"CQ_WORKER_ID\" = ? ORDER BY "
                         "\"CQ_ID\"",
                         SKEP_PARAMS(skep_p_text(worker_id)), &stmt, err));
  return skep_compaction_read_all(stmt, arena, out, n, err);
}

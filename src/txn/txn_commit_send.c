/* A commit in one round trip: the steps of txn_commit.c as statements that need no answers between them.
 *
 * What it takes for granted is checked by the statements themselves, which divide by zero where it is not so: that the
 * transaction is open, that it has the placeholders of what was written and nothing else, that its write ids are still
 * its own, and that nobody whom it could conflict with has committed. Then nothing was done, and txn_commit.c looks
 * closer. TXN_LOCK_TBL comes last: it is held while the server works, and waits for nobody else's answer. */
#include <string.h>

#include "txn/txn_int.h"

enum { MAX_COMPONENTS = 64 };

/* --- the statements --- */

/* Parameters: txn, database, table, partition, write id, Y or N; database, table, txn, write id; txn, database, table.
 * Two texts: what a partition's need not ask would be planned anew each time. */
#define COMPLETED(more)                                                                                                \
  "INSERT INTO \"COMPLETED_TXN_COMPONENTS\" (\"CTC_TXNID\", \"CTC_DATABASE\", \"CTC_TABLE\", \"CTC_PARTITION\", "      \
  "\"CTC_WRITEID\", \"CTC_UPDATE_DELETE\") SELECT ?::bigint, ?::text, ?::text, ?::text, ?::bigint, ?::text FROM "      \
  "(SELECT "                                                                                                           \
  "1 / CASE WHEN EXISTS (SELECT 1 FROM \"TXN_TO_WRITE_ID\" WHERE \"T2W_DATABASE\" = ?::text AND \"T2W_TABLE\" = "      \
  "?::text "                                                                                                           \
  "AND \"T2W_TXNID\" = ?::bigint AND \"T2W_WRITEID\" = ?::bigint) AND EXISTS (SELECT 1 FROM \"TXN_COMPONENTS\" WHERE " \
  "\"TC_TXNID\" = ?::bigint AND \"TC_DATABASE\" = ?::text AND \"TC_TABLE\" = ?::text AND \"TC_PARTITION\" IS "         \
  "NULL" more " THEN 1 ELSE 0 END AS ok) c WHERE c.ok = 1"
static const char sql_completed_partition[] = COMPLETED(")");
/* And: letter, database, table. Of a table with partitions nothing can be written beside them. */
static const char sql_completed_table[] =
    COMPLETED(" AND \"TC_OPERATION_TYPE\" = ?::text) AND NOT EXISTS (" SKEP_TXN_HAS_PARTITIONS("?::text") ")");

/* Parameters: txn, four times; how many placeholders. The own row is locked first. */
static const char sql_end[] =
    "WITH t AS (UPDATE \"TXNS\" SET \"TXN_STATE\" = 'c', \"TXN_META_INFO\" = NULL WHERE \"TXN_ID\" = ?::bigint AND "
    "\"TXN_STATE\" = 'o' AND coalesce(\"TXN_TYPE\", 0) = 0 RETURNING \"TXN_ID\"), "
    "p AS (DELETE FROM \"TXN_COMPONENTS\" WHERE \"TC_TXNID\" = ?::bigint RETURNING \"TC_PARTITION\"), "
    "h AS (DELETE FROM \"MIN_HISTORY_LEVEL\" WHERE \"MHL_TXNID\" = ?::bigint), "
    "l AS (DELETE FROM \"HIVE_LOCKS\" WHERE \"HL_TXNID\" = ?::bigint) "
    "SELECT 1 / CASE WHEN (SELECT count(*) FROM t) = 1 AND (SELECT count(*) FROM p WHERE \"TC_PARTITION\" IS NULL) = "
    "?::bigint AND NOT EXISTS (SELECT 1 FROM p WHERE \"TC_PARTITION\" IS NOT NULL) THEN 1 ELSE 0 END";

/* Parameters: database, table, partition, txn, letter; database, table, txn, txn, partition, harmless letters. */
static const char sql_write_set[] =
    "INSERT INTO \"WRITE_SET\" (\"WS_DATABASE\", \"WS_TABLE\", \"WS_PARTITION\", \"WS_TXNID\", \"WS_COMMIT_ID\", "
    "\"WS_OPERATION_TYPE\") SELECT ?::text, ?::text, ?::text, ?::bigint, (SELECT max(\"TXN_ID\") FROM \"TXNS\"), "
    "?::text "
    "FROM (SELECT 1 / CASE WHEN EXISTS (SELECT 1 FROM \"WRITE_SET\" WHERE \"WS_DATABASE\" = ?::text AND \"WS_TABLE\" = "
    "?::text AND \"WS_COMMIT_ID\" BETWEEN ?::bigint AND 9223372036854775807 AND \"WS_TXNID\" <> ?::bigint AND "
    "\"WS_PARTITION\" IS NOT DISTINCT FROM "
    "?::text AND (\"WS_OPERATION_TYPE\" = '' OR position(\"WS_OPERATION_TYPE\" IN ?::text) = 0)) THEN 0 ELSE 1 END AS "
    "ok) "
    "c WHERE c.ok = 1";

/* Parameters: database, table, from which transaction on, own; high watermark and open ones of the snapshot. */
static const char sql_silent[] = "SELECT 1 / CASE WHEN EXISTS (SELECT 1 " SKEP_TXN_SILENT(
    "?::text", "?::bigint",
    " AND (I.\"T2W_TXNID\" > ?::bigint OR I.\"T2W_TXNID\" = ANY (?::text::bigint[]))") ") THEN 0 ELSE 1 END";

/* --- what is taken for granted --- */

typedef struct work {
  skep_db *db;
  skep_arena *arena;
  int64_t txn;
  const skep_txn_commit_opts *opts;
  skep_txn_component_list placeholders, all, resources;
} work;

static bool is_stronger(char a, char b) { return a == 'd' || (a == 'u' && b == 'i'); }

/* One for each table that was written: its letter, where no partition replaces it, is the strongest. */
static skep_status guess_placeholders(work *w, skep_err *err) {
  for (uint32_t i = 0; i < w->opts->n; i++) {
    skep_txn_component c = w->opts->components[i], *same = NULL;
    for (size_t k = 0; k < w->placeholders.n && same == NULL; k++)
      if (skep_txn_same_table(&w->placeholders.items[k], &c)) same = &w->placeholders.items[k];
    c.partition = NULL;
    if (same == NULL) {
      SKEP_TRY(skep_txn_component_add(w->arena, &w->placeholders, &c, err));
    } else if (is_stronger(c.op, same->op)) {
      same->op = c.op;
    }
  }
  return SKEP_OK;
}

/* What txn_commit.c makes of them, with the given ones. */
static skep_status fill(work *w, skep_err *err) {
  skep_txn_component_list added = {0};
  SKEP_TRY(guess_placeholders(w, err));
  SKEP_TRY(
      skep_txn_merge_components(w->arena, &w->placeholders, w->opts->components, w->opts->n, &w->all, &added, err));
  for (size_t i = 0; i < added.n; i++) SKEP_TRY(skep_txn_component_add(w->arena, &w->all, &added.items[i], err));
  return skep_txn_resources(w->arena, &w->all, &w->resources, err);
}

/* --- sending --- */

static skep_status send_completed(work *w, skep_err *err) {
  const skep_param txn = skep_p_i64(w->txn);
  for (size_t i = 0; i < w->all.n; i++) {
    const skep_txn_component *c = &w->all.items[i];
    if (c->op == 's') continue; /* for WRITE_SET only */
    const skep_param database = skep_p_text(c->database), table = skep_p_text(c->table);
    const skep_param params[] = {txn,
                                 database,
                                 table,
                                 skep_p_text(c->partition),
                                 skep_p_i64(c->write_id),
                                 skep_p_char(c->op == 'u' || c->op == 'd' ? 'Y' : 'N'),
                                 database,
                                 table,
                                 txn,
                                 skep_p_i64(c->write_id),
                                 txn,
                                 database,
                                 table,
                                 skep_p_char(c->op),
                                 database,
                                 table};
    size_t n = sizeof params / sizeof *params;
    SKEP_TRY(c->partition != NULL ? skep_db_run(w->db, sql_completed_partition, params, n - 3, NULL, err)
                                  : skep_db_run(w->db, sql_completed_table, params, n, NULL, err));
  }
  return SKEP_OK;
}

static skep_status send_write_set(work *w, skep_err *err) {
  const skep_param txn = skep_p_i64(w->txn);
  for (size_t i = 0; i < w->resources.n; i++) {
    const skep_txn_component *c = &w->resources.items[i];
    const skep_param database = skep_p_text(c->database), table = skep_p_text(c->table),
                     partition = skep_p_text(c->partition);
    char letters[SKEP_TXN_LETTERS_SIZE];
    skep_txn_harmless(c->op, letters);
    SKEP_TRY(skep_db_run(w->db, sql_write_set,
                         SKEP_PARAMS(database, table, partition, txn, skep_p_char(c->op), database, table, txn, txn,
                                     partition, skep_p_text(letters)),
                         NULL, err));
  }
  return SKEP_OK;
}

/* PostgreSQL's form of a list of numbers. */
static skep_status open_text(work *w, const skep_txn_ids *ids, const char **out, skep_err *err) {
  skep_buf text;
  skep_buf_init(&text, skep_db_ctx(w->db), (size_t)1 << 26);
  skep_buf_byte(&text, '{');
  for (uint32_t i = 0; i < ids->n_open; i++) skep_buf_printf(&text, i == 0 ? "%lld" : ",%lld", (long long)ids->open[i]);
  skep_buf_byte(&text, '}');
  skep_status status = skep_buf_check(&text, "a snapshot", err);
  *out = status == SKEP_OK ? skep_buf_copy(&text, w->arena) : NULL;
  skep_buf_fini(&text);
  return status == SKEP_OK && *out == NULL ? skep_fail(err, SKEP_ERR_NOMEM, "a snapshot") : status;
}

static skep_status send_silent(work *w, skep_err *err) {
  const skep_txn_ids *ids = w->opts->snapshot;
  const skep_txn_component *last = NULL;
  const char *open = NULL;
  if (ids == NULL) return SKEP_OK;
  int64_t from = ids->n_open > 0 ? ids->open[0] : ids->hwm; /* aborted ones commit nothing any more */
  for (size_t i = 0; i < w->resources.n; i++) {
    const skep_txn_component *c = &w->resources.items[i];
    if ((c->op != 'u' && c->op != 'd') || (last != NULL && skep_txn_same_table(last, c))) continue;
    last = c;
    if (open == NULL) SKEP_TRY(open_text(w, ids, &open, err));
    SKEP_TRY(skep_db_run(w->db, sql_silent,
                         SKEP_PARAMS(skep_p_text(c->database), skep_p_text(c->table), skep_p_i64(from),
                                     skep_p_i64(w->txn), skep_p_i64(ids->hwm), skep_p_text(open)),
                         NULL, err));
  }
  return SKEP_OK;
}

static skep_status send_all(work *w, skep_err *err) {
  const skep_param txn = skep_p_i64(w->txn);
  SKEP_TRY(send_completed(w, err));
  SKEP_TRY(
      skep_db_run(w->db, sql_end, SKEP_PARAMS(txn, txn, txn, txn, skep_p_i64((int64_t)w->placeholders.n)), NULL, err));
  if (w->opts->also != NULL) SKEP_TRY(w->opts->also(w->opts->self, w->db, err));
  if (skep_txn_more_than_inserts(&w->resources)) SKEP_TRY(skep_db_lock_txns(w->db, true, err));
  SKEP_TRY(send_write_set(w, err));
  return send_silent(w, err);
}

static skep_status learn(skep_db *db, skep_err *err) {
  const char *const known[] = {sql_completed_partition, sql_completed_table, sql_end, sql_write_set, sql_silent};
  return skep_db_learn(db, known, sizeof known / sizeof *known, err);
}

static skep_status run(work *w, skep_err *err) {
  const skep_txn_commit_opts *opts = w->opts;
  SKEP_TRY(fill(w, err));
  SKEP_TRY(learn(w->db, err));
  bool wrote = opts->n > 0 || opts->also != NULL; /* a reader's end need not last */
  SKEP_TRY(skep_db_begin(w->db, wrote ? SKEP_DB_ROWS_EARLY : SKEP_DB_ROWS_LAZY, err));
  return skep_db_end(w->db, false, send_all(w, err), err);
}

bool skep_txn_commit_sends(skep_db *db, const skep_txn_commit_opts *opts) {
  return skep_txn_sends(db) && (opts->also == NULL || opts->beside) && opts->n <= MAX_COMPONENTS &&
         opts->n_pardoned == 0;
}

skep_status skep_txn_commit_at_once(skep_db *db, int64_t txn, const skep_txn_commit_opts *opts, skep_err *err) {
  skep_arena arena;
  skep_arena_init(&arena, skep_db_ctx(db), (size_t)1 << 28);
  work w = {.db = db, .arena = &arena, .txn = txn, .opts = opts};
  skep_err reason = {0};
  skep_status status = run(&w, &reason);
  skep_arena_fini(&arena);
  if (status != SKEP_OK && err != NULL) *err = reason;
  return status == SKEP_ERR_IN_DOUBT ? skep_wrap(err, status, "transaction txnid:%lld", (long long)txn) : status;
}

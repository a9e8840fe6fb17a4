/* Who was first: the write set of committed transactions, and what meets what.
 *
 * Hive's rule is update and delete against update and delete. What its locks prevent besides, and we until there are
 * locks must notice at commit: an overwrite's base hides the rows of lower write ids, so it meets inserts that it did
 * not see. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/faults.h"
#include "txn/txn_int.h"

int skep_txn_order_text(const char *a, const char *b) {
  if (a == NULL || b == NULL) return (a != NULL) - (b != NULL);
  return strcmp(a, b);
}

bool skep_txn_same_table(const skep_txn_component *a, const skep_txn_component *b) {
  return skep_txn_order_text(a->table, b->table) == 0 && skep_txn_order_text(a->database, b->database) == 0;
}

int skep_txn_order_components(const void *left, const void *right) {
  const skep_txn_component *a = left, *b = right;
  int c = skep_txn_order_text(a->database, b->database);
  if (c == 0) c = skep_txn_order_text(a->table, b->table);
  if (c == 0) c = skep_txn_order_text(a->partition, b->partition);
  if (c == 0) c = (a->op > b->op) - (a->op < b->op);
  return c;
}

skep_status skep_txn_component_add(skep_arena *arena, skep_txn_component_list *list, const skep_txn_component *c,
                                   skep_err *err) {
  void *items = list->items;
  SKEP_TRY(skep_arena_grow(arena, &items, &list->capacity, list->n + 1, sizeof *list->items, err));
  list->items = items;
  list->items[list->n++] = *c;
  return SKEP_OK;
}

skep_status skep_txn_resources(skep_arena *arena, const skep_txn_component_list *all, skep_txn_component_list *out,
                               skep_err *err) {
  skep_txn_component_list sorted = {0};
  for (size_t i = 0; i < all->n; i++) {
    char op = all->items[i].op;
    if (op == 'i' || op == 'u' || op == 'd' || op == 's')
      SKEP_TRY(skep_txn_component_add(arena, &sorted, &all->items[i], err));
  }
  if (sorted.n > 1) qsort(sorted.items, sorted.n, sizeof *sorted.items, skep_txn_order_components);
  for (size_t i = 0; i < sorted.n; i++) {
    if (i > 0 && skep_txn_order_components(&sorted.items[i - 1], &sorted.items[i]) == 0) continue;
    SKEP_TRY(skep_txn_component_add(arena, out, &sorted.items[i], err));
  }
  return SKEP_OK;
}

/* --- the rule --- */

static bool changes_rows(char op) { return op == 'u' || op == 'd'; }

/* mine is about to commit, theirs has committed while mine was open; both in one resource. A rebalance has no write id
 * (0): it takes in only what is below every open one, so it hides no insert. */
static bool meets(const skep_txn_component *mine, char their_op, int64_t their_write_id) {
  if (changes_rows(mine->op) && changes_rows(their_op)) return true;
  if (mine->op == 's' || their_op == 's') return mine->op != 'i' && their_op != 'i';
  if (mine->op == 'i' && their_op == 'u') return their_write_id > mine->write_id;
  if (mine->op == 'u' && their_op == 'i') return their_write_id < mine->write_id;
  return false;
}

void skep_txn_harmless(char op, char letters[SKEP_TXN_LETTERS_SIZE]) {
  const skep_txn_component mine = {.op = op, .write_id = 1};
  size_t n = 0;
  for (const char *their = "idsu"; *their != '\0'; their++)
    if (!meets(&mine, *their, 0) && !meets(&mine, *their, INT64_MAX)) letters[n++] = *their;
  letters[n] = '\0';
}

/* Hive's sentence: both transactions with their commit ids, the resource, both letters. */
skep_status skep_txn_meeting_fail(int64_t txn, const skep_txn_meeting *m, const char *what, skep_err *err) {
  char resource[1400], quoted[600], letters[] = {m->mine, '/', m->op != 0 ? m->op : '?', 0};
  snprintf(resource, sizeof resource, "%.128s/%.256s%s%.767s", m->database, m->table, m->partition != NULL ? "/" : "",
           m->partition != NULL ? m->partition : "");
  skep_quote(quoted, sizeof quoted, resource, strlen(resource));
  return skep_fail(
      err, SKEP_ERR_CONFLICT,
      "Transaction manager has aborted the transaction txnid:%lld.  Reason: Aborting [txnid:%lld,%lld] due "
      "to a write conflict on %s%s%s committed by [txnid:%lld,%lld] %s",
      (long long)txn, (long long)txn, (long long)m->my_commit_id, quoted, what != NULL ? " " : "",
      what != NULL ? what : "", (long long)m->txn, (long long)m->commit_id, letters);
}

static bool same_meeting(const skep_txn_meeting *a, const skep_txn_meeting *b) {
  return a->txn == b->txn && a->mine == b->mine && a->op == b->op &&
         skep_txn_order_text(a->partition, b->partition) == 0 && skep_txn_order_text(a->table, b->table) == 0 &&
         skep_txn_order_text(a->database, b->database) == 0;
}

/* A conflict, or to be judged, or judged already. */
static skep_status meet(skep_txn_check *check, const skep_txn_component *mine, int64_t txn, int64_t commit_id,
                        int64_t write_id, char op, skep_err *err) {
  const skep_txn_commit_opts *opts = check->opts;
  const skep_txn_meeting m = {.txn = txn,
                              .commit_id = commit_id,
                              .write_id = write_id,
                              .my_commit_id = check->commit_id,
                              .database = mine->database,
                              .table = mine->table,
                              .partition = mine->partition,
                              .mine = mine->op,
                              .op = op};
  bool by_rows = opts != NULL && opts->by_rows && mine->op == 'd' && op == 'd' && write_id != 0;
  if (op != 0 && !by_rows) return skep_txn_meeting_fail(check->txn, &m, NULL, err);
  for (size_t i = 0; i < opts->n_pardoned; i++)
    if (same_meeting(&opts->pardoned[i], &m)) return SKEP_OK;
  for (size_t i = 0; i < check->n_meetings; i++)
    if (same_meeting(&check->meetings[i], &m)) return SKEP_OK; /* repeated rows are legal */
  void *items = check->meetings;
  SKEP_TRY(skep_arena_grow(check->arena, &items, &check->capacity, check->n_meetings + 1, sizeof m, err));
  check->meetings = items;
  check->meetings[check->n_meetings++] = m;
  return SKEP_OK;
}

/* The first of the n components, sorted, that is not before `partition`. */
static size_t lower_bound(const skep_txn_component *items, size_t n, const char *partition) {
  size_t low = 0, high = n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (skep_txn_order_text(items[middle].partition, partition) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/* The row of another transaction, against the components of its partition. */
static skep_status meet_row(skep_txn_check *check, const skep_txn_component *items, size_t n, skep_stmt *other,
                            skep_err *err) {
  const char *partition = skep_stmt_text(other, 2, NULL);
  char op = skep_stmt_char(other, 3);
  int64_t write_id = skep_stmt_i64(other, 4);
  for (size_t i = lower_bound(items, n, partition); i < n; i++) {
    if (skep_txn_order_text(items[i].partition, partition) != 0) break;
    if (meets(&items[i], op, write_id))
      SKEP_TRY(meet(check, &items[i], skep_stmt_i64(other, 0), skep_stmt_i64(other, 1), write_id, op, err));
  }
  return SKEP_OK;
}

/* One table: n components with partitions ascending. */
static skep_status check_table(skep_txn_check *check, const skep_txn_component *c, size_t n, skep_err *err) {
  skep_stmt *stmt = NULL;
  SKEP_TRY(skep_db_query(
      check->db,
      "SELECT W.\"WS_TXNID\", W.\"WS_COMMIT_ID\", W.\"WS_PARTITION\", W.\"WS_OPERATION_TYPE\", I.\"T2W_WRITEID\" FROM "
      "\"WRITE_SET\" W LEFT JOIN \"TXN_TO_WRITE_ID\" I ON I.\"T2W_DATABASE\" = W.\"WS_DATABASE\" AND I.\"T2W_TABLE\" = "
      "W.\"WS_TABLE\" AND I.\"T2W_TXNID\" = W.\"WS_TXNID\" WHERE W.\"WS_DATABASE\" = ? AND W.\"WS_TABLE\" = ? AND "
      "W.\"WS_COMMIT_ID\" >= ? AND W.\"WS_TXNID\" <> ? ORDER BY W.\"WS_COMMIT_ID\"",
      SKEP_PARAMS(skep_p_text(c->database), skep_p_text(c->table), skep_p_i64(check->txn), skep_p_i64(check->txn)),
      &stmt, err));
  skep_status status;
  while ((status = skep_stmt_next(stmt, err)) == SKEP_OK)
    if ((status = meet_row(check, c, n, stmt, err)) != SKEP_OK) break;
  skep_stmt_done(stmt);
  return status == SKEP_END ? SKEP_OK : status;
}

/* --- writes without a letter --- */

bool skep_txn_more_than_inserts(const skep_txn_component_list *resources) {
  for (size_t i = 0; i < resources->n; i++)
    if (resources->items[i].op != 'i') return true;
  return false;
}

static bool any_changes_rows(const skep_txn_component *c, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (changes_rows(c[i].op)) return true;
  return false;
}

/* Those that the snapshot sees are passed over when they are read. */
static const char sql_silent[] =
    "SELECT I.\"T2W_TXNID\", I.\"T2W_WRITEID\" " SKEP_TXN_SILENT("?", "?", "") " ORDER BY 1";

static skep_status check_silent(skep_txn_check *check, const skep_txn_component *c, size_t n, skep_err *err) {
  const skep_txn_ids *snapshot = check->opts->snapshot;
  skep_stmt *stmt = NULL;
  SKEP_TRY(skep_db_query(check->db, sql_silent,
                         SKEP_PARAMS(skep_p_text(c->database), skep_p_text(c->table),
                                     skep_p_i64(skep_txn_lowest_invalid(snapshot)), skep_p_i64(check->txn)),
                         &stmt, err));
  skep_status status;
  while ((status = skep_stmt_next(stmt, err)) == SKEP_OK) {
    int64_t txn = skep_stmt_i64(stmt, 0), write_id = skep_stmt_i64(stmt, 1);
    if (skep_txn_ids_valid(snapshot, txn)) continue;
    for (size_t i = 0; i < n && status == SKEP_OK; i++)
      if (changes_rows(c[i].op)) status = meet(check, &c[i], txn, 0, write_id, 0, err);
    if (status != SKEP_OK) break;
  }
  skep_stmt_done(stmt);
  return status == SKEP_END ? SKEP_OK : status;
}

/* The end of the components of the table that begins at i. */
static size_t table_end(const skep_txn_component_list *list, size_t i) {
  size_t end = i + 1;
  while (end < list->n && skep_txn_same_table(&list->items[i], &list->items[end])) end++;
  return end;
}

skep_status skep_txn_check_conflicts(skep_txn_check *check, const skep_txn_component_list *resources, skep_err *err) {
  if (skep_db_goes_wrong(check->db, SKEP_DB_WRONG_CONFLICT)) return SKEP_OK;
  bool closer = check->opts != NULL && check->opts->snapshot != NULL;
  for (size_t i = 0, end; i < resources->n; i = end) {
    end = table_end(resources, i);
    SKEP_TRY(check_table(check, &resources->items[i], end - i, err));
    if (closer && any_changes_rows(&resources->items[i], end - i))
      SKEP_TRY(check_silent(check, &resources->items[i], end - i, err));
  }
  return SKEP_OK;
}

/* --- the write set --- */

/* Whether any other transaction is open: it may overwrite in the table, now or later, under a snapshot without us. */
static skep_status is_anybody_open(skep_db *db, int64_t txn, bool *out, skep_err *err) {
  int64_t ignored;
  return skep_db_get_i64(db, "SELECT 1 FROM \"TXNS\" WHERE \"TXN_STATE\" = 'o' AND \"TXN_ID\" <> ? LIMIT 1",
                         SKEP_PARAMS(skep_p_i64(txn)), &ignored, out, err);
}

static skep_status insert_row(skep_db *db, int64_t txn, int64_t commit_id, const skep_txn_component *c, skep_err *err) {
  return skep_db_run(db,
                     "INSERT INTO \"WRITE_SET\" (\"WS_DATABASE\", \"WS_TABLE\", \"WS_PARTITION\", \"WS_TXNID\", "
                     "\"WS_COMMIT_ID\", \"WS_OPERATION_TYPE\") VALUES (?, ?, ?, ?, ?, ?)",
                     SKEP_PARAMS(skep_p_text(c->database), skep_p_text(c->table), skep_p_text(c->partition),
                                 skep_p_i64(txn), skep_p_i64(commit_id), skep_p_char(c->op)),
                     NULL, err);
}

/* Inserts stand in the write set only while somebody may have to see them: Hive with MIN_HISTORY_LEVEL writes none,
 * without it all of them. Where writers work side by side one may be opening that nobody sees yet: all of them. */
skep_status skep_txn_insert_write_set(skep_db *db, int64_t txn, int64_t commit_id,
                                      const skep_txn_component_list *resources, skep_err *err) {
  bool asked = false, inserts = false;
  for (size_t i = 0; i < resources->n; i++) {
    const skep_txn_component *c = &resources->items[i];
    if (c->op == 'i' && !asked) {
      inserts = !skep_db_dialect(db)->writers_alone;
      if (!inserts) SKEP_TRY(is_anybody_open(db, txn, &inserts, err));
      asked = true;
    }
    if (c->op != 'i' || inserts) SKEP_TRY(insert_row(db, txn, commit_id, c, err));
  }
  return SKEP_OK;
}

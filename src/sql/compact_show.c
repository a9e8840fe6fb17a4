/* SHOW COMPACTIONS: the queue and the history, with the header line that Hive's shell prints as a row.
 *
 * Source: txn-protocol 10.3; golden 15, 19 show_compactions.tsv. */
#include <stdlib.h>

#include "compact/why.h"
#include "sql/compact.h"
#include "sql/show_int.h"

static const char none[] = " --- ";

enum { N_COLUMNS = 20 };

static const char *const names[N_COLUMNS] = {
    "compactionid", "dbname",      "tabname",   "partname",  "type",        "state",          "workerhost",
    "workerid",     "enqueuetime", "starttime", "duration",  "hadoopjobid", "errormessage",   "initiatorhost",
    "initiatorid",  "poolname",    "txnid",     "nexttxnid", "committime",  "hightestwriteid"};
static const char *const header[N_COLUMNS] = {
    "CompactionId", "Database",     "Table",      "Partition",    "Type",        "State",          "Worker host",
    "Worker",       "Enqueue Time", "Start Time", "Duration(ms)", "HadoopJobId", "Error message",  "Initiator host",
    "Initiator",    "Pool name",    "TxnId",      "Next TxnId",   "Commit Time", "Highest WriteId"};
/* What ORDER BY may call them besides: columns of the history. */
static const char *const stored[N_COLUMNS] = {"CC_ID",
                                              "CC_DATABASE",
                                              "CC_TABLE",
                                              "CC_PARTITION",
                                              "CC_TYPE",
                                              "CC_STATE",
                                              NULL,
                                              "CC_WORKER_ID",
                                              "CC_ENQUEUE_TIME",
                                              "CC_START",
                                              NULL,
                                              "CC_HADOOP_JOB_ID",
                                              "CC_ERROR_MESSAGE",
                                              NULL,
                                              "CC_INITIATOR_ID",
                                              "CC_POOL_NAME",
                                              "CC_TXN_ID",
                                              "CC_NEXT_TXN_ID",
                                              "CC_COMMIT_TIME",
                                              "CC_HIGHEST_WRITE_ID"};

/* ---- cells ---- */

static const char *number(skep_session *s, int64_t value, const char *missing) {
  if (value == 0) return missing;
  const char *text = ddl_number(s, value);
  return text != NULL ? text : "?";
}

static const char *text_or(const char *text, const char *missing) { return text != NULL ? text : missing; }

/* "host-thread" cut at its last '-'. */
static const char *id_part(skep_session *s, const char *id, bool host) {
  if (id == NULL) return none;
  const char *cut = strrchr(id, '-');
  if (cut == NULL) return host ? id : none;
  if (!host) return cut + 1;
  const char *out = skep_arena_strndup(&s->arena, id, (size_t)(cut - id));
  return out == NULL ? "?" : out;
}

static const char *duration(skep_session *s, const skep_compaction *c) {
  if (c->ended_ms == 0 || c->started_ms == 0) return none;
  const char *text = ddl_number(s, c->ended_ms - c->started_ms);
  return text != NULL ? text : "?";
}

static void cells_of(skep_session *s, const skep_compaction *c, const char **cells) {
  const char *pool = c->pool != NULL && c->pool[0] != '\0' ? c->pool : "default";
  const char *const all[N_COLUMNS] = {number(s, c->id, "0"),
                                      text_or(c->database, none),
                                      text_or(c->table, none),
                                      text_or(c->partition, none),
                                      skep_compaction_type_name(c->type),
                                      skep_compaction_state_name(c->state),
                                      id_part(s, c->worker_id, true),
                                      id_part(s, c->worker_id, false),
                                      number(s, c->enqueued_ms, none),
                                      number(s, c->started_ms, none),
                                      duration(s, c),
                                      text_or(c->job_id, "None"),
                                      text_or(c->error, none),
                                      id_part(s, c->initiator_id, true),
                                      id_part(s, c->initiator_id, false),
                                      pool,
                                      number(s, c->txn_id, "0"),
                                      number(s, c->next_txn_id, "0"),
                                      number(s, c->commit_ms, "0"),
                                      none};
  memcpy(cells, all, sizeof all);
}

/* ---- which ---- */

typedef struct filter {
  const skep_show *show;
  const char *db, *table, *partition;
} filter;

static skep_status filter_of(skep_session *s, const skep_show *show, filter *f, skep_err *err) {
  *f = (filter){.show = show, .db = show->db};
  if (!show->has_table) return SKEP_OK;
  f->db = ddl_db_of(s, &show->table);
  f->table = show->table.name;
  if (show->partition.n == 0) return SKEP_OK;
  skep_catalog_table *t;
  const char *const *values;
  SKEP_TRY(ddl_find_table(s, &show->table, false, &t, err));
  SKEP_TRY(ddl_spec_values(s, t, &show->partition, true, &values, err));
  skep_buf name; /* the partition itself may be gone */
  skep_buf_init(&name, s->ctx, 1 << 16);
  skep_catalog_partition_name(t->partition_keys, values, &name);
  skep_status st = skep_buf_check(&name, "a partition", err);
  if (st == SKEP_OK) {
    f->partition = skep_buf_copy(&name, &s->arena);
    if (f->partition == NULL) st = ddl_nomem(err);
  }
  skep_buf_fini(&name);
  return st;
}

static bool is_shown(const filter *f, const skep_compaction *c) {
  const skep_show *show = f->show;
  if (f->db != NULL && strcmp(c->database, f->db) != 0) return false;
  if (f->table != NULL && strcmp(c->table, f->table) != 0) return false;
  if (f->partition != NULL && (c->partition == NULL || strcmp(c->partition, f->partition) != 0)) return false;
  /* the stored column: NULL, which is shown as default, is not 'default' */
  if (show->pool != NULL && (c->pool == NULL || strcmp(c->pool, show->pool) != 0)) return false;
  if (show->type != NULL && !ddl_same_word(skep_compaction_type_name(c->type), show->type)) return false;
  return show->status == NULL || ddl_same_word(skep_compaction_state_name(c->state), show->status);
}

/* ---- in which order ---- */

typedef struct row {
  const char *cells[N_COLUMNS];
  uint32_t place; /* in Hive's order */
} row;

typedef struct key {
  uint32_t column;
  bool descending;
} key;

enum { MAX_KEYS = 20 };

typedef struct order {
  key keys[MAX_KEYS];
  uint32_t n;
} order;

static skep_status column_of(skep_session *s, const skep_expr *e, uint32_t *out, skep_err *err) {
  const char *word = NULL;
  if (e->kind == SKEP_EXPR_NAME && e->name.n == 1) word = e->name.items[0];
  if (e->kind == SKEP_EXPR_LITERAL && e->literal.kind == SKEP_LITERAL_STRING) word = e->literal.bytes;
  for (uint32_t i = 0; word != NULL && i < N_COLUMNS; i++) {
    *out = i;
    if (ddl_same_word(word, names[i]) || ddl_same_word(word, header[i])) return SKEP_OK;
    if (stored[i] != NULL && (ddl_same_word(word, stored[i]) || ddl_same_word(word, stored[i] + 3))) return SKEP_OK;
  }
  return ddl_semantic_fail(
      err, 10004, "Invalid table alias or column reference '%s': SHOW COMPACTIONS can be ordered by its columns",
      word != NULL ? ddl_quote(s, word) : "?");
}

static skep_status order_of(skep_session *s, const skep_order_list *list, order *out, skep_err *err) {
  if (list->n > MAX_KEYS) return skep_fail(err, SKEP_ERR_LIMIT, "SHOW COMPACTIONS ORDER BY %u columns", list->n);
  for (uint32_t i = 0; i < list->n; i++) {
    out->keys[i].descending = list->items[i].descending;
    SKEP_TRY(column_of(s, list->items[i].expr, &out->keys[i].column, err));
  }
  out->n = list->n;
  return SKEP_OK;
}

static bool is_number(const char *text) {
  for (const char *at = text; *at != '\0'; at++)
    if (*at < '0' || *at > '9') return false;
  return text[0] != '\0';
}

/* Numbers by value: the longer one is larger. What is missing comes first. */
static int compare_cells(const char *a, const char *b) {
  if (is_number(a) && is_number(b) && strlen(a) != strlen(b)) return strlen(a) < strlen(b) ? -1 : 1;
  bool a_missing = strcmp(a, none) == 0, b_missing = strcmp(b, none) == 0;
  if (a_missing != b_missing) return a_missing ? -1 : 1;
  return strcmp(a, b);
}

static int compare_rows(const void *left, const void *right, void *self) {
  const row *a = left, *b = right;
  const order *o = self;
  for (uint32_t i = 0; i < o->n; i++) {
    int c = compare_cells(a->cells[o->keys[i].column], b->cells[o->keys[i].column]);
    if (c != 0) return o->keys[i].descending ? -c : c;
  }
  return (a->place > b->place) - (a->place < b->place);
}

/* Hive leaves the message of what is ready for cleaning or worked on empty: here it says whom it waits for, when it
 * does, that its worker is gone, or that its letters are none that there are. */
enum { ERROR_COLUMN = 12, MAX_ASKED = 100 };

static skep_status say_why(skep_session *s, const skep_compaction *c, const char **cell, skep_err *err) {
  skep_compact_session session;
  const char *why = NULL, *location = NULL;
  SKEP_TRY(skep_compaction_property(c, "location", &s->arena, &location, err));
  if (location != NULL) return SKEP_OK;
  skep_compact_session_init(&session, s, false);
  SKEP_TRY(skep_compact_why_entry(&session.env, &s->arena, c, &why, err));
  if (why != NULL) *cell = why;
  return SKEP_OK;
}

static bool may_say_why(const skep_compaction *c) {
  return c->state == 'r' || c->state == 'w' || !skep_compaction_state_is_known(c->state) ||
         !skep_compaction_type_is_known(c->type);
}

skep_status skep_show_compactions(skep_session *s, const skep_show *show, skep_result **out, skep_err *err) {
  filter f;
  order o = {0};
  skep_compaction *all;
  uint32_t n, n_rows = 0, n_asked = 0;
  SKEP_TRY(filter_of(s, show, &f, err));
  SKEP_TRY(order_of(s, &show->order_by, &o, err));
  SKEP_TRY(skep_compaction_list(s->db, show->has_id ? show->id : 0, &s->arena, &all, &n, err));
  row *rows = skep_arena_zero(&s->arena, (size_t)n + 1, sizeof *rows);
  if (rows == NULL) return ddl_nomem(err);
  for (uint32_t i = 0; i < n; i++) {
    if (!is_shown(&f, &all[i]) || (show->has_id && all[i].id != show->id)) continue;
    cells_of(s, &all[i], rows[n_rows].cells);
    if (may_say_why(&all[i]) && n_asked++ < MAX_ASKED)
      SKEP_TRY(say_why(s, &all[i], &rows[n_rows].cells[ERROR_COLUMN], err));
    rows[n_rows].place = n_rows;
    n_rows++;
  }
  if (o.n > 0) qsort_r(rows, n_rows, sizeof *rows, compare_rows, &o);
  SKEP_TRY(show_new(s, out, err, N_COLUMNS, names));
  SKEP_TRY(skep_result_texts_row(*out, header, err));
  for (uint32_t i = 0; i < n_rows && (!show->has_limit || i < show->limit); i++)
    SKEP_TRY(skep_result_texts_row(*out, rows[i].cells, err));
  return SKEP_OK;
}

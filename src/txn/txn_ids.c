/* Lists of ids: which transactions and write ids a reader may see. Pure: rows in, lists and Hive's texts out. */
#include <string.h>

#include "txn/txn_int.h"

static bool contains(const int64_t *ids, uint32_t n, int64_t id) {
  uint32_t low = 0, high = n;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (ids[middle] < id) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < n && ids[low] == id;
}

bool skep_txn_ids_aborted(const skep_txn_ids *ids, int64_t id) { return contains(ids->aborted, ids->n_aborted, id); }

bool skep_txn_ids_valid(const skep_txn_ids *ids, int64_t id) {
  return id <= ids->hwm && !contains(ids->open, ids->n_open, id) && !skep_txn_ids_aborted(ids, id);
}

enum { LEAST_RUN = 5 };

/* runs: five and more consecutive ids as "first-last", as ValidReadTxnList does and ValidReaderWriteIdList does not. */
static void print_ids(const int64_t *ids, uint32_t n, bool runs, skep_buf *out) {
  for (uint32_t i = 0, end; i < n; i = end) {
    for (end = i + 1; runs && end < n && ids[end] == ids[end - 1] + 1;) end++;
    bool merged = end - i >= LEAST_RUN;
    if (!merged) end = i + 1;
    if (i > 0) skep_buf_byte(out, ',');
    skep_buf_i64(out, ids[i]);
    if (!merged) continue;
    skep_buf_byte(out, '-');
    skep_buf_i64(out, ids[end - 1]);
  }
}

void skep_txn_ids_print(const skep_txn_ids *ids, const char *database, const char *table, skep_buf *out) {
  if (table != NULL) {
    skep_buf_text(out, database);
    skep_buf_byte(out, '.');
    skep_buf_text(out, table);
    skep_buf_byte(out, ':');
  }
  skep_buf_i64(out, ids->hwm);
  skep_buf_byte(out, ':');
  skep_buf_i64(out, ids->min_open);
  skep_buf_byte(out, ':');
  print_ids(ids->open, ids->n_open, table == NULL, out);
  skep_buf_byte(out, ':');
  print_ids(ids->aborted, ids->n_aborted, table == NULL, out);
}

skep_status skep_txn_ids_text(skep_arena *arena, const skep_txn_ids *ids, const char *database, const char *table,
                              const char **out, skep_err *err) {
  skep_buf text;
  skep_buf_init(&text, arena->ctx, (size_t)1 << 30);
  skep_txn_ids_print(ids, database, table, &text);
  skep_status status = skep_buf_check(&text, "list of ids", err);
  if (status == SKEP_OK) {
    *out = skep_buf_copy(&text, arena);
    if (*out == NULL) status = skep_fail(err, SKEP_ERR_NOMEM, "list of ids");
  }
  skep_buf_fini(&text);
  return status;
}

int64_t skep_txn_lowest_invalid(const skep_txn_ids *txns) {
  int64_t lowest = txns->hwm < INT64_MAX ? txns->hwm + 1 : INT64_MAX;
  if (txns->n_open > 0 && txns->open[0] < lowest) lowest = txns->open[0];
  if (txns->n_aborted > 0 && txns->aborted[0] < lowest) lowest = txns->aborted[0];
  return lowest;
}

/* Two growing lists, each filled in ascending order. */
typedef struct lists {
  skep_arena *arena;
  int64_t *open, *aborted;
  size_t n_open, n_aborted, open_capacity, aborted_capacity;
} lists;

static skep_status add_id(lists *l, int64_t id, bool aborted, skep_err *err) {
  int64_t **items = aborted ? &l->aborted : &l->open;
  size_t *n = aborted ? &l->n_aborted : &l->n_open;
  if (*n >= UINT32_MAX) return skep_fail(err, SKEP_ERR_LIMIT, "more than %u exceptions", UINT32_MAX);
  void *block = *items;
  SKEP_TRY(skep_arena_grow(l->arena, &block, aborted ? &l->aborted_capacity : &l->open_capacity, *n + 1, sizeof **items,
                           err));
  *items = block;
  (*items)[(*n)++] = id;
  return SKEP_OK;
}

static void set_lists(skep_txn_ids *out, int64_t hwm, const lists *l) {
  *out = (skep_txn_ids){.hwm = hwm,
                        .min_open = l->n_open > 0 ? l->open[0] : INT64_MAX,
                        .n_open = (uint32_t)l->n_open,
                        .n_aborted = (uint32_t)l->n_aborted,
                        .open = l->open,
                        .aborted = l->aborted};
}

/* --- transactions --- */

skep_status skep_txn_decide_list(skep_arena *arena, const skep_txn_seen *seen, size_t n, int64_t hwm, int64_t own,
                                 int64_t settled, int64_t open_timeout_ms, skep_txn_ids *out, skep_err *err) {
  lists l = {.arena = arena};
  int64_t end = own > 0 ? own : INT64_MAX; /* exceptions stop at the own id */
  int64_t previous = 0;
  for (size_t i = 0; i < n && previous < end; i++) {
    const skep_txn_seen *s = &seen[i];
    if (s->age_ms < open_timeout_ms && s->id > settled) {
      int64_t id = previous > settled ? previous : settled, until = s->id < end ? s->id : end;
      while (++id < until) SKEP_TRY(add_id(&l, id, false, err));
    }
    previous = s->id;
    if (s->id >= end || s->state == 'c' || s->type == SKEP_TXN_READ_ONLY) continue;
    SKEP_TRY(add_id(&l, s->id, s->state == 'a', err));
  }
  set_lists(out, own > 0 && own < hwm ? own : hwm, &l);
  return SKEP_OK;
}

/* --- write ids --- */

/* Hive's high watermark is that of the rows up to the transactions' one; ids above it that nobody holds a row of any
 * more belong to transactions that everybody sees, so they count too. */
static int64_t high_watermark(const skep_txn_ids *txns, const skep_txn_pair *rows, size_t n, int64_t highest) {
  int64_t valid = highest; /* the highest id that is no row of an invalid transaction */
  int64_t seen = 0;        /* the highest id of a transaction up to the watermark, valid or not */
  for (size_t i = n; i-- > 0;) {
    bool is_valid = skep_txn_ids_valid(txns, rows[i].txn);
    if (rows[i].write_id == valid && !is_valid) valid--;
    if (seen == 0 && rows[i].txn <= txns->hwm) seen = rows[i].write_id;
  }
  return seen > valid ? seen : valid;
}

skep_status skep_txn_decide_write_ids(skep_arena *arena, const skep_txn_ids *txns, const skep_txn_pair *rows, size_t n,
                                      int64_t highest, skep_txn_ids *out, bool *shorten, int64_t *lowest,
                                      skep_err *err) {
  lists l = {.arena = arena};
  int64_t hwm = high_watermark(txns, rows, n, highest);
  uint64_t n_invalid = 0;
  *lowest = 0;
  for (size_t i = 0; i < n && rows[i].write_id <= hwm; i++) {
    if (skep_txn_ids_valid(txns, rows[i].txn)) continue;
    if (n_invalid++ == 0) *lowest = rows[i].write_id;
    SKEP_TRY(add_id(&l, rows[i].write_id, skep_txn_ids_aborted(txns, rows[i].txn), err));
  }
  set_lists(out, hwm, &l);
  *shorten = n_invalid > 0 && (uint64_t)(hwm - *lowest) + 1 == n_invalid;
  return SKEP_OK;
}

/* Nothing is valid from the lowest exception on: it alone says the same. */
void skep_txn_shorten(skep_txn_ids *ids) {
  bool aborted = ids->n_open == 0 || (ids->n_aborted > 0 && ids->aborted[0] < ids->open[0]);
  ids->hwm = aborted ? ids->aborted[0] : ids->open[0];
  ids->n_open = aborted ? 0 : 1;
  ids->n_aborted = aborted ? 1 : 0;
}

/* Hive's lists of valid write ids and transactions: reading their texts, and the questions that directories and rows
 * ask.
 *
 * Source: Hive ValidReaderWriteIdList, ValidReadTxnList (readFromString, isValid, isRangeValid),
 * ValidCompactorWriteIdList; spellings of 1.2, 2.3, 3.1 and 4.0 as seen in tables of those versions. */
#include "acid/snapshot.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"

enum { MAX_IDS = 4 * 1024 * 1024 };

/* A piece of text with a name for messages. */
typedef struct part {
  const char *at, *end;
} part;

static size_t part_length(part p) { return (size_t)(p.end - p.at); }

static part next_part(part *rest, char separator) {
  const char *stop = memchr(rest->at, separator, part_length(*rest));
  part out = {rest->at, stop == NULL ? rest->end : stop};
  rest->at = stop == NULL ? rest->end : stop + 1;
  return out;
}

static size_t count_parts(part p, char separator) {
  size_t n = 1;
  for (const char *at = p.at; at < p.end; at++) n += *at == separator;
  return n;
}

/* Digits only: ids are never negative. */
static bool parse_id(part p, int64_t *out) {
  int64_t value = 0;
  for (const char *at = p.at; at < p.end; at++) {
    if (*at < '0' || *at > '9') return false;
    if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, *at - '0', &value)) return false;
  }
  *out = value;
  return p.at < p.end;
}

/* "7" or "7-9". */
static bool parse_run(part p, int64_t *first, int64_t *last) {
  part rest = p;
  part low = next_part(&rest, '-');
  if (!parse_id(low, first)) return false;
  if (low.end == p.end) {
    *last = *first;
    return true;
  }
  return parse_id(rest, last) && *first <= *last;
}

static skep_status bad_part(const char *what, part p, const char *expected, skep_err *err) {
  char quoted[160];
  return skep_fail(err, SKEP_ERR_ARGUMENT, "%s \"%s\": expected %s", what,
                   skep_quote(quoted, sizeof quoted, p.at, part_length(p)), expected);
}

static int compare_ids(const void *a, const void *b) {
  int64_t x, y;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  return (x > y) - (x < y);
}

/* Hive writes lists in order: they stay as they are, and a run of millions is not sorted for nothing. */
static uint32_t sort_unique(int64_t *ids, uint32_t n) {
  uint32_t in_order = n != 0;
  while (in_order < n && ids[in_order - 1] < ids[in_order]) in_order++;
  if (in_order == n) return n;
  qsort(ids, n, sizeof *ids, compare_ids);
  uint32_t kept = 1;
  for (uint32_t i = 1; i < n; i++) {
    if (ids[i] != ids[kept - 1]) ids[kept++] = ids[i];
  }
  return kept;
}

/* Ids of a list separated by `separator`, runs written out; empty text is an empty list. */
static skep_status parse_ids(skep_arena *arena, const char *what, part text, char separator, int64_t **out,
                             uint32_t *n_out, skep_err *err) {
  *out = NULL;
  *n_out = 0;
  if (text.at == text.end) return SKEP_OK;
  uint64_t total = 0;
  size_t n_parts = count_parts(text, separator);
  part rest = text;
  for (size_t i = 0; i < n_parts; i++) {
    part p = next_part(&rest, separator);
    int64_t first, last;
    if (!parse_run(p, &first, &last)) return bad_part(what, p, "an id or a run of ids a-b", err);
    total += (uint64_t)(last - first) + 1;
    if (total > MAX_IDS) return skep_fail(err, SKEP_ERR_LIMIT, "%s: more than %d ids", what, MAX_IDS);
  }
  int64_t *ids = skep_arena_zero(arena, (size_t)total, sizeof *ids);
  if (ids == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "%s: %" PRIu64 " ids", what, total);
  uint32_t n = 0;
  rest = text;
  for (size_t i = 0; i < n_parts; i++) {
    int64_t first, last;
    if (!parse_run(next_part(&rest, separator), &first, &last)) continue; /* cannot be: parsed above */
    for (uint64_t k = 0, length = (uint64_t)(last - first) + 1; k < length; k++) ids[n++] = first + (int64_t)k;
  }
  *n_out = sort_unique(ids, n);
  *out = ids;
  return SKEP_OK;
}

static bool contains(const int64_t *ids, uint32_t n, int64_t id) {
  return n != 0 && bsearch(&id, ids, n, sizeof *ids, compare_ids) != NULL;
}

/* An id in both lists is aborted. */
static void drop_aborted_from_open(skep_id_list *list, int64_t *open) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < list->n_open; i++) {
    if (!contains(list->aborted, list->n_aborted, open[i])) open[kept++] = open[i];
  }
  list->n_open = kept;
}

/* "hwm:minOpen:open:aborted", trailing parts may be missing. Hive 3.1 and 4. */
static skep_status parse_list(skep_arena *arena, const char *what, part text, skep_id_list *out, skep_err *err) {
  *out = (skep_id_list){.min_open = INT64_MAX};
  if (count_parts(text, ':') > 4) return bad_part(what, text, "at most hwm:minOpen:open:aborted", err);
  part rest = text;
  part hwm = next_part(&rest, ':');
  if (!parse_id(hwm, &out->high_watermark)) return bad_part(what, hwm, "a number as high watermark", err);
  part min_open = next_part(&rest, ':');
  if (min_open.at != min_open.end && !parse_id(min_open, &out->min_open))
    return bad_part(what, min_open, "a number as lowest open id", err);
  int64_t *open, *aborted;
  SKEP_TRY(parse_ids(arena, what, next_part(&rest, ':'), ',', &open, &out->n_open, err));
  SKEP_TRY(parse_ids(arena, what, rest, ',', &aborted, &out->n_aborted, err));
  out->open = open;
  out->aborted = aborted;
  drop_aborted_from_open(out, open);
  if (out->high_watermark == INT64_MAX && out->min_open != INT64_MAX && out->n_open + out->n_aborted == 0)
    return bad_part(what, text, "hwm:minOpen:open:aborted (hwm and minOpen seem to be swapped)", err);
  if (out->n_open != 0 && out->open[0] < out->min_open) out->min_open = out->open[0];
  return SKEP_OK;
}

/* "hwm:exc:exc" (1.2) and "hwm:minOpen:exc:exc" (2.3). An empty part after the last ':' is how an empty list is
 * written. */
static skep_status parse_old_list(skep_arena *arena, part text, bool has_min_open, skep_id_list *out, skep_err *err) {
  static const char what[] = "transaction list";
  *out = (skep_id_list){.min_open = INT64_MAX};
  part rest = text;
  part hwm = next_part(&rest, ':');
  if (!parse_id(hwm, &out->high_watermark)) return bad_part(what, hwm, "a number as high watermark", err);
  if (has_min_open) {
    part min_open = next_part(&rest, ':');
    if (min_open.at != min_open.end && !parse_id(min_open, &out->min_open))
      return bad_part(what, min_open, "a number as lowest open id", err);
  }
  if (rest.at < rest.end && rest.end[-1] == ':') rest.end--;
  int64_t *ids;
  uint32_t n;
  SKEP_TRY(parse_ids(arena, what, rest, ':', &ids, &n, err));
  uint32_t n_aborted = 0;
  while (has_min_open && n_aborted < n && ids[n_aborted] < out->min_open) n_aborted++;
  out->aborted = ids;
  out->n_aborted = n_aborted;
  out->open = n == n_aborted ? NULL : ids + n_aborted;
  out->n_open = n - n_aborted;
  return SKEP_OK;
}

/* True when the text reads as a list: then what stands before it is the table's name. */
static bool looks_like_list(part text) {
  if (count_parts(text, ':') > 4) return false;
  part rest = text;
  for (int i = 0; rest.at < rest.end || i == 0; i++) {
    part p = next_part(&rest, ':');
    if (i == 0 && p.at == p.end) return false;
    for (const char *at = p.at; at < p.end; at++) {
      bool is_digit = *at >= '0' && *at <= '9';
      if (!is_digit && (i < 2 || (*at != ',' && *at != '-'))) return false;
    }
  }
  return true;
}

/* A list of transactions taken for one of write ids would name its first number as the table and the second as the high
 * watermark: everything would be visible. */
static skep_status check_table_name(part whole, part table, skep_err *err) {
  int64_t ignored;
  if (!parse_id(table, &ignored)) return SKEP_OK;
  return bad_part("write id list", whole, "a table name before the first ':' (lists of transactions have none)", err);
}

/* "[txn$]db.t:list". A table's name may hold ':' itself (Hive allows special characters in names): then the list must
 * be written with all its four parts, as Hive does. */
static skep_status parse_write_ids(skep_arena *arena, const char *text, skep_snapshot *out, skep_err *err) {
  part whole = {text, text + strlen(text)};
  part rest = whole;
  part txn = next_part(&rest, '$');
  int64_t ignored;
  if (txn.end < whole.end && parse_id(txn, &ignored)) whole.at = rest.at;
  part list = {NULL, NULL};
  const char *first_colon = memchr(whole.at, ':', part_length(whole));
  for (const char *at = first_colon; at != NULL && at < whole.end && list.at == NULL; at++) {
    if (*at != ':' || at == whole.at) continue;
    part candidate = {at + 1, whole.end};
    if (looks_like_list(candidate) && (at == first_colon || count_parts(candidate, ':') == 4)) list = candidate;
  }
  if (list.at == NULL) {
    if (first_colon == NULL || first_colon == whole.at)
      return bad_part("write id list", whole, "a table name and a list: db.t:hwm:minOpen:open:aborted", err);
    list = (part){first_colon + 1, whole.end};
  }
  part table = {whole.at, list.at - 1};
  SKEP_TRY(check_table_name(whole, table, err));
  SKEP_TRY(parse_list(arena, "write id list", list, &out->write_ids, err));
  out->table = skep_arena_strndup(arena, table.at, part_length(table));
  if (out->table == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "table name of a write id list");
  out->has_write_ids = true;
  return SKEP_OK;
}

skep_status skep_snapshot_parse(skep_arena *arena, const char *write_ids, const char *txns, skep_hive_version hive,
                                skep_snapshot *out, skep_err *err) {
  *out = (skep_snapshot){0};
  skep_snapshot s = {.everything = write_ids == NULL && txns == NULL};
  if (write_ids != NULL) SKEP_TRY(parse_write_ids(arena, write_ids, &s, err));
  if (txns != NULL) {
    part text = {txns, txns + strlen(txns)};
    if (hive == SKEP_HIVE_1 || hive == SKEP_HIVE_2) {
      SKEP_TRY(parse_old_list(arena, text, hive == SKEP_HIVE_2, &s.txns, err));
    } else {
      SKEP_TRY(parse_list(arena, "transaction list", text, &s.txns, err));
    }
    s.has_txns = true;
    s.write_ids_are_txns = write_ids == NULL;
  }
  *out = s;
  return SKEP_OK;
}

static void print_ids(const int64_t *ids, uint32_t n, skep_buf *out) {
  for (uint32_t i = 0; i < n;) {
    uint32_t last = i;
    while (last + 1 < n && ids[last + 1] == ids[last] + 1) last++;
    if (i != 0) skep_buf_byte(out, ',');
    skep_buf_i64(out, ids[i]);
    if (last > i) {
      skep_buf_byte(out, last == i + 1 ? ',' : '-');
      skep_buf_i64(out, ids[last]);
    }
    i = last + 1;
  }
}

static void print_list(const skep_id_list *list, skep_buf *out) {
  skep_buf_i64(out, list->high_watermark);
  skep_buf_byte(out, ':');
  skep_buf_i64(out, list->min_open);
  skep_buf_byte(out, ':');
  print_ids(list->open, list->n_open, out);
  skep_buf_byte(out, ':');
  print_ids(list->aborted, list->n_aborted, out);
}

void skep_snapshot_print(const skep_snapshot *snapshot, skep_buf *write_ids, skep_buf *txns) {
  if (snapshot->has_write_ids) {
    skep_buf_text(write_ids, snapshot->table == NULL ? "t" : snapshot->table);
    skep_buf_byte(write_ids, ':');
    print_list(&snapshot->write_ids, write_ids);
  }
  if (snapshot->has_txns) print_list(&snapshot->txns, txns);
}

const skep_id_list *skep_snapshot_write_id_list(const skep_snapshot *s) {
  return s->has_write_ids ? &s->write_ids : s->write_ids_are_txns ? &s->txns : NULL;
}

static bool list_valid(const skep_id_list *list, int64_t id) {
  return id <= list->high_watermark && !contains(list->open, list->n_open, id) &&
         !contains(list->aborted, list->n_aborted, id);
}

static bool list_aborted(const skep_id_list *list, int64_t id) {
  return id <= list->high_watermark && contains(list->aborted, list->n_aborted, id);
}

bool skep_snapshot_write_id_valid(const skep_snapshot *s, int64_t write_id) {
  const skep_id_list *list = skep_snapshot_write_id_list(s);
  return list == NULL || write_id <= 0 || list_valid(list, write_id);
}

bool skep_snapshot_write_id_aborted(const skep_snapshot *s, int64_t write_id) {
  const skep_id_list *list = skep_snapshot_write_id_list(s);
  return list != NULL && write_id > 0 && list_aborted(list, write_id);
}

/* Index of the first id above `limit`. */
static uint32_t first_above(const int64_t *ids, uint32_t n, int64_t limit) {
  uint32_t low = 0, high = n;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (ids[middle] <= limit) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/* How many ids are in [min, max]; ids are not negative. */
static uint64_t count_ids(const int64_t *ids, uint32_t n, int64_t min, int64_t max) {
  if (min > max) return 0;
  return first_above(ids, n, max) - (min <= 0 ? 0 : first_above(ids, n, min - 1));
}

static skep_range range_of(uint64_t count, uint64_t size) {
  return count == 0 ? SKEP_RANGE_NONE : count == size ? SKEP_RANGE_ALL : SKEP_RANGE_SOME;
}

skep_range skep_snapshot_range_valid(const skep_snapshot *s, int64_t min, int64_t max) {
  const skep_id_list *list = skep_snapshot_write_id_list(s);
  if (list == NULL) return SKEP_RANGE_ALL;
  if (s->for_compactor) return max <= list->high_watermark ? SKEP_RANGE_ALL : SKEP_RANGE_NONE;
  if (min > list->high_watermark) return SKEP_RANGE_NONE;
  int64_t end = max < list->high_watermark ? max : list->high_watermark;
  uint64_t invalid = (uint64_t)max - (uint64_t)end;
  invalid += count_ids(list->open, list->n_open, min, end) + count_ids(list->aborted, list->n_aborted, min, end);
  uint64_t size = (uint64_t)max - (uint64_t)min + 1; /* 0 only for the whole range of int64, which has valid ids */
  return range_of(size - invalid, size);
}

skep_range skep_snapshot_range_aborted(const skep_snapshot *s, int64_t min, int64_t max) {
  const skep_id_list *list = skep_snapshot_write_id_list(s);
  if (list == NULL || min > list->high_watermark) return SKEP_RANGE_NONE;
  int64_t end = max < list->high_watermark ? max : list->high_watermark;
  return range_of(count_ids(list->aborted, list->n_aborted, min, end), (uint64_t)max - (uint64_t)min + 1);
}

bool skep_snapshot_txn_valid(const skep_snapshot *s, int64_t txn) {
  return !s->has_txns || txn == 0 || list_valid(&s->txns, txn);
}

bool skep_snapshot_txn_aborted(const skep_snapshot *s, int64_t txn) {
  return s->has_txns && txn != 0 && list_aborted(&s->txns, txn);
}

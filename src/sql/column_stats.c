/* See column_stats.h. */
#include "sql/column_stats.h"

#include <string.h>

#include "column/text.h"
#include "sql/show_int.h"

/* Types that have the same statistics. */
typedef enum family { F_NONE, F_LONG, F_DOUBLE, F_DECIMAL, F_DATE, F_TIMESTAMP, F_TEXT, F_BINARY, F_BOOLEAN } family;

static family family_of(const skep_type *type) {
  switch (type->kind) {
    case SKEP_TINYINT:
    case SKEP_SMALLINT:
    case SKEP_INT:
    case SKEP_BIGINT:
      return F_LONG;
    case SKEP_FLOAT:
    case SKEP_DOUBLE:
      return F_DOUBLE;
    case SKEP_DECIMAL:
      return F_DECIMAL;
    case SKEP_DATE:
      return F_DATE;
    case SKEP_TIMESTAMP:
      return F_TIMESTAMP;
    case SKEP_STRING:
    case SKEP_CHAR:
    case SKEP_VARCHAR:
      return F_TEXT;
    case SKEP_BINARY:
      return F_BINARY;
    case SKEP_BOOLEAN:
      return F_BOOLEAN;
    default:
      return F_NONE;
  }
}

/* ---- which columns ---- */

static skep_status possible_columns(skep_session *s, const skep_catalog_table *t, const char *name, skep_err *err) {
  skep_buf list;
  skep_buf_init(&list, s->ctx, 1 << 20);
  for (uint32_t i = 0; i < t->columns->n_children; i++)
    skep_buf_printf(&list, "%s%s", i == 0 ? "" : ", ", t->columns->names[i]);
  skep_status st = ddl_semantic_fail(err, 10002, "Invalid column reference '%s' (possible columns are [%s])",
                                     ddl_quote(s, name), skep_buf_string(&list));
  skep_buf_fini(&list);
  return st;
}

static skep_status choose_one(skep_session *s, const skep_catalog_table *t, const char *name, uint32_t *at,
                              skep_stats_columns *out, skep_err *err) {
  size_t length = strlen(name);
  if (skep_type_child(t->partition_keys, name, length, true) >= 0)
    return ddl_semantic_fail(
        err, 30012,
        "Column statistics are not supported for partition columns [Try removing column '%s' from column list]",
        ddl_quote(s, name));
  int64_t child = skep_type_child(t->columns, name, length, true);
  if (child < 0) return possible_columns(s, t, name, err);
  for (uint32_t i = 0; i < out->n; i++)
    if (at[i] == (uint32_t)child) return SKEP_OK;
  if (family_of(t->columns->children[child]) == F_NONE)
    skep_session_note(s, "WARNING: Only primitive type arguments are accepted but %s is passed for %s.",
                      ddl_type(s, t->columns->children[child]), name);
  else
    at[out->n++] = (uint32_t)child;
  return SKEP_OK;
}

skep_status skep_stats_choose(skep_session *s, const skep_catalog_table *t, const skep_name_list *names,
                              skep_stats_columns *out, skep_err *err) {
  uint32_t *at = skep_arena_zero(&s->arena, (size_t)t->columns->n_children + 1, sizeof *at);
  if (at == NULL) return ddl_nomem(err);
  *out = (skep_stats_columns){.at = at};
  for (uint32_t i = 0; i < names->n; i++) SKEP_TRY(choose_one(s, t, names->items[i], at, out, err));
  if (names->n > 0) return SKEP_OK;
  for (uint32_t i = 0; i < t->columns->n_children; i++)
    if (family_of(t->columns->children[i]) != F_NONE) at[out->n++] = i;
  return SKEP_OK;
}

/* ---- asking ---- */

/* Expressions by family, with $ for the column; as many as read_one takes. */
static const char *const questions[] = {
    [F_NONE] = "",
    [F_LONG] = ", count($), min($), max($), count(DISTINCT $)",
    [F_DOUBLE] = ", count($), min($), max($), count(DISTINCT $)",
    [F_DECIMAL] = ", count($), min($), max($), count(DISTINCT $)",
    [F_DATE] = ", count($), min($), max($), count(DISTINCT $)",
    [F_TIMESTAMP] = ", count($), min($), max($), count(DISTINCT $)",
    [F_TEXT] = ", count($), avg(coalesce(length($), 0)), max(length($)), count(DISTINCT $)",
    [F_BINARY] = ", count($), avg(coalesce(length($), 0)), max(length($))",
    [F_BOOLEAN] = ", count($), count(CASE WHEN $ THEN 1 END), count(CASE WHEN NOT $ THEN 1 END)"};

void skep_stats_select(const skep_catalog_table *t, const skep_stats_columns *columns, skep_buf *sql) {
  for (uint32_t i = 0; i < columns->n; i++)
    for (const char *at = questions[family_of(t->columns->children[columns->at[i]])]; *at != '\0'; at++) {
      if (*at == '$')
        skep_buf_quoted(sql, '`', t->columns->names[columns->at[i]]);
      else
        skep_buf_byte(sql, (uint8_t)*at);
    }
}

/* ---- the answer ---- */

const char *skep_stats_cell(skep_session *s, const skep_vec *vec, int64_t row) {
  skep_text text = {.style = SKEP_TEXT_HIVE, .null_text = ""};
  skep_buf buf;
  skep_buf_init(&buf, s->ctx, 1 << 20);
  skep_status st = skep_text_value(&text, vec, row, &buf, NULL);
  const char *out = st == SKEP_OK ? skep_buf_copy(&buf, &s->arena) : NULL;
  skep_buf_fini(&buf);
  return out;
}

typedef struct answer {
  skep_session *s;
  const skep_batch *batch;
  int64_t row;
  uint32_t next; /* child */
} answer;

static skep_status next_text(answer *a, const char **out, skep_err *err) {
  if (a->next >= a->batch->root.n_children) return skep_fail(err, SKEP_ERR_INTERNAL, "statistics: too few answers");
  *out = skep_stats_cell(a->s, &a->batch->root.children[a->next++], a->row);
  return *out != NULL ? SKEP_OK : ddl_nomem(err);
}

static skep_bytes bytes_of(const char *text) { return skep_bytes_of(text, strlen(text)); }

static skep_status wrong(const char *text, skep_err *err) {
  char quoted[80];
  return skep_fail(err, SKEP_ERR_INTERNAL, "statistics: '%s'", skep_quote(quoted, sizeof quoted, text, strlen(text)));
}

/* NULL is 0. */
static skep_status next_number(answer *a, int64_t *out, skep_err *err) {
  const char *text;
  *out = 0;
  SKEP_TRY(next_text(a, &text, err));
  return text[0] == '\0' || skep_parse_i64(bytes_of(text), out) ? SKEP_OK : wrong(text, err);
}

static skep_status next_double(answer *a, double *out, skep_err *err) {
  const char *text;
  *out = 0;
  SKEP_TRY(next_text(a, &text, err));
  return text[0] == '\0' || skep_parse_f64(bytes_of(text), out) ? SKEP_OK : wrong(text, err);
}

/* "1.50" is "1.5", "10" stays. */
static const char *trim_zeros(skep_arena *arena, const char *text) {
  size_t n = strlen(text);
  if (memchr(text, '.', n) == NULL) return text;
  while (text[n - 1] == '0') n--;
  if (text[n - 1] == '.') n--;
  return skep_arena_strndup(arena, text, n);
}

static bool parse_long(family f, const char *text, int64_t *out) {
  skep_ts ts;
  if (f == F_DATE) return skep_parse_date(bytes_of(text), out);
  if (f == F_LONG) return skep_parse_i64(bytes_of(text), out);
  if (!skep_parse_ts(bytes_of(text), &ts)) return false;
  *out = ts.seconds;
  return true;
}

static skep_status read_range(answer *a, family f, skep_catalog_column_stats *out, skep_err *err) {
  const char *low, *high;
  bool good = true;
  SKEP_TRY(next_text(a, &low, err));
  SKEP_TRY(next_text(a, &high, err));
  if (low[0] == '\0' || high[0] == '\0') return SKEP_OK; /* nothing but NULL */
  if (f == F_DECIMAL) {
    out->range = SKEP_COLUMN_DECIMALS;
    out->low_decimal = trim_zeros(&a->s->arena, low);
    out->high_decimal = trim_zeros(&a->s->arena, high);
    return out->low_decimal != NULL && out->high_decimal != NULL ? SKEP_OK : ddl_nomem(err);
  }
  if (f == F_DOUBLE) {
    out->range = SKEP_COLUMN_DOUBLES;
    good = skep_parse_f64(bytes_of(low), &out->low_double) && skep_parse_f64(bytes_of(high), &out->high_double);
  } else {
    out->range = SKEP_COLUMN_LONGS;
    good = parse_long(f, low, &out->low) && parse_long(f, high, &out->high);
  }
  return good ? SKEP_OK : wrong(low, err);
}

static skep_status read_one(answer *a, family f, int64_t n_rows, skep_catalog_column_stats *out, skep_err *err) {
  int64_t count;
  SKEP_TRY(next_number(a, &count, err));
  out->n_nulls = n_rows - count;
  switch (f) {
    case F_BOOLEAN:
      SKEP_TRY(next_number(a, &out->n_trues, err));
      return next_number(a, &out->n_falses, err);
    case F_TEXT:
    case F_BINARY:
      SKEP_TRY(next_double(a, &out->avg_length, err));
      SKEP_TRY(next_number(a, &out->max_length, err));
      break;
    default:
      SKEP_TRY(read_range(a, f, out, err));
  }
  return f == F_BINARY ? SKEP_OK : next_number(a, &out->n_distinct, err);
}

skep_status skep_stats_read(skep_session *s, const skep_catalog_table *t, const skep_stats_columns *columns,
                            const skep_batch *batch, int64_t row, uint32_t first, int64_t n_rows,
                            skep_catalog_column_stats *out, skep_err *err) {
  answer a = {.s = s, .batch = batch, .row = row, .next = first};
  for (uint32_t i = 0; i < columns->n; i++) {
    const skep_type *type = t->columns->children[columns->at[i]];
    family f = family_of(type);
    out[i] = (skep_catalog_column_stats){.column = t->columns->names[columns->at[i]],
                                         .type = ddl_type(s, type),
                                         .has_distinct = f != F_BINARY && f != F_BOOLEAN,
                                         .has_length = f == F_TEXT || f == F_BINARY,
                                         .has_bools = f == F_BOOLEAN};
    if (batch != NULL) SKEP_TRY(read_one(&a, f, n_rows, &out[i], err));
  }
  return SKEP_OK;
}

/* ---- what is accurate ---- */

/* Whether the property says so of a column: "COLUMN_STATS":{...,"name":"true",...}. */
static bool was_accurate(const char *old, const char *key) {
  const char *at = old != NULL ? strstr(old, "\"COLUMN_STATS\":{") : NULL;
  const char *found = at != NULL ? strstr(at, key) : NULL;
  return found != NULL && (found[-1] == '{' || found[-1] == ',');
}

static bool is_chosen(const skep_stats_columns *columns, uint32_t child) {
  if (columns == NULL) return true;
  for (uint32_t i = 0; i < columns->n; i++)
    if (columns->at[i] == child) return true;
  return false;
}

const char *skep_stats_accurate(skep_session *s, const skep_type *table, const skep_stats_columns *columns,
                                const char *old) {
  uint32_t n = 0, *order = skep_arena_zero(&s->arena, (size_t)table->n_children + 1, sizeof *order);
  const char **keys = skep_arena_zero(&s->arena, (size_t)table->n_children + 1, sizeof *keys);
  if (order == NULL || keys == NULL) return NULL;
  for (uint32_t i = 0; i < table->n_children; i++) { /* by name */
    keys[i] = skep_catalog_accurate_key(&s->arena, table->names[i]);
    if (keys[i] == NULL) return NULL;
    if (!is_chosen(columns, i) && !was_accurate(old, keys[i])) continue;
    uint32_t at = n++;
    for (; at > 0 && strcmp(table->names[order[at - 1]], table->names[i]) > 0; at--) order[at] = order[at - 1];
    order[at] = i;
  }
  skep_buf buf;
  skep_buf_init(&buf, s->ctx, 1 << 24);
  skep_buf_text(&buf, "{\"BASIC_STATS\":\"true\"");
  for (uint32_t i = 0; i < n; i++) {
    skep_buf_text(&buf, i == 0 ? ",\"COLUMN_STATS\":{" : ",");
    skep_buf_text(&buf, keys[order[i]]);
  }
  skep_buf_text(&buf, n > 0 ? "}}" : "}");
  const char *out = skep_buf_copy(&buf, &s->arena);
  skep_buf_fini(&buf);
  return out;
}

/* ---- showing ---- */

static skep_status text_of(skep_session *s, skep_buf *buf, const char **out, skep_err *err) {
  *out = skep_buf_copy(buf, &s->arena);
  skep_buf_fini(buf);
  return *out != NULL ? SKEP_OK : ddl_nomem(err);
}

static skep_status double_text(skep_session *s, double value, const char **out, skep_err *err) {
  skep_buf buf;
  skep_buf_init(&buf, s->ctx, 64);
  skep_text_f64(value, &buf);
  return text_of(s, &buf, out, err);
}

static skep_status long_text(skep_session *s, const skep_type *type, int64_t value, const char **out, skep_err *err) {
  skep_buf buf;
  skep_buf_init(&buf, s->ctx, 64);
  if (type->kind == SKEP_DATE) {
    skep_text_date(value, &buf);
  } else if (type->kind == SKEP_TIMESTAMP) {
    skep_text_ts((skep_ts){.seconds = value}, &buf);
  } else {
    skep_buf_printf(&buf, "%lld", (long long)value);
  }
  return text_of(s, &buf, out, err);
}

skep_status skep_stats_shown(skep_session *s, const skep_type *type, const skep_catalog_column_stats *c,
                             const char **out, skep_err *err) {
  for (int i = 0; i < SKEP_N_STATS_SHOWN; i++) out[i] = "";
  if (c == NULL) return SKEP_OK;
  switch (c->range) {
    case SKEP_COLUMN_LONGS:
      SKEP_TRY(long_text(s, type, c->low, &out[0], err));
      SKEP_TRY(long_text(s, type, c->high, &out[1], err));
      break;
    case SKEP_COLUMN_DOUBLES:
      SKEP_TRY(double_text(s, c->low_double, &out[0], err));
      SKEP_TRY(double_text(s, c->high_double, &out[1], err));
      break;
    case SKEP_COLUMN_DECIMALS:
      out[0] = c->low_decimal;
      out[1] = c->high_decimal;
      break;
    case SKEP_COLUMN_NO_RANGE: /* of nothing but NULL: what an unset number of a thrift structure reads as */
      if (family_of(type) == F_LONG) out[0] = out[1] = "0";
      if (family_of(type) == F_DOUBLE) out[0] = out[1] = "0.0";
      break;
  }
  out[2] = ddl_number(s, c->n_nulls);
  if (c->has_distinct) out[3] = ddl_number(s, c->n_distinct);
  if (c->has_length) SKEP_TRY(double_text(s, c->avg_length, &out[4], err));
  if (c->has_length) out[5] = ddl_number(s, c->max_length);
  if (c->has_bools) out[6] = ddl_number(s, c->n_trues);
  if (c->has_bools) out[7] = ddl_number(s, c->n_falses);
  for (int i = 0; i < SKEP_N_STATS_SHOWN; i++)
    if (out[i] == NULL) return ddl_nomem(err);
  return SKEP_OK;
}

static bool decimal_below(const char *a, const char *b) {
  double x = 0, y = 0; /* close ones may be taken for each other: it is an estimate */
  return skep_parse_f64(bytes_of(a), &x) && skep_parse_f64(bytes_of(b), &y) && x < y;
}

static void sum_ranges(const skep_catalog_column_stats *c, skep_catalog_column_stats *out) {
  if (c->range == SKEP_COLUMN_NO_RANGE) return;
  if (out->range != c->range) { /* the first */
    out->range = c->range;
    out->low = c->low, out->high = c->high;
    out->low_double = c->low_double, out->high_double = c->high_double;
    out->low_decimal = c->low_decimal, out->high_decimal = c->high_decimal;
    return;
  }
  if (c->low < out->low) out->low = c->low;
  if (c->high > out->high) out->high = c->high;
  if (c->low_double < out->low_double) out->low_double = c->low_double;
  if (c->high_double > out->high_double) out->high_double = c->high_double;
  if (c->range != SKEP_COLUMN_DECIMALS) return;
  if (decimal_below(c->low_decimal, out->low_decimal)) out->low_decimal = c->low_decimal;
  if (decimal_below(out->high_decimal, c->high_decimal)) out->high_decimal = c->high_decimal;
}

void skep_stats_sum(const skep_catalog_column_stats *all, size_t n, skep_catalog_column_stats *out) {
  *out = (skep_catalog_column_stats){0};
  for (size_t i = 0; i < n; i++) {
    const skep_catalog_column_stats *c = &all[i];
    sum_ranges(c, out);
    out->column = c->column;
    out->type = c->type;
    out->n_nulls += c->n_nulls;
    out->has_distinct = out->has_distinct || c->has_distinct;
    out->has_length = out->has_length || c->has_length;
    out->has_bools = out->has_bools || c->has_bools;
    if (c->n_distinct > out->n_distinct) out->n_distinct = c->n_distinct;
    if (c->avg_length > out->avg_length) out->avg_length = c->avg_length;
    if (c->max_length > out->max_length) out->max_length = c->max_length;
    out->n_trues += c->n_trues;
    out->n_falses += c->n_falses;
  }
}

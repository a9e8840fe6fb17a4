/* Random predicates and rows for tests: predicate_test.c (against a row-by-row evaluator), orc/sarg_test.c (a set of
 * rows with a match is never skipped). */
#ifndef COLUMN_PREDICATE_TESTING_H
#define COLUMN_PREDICATE_TESTING_H

#include "column/predicate.h"
#include "column/values_testing.h"

/* Values of few kinds, so that they meet the literals. */
static inline const char *random_text(skep_kind kind, uint64_t *seed, char *out, size_t size) {
  uint64_t r = next_random(seed);
  int small = (int)(r >> 8 & 7) - 4;
  if (r % 11 == 0) return NULL;
  switch (kind) {
    case SKEP_FLOAT:
    case SKEP_DOUBLE:
      if (r % 13 == 0) return r % 2 == 0 ? "NaN" : "-Infinity";
      snprintf(out, size, "%d.%d", small, (int)(r >> 16 & 1) * 5);
      break;
    case SKEP_STRING:
      snprintf(out, size, "%.*s", (int)(r >> 20 & 3), r >> 16 & 1 ? "aab" : r >> 17 & 1 ? "a \x01" : "ab\xc3");
      break;
    case SKEP_TIMESTAMP:
      snprintf(out, size, "19%s 0%d:00:00.%d", r >> 16 & 1 ? "69-12-31" : "70-01-01", small + 4, (int)(r >> 20 & 1));
      break;
    case SKEP_DATE:
      snprintf(out, size, "1970-01-0%d", small + 5);
      break;
    case SKEP_DECIMAL:
      snprintf(out, size, "%d.%d", small, (int)(r >> 16 & 3));
      break;
    default:
      snprintf(out, size, "%d", small);
      break;
  }
  return out;
}

static inline void append_random_literal(skep_kind kind, uint64_t *seed, skep_buf *out) {
  char text[64];
  const char *value = random_text(kind, seed, text, sizeof text);
  if (value == NULL) {
    skep_buf_text(out, "NULL");
  } else if (next_random(seed) % 2 == 0 || (kind != SKEP_DECIMAL && kind > SKEP_BIGINT) || kind == SKEP_BOOLEAN) {
    skep_buf_printf(out, "'%s'", value);
  } else {
    skep_buf_text(out, value);
    if (next_random(seed) % 4 == 0 && strchr(value, '.') == NULL) skep_buf_text(out, ".25");
  }
}

static const char *const random_types[] = {"smallint", "int",       "bigint", "float",   "double", "decimal(10,2)",
                                           "string",   "timestamp", "date",   "char(3)", "boolean"};
enum { N_RANDOM_TYPES = sizeof random_types / sizeof *random_types };

static inline void append_random_predicate(const skep_type *root, uint64_t *seed, int depth, skep_buf *out) {
  static const char *const operators[] = {" = ", " <> ", " < ", " <= ", " > ", " >= ", " <=> "};
  uint64_t r = next_random(seed) >> 20;
  if (depth > 0 && r % 3 != 0) {
    skep_buf_text(out, r % 5 == 0 ? "NOT (" : "(");
    append_random_predicate(root, seed, depth - 1, out);
    skep_buf_text(out, r % 2 == 0 ? " AND " : " OR ");
    append_random_predicate(root, seed, depth - 1, out);
    skep_buf_byte(out, ')');
    return;
  }
  uint32_t c = (uint32_t)(r / 3 % N_RANDOM_TYPES);
  skep_kind kind = root->children[c]->kind;
  skep_buf_text(out, root->names[c]);
  switch (r / 64 % 12) {
    case 0:
      skep_buf_text(out, " IS NULL");
      break;
    case 1:
      skep_buf_text(out, " IS NOT NULL");
      break;
    case 2:
    case 3:
      skep_buf_text(out, r % 2 == 0 ? " BETWEEN " : " NOT BETWEEN ");
      append_random_literal(kind, seed, out);
      skep_buf_text(out, " AND ");
      append_random_literal(kind, seed, out);
      break;
    case 4:
    case 5:
      skep_buf_text(out, r % 2 == 0 ? " IN (" : " NOT IN (");
      for (uint64_t k = 0; k < 1 + r / 1024 % 14; k++) {
        if (k != 0) skep_buf_byte(out, ',');
        append_random_literal(kind, seed, out);
      }
      skep_buf_byte(out, ')');
      break;
    case 6:
      if (kind == SKEP_STRING || kind == SKEP_CHAR) {
        skep_buf_printf(out, " LIKE '%s'", (const char *const[]){"a%", "ab", "_", "%b", "a\\%", "aa%b"}[r / 1024 % 6]);
        break;
      }
      skep_buf_text(out, " IS NOT NULL");
      break;
    default:
      skep_buf_text(out, operators[r / 1024 % 7]);
      append_random_literal(kind, seed, out);
  }
}

/* A struct root of n_rows random rows over N_RANDOM_TYPES columns c0, c1, ... */
static inline void make_random_root(fixture *f, uint64_t *seed, int n_rows, skep_vec *columns, skep_vec *root) {
  char text[400];
  size_t n = (size_t)snprintf(text, sizeof text, "struct<");
  for (size_t c = 0; c < N_RANDOM_TYPES; c++) {
    n += (size_t)snprintf(text + n, sizeof text - n, "%sc%zu:%s", c == 0 ? "" : ",", c, random_types[c]);
  }
  snprintf(text + n, sizeof text - n, ">");
  const skep_type *type = type_of(f, text);
  for (size_t c = 0; c < N_RANDOM_TYPES; c++) {
    make_vec(f, &columns[c], random_types[c], &(skep_forms){0}, NULL, 0);
    for (int i = 0; i < n_rows; i++) {
      char value[64];
      append_entry(f, &columns[c], &(skep_forms){0}, random_text(type->children[c]->kind, seed, value, sizeof value));
    }
  }
  *root = (skep_vec){.ctx = &f->ctx,
                     .type = type,
                     .form = SKEP_FORM_STRUCT,
                     .length = n_rows,
                     .n_children = N_RANDOM_TYPES,
                     .children = columns};
}

#endif

/* Hive's typing rules over bound types: pure functions, no tree, no names.
 *
 * Source: hiveql.md 2.2 to 2.6; golden 18-functions (which wins: DECIMAL with FLOAT is FLOAT there). */
#ifndef BIND_TYPE_RULES_H
#define BIND_TYPE_RULES_H

#include "bind/bound.h"

/* A primitive type without parameters (VOID and intervals too): static, never NULL. */
const skep_type *skep_rule_type(skep_kind kind);

/* NULL when the arena is full. precision 1..38, scale 0..precision; length of CHAR and VARCHAR. */
const skep_type *skep_rule_decimal(skep_arena *arena, unsigned precision, unsigned scale);
const skep_type *skep_rule_text(skep_arena *arena, skep_kind kind, uint32_t length);
const skep_type *skep_rule_list(skep_arena *arena, const skep_type *element);
const skep_type *skep_rule_map(skep_arena *arena, const skep_type *key, const skep_type *value);
/* A struct or, with names NULL, a uniontype. Arrays are copied, strings and types borrowed. */
const skep_type *skep_rule_fields(skep_arena *arena, const char *const *names, const skep_type *const *types,
                                  uint32_t n);

bool skep_rule_equal(const skep_type *a, const skep_type *b); /* field names in any case */

static inline bool skep_rule_is_integer(const skep_type *t) {
  return t->kind >= SKEP_TINYINT && t->kind <= SKEP_BIGINT;
}
static inline bool skep_rule_is_numeric(const skep_type *t) {
  return t->kind >= SKEP_TINYINT && t->kind <= SKEP_DECIMAL;
}
static inline bool skep_rule_is_float(const skep_type *t) { return t->kind == SKEP_FLOAT || t->kind == SKEP_DOUBLE; }
static inline bool skep_rule_is_string(const skep_type *t) {
  return t->kind == SKEP_STRING || t->kind == SKEP_CHAR || t->kind == SKEP_VARCHAR;
}
static inline bool skep_rule_is_time(const skep_type *t) {
  return t->kind >= SKEP_DATE && t->kind <= SKEP_TIMESTAMP_TZ;
}
static inline bool skep_rule_is_interval(const skep_type *t) {
  return t->kind == SKEP_KIND_INTERVAL_YM || t->kind == SKEP_KIND_INTERVAL_DT;
}
static inline bool skep_rule_is_void(const skep_type *t) { return t->kind == SKEP_KIND_VOID; }
static inline bool skep_rule_is_nested(const skep_type *t) { return t->kind >= SKEP_LIST && t->kind <= SKEP_UNION; }
static inline bool skep_rule_is_primitive(const skep_type *t) { return !skep_rule_is_nested(t); }

/* The low bits of a number as a value of an integer type: what Hive, as Java, makes of one that is outside. */
int64_t skep_rule_wrap(skep_kind kind, int64_t value);

/* Digits of an integer type as DECIMAL sees it: (3,0), (5,0), (10,0), (19,0); a DECIMAL's own. */
void skep_rule_digits(const skep_type *type, unsigned *precision, unsigned *scale);

/* The common type of CASE, COALESCE, IF, IN, array(): NULL when there is none or memory is out (*nomem then). */
const skep_type *skep_rule_common(skep_arena *arena, const skep_type *a, const skep_type *b);
/* The same for the columns of set operations: families do not mix. */
const skep_type *skep_rule_union(skep_arena *arena, const skep_type *a, const skep_type *b);
/* What both sides of a comparison are converted to; NULL: not comparable. */
const skep_type *skep_rule_comparison(skep_arena *arena, const skep_type *a, const skep_type *b);

/* concat(a, b): CHAR and VARCHAR add their lengths, anything else makes a STRING. */
const skep_type *skep_rule_concat(skep_arena *arena, const skep_type *a, const skep_type *b);

typedef enum skep_arith {
  SKEP_ARITH_ADD,
  SKEP_ARITH_SUB,
  SKEP_ARITH_MUL,
  SKEP_ARITH_DIV,
  SKEP_ARITH_MOD,
  SKEP_ARITH_PMOD
} skep_arith;

/* Result of DECIMAL arithmetic on (p1,s1), (p2,s2). */
void skep_rule_decimal_result(skep_arith op, unsigned p1, unsigned s1, unsigned p2, unsigned s2, unsigned *p,
                              unsigned *s);

typedef enum skep_castable {
  SKEP_CAST_OK,
  SKEP_CAST_NEVER,
  SKEP_CAST_TO_TIMESTAMP,
  SKEP_CAST_FROM_TIMESTAMP
} skep_castable;

/* Whether CAST(from AS to) is allowed (SKEP_CAST_TO/FROM_TIMESTAMP: only when hive.strict.timestamp.conversion is off).
 */
skep_castable skep_rule_castable(const skep_type *from, const skep_type *to);

#endif

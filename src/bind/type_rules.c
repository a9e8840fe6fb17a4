/* Hive's typing rules: common types, comparison types, DECIMAL arithmetic, which casts exist. */
#include "bind/type_rules.h"

#include <string.h>
#include <strings.h>

enum { MAX_PRECISION = 38, MIN_ADJUSTED_SCALE = 6, MAX_CHAR = 255, MAX_VARCHAR = 65535 };

static const skep_type simple_types[] = {
    {.kind = SKEP_BOOLEAN},          {.kind = SKEP_TINYINT},
    {.kind = SKEP_SMALLINT},         {.kind = SKEP_INT},
    {.kind = SKEP_BIGINT},           {.kind = SKEP_FLOAT},
    {.kind = SKEP_DOUBLE},           {.kind = SKEP_STRING},
    {.kind = SKEP_BINARY},           {.kind = SKEP_DATE},
    {.kind = SKEP_TIMESTAMP},        {.kind = SKEP_TIMESTAMP_TZ},
    {.kind = SKEP_KIND_INTERVAL_YM}, {.kind = SKEP_KIND_INTERVAL_DT},
    {.kind = SKEP_KIND_VOID},
};

const skep_type *skep_rule_type(skep_kind kind) {
  size_t n = sizeof simple_types / sizeof *simple_types;
  for (size_t i = 0; i < n; i++) {
    if (simple_types[i].kind == kind) return &simple_types[i];
  }
  return &simple_types[n - 1];
}

const skep_type *skep_rule_decimal(skep_arena *arena, unsigned precision, unsigned scale) {
  skep_type *type = skep_arena_zero(arena, 1, sizeof *type);
  if (type == NULL) return NULL;
  type->kind = SKEP_DECIMAL;
  type->precision = (uint16_t)(precision == 0 ? 1 : precision);
  type->scale = (uint16_t)scale;
  return type;
}

const skep_type *skep_rule_text(skep_arena *arena, skep_kind kind, uint32_t length) {
  if (kind == SKEP_STRING) return skep_rule_type(kind);
  skep_type *type = skep_arena_zero(arena, 1, sizeof *type);
  if (type == NULL) return NULL;
  type->kind = kind;
  uint32_t most = kind == SKEP_CHAR ? MAX_CHAR : MAX_VARCHAR;
  type->length = length > most ? most : length == 0 ? 1 : length;
  return type;
}

static const skep_type *nested(skep_arena *arena, skep_kind kind, const skep_type *const *types,
                               const char *const *names, uint32_t n) {
  skep_type *type = skep_arena_zero(arena, 1, sizeof *type);
  const skep_type **children = skep_arena_zero(arena, n == 0 ? 1 : n, sizeof *children);
  const char **copies = skep_arena_zero(arena, n == 0 ? 1 : n, sizeof *copies);
  if (type == NULL || children == NULL || copies == NULL) return NULL;
  for (uint32_t i = 0; i < n; i++) {
    children[i] = types[i];
    if (names != NULL) copies[i] = names[i];
  }
  type->kind = kind;
  type->children = children;
  type->names = names != NULL ? copies : NULL;
  type->n_children = n;
  return type;
}

const skep_type *skep_rule_list(skep_arena *arena, const skep_type *element) {
  return nested(arena, SKEP_LIST, &element, NULL, 1);
}

const skep_type *skep_rule_map(skep_arena *arena, const skep_type *key, const skep_type *value) {
  const skep_type *types[] = {key, value};
  return nested(arena, SKEP_MAP, types, NULL, 2);
}

const skep_type *skep_rule_fields(skep_arena *arena, const char *const *names, const skep_type *const *types,
                                  uint32_t n) {
  return nested(arena, names != NULL ? SKEP_STRUCT : SKEP_UNION, types, names, n);
}

bool skep_rule_equal(const skep_type *a, const skep_type *b) {
  if (a == b) return true;
  if (a->kind != b->kind || a->n_children != b->n_children) return false;
  if (a->kind == SKEP_DECIMAL && (a->precision != b->precision || a->scale != b->scale)) return false;
  if ((a->kind == SKEP_CHAR || a->kind == SKEP_VARCHAR) && a->length != b->length) return false;
  for (uint32_t i = 0; i < a->n_children; i++) {
    if (a->kind == SKEP_STRUCT && strcasecmp(a->names[i], b->names[i]) != 0) return false;
    if (!skep_rule_equal(a->children[i], b->children[i])) return false;
  }
  return true;
}

int64_t skep_rule_wrap(skep_kind kind, int64_t value) {
  switch (kind) {
    case SKEP_TINYINT:
      return (int8_t)(uint8_t)(uint64_t)value;
    case SKEP_SMALLINT:
      return (int16_t)(uint16_t)(uint64_t)value;
    case SKEP_INT:
      return (int32_t)(uint32_t)(uint64_t)value;
    default:
      return value;
  }
}

void skep_rule_digits(const skep_type *type, unsigned *precision, unsigned *scale) {
  *scale = 0;
  switch ((int)type->kind) {
    case SKEP_BOOLEAN:
      *precision = 1;
      break;
    case SKEP_TINYINT:
      *precision = 3;
      break;
    case SKEP_SMALLINT:
      *precision = 5;
      break;
    case SKEP_INT:
      *precision = 10;
      break;
    case SKEP_BIGINT:
      *precision = 19;
      break;
    case SKEP_DECIMAL:
      *precision = type->precision;
      *scale = type->scale;
      break;
    default:
      *precision = MAX_PRECISION;
      *scale = 18;
      break;
  }
}

static unsigned larger(unsigned a, unsigned b) { return a > b ? a : b; }
static unsigned smaller(unsigned a, unsigned b) { return a < b ? a : b; }

/* The wider of two numeric types; DECIMALs (and integers beside them) keep all integer digits and the larger scale. */
static const skep_type *wider_numeric(skep_arena *arena, const skep_type *a, const skep_type *b) {
  if (a->kind == SKEP_DOUBLE || b->kind == SKEP_DOUBLE) return skep_rule_type(SKEP_DOUBLE);
  if (a->kind == SKEP_FLOAT || b->kind == SKEP_FLOAT) return skep_rule_type(SKEP_FLOAT);
  if (a->kind == SKEP_DECIMAL || b->kind == SKEP_DECIMAL) {
    unsigned p1, s1, p2, s2;
    skep_rule_digits(a, &p1, &s1);
    skep_rule_digits(b, &p2, &s2);
    unsigned scale = larger(s1, s2), digits = larger(p1 - s1, p2 - s2);
    unsigned precision = smaller(MAX_PRECISION, digits + scale);
    return skep_rule_decimal(arena, precision, smaller(scale, precision - smaller(digits, precision)));
  }
  return a->kind >= b->kind ? a : b;
}

/* STRING, or the longer of two CHARs or two VARCHARs. */
static const skep_type *wider_string(const skep_type *a, const skep_type *b) {
  if (a->kind == b->kind && a->kind != SKEP_STRING) return a->length >= b->length ? a : b;
  return skep_rule_type(SKEP_STRING);
}

typedef const skep_type *common_rule(skep_arena *, const skep_type *, const skep_type *);

/* Nested types: the same shape, with common types inside (so that NULLs and literals inside get theirs). */
static const skep_type *common_nested(skep_arena *arena, const skep_type *a, const skep_type *b, common_rule *rule) {
  if (a->kind != b->kind || a->n_children != b->n_children) return NULL;
  const skep_type **types = skep_arena_zero(arena, a->n_children == 0 ? 1 : a->n_children, sizeof *types);
  if (types == NULL) return NULL;
  for (uint32_t i = 0; i < a->n_children; i++) {
    if (a->kind == SKEP_STRUCT && strcasecmp(a->names[i], b->names[i]) != 0) return NULL;
    types[i] = rule(arena, a->children[i], b->children[i]);
    if (types[i] == NULL) return NULL;
  }
  return nested(arena, a->kind, types, a->names, a->n_children);
}

static const skep_type *wider_time(const skep_type *a, const skep_type *b) {
  return skep_rule_type(a->kind > b->kind ? a->kind : b->kind);
}

const skep_type *skep_rule_common(skep_arena *arena, const skep_type *a, const skep_type *b) {
  if (skep_rule_is_void(a) || skep_rule_equal(a, b)) return b;
  if (skep_rule_is_void(b)) return a;
  if (skep_rule_is_nested(a) || skep_rule_is_nested(b)) return common_nested(arena, a, b, skep_rule_common);
  if (skep_rule_is_numeric(a) && skep_rule_is_numeric(b)) return wider_numeric(arena, a, b);
  if (skep_rule_is_string(a) && skep_rule_is_string(b)) return wider_string(a, b);
  if (skep_rule_is_time(a) && skep_rule_is_time(b)) return wider_time(a, b);
  bool a_text = skep_rule_is_string(a), b_text = skep_rule_is_string(b);
  const skep_type *other = a_text ? b : a;
  if ((a_text || b_text) && (skep_rule_is_numeric(other) || skep_rule_is_time(other))) {
    return skep_rule_type(SKEP_STRING);
  }
  return NULL;
}

const skep_type *skep_rule_union(skep_arena *arena, const skep_type *a, const skep_type *b) {
  if (skep_rule_is_void(a) || skep_rule_equal(a, b)) return b;
  if (skep_rule_is_void(b)) return a;
  if (skep_rule_is_nested(a) || skep_rule_is_nested(b)) return common_nested(arena, a, b, skep_rule_union);
  if (a->kind == SKEP_DECIMAL && skep_rule_is_integer(b)) return a; /* as it is, too small or not: seen in 4.0.1 */
  if (b->kind == SKEP_DECIMAL && skep_rule_is_integer(a)) return b;
  if (skep_rule_is_numeric(a) && skep_rule_is_numeric(b)) return wider_numeric(arena, a, b);
  if (skep_rule_is_string(a) && skep_rule_is_string(b)) return wider_string(a, b);
  if (skep_rule_is_time(a) && skep_rule_is_time(b)) return wider_time(a, b);
  return NULL;
}

const skep_type *skep_rule_comparison(skep_arena *arena, const skep_type *a, const skep_type *b) {
  if (skep_rule_is_void(a) || skep_rule_equal(a, b)) return b;
  if (skep_rule_is_void(b)) return a;
  if (skep_rule_is_nested(a) || skep_rule_is_nested(b)) return common_nested(arena, a, b, skep_rule_comparison);
  if (skep_rule_is_string(a) && skep_rule_is_string(b)) return skep_rule_type(SKEP_STRING);
  if (skep_rule_is_time(a) && skep_rule_is_time(b)) return wider_time(a, b);
  if (skep_rule_is_time(a) && skep_rule_is_string(b)) return a;
  if (skep_rule_is_string(a) && skep_rule_is_time(b)) return b;
  if (skep_rule_is_numeric(a) && skep_rule_is_numeric(b)) return wider_numeric(arena, a, b);
  if (skep_rule_is_interval(a) || skep_rule_is_interval(b)) return NULL;
  if (a->kind == SKEP_BINARY || b->kind == SKEP_BINARY) return NULL;
  return skep_rule_type(SKEP_DOUBLE); /* numbers with strings, booleans with either: Hive's last resort */
}

const skep_type *skep_rule_concat(skep_arena *arena, const skep_type *a, const skep_type *b) {
  bool texts = (a->kind == SKEP_CHAR || a->kind == SKEP_VARCHAR) && (b->kind == SKEP_CHAR || b->kind == SKEP_VARCHAR);
  skep_kind kind = a->kind == SKEP_CHAR && b->kind == SKEP_CHAR ? SKEP_CHAR : SKEP_VARCHAR;
  uint32_t most = kind == SKEP_CHAR ? MAX_CHAR : MAX_VARCHAR;
  if (!texts || a->length + b->length > most) return skep_rule_type(SKEP_STRING);
  return skep_rule_text(arena, kind, a->length + b->length);
}

/* Beyond 38 digits the integer part is kept and the scale gives way, down to 6. */
static void adjust(unsigned precision, unsigned scale, unsigned *p, unsigned *s) {
  if (precision > MAX_PRECISION) {
    unsigned digits = precision - scale, least = smaller(scale, MIN_ADJUSTED_SCALE);
    scale = larger(digits < MAX_PRECISION ? MAX_PRECISION - digits : 0, least);
    precision = MAX_PRECISION;
  }
  *p = precision;
  *s = scale;
}

void skep_rule_decimal_result(skep_arith op, unsigned p1, unsigned s1, unsigned p2, unsigned s2, unsigned *p,
                              unsigned *s) {
  unsigned scale = larger(s1, s2);
  switch (op) {
    case SKEP_ARITH_MUL:
      adjust(p1 + p2 + 1, s1 + s2, p, s);
      break;
    case SKEP_ARITH_DIV:
      scale = larger(MIN_ADJUSTED_SCALE, s1 + p2 + 1);
      adjust(p1 - s1 + s2 + scale, scale, p, s);
      break;
    case SKEP_ARITH_MOD:
      adjust(smaller(p1 - s1, p2 - s2) + scale, scale, p, s);
      break;
    case SKEP_ARITH_PMOD:
      *p = smaller(MAX_PRECISION, larger(p1 - s1, p2 - s2) + scale);
      *s = smaller(scale, *p);
      break;
    default: /* + - */
      adjust(larger(p1 - s1, p2 - s2) + scale + 1, scale, p, s);
      break;
  }
  if (*p == 0) *p = 1;
}

static skep_castable castable_primitive(const skep_type *from, const skep_type *to) {
  bool from_number = skep_rule_is_numeric(from), to_number = skep_rule_is_numeric(to);
  switch ((int)to->kind) {
    case SKEP_KIND_VOID:
      return SKEP_CAST_NEVER;
    case SKEP_BINARY:
      return skep_rule_is_string(from) || from->kind == SKEP_BINARY ? SKEP_CAST_OK : SKEP_CAST_NEVER;
    case SKEP_STRING:
    case SKEP_CHAR:
    case SKEP_VARCHAR:
      return SKEP_CAST_OK;
    case SKEP_DATE:
      return skep_rule_is_string(from) || skep_rule_is_time(from) ? SKEP_CAST_OK : SKEP_CAST_NEVER;
    case SKEP_TIMESTAMP:
    case SKEP_TIMESTAMP_TZ:
      if (from_number) return SKEP_CAST_TO_TIMESTAMP;
      return skep_rule_is_string(from) || skep_rule_is_time(from) || from->kind == SKEP_BOOLEAN ? SKEP_CAST_OK
                                                                                                : SKEP_CAST_NEVER;
    case SKEP_KIND_INTERVAL_YM:
    case SKEP_KIND_INTERVAL_DT:
      return skep_rule_is_string(from) || from->kind == to->kind ? SKEP_CAST_OK : SKEP_CAST_NEVER;
    default:
      break; /* to a number or BOOLEAN */
  }
  if (from->kind == SKEP_TIMESTAMP && to->kind == SKEP_DECIMAL)
    return SKEP_CAST_OK; /* not under the strict rule: golden 18 */
  if (from->kind == SKEP_DATE && to->kind == SKEP_DECIMAL) return SKEP_CAST_NEVER;
  if (skep_rule_is_time(from)) return SKEP_CAST_FROM_TIMESTAMP;
  bool fine = from_number || from->kind == SKEP_BOOLEAN || skep_rule_is_string(from);
  return fine && (to_number || to->kind == SKEP_BOOLEAN) ? SKEP_CAST_OK : SKEP_CAST_NEVER;
}

skep_castable skep_rule_castable(const skep_type *from, const skep_type *to) {
  if (skep_rule_equal(from, to) || skep_rule_is_void(from)) return SKEP_CAST_OK;
  if (skep_rule_is_primitive(from) && skep_rule_is_primitive(to)) return castable_primitive(from, to);
  if (from->kind != to->kind || from->n_children != to->n_children) return SKEP_CAST_NEVER;
  for (uint32_t i = 0; i < from->n_children; i++) {
    if (from->kind == SKEP_STRUCT && strcasecmp(from->names[i], to->names[i]) != 0) return SKEP_CAST_NEVER;
    if (skep_rule_castable(from->children[i], to->children[i]) != SKEP_CAST_OK) return SKEP_CAST_NEVER;
  }
  return SKEP_CAST_OK;
}

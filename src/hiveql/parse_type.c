/* Types in statements.
 *
 *   type      := primitive | ARRAY '<' type '>' | MAP '<' type ',' type '>' | UNIONTYPE '<' type (',' type)* '>'
 *              | STRUCT '<' name ':' type [COMMENT STRING] (',' ...)* '>'
 *   primitive := a word of the table below | DOUBLE [PRECISION] | TIMESTAMP [WITH LOCAL TIME ZONE]
 *              | (CHAR | VARCHAR) '(' n ')' | DECIMAL ['(' precision [',' scale] ')']
 *
 * Comments of struct fields are read and dropped: the type string of the metastore has no place for them. */
#include "hiveql/parse_int.h"

static const struct {
  skep_keyword keyword;
  skep_kind kind;
} plain_types[] = {
    {SKEP_KW_BOOLEAN, SKEP_BOOLEAN},
    {SKEP_KW_TINYINT, SKEP_TINYINT},
    {SKEP_KW_SMALLINT, SKEP_SMALLINT},
    {SKEP_KW_INT, SKEP_INT},
    {SKEP_KW_BIGINT, SKEP_BIGINT},
    {SKEP_KW_FLOAT, SKEP_FLOAT},
    {SKEP_KW_REAL, SKEP_FLOAT},
    {SKEP_KW_DOUBLE, SKEP_DOUBLE},
    {SKEP_KW_STRING, SKEP_STRING},
    {SKEP_KW_BINARY, SKEP_BINARY},
    {SKEP_KW_DATE, SKEP_DATE},
    {SKEP_KW_TIMESTAMP, SKEP_TIMESTAMP},
    {SKEP_KW_TIMESTAMPLOCALTZ, SKEP_TIMESTAMP_TZ},
};

static const skep_type *make(skep_parser *p, const skep_type *like, const skep_type *const *children,
                             const char *const *names, uint32_t n) {
  const skep_type *type = NULL;
  if (p->status != SKEP_OK) return NULL;
  skep_status st = skep_type_make(p->arena, like, children, names, n, &type, p->err);
  if (st != SKEP_OK) p->status = st;
  return st == SKEP_OK ? type : NULL;
}

static bool in_range(skep_parser *p, const char *what, uint64_t value, uint64_t low, uint64_t high) {
  if (value >= low && value <= high) return true;
  skep_p_refuse(p, SKEP_ERR_SEMANTIC, "SemanticException %s %llu out of allowed range [%llu, %llu]", what,
                (unsigned long long)value, (unsigned long long)low, (unsigned long long)high);
  return false;
}

/* '(' n ')' of CHAR and VARCHAR */
static const skep_type *char_type(skep_parser *p, skep_kind kind) {
  uint64_t length;
  p->context = "primitive type specification";
  if (!skep_p_expect(p, SKEP_TOKEN_LPAREN) || !skep_p_integer(p, &length)) return NULL;
  if (!in_range(p, kind == SKEP_CHAR ? "Char length" : "Varchar length", length, 1, kind == SKEP_CHAR ? 255 : 65535)) {
    return NULL;
  }
  skep_type like = {.kind = kind, .length = (uint32_t)length};
  return skep_p_expect(p, SKEP_TOKEN_RPAREN) ? make(p, &like, NULL, NULL, 0) : NULL;
}

static const skep_type *decimal_type(skep_parser *p) {
  uint64_t precision = 10, scale = 0;
  if (skep_p_accept(p, SKEP_TOKEN_LPAREN)) {
    if (!skep_p_integer(p, &precision)) return NULL;
    if (skep_p_accept(p, SKEP_TOKEN_COMMA) && !skep_p_integer(p, &scale)) return NULL;
    if (!skep_p_expect(p, SKEP_TOKEN_RPAREN)) return NULL;
  }
  if (!in_range(p, "Decimal precision", precision, 1, 38) || !in_range(p, "Decimal scale", scale, 0, precision)) {
    return NULL;
  }
  skep_type like = {.kind = SKEP_DECIMAL, .precision = (uint16_t)precision, .scale = (uint16_t)scale};
  return make(p, &like, NULL, NULL, 0);
}

static bool push_type(skep_parser *p) {
  const skep_type *type = skep_p_type(p);
  return type != NULL && skep_p_push(p, &type, sizeof type);
}

/* '<' type (',' type)* '>' : `least` to `most` of them */
static const skep_type *nested_type(skep_parser *p, skep_kind kind, uint32_t least, uint32_t most) {
  size_t mark = skep_p_mark(p);
  uint32_t n = 0;
  const char *context = kind == SKEP_LIST ? "list type" : kind == SKEP_MAP ? "map type" : "uniontype type";
  if (!skep_p_expect(p, SKEP_TOKEN_LT)) return NULL;
  do {
    p->context = context;
    if (n++ == most) break;
    if (!push_type(p)) return NULL;
  } while (n < least ? skep_p_expect(p, SKEP_TOKEN_COMMA) : n < most && skep_p_accept(p, SKEP_TOKEN_COMMA));
  if (p->status != SKEP_OK || !skep_p_expect(p, SKEP_TOKEN_GT)) return NULL;
  const skep_type *const *children = skep_p_take(p, mark, sizeof *children, &n);
  skep_type like = {.kind = kind};
  return make(p, &like, children, NULL, n);
}

typedef struct field {
  const char *name;
  const skep_type *type;
} field;

static bool struct_field(skep_parser *p) {
  p->context = "column specification";
  field f = {skep_p_name(p), NULL};
  if (f.name == NULL || !skep_p_expect(p, SKEP_TOKEN_COLON)) return false;
  f.type = skep_p_type(p);
  if (f.type == NULL) return false;
  if (skep_p_accept_kw(p, SKEP_KW_COMMENT) && skep_p_string(p) == NULL) return false;
  return skep_p_push(p, &f, sizeof f);
}

static const skep_type *struct_type(skep_parser *p) {
  size_t mark = skep_p_mark(p);
  uint32_t n;
  if (!skep_p_expect(p, SKEP_TOKEN_LT)) return NULL;
  do {
    if (!struct_field(p)) return NULL;
  } while (skep_p_accept(p, SKEP_TOKEN_COMMA));
  const field *fields = skep_p_take(p, mark, sizeof *fields, &n);
  if (fields == NULL || !skep_p_expect(p, SKEP_TOKEN_GT)) return NULL;
  const skep_type **types = skep_arena_zero(p->arena, n, sizeof *types);
  const char **names = skep_arena_zero(p->arena, n, sizeof *names);
  if (types == NULL || names == NULL) {
    skep_p_no_memory(p);
    return NULL;
  }
  for (uint32_t i = 0; i < n; i++) {
    types[i] = fields[i].type;
    names[i] = fields[i].name;
  }
  skep_type like = {.kind = SKEP_STRUCT};
  return make(p, &like, types, names, n);
}

static const skep_type *plain_type(skep_parser *p, skep_kind kind) {
  skep_type like = {.kind = kind};
  if (kind == SKEP_DOUBLE) (void)skep_p_accept_kw(p, SKEP_KW_PRECISION);
  /* WITH may as well begin a clause of the statement behind a column list's end: look one further. */
  if (kind == SKEP_TIMESTAMP && skep_p_keyword(p, 0) == SKEP_KW_WITH &&
      skep_p_accept_kw2(p, SKEP_KW_WITH, SKEP_KW_LOCAL)) {
    if (!skep_p_expect_kw(p, SKEP_KW_TIME) || !skep_p_expect_kw(p, SKEP_KW_ZONE)) return NULL;
    like.kind = SKEP_TIMESTAMP_TZ;
  }
  return make(p, &like, NULL, NULL, 0);
}

static const skep_type *type_at(skep_parser *p) {
  skep_keyword keyword = skep_p_keyword(p, 0);
  for (size_t i = 0; i < sizeof plain_types / sizeof plain_types[0]; i++) {
    if (plain_types[i].keyword == keyword) {
      skep_p_next(p);
      return plain_type(p, plain_types[i].kind);
    }
  }
  if (skep_p_accept_kw(p, SKEP_KW_DECIMAL)) return decimal_type(p);
  if (skep_p_accept_kw(p, SKEP_KW_CHAR)) return char_type(p, SKEP_CHAR);
  if (skep_p_accept_kw(p, SKEP_KW_VARCHAR)) return char_type(p, SKEP_VARCHAR);
  if (skep_p_accept_kw(p, SKEP_KW_ARRAY)) return nested_type(p, SKEP_LIST, 1, 1);
  if (skep_p_accept_kw(p, SKEP_KW_MAP)) return nested_type(p, SKEP_MAP, 2, 2);
  if (skep_p_accept_kw(p, SKEP_KW_UNIONTYPE)) return nested_type(p, SKEP_UNION, 1, 127);
  if (skep_p_accept_kw(p, SKEP_KW_STRUCT)) return struct_type(p);
  if (keyword == SKEP_KW_DATETIME) {
    skep_p_refuse(p, SKEP_ERR_SEMANTIC,
                  "SemanticException [Error 10099]: DATETIME type isn't supported yet. Please use DATE or TIMESTAMP "
                  "instead");
    return NULL;
  }
  p->n_expected = 0;
  skep_p_expected(p, "a type");
  skep_p_syntax(p);
  return NULL;
}

const skep_type *skep_p_type(skep_parser *p) {
  const char *saved = p->context;
  if (!skep_p_enter(p)) return NULL;
  const skep_type *type = type_at(p);
  skep_p_leave(p);
  if (type != NULL) p->context = saved;
  return type;
}

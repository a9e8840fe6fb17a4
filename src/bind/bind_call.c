/* Function calls: arguments are converted as the table of functions.c says, special rules give the types that no letter
 * says (those of aggregates: bind_aggregate.c), aggregates and windows are checked for their place. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "bind/bind_call_int.h"
#include "column/text.h"

skep_status skep_call_wrong(call_state *c, uint32_t arg, const char *what) {
  char label[96];
  const skep_expr *at = arg < c->call->args.n ? c->call->args.items[arg] : c->expr;
  return skep_bind_fail(c->b, c->expr->pos, 10014, "Wrong arguments '%s': %s", skep_bind_label(at, label, sizeof label),
                        what);
}

skep_status skep_call_wrong_type(call_state *c, uint32_t arg, const char *wanted) {
  char what[200];
  snprintf(what, sizeof what, "%s() takes %s as argument %u, got %s", c->fn->name, wanted, arg + 1,
           skep_bind_type_text(c->b, c->bx->args[arg]->type));
  return skep_call_wrong(c, arg, what);
}

skep_status skep_call_convert(call_state *c, uint32_t arg, const skep_type *to) {
  return skep_bind_convert(c->b, c->bx->args[arg], to, &c->bx->args[arg]);
}

/* ---- letters ---- */

static skep_status convert_int(call_state *c, uint32_t arg, bool strict) {
  const skep_type *from = c->bx->args[arg]->type, *to = skep_rule_type(SKEP_INT);
  if (skep_rule_is_void(from) && !strict) return skep_call_convert(c, arg, to);
  if (skep_rule_is_integer(from) && from->kind != SKEP_BIGINT) return skep_call_convert(c, arg, to);
  skep_bx *exact = skep_bx_retype(c->b, c->bx->args[arg], to);
  if (exact != NULL && from->kind == SKEP_BIGINT) {
    c->bx->args[arg] = exact;
    return SKEP_OK;
  }
  return skep_call_wrong_type(c, arg, strict ? "TINYINT/SMALLINT/INT types" : "an INT");
}

static skep_status convert_time(call_state *c, uint32_t arg, skep_kind kind) {
  const skep_type *from = c->bx->args[arg]->type;
  bool fine = skep_rule_is_string(from) || skep_rule_is_time(from) || skep_rule_is_void(from);
  return fine ? skep_call_convert(c, arg, skep_rule_type(kind))
              : skep_call_wrong_type(c, arg, "STRING/TIMESTAMP/DATE types");
}

static skep_status convert_number(call_state *c, uint32_t arg) {
  const skep_type *from = c->bx->args[arg]->type;
  if (skep_rule_is_string(from)) return skep_call_convert(c, arg, skep_rule_type(SKEP_DOUBLE));
  return skep_rule_is_numeric(from) ? SKEP_OK : skep_call_wrong_type(c, arg, "a number");
}

skep_status skep_call_convert_letter(call_state *c, uint32_t arg, char letter) {
  const skep_type *from = c->bx->args[arg]->type;
  bool is_void = skep_rule_is_void(from), numeric = skep_rule_is_numeric(from), text = skep_rule_is_string(from);
  switch (letter) {
    case 's':
      if (skep_rule_is_nested(from)) return skep_call_wrong_type(c, arg, "a primitive type");
      return skep_call_convert(c, arg, skep_rule_type(SKEP_STRING));
    case 'S':
      return text ? skep_call_convert(c, arg, skep_rule_type(SKEP_STRING))
                  : skep_call_wrong_type(c, arg, "STRING/CHAR/VARCHAR types");
    case 'x':
      if (from->kind == SKEP_BINARY) return SKEP_OK;
      return text || is_void ? skep_call_convert(c, arg, skep_rule_type(SKEP_STRING))
                             : skep_call_wrong_type(c, arg, "STRING/CHAR/VARCHAR/BINARY types");
    case 'i':
    case 'I':
      return convert_int(c, arg, letter == 'I');
    case 'l':
      if (skep_rule_is_integer(from)) return skep_call_convert(c, arg, skep_rule_type(SKEP_BIGINT));
      return skep_call_wrong_type(c, arg, "an integer");
    case 'd':
      return numeric || text || is_void ? skep_call_convert(c, arg, skep_rule_type(SKEP_DOUBLE))
                                        : skep_call_wrong_type(c, arg, "a number");
    case 'n':
      return convert_number(c, arg);
    case 'D':
      return convert_time(c, arg, SKEP_DATE);
    case 'T':
      return convert_time(c, arg, SKEP_TIMESTAMP);
    case 'b':
      return skep_bind_to_boolean(c->b, c->bx->args[arg], &c->bx->args[arg]);
    case 'y':
      return from->kind == SKEP_BINARY || text || is_void ? skep_call_convert(c, arg, skep_rule_type(SKEP_BINARY))
                                                          : skep_call_wrong_type(c, arg, "BINARY");
    default:
      return SKEP_OK;
  }
}

static const skep_type *letter_type(call_state *c, char letter) {
  skep_arena *arena = c->b->arena;
  const skep_type *string = skep_rule_type(SKEP_STRING);
  if (letter >= '0' && letter <= '9') return c->bx->args[letter - '0']->type;
  switch (letter) {
    case 'i':
      return skep_rule_type(SKEP_INT);
    case 'l':
      return skep_rule_type(SKEP_BIGINT);
    case 't':
      return skep_rule_type(SKEP_TINYINT);
    case 'h':
      return skep_rule_type(SKEP_SMALLINT);
    case 'f':
      return skep_rule_type(SKEP_FLOAT);
    case 'd':
      return skep_rule_type(SKEP_DOUBLE);
    case 'D':
      return skep_rule_type(SKEP_DATE);
    case 'T':
      return skep_rule_type(SKEP_TIMESTAMP);
    case 'b':
      return skep_rule_type(SKEP_BOOLEAN);
    case 'y':
      return skep_rule_type(SKEP_BINARY);
    case 'v':
      return skep_rule_type(SKEP_KIND_VOID);
    case 'S':
      return skep_rule_list(arena, string);
    case 'M':
      return skep_rule_map(arena, string, string);
    case 'x':
      return c->bx->args[0]->type->kind == SKEP_BINARY ? c->bx->args[0]->type : string;
    default:
      return string;
  }
}

static skep_status plain_args(call_state *c) {
  const char *letters = c->fn->params;
  size_t n = strlen(letters);
  for (uint32_t i = 0; i < c->bx->n_args && n != 0; i++) {
    SKEP_TRY(skep_call_convert_letter(c, i, letters[i < n ? i : n - 1]));
  }
  return SKEP_OK;
}

skep_status skep_call_plain(call_state *c) {
  if (strcmp(c->fn->name, "format_number") == 0 && skep_rule_is_string(c->bx->args[1]->type)) {
    return skep_bind_unsupported(c->b, c->expr->pos, "format_number with a pattern");
  }
  SKEP_TRY(plain_args(c));
  c->bx->type = letter_type(c, c->fn->result);
  return SKEP_OK;
}

/* ---- rules ---- */

static skep_status replace_node(call_state *c, skep_bx *bx) {
  if (bx == NULL) return skep_bind_nomem(c->b);
  c->bx = bx;
  return SKEP_OK;
}

static skep_status case_of(call_state *c, skep_bx *const *args, uint32_t n, const skep_type *type) {
  skep_bx *bx = skep_bx_new(c->b, SKEP_BX_CASE, type, c->expr->pos, n);
  if (bx == NULL) return skep_bind_nomem(c->b);
  memcpy(bx->args, args, n * sizeof *args);
  return replace_node(c, bx);
}

static skep_status rule_if(call_state *c) {
  const skep_bx *condition = c->bx->args[0];
  if (condition->type->kind != SKEP_BOOLEAN && !skep_rule_is_void(condition->type)) {
    char label[96];
    const skep_expr *at = c->call->args.items[0];
    return skep_bind_fail(c->b, at->pos, 10016,
                          "Argument type mismatch '%s': The first argument of function IF should be \"boolean\", but "
                          "\"%s\" is found",
                          skep_bind_label(at, label, sizeof label), skep_bind_type_text(c->b, condition->type));
  }
  SKEP_TRY(skep_call_convert_letter(c, 0, 'b'));
  const skep_type *type;
  if (condition->op != SKEP_BX_CONST) SKEP_TRY(skep_bind_narrow(c->b, c->bx->args + 1, 2));
  SKEP_TRY(skep_bind_common(c->b, c->bx->args + 1, 2, c->expr->pos, "IF", &type));
  return case_of(c, c->bx->args, 3, type);
}

static skep_status rule_coalesce(call_state *c) {
  if (c->fn->name[0] == 'c') SKEP_TRY(skep_bind_narrow(c->b, c->bx->args, c->bx->n_args)); /* nvl does not: seen */
  return skep_bind_common(c->b, c->bx->args, c->bx->n_args, c->expr->pos, "COALESCE", &c->bx->type);
}

static skep_status rule_nullif(call_state *c) {
  skep_bx *equal, *null = skep_bx_null(c->b, c->bx->args[0]->type);
  SKEP_TRY(skep_bind_compare(c->b, SKEP_OP_EQ, c->bx->args[0], c->bx->args[1], c->expr->pos, &equal));
  skep_bx *args[] = {equal, null, c->bx->args[0]};
  return null == NULL ? skep_bind_nomem(c->b) : case_of(c, args, 3, c->bx->args[0]->type);
}

/* DuckDB's greatest and least pass NULLs over, Hive's do not: a CASE in front. */
static skep_status rule_greatest(call_state *c) {
  const skep_type *type = c->bx->args[0]->type;
  for (uint32_t i = 1; i < c->bx->n_args; i++) {
    const skep_type *other = c->bx->args[i]->type;
    if (skep_rule_is_nested(type) || skep_rule_is_nested(other)) return skep_call_wrong_type(c, i, "a primitive type");
    const skep_type *next = skep_rule_comparison(c->b->arena, type, other);
    if (next == NULL) return skep_call_wrong_type(c, i, "a type that compares with the others");
    type = next;
  }
  if (skep_rule_is_void(type)) return replace_node(c, skep_bx_null(c->b, type));
  skep_bx *any = NULL;
  for (uint32_t i = 0; i < c->bx->n_args; i++) {
    SKEP_TRY(skep_call_convert(c, i, type));
    skep_bx *one = skep_bx_operator(c->b, "is null", skep_rule_type(SKEP_BOOLEAN), c->expr->pos, c->bx->args[i], NULL);
    if (one == NULL) return skep_bind_nomem(c->b);
    any = any == NULL ? one : skep_bx_operator(c->b, "or", one->type, c->expr->pos, any, one);
    if (any == NULL) return skep_bind_nomem(c->b);
  }
  c->bx->type = type;
  skep_bx_mark(c->bx);
  skep_bx *args[] = {any, skep_bx_null(c->b, type), c->bx};
  return args[1] == NULL ? skep_bind_nomem(c->b) : case_of(c, args, 3, type);
}

static skep_status rule_concat(call_state *c) {
  if (c->bx->n_args == 0) return replace_node(c, skep_bx_text(c->b, "", 0));
  const skep_type *type = c->bx->args[0]->type;
  for (uint32_t i = 1; i < c->bx->n_args && type != NULL; i++) {
    type = skep_rule_concat(c->b->arena, type, c->bx->args[i]->type);
  }
  if (type == NULL) return skep_bind_nomem(c->b);
  if (!skep_rule_is_string(type)) type = skep_rule_type(SKEP_STRING);
  for (uint32_t i = 0; i < c->bx->n_args; i++) {
    if (skep_rule_is_nested(c->bx->args[i]->type)) return skep_call_wrong_type(c, i, "a primitive type");
    SKEP_TRY(skep_call_convert(c, i, skep_rule_type(SKEP_STRING)));
  }
  skep_bx *all = c->bx->args[0];
  for (uint32_t i = 1; i < c->bx->n_args; i++) {
    all = skep_bx_operator(c->b, "||", skep_rule_type(SKEP_STRING), c->expr->pos, all, c->bx->args[i]);
    if (all == NULL) return skep_bind_nomem(c->b);
  }
  SKEP_TRY(skep_bind_convert(c->b, all, type, &all));
  return replace_node(c, all);
}

static skep_status rule_concat_ws(call_state *c) {
  const skep_type *string = skep_rule_type(SKEP_STRING), *list = skep_rule_list(c->b->arena, string);
  SKEP_TRY(skep_call_convert_letter(c, 0, 's'));
  for (uint32_t i = 1; i < c->bx->n_args; i++) {
    const skep_type *type = c->bx->args[i]->type;
    bool strings =
        type->kind == SKEP_LIST && (skep_rule_is_string(type->children[0]) || skep_rule_is_void(type->children[0]));
    if (skep_rule_is_nested(type) && !strings) return skep_call_wrong_type(c, i, "\"string or array<string>\"");
    SKEP_TRY(skep_call_convert(c, i, strings ? list : string));
  }
  c->bx->type = string;
  return SKEP_OK;
}

static skep_status rule_array(call_state *c) {
  const skep_type *element = skep_rule_type(SKEP_STRING);
  if (c->bx->n_args != 0) {
    SKEP_TRY(skep_bind_common(c->b, c->bx->args, c->bx->n_args, c->expr->pos, "ARRAY", &element));
  }
  if (skep_rule_is_void(element)) {
    element = skep_rule_type(SKEP_STRING);
    for (uint32_t i = 0; i < c->bx->n_args; i++) SKEP_TRY(skep_call_convert(c, i, element));
  }
  c->bx->type = skep_rule_list(c->b->arena, element);
  return SKEP_OK;
}

static skep_status rule_map(call_state *c) {
  uint32_t n = c->bx->n_args / 2;
  if (c->bx->n_args % 2 != 0) return skep_call_wrong(c, c->bx->n_args - 1, "Arguments must be in key/value pairs");
  const skep_type *types[] = {skep_rule_type(SKEP_STRING), skep_rule_type(SKEP_STRING)};
  for (uint32_t side = 0; side < 2 && n != 0; side++) {
    skep_bx **args = skep_arena_zero(c->b->arena, n, sizeof *args);
    if (args == NULL) return skep_bind_nomem(c->b);
    for (uint32_t i = 0; i < n; i++) args[i] = c->bx->args[2 * i + side];
    SKEP_TRY(skep_bind_common(c->b, args, n, c->expr->pos, "MAP", &types[side]));
    if (skep_rule_is_void(types[side])) types[side] = skep_rule_type(SKEP_STRING);
    if (side == 0 && skep_rule_is_nested(types[0]))
      return skep_call_wrong(c, 0, "Primitive types are allowed as keys only");
    for (uint32_t i = 0; i < n; i++)
      SKEP_TRY(skep_bind_convert(c->b, args[i], types[side], &c->bx->args[2 * i + side]));
  }
  c->bx->type = skep_rule_map(c->b->arena, types[0], types[1]);
  return SKEP_OK;
}

static skep_status struct_of(call_state *c, const char *const *names, skep_bx **args, uint32_t n) {
  const skep_type **types = skep_arena_zero(c->b->arena, n, sizeof *types);
  if (types == NULL) return skep_bind_nomem(c->b);
  for (uint32_t i = 0; i < n; i++) types[i] = args[i]->type;
  c->bx->n_args = n;
  c->bx->args = args;
  c->bx->type = skep_rule_fields(c->b->arena, names, types, n);
  return SKEP_OK;
}

static skep_status rule_struct(call_state *c) {
  uint32_t n = c->bx->n_args;
  const char **names = skep_arena_zero(c->b->arena, n, sizeof *names);
  for (uint32_t i = 0; names != NULL && i < n; i++) {
    char name[16];
    int length = snprintf(name, sizeof name, "col%u", i + 1);
    names[i] = skep_arena_strndup(c->b->arena, name, (size_t)length);
    if (names[i] == NULL) names = NULL;
  }
  return names == NULL ? skep_bind_nomem(c->b) : struct_of(c, names, c->bx->args, n);
}

static skep_status rule_named_struct(call_state *c) {
  uint32_t n = c->bx->n_args / 2;
  if (c->bx->n_args % 2 != 0)
    return skep_call_wrong(c, c->bx->n_args - 1, "NAMED_STRUCT takes names and values in turn");
  const char **names = skep_arena_zero(c->b->arena, n, sizeof *names);
  skep_bx **args = skep_arena_zero(c->b->arena, n, sizeof *args);
  if (names == NULL || args == NULL) return skep_bind_nomem(c->b);
  for (uint32_t i = 0; i < n; i++) {
    const skep_bx *name = c->bx->args[2 * i];
    if (name->op != SKEP_BX_CONST || name->type->kind != SKEP_STRING || name->value.is_null) {
      return skep_call_wrong(c, 2 * i, "Even arguments to NAMED_STRUCT must be a constant STRING");
    }
    const char *text = (const char *)name->value.bytes.at;
    if (memchr(text, 0, name->value.bytes.left) != NULL)
      return skep_call_wrong(c, 2 * i, "a field name holds a NUL byte");
    char *copy = skep_arena_strndup(c->b->arena, text, name->value.bytes.left);
    if (copy == NULL) return skep_bind_nomem(c->b);
    for (char *at = copy; *at != '\0'; at++) *at = (char)(*at >= 'A' && *at <= 'Z' ? *at + 32 : *at);
    names[i] = copy;
    for (uint32_t j = 0; j < i; j++) {
      if (strcmp(names[j], names[i]) == 0) return skep_call_wrong(c, 2 * i, "a field name is there twice");
    }
    args[i] = c->bx->args[2 * i + 1];
  }
  return struct_of(c, names, args, n);
}

static skep_status rule_union(call_state *c) {
  const skep_bx *tag = c->bx->args[0];
  uint32_t n = c->bx->n_args - 1;
  if (tag->op != SKEP_BX_CONST || !skep_rule_is_integer(tag->type) || tag->value.is_null) {
    return skep_bind_unsupported(c->b, c->expr->pos, "create_union with a tag that is no constant");
  }
  if (tag->value.i64 < 0 || tag->value.i64 >= n || n > 127) return skep_call_wrong(c, 0, "the tag names no argument");
  const skep_type **types = skep_arena_zero(c->b->arena, n, sizeof *types);
  if (types == NULL) return skep_bind_nomem(c->b);
  for (uint32_t i = 0; i < n; i++) types[i] = c->bx->args[i + 1]->type;
  c->bx->variant = (uint32_t)tag->value.i64;
  c->bx->args++;
  c->bx->n_args = n;
  c->bx->type = skep_rule_fields(c->b->arena, NULL, types, n);
  return SKEP_OK;
}

static skep_status rule_size(call_state *c) {
  const skep_type *type = c->bx->args[0]->type;
  if (skep_rule_is_void(type)) return replace_node(c, skep_bx_int(c->b, skep_rule_type(SKEP_INT), -1));
  if (type->kind != SKEP_LIST && type->kind != SKEP_MAP) return skep_call_wrong_type(c, 0, "\"map\" or \"list\"");
  c->bx->type = skep_rule_type(SKEP_INT);
  return SKEP_OK;
}

/* One hash a value, combined as Java's lists do. A day-time interval is hashed by its parts first (golden 17). */
static skep_status rule_hash(call_state *c) {
  skep_bx *all = NULL;
  for (uint32_t i = 0; i < c->bx->n_args; i++) {
    skep_bx *arg = c->bx->args[i];
    if (arg->type->kind == SKEP_KIND_INTERVAL_DT) {
      arg = skep_bx_operator(c->b, "hash of interval", skep_rule_type(SKEP_INT), c->expr->pos, arg, NULL);
      if (arg == NULL) return skep_bind_nomem(c->b);
    }
    if (skep_rule_is_void(arg->type)) SKEP_TRY(skep_bind_convert(c->b, arg, skep_rule_type(SKEP_INT), &arg));
    skep_bx *one = skep_bx_call(c->b, c->fn, skep_rule_type(SKEP_INT), c->expr->pos, &arg, 1);
    if (one == NULL) return skep_bind_nomem(c->b);
    all = all == NULL ? one : skep_bx_operator(c->b, "combine hashes", one->type, c->expr->pos, all, one);
    if (all == NULL) return skep_bind_nomem(c->b);
  }
  return replace_node(c, all);
}

/* A constant number of digits; anything else is refused as Hive does for DECIMAL. */
static bool constant_digits(const skep_bx *bx, int64_t *out) {
  if (bx->op != SKEP_BX_CONST || !skep_rule_is_integer(bx->type) || bx->value.is_null) return false;
  *out = bx->value.i64 > 100 ? 100 : bx->value.i64 < -100 ? -100 : bx->value.i64;
  return true;
}

/* DECIMAL(p,s) rounded to d digits: one integer digit more, scale d. */
static const skep_type *rounded_decimal(call_state *c, const skep_type *type, int64_t digits) {
  unsigned integer = (unsigned)(type->precision - type->scale) + (digits < type->scale ? 1 : 0);
  unsigned scale = digits < 0 ? 0 : digits > 38 ? 38 : (unsigned)digits;
  if (integer > 38) integer = 38;
  if (integer + scale > 38) scale = 38 - integer;
  return skep_rule_decimal(c->b->arena, integer + scale, scale);
}

static skep_status rule_round(call_state *c) {
  const skep_type *type = c->bx->args[0]->type;
  int64_t digits = 0;
  if (skep_rule_is_void(type)) return replace_node(c, skep_bx_null(c->b, type));
  if (skep_rule_is_nested(type) || type->kind == SKEP_BOOLEAN) return skep_call_wrong_type(c, 0, "a number");
  SKEP_TRY(convert_number(c, 0));
  if (c->bx->n_args == 2 && !constant_digits(c->bx->args[1], &digits)) {
    return skep_call_wrong(c, 1, "ROUND second argument only takes constant");
  }
  type = c->bx->args[0]->type;
  c->bx->variant = (uint32_t)(digits + 1000);
  c->bx->type = type->kind == SKEP_DECIMAL ? rounded_decimal(c, type, digits) : type;
  return SKEP_OK;
}

static skep_status rule_floor(call_state *c) {
  SKEP_TRY(convert_number(c, 0));
  const skep_type *type = c->bx->args[0]->type;
  if (type->kind == SKEP_DECIMAL) {
    unsigned integer = (unsigned)(type->precision - type->scale);
    c->bx->type = skep_rule_decimal(c->b->arena, integer + 1 > 38 ? 38 : integer + (type->scale != 0 ? 1 : 0), 0);
    /* golden 18: floor of decimal(3,1) is decimal(3,0), of decimal(10,2) decimal(9,0), of decimal(2,1) decimal(2,0) */
  } else {
    c->bx->type = skep_rule_type(SKEP_BIGINT);
    if (skep_rule_is_integer(type)) return skep_bind_convert(c->b, c->bx->args[0], c->bx->type, &c->bx);
    SKEP_TRY(skep_call_convert(c, 0, skep_rule_type(SKEP_DOUBLE)));
  }
  return SKEP_OK;
}

static skep_status rule_trunc(call_state *c) {
  const skep_type *type = c->bx->args[0]->type;
  if (skep_rule_is_numeric(type)) {
    int64_t digits = 0;
    if (c->bx->n_args == 2 && !constant_digits(c->bx->args[1], &digits)) {
      return skep_bind_unsupported(c->b, c->expr->pos, "trunc of a number to a number of digits that is no constant");
    }
    if (type->kind != SKEP_DECIMAL)
      return skep_bind_unsupported(c->b, c->expr->pos, "trunc of a number that is no DECIMAL");
    c->bx->variant = (uint32_t)(digits + 1000);
    unsigned integer = (unsigned)(type->precision - type->scale);
    unsigned scale = digits < 0 ? 0 : digits > type->scale ? type->scale : (unsigned)digits;
    c->bx->type = skep_rule_decimal(c->b->arena, integer + scale, scale);
    return SKEP_OK;
  }
  if (c->bx->n_args != 2) return skep_call_wrong(c, 0, "trunc() requires 2 arguments");
  SKEP_TRY(skep_call_convert_letter(c, 0, 'D'));
  SKEP_TRY(skep_call_convert_letter(c, 1, 's'));
  return replace_node(c, skep_bx_operator(c->b, "trunc date", skep_rule_type(SKEP_STRING), c->expr->pos, c->bx->args[0],
                                          c->bx->args[1]));
}

static skep_status rule_abs(call_state *c) {
  SKEP_TRY(convert_number(c, 0));
  skep_kind kind = c->bx->args[0]->type->kind;
  if (kind == SKEP_TINYINT || kind == SKEP_SMALLINT) SKEP_TRY(skep_call_convert(c, 0, skep_rule_type(SKEP_INT)));
  c->bx->type = c->bx->args[0]->type;
  return SKEP_OK;
}

static skep_status rule_sign(call_state *c) {
  SKEP_TRY(convert_number(c, 0));
  bool decimal = c->bx->args[0]->type->kind == SKEP_DECIMAL;
  if (!decimal) SKEP_TRY(skep_call_convert(c, 0, skep_rule_type(SKEP_DOUBLE)));
  c->bx->type = skep_rule_type(decimal ? SKEP_INT : SKEP_DOUBLE);
  return SKEP_OK;
}

static skep_status rule_shift(call_state *c) {
  skep_kind kind = c->bx->args[0]->type->kind;
  if (!skep_rule_is_integer(c->bx->args[0]->type)) return skep_call_wrong_type(c, 0, "an integer");
  if (kind != SKEP_BIGINT) SKEP_TRY(skep_call_convert(c, 0, skep_rule_type(SKEP_INT)));
  SKEP_TRY(skep_call_convert_letter(c, 1, 'i'));
  c->bx->type = c->bx->args[0]->type;
  return SKEP_OK;
}

static skep_status rule_array_same(call_state *c) {
  const skep_type *type = c->bx->args[0]->type;
  if (type->kind != SKEP_LIST) return skep_call_wrong_type(c, 0, "\"array\"");
  if (c->bx->n_args == 2) return skep_bind_common(c->b, c->bx->args, 2, c->expr->pos, c->fn->name, &c->bx->type);
  c->bx->type = type;
  return SKEP_OK;
}

static skep_status rule_array_element(call_state *c) {
  const skep_type *type = c->bx->args[0]->type;
  if (type->kind != SKEP_LIST) return skep_call_wrong_type(c, 0, "\"array\"");
  c->bx->type = type->children[0];
  return SKEP_OK;
}

static skep_status rule_array_contains(call_state *c) {
  const skep_type *type = c->bx->args[0]->type;
  if (type->kind != SKEP_LIST) return skep_call_wrong_type(c, 0, "\"array\"");
  if (strcmp(c->fn->name, "array_join") == 0) {
    SKEP_TRY(skep_call_convert(c, 0, skep_rule_list(c->b->arena, skep_rule_type(SKEP_STRING))));
    for (uint32_t i = 1; i < c->bx->n_args; i++) SKEP_TRY(skep_call_convert_letter(c, i, 's'));
    c->bx->type = skep_rule_type(SKEP_STRING);
    return SKEP_OK;
  }
  const skep_type *element = type->children[0];
  if (!skep_rule_equal(c->bx->args[1]->type, element)) {
    skep_bx *exact = skep_bx_retype(c->b, c->bx->args[1], element);
    bool texts = skep_rule_is_string(element) && skep_rule_is_string(c->bx->args[1]->type);
    if (exact == NULL && !texts) return skep_call_wrong_type(c, 1, "the array's element type");
    if (exact != NULL) c->bx->args[1] = exact;
    SKEP_TRY(skep_call_convert(c, 1, element));
  }
  c->bx->type = c->fn->result == 'b' ? skep_rule_type(SKEP_BOOLEAN) : type;
  return SKEP_OK;
}

static skep_status rule_map_part(call_state *c, uint32_t child) {
  const skep_type *type = c->bx->args[0]->type;
  if (type->kind != SKEP_MAP) return skep_call_wrong_type(c, 0, "\"map\"");
  c->bx->type = skep_rule_list(c->b->arena, type->children[child]);
  return SKEP_OK;
}

static skep_status rule_index(call_state *c) {
  const skep_expr *args = NULL;
  (void)args;
  skep_expr index = {.kind = SKEP_EXPR_INDEX, .pos = c->expr->pos};
  index.index.base = c->call->args.items[0];
  index.index.index = c->call->args.items[1];
  return skep_bind_expression(c->b, c->s, &index, &c->bx);
}

static skep_status case_chain(call_state *c, const skep_type *type, uint32_t first, bool positions) {
  uint32_t n = c->bx->n_args - 1;
  skep_bx **args = skep_arena_zero(c->b->arena, 2 * (size_t)n + 1, sizeof *args);
  if (args == NULL) return skep_bind_nomem(c->b);
  for (uint32_t i = 0; i < n; i++) {
    skep_bx *number = skep_bx_int(c->b, skep_rule_type(SKEP_INT), i + first);
    if (number == NULL) return skep_bind_nomem(c->b);
    skep_bx *against = positions ? c->bx->args[i + 1] : number;
    SKEP_TRY(skep_bind_compare(c->b, SKEP_OP_EQ, c->bx->args[0], against, c->expr->pos, &args[2 * i]));
    args[2 * i + 1] = positions ? number : c->bx->args[i + 1];
  }
  args[2 * n] = positions ? skep_bx_int(c->b, type, 0) : skep_bx_null(c->b, type);
  return args[2 * n] == NULL ? skep_bind_nomem(c->b) : case_of(c, args, 2 * n + 1, type);
}

static skep_status rule_elt(call_state *c) {
  SKEP_TRY(plain_args(c));
  return case_chain(c, skep_rule_type(SKEP_STRING), 1, false);
}

static skep_status rule_field(call_state *c) { return case_chain(c, skep_rule_type(SKEP_INT), 1, true); }

static skep_status rule_typeof(call_state *c) {
  const char *text = skep_bind_type_text(c->b, c->bx->args[0]->type);
  return replace_node(c, skep_bx_text(c->b, text, strlen(text)));
}

static skep_status rule_cast(call_state *c) {
  const skep_type *to = letter_type(c, c->fn->result);
  if (strcmp(c->fn->name, "to_date") == 0) SKEP_TRY(convert_time(c, 0, SKEP_DATE));
  SKEP_TRY(skep_bind_cast(c->b, c->bx->args[0], to, c->expr->pos, &c->bx));
  if (strcmp(c->fn->name, "to_date") != 0) return SKEP_OK;
  if (c->bx->op == SKEP_BX_COLUMN) { /* not the column itself: it does not inherit its name */
    skep_bx *cast = skep_bx_new(c->b, SKEP_BX_CAST, to, c->expr->pos, 1);
    if (cast == NULL) return skep_bind_nomem(c->b);
    cast->args[0] = c->bx;
    c->bx = cast;
  }
  if (c->bx->op == SKEP_BX_CAST) c->bx->variant = 1;
  return SKEP_OK;
}

/* now_ms as the wall clock of the session's zone; other zones than UTC wait for the engine's zone tables. */
static skep_status rule_constant(call_state *c) {
  const skep_binder *binder = c->b->binder;
  const char *text = NULL;
  if (strcmp(c->fn->name, "current_database") == 0 || strcmp(c->fn->name, "current_schema") == 0) {
    text = binder->current_db != NULL ? binder->current_db : "default";
  } else if (strcmp(c->fn->name, "version") == 0) {
    text = "4.0.1 r3af4517eb8cfd9407ad34ed78a0b48b57dfaa264"; /* the Hive whose answers these are */
  } else if (c->fn->result == 's') {
    text = binder->user != NULL ? binder->user : "anonymous";
  }
  if (text != NULL) return replace_node(c, skep_bx_text(c->b, text, strlen(text)));
  if (binder->time_zone != NULL && strcmp(binder->time_zone, "UTC") != 0) {
    return skep_bind_unsupported(c->b, c->expr->pos, "the current time in a zone that is not UTC");
  }
  int64_t seconds = binder->now_ms / 1000 - (binder->now_ms % 1000 < 0 ? 1 : 0);
  int64_t days = seconds / 86400 - (seconds % 86400 < 0 ? 1 : 0);
  if (c->fn->result == 'D') return replace_node(c, skep_bx_int(c->b, skep_rule_type(SKEP_DATE), days));
  skep_bx *now = skep_bx_null(c->b, skep_rule_type(SKEP_TIMESTAMP));
  if (now == NULL) return skep_bind_nomem(c->b);
  now->value.is_null = false;
  now->value.kind = SKEP_LIT_TS;
  now->value.ts = (skep_ts){.seconds = seconds, .nanos = (int32_t)(binder->now_ms - seconds * 1000) * 1000000};
  return replace_node(c, now);
}

static skep_status rule_floor_unit(call_state *c) {
  const skep_type *type = c->bx->args[0]->type;
  if (type->kind != SKEP_TIMESTAMP && type->kind != SKEP_TIMESTAMP_TZ) {
    return skep_bind_fail(c->b, c->expr->pos, 0, "Wrong arguments: floor to a unit takes a timestamp, got %s",
                          skep_bind_type_text(c->b, type));
  }
  c->bx->type = skep_rule_type(SKEP_TIMESTAMP);
  return skep_call_convert(c, 0, c->bx->type);
}

/* year(x), hour(x), ...: of texts, dates, timestamps; day .. second of intervals. */
static skep_status rule_extract(call_state *c) {
  const skep_type *type = c->bx->args[0]->type;
  const char *name = strcmp(c->fn->name, "dayofmonth") == 0 ? "day" : c->fn->name;
  if (skep_rule_is_interval(type)) {
    char text[64];
    snprintf(text, sizeof text, "interval part %s", name);
    bool months = strcmp(name, "year") == 0 || strcmp(name, "month") == 0;
    if (skep_function_operator(text) == NULL || months != (type->kind == SKEP_KIND_INTERVAL_YM)) {
      return skep_call_wrong_type(c, 0, "a date, a timestamp or a text");
    }
    return replace_node(c, skep_bx_operator(c->b, text, skep_rule_type(SKEP_INT), c->expr->pos, c->bx->args[0], NULL));
  }
  bool clock = strcmp(name, "hour") == 0 || strcmp(name, "minute") == 0 || strcmp(name, "second") == 0;
  if (clock && skep_rule_is_string(type)) { /* also "12:58:59" alone */
    SKEP_TRY(skep_call_convert(c, 0, skep_rule_type(SKEP_STRING)));
    c->bx->args[0] =
        skep_bx_operator(c->b, "clock of text", skep_rule_type(SKEP_TIMESTAMP), c->expr->pos, c->bx->args[0], NULL);
    if (c->bx->args[0] == NULL) return skep_bind_nomem(c->b);
  }
  SKEP_TRY(convert_time(c, 0, clock || type->kind == SKEP_TIMESTAMP ? SKEP_TIMESTAMP : SKEP_DATE));
  SKEP_TRY(skep_call_convert(c, 0, skep_rule_type(SKEP_TIMESTAMP)));
  c->bx->type = skep_rule_type(SKEP_INT);
  return SKEP_OK;
}

static skep_status rule_hex(call_state *c) {
  const skep_type *type = c->bx->args[0]->type;
  if (skep_rule_is_integer(type))
    SKEP_TRY(skep_call_convert(c, 0, skep_rule_type(SKEP_BIGINT)));
  else
    SKEP_TRY(skep_call_convert_letter(c, 0, 'x'));
  c->bx->type = skep_rule_type(SKEP_STRING);
  return SKEP_OK;
}

static skep_status rule_case_text(call_state *c) {
  const skep_type *type = c->bx->args[0]->type;
  SKEP_TRY(skep_call_convert_letter(c, 0, 's'));
  c->bx->type = type->kind == SKEP_CHAR || type->kind == SKEP_VARCHAR ? type : skep_rule_type(SKEP_STRING);
  return SKEP_OK;
}

static skep_status rule_length(call_state *c) {
  if (skep_rule_is_void(c->bx->args[0]->type)) {
    return skep_call_wrong(c, 0, " LENGTH() only takes STRING/CHAR/VARCHAR/BINARY types as first argument, got VOID");
  }
  return skep_call_plain(c);
}

static skep_status rule_unix_timestamp(call_state *c) {
  const skep_type *bigint = skep_rule_type(SKEP_BIGINT);
  if (c->bx->n_args == 0) return replace_node(c, skep_bx_int(c->b, bigint, c->b->binder->now_ms / 1000));
  if (c->b->binder->time_zone != NULL && strcmp(c->b->binder->time_zone, "UTC") != 0) {
    return skep_bind_unsupported(c->b, c->expr->pos, "unix_timestamp in a zone that is not UTC");
  }
  skep_bx *arg = c->bx->args[0];
  if (skep_rule_is_time(arg->type)) {
    SKEP_TRY(skep_bind_convert(c->b, arg, skep_rule_type(SKEP_TIMESTAMP), &arg));
    return replace_node(c, skep_bx_operator(c->b, "unix seconds", bigint, c->expr->pos, arg, NULL));
  }
  for (uint32_t i = 0; i < c->bx->n_args; i++) SKEP_TRY(skep_call_convert_letter(c, i, i == 0 ? 'S' : 's'));
  return replace_node(c, skep_bx_operator(c->b, "unix seconds of text", bigint, c->expr->pos, c->bx->args[0],
                                          c->bx->n_args == 2 ? c->bx->args[1] : NULL));
}

static skep_status rule_log(call_state *c) {
  SKEP_TRY(plain_args(c));
  const skep_type *type = skep_rule_type(SKEP_DOUBLE);
  if (c->bx->n_args == 1) {
    return replace_node(c, skep_bx_call(c->b, skep_function_find("ln"), type, c->expr->pos, c->bx->args, 1));
  }
  return replace_node(c, skep_bx_operator(c->b, "log of base", type, c->expr->pos, c->bx->args[0], c->bx->args[1]));
}

/* Without a pattern the result is a date's text, whatever came in. */
static skep_status rule_add_months(call_state *c) {
  if (c->bx->n_args == 3) return skep_call_plain(c);
  SKEP_TRY(skep_call_convert_letter(c, 0, 'D'));
  SKEP_TRY(skep_call_convert_letter(c, 1, 'I'));
  return replace_node(c, skep_bx_operator(c->b, "add months as text", skep_rule_type(SKEP_STRING), c->expr->pos,
                                          c->bx->args[0], c->bx->args[1]));
}

/* The length chooses the algorithm, and must be known: "SHA-" and the number, as Java looks it up (sha2(x, 1) is SHA-1:
 * golden 18); 0 is 256, and what no algorithm has makes NULL. */
static skep_status rule_sha2(call_state *c) {
  static const struct {
    int64_t bits;
    const char *name;
  } ways[] = {{0, "sha2 256"}, {224, "sha2 224"}, {256, "sha2 256"}, {384, "sha2 384"}, {512, "sha2 512"}};
  const skep_bx *bits = c->bx->args[1];
  const skep_function *fn = NULL;
  if (bits->op != SKEP_BX_CONST || !(skep_rule_is_integer(bits->type) || bits->value.is_null))
    return skep_bind_unsupported(c->b, c->expr->pos, "sha2 whose second argument is not a constant number");
  SKEP_TRY(skep_call_convert_letter(c, 0, 'x'));
  for (size_t i = 0; i < sizeof ways / sizeof *ways && !bits->value.is_null; i++)
    if (ways[i].bits == bits->value.i64) fn = skep_function_operator(ways[i].name);
  if (!bits->value.is_null && bits->value.i64 == 1) fn = skep_function_find("sha1");
  if (fn == NULL) return replace_node(c, skep_bx_null(c->b, skep_rule_type(SKEP_STRING)));
  return replace_node(c, skep_bx_call(c->b, fn, skep_rule_type(SKEP_STRING), c->expr->pos, c->bx->args, 1));
}

static skep_status rule_printf(call_state *c) {
  SKEP_TRY(skep_call_convert_letter(c, 0, 's'));
  for (uint32_t i = 1; i < c->bx->n_args; i++) {
    const skep_type *type = c->bx->args[i]->type;
    if (skep_rule_is_nested(type) || skep_rule_is_interval(type)) return skep_call_wrong_type(c, i, "a primitive type");
    bool as_text = skep_rule_is_time(type) || skep_rule_is_void(type) || type->kind == SKEP_BINARY;
    if (as_text) SKEP_TRY(skep_call_convert(c, i, skep_rule_type(SKEP_STRING)));
  }
  c->bx->type = skep_rule_type(SKEP_STRING);
  return SKEP_OK;
}

/* With a seed each call has a generator of its own that draws once a row, as in Hive in each task: the row's number
 * says which draw it is. Rows are only counted where windows are. */
static skep_status rule_rand(call_state *c) {
  static const skep_window all_rows;
  skep_bx *seed = c->bx->n_args == 0 ? NULL : c->bx->args[0], *row;
  if (seed == NULL) return skep_call_plain(c);
  if (seed->op != SKEP_BX_CONST)
    return skep_bind_unsupported(c->b, c->expr->pos, "rand with a seed that is no constant");
  if (!c->s->windows) return skep_bind_unsupported(c->b, c->expr->pos, "rand with a seed outside of a select list");
  if (seed->value.is_null) {
    c->bx->args[0] = skep_bx_int(c->b, skep_rule_type(SKEP_BIGINT), 0);
    if (c->bx->args[0] == NULL) return skep_bind_nomem(c->b);
  } else {
    SKEP_TRY(skep_call_convert_letter(c, 0, 'l'));
  }
  skep_expr *call = skep_expr_new(c->b->arena, SKEP_EXPR_CALL, c->expr->pos);
  skep_call *counted = skep_arena_zero(c->b->arena, 1, sizeof *counted);
  if (call == NULL || counted == NULL) return skep_bind_nomem(c->b);
  *counted = (skep_call){.name = "row_number", .over = &all_rows};
  call->call = counted;
  SKEP_TRY(skep_bind_call(c->b, c->s, call, &row));
  SKEP_TRY(skep_bind_convert(c->b, row, skep_rule_type(SKEP_BIGINT), &row));
  return replace_node(
      c, skep_bx_operator(c->b, "draw of rand", skep_rule_type(SKEP_DOUBLE), c->expr->pos, c->bx->args[0], row));
}

/* encode(x, charset), decode(x, charset): texts are UTF-8 here. */
static skep_status rule_charset(call_state *c) {
  const skep_bx *name = c->bx->args[1];
  bool text = name->op == SKEP_BX_CONST && name->type->kind == SKEP_STRING && !name->value.is_null;
  bool utf8 = text && name->value.bytes.left == 5 && strncasecmp((const char *)name->value.bytes.at, "utf-8", 5) == 0;
  if (!utf8) return skep_bind_unsupported(c->b, c->expr->pos, "a character set that is not UTF-8");
  return skep_call_plain(c);
}

static skep_status rule_arith(call_state *c) {
  skep_arith op = c->fn->name[0] == 'p' ? SKEP_ARITH_PMOD : SKEP_ARITH_MOD;
  return skep_bind_arith(c->b, op, c->bx->args[0], c->bx->args[1], c->expr->pos, &c->bx);
}

static skep_status rule_negative(call_state *c) {
  skep_expr minus = {.kind = SKEP_EXPR_UNARY, .pos = c->expr->pos};
  minus.unary.op = SKEP_OP_NEGATE;
  minus.unary.operand = c->call->args.items[0];
  return skep_bind_expression(c->b, c->s, &minus, &c->bx);
}

static skep_status rule_grouping(call_state *c) {
  if (!c->s->aggregates) {
    return skep_bind_fail(c->b, c->expr->pos, 10409, "GROUPING function is not allowed here");
  }
  c->bx->op = SKEP_BX_GROUPING;
  c->bx->type = skep_rule_type(SKEP_BIGINT);
  c->bx->has_aggregate = true;
  return SKEP_OK;
}

static skep_status apply_rule(call_state *c) {
  switch (c->fn->rule) {
    case SKEP_FR_IF:
      return rule_if(c);
    case SKEP_FR_COALESCE:
      return rule_coalesce(c);
    case SKEP_FR_NULLIF:
      return rule_nullif(c);
    case SKEP_FR_GREATEST:
      return rule_greatest(c);
    case SKEP_FR_CONCAT:
      return rule_concat(c);
    case SKEP_FR_CONCAT_WS:
      return rule_concat_ws(c);
    case SKEP_FR_ARRAY:
      return rule_array(c);
    case SKEP_FR_MAP:
      return rule_map(c);
    case SKEP_FR_STRUCT:
      return rule_struct(c);
    case SKEP_FR_NAMED_STRUCT:
      return rule_named_struct(c);
    case SKEP_FR_UNION:
      return rule_union(c);
    case SKEP_FR_SIZE:
      return rule_size(c);
    case SKEP_FR_HASH:
      return rule_hash(c);
    case SKEP_FR_ROUND:
      return rule_round(c);
    case SKEP_FR_FLOOR:
      return rule_floor(c);
    case SKEP_FR_TRUNC:
      return rule_trunc(c);
    case SKEP_FR_ABS:
      return rule_abs(c);
    case SKEP_FR_SIGN:
      return rule_sign(c);
    case SKEP_FR_NEGATIVE:
      return rule_negative(c);
    case SKEP_FR_ARITH:
      return rule_arith(c);
    case SKEP_FR_SHIFT:
      return rule_shift(c);
    case SKEP_FR_ARRAY_SAME:
      return rule_array_same(c);
    case SKEP_FR_ARRAY_ELEMENT:
      return rule_array_element(c);
    case SKEP_FR_ARRAY_CONTAINS:
      return rule_array_contains(c);
    case SKEP_FR_MAP_KEYS:
      return rule_map_part(c, 0);
    case SKEP_FR_MAP_VALUES:
      return rule_map_part(c, 1);
    case SKEP_FR_INDEX:
      return rule_index(c);
    case SKEP_FR_ELT:
      return rule_elt(c);
    case SKEP_FR_FIELD:
      return rule_field(c);
    case SKEP_FR_TYPEOF:
      return rule_typeof(c);
    case SKEP_FR_CAST:
      return rule_cast(c);
    case SKEP_FR_CONSTANT:
      return rule_constant(c);
    case SKEP_FR_FLOOR_UNIT:
      return rule_floor_unit(c);
    case SKEP_FR_EXTRACT:
      return rule_extract(c);
    case SKEP_FR_LENGTH:
      return rule_length(c);
    case SKEP_FR_HEX:
      return rule_hex(c);
    case SKEP_FR_CASE_TEXT:
      return rule_case_text(c);
    case SKEP_FR_UNIX_TIMESTAMP:
      return rule_unix_timestamp(c);
    case SKEP_FR_SHA2:
      return rule_sha2(c);
    case SKEP_FR_PRINTF:
      return rule_printf(c);
    case SKEP_FR_RAND:
      return rule_rand(c);
    case SKEP_FR_CHARSET:
      return rule_charset(c);
    case SKEP_FR_ADD_MONTHS:
      return rule_add_months(c);
    case SKEP_FR_LOG:
      return rule_log(c);
    case SKEP_FR_GROUPING:
      return rule_grouping(c);
    case SKEP_FR_COUNT:
    case SKEP_FR_SUM:
    case SKEP_FR_AVG:
    case SKEP_FR_MIN_MAX:
    case SKEP_FR_COLLECT:
    case SKEP_FR_APPROX:
    case SKEP_FR_PERCENTILE:
    case SKEP_FR_VALUE:
      return skep_call_aggregate(c);
    default:
      return skep_call_plain(c);
  }
}

/* ---- the call ---- */

static skep_status not_here(call_state *c, const char *what) {
  char name[96];
  skep_quote(name, sizeof name, c->call->name, strlen(c->call->name));
  return skep_bind_fail(c->b, c->expr->pos, 10128, "Not yet supported place for %s '%s'", what, name);
}

static skep_status bind_args(call_state *c) {
  bool aggregates = c->s->aggregates, windows = c->s->windows;
  if (c->fn->kind == SKEP_FN_AGGREGATE && c->call->over == NULL) c->s->aggregates = false;
  if (c->fn->kind != SKEP_FN_SCALAR) c->s->windows = false;
  skep_status st = SKEP_OK;
  for (uint32_t i = 0; i < c->call->args.n && st == SKEP_OK; i++) {
    st = skep_bind_expression(c->b, c->s, c->call->args.items[i], &c->bx->args[i]);
  }
  c->s->aggregates = aggregates;
  c->s->windows = windows;
  return st;
}

static skep_status wrong_count(call_state *c) {
  char text[120];
  if (strcmp(c->fn->name, "lpad") == 0 || strcmp(c->fn->name, "rpad") == 0) {
    snprintf(text, sizeof text, "%s requires three arguments. Found :%u", c->fn->name, c->call->args.n);
    return skep_call_wrong(c, c->call->args.n == 0 ? 0 : c->call->args.n - 1, text);
  }
  char label[96], name[48];
  uint32_t n = c->call->args.n, wanted = n < c->fn->min_args ? c->fn->min_args : c->fn->max_args;
  const skep_expr *at = n == 0 ? c->expr : c->call->args.items[n > wanted ? wanted : n - 1];
  snprintf(name, sizeof name, "%s", c->fn->name);
  for (char *p = name; *p != '\0'; p++) *p = (char)(*p >= 'a' && *p <= 'z' ? *p - 32 : *p);
  return skep_bind_fail(c->b, c->expr->pos, 10015, "Arguments length mismatch '%s': %s requires %u argument%s, got %u",
                        skep_bind_label(at, label, sizeof label), name, wanted, wanted == 1 ? "" : "s", n);
}

static skep_status check_call(call_state *c) {
  const skep_call *call = c->call;
  uint32_t n = call->args.n;
  if (c->fn->kind == SKEP_FN_TABLE) {
    return skep_bind_fail(c->b, c->expr->pos, 10081,
                          "UDTF's are not supported outside the SELECT clause, nor nested in expressions");
  }
  if (n < c->fn->min_args || (c->fn->max_args != 255 && n > c->fn->max_args)) return wrong_count(c);
  if (call->within_group.n != 0) return skep_bind_unsupported(c->b, c->expr->pos, "WITHIN GROUP");
  if (call->star && (c->fn->rule != SKEP_FR_COUNT)) return not_here(c, "* in");
  if (call->distinct && c->fn->kind != SKEP_FN_AGGREGATE) {
    return skep_bind_fail(c->b, c->expr->pos, 0, "DISTINCT is allowed in aggregates only");
  }
  if (call->over != NULL) {
    if (c->fn->kind == SKEP_FN_SCALAR)
      return skep_bind_fail(c->b, c->expr->pos, 0, "OVER is allowed after aggregates and window functions only");
    return c->s->windows ? SKEP_OK : not_here(c, "window function");
  }
  if (c->fn->kind == SKEP_FN_WINDOW) {
    return skep_fail(
        c->b->err, SKEP_ERR_SEMANTIC,
        "SemanticException org.apache.hadoop.hive.ql.metadata.HiveException: Only COMPLETE mode supported for %s "
        "function",
        c->fn->name);
  }
  if (c->fn->kind == SKEP_FN_AGGREGATE && !c->s->aggregates) return not_here(c, "UDAF");
  return SKEP_OK;
}

skep_status skep_bind_call(binding *b, scope *s, const skep_expr *expr, skep_bx **out) {
  const skep_call *call = expr->call;
  call_state c = {.b = b, .s = s, .expr = expr, .call = call, .fn = skep_function_find(call->name)};
  if (c.fn == NULL || call->db != NULL) {
    char name[128];
    skep_quote(name, sizeof name, call->name, strlen(call->name));
    if (call->db == NULL && skep_function_is_missing(call->name)) {
      return skep_fail(b->err, SKEP_ERR_UNSUPPORTED, "the function %s is not supported yet", name);
    }
    return skep_fail(b->err, SKEP_ERR_SEMANTIC, "SemanticException [Error 10011]: Invalid function %s", name);
  }
  SKEP_TRY(check_call(&c));
  bool aggregate = c.fn->kind != SKEP_FN_SCALAR;
  skep_bx_op op = call->over != NULL ? SKEP_BX_WINDOW : aggregate ? SKEP_BX_AGG : SKEP_BX_CALL;
  c.bx = skep_bx_new(b, op, NULL, expr->pos, call->args.n);
  if (c.bx == NULL) return skep_bind_nomem(b);
  c.bx->fn = c.fn;
  c.bx->distinct = call->distinct;
  c.bx->ignore_nulls = call->nulls == SKEP_TREAT_IGNORE;
  if (c.fn->rule != SKEP_FR_INDEX && c.fn->rule != SKEP_FR_NEGATIVE) SKEP_TRY(bind_args(&c));
  if (call->over != NULL) {
    skep_bwindow *w = skep_arena_zero(b->arena, 1, sizeof *w);
    if (w == NULL) return skep_bind_nomem(b);
    SKEP_TRY(skep_bind_window(b, c.s, expr->pos, call->over, w));
    c.bx->window = w;
    s->window_seen = true;
  } else if (aggregate || c.fn->rule == SKEP_FR_GROUPING) {
    s->grouped_seen = true;
  }
  SKEP_TRY(apply_rule(&c));
  if (c.bx->type == NULL) return skep_bind_nomem(b);
  skep_bx_mark(c.bx);
  if (c.bx->op == SKEP_BX_AGG || c.bx->op == SKEP_BX_GROUPING) c.bx->has_aggregate = true;
  if (c.bx->op == SKEP_BX_WINDOW) c.bx->has_window = true;
  *out = c.bx;
  return SKEP_OK;
}

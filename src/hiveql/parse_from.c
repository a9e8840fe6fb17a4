/* FROM.
 *
 *   from     := source (join source [ON expr | USING '(' names ')'] lateral*)*
 *   join     := ',' | [INNER] JOIN | CROSS JOIN | (LEFT | RIGHT | FULL) [OUTER] JOIN | LEFT (SEMI | ANTI) JOIN
 *   source   := (table | '(' query ')' [AS] name | '(' values ')' [AS] name ['(' names ')']
 *              | TABLE '(' values ')' [AS] name ['(' names ')'] | '(' from ')') lateral*
 *   table    := name ['.' name ['.' name]] [properties] [sample] [FOR (SYSTEM_TIME | SYSTEM_VERSION) AS OF expr] [[AS]
 * name] sample   := TABLESAMPLE '(' (BUCKET x OUT OF y [ON exprs] | n PERCENT | n ROWS | bytes) ')' lateral  := [',']
 * LATERAL VIEW [OUTER] call name [AS names] | [','] LATERAL TABLE '(' values ')' [AS] name ['(' names ')']
 *
 * Source: hiveql.md 5.2. */
#include "hiveql/parse_int.h"

/* ---- aliases --------------------------------------------------------------------------------------------------------
 */

/* A word that is free as a name may begin the next clause all the same: it does when what follows says so. */
static bool begins_clause(const skep_parser *p) {
  skep_token_kind behind = skep_p_kind(p, 1);
  switch (skep_p_keyword(p, 0)) {
    case SKEP_KW_SORT:
    case SKEP_KW_CLUSTER:
    case SKEP_KW_DISTRIBUTE:
      return skep_p_keyword(p, 1) == SKEP_KW_BY;
    case SKEP_KW_LIMIT:
      return behind == SKEP_TOKEN_NUMBER || behind == SKEP_TOKEN_QUESTION;
    default:
      return false;
  }
}

const char *skep_p_alias(skep_parser *p) {
  if (skep_p_at_kw(p, SKEP_KW_AS)) {
    skep_p_decide(p);
    skep_p_next(p);
    return skep_p_name(p);
  }
  if (!skep_p_is_name(p, 0) || begins_clause(p)) return NULL;
  return skep_p_name(p);
}

static bool required_alias(skep_parser *p, skep_from *f) {
  f->alias = skep_p_alias(p);
  if (f->alias == NULL && p->status == SKEP_OK) {
    p->context = "subquery source";
    skep_p_expected(p, "a name");
    skep_p_syntax(p);
  }
  return f->alias != NULL;
}

static bool column_aliases(skep_parser *p, skep_from *f) {
  return !skep_p_at(p, SKEP_TOKEN_LPAREN) || skep_p_paren_names(p, &f->column_aliases);
}

static const skep_from *finish(skep_parser *p, skep_from *f) {
  f->pos = skep_p_end(p, f->pos);
  return SKEP_P_NEW(p, *f);
}

/* ---- tables ---------------------------------------------------------------------------------------------------------
 */

static bool bucket_sample(skep_parser *p, skep_sample *s) {
  s->kind = SKEP_SAMPLE_BUCKET;
  if (!skep_p_integer(p, &s->bucket) || !skep_p_expect_kw(p, SKEP_KW_OUT) || !skep_p_expect_kw(p, SKEP_KW_OF) ||
      !skep_p_integer(p, &s->out_of)) {
    return false;
  }
  return !skep_p_accept_kw(p, SKEP_KW_ON) || skep_p_exprs(p, &s->on);
}

/* 100M, 3K, 1G, 5b */
static bool byte_length(skep_parser *p, skep_sample *s) {
  const skep_token *token = skep_p_peek(p, 0);
  const char *text = p->text + token->offset;
  uint64_t unit = 1;
  switch (text[token->length - 1]) {
    case 'k':
    case 'K':
      unit = UINT64_C(1) << 10;
      break;
    case 'm':
    case 'M':
      unit = UINT64_C(1) << 20;
      break;
    case 'g':
    case 'G':
      unit = UINT64_C(1) << 30;
      break;
    default:
      break;
  }
  s->kind = SKEP_SAMPLE_BYTES;
  for (size_t i = 0; i + 1 < token->length; i++) {
    if (s->n > (INT64_MAX / unit - 9) / 10) {
      skep_p_syntax(p);
      return false;
    }
    s->n = s->n * 10 + (uint64_t)(text[i] - '0');
  }
  s->n *= unit;
  skep_p_next(p);
  return true;
}

static bool split_sample(skep_parser *p, skep_sample *s) {
  if (skep_p_at(p, SKEP_TOKEN_BYTES)) return byte_length(p, s);
  if (!skep_p_at(p, SKEP_TOKEN_NUMBER)) {
    skep_p_syntax(p);
    return false;
  }
  if (skep_p_keyword(p, 1) == SKEP_KW_ROWS) {
    s->kind = SKEP_SAMPLE_ROWS;
    return skep_p_integer(p, &s->n) && skep_p_expect_kw(p, SKEP_KW_ROWS);
  }
  s->kind = SKEP_SAMPLE_PERCENT;
  s->percent = skep_p_source(p, p->at, p->at + 1);
  skep_p_next(p);
  return s->percent != NULL && skep_p_expect_kw(p, SKEP_KW_PERCENT);
}

static const skep_sample *sample(skep_parser *p) {
  const char *saved = p->context;
  skep_sample s = {.pos = skep_p_begin(p)};
  p->context = "table sample specification";
  if (!skep_p_expect(p, SKEP_TOKEN_LPAREN)) return NULL;
  bool done = skep_p_accept_kw(p, SKEP_KW_BUCKET) ? bucket_sample(p, &s) : split_sample(p, &s);
  if (!done || !skep_p_expect(p, SKEP_TOKEN_RPAREN)) return NULL;
  p->context = saved;
  return SKEP_P_NEW(p, s);
}

static bool as_of(skep_parser *p, skep_from *f) {
  bool version = skep_p_accept_kw(p, SKEP_KW_SYSTEM_VERSION);
  if (!version && !skep_p_expect_kw(p, SKEP_KW_SYSTEM_TIME)) return false;
  f->table.as_of = version ? SKEP_AS_OF_VERSION : SKEP_AS_OF_TIME;
  if (!skep_p_expect_kw(p, SKEP_KW_AS) || !skep_p_expect_kw(p, SKEP_KW_OF)) return false;
  f->table.as_of_value = skep_p_expr(p);
  return f->table.as_of_value != NULL;
}

const skep_from *skep_p_table_source(skep_parser *p) {
  skep_from f = {.kind = SKEP_FROM_TABLE, .pos = skep_p_begin(p)};
  if (!skep_p_is_name(p, 0)) {
    skep_p_expected(p, "a name");
    skep_p_syntax(p);
    return NULL;
  }
  if (skep_p_is_name(p, 0) && skep_p_kind(p, 1) == SKEP_TOKEN_LPAREN && skep_p_keyword(p, 2) == SKEP_KW_ON) {
    skep_p_refuse(p, SKEP_ERR_UNSUPPORTED, "Line %u:%u partitioned table functions are not supported", f.pos.line,
                  f.pos.column);
    return NULL;
  }
  if (!skep_p_table_name(p, &f.table.name)) return NULL;
  if (skep_p_at(p, SKEP_TOKEN_LPAREN) && !skep_p_properties(p, true, &f.table.properties)) return NULL;
  if (skep_p_accept_kw(p, SKEP_KW_TABLESAMPLE)) {
    f.table.sample = sample(p);
    if (f.table.sample == NULL) return NULL;
  }
  if (skep_p_accept_kw(p, SKEP_KW_FOR) && !as_of(p, &f)) return NULL;
  f.alias = skep_p_alias(p);
  return p->status == SKEP_OK ? finish(p, &f) : NULL;
}

/* ---- other sources --------------------------------------------------------------------------------------------------
 */

/* '(' values ')' or, behind TABLE, the same */
static const skep_from *values_source(skep_parser *p, skep_pos start) {
  skep_from f = {.kind = SKEP_FROM_VALUES, .pos = start};
  if (!skep_p_expect(p, SKEP_TOKEN_LPAREN)) return NULL;
  f.values = skep_p_values(p);
  if (f.values == NULL || !skep_p_expect(p, SKEP_TOKEN_RPAREN)) return NULL;
  return required_alias(p, &f) && column_aliases(p, &f) ? finish(p, &f) : NULL;
}

/* Whether the bracket at the cursor holds VALUES and nothing behind them: then it is a source of its own. */
static bool at_values(const skep_parser *p) {
  return skep_p_kind(p, 0) == SKEP_TOKEN_LPAREN && skep_p_keyword(p, 1) == SKEP_KW_VALUES;
}

static const skep_from *query_source(skep_parser *p) {
  skep_from f = {.kind = SKEP_FROM_QUERY, .pos = skep_p_begin(p)};
  f.query = skep_p_paren_query(p);
  return f.query != NULL && required_alias(p, &f) ? finish(p, &f) : NULL;
}

static const skep_from *bracket_source(skep_parser *p) {
  if (at_values(p)) return values_source(p, skep_p_begin(p));
  if (skep_p_at_query(p)) return query_source(p);
  if (!skep_p_enter(p)) return NULL;
  skep_p_next(p);
  const skep_from *inner = skep_p_from_source(p);
  skep_p_leave(p);
  return inner != NULL && skep_p_expect(p, SKEP_TOKEN_RPAREN) ? inner : NULL;
}

static const skep_from *plain_source(skep_parser *p, const char *context) {
  skep_pos start = skep_p_begin(p);
  p->context = context;
  if (skep_p_at(p, SKEP_TOKEN_LPAREN)) return bracket_source(p);
  if (skep_p_accept_kw(p, SKEP_KW_TABLE)) return values_source(p, start);
  if (skep_p_keyword(p, 0) == SKEP_KW_UNIQUEJOIN) {
    skep_p_refuse(p, SKEP_ERR_UNSUPPORTED, "Line %u:%u UNIQUEJOIN is not supported", start.line, start.column);
    return NULL;
  }
  return skep_p_table_source(p);
}

/* ---- LATERAL --------------------------------------------------------------------------------------------------------
 */

static const skep_from *lateral_view(skep_parser *p, const skep_from *source, skep_pos start) {
  skep_from f = {.kind = SKEP_FROM_LATERAL_VIEW, .pos = start};
  f.lateral.source = source;
  f.lateral.outer = skep_p_accept_kw(p, SKEP_KW_OUTER);
  f.lateral.call = skep_p_call(p);
  if (f.lateral.call == NULL) return NULL;
  p->context = "table alias";
  f.alias = skep_p_name(p);
  if (f.alias == NULL) return NULL;
  if (!skep_p_accept_kw(p, SKEP_KW_AS)) return finish(p, &f);
  size_t mark = skep_p_mark(p);
  do {
    const char *name = skep_p_name(p);
    if (name == NULL || !skep_p_push(p, &name, sizeof name)) return NULL;
  } while (skep_p_is_name(p, 1) && skep_p_accept(p, SKEP_TOKEN_COMMA));
  f.column_aliases.items = skep_p_take(p, mark, sizeof *f.column_aliases.items, &f.column_aliases.n);
  return finish(p, &f);
}

/* LATERAL TABLE(VALUES ...) is LATERAL VIEW inline(array(struct(...), ...)), as Hive reads it. */
static const skep_expr *inline_call(skep_parser *p, const skep_values *values) {
  const skep_expr **rows = skep_arena_zero(p->arena, values->n_rows, sizeof *rows);
  bool made = rows != NULL;
  for (uint32_t i = 0; made && i < values->n_rows; i++) {
    const skep_expr *const *cells = values->cells + (size_t)i * values->n_columns;
    rows[i] = skep_expr_call(p->arena, "struct", cells, values->n_columns);
    made = rows[i] != NULL;
  }
  const skep_expr *array = made ? skep_expr_call(p->arena, "array", rows, values->n_rows) : NULL;
  const skep_expr *call = array == NULL ? NULL : skep_expr_call(p->arena, "inline", &array, 1);
  if (call == NULL) skep_p_no_memory(p);
  return call;
}

static const skep_from *lateral_table(skep_parser *p, const skep_from *source, skep_pos start) {
  skep_from f = {.kind = SKEP_FROM_LATERAL_VIEW, .pos = start};
  if (!skep_p_expect(p, SKEP_TOKEN_LPAREN)) return NULL;
  const skep_values *values = skep_p_values(p);
  if (values == NULL || !skep_p_expect(p, SKEP_TOKEN_RPAREN)) return NULL;
  f.lateral.source = source;
  f.lateral.call = inline_call(p, values);
  if (f.lateral.call == NULL) return NULL;
  return required_alias(p, &f) && column_aliases(p, &f) ? finish(p, &f) : NULL;
}

static bool at_lateral(const skep_parser *p) {
  return skep_p_keyword(p, 0) == SKEP_KW_LATERAL ||
         (skep_p_kind(p, 0) == SKEP_TOKEN_COMMA && skep_p_keyword(p, 1) == SKEP_KW_LATERAL);
}

static const skep_from *laterals(skep_parser *p, const skep_from *source) {
  uint32_t height = 0;
  while (source != NULL && at_lateral(p)) {
    skep_pos start = source->pos;
    if (skep_p_kind(p, 0) == SKEP_TOKEN_COMMA) skep_p_next(p);
    skep_p_next(p);
    p->context = "lateral view";
    if (++height > SKEP_P_MAX_HEIGHT) {
      skep_p_refuse(p, SKEP_ERR_LIMIT, "ParseException line %u:%u more than %d lateral views", start.line, start.column,
                    SKEP_P_MAX_HEIGHT);
      return NULL;
    }
    if (skep_p_accept_kw(p, SKEP_KW_TABLE)) {
      source = lateral_table(p, source, start);
    } else {
      source = skep_p_expect_kw(p, SKEP_KW_VIEW) ? lateral_view(p, source, start) : NULL;
    }
  }
  return source;
}

/* ---- joins ----------------------------------------------------------------------------------------------------------
 */

static bool join_word(skep_parser *p, skep_join_kind kind, skep_join_kind *out) {
  *out = kind;
  return skep_p_expect_kw(p, SKEP_KW_JOIN);
}

/* At a join word: what it is. false with p->status OK: no join here. */
static bool join_kind(skep_parser *p, skep_join_kind *out) {
  if (skep_p_accept(p, SKEP_TOKEN_COMMA)) {
    *out = SKEP_JOIN_COMMA;
    return true;
  }
  if (skep_p_at_kw(p, SKEP_KW_JOIN)) return join_word(p, SKEP_JOIN_INNER, out);
  if (skep_p_accept_kw(p, SKEP_KW_INNER)) return join_word(p, SKEP_JOIN_INNER, out);
  if (skep_p_accept_kw(p, SKEP_KW_CROSS)) return join_word(p, SKEP_JOIN_CROSS, out);
  if (skep_p_accept_kw(p, SKEP_KW_LEFT)) {
    if (skep_p_accept_kw(p, SKEP_KW_SEMI)) return join_word(p, SKEP_JOIN_LEFT_SEMI, out);
    if (skep_p_accept_kw(p, SKEP_KW_ANTI)) return join_word(p, SKEP_JOIN_LEFT_ANTI, out);
    (void)skep_p_accept_kw(p, SKEP_KW_OUTER);
    return join_word(p, SKEP_JOIN_LEFT, out);
  }
  bool right = skep_p_accept_kw(p, SKEP_KW_RIGHT);
  if (!right && !skep_p_accept_kw(p, SKEP_KW_FULL)) return false;
  (void)skep_p_accept_kw(p, SKEP_KW_OUTER);
  return join_word(p, right ? SKEP_JOIN_RIGHT : SKEP_JOIN_FULL, out);
}

static bool join_condition(skep_parser *p, skep_from *f) {
  if (f->join.kind == SKEP_JOIN_COMMA) return true;
  if (skep_p_accept_kw(p, SKEP_KW_ON)) {
    p->context = "expression specification";
    f->join.on = skep_p_expr(p);
    return f->join.on != NULL;
  }
  return !skep_p_accept_kw(p, SKEP_KW_USING) || skep_p_paren_names(p, &f->join.using_columns);
}

const skep_from *skep_p_from_source(skep_parser *p) {
  const char *saved = p->context;
  uint32_t height = 0;
  const skep_from *left = laterals(p, plain_source(p, "join source"));
  skep_join_kind kind;
  while (left != NULL && join_kind(p, &kind)) {
    skep_from f = {.kind = SKEP_FROM_JOIN, .pos = left->pos};
    if (++height > SKEP_P_MAX_HEIGHT) {
      skep_p_refuse(p, SKEP_ERR_LIMIT, "ParseException line %u:%u more than %d joins in a row", f.pos.line,
                    f.pos.column, SKEP_P_MAX_HEIGHT);
      return NULL;
    }
    f.join.kind = kind;
    f.join.left = left;
    f.join.right = laterals(p, plain_source(p, "joinSourcePart"));
    if (f.join.right == NULL || !join_condition(p, &f)) return NULL;
    left = laterals(p, finish(p, &f));
  }
  if (p->status != SKEP_OK) return NULL;
  p->context = saved;
  return left;
}

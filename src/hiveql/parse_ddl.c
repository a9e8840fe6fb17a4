/* Pieces that several statements share: partition specs, columns, constraints, clustering, formats.
 *
 *   partition  := PARTITION '(' name [op constant] (',' ...)* ')'       op: '=' in specs; in DROP also <> < <= > >=
 * LIKE column     := name type [constraint] [COMMENT STRING] constraint := [CONSTRAINT name] (NOT NULL | DEFAULT value
 * | CHECK '(' expr ')' | PRIMARY KEY | UNIQUE | REFERENCES table '(' name ')') options table-constraint := [CONSTRAINT
 * name] ((PRIMARY KEY | UNIQUE) '(' names ')' | CHECK '(' expr ')' | FOREIGN KEY '(' names ')' REFERENCES table '('
 * names ')') options options    := [(ENABLE | DISABLE) [VALIDATE | NOVALIDATE] | [NOT] ENFORCED] [RELY | NORELY]
 *   bucketing  := CLUSTERED BY '(' names ')' [SORTED BY '(' name [ASC | DESC] [NULLS (FIRST | LAST)] ... ')'] INTO n
 * BUCKETS skew       := SKEWED BY '(' names ')' ON '(' (constant | '(' constants ')') ... ')' [STORED AS DIRECTORIES]
 *   row format := ROW FORMAT (DELIMITED ... | SERDE STRING [WITH SERDEPROPERTIES properties])
 *   stored     := STORED AS (name | INPUTFORMAT STRING OUTPUTFORMAT STRING [INPUTDRIVER STRING OUTPUTDRIVER STRING])
 *               | STORED BY (STRING | name) [WITH SERDEPROPERTIES properties] [STORED AS name]
 *
 * Source: hiveql.md 3.2, 3.4. */
#include "hiveql/parse_int.h"

/* ---- partition specs ------------------------------------------------------------------------------------------------
 */

static bool partition_operator(skep_parser *p, bool any, skep_binary_op *out) {
  static const struct {
    skep_token_kind kind;
    skep_binary_op op;
  } operators[] = {
      {SKEP_TOKEN_EQ, SKEP_OP_EQ}, {SKEP_TOKEN_NE, SKEP_OP_NE}, {SKEP_TOKEN_LT, SKEP_OP_LT},
      {SKEP_TOKEN_LE, SKEP_OP_LE}, {SKEP_TOKEN_GT, SKEP_OP_GT}, {SKEP_TOKEN_GE, SKEP_OP_GE},
  };
  size_t n = any ? sizeof operators / sizeof operators[0] : 1;
  for (size_t i = 0; i < n; i++) {
    if (skep_p_accept(p, operators[i].kind)) {
      *out = operators[i].op;
      return true;
    }
  }
  *out = SKEP_OP_LIKE;
  return any && skep_p_accept_kw(p, SKEP_KW_LIKE);
}

static bool partition_value(skep_parser *p, bool any_operator) {
  skep_partition_value v = {.pos = skep_p_begin(p), .name = skep_p_name(p)};
  if (v.name == NULL) return false;
  if (partition_operator(p, any_operator, &v.op)) {
    v.value = skep_p_constant(p);
    if (v.value == NULL) return false;
  } else if (any_operator) {
    p->context = "drop partition statement";
    skep_p_syntax(p);
    return false;
  } else {
    v.op = SKEP_OP_EQ;
  }
  v.pos = skep_p_end(p, v.pos);
  return skep_p_push(p, &v, sizeof v);
}

bool skep_p_partition_values(skep_parser *p, bool any_operator, skep_partition_spec *out) {
  size_t mark = skep_p_mark(p);
  *out = (skep_partition_spec){.pos = skep_p_begin(p)};
  if (!skep_p_expect(p, SKEP_TOKEN_LPAREN)) return false;
  do {
    if (!partition_value(p, any_operator)) return false;
  } while (skep_p_accept(p, SKEP_TOKEN_COMMA));
  out->items = skep_p_take(p, mark, sizeof *out->items, &out->n);
  if (!skep_p_expect(p, SKEP_TOKEN_RPAREN)) return false;
  out->pos = skep_p_end(p, out->pos);
  return true;
}

bool skep_p_partition_spec(skep_parser *p, bool any_operator, skep_partition_spec *out) {
  skep_pos start = skep_p_begin(p);
  if (!skep_p_expect_kw(p, SKEP_KW_PARTITION) || !skep_p_partition_values(p, any_operator, out)) return false;
  out->pos = skep_p_end(p, start);
  return true;
}

bool skep_p_optional_partition(skep_parser *p, skep_partition_spec *out) {
  *out = (skep_partition_spec){0};
  return !skep_p_at_kw(p, SKEP_KW_PARTITION) || skep_p_partition_spec(p, false, out);
}

/* ---- constraints ----------------------------------------------------------------------------------------------------
 */

static bool constraint_options(skep_parser *p, skep_ast_constraint *c) {
  if (skep_p_accept_kw(p, SKEP_KW_NOT)) {
    p->context = "enforced specification";
    if (!skep_p_expect_kw(p, SKEP_KW_ENFORCED)) return false;
    c->enable = SKEP_OFF;
  } else if (skep_p_accept_kw(p, SKEP_KW_ENFORCED)) {
    c->enable = SKEP_ON;
  } else {
    bool enable = skep_p_accept_kw(p, SKEP_KW_ENABLE);
    if (enable || skep_p_accept_kw(p, SKEP_KW_DISABLE)) {
      c->enable = enable ? SKEP_ON : SKEP_OFF;
      if (skep_p_accept_kw(p, SKEP_KW_VALIDATE)) c->validate = SKEP_ON;
      if (skep_p_accept_kw(p, SKEP_KW_NOVALIDATE)) c->validate = SKEP_OFF;
    }
  }
  if (skep_p_accept_kw(p, SKEP_KW_RELY)) c->rely = SKEP_ON;
  if (skep_p_accept_kw(p, SKEP_KW_NORELY)) c->rely = SKEP_OFF;
  c->pos = skep_p_end(p, c->pos);
  return true;
}

/* The expression with its source text. DEFAULT's value is an operand, as Hive's grammar has it: a literal, a call, a
 * cast; also with a sign or in brackets, which Hive does not take. */
static bool constraint_expr(skep_parser *p, skep_ast_constraint *c, bool whole) {
  size_t first = p->at;
  c->expr = whole ? skep_p_expr(p) : skep_p_signed(p);
  if (c->expr == NULL) return false;
  c->expr_text = skep_p_source(p, first, p->at);
  return c->expr_text != NULL;
}

static bool check(skep_parser *p, skep_ast_constraint *c) {
  c->kind = SKEP_AST_CHECK;
  return skep_p_expect(p, SKEP_TOKEN_LPAREN) && constraint_expr(p, c, true) && skep_p_expect(p, SKEP_TOKEN_RPAREN);
}

static bool constraint_name(skep_parser *p, skep_ast_constraint *c) {
  *c = (skep_ast_constraint){.pos = skep_p_begin(p)};
  if (!skep_p_accept_kw(p, SKEP_KW_CONSTRAINT)) return true;
  c->name = skep_p_name(p);
  return c->name != NULL;
}

static bool references(skep_parser *p, skep_ast_constraint *c) {
  c->kind = SKEP_AST_FOREIGN_KEY;
  return skep_p_expect_kw(p, SKEP_KW_REFERENCES) && skep_p_table_name(p, &c->ref_table) &&
         skep_p_paren_names(p, &c->ref_columns);
}

static bool primary_key(skep_parser *p, skep_ast_constraint *c) {
  c->kind = SKEP_AST_PRIMARY_KEY;
  return skep_p_expect_kw(p, SKEP_KW_KEY);
}

bool skep_p_table_constraint(skep_parser *p, skep_ast_constraint *c) {
  p->context = "table constraint";
  if (!constraint_name(p, c)) return false;
  if (skep_p_accept_kw(p, SKEP_KW_CHECK)) return check(p, c) && constraint_options(p, c);
  if (skep_p_accept_kw(p, SKEP_KW_FOREIGN)) {
    return skep_p_expect_kw(p, SKEP_KW_KEY) && skep_p_paren_names(p, &c->columns) && references(p, c) &&
           constraint_options(p, c);
  }
  if (skep_p_accept_kw(p, SKEP_KW_UNIQUE)) {
    c->kind = SKEP_AST_UNIQUE;
  } else if (!skep_p_expect_kw(p, SKEP_KW_PRIMARY) || !primary_key(p, c)) {
    return false;
  }
  return skep_p_paren_names(p, &c->columns) && constraint_options(p, c);
}

static bool column_constraint_kind(skep_parser *p, skep_ast_constraint *c) {
  if (skep_p_accept_kw(p, SKEP_KW_NOT)) {
    c->kind = SKEP_AST_NOT_NULL;
    return skep_p_expect_kw(p, SKEP_KW_NULL);
  }
  if (skep_p_accept_kw(p, SKEP_KW_DEFAULT)) {
    c->kind = SKEP_AST_DEFAULT;
    return constraint_expr(p, c, false);
  }
  if (skep_p_accept_kw(p, SKEP_KW_CHECK)) return check(p, c);
  if (skep_p_accept_kw(p, SKEP_KW_UNIQUE)) {
    c->kind = SKEP_AST_UNIQUE;
    return true;
  }
  if (skep_p_accept_kw(p, SKEP_KW_PRIMARY)) return primary_key(p, c);
  return references(p, c);
}

static bool at_constraint(skep_parser *p) {
  static const skep_keyword words[] = {SKEP_KW_CONSTRAINT, SKEP_KW_NOT,     SKEP_KW_DEFAULT,   SKEP_KW_CHECK,
                                       SKEP_KW_UNIQUE,     SKEP_KW_PRIMARY, SKEP_KW_REFERENCES};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    if (skep_p_at_kw(p, words[i])) return true;
  }
  return false;
}

static bool column_constraint(skep_parser *p, skep_column_def *column) {
  skep_ast_constraint c;
  p->context = "column constraint";
  if (!constraint_name(p, &c) || !column_constraint_kind(p, &c) || !constraint_options(p, &c)) return false;
  const char **name = skep_p_new(p, &column->name, sizeof column->name);
  c.columns = (skep_name_list){(const char *const *)name, 1};
  column->constraint = SKEP_P_NEW(p, c);
  return column->constraint != NULL;
}

/* ---- columns --------------------------------------------------------------------------------------------------------
 */

/* Hive's rule, said with its words. */
static bool check_column_name(skep_parser *p, const char *name) {
  if (strpbrk(name, ".:") == NULL) return true;
  const skep_token *token = skep_p_peek(p, 0);
  char shown[64];
  skep_p_refuse(p, SKEP_ERR_SYNTAX,
                "ParseException line %u:%u Failed to recognize predicate '%s'. Failed rule: '[., :] can not be used in "
                "column name in create table statement.' in column specification",
                token->line, token->column, skep_quote(shown, sizeof shown, p->text + token->offset, token->length));
  return false;
}

static bool column_has_type(skep_parser *p, skep_p_column_form form) {
  if (form != SKEP_P_COLUMN_ANY) return form != SKEP_P_COLUMN_NAME;
  return !skep_p_at(p, SKEP_TOKEN_COMMA) && !skep_p_at(p, SKEP_TOKEN_RPAREN) && !skep_p_at_kw(p, SKEP_KW_COMMENT);
}

bool skep_p_column_def(skep_parser *p, skep_p_column_form form, skep_column_def *out) {
  const char *saved = p->context;
  *out = (skep_column_def){.pos = skep_p_begin(p), .name = skep_p_name(p)};
  if (out->name == NULL) return false;
  if (column_has_type(p, form)) {
    p->context = "column type";
    out->type = skep_p_type(p);
    if (out->type == NULL) return false;
    if (form != SKEP_P_COLUMN_TYPED && at_constraint(p) && !column_constraint(p, out)) return false;
  }
  if (skep_p_accept_kw(p, SKEP_KW_COMMENT)) {
    out->comment = skep_p_string(p);
    if (out->comment == NULL) return false;
  }
  if (out->type != NULL && !check_column_name(p, out->name)) return false;
  out->pos = skep_p_end(p, out->pos);
  p->context = saved;
  return true;
}

bool skep_p_column_defs(skep_parser *p, skep_column_list *out) {
  size_t mark = skep_p_mark(p);
  if (!skep_p_expect(p, SKEP_TOKEN_LPAREN)) return false;
  do {
    skep_column_def column;
    if (!skep_p_column_def(p, SKEP_P_COLUMN_TYPED, &column) || !skep_p_push(p, &column, sizeof column)) return false;
  } while (skep_p_accept(p, SKEP_TOKEN_COMMA));
  out->items = skep_p_take(p, mark, sizeof *out->items, &out->n);
  return skep_p_expect(p, SKEP_TOKEN_RPAREN);
}

/* ---- clustering, skew
 * ------------------------------------------------------------------------------------------------ */

static bool sort_columns(skep_parser *p, skep_bucketing *b) {
  size_t mark = skep_p_mark(p);
  if (!skep_p_expect_kw(p, SKEP_KW_BY) || !skep_p_expect(p, SKEP_TOKEN_LPAREN)) return false;
  do {
    skep_sort_column column = {.name = skep_p_name(p)};
    if (column.name == NULL) return false;
    column.descending = skep_p_accept_kw(p, SKEP_KW_DESC);
    if (!column.descending) (void)skep_p_accept_kw(p, SKEP_KW_ASC);
    if (skep_p_accept_kw(p, SKEP_KW_NULLS)) {
      bool first = skep_p_accept_kw(p, SKEP_KW_FIRST);
      column.nulls = first ? SKEP_NULLS_FIRST : SKEP_NULLS_LAST;
      if (!first && !skep_p_expect_kw(p, SKEP_KW_LAST)) return false;
    }
    if (!skep_p_push(p, &column, sizeof column)) return false;
  } while (skep_p_accept(p, SKEP_TOKEN_COMMA));
  b->sorted_by = skep_p_take(p, mark, sizeof *b->sorted_by, &b->n_sorted_by);
  return skep_p_expect(p, SKEP_TOKEN_RPAREN);
}

bool skep_p_bucketing(skep_parser *p, skep_bucketing *out) {
  uint64_t n;
  *out = (skep_bucketing){.present = true};
  p->context = "bucket specification";
  if (!skep_p_expect_kw(p, SKEP_KW_BY) || !skep_p_paren_names(p, &out->columns)) return false;
  if (skep_p_accept_kw(p, SKEP_KW_SORTED) && !sort_columns(p, out)) return false;
  if (!skep_p_expect_kw(p, SKEP_KW_INTO) || !skep_p_integer(p, &n) || !skep_p_expect_kw(p, SKEP_KW_BUCKETS)) {
    return false;
  }
  out->n_buckets = (int64_t)n;
  p->context = "statement";
  return true;
}

/* '(' constants ')': a TUPLE, also of one. */
static const skep_expr *skew_tuple(skep_parser *p) {
  skep_expr tuple = {.kind = SKEP_EXPR_TUPLE, .pos = skep_p_begin(p)};
  size_t mark = skep_p_mark(p);
  skep_p_next(p);
  do {
    const skep_expr *value = skep_p_constant(p);
    if (value == NULL || !skep_p_push(p, &value, sizeof value)) return NULL;
  } while (skep_p_accept(p, SKEP_TOKEN_COMMA));
  tuple.tuple.items = skep_p_take(p, mark, sizeof *tuple.tuple.items, &tuple.tuple.n);
  if (!skep_p_expect(p, SKEP_TOKEN_RPAREN)) return NULL;
  tuple.pos = skep_p_end(p, tuple.pos);
  return SKEP_P_NEW(p, tuple);
}

static bool skew_value(skep_parser *p) {
  const skep_expr *value = skep_p_kind(p, 0) == SKEP_TOKEN_LPAREN ? skew_tuple(p) : skep_p_constant(p);
  return value != NULL && skep_p_push(p, &value, sizeof value);
}

bool skep_p_skew(skep_parser *p, skep_skew *out) {
  *out = (skep_skew){.present = true};
  p->context = "skewed specification";
  if (!skep_p_expect_kw(p, SKEP_KW_BY) || !skep_p_paren_names(p, &out->columns) || !skep_p_expect_kw(p, SKEP_KW_ON) ||
      !skep_p_expect(p, SKEP_TOKEN_LPAREN)) {
    return false;
  }
  size_t mark = skep_p_mark(p);
  do {
    if (!skew_value(p)) return false;
  } while (skep_p_accept(p, SKEP_TOKEN_COMMA));
  out->values.items = skep_p_take(p, mark, sizeof *out->values.items, &out->values.n);
  if (!skep_p_expect(p, SKEP_TOKEN_RPAREN)) return false;
  if (skep_p_keyword(p, 0) == SKEP_KW_STORED && skep_p_keyword(p, 2) == SKEP_KW_DIRECTORIES) {
    out->as_directories = true;
    skep_p_next(p);
    if (!skep_p_expect_kw(p, SKEP_KW_AS)) return false;
    skep_p_next(p);
  }
  p->context = "statement";
  return true;
}

/* ---- formats --------------------------------------------------------------------------------------------------------
 */

static bool text_after(skep_parser *p, const char **out) {
  *out = skep_p_string(p);
  return *out != NULL;
}

static bool terminated_by(skep_parser *p, const char **out) {
  return skep_p_expect_kw(p, SKEP_KW_TERMINATED) && skep_p_expect_kw(p, SKEP_KW_BY) && text_after(p, out);
}

static bool delimited(skep_parser *p, skep_row_format *f) {
  f->kind = SKEP_ROW_FORMAT_DELIMITED;
  if (skep_p_accept_kw(p, SKEP_KW_FIELDS)) {
    if (!terminated_by(p, &f->fields)) return false;
    if (skep_p_accept_kw(p, SKEP_KW_ESCAPED) && (!skep_p_expect_kw(p, SKEP_KW_BY) || !text_after(p, &f->escape))) {
      return false;
    }
  }
  if (skep_p_accept_kw(p, SKEP_KW_COLLECTION) &&
      (!skep_p_expect_kw(p, SKEP_KW_ITEMS) || !terminated_by(p, &f->items))) {
    return false;
  }
  if (skep_p_accept_kw(p, SKEP_KW_MAP) && (!skep_p_expect_kw(p, SKEP_KW_KEYS) || !terminated_by(p, &f->map_keys))) {
    return false;
  }
  if (skep_p_accept_kw(p, SKEP_KW_LINES) && !terminated_by(p, &f->lines)) return false;
  return !skep_p_accept_kw(p, SKEP_KW_NULL) ||
         (skep_p_expect_kw(p, SKEP_KW_DEFINED) && skep_p_expect_kw(p, SKEP_KW_AS) && text_after(p, &f->null_as));
}

bool skep_p_row_format(skep_parser *p, skep_row_format *out) {
  *out = (skep_row_format){0};
  p->context = "serde specification";
  if (!skep_p_expect_kw(p, SKEP_KW_FORMAT)) return false;
  if (skep_p_accept_kw(p, SKEP_KW_DELIMITED)) return delimited(p, out);
  out->kind = SKEP_ROW_FORMAT_SERDE;
  if (!skep_p_expect_kw(p, SKEP_KW_SERDE) || !text_after(p, &out->serde)) return false;
  return !skep_p_accept_kw2(p, SKEP_KW_WITH, SKEP_KW_SERDEPROPERTIES) ||
         skep_p_properties(p, true, &out->serde_properties);
}

static bool stored_as(skep_parser *p, skep_file_format *f) {
  if (!skep_p_accept_kw(p, SKEP_KW_INPUTFORMAT)) {
    f->name = skep_p_name(p);
    return f->name != NULL;
  }
  if (!text_after(p, &f->input_format) || !skep_p_expect_kw(p, SKEP_KW_OUTPUTFORMAT) ||
      !text_after(p, &f->output_format)) {
    return false;
  }
  return !skep_p_accept_kw(p, SKEP_KW_INPUTDRIVER) ||
         (text_after(p, &f->input_driver) && skep_p_expect_kw(p, SKEP_KW_OUTPUTDRIVER) &&
          text_after(p, &f->output_driver));
}

static bool stored_by(skep_parser *p, skep_file_format *f) {
  f->handler = skep_p_kind(p, 0) == SKEP_TOKEN_STRING ? skep_p_string(p) : skep_p_name(p);
  if (f->handler == NULL) return false;
  if (skep_p_accept_kw2(p, SKEP_KW_WITH, SKEP_KW_SERDEPROPERTIES) &&
      !skep_p_properties(p, true, &f->handler_properties)) {
    return false;
  }
  return !skep_p_accept_kw2(p, SKEP_KW_STORED, SKEP_KW_AS) || stored_as(p, f);
}

bool skep_p_stored(skep_parser *p, skep_file_format *out) {
  *out = (skep_file_format){0};
  p->context = "table file format specification";
  p->decision = p->at - 1;
  if (skep_p_accept_kw(p, SKEP_KW_BY)) return stored_by(p, out);
  if (skep_p_accept_kw(p, SKEP_KW_AS)) return stored_as(p, out);
  skep_p_syntax(p);
  return false;
}

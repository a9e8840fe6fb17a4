/* Statements that read and change rows.
 *
 *   statement := query | [with] insert query' | [with] FROM from (insert select-with-tail)+
 *   insert    := INSERT INTO [TABLE] table [partition] ['(' names ')']
 *              | INSERT OVERWRITE TABLE table [partition [IF NOT EXISTS]]
 *              | INSERT OVERWRITE [LOCAL] DIRECTORY STRING [rowformat] [STORED AS format]
 *   update    := UPDATE table SET name '=' value (',' name '=' value)* [WHERE expr]     value: additive level, or
 * DEFAULT delete    := DELETE FROM table [WHERE expr] merge     := MERGE [hint] INTO table [[AS] name] USING
 * (table-source | '(' query ')' [AS] name) ON expr when+ when      := WHEN MATCHED [AND expr] THEN (UPDATE SET ... |
 * DELETE) | WHEN NOT MATCHED [AND expr] THEN INSERT ['(' names ')'] VALUES '(' values ')' load      := LOAD DATA
 * [LOCAL] INPATH STRING [OVERWRITE] INTO TABLE table [partition] [INPUTFORMAT STRING SERDE STRING] export    := EXPORT
 * TABLE table [partition] TO STRING [FOR [METADATA] REPLICATION '(' STRING ')'] import    := IMPORT [[EXTERNAL] TABLE
 * table [partition]] FROM STRING [LOCATION STRING]
 *
 * Which MERGE branches may stand together is Hive's semantic error (10404 ..), not the grammar's. Source: hiveql.md 4.
 */
#include "hiveql/parse_int.h"

/* ---- INSERT ---------------------------------------------------------------------------------------------------------
 */

static bool directory(skep_parser *p, skep_insert_target *t) {
  t->is_directory = true;
  t->directory = skep_p_string(p);
  if (t->directory == NULL) return false;
  if (skep_p_accept_kw(p, SKEP_KW_ROW) && !skep_p_row_format(p, &t->row_format)) return false;
  return !skep_p_accept_kw(p, SKEP_KW_STORED) || skep_p_stored(p, &t->file_format);
}

static bool overwrite(skep_parser *p, skep_insert_target *t) {
  t->overwrite = true;
  t->is_local = skep_p_accept_kw(p, SKEP_KW_LOCAL);
  if (t->is_local) return skep_p_expect_kw(p, SKEP_KW_DIRECTORY) && directory(p, t);
  if (skep_p_accept_kw(p, SKEP_KW_DIRECTORY)) return directory(p, t);
  if (!skep_p_accept_kw(p, SKEP_KW_TABLE)) {
    p->context = "destination specification";
    skep_p_syntax(p);
    return false;
  }
  if (!skep_p_table_name(p, &t->table)) return false;
  if (!skep_p_optional_partition(p, &t->partition)) return false;
  return t->partition.n == 0 || skep_p_if_not_exists(p, &t->if_not_exists);
}

static bool into(skep_parser *p, skep_insert_target *t) {
  if (!skep_p_expect_kw(p, SKEP_KW_INTO)) return false;
  (void)skep_p_accept_kw(p, SKEP_KW_TABLE);
  if (!skep_p_table_name(p, &t->table) || !skep_p_optional_partition(p, &t->partition)) return false;
  /* '(' opens a column list, or a query in brackets. */
  if (!skep_p_at(p, SKEP_TOKEN_LPAREN) || skep_p_at_query(p)) return true;
  t->has_columns = true;
  return skep_p_paren_names(p, &t->columns);
}

/* INSERT ... up to its query */
static bool target(skep_parser *p, skep_insert_target *t) {
  *t = (skep_insert_target){.pos = skep_p_begin(p)};
  p->context = "insert clause";
  if (!skep_p_expect_kw(p, SKEP_KW_INSERT)) return false;
  bool done = skep_p_accept_kw(p, SKEP_KW_OVERWRITE) ? overwrite(p, t) : into(p, t);
  if (done) p->context = "statement";
  return done;
}

static bool finish_insert(skep_parser *p, skep_insert *insert, skep_statement *s) {
  s->kind = SKEP_STMT_INSERT;
  s->insert = SKEP_P_NEW(p, *insert);
  return s->insert != NULL;
}

/* FROM source INSERT ... SELECT ... INSERT ... SELECT ... */
static bool multi_insert(skep_parser *p, const skep_cte *ctes, uint32_t n_ctes, const skep_from *from,
                         skep_statement *s) {
  skep_insert insert = {.from = from};
  size_t mark = skep_p_mark(p);
  while (skep_p_at_kw(p, SKEP_KW_INSERT)) {
    skep_insert_target t;
    if (!target(p, &t)) return false;
    t.query = skep_p_query_after(p, ctes, n_ctes, from);
    t.pos = skep_p_end(p, t.pos);
    if (t.query == NULL || !skep_p_push(p, &t, sizeof t)) return false;
  }
  insert.targets = skep_p_take(p, mark, sizeof *insert.targets, &insert.n_targets);
  return finish_insert(p, &insert, s);
}

static bool single_insert(skep_parser *p, const skep_cte *ctes, uint32_t n_ctes, skep_statement *s) {
  skep_insert_target t;
  if (!target(p, &t)) return false;
  t.query = skep_p_query_after(p, ctes, n_ctes, NULL);
  if (t.query == NULL) return false;
  t.pos = skep_p_end(p, t.pos);
  skep_insert insert = {.targets = SKEP_P_NEW(p, t), .n_targets = 1};
  return insert.targets != NULL && finish_insert(p, &insert, s);
}

bool skep_p_query_or_insert(skep_parser *p, skep_statement *s) {
  const skep_cte *ctes;
  const skep_from *from = NULL;
  uint32_t n_ctes;
  if (!skep_p_with(p, &ctes, &n_ctes)) return false;
  if (skep_p_at_kw(p, SKEP_KW_INSERT)) return single_insert(p, ctes, n_ctes, s);
  if (skep_p_accept_kw(p, SKEP_KW_FROM)) {
    from = skep_p_from_source(p);
    if (from == NULL) return false;
    if (skep_p_at_kw(p, SKEP_KW_INSERT)) return multi_insert(p, ctes, n_ctes, from, s);
    if (!skep_p_at_kw(p, SKEP_KW_SELECT)) {
      skep_p_no_item(p);
      return false;
    }
  }
  s->kind = SKEP_STMT_QUERY;
  s->query = skep_p_query_after(p, ctes, n_ctes, from);
  return s->query != NULL;
}

/* ---- UPDATE, DELETE -------------------------------------------------------------------------------------------------
 */

static bool assignments(skep_parser *p, skep_assignment_list *out) {
  size_t mark = skep_p_mark(p);
  const char *context = p->context;
  do {
    p->context = context;
    skep_assignment a = {.pos = skep_p_begin(p), .column = skep_p_name(p)};
    if (a.column == NULL || !skep_p_expect(p, SKEP_TOKEN_EQ)) return false;
    a.value = skep_p_expr_or_default(p, true);
    if (a.value == NULL || !skep_p_push(p, &a, sizeof a)) return false;
  } while (skep_p_accept(p, SKEP_TOKEN_COMMA));
  out->items = skep_p_take(p, mark, sizeof *out->items, &out->n);
  p->context = "statement";
  return p->status == SKEP_OK;
}

static bool where(skep_parser *p, const skep_expr **out) {
  *out = NULL;
  p->context = "statement";
  if (!skep_p_accept_kw(p, SKEP_KW_WHERE)) return true;
  p->context = "expression specification";
  *out = skep_p_expr(p);
  p->context = "statement";
  return *out != NULL;
}

bool skep_p_update(skep_parser *p, skep_statement *s) {
  skep_update u = {0};
  s->kind = SKEP_STMT_UPDATE;
  p->context = "update statement";
  if (!skep_p_table_name(p, &u.table) || !skep_p_expect_kw(p, SKEP_KW_SET) || !assignments(p, &u.set)) return false;
  if (!where(p, &u.where)) return false;
  s->update = SKEP_P_NEW(p, u);
  return s->update != NULL;
}

bool skep_p_delete(skep_parser *p, skep_statement *s) {
  skep_delete d = {0};
  s->kind = SKEP_STMT_DELETE;
  p->context = "delete statement";
  if (!skep_p_expect_kw(p, SKEP_KW_FROM) || !skep_p_table_name(p, &d.table) || !where(p, &d.where)) return false;
  s->delete_ = SKEP_P_NEW(p, d);
  return s->delete_ != NULL;
}

/* ---- MERGE ----------------------------------------------------------------------------------------------------------
 */

static bool merge_insert(skep_parser *p, skep_merge_when *w) {
  size_t mark = skep_p_mark(p);
  w->action = SKEP_MERGE_INSERT;
  if (!skep_p_expect_kw(p, SKEP_KW_INSERT)) return false;
  if (skep_p_at(p, SKEP_TOKEN_LPAREN)) {
    w->has_columns = true;
    if (!skep_p_paren_names(p, &w->columns)) return false;
  }
  if (!skep_p_expect_kw(p, SKEP_KW_VALUES) || !skep_p_expect(p, SKEP_TOKEN_LPAREN)) return false;
  do {
    const skep_expr *value = skep_p_expr_or_default(p, false);
    if (value == NULL || !skep_p_push(p, &value, sizeof value)) return false;
  } while (skep_p_accept(p, SKEP_TOKEN_COMMA));
  w->values.items = skep_p_take(p, mark, sizeof *w->values.items, &w->values.n);
  return skep_p_expect(p, SKEP_TOKEN_RPAREN);
}

static bool merge_change(skep_parser *p, skep_merge_when *w) {
  if (skep_p_accept_kw(p, SKEP_KW_DELETE)) {
    w->action = SKEP_MERGE_DELETE;
    return true;
  }
  w->action = SKEP_MERGE_UPDATE;
  if (!skep_p_accept_kw(p, SKEP_KW_UPDATE)) {
    skep_p_syntax(p);
    return false;
  }
  return skep_p_expect_kw(p, SKEP_KW_SET) && assignments(p, &w->set);
}

static bool merge_when(skep_parser *p, bool *more) {
  skep_merge_when w = {.pos = skep_p_begin(p), .matched = true};
  p->context = "merge statement";
  if (!skep_p_expect_kw(p, SKEP_KW_WHEN)) return false;
  w.matched = !skep_p_accept_kw(p, SKEP_KW_NOT);
  if (!skep_p_expect_kw(p, SKEP_KW_MATCHED)) return false;
  const char *context = w.matched ? "WHEN MATCHED THEN clause" : "WHEN NOT MATCHED clause";
  p->context = context;
  if (skep_p_accept_kw(p, SKEP_KW_AND)) {
    w.condition = skep_p_expr(p);
    if (w.condition == NULL) return false;
  }
  p->context = context;
  if (!skep_p_expect_kw(p, SKEP_KW_THEN)) return false;
  if (!(w.matched ? merge_change(p, &w) : merge_insert(p, &w))) return false;
  w.pos = skep_p_end(p, w.pos);
  p->context = "merge statement";
  *more = w.matched; /* WHEN NOT MATCHED is the last */
  return skep_p_push(p, &w, sizeof w);
}

static bool merge_source(skep_parser *p, skep_merge_into *m) {
  if (!skep_p_at(p, SKEP_TOKEN_LPAREN)) {
    m->source = skep_p_table_source(p);
    return m->source != NULL;
  }
  skep_from f = {.kind = SKEP_FROM_QUERY, .pos = skep_p_begin(p)};
  f.query = skep_p_paren_query(p);
  if (f.query == NULL) return false;
  f.alias = skep_p_alias(p);
  if (f.alias == NULL) {
    p->context = "subquery source";
    skep_p_expected(p, "a name");
    skep_p_syntax(p);
    return false;
  }
  f.pos = skep_p_end(p, f.pos);
  m->source = SKEP_P_NEW(p, f);
  return m->source != NULL;
}

bool skep_p_merge(skep_parser *p, skep_statement *s) {
  skep_merge_into m = {0};
  s->kind = SKEP_STMT_MERGE;
  p->context = "merge statement";
  if (skep_p_kind(p, 0) == SKEP_TOKEN_HINT) {
    const skep_token *token = skep_p_peek(p, 0);
    m.hint = skep_arena_strndup(p->arena, p->text + token->offset + 3, token->length - 5);
    if (m.hint == NULL) skep_p_no_memory(p);
    skep_p_next(p);
  }
  if (!skep_p_expect_before_name(p, SKEP_KW_INTO) || !skep_p_table_name(p, &m.table)) return false;
  m.alias = skep_p_alias(p);
  if (p->status != SKEP_OK || !skep_p_expect_kw(p, SKEP_KW_USING) || !merge_source(p, &m)) return false;
  if (!skep_p_expect_kw(p, SKEP_KW_ON)) return false;
  m.on = skep_p_expr(p);
  if (m.on == NULL) return false;
  size_t mark = skep_p_mark(p);
  bool more = true;
  do {
    if (!merge_when(p, &more)) return false;
  } while (more && skep_p_at_kw(p, SKEP_KW_WHEN));
  p->context = "statement";
  m.whens = skep_p_take(p, mark, sizeof *m.whens, &m.n_whens);
  s->merge = SKEP_P_NEW(p, m);
  return s->merge != NULL;
}

/* ---- LOAD, EXPORT, IMPORT -------------------------------------------------------------------------------------------
 */

bool skep_p_load(skep_parser *p, skep_statement *s) {
  skep_load l = {0};
  s->kind = SKEP_STMT_LOAD;
  p->context = "load statement";
  if (!skep_p_expect_kw(p, SKEP_KW_DATA)) return false;
  l.is_local = skep_p_accept_kw(p, SKEP_KW_LOCAL);
  if (!skep_p_expect_kw(p, SKEP_KW_INPATH)) return false;
  l.path_pos = skep_p_begin(p);
  l.path = skep_p_string(p);
  if (l.path == NULL) return false;
  l.overwrite = skep_p_accept_kw(p, SKEP_KW_OVERWRITE);
  if (!skep_p_expect_kw(p, SKEP_KW_INTO) || !skep_p_expect_kw(p, SKEP_KW_TABLE)) return false;
  if (!skep_p_table_name(p, &l.table) || !skep_p_optional_partition(p, &l.partition)) return false;
  if (skep_p_accept_kw(p, SKEP_KW_INPUTFORMAT)) {
    l.input_format = skep_p_string(p);
    if (l.input_format == NULL || !skep_p_expect_kw(p, SKEP_KW_SERDE)) return false;
    l.serde = skep_p_string(p);
    if (l.serde == NULL) return false;
  }
  s->load = SKEP_P_NEW(p, l);
  return s->load != NULL;
}

bool skep_p_export(skep_parser *p, skep_statement *s) {
  skep_export e = {0};
  s->kind = SKEP_STMT_EXPORT;
  p->context = "export statement";
  if (!skep_p_expect_kw(p, SKEP_KW_TABLE) || !skep_p_table_name(p, &e.table)) return false;
  if (!skep_p_optional_partition(p, &e.partition) || !skep_p_expect_kw(p, SKEP_KW_TO)) return false;
  e.path = skep_p_string(p);
  if (e.path == NULL) return false;
  e.for_replication = skep_p_accept_kw(p, SKEP_KW_FOR);
  if (e.for_replication) {
    e.metadata_only = skep_p_accept_kw(p, SKEP_KW_METADATA);
    if (!skep_p_expect_kw(p, SKEP_KW_REPLICATION) || !skep_p_expect(p, SKEP_TOKEN_LPAREN)) return false;
    e.replication_id = skep_p_string(p);
    if (e.replication_id == NULL || !skep_p_expect(p, SKEP_TOKEN_RPAREN)) return false;
  }
  s->export_ = SKEP_P_NEW(p, e);
  return s->export_ != NULL;
}

bool skep_p_import(skep_parser *p, skep_statement *s) {
  skep_import i = {0};
  s->kind = SKEP_STMT_IMPORT;
  p->context = "import statement";
  i.external = skep_p_accept_kw(p, SKEP_KW_EXTERNAL);
  i.has_table = i.external ? skep_p_expect_kw(p, SKEP_KW_TABLE) : skep_p_accept_kw(p, SKEP_KW_TABLE);
  if (p->status != SKEP_OK) return false;
  if (i.has_table && (!skep_p_table_name(p, &i.table) || !skep_p_optional_partition(p, &i.partition))) return false;
  if (!skep_p_expect_kw(p, SKEP_KW_FROM)) return false;
  i.path = skep_p_string(p);
  if (i.path == NULL) return false;
  if (skep_p_accept_kw(p, SKEP_KW_LOCATION)) {
    i.location = skep_p_string(p);
    if (i.location == NULL) return false;
  }
  s->import = SKEP_P_NEW(p, i);
  return s->import != NULL;
}

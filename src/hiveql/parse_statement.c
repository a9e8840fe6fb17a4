/* The first word of a statement chooses what it is; small statements are read here.
 *
 *   statement := query-or-insert | update | delete | merge | load | export | import | create | drop | alter | truncate
 *             | USE name | show | describe | analyze | msck | EXPLAIN word* statement
 *             | (LOCK | UNLOCK) (TABLE table [partition] | (DATABASE | SCHEMA) name) [SHARED | EXCLUSIVE]
 *             | ABORT (TRANSACTIONS | COMPACTIONS) n+ | KILL QUERY STRING+
 *             | START TRANSACTION [mode (',' mode)*] | (COMMIT | ROLLBACK) [WORK] | SET AUTOCOMMIT (TRUE | FALSE)
 *             | PREPARE name FROM query | EXECUTE name USING constant (',' constant)*
 *             | GRANT ... and others that are known by name only
 *   mode      := ISOLATION LEVEL SNAPSHOT | READ ONLY | READ WRITE
 *
 * Source: hiveql.md 6. */
#include "hiveql/parse_int.h"

bool skep_p_other(skep_parser *p, skep_statement *s, const char *what) {
  s->kind = SKEP_STMT_OTHER;
  s->other.what = what;
  while (skep_p_kind(p, 0) != SKEP_TOKEN_EOF && skep_p_kind(p, 0) != SKEP_TOKEN_SEMICOLON) skep_p_next(p);
  return true;
}

static bool use(skep_parser *p, skep_statement *s) {
  s->kind = SKEP_STMT_USE;
  p->context = "switch database statement";
  s->use = skep_p_name(p);
  return s->use != NULL;
}

/* ---- EXPLAIN --------------------------------------------------------------------------------------------------------
 */

static bool explain_word(const skep_parser *p) {
  switch (skep_p_keyword(p, 0)) {
    case SKEP_KW_EXTENDED:
    case SKEP_KW_FORMATTED:
    case SKEP_KW_DEPENDENCY:
    case SKEP_KW_CBO:
    case SKEP_KW_COST:
    case SKEP_KW_JOINCOST:
    case SKEP_KW_LOGICAL:
    case SKEP_KW_AUTHORIZATION:
    case SKEP_KW_REOPTIMIZATION:
    case SKEP_KW_LOCKS:
    case SKEP_KW_AST:
    case SKEP_KW_VECTORIZATION:
    case SKEP_KW_ONLY:
    case SKEP_KW_SUMMARY:
    case SKEP_KW_OPERATOR:
    case SKEP_KW_EXPRESSION:
    case SKEP_KW_DETAIL:
    case SKEP_KW_DEBUG:
    case SKEP_KW_DDL:
    case SKEP_KW_REWRITE:
      return true;
    case SKEP_KW_ANALYZE:
      return skep_p_keyword(p, 1) != SKEP_KW_TABLE;
    default:
      return false;
  }
}

static const char *explain_options(skep_parser *p) {
  skep_buf words;
  skep_buf_init(&words, p->arena->ctx, SIZE_MAX / 4); /* as long as the text at the most */
  while (explain_word(p)) {
    if (words.size > 0) skep_buf_byte(&words, ' ');
    skep_buf_text(&words, skep_keyword_name(skep_p_keyword(p, 0)));
    skep_p_next(p);
  }
  const char *options = skep_buf_copy(&words, p->arena);
  skep_buf_fini(&words);
  if (options == NULL) skep_p_no_memory(p);
  return options;
}

static bool explain(skep_parser *p, skep_statement *s) {
  skep_explain e = {.options = explain_options(p)};
  skep_statement inner = {.pos = skep_p_begin(p), .text = p->text, .text_length = p->length};
  s->kind = SKEP_STMT_EXPLAIN;
  p->context = "explain statement";
  if (e.options == NULL || !skep_p_enter(p)) return false;
  bool done = skep_p_any_statement(p, &inner);
  skep_p_leave(p);
  if (!done) return false;
  inner.pos = skep_p_end(p, inner.pos);
  e.statement = SKEP_P_NEW(p, inner);
  s->explain = SKEP_P_NEW(p, e);
  return s->explain != NULL;
}

/* ---- locks, transactions, queries
 * ------------------------------------------------------------------------------------ */

static bool lock_or_unlock(skep_parser *p, skep_statement *s, bool lock) {
  skep_lock l = {0};
  s->kind = lock ? SKEP_STMT_LOCK : SKEP_STMT_UNLOCK;
  p->context = lock ? "lock statement" : "unlock statement";
  l.is_database = skep_p_accept_kw(p, SKEP_KW_DATABASE) || skep_p_accept_kw(p, SKEP_KW_SCHEMA);
  if (l.is_database) {
    l.table.pos = skep_p_begin(p);
    l.table.name = skep_p_name(p);
    if (l.table.name == NULL) return false;
  } else if (!skep_p_expect_kw(p, SKEP_KW_TABLE) || !skep_p_table_name(p, &l.table) ||
             !skep_p_optional_partition(p, &l.partition)) {
    return false;
  }
  if (lock && !skep_p_accept_kw(p, SKEP_KW_SHARED)) {
    l.exclusive = true;
    if (!skep_p_expect_kw(p, SKEP_KW_EXCLUSIVE)) return false;
  }
  s->lock = SKEP_P_NEW(p, l);
  return s->lock != NULL;
}

static bool lock(skep_parser *p, skep_statement *s) { return lock_or_unlock(p, s, true); }
static bool unlock(skep_parser *p, skep_statement *s) { return lock_or_unlock(p, s, false); }

static bool abort_ids(skep_parser *p, skep_statement *s) {
  size_t mark = skep_p_mark(p);
  p->context = "abort statement";
  s->kind = SKEP_STMT_ABORT_TRANSACTIONS;
  if (!skep_p_accept_kw(p, SKEP_KW_TRANSACTIONS)) {
    s->kind = SKEP_STMT_ABORT_COMPACTIONS;
    if (!skep_p_expect_kw(p, SKEP_KW_COMPACTIONS)) return false;
  }
  p->context = s->kind == SKEP_STMT_ABORT_TRANSACTIONS ? "abort transactions statement" : "abort compactions statement";
  if (!skep_p_at(p, SKEP_TOKEN_NUMBER)) {
    skep_p_no_item(p);
    return false;
  }
  do {
    uint64_t value;
    if (!skep_p_integer(p, &value)) return false;
    int64_t id = (int64_t)value;
    if (!skep_p_push(p, &id, sizeof id)) return false;
  } while (skep_p_at(p, SKEP_TOKEN_NUMBER));
  s->ids.items = skep_p_take(p, mark, sizeof *s->ids.items, &s->ids.n);
  return p->status == SKEP_OK;
}

static bool kill_query(skep_parser *p, skep_statement *s) {
  size_t mark = skep_p_mark(p);
  s->kind = SKEP_STMT_KILL_QUERY;
  p->context = "kill query statement";
  if (!skep_p_expect_kw(p, SKEP_KW_QUERY)) return false;
  if (!skep_p_at(p, SKEP_TOKEN_STRING)) {
    skep_p_no_item(p);
    return false;
  }
  do {
    const char *id = skep_p_one_string(p);
    if (id == NULL || !skep_p_push(p, &id, sizeof id)) return false;
  } while (skep_p_at(p, SKEP_TOKEN_STRING));
  s->queries.items = skep_p_take(p, mark, sizeof *s->queries.items, &s->queries.n);
  return p->status == SKEP_OK;
}

static bool transaction_mode(skep_parser *p, skep_start_transaction *t) {
  if (skep_p_accept_kw(p, SKEP_KW_ISOLATION)) {
    t->snapshot = true;
    return skep_p_expect_kw(p, SKEP_KW_LEVEL) && skep_p_expect_kw(p, SKEP_KW_SNAPSHOT);
  }
  if (!skep_p_expect_kw(p, SKEP_KW_READ)) return false;
  if (skep_p_accept_kw(p, SKEP_KW_ONLY)) {
    t->read_only = true;
    return true;
  }
  t->read_write = true;
  return skep_p_expect_kw(p, SKEP_KW_WRITE);
}

static bool start_transaction(skep_parser *p, skep_statement *s) {
  s->kind = SKEP_STMT_START_TRANSACTION;
  p->context = "start transaction statement";
  s->start_transaction = (skep_start_transaction){0};
  if (!skep_p_expect_kw(p, SKEP_KW_TRANSACTION)) return false;
  if (!skep_p_at_kw(p, SKEP_KW_ISOLATION) && !skep_p_at_kw(p, SKEP_KW_READ)) return true;
  do {
    if (!transaction_mode(p, &s->start_transaction)) return false;
  } while (skep_p_accept(p, SKEP_TOKEN_COMMA));
  return true;
}

static bool commit(skep_parser *p, skep_statement *s) {
  s->kind = SKEP_STMT_COMMIT;
  (void)skep_p_accept_kw(p, SKEP_KW_WORK);
  return true;
}

static bool rollback(skep_parser *p, skep_statement *s) {
  s->kind = SKEP_STMT_ROLLBACK;
  (void)skep_p_accept_kw(p, SKEP_KW_WORK);
  return true;
}

/* SET AUTOCOMMIT, SET ROLE: other SETs never come here (parse_command.c). */
static bool set(skep_parser *p, skep_statement *s) {
  p->context = "set statement";
  if (skep_p_keyword(p, 0) == SKEP_KW_ROLE) return skep_p_other(p, s, "SET ROLE");
  s->kind = SKEP_STMT_SET_AUTOCOMMIT;
  if (!skep_p_expect_kw(p, SKEP_KW_AUTOCOMMIT)) return false;
  s->autocommit = skep_p_accept_kw(p, SKEP_KW_TRUE);
  return s->autocommit || skep_p_expect_kw(p, SKEP_KW_FALSE);
}

static bool prepare(skep_parser *p, skep_statement *s) {
  s->kind = SKEP_STMT_PREPARE;
  p->context = "prepare statement";
  s->prepare = (skep_prepare){.name = skep_p_name(p)};
  if (s->prepare.name == NULL || !skep_p_expect_kw(p, SKEP_KW_FROM)) return false;
  s->prepare.query = skep_p_query(p);
  return s->prepare.query != NULL;
}

static bool execute(skep_parser *p, skep_statement *s) {
  size_t mark = skep_p_mark(p);
  s->kind = SKEP_STMT_EXECUTE;
  p->context = "execute statement";
  s->prepare = (skep_prepare){.name = skep_p_name(p)};
  if (s->prepare.name == NULL || !skep_p_expect_kw(p, SKEP_KW_USING)) return false;
  do {
    const skep_expr *value = skep_p_constant(p);
    if (value == NULL || !skep_p_push(p, &value, sizeof value)) return false;
  } while (skep_p_accept(p, SKEP_TOKEN_COMMA));
  s->prepare.values.items = skep_p_take(p, mark, sizeof *s->prepare.values.items, &s->prepare.values.n);
  return p->status == SKEP_OK;
}

/* ---- dispatch
 * -------------------------------------------------------------------------------------------------------- */

static const struct {
  skep_keyword keyword;
  skep_p_statement *run; /* behind the word */
} statements[] = {
    {SKEP_KW_UPDATE, skep_p_update},
    {SKEP_KW_DELETE, skep_p_delete},
    {SKEP_KW_MERGE, skep_p_merge},
    {SKEP_KW_LOAD, skep_p_load},
    {SKEP_KW_EXPORT, skep_p_export},
    {SKEP_KW_IMPORT, skep_p_import},
    {SKEP_KW_CREATE, skep_p_create},
    {SKEP_KW_DROP, skep_p_drop},
    {SKEP_KW_ALTER, skep_p_alter},
    {SKEP_KW_TRUNCATE, skep_p_truncate},
    {SKEP_KW_USE, use},
    {SKEP_KW_SHOW, skep_p_show},
    {SKEP_KW_DESCRIBE, skep_p_describe},
    {SKEP_KW_DESC, skep_p_describe},
    {SKEP_KW_ANALYZE, skep_p_analyze},
    {SKEP_KW_MSCK, skep_p_msck},
    {SKEP_KW_EXPLAIN, explain},
    {SKEP_KW_LOCK, lock},
    {SKEP_KW_UNLOCK, unlock},
    {SKEP_KW_ABORT, abort_ids},
    {SKEP_KW_KILL, kill_query},
    {SKEP_KW_START, start_transaction},
    {SKEP_KW_COMMIT, commit},
    {SKEP_KW_ROLLBACK, rollback},
    {SKEP_KW_SET, set},
    {SKEP_KW_PREPARE, prepare},
    {SKEP_KW_EXECUTE, execute},
};

static const struct {
  const char *word, *what;
} others[] = {
    {"GRANT", "GRANT"},
    {"REVOKE", "REVOKE"},
    {"REPL", "REPL"},
    {"RELOAD", "RELOAD FUNCTIONS"},
    {"OPTIMIZE", "OPTIMIZE TABLE"},
    {"REPLACE", "REPLACE RESOURCE PLAN"},
};

static bool begins_query(const skep_parser *p) {
  switch (skep_p_keyword(p, 0)) {
    case SKEP_KW_SELECT:
    case SKEP_KW_WITH:
    case SKEP_KW_FROM:
    case SKEP_KW_VALUES:
    case SKEP_KW_INSERT:
      return true;
    default:
      return skep_p_kind(p, 0) == SKEP_TOKEN_LPAREN;
  }
}

bool skep_p_any_statement(skep_parser *p, skep_statement *s) {
  if (begins_query(p)) {
    p->context = "statement";
    return skep_p_query_or_insert(p, s);
  }
  for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++) {
    if (skep_p_keyword(p, 0) == statements[i].keyword) {
      skep_keyword keyword = statements[i].keyword;
      p->context = "statement";
      if (keyword == SKEP_KW_SHOW || keyword == SKEP_KW_CREATE || keyword == SKEP_KW_DROP) skep_p_decide(p);
      skep_p_next(p);
      return statements[i].run(p, s);
    }
  }
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    if (skep_p_is_word(p, 0, others[i].word)) return skep_p_other(p, s, others[i].what);
  }
  skep_p_expected(p, "a statement (SELECT, INSERT, CREATE, ...)");
  skep_p_syntax(p);
  return false;
}

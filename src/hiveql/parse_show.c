/* SHOW, DESCRIBE, ANALYZE, MSCK.
 *
 *   show     := SHOW (DATABASES | SCHEMAS) [LIKE pattern]
 *             | SHOW [EXTENDED] TABLES [in] ([LIKE] pattern | WHERE name '=' STRING) | SHOW VIEWS [in] [[LIKE] pattern]
 *             | SHOW MATERIALIZED VIEWS [in] [[LIKE] pattern] | SHOW [SORTED] COLUMNS (FROM | IN) table [in] [[LIKE]
 * pattern] | SHOW PARTITIONS table [partition] [WHERE expr] [ORDER BY orders] [LIMIT n] | SHOW CREATE (TABLE table |
 * (DATABASE | SCHEMA) name) | SHOW TBLPROPERTIES table ['(' STRING ')'] | SHOW TABLE EXTENDED [in] LIKE pattern
 * [partition] | SHOW FUNCTIONS [LIKE pattern] | SHOW CONF STRING | SHOW TRANSACTIONS | SHOW LOCKS [(DATABASE | SCHEMA)
 * name | table [partition]] [EXTENDED] | SHOW COMPACTIONS [COMPACTIONID '=' n | (DATABASE | SCHEMA) name | table
 * [partition]] [POOL STRING] [TYPE STRING] [STATUS STRING] [ORDER BY orders] [LIMIT n] in       := (FROM | IN) name
 * pattern := name | STRING describe := (DESCRIBE | DESC) ((DATABASE | SCHEMA) [EXTENDED] name | FUNCTION [EXTENDED] any
 *             | [EXTENDED | FORMATTED] table [partition] [name ('.' name)*])
 *   analyze  := ANALYZE TABLE table [partition] (COMPUTE STATISTICS [NOSCAN | FOR COLUMNS [names]] | CACHE METADATA)
 *   msck     := MSCK [REPAIR] [TABLE table [(ADD | DROP | SYNC) PARTITIONS ['(' name op constant ... ')']]]
 *
 * Source: hiveql.md 3.1, 3.5, 6.1, 6.2. */
#include "hiveql/parse_int.h"

const char *skep_p_name_or_string(skep_parser *p) {
  if (skep_p_at(p, SKEP_TOKEN_STRING)) return skep_p_string(p);
  return skep_p_name(p);
}

static bool in_database(skep_parser *p, const char **out) {
  if (!skep_p_accept_kw(p, SKEP_KW_FROM) && !skep_p_accept_kw(p, SKEP_KW_IN)) return true;
  *out = skep_p_name(p);
  return *out != NULL;
}

/* [LIKE] pattern */
static bool pattern(skep_parser *p, bool like_needed, const char **out) {
  bool like = skep_p_accept_kw(p, SKEP_KW_LIKE);
  bool there = like || (!like_needed && (skep_p_at(p, SKEP_TOKEN_STRING) || skep_p_is_name(p, 0)));
  if (!there) return true;
  *out = skep_p_name_or_string(p);
  return *out != NULL;
}

static bool table_of(skep_parser *p, skep_show *h) {
  h->has_table = true;
  return skep_p_table_name(p, &h->table);
}

static bool order_and_limit(skep_parser *p, skep_show *h) {
  if (skep_p_accept_kw2(p, SKEP_KW_ORDER, SKEP_KW_BY) && !skep_p_order_items(p, &h->order_by)) return false;
  h->has_limit = skep_p_accept_kw(p, SKEP_KW_LIMIT);
  return !h->has_limit || skep_p_integer(p, &h->limit);
}

/* ---- SHOW -----------------------------------------------------------------------------------------------------------
 */

static bool show_tables(skep_parser *p, skep_show *h) {
  h->kind = SKEP_SHOW_TABLES;
  if (!in_database(p, &h->db)) return false;
  if (!skep_p_accept_kw(p, SKEP_KW_WHERE)) return pattern(p, false, &h->pattern);
  const char *name = skep_p_name(p);
  if (name == NULL || !skep_p_expect(p, SKEP_TOKEN_EQ)) return false;
  h->table_type = skep_p_string(p);
  return h->table_type != NULL;
}

static bool show_views(skep_parser *p, skep_show *h, skep_show_kind kind) {
  h->kind = kind;
  return in_database(p, &h->db) && pattern(p, false, &h->pattern);
}

static bool show_columns(skep_parser *p, skep_show *h) {
  h->kind = SKEP_SHOW_COLUMNS;
  if (!skep_p_accept_kw(p, SKEP_KW_FROM) && !skep_p_accept_kw(p, SKEP_KW_IN)) {
    skep_p_syntax(p);
    return false;
  }
  if (!table_of(p, h) || !in_database(p, &h->db)) return false;
  if (h->db != NULL) h->table.db = h->db;
  return pattern(p, false, &h->pattern);
}

static bool show_partitions(skep_parser *p, skep_show *h) {
  h->kind = SKEP_SHOW_PARTITIONS;
  if (!table_of(p, h) || !skep_p_optional_partition(p, &h->partition)) return false;
  if (skep_p_accept_kw(p, SKEP_KW_WHERE)) {
    h->where = skep_p_expr(p);
    if (h->where == NULL) return false;
  }
  return order_and_limit(p, h);
}

static bool show_create(skep_parser *p, skep_show *h) {
  if (skep_p_accept_kw(p, SKEP_KW_DATABASE) || skep_p_accept_kw(p, SKEP_KW_SCHEMA)) {
    h->kind = SKEP_SHOW_CREATE_DATABASE;
    h->db = skep_p_name(p);
    return h->db != NULL;
  }
  h->kind = SKEP_SHOW_CREATE_TABLE;
  return skep_p_expect_kw(p, SKEP_KW_TABLE) && table_of(p, h);
}

static bool show_properties(skep_parser *p, skep_show *h) {
  h->kind = SKEP_SHOW_TBLPROPERTIES;
  if (!table_of(p, h)) return false;
  if (!skep_p_accept(p, SKEP_TOKEN_LPAREN)) return true;
  h->key = skep_p_string(p);
  return h->key != NULL && skep_p_expect(p, SKEP_TOKEN_RPAREN);
}

static bool show_table_extended(skep_parser *p, skep_show *h) {
  h->kind = SKEP_SHOW_TABLE_EXTENDED;
  skep_p_expected(p, skep_keyword_name(SKEP_KW_EXTENDED));
  skep_p_expected(p, "other words: SHOW TABLES, SHOW CREATE TABLE, DESCRIBE"); /* what is meant most often */
  if (!skep_p_expect_kw(p, SKEP_KW_EXTENDED) || !in_database(p, &h->db) || !skep_p_expect_kw(p, SKEP_KW_LIKE)) {
    return false;
  }
  h->pattern = skep_p_name_or_string(p);
  return h->pattern != NULL && skep_p_optional_partition(p, &h->partition);
}

static bool show_conf(skep_parser *p, skep_show *h) {
  h->kind = SKEP_SHOW_CONF;
  h->key = skep_p_string(p);
  return h->key != NULL;
}

static bool show_functions(skep_parser *p, skep_show *h) {
  h->kind = SKEP_SHOW_FUNCTIONS;
  return pattern(p, true, &h->pattern);
}

static bool one_database(skep_parser *p, skep_show *h) {
  h->db = skep_p_name(p);
  return h->db != NULL;
}

static bool show_locks(skep_parser *p, skep_show *h) {
  h->kind = SKEP_SHOW_LOCKS;
  if (skep_p_accept_kw(p, SKEP_KW_DATABASE) || skep_p_accept_kw(p, SKEP_KW_SCHEMA)) {
    if (!one_database(p, h)) return false;
  } else if (skep_p_is_name(p, 0)) {
    if (!table_of(p, h) || !skep_p_optional_partition(p, &h->partition)) return false;
  }
  h->extended = skep_p_accept_kw(p, SKEP_KW_EXTENDED);
  return true;
}

/* A table called pool, type or status needs back-quotes where such a filter could stand. */
static bool at_filter(const skep_parser *p) {
  skep_keyword keyword = skep_p_keyword(p, 0);
  if (keyword == SKEP_KW_LIMIT) return true;
  return (keyword == SKEP_KW_POOL || keyword == SKEP_KW_TYPE || keyword == SKEP_KW_STATUS) &&
         skep_p_kind(p, 1) == SKEP_TOKEN_STRING;
}

static bool compaction_subject(skep_parser *p, skep_show *h) {
  if (skep_p_accept_kw(p, SKEP_KW_COMPACTIONID)) {
    uint64_t id;
    h->has_id = true;
    if (!skep_p_expect(p, SKEP_TOKEN_EQ) || !skep_p_integer(p, &id)) return false;
    h->id = (int64_t)id;
    return true;
  }
  if (skep_p_accept_kw(p, SKEP_KW_DATABASE) || skep_p_accept_kw(p, SKEP_KW_SCHEMA)) return one_database(p, h);
  if (!skep_p_is_name(p, 0) || at_filter(p)) return true;
  return table_of(p, h) && skep_p_optional_partition(p, &h->partition);
}

static bool filter(skep_parser *p, skep_keyword keyword, const char **out) {
  if (!skep_p_accept_kw(p, keyword)) return true;
  *out = skep_p_string(p);
  return *out != NULL;
}

static bool show_compactions(skep_parser *p, skep_show *h) {
  h->kind = SKEP_SHOW_COMPACTIONS;
  return compaction_subject(p, h) && filter(p, SKEP_KW_POOL, &h->pool) && filter(p, SKEP_KW_TYPE, &h->type) &&
         filter(p, SKEP_KW_STATUS, &h->status) && order_and_limit(p, h);
}

static bool show_databases(skep_parser *p, skep_show *h) {
  h->kind = SKEP_SHOW_DATABASES;
  return pattern(p, true, &h->pattern);
}

static bool show_materialized(skep_parser *p, skep_show *h) {
  return skep_p_expect_kw(p, SKEP_KW_VIEWS) && show_views(p, h, SKEP_SHOW_MATERIALIZED_VIEWS);
}

static bool show_sorted(skep_parser *p, skep_show *h) {
  h->sorted = true;
  return skep_p_expect_kw(p, SKEP_KW_COLUMNS) && show_columns(p, h);
}

static bool show_extended(skep_parser *p, skep_show *h) {
  h->extended = true;
  return skep_p_expect_kw(p, SKEP_KW_TABLES) && show_tables(p, h);
}

static bool show_plain_views(skep_parser *p, skep_show *h) { return show_views(p, h, SKEP_SHOW_VIEWS); }

static bool show_transactions(skep_parser *p, skep_show *h) {
  (void)p;
  h->kind = SKEP_SHOW_TRANSACTIONS;
  return true;
}

static const struct {
  skep_keyword keyword;
  bool (*run)(skep_parser *p, skep_show *h);
} shows[] = {
    {SKEP_KW_DATABASES, show_databases},
    {SKEP_KW_SCHEMAS, show_databases},
    {SKEP_KW_TABLES, show_tables},
    {SKEP_KW_EXTENDED, show_extended},
    {SKEP_KW_VIEWS, show_plain_views},
    {SKEP_KW_MATERIALIZED, show_materialized},
    {SKEP_KW_COLUMNS, show_columns},
    {SKEP_KW_SORTED, show_sorted},
    {SKEP_KW_PARTITIONS, show_partitions},
    {SKEP_KW_CREATE, show_create},
    {SKEP_KW_TBLPROPERTIES, show_properties},
    {SKEP_KW_TABLE, show_table_extended},
    {SKEP_KW_FUNCTIONS, show_functions},
    {SKEP_KW_CONF, show_conf},
    {SKEP_KW_TRANSACTIONS, show_transactions},
    {SKEP_KW_LOCKS, show_locks},
    {SKEP_KW_COMPACTIONS, show_compactions},
};

static bool show_other(skep_parser *p, skep_statement *s) {
  switch (skep_p_keyword(p, 0)) {
    case SKEP_KW_GRANT:
      return skep_p_other(p, s, "SHOW GRANT");
    case SKEP_KW_ROLE:
      return skep_p_other(p, s, "SHOW ROLE GRANT");
    case SKEP_KW_ROLES:
      return skep_p_other(p, s, "SHOW ROLES");
    case SKEP_KW_CURRENT:
      return skep_p_other(p, s, "SHOW CURRENT ROLES");
    case SKEP_KW_PRINCIPALS:
      return skep_p_other(p, s, "SHOW PRINCIPALS");
    case SKEP_KW_RESOURCE:
      return skep_p_other(p, s, "SHOW RESOURCE PLAN");
    case SKEP_KW_CONNECTORS:
      return skep_p_other(p, s, "SHOW CONNECTORS");
    default:
      break;
  }
  p->context = "ddl statement";
  skep_p_syntax(p);
  return false;
}

bool skep_p_show(skep_parser *p, skep_statement *s) {
  skep_show h = {0};
  s->kind = SKEP_STMT_SHOW;
  p->context = "show statement";
  for (size_t i = 0; i < sizeof shows / sizeof shows[0]; i++) {
    if (skep_p_accept_kw(p, shows[i].keyword)) {
      if (!shows[i].run(p, &h)) return false;
      s->show = SKEP_P_NEW(p, h);
      return s->show != NULL;
    }
  }
  return show_other(p, s);
}

/* ---- DESCRIBE -------------------------------------------------------------------------------------------------------
 */

/* A function's name may be an operator, a reserved word, a string. */
static bool describe_function(skep_parser *p, skep_describe *d) {
  d->kind = SKEP_DESCRIBE_FUNCTION;
  d->extended = skep_p_accept_kw(p, SKEP_KW_EXTENDED);
  if (skep_p_kind(p, 0) == SKEP_TOKEN_EOF || skep_p_kind(p, 0) == SKEP_TOKEN_SEMICOLON) {
    skep_p_expected(p, "a function's name");
    skep_p_syntax(p);
    return false;
  }
  if (skep_p_is_name(p, 0) || skep_p_kind(p, 0) == SKEP_TOKEN_STRING) {
    d->name = skep_p_name_or_string(p);
  } else {
    d->name = skep_p_source(p, p->at, p->at + 1);
    skep_p_next(p);
  }
  return d->name != NULL;
}

static bool describe_column(skep_parser *p, skep_describe *d) {
  size_t mark = skep_p_mark(p);
  do {
    const char *name = skep_p_name(p);
    if (name == NULL || !skep_p_push(p, &name, sizeof name)) return false;
  } while (skep_p_accept(p, SKEP_TOKEN_DOT));
  d->column.items = skep_p_take(p, mark, sizeof *d->column.items, &d->column.n);
  return p->status == SKEP_OK;
}

static bool describe_table(skep_parser *p, skep_describe *d) {
  d->kind = SKEP_DESCRIBE_TABLE;
  d->extended = skep_p_accept_kw(p, SKEP_KW_EXTENDED);
  if (!d->extended && skep_p_is_name(p, 1)) d->formatted = skep_p_accept_kw(p, SKEP_KW_FORMATTED);
  if (!skep_p_table_name(p, &d->table) || !skep_p_optional_partition(p, &d->partition)) return false;
  return !skep_p_is_name(p, 0) || describe_column(p, d);
}

bool skep_p_describe(skep_parser *p, skep_statement *s) {
  skep_describe d = {0};
  bool done;
  s->kind = SKEP_STMT_DESCRIBE;
  p->context = "describe statement";
  if (skep_p_accept_kw(p, SKEP_KW_DATABASE) || skep_p_accept_kw(p, SKEP_KW_SCHEMA)) {
    d.kind = SKEP_DESCRIBE_DATABASE;
    d.extended = skep_p_accept_kw(p, SKEP_KW_EXTENDED);
    d.name = skep_p_name(p);
    done = d.name != NULL;
  } else if (skep_p_accept_kw(p, SKEP_KW_FUNCTION)) {
    done = describe_function(p, &d);
  } else {
    done = describe_table(p, &d);
  }
  if (!done) return false;
  s->describe = SKEP_P_NEW(p, d);
  return s->describe != NULL;
}

/* ---- ANALYZE, MSCK --------------------------------------------------------------------------------------------------
 */

bool skep_p_analyze(skep_parser *p, skep_statement *s) {
  skep_analyze a = {0};
  s->kind = SKEP_STMT_ANALYZE;
  p->context = "analyze statement";
  if (!skep_p_expect_before_name(p, SKEP_KW_TABLE) || !skep_p_table_name(p, &a.table) ||
      !skep_p_optional_partition(p, &a.partition)) {
    return false;
  }
  if (skep_p_accept_kw(p, SKEP_KW_CACHE)) {
    a.cache_metadata = true;
    if (!skep_p_expect_kw(p, SKEP_KW_METADATA)) return false;
  } else if (!skep_p_expect_kw(p, SKEP_KW_COMPUTE) || !skep_p_expect_kw(p, SKEP_KW_STATISTICS)) {
    return false;
  }
  if (!a.cache_metadata) a.noscan = skep_p_accept_kw(p, SKEP_KW_NOSCAN);
  if (!a.cache_metadata && !a.noscan && skep_p_accept_kw(p, SKEP_KW_FOR)) {
    a.for_columns = true;
    if (!skep_p_expect_kw(p, SKEP_KW_COLUMNS)) return false;
    if (skep_p_is_name(p, 0) && !skep_p_names(p, &a.columns)) return false;
  }
  s->analyze = SKEP_P_NEW(p, a);
  return s->analyze != NULL;
}

static bool msck_action(skep_parser *p, skep_msck *m) {
  if (skep_p_accept_kw(p, SKEP_KW_ADD)) {
    m->action = SKEP_MSCK_ADD;
  } else if (skep_p_accept_kw(p, SKEP_KW_DROP)) {
    m->action = SKEP_MSCK_DROP;
  } else if (skep_p_accept_kw(p, SKEP_KW_SYNC)) {
    m->action = SKEP_MSCK_SYNC;
  } else {
    return true;
  }
  if (!skep_p_expect_kw(p, SKEP_KW_PARTITIONS)) return false;
  return !skep_p_at(p, SKEP_TOKEN_LPAREN) || skep_p_partition_values(p, true, &m->partition);
}

bool skep_p_msck(skep_parser *p, skep_statement *s) {
  skep_msck m = {0};
  s->kind = SKEP_STMT_MSCK;
  p->context = "msck statement";
  m.repair = skep_p_accept_kw(p, SKEP_KW_REPAIR);
  if (skep_p_is_name(p, 0) && !skep_p_expect_before_name(p, SKEP_KW_TABLE)) return false;
  m.has_table = skep_p_accept_kw(p, SKEP_KW_TABLE);
  if (m.has_table && (!skep_p_table_name(p, &m.table) || !msck_action(p, &m))) return false;
  s->msck = SKEP_P_NEW(p, m);
  return s->msck != NULL;
}

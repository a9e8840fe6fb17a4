/* ALTER.
 *
 *   alter   := ALTER (DATABASE | SCHEMA) name SET (DBPROPERTIES properties | OWNER principal | LOCATION STRING
 *              | MANAGEDLOCATION STRING)
 *            | ALTER TABLE table [partition] action
 *            | ALTER VIEW table (action | [AS] query)
 *            | ALTER MATERIALIZED VIEW table ((ENABLE | DISABLE) REWRITE | REBUILD)
 *   action  := RENAME TO (table | partition) | (ADD | REPLACE) COLUMNS '(' columns ')' [CASCADE | RESTRICT]
 *            | CHANGE [COLUMN] name name type [constraint] [COMMENT STRING] [FIRST | AFTER name] [CASCADE | RESTRICT]
 *            | UPDATE COLUMNS [CASCADE | RESTRICT] | PARTITION COLUMN '(' column ')'
 *            | ADD [IF NOT EXISTS] (partition [LOCATION STRING])+ | DROP [IF EXISTS] partition (',' partition)* [PURGE]
 *            | TOUCH partition* | (ARCHIVE | UNARCHIVE) partition* | EXCHANGE partition WITH TABLE table
 *            | (SET | UNSET) TBLPROPERTIES [IF EXISTS] properties | SET LOCATION STRING | SET FILEFORMAT format
 *            | SET SERDE STRING [WITH SERDEPROPERTIES properties] | (SET | UNSET) SERDEPROPERTIES properties
 *            | SET OWNER principal | SET SKEWED LOCATION '(' ... ')' | NOT (CLUSTERED | SORTED | SKEWED)
 *            | NOT STORED AS DIRECTORIES | bucketing | INTO n BUCKETS | skew
 *            | ADD table-constraint | DROP CONSTRAINT name | CONCATENATE | CONVERT TO name [TBLPROPERTIES properties]
 *            | UPDATE STATISTICS (SET properties | FOR [COLUMN] name SET properties)
 *            | COMPACT STRING [CLUSTERED INTO n BUCKETS] [AND WAIT] [POOL STRING] [WITH OVERWRITE TBLPROPERTIES
 * properties] [WHERE expr] [ORDER BY orders] principal := (USER | ROLE | GROUP) name
 *
 * Source: hiveql.md 3.1, 3.4, 3.6, 6.1. */
#include "hiveql/parse_int.h"

typedef bool alter_action(skep_parser *p, skep_alter_table *a); /* behind its word */

static bool text(skep_parser *p, const char **out) {
  *out = skep_p_string(p);
  return *out != NULL;
}

static bool done_with(skep_alter_table *a, skep_alter_kind kind) {
  a->kind = kind;
  return true;
}

static bool cascade(skep_parser *p, skep_alter_table *a) {
  if (skep_p_accept_kw(p, SKEP_KW_CASCADE)) a->cascade = SKEP_ON;
  if (a->cascade == SKEP_UNSAID && skep_p_accept_kw(p, SKEP_KW_RESTRICT)) a->cascade = SKEP_OFF;
  return true;
}

static bool principal(skep_parser *p, skep_owner_kind *kind, const char **name) {
  if (skep_p_accept_kw(p, SKEP_KW_USER)) {
    *kind = SKEP_OWNER_USER;
  } else if (skep_p_accept_kw(p, SKEP_KW_ROLE)) {
    *kind = SKEP_OWNER_ROLE;
  } else {
    *kind = SKEP_OWNER_GROUP;
    if (!skep_p_expect_kw(p, SKEP_KW_GROUP)) return false;
  }
  *name = skep_p_name(p);
  return *name != NULL;
}

/* Nothing that the word before begins. */
static bool no_action(skep_parser *p) {
  skep_p_syntax(p);
  return false;
}

/* ---- columns and names ----------------------------------------------------------------------------------------------
 */

static bool rename(skep_parser *p, skep_alter_table *a) {
  if (!skep_p_accept_kw(p, SKEP_KW_TO)) return no_action(p);
  if (!skep_p_at_kw(p, SKEP_KW_PARTITION)) {
    a->kind = SKEP_ALTER_RENAME;
    return skep_p_table_name(p, &a->new_table);
  }
  skep_alter_partition to = {0};
  a->kind = SKEP_ALTER_RENAME_PARTITION;
  if (!skep_p_partition_spec(p, false, &to.spec)) return false;
  a->partitions = SKEP_P_NEW(p, to);
  a->n_partitions = 1;
  return a->partitions != NULL;
}

static bool columns(skep_parser *p, skep_alter_table *a, skep_alter_kind kind) {
  a->kind = kind;
  p->context = "add column statement";
  return skep_p_expect_kw(p, SKEP_KW_COLUMNS) && skep_p_column_defs(p, &a->columns) && cascade(p, a);
}

static bool one_column(skep_parser *p, skep_alter_table *a) {
  skep_column_def column;
  if (!skep_p_column_def(p, SKEP_P_COLUMN_FULL, &column)) return false;
  a->columns = (skep_column_list){SKEP_P_NEW(p, column), 1};
  return a->columns.items != NULL;
}

static bool change(skep_parser *p, skep_alter_table *a) {
  a->kind = SKEP_ALTER_CHANGE_COLUMN;
  (void)skep_p_accept_kw(p, SKEP_KW_COLUMN);
  a->column = skep_p_name(p);
  if (a->column == NULL || !one_column(p, a)) return false;
  a->first = skep_p_accept_kw(p, SKEP_KW_FIRST);
  if (!a->first && skep_p_accept_kw(p, SKEP_KW_AFTER)) {
    a->after = skep_p_name(p);
    if (a->after == NULL) return false;
  }
  return cascade(p, a);
}

static bool statistics(skep_parser *p, skep_alter_table *a) {
  a->kind = SKEP_ALTER_UPDATE_STATISTICS;
  if (skep_p_accept_kw(p, SKEP_KW_FOR)) {
    (void)skep_p_accept_kw(p, SKEP_KW_COLUMN);
    a->column = skep_p_name(p);
    if (a->column == NULL) return false;
  }
  return skep_p_expect_kw(p, SKEP_KW_SET) && skep_p_properties(p, true, &a->properties);
}

static bool update(skep_parser *p, skep_alter_table *a) {
  if (skep_p_accept_kw(p, SKEP_KW_STATISTICS)) return statistics(p, a);
  a->kind = SKEP_ALTER_UPDATE_COLUMNS;
  return skep_p_expect_kw(p, SKEP_KW_COLUMNS) && cascade(p, a);
}

/* ---- partitions -----------------------------------------------------------------------------------------------------
 */

/* partition* with an optional LOCATION each; commas between where `commas`. */
static bool partitions(skep_parser *p, skep_alter_table *a, bool any_operator, bool commas) {
  size_t mark = skep_p_mark(p);
  do {
    skep_alter_partition part = {0};
    if (!skep_p_partition_spec(p, any_operator, &part.spec)) return false;
    if (a->kind == SKEP_ALTER_ADD_PARTITIONS && skep_p_accept_kw(p, SKEP_KW_LOCATION) && !text(p, &part.location)) {
      return false;
    }
    if (!skep_p_push(p, &part, sizeof part)) return false;
  } while (commas ? skep_p_accept(p, SKEP_TOKEN_COMMA) : skep_p_at_kw(p, SKEP_KW_PARTITION));
  a->partitions = skep_p_take(p, mark, sizeof *a->partitions, &a->n_partitions);
  return p->status == SKEP_OK;
}

static bool any_partitions(skep_parser *p, skep_alter_table *a, skep_alter_kind kind) {
  a->kind = kind;
  return !skep_p_at_kw(p, SKEP_KW_PARTITION) || partitions(p, a, false, false);
}

static bool constraint(skep_parser *p, skep_alter_table *a) {
  skep_ast_constraint c;
  a->kind = SKEP_ALTER_ADD_CONSTRAINT;
  if (!skep_p_table_constraint(p, &c)) return false;
  a->constraint = SKEP_P_NEW(p, c);
  return a->constraint != NULL;
}

static bool add(skep_parser *p, skep_alter_table *a) {
  if (skep_p_at_kw(p, SKEP_KW_COLUMNS)) return columns(p, a, SKEP_ALTER_ADD_COLUMNS);
  if (skep_p_at_kw(p, SKEP_KW_CONSTRAINT)) return constraint(p, a);
  if (!skep_p_at_kw(p, SKEP_KW_PARTITION) && !skep_p_at_kw(p, SKEP_KW_IF)) return no_action(p);
  a->kind = SKEP_ALTER_ADD_PARTITIONS;
  return skep_p_if_not_exists(p, &a->if_flag) && partitions(p, a, false, false);
}

static bool drop(skep_parser *p, skep_alter_table *a) {
  if (skep_p_accept_kw(p, SKEP_KW_CONSTRAINT)) {
    a->kind = SKEP_ALTER_DROP_CONSTRAINT;
    a->column = skep_p_name(p);
    return a->column != NULL;
  }
  if (!skep_p_at_kw(p, SKEP_KW_PARTITION) && !skep_p_at_kw(p, SKEP_KW_IF)) return no_action(p);
  a->kind = SKEP_ALTER_DROP_PARTITIONS;
  if (!skep_p_if_exists(p, &a->if_flag) || !partitions(p, a, true, true)) return false;
  a->purge = skep_p_accept_kw(p, SKEP_KW_PURGE);
  return true;
}

static bool exchange(skep_parser *p, skep_alter_table *a) {
  skep_alter_partition part = {0};
  a->kind = SKEP_ALTER_EXCHANGE_PARTITION;
  if (!skep_p_partition_spec(p, false, &part.spec)) return false;
  a->partitions = SKEP_P_NEW(p, part);
  a->n_partitions = 1;
  return skep_p_expect_kw(p, SKEP_KW_WITH) && skep_p_expect_kw(p, SKEP_KW_TABLE) && skep_p_table_name(p, &a->new_table);
}

/* ---- SET, UNSET, NOT
 * ------------------------------------------------------------------------------------------------- */

static bool file_format(skep_parser *p, skep_alter_table *a) {
  skep_file_format *f = &a->file_format;
  a->kind = SKEP_ALTER_SET_FILE_FORMAT;
  if (!skep_p_accept_kw(p, SKEP_KW_INPUTFORMAT)) {
    f->name = skep_p_name(p);
    return f->name != NULL;
  }
  return text(p, &f->input_format) && skep_p_expect_kw(p, SKEP_KW_OUTPUTFORMAT) && text(p, &f->output_format) &&
         skep_p_expect_kw(p, SKEP_KW_SERDE) && text(p, &f->serde);
}

static bool serde(skep_parser *p, skep_alter_table *a) {
  a->kind = SKEP_ALTER_SET_SERDE;
  if (!text(p, &a->serde)) return false;
  return !skep_p_accept_kw2(p, SKEP_KW_WITH, SKEP_KW_SERDEPROPERTIES) || skep_p_properties(p, true, &a->properties);
}

static bool skewed_location(skep_parser *p, skep_alter_table *a) {
  a->kind = SKEP_ALTER_SET_SKEWED_LOCATION;
  if (!skep_p_expect_kw(p, SKEP_KW_LOCATION) || !skep_p_at(p, SKEP_TOKEN_LPAREN)) {
    skep_p_syntax(p);
    return false;
  }
  size_t close = skep_p_peek(p, 0)->match; /* its contents are for a refused statement */
  while (p->at < close) skep_p_next(p);
  return skep_p_expect(p, SKEP_TOKEN_RPAREN);
}

static bool set(skep_parser *p, skep_alter_table *a) {
  if (skep_p_accept_kw(p, SKEP_KW_TBLPROPERTIES)) {
    a->kind = SKEP_ALTER_SET_PROPERTIES;
    return skep_p_properties(p, true, &a->properties);
  }
  if (skep_p_accept_kw(p, SKEP_KW_SERDEPROPERTIES)) {
    a->kind = SKEP_ALTER_SET_SERDE_PROPERTIES;
    return skep_p_properties(p, true, &a->properties);
  }
  if (skep_p_accept_kw(p, SKEP_KW_LOCATION)) {
    a->kind = SKEP_ALTER_SET_LOCATION;
    return text(p, &a->location);
  }
  if (skep_p_accept_kw(p, SKEP_KW_FILEFORMAT)) return file_format(p, a);
  if (skep_p_accept_kw(p, SKEP_KW_SERDE)) return serde(p, a);
  if (skep_p_accept_kw(p, SKEP_KW_SKEWED)) return skewed_location(p, a);
  a->kind = SKEP_ALTER_SET_OWNER;
  return skep_p_expect_kw(p, SKEP_KW_OWNER) && principal(p, &a->owner_kind, &a->owner);
}

static bool unset(skep_parser *p, skep_alter_table *a) {
  a->kind = SKEP_ALTER_UNSET_SERDE_PROPERTIES;
  if (!skep_p_accept_kw(p, SKEP_KW_SERDEPROPERTIES)) {
    a->kind = SKEP_ALTER_UNSET_PROPERTIES;
    if (!skep_p_expect_kw(p, SKEP_KW_TBLPROPERTIES)) return false;
  }
  return skep_p_if_exists(p, &a->if_flag) && skep_p_properties(p, false, &a->properties);
}

static bool not_(skep_parser *p, skep_alter_table *a) {
  if (skep_p_accept_kw(p, SKEP_KW_CLUSTERED)) return done_with(a, SKEP_ALTER_NOT_CLUSTERED);
  if (skep_p_accept_kw(p, SKEP_KW_SORTED)) return done_with(a, SKEP_ALTER_NOT_SORTED);
  if (skep_p_accept_kw(p, SKEP_KW_SKEWED)) return done_with(a, SKEP_ALTER_NOT_SKEWED);
  a->kind = SKEP_ALTER_NOT_STORED_AS_DIRECTORIES;
  return skep_p_expect_kw(p, SKEP_KW_STORED) && skep_p_expect_kw(p, SKEP_KW_AS) &&
         skep_p_expect_kw(p, SKEP_KW_DIRECTORIES);
}

/* ---- the rest -------------------------------------------------------------------------------------------------------
 */

static bool replace(skep_parser *p, skep_alter_table *a) { return columns(p, a, SKEP_ALTER_REPLACE_COLUMNS); }
static bool touch(skep_parser *p, skep_alter_table *a) { return any_partitions(p, a, SKEP_ALTER_TOUCH); }
static bool archive(skep_parser *p, skep_alter_table *a) { return any_partitions(p, a, SKEP_ALTER_ARCHIVE); }
static bool unarchive(skep_parser *p, skep_alter_table *a) { return any_partitions(p, a, SKEP_ALTER_UNARCHIVE); }
static bool concatenate(skep_parser *p, skep_alter_table *a) {
  (void)p;
  return done_with(a, SKEP_ALTER_CONCATENATE);
}

static bool clustered(skep_parser *p, skep_alter_table *a) {
  a->kind = SKEP_ALTER_CLUSTERED_BY;
  return skep_p_bucketing(p, &a->bucketing);
}

static bool skewed(skep_parser *p, skep_alter_table *a) {
  a->kind = SKEP_ALTER_SKEWED_BY;
  return skep_p_skew(p, &a->skew);
}

static bool n_buckets(skep_parser *p, int64_t *out) {
  uint64_t n;
  if (!skep_p_integer(p, &n) || !skep_p_expect_kw(p, SKEP_KW_BUCKETS)) return false;
  *out = (int64_t)n;
  return true;
}

static bool into_buckets(skep_parser *p, skep_alter_table *a) {
  a->kind = SKEP_ALTER_INTO_BUCKETS;
  return n_buckets(p, &a->bucketing.n_buckets);
}

static bool convert(skep_parser *p, skep_alter_table *a) {
  a->kind = SKEP_ALTER_CONVERT;
  if (!skep_p_expect_kw(p, SKEP_KW_TO)) return false;
  a->column = skep_p_name(p);
  if (a->column == NULL) return false;
  return !skep_p_accept_kw(p, SKEP_KW_TBLPROPERTIES) || skep_p_properties(p, true, &a->properties);
}

static bool compact(skep_parser *p, skep_alter_table *a) {
  skep_compact c = {0};
  a->kind = SKEP_ALTER_COMPACT;
  p->context = "compaction request";
  if (!text(p, &c.type)) return false;
  if (skep_p_accept_kw(p, SKEP_KW_CLUSTERED) && (!skep_p_expect_kw(p, SKEP_KW_INTO) || !n_buckets(p, &c.n_buckets))) {
    return false;
  }
  c.wait = skep_p_accept_kw(p, SKEP_KW_AND);
  if (c.wait && !skep_p_expect_kw(p, SKEP_KW_WAIT)) return false;
  if (skep_p_accept_kw(p, SKEP_KW_POOL) && !text(p, &c.pool)) return false;
  if (skep_p_accept_kw2(p, SKEP_KW_WITH, SKEP_KW_OVERWRITE) &&
      (!skep_p_expect_kw(p, SKEP_KW_TBLPROPERTIES) || !skep_p_properties(p, true, &c.properties))) {
    return false;
  }
  if (skep_p_accept_kw(p, SKEP_KW_WHERE)) {
    c.where = skep_p_expr(p);
    if (c.where == NULL) return false;
  }
  if (skep_p_accept_kw2(p, SKEP_KW_ORDER, SKEP_KW_BY) && !skep_p_order_items(p, &c.order_by)) return false;
  a->compact = SKEP_P_NEW(p, c);
  return a->compact != NULL;
}

static bool partition_column(skep_parser *p, skep_alter_table *a) {
  a->kind = SKEP_ALTER_PARTITION_COLUMN;
  return skep_p_expect(p, SKEP_TOKEN_LPAREN) && one_column(p, a) && skep_p_expect(p, SKEP_TOKEN_RPAREN);
}

/* Words of Iceberg's statements: CREATE BRANCH, DROP TAG, EXECUTE. */
static bool iceberg(skep_parser *p, skep_alter_table *a) {
  a->kind = SKEP_ALTER_ICEBERG;
  a->word = skep_keyword_name(skep_p_keyword(p, 0));
  while (skep_p_kind(p, 0) != SKEP_TOKEN_EOF && skep_p_kind(p, 0) != SKEP_TOKEN_SEMICOLON) skep_p_next(p);
  return true;
}

static const struct {
  skep_keyword keyword;
  alter_action *run;
} actions[] = {
    {SKEP_KW_RENAME, rename},
    {SKEP_KW_ADD, add},
    {SKEP_KW_REPLACE, replace},
    {SKEP_KW_CHANGE, change},
    {SKEP_KW_UPDATE, update},
    {SKEP_KW_DROP, drop},
    {SKEP_KW_TOUCH, touch},
    {SKEP_KW_ARCHIVE, archive},
    {SKEP_KW_UNARCHIVE, unarchive},
    {SKEP_KW_EXCHANGE, exchange},
    {SKEP_KW_SET, set},
    {SKEP_KW_UNSET, unset},
    {SKEP_KW_NOT, not_},
    {SKEP_KW_CLUSTERED, clustered},
    {SKEP_KW_INTO, into_buckets},
    {SKEP_KW_SKEWED, skewed},
    {SKEP_KW_CONCATENATE, concatenate},
    {SKEP_KW_CONVERT, convert},
    {SKEP_KW_COMPACT, compact},
};

static bool action(skep_parser *p, skep_alter_table *a) {
  skep_p_decide(p);
  for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++) {
    if (skep_p_accept_kw(p, actions[i].keyword)) return actions[i].run(p, a);
  }
  if (skep_p_keyword(p, 0) == SKEP_KW_CREATE || skep_p_keyword(p, 0) == SKEP_KW_EXECUTE) return iceberg(p, a);
  skep_p_syntax(p);
  return false;
}

static bool alter_table(skep_parser *p, skep_statement *s) {
  skep_alter_table a = {0};
  s->kind = SKEP_STMT_ALTER_TABLE;
  p->context = "alter table statement";
  if (!skep_p_table_name(p, &a.table)) return false;
  if (skep_p_accept_kw2(p, SKEP_KW_PARTITION, SKEP_KW_COLUMN)) {
    if (!partition_column(p, &a)) return false;
  } else {
    if (!skep_p_optional_partition(p, &a.partition)) return false;
    p->context = "alter table statement";
    if (!action(p, &a)) return false;
  }
  s->alter_table = SKEP_P_NEW(p, a);
  return s->alter_table != NULL;
}

static bool at_query(skep_parser *p) {
  switch (skep_p_keyword(p, 0)) {
    case SKEP_KW_SELECT:
    case SKEP_KW_WITH:
    case SKEP_KW_FROM:
      return true;
    default:
      return skep_p_kind(p, 0) == SKEP_TOKEN_LPAREN;
  }
}

static bool alter_view(skep_parser *p, skep_statement *s) {
  skep_alter_table a = {0};
  s->kind = SKEP_STMT_ALTER_VIEW;
  p->context = "alter view statement";
  if (!skep_p_table_name(p, &a.table)) return false;
  if (skep_p_accept_kw(p, SKEP_KW_AS) || at_query(p)) {
    size_t first = p->at;
    a.kind = SKEP_ALTER_AS_QUERY;
    a.as = skep_p_query(p);
    if (a.as == NULL) return false;
    a.as_text = skep_p_source(p, first, p->at);
    if (a.as_text == NULL) return false;
  } else if (!action(p, &a)) {
    return false;
  }
  s->alter_table = SKEP_P_NEW(p, a);
  return s->alter_table != NULL;
}

static bool alter_materialized_view(skep_parser *p, skep_statement *s) {
  skep_alter_materialized_view v = {.action = SKEP_VIEW_REBUILD};
  s->kind = SKEP_STMT_ALTER_MATERIALIZED_VIEW;
  p->context = "alter materialized view statement";
  if (!skep_p_expect_kw(p, SKEP_KW_VIEW) || !skep_p_table_name(p, &v.view)) return false;
  if (!skep_p_accept_kw(p, SKEP_KW_REBUILD)) {
    bool enable = skep_p_accept_kw(p, SKEP_KW_ENABLE);
    v.action = enable ? SKEP_VIEW_ENABLE_REWRITE : SKEP_VIEW_DISABLE_REWRITE;
    if ((!enable && !skep_p_expect_kw(p, SKEP_KW_DISABLE)) || !skep_p_expect_kw(p, SKEP_KW_REWRITE)) return false;
  }
  s->alter_materialized_view = SKEP_P_NEW(p, v);
  return s->alter_materialized_view != NULL;
}

static bool alter_database(skep_parser *p, skep_statement *s) {
  skep_alter_database d = {0};
  s->kind = SKEP_STMT_ALTER_DATABASE;
  p->context = "alter database statement";
  d.name = skep_p_name(p);
  if (d.name == NULL || !skep_p_expect_kw(p, SKEP_KW_SET)) return false;
  bool done;
  if (skep_p_accept_kw(p, SKEP_KW_DBPROPERTIES)) {
    d.kind = SKEP_ALTER_DATABASE_PROPERTIES;
    done = skep_p_properties(p, true, &d.properties);
  } else if (skep_p_accept_kw(p, SKEP_KW_OWNER)) {
    d.kind = SKEP_ALTER_DATABASE_OWNER;
    done = principal(p, &d.owner_kind, &d.owner);
  } else {
    bool managed = skep_p_accept_kw(p, SKEP_KW_MANAGEDLOCATION);
    d.kind = managed ? SKEP_ALTER_DATABASE_MANAGED_LOCATION : SKEP_ALTER_DATABASE_LOCATION;
    done = (managed || skep_p_expect_kw(p, SKEP_KW_LOCATION)) && text(p, &d.location);
  }
  if (!done) return false;
  s->alter_database = SKEP_P_NEW(p, d);
  return s->alter_database != NULL;
}

bool skep_p_alter(skep_parser *p, skep_statement *s) {
  if (skep_p_accept_kw(p, SKEP_KW_TABLE)) return alter_table(p, s);
  if (skep_p_accept_kw(p, SKEP_KW_DATABASE) || skep_p_accept_kw(p, SKEP_KW_SCHEMA)) return alter_database(p, s);
  if (skep_p_accept_kw(p, SKEP_KW_VIEW)) return alter_view(p, s);
  if (skep_p_accept_kw(p, SKEP_KW_MATERIALIZED)) return alter_materialized_view(p, s);
  switch (skep_p_keyword(p, 0)) {
    case SKEP_KW_RESOURCE:
      return skep_p_other(p, s, "ALTER RESOURCE PLAN");
    case SKEP_KW_POOL:
      return skep_p_other(p, s, "ALTER POOL");
    case SKEP_KW_TRIGGER:
      return skep_p_other(p, s, "ALTER TRIGGER");
    case SKEP_KW_SCHEDULED:
      return skep_p_other(p, s, "ALTER SCHEDULED QUERY");
    case SKEP_KW_CONNECTOR:
      return skep_p_other(p, s, "ALTER CONNECTOR");
    case SKEP_KW_USER:
      return skep_p_other(p, s, "ALTER USER MAPPING");
    default:
      break;
  }
  p->context = "alter statement";
  skep_p_syntax(p);
  return false;
}

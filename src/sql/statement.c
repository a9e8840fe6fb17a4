/* The dispatcher: see statement.h. */
#include "sql/statement.h"
#include "sql/result.h"

#include "sql/compact.h"
#include "sql/heartbeat.h"
#include "sql/legacy_locks.h"

#include "hiveql/parse.h"
#include "hiveql/script.h"
#include "sql/settings.h"
#include "sql/transaction.h"

enum { STATEMENT_MAX_BYTES = 256 << 20 };

/* What is to be known of a kind of statement besides how it is run. */
enum {
  /* An explicit transaction lets it run. Source: Hive HiveOperation (allowedInTransaction, requiresOpenTransaction);
   * golden 23. */
  IN_TXN = 1,
  /* It comes to the point where locks are asked for: there EXPLAIN stops it. Others take none and are not explained by
   * running them. */
  LOCKS = 2,
  /* It may be run again in a new transaction when another one was first: nothing of it is left. */
  AGAIN = 4
};

typedef struct entry {
  skep_statement_run *run; /* NULL: not supported */
  unsigned is;
  const char *operation; /* Hive's name of it, for 20007 */
} entry;

static skep_status create_table_run(skep_session *s, const skep_statement *statement, skep_result **out,
                                    skep_err *err) {
  if (statement->create_table->as != NULL) return skep_ctas_run(s, statement, out, err);
  return skep_ddl_run(s, statement, out, err);
}

static const entry entries[SKEP_STMT_KIND_COUNT] = {
    [SKEP_STMT_QUERY] = {skep_query_run, IN_TXN | LOCKS, "QUERY"},
    [SKEP_STMT_INSERT] = {skep_insert_run, IN_TXN | LOCKS | AGAIN, "QUERY"},
    [SKEP_STMT_UPDATE] = {skep_update_run, IN_TXN | LOCKS | AGAIN, "QUERY"},
    [SKEP_STMT_LOCK] = {skep_lock_run, 0, "LOCKTABLE"},
    [SKEP_STMT_UNLOCK] = {skep_lock_run, 0, "UNLOCKTABLE"},
    [SKEP_STMT_DELETE] = {skep_delete_run, IN_TXN | LOCKS | AGAIN, "QUERY"},
    [SKEP_STMT_MERGE] = {skep_merge_run, IN_TXN | LOCKS | AGAIN, "QUERY"},
    [SKEP_STMT_LOAD] = {skep_load_run, LOCKS, "LOAD"},
    [SKEP_STMT_CREATE_DATABASE] = {skep_ddl_run, LOCKS, "CREATEDATABASE"},
    [SKEP_STMT_DROP_DATABASE] = {skep_ddl_run, LOCKS, "DROPDATABASE"},
    [SKEP_STMT_ALTER_DATABASE] = {skep_ddl_run, LOCKS, "ALTERDATABASE"},
    [SKEP_STMT_USE] = {skep_use_run, IN_TXN, "SWITCHDATABASE"},
    [SKEP_STMT_CREATE_TABLE] = {create_table_run, LOCKS, "CREATETABLE"},
    [SKEP_STMT_DROP_TABLE] = {skep_ddl_run, LOCKS, "DROPTABLE"},
    [SKEP_STMT_CREATE_VIEW] = {skep_create_view_run, 0, "CREATEVIEW"},
    [SKEP_STMT_ALTER_VIEW] = {skep_alter_view_run, 0, "ALTERVIEW"},
    [SKEP_STMT_DROP_VIEW] = {skep_ddl_run, LOCKS, "DROPVIEW"},
    [SKEP_STMT_MSCK] = {skep_msck_run, 0, "MSCK"},
    [SKEP_STMT_TRUNCATE] = {skep_truncate_run, LOCKS | AGAIN, "TRUNCATETABLE"},
    [SKEP_STMT_ALTER_TABLE] = {skep_ddl_run, LOCKS, "ALTERTABLE"},
    [SKEP_STMT_SHOW] = {skep_show_run, IN_TXN, "SHOW"},
    [SKEP_STMT_DESCRIBE] = {skep_describe_run, IN_TXN, "DESCTABLE"},
    [SKEP_STMT_ANALYZE] = {skep_analyze_run, LOCKS, "ANALYZE_TABLE"},
    [SKEP_STMT_ABORT_COMPACTIONS] = {skep_abort_compactions_run, 0, "ABORT_COMPACTIONS"},
    [SKEP_STMT_ABORT_TRANSACTIONS] = {skep_kill_run, 0, "ABORT_TRANSACTIONS"},
    [SKEP_STMT_KILL_QUERY] = {skep_kill_run, IN_TXN, "KILL_QUERY"},
    [SKEP_STMT_START_TRANSACTION] = {skep_transaction_run, 0, "START TRANSACTION"},
    [SKEP_STMT_COMMIT] = {skep_transaction_run, IN_TXN, "COMMIT"},
    [SKEP_STMT_ROLLBACK] = {skep_transaction_run, IN_TXN, "ROLLBACK"},
    [SKEP_STMT_SET] = {skep_set_run, IN_TXN, "SET"},
    [SKEP_STMT_RESET] = {skep_reset_run, IN_TXN, "RESET"},
    [SKEP_STMT_EXPLAIN] = {skep_explain_run, IN_TXN, "EXPLAIN"},
};

static skep_status refuse_in_transaction(const skep_session *s, const entry *e, skep_err *err) {
  if (!s->txn.is_explicit || (e->is & IN_TXN) != 0) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_SEMANTIC,
                   "LockException [Error 20007]: Operation %s is not allowed in a transaction (txnid:%lld)",
                   e->operation, (long long)s->txn.txn.id);
}

/* Statements that nothing runs: some of them Hive refuses too. */
static skep_status refuse(const skep_statement *statement, skep_err *err) {
  char word[40];
  switch (statement->kind) {
    case SKEP_STMT_COMMAND:
      return skep_fail(err, SKEP_ERR_UNSUPPORTED, "'%s' is a command of Hive's shell, which is not supported",
                       skep_quote(word, sizeof word, statement->command.word, strlen(statement->command.word)));
    default:
      return skep_fail(err, SKEP_ERR_UNSUPPORTED, "%s is not supported yet", skep_statement_name(statement));
  }
}

bool skep_statement_asks_for_locks(skep_statement_kind kind) { return (entries[kind].is & LOCKS) != 0; }

skep_status skep_statement_dispatch(skep_session *s, const skep_statement *statement, skep_result **out,
                                    skep_err *err) {
  const entry *e = &entries[statement->kind];
  if (e->run == NULL) return refuse(statement, err);
  SKEP_TRY(refuse_in_transaction(s, e, err));
  bool again = (e->is & AGAIN) != 0 && !s->txn.is_explicit;
  int64_t retries = again ? skep_session_int(s, "skep.conflict.retries", 0) : 0;
  for (int64_t i = 1;; i++) {
    skep_err why = {0};
    skep_status st = e->run(s, statement, out, &why);
    if (st != SKEP_ERR_CONFLICT || i > retries) {
      if (st != SKEP_OK && err != NULL) *err = why;
      return st;
    }
    skep_session_note(s, "tried again (%lld of %lld): %s", (long long)i, (long long)retries, why.text);
  }
}

/* The statement's text with its variables replaced, in the statement's arena. */
static skep_status substitute(skep_session *s, const char *text, size_t length, skep_err *err) {
  s->text = text;
  s->text_length = length;
  if (memchr(text, '$', length) == NULL || !skep_session_bool(s, "hive.variable.substitute", true)) return SKEP_OK;
  skep_buf buf;
  skep_buf_init(&buf, s->ctx, STATEMENT_MAX_BYTES);
  skep_status st = skep_substitute(text, length, skep_settings_variable, s, &buf, err);
  if (st == SKEP_OK) {
    s->text_length = buf.size;
    s->text = skep_buf_copy(&buf, &s->arena);
    if (s->text == NULL) st = skep_fail(err, SKEP_ERR_NOMEM, "a statement");
  }
  skep_buf_fini(&buf);
  return st;
}

static skep_parse_opts parse_opts(const skep_session *s) {
  const char *quoting = skep_session_text(s, "hive.support.quoted.identifiers", "column");
  skep_parse_opts opts = {.quoting = SKEP_QUOTING_COLUMN, .max_bytes = STATEMENT_MAX_BYTES};
  if (strcmp(quoting, "none") == 0) opts.quoting = SKEP_QUOTING_NONE;
  if (strcmp(quoting, "standard") == 0) opts.quoting = SKEP_QUOTING_STANDARD;
  return opts;
}

static skep_status execute(skep_session *s, const char *text, size_t length, skep_result **out, skep_err *err) {
  SKEP_TRY(skep_session_check(s, err));
  SKEP_TRY(substitute(s, text, length, err));
  const skep_parse_opts opts = parse_opts(s);
  const skep_statement *statement;
  skep_status st = skep_parse_statement(&s->arena, s->text, s->text_length, &opts, &statement, err);
  if (st == SKEP_END) return SKEP_OK; /* comments only */
  if (st != SKEP_OK) return st;
  return skep_statement_dispatch(s, statement, out, err);
}

skep_status skep_statement_execute(skep_session *s, const char *text, size_t length, skep_result **out, skep_err *err) {
  skep_heartbeat_runs(s, true);
  skep_status st = skep_heartbeat_why(s, execute(s, text, length, out, err), err);
  if (*out == NULL || !(*out)->runs) skep_heartbeat_runs(s, false);
  s->text = NULL;
  s->text_length = 0;
  /* a statement that fails ends the transaction that it was in; a text that does not parse is none */
  if (st != SKEP_OK && st != SKEP_ERR_SYNTAX && s->txn.txn.id != 0) skep_transaction_abandon(s, false);
  return st;
}

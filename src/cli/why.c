/* skep why: what of a table waits to be compacted or cleaned, for whom, since when, and how much that holds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/warehouse.h"
#include "compact/why.h"
#include "db/schema.h"

enum { OPT_WAREHOUSE, OPT_METASTORE };

static const skep_cli_option options[] = {
    {OPT_WAREHOUSE, "w", "DIR", "the warehouse (default: ./warehouse)"},
    {OPT_METASTORE, "metastore", "URL", "the metastore (default: metastore.sqlite in the warehouse)"},
};

typedef struct why_args {
  skep_cli_warehouse warehouse;
  const char *table;
} why_args;

static bool parse_args(why_args *a, int argc, char **argv, skep_err *err) {
  const char *value;
  int id;
  *a = (why_args){0};
  skep_cli_args args = {
      .options = options, .n_options = sizeof options / sizeof options[0], .argc = argc, .argv = argv};
  while ((id = skep_cli_next_arg(&args, &value, err)) != SKEP_CLI_DONE) {
    if (id == SKEP_CLI_WRONG) return false;
    if (id == OPT_WAREHOUSE) a->warehouse.dir = value;
    if (id == OPT_METASTORE) a->warehouse.url = value;
    if (id != SKEP_CLI_OPERAND) continue;
    if (a->table != NULL) return skep_fail(err, SKEP_ERR_ARGUMENT, "one table at a time"), false;
    a->table = value;
  }
  if (a->table != NULL) return true;
  return skep_fail(err, SKEP_ERR_ARGUMENT, "which table? NAME, or DATABASE.NAME"), false;
}

/* "2 h 5 min" */
static void print_age(char *out, size_t size, int64_t ms) {
  long long s = (long long)(ms / 1000);
  if (s < 120) {
    snprintf(out, size, "%lld s", s);
  } else if (s < 7200) {
    snprintf(out, size, "%lld min", s / 60);
  } else if (s < 172800) {
    snprintf(out, size, "%lld h", s / 3600);
  } else {
    snprintf(out, size, "%lld days", s / 86400);
  }
}

static void print_reason(const skep_compact_reason *r, int64_t now) {
  char age[40];
  printf("%s%s%s", r->what, r->partition != NULL ? " of partition " : "", r->partition != NULL ? r->partition : "");
  if (r->since_ms > 0 && now > r->since_ms) {
    print_age(age, sizeof age, now - r->since_ms);
    printf(", since %s", age);
  }
  printf("\n  %s\n", r->why);
  if (r->n_dirs > 0)
    printf("  %llu bytes in %llu director%s\n", (unsigned long long)r->n_bytes, (unsigned long long)r->n_dirs,
           r->n_dirs == 1 ? "y" : "ies");
}

/* Names are stored in lower case. */
static bool split_name(skep_arena *arena, const char *name, const char **database, const char **table) {
  char *copy = skep_arena_strndup(arena, name, strlen(name));
  if (copy == NULL) return false;
  for (char *at = copy; *at != '\0'; at++)
    if (*at >= 'A' && *at <= 'Z') *at = (char)(*at + 32);
  char *dot = strchr(copy, '.');
  *database = dot != NULL ? copy : "default";
  *table = dot != NULL ? dot + 1 : copy;
  if (dot != NULL) *dot = '\0';
  return true;
}

static skep_status ask(const skep_compact_env *env, skep_arena *arena, const char *name, skep_err *err) {
  const char *database, *table;
  skep_compact_reason *reasons;
  size_t n;
  int64_t now;
  if (!split_name(arena, name, &database, &table)) return skep_fail(err, SKEP_ERR_NOMEM, "out of memory");
  SKEP_TRY(skep_compact_why(env, arena, database, table, &reasons, &n, err));
  SKEP_TRY(skep_db_now_ms(env->db, &now, err));
  for (size_t i = 0; i < n; i++) print_reason(&reasons[i], now);
  if (n == 0) printf("nothing of %s.%s waits to be compacted or cleaned\n", database, table);
  return SKEP_OK;
}

static skep_status act(const skep_cli_env *env, const why_args *a, skep_arena *arena, skep_err *err) {
  const char *warehouse, *url;
  skep_db *db = NULL;
  skep_catalog *catalog = NULL;
  skep_config *config = NULL;
  skep_db_opts opts = SKEP_DB_OPTS_DEFAULT;
  opts.create = false;
  opts.read_only = true;
  SKEP_TRY(skep_cli_warehouse_find(env, arena, &a->warehouse, &warehouse, &url, err));
  const skep_catalog_opts catalog_opts = {.warehouse = warehouse, .user = "nobody"};
  skep_status status = skep_db_open(env->ctx, url, &opts, &db, err);
  if (status == SKEP_OK) status = skep_schema_check(db, NULL, err);
  if (status == SKEP_OK) status = skep_catalog_open(env->ctx, db, &catalog_opts, &catalog, err);
  if (status == SKEP_OK) status = skep_config_new(env->ctx, &config, err);
  const skep_compact_env steps = {.ctx = env->ctx, .fs = env->fs, .db = db, .catalog = catalog, .config = config};
  if (status == SKEP_OK) status = ask(&steps, arena, a->table, err);
  skep_config_free(config);
  skep_catalog_close(catalog);
  skep_db_close(db);
  return status;
}

static int run_why(const skep_cli_command *command, const skep_cli_env *env, int argc, char **argv) {
  skep_err err = {0};
  skep_arena arena;
  why_args args;
  int code = SKEP_CLI_OK;
  skep_arena_init(&arena, env->ctx, 1u << 30);
  if (!parse_args(&args, argc, argv, &err)) {
    code = skep_cli_wrong_usage(command, "%s", err.text);
  } else if (act(env, &args, &arena, &err) != SKEP_OK) {
    code = skep_cli_failed(&err);
  }
  skep_arena_fini(&arena);
  return code == SKEP_CLI_OK ? skep_cli_finish_stdout(code) : code;
}

const skep_cli_command skep_cli_why = {
    .name = "why",
    .summary = "say why a table is not compacted or not cleaned",
    .synopsis = "[OPTION]... TABLE",
    .about =
        "Names for each thing of the table that waits: the compaction or the files, the transaction,\n"
        "user, host and query it waits for, since when, and the bytes held. Changes nothing.\n",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .run = run_why,
};

/* skep metastore: makes, describes and checks the metastore database of a warehouse. */
#include <stdio.h>
#include <string.h>

#include "cli/warehouse.h"
#include "db/schema.h"
#include "sql/metastore_place.h"
#include "sql/session.h"

enum { OPT_WAREHOUSE, OPT_METASTORE, OPT_ADOPT, OPT_HIDE };

static const skep_cli_option options[] = {
    {OPT_WAREHOUSE, "w", "DIR", "the warehouse (default: ./warehouse)"},
    {OPT_METASTORE, "metastore", "URL",
     "sqlite:PATH or postgresql://... (default: metastore.sqlite in the\nwarehouse)"},
    {OPT_ADOPT, "adopt", NULL, "reseed: files newer than the metastore count as committed"},
    {OPT_HIDE, "hide", NULL, "reseed: they are renamed to .skep_hidden_*, and no reader sees them"},
};

typedef struct metastore_args {
  skep_cli_warehouse warehouse;
  const char *action;
  bool adopt, hide;
} metastore_args;

static bool parse_args(metastore_args *a, int argc, char **argv, skep_err *err) {
  char quoted[80];
  const char *value;
  int id;
  *a = (metastore_args){0};
  skep_cli_args args = {
      .options = options, .n_options = sizeof options / sizeof options[0], .argc = argc, .argv = argv};
  while ((id = skep_cli_next_arg(&args, &value, err)) != SKEP_CLI_DONE) {
    if (id == SKEP_CLI_WRONG) return false;
    if (id == OPT_WAREHOUSE) a->warehouse.dir = value;
    if (id == OPT_METASTORE) a->warehouse.url = value;
    if (id == OPT_ADOPT) a->adopt = true;
    if (id == OPT_HIDE) a->hide = true;
    if (id != SKEP_CLI_OPERAND) continue;
    bool known = strcmp(value, "init") == 0 || strcmp(value, "info") == 0 || strcmp(value, "validate") == 0 ||
                 strcmp(value, "reseed") == 0;
    if (known && a->action == NULL) {
      a->action = value;
      continue;
    }
    skep_quote(quoted, sizeof quoted, value, strlen(value));
    return skep_fail(err, SKEP_ERR_ARGUMENT,
                     "what is %s? The warehouse is given with -w; say one of init, info, validate, reseed", quoted),
           false;
  }
  if (a->action == NULL) return skep_fail(err, SKEP_ERR_ARGUMENT, "what to do? init, info, validate or reseed"), false;
  bool is_reseed = strcmp(a->action, "reseed") == 0;
  if (is_reseed ? !(a->adopt && a->hide) : !a->adopt && !a->hide) return true;
  return skep_fail(err, SKEP_ERR_ARGUMENT, "--adopt and --hide are of reseed, one of them at a time"), false;
}

static skep_status print_line(void *self, const char *line, skep_err *err) {
  (void)self;
  (void)err;
  printf("%s\n", line);
  return SKEP_OK;
}

static skep_status info(skep_db *db, skep_err *err) {
  skep_schema_info schema;
  SKEP_TRY(skep_schema_check(db, &schema, err));
  printf("url: %s\nschema: %s\n", skep_db_name(db), schema.version);
  if (schema.comment[0] != '\0') printf("comment: %s\n", schema.comment);
  return SKEP_OK;
}

static skep_status validate(skep_db *db, skep_err *err) {
  uint64_t n_faults = 0;
  SKEP_TRY(skep_schema_validate(db, print_line, NULL, &n_faults, err));
  if (n_faults == 0) return print_line(NULL, "the schema is as it should be", err);
  return skep_fail(err, SKEP_ERR_CORRUPT, "%llu thing%s wrong with the metastore", (unsigned long long)n_faults,
                   n_faults == 1 ? " is" : "s are");
}

static void say_line(void *self, const char *line) {
  (void)self;
  printf("%s\n", line);
}

static skep_status reseed(const skep_cli_env *env, const metastore_args *a, const char *warehouse, const char *url,
                          skep_err *err) {
  const skep_session_opts opts = {
      .ctx = env->ctx, .fs = env->fs, .warehouse_dir = warehouse, .metastore_url = url, .user = "skep metastore"};
  skep_session *session;
  SKEP_TRY(skep_session_open(&opts, &session, err));
  skep_reseed files = a->adopt ? SKEP_RESEED_ADOPT : a->hide ? SKEP_RESEED_HIDE : SKEP_RESEED_NONE;
  skep_status status = skep_session_reseed(session, files, say_line, NULL, err);
  skep_session_close(session);
  return status;
}

static skep_status act(const skep_cli_env *env, const metastore_args *a, skep_arena *arena, skep_err *err) {
  const char *warehouse, *url;
  skep_db *db = NULL;
  skep_db_opts opts = SKEP_DB_OPTS_DEFAULT;
  bool init = strcmp(a->action, "init") == 0;
  SKEP_TRY(skep_cli_warehouse_find(env, arena, &a->warehouse, &warehouse, &url, err));
  if (strcmp(a->action, "reseed") == 0) return reseed(env, a, warehouse, url, err);
  size_t room = strlen(warehouse) + sizeof "file:";
  char *uri = skep_arena_alloc(arena, room);
  if (uri == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "out of memory");
  snprintf(uri, room, "file:%s", warehouse);
  opts.create = init;
  if (init) SKEP_TRY(skep_fs_mkdirs(env->fs, warehouse, err));
  skep_status status = skep_db_open(env->ctx, url, &opts, &db, err);
  if (status == SKEP_OK) {
    status = init ? skep_schema_init(db, uri, err) : strcmp(a->action, "info") == 0 ? info(db, err) : validate(db, err);
  }
  if (status == SKEP_OK && init) skep_metastore_remember(env->ctx, env->fs, warehouse, db);
  if (status == SKEP_OK && init) printf("made %s\n", skep_db_name(db));
  skep_db_close(db);
  return status;
}

static int run_metastore(const skep_cli_command *command, const skep_cli_env *env, int argc, char **argv) {
  skep_err err = {0};
  skep_arena arena;
  metastore_args args;
  int code = SKEP_CLI_OK;
  skep_arena_init(&arena, env->ctx, 1u << 20);
  if (!parse_args(&args, argc, argv, &err)) {
    code = skep_cli_wrong_usage(command, "%s", err.text);
  } else if (act(env, &args, &arena, &err) != SKEP_OK) {
    code = skep_cli_failed(&err);
  }
  skep_arena_fini(&arena);
  return code == SKEP_CLI_OK ? skep_cli_finish_stdout(code) : code;
}

const skep_cli_command skep_cli_metastore = {
    .name = "metastore",
    .summary = "make, describe or check a warehouse's metastore",
    .synopsis = "[OPTION]... init|info|validate|reseed",
    .about =
        "init      makes an empty metastore with the schema of Hive 4.0 (the SQL shell does so by itself)\n"
        "info      says where the metastore is and which schema it has\n"
        "validate  looks for tables, columns and rows that are missing, numbers behind their rows, and damage\n"
        "reseed    sets right numbers that are behind the metastore's rows; after a restore from a backup that is\n"
        "          older than the warehouse (writing is refused then), with --adopt or --hide: write ids and\n"
        "          transactions go on above those of the files that are there\n",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .run = run_metastore,
};

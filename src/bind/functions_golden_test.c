/* Every expression of golden 18-functions (Hive 4.0.1's own answers) through parser, binder and engine: type and value.
 *
 * An answer agrees, or the expression is refused (with a message that says so), or it is one of the known deviations of
 * docs/deviations.md: never a silently wrong value. Set SKEP_SHOW=1 to see every line that does not agree. */
#include "support/test.h"

#include <stdlib.h>

#include "bind/bind.h"
#include "column/text.h"
#include "engine/engine.h"
#include "hiveql/parse.h"

typedef enum outcome { AGREES, REFUSED, FAILS_TOO, KNOWN, WRONG, OUTCOMES } outcome;

/* What a line of the file says. */
typedef struct golden {
  const char *expr, *type, *result;
} golden;

/* Where Skep answers otherwise, and knows it: docs/deviations.md, "Functions". */
static const char *const known[] = {
    "typeof(cast(1 as decimal(10,2)) * 3)", /* Hive's folding widens the constant; without folding it is as here */
    "regexp_extract('abc', '(x)?', 1)",     /* a group that took no part: RE2 does not tell it from an empty one */
};

static bool is_known(const char *expr) {
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (strcmp(known[i], expr) == 0) return true;
  }
  return false;
}

/* Undoes the escapes of the file's first column, in place. */
static void unescape(char *text) {
  char *to = text;
  for (const char *at = text; *at != '\0'; at++) {
    if (*at == '\\' && at[1] != '\0') {
      at++;
      *to++ = *at == 'n' ? '\n' : *at == 't' ? '\t' : *at == 'r' ? '\r' : *at;
    } else {
      *to++ = *at;
    }
  }
  *to = '\0';
}

typedef struct answer {
  char type[256];
  char value[4096];
  skep_status status;
  skep_err err;
} answer;

static skep_status value_of(skep_engine *engine, const skep_bound_query *query, const char *sql, answer *out) {
  skep_engine_result *result;
  const skep_batch *batch;
  skep_forms forms = {0};
  SKEP_TRY(skep_engine_query(engine, sql, query->type, &forms, &result, &out->err));
  skep_status st = skep_engine_next(result, 1, &batch, &out->err);
  if (st == SKEP_OK) {
    skep_ctx ctx;
    skep_ctx_init(&ctx);
    skep_buf buf;
    skep_buf_init(&buf, &ctx, 1 << 16);
    skep_text text = {.style = SKEP_TEXT_COPY, .replace_utf8 = true};
    st = skep_text_value(&text, &batch->root.children[0], 0, &buf, &out->err);
    snprintf(out->value, sizeof out->value, "%s", skep_buf_string(&buf));
    skep_buf_fini(&buf);
  }
  skep_engine_result_close(result);
  return st;
}

static void answer_of(skep_ctx *ctx, skep_engine *engine, const char *expr, bool loose, answer *out) {
  skep_arena arena;
  skep_arena_init(&arena, ctx, 1 << 24);
  char sql[4096];
  int length = snprintf(sql, sizeof sql, "SELECT %s", expr);
  skep_binder binder = {.arena = &arena, .loose_timestamps = loose, .now_ms = 1700000000000};
  const skep_statement *statement;
  skep_bound_query *query;
  skep_buf printed;
  skep_buf_init(&printed, ctx, 1 << 20);
  *out = (answer){0};
  out->status = skep_parse_statement(&arena, sql, (size_t)length, NULL, &statement, &out->err);
  if (out->status == SKEP_OK) out->status = skep_bind_query(&binder, statement->query, &query, &out->err);
  if (out->status == SKEP_OK) {
    snprintf(out->type, sizeof out->type, "%s", query->type_names[0]);
    out->status = skep_bound_query_print(query, NULL, &printed, &out->err);
  }
  if (out->status == SKEP_OK) out->status = value_of(engine, query, skep_buf_string(&printed), out);
  if (getenv("SKEP_SHOW_SQL") != NULL) print_message("%s\n  -> %s\n", expr, skep_buf_string(&printed));
  skep_buf_fini(&printed);
  skep_arena_fini(&arena);
}

static outcome judge(const golden *want, const answer *got) {
  bool error = strcmp(want->type, "ERROR") == 0;
  bool refused = got->status == SKEP_ERR_UNSUPPORTED || strstr(got->err.text, "[Error 10011]") != NULL;
  if (got->status != SKEP_OK) {
    if (got->status == SKEP_ERR_INTERNAL) return is_known(want->expr) ? KNOWN : WRONG;
    return error ? FAILS_TOO : refused ? REFUSED : is_known(want->expr) ? KNOWN : WRONG;
  }
  bool agrees = !error && strcmp(want->type, got->type) == 0 && strcmp(want->result, got->value) == 0;
  return agrees ? AGREES : is_known(want->expr) ? KNOWN : WRONG;
}

static void show(outcome o, const golden *want, const answer *got) {
  static const char *const names[] = {"agrees", "refused", "fails too", "known", "WRONG"};
  if (o == AGREES || o == FAILS_TOO || (o != WRONG && getenv("SKEP_SHOW") == NULL)) return;
  print_message("%s: %s\n  want %s %s\n  got  %s %s %s\n", names[o], want->expr, want->type, want->result, got->type,
                got->status == SKEP_OK ? got->value : "", got->status == SKEP_OK ? "" : got->err.text);
}

static void run_file(const char *name, bool loose) {
  char path[512], line[8192];
  snprintf(path, sizeof path, "%s/tests/data/hive/%s", SKEP_SOURCE_DIR, name);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  skep_engine *engine;
  skep_err err;
  assert_ok(skep_engine_open(&ctx, &(skep_engine_opts){.threads = 1}, &engine, &err), err);
  unsigned counts[OUTCOMES] = {0};
  assert_non_null(fgets(line, sizeof line, file)); /* the header */
  while (fgets(line, sizeof line, file) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    char *type = strchr(line, '\t'), *result = type != NULL ? strchr(type + 1, '\t') : NULL;
    assert_non_null(result);
    *type++ = *result++ = '\0';
    unescape(line);
    golden want = {line, type, result};
    answer got;
    answer_of(&ctx, engine, line, loose, &got);
    outcome o = judge(&want, &got);
    show(o, &want, &got);
    counts[o]++;
  }
  fclose(file);
  skep_engine_close(engine);
  print_message("%s: %u agree, %u fail as in Hive, %u refused, %u known deviations, %u wrong\n", name, counts[AGREES],
                counts[FAILS_TOO], counts[REFUSED], counts[KNOWN], counts[WRONG]);
  assert_int_equal(counts[WRONG], 0);
}

static void every_expression_has_hives_type_and_value(void **state) {
  (void)state;
  run_file("functions.tsv", false);
}

static void timestamps_convert_to_numbers_when_asked(void **state) {
  (void)state;
  run_file("functions_nonstrict.tsv", true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_expression_has_hives_type_and_value),
      cmocka_unit_test(timestamps_convert_to_numbers_when_asked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

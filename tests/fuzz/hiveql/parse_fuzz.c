/* Statements from anywhere: they parse or fail with a message; a tree prints to text that parses to an equal tree, in
 * every form of quoting that the text allows. */
#include "hiveql/parse.h"

#include <string.h>

#include "fuzz/fuzz.h"
#include "hiveql/print_ast.h"

static const skep_statement *parse(skep_arena *arena, const char *text, size_t length, skep_quoting quoting) {
  skep_err err = {0};
  const skep_statement *s;
  skep_parse_opts opts = {.quoting = quoting, .max_depth = 60};
  skep_status st = skep_parse_statement(arena, text, length, &opts, &s, &err);
  FUZZ_CHECK((st == SKEP_OK) == (s != NULL));
  FUZZ_CHECK(st == SKEP_OK || st == SKEP_END || err.text[0] != '\0');
  FUZZ_CHECK(st != SKEP_ERR_INTERNAL);
  return s;
}

/* Statements that are kept by name only, or by their text, do not print whole. */
static bool prints_whole(const skep_statement *s) {
  switch (s->kind) {
    case SKEP_STMT_OTHER:
    case SKEP_STMT_COMMAND:
    case SKEP_STMT_SET:
    case SKEP_STMT_RESET:
      return false;
    case SKEP_STMT_EXPLAIN:
      return prints_whole(s->explain->statement);
    case SKEP_STMT_ALTER_TABLE:
    case SKEP_STMT_ALTER_VIEW:
      return s->alter_table->kind != SKEP_ALTER_ICEBERG && s->alter_table->kind != SKEP_ALTER_SET_SKEWED_LOCATION;
    default:
      return true;
  }
}

static void check_round_trip(const skep_ctx *ctx, skep_arena *arena, const skep_statement *s) {
  skep_buf first, second;
  skep_buf_init(&first, ctx, 1 << 22);
  skep_buf_init(&second, ctx, 1 << 22);
  skep_print_statement(s, &first);
  const char *text = skep_buf_string(&first);
  skep_err err = {0};
  const skep_statement *again = NULL;
  /* Brackets that print adds may nest deeper than the text did. */
  if (first.status == SKEP_OK) {
    FUZZ_CHECK(skep_parse_statement(arena, text, first.size, NULL, &again, &err) == SKEP_OK);
    FUZZ_CHECK(again->kind == s->kind);
    FUZZ_CHECK(s->kind != SKEP_STMT_QUERY || skep_query_equal(s->query, again->query));
    skep_print_statement(again, &second);
    FUZZ_CHECK(first.size == second.size && memcmp(text, skep_buf_string(&second), first.size) == 0);
  }
  skep_buf_fini(&first);
  skep_buf_fini(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > 1 << 14) return 0;
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  static const skep_quoting quotings[] = {SKEP_QUOTING_COLUMN, SKEP_QUOTING_NONE, SKEP_QUOTING_STANDARD};
  for (size_t i = 0; i < sizeof quotings / sizeof quotings[0]; i++) {
    skep_arena arena;
    skep_arena_init(&arena, &ctx, 1 << 25);
    const skep_statement *s = parse(&arena, (const char *)data, size, quotings[i]);
    if (s != NULL && quotings[i] == SKEP_QUOTING_COLUMN && prints_whole(s)) check_round_trip(&ctx, &arena, s);
    skep_arena_fini(&arena);
  }
  return 0;
}

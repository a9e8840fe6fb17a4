/* Predicates from a command line or a split: what is read prints in one spelling that reads back; what can be bound
 * prints and binds back to the same, and filters NULL rows without harm. */
#include "column/predicate.h"
#include "fuzz/fuzz.h"

static const char schema[] =
    "struct<b:boolean,t:tinyint,i:int,l:bigint,f:float,d:double,m:decimal(5,2),s:string,c:char(5),v:varchar(5),"
    "y:binary,dt:date,ts:timestamp,tz:timestamp with local time zone,n:struct<x:int,k:string>,a:array<int>>";

static const skep_pred *parse(skep_arena *arena, const char *text, size_t length) {
  skep_err err = {0};
  const skep_pred *pred;
  skep_status st = skep_pred_parse(arena, text, length, &pred, &err);
  FUZZ_CHECK((st == SKEP_OK) == (pred != NULL));
  FUZZ_CHECK(st == SKEP_OK || st == SKEP_ERR_ARGUMENT || st == SKEP_ERR_LIMIT || st == SKEP_ERR_NOMEM);
  return pred;
}

static const skep_pred *bind(skep_arena *arena, const skep_pred *pred, const skep_type *root) {
  skep_err err = {0};
  const skep_pred *bound;
  skep_status st = skep_pred_bind(arena, pred, root, &bound, &err);
  FUZZ_CHECK((st == SKEP_OK) == (bound != NULL));
  return bound;
}

/* Prints `pred` and the predicate read back from that (bound to `root` unless NULL): the texts must be equal. */
static void check_round_trip(const skep_ctx *ctx, skep_arena *arena, const skep_pred *pred, const skep_type *root) {
  skep_buf first, second;
  skep_buf_init(&first, ctx, 1 << 24);
  skep_buf_init(&second, ctx, 1 << 24);
  skep_pred_print(pred, &first);
  const char *text = skep_buf_string(&first);
  const skep_pred *again = parse(arena, text, first.size);
  FUZZ_CHECK(again != NULL);
  if (root != NULL) again = bind(arena, again, root);
  FUZZ_CHECK(again != NULL);
  skep_pred_print(again, &second);
  FUZZ_CHECK(first.size == second.size && memcmp(text, skep_buf_string(&second), first.size) == 0);
  skep_buf_fini(&first);
  skep_buf_fini(&second);
}

static void filter_nulls(const skep_ctx *ctx, const skep_pred *bound, const skep_type *root) {
  skep_vec vec = {0};
  skep_err err = {0};
  int32_t rows[9];
  int64_t n;
  if (skep_vec_init(&vec, ctx, root, &(skep_forms){0}, &err) == SKEP_OK &&
      skep_vec_set_null(&vec, 9, &err) == SKEP_OK) {
    FUZZ_CHECK(skep_pred_filter(ctx, bound, &vec, rows, &n, &err) == SKEP_OK);
    FUZZ_CHECK(n == 0 || n == 9); /* all rows are alike */
  }
  skep_vec_fini(&vec);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  skep_err err = {0};
  skep_arena arena;
  skep_arena_init(&arena, &ctx, 1 << 26);
  const skep_type *root;
  FUZZ_CHECK(skep_type_parse(&arena, schema, sizeof schema - 1, &root, &err) == SKEP_OK);
  const skep_pred *pred = size > 1 << 12 ? NULL : parse(&arena, (const char *)data, size), *bound;
  if (pred != NULL) {
    ctx.limits.max_type_depth *= 4; /* printing may add brackets */
    check_round_trip(&ctx, &arena, pred, NULL);
    bound = bind(&arena, pred, root);
    if (bound != NULL) {
      check_round_trip(&ctx, &arena, bound, root);
      filter_nulls(&ctx, bound, root);
    }
  }
  skep_arena_fini(&arena);
  return 0;
}

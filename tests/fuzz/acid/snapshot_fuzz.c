/* A snapshot's texts in every version's spelling: what parses prints and parses to the same answers. The first byte
 * chooses; a line break parts the write id list from the transaction list. */
#include <string.h>

#include "acid/snapshot.h"
#include "fuzz/fuzz.h"

static void check(const skep_ctx *ctx, skep_arena *arena, const skep_snapshot *s) {
  skep_buf write_ids, txns;
  skep_buf_init(&write_ids, ctx, 1 << 26);
  skep_buf_init(&txns, ctx, 1 << 26);
  skep_snapshot_print(s, &write_ids, &txns);
  skep_snapshot again;
  skep_err err;
  FUZZ_CHECK(skep_snapshot_parse(arena, s->has_write_ids ? skep_buf_string(&write_ids) : NULL,
                                 s->has_txns ? skep_buf_string(&txns) : NULL, SKEP_HIVE_4, &again, &err) == SKEP_OK);
  for (int64_t id = 0; id < 40; id++) {
    FUZZ_CHECK(skep_snapshot_write_id_valid(s, id) == skep_snapshot_write_id_valid(&again, id));
    FUZZ_CHECK(skep_snapshot_write_id_aborted(s, id) == skep_snapshot_write_id_aborted(&again, id));
    FUZZ_CHECK(skep_snapshot_txn_valid(s, id) == skep_snapshot_txn_valid(&again, id));
    FUZZ_CHECK(skep_snapshot_range_valid(s, 1, 1 + id) == skep_snapshot_range_valid(&again, 1, 1 + id));
    FUZZ_CHECK(id == 0 ||
               (skep_snapshot_range_valid(s, id, id) == SKEP_RANGE_ALL) == skep_snapshot_write_id_valid(s, id));
  }
  skep_buf_fini(&write_ids);
  skep_buf_fini(&txns);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  skep_arena arena;
  skep_arena_init(&arena, &ctx, 1 << 28);
  char *text = skep_arena_strndup(&arena, (const char *)data + 1, size - 1);
  char *line = text == NULL ? NULL : strchr(text, '\n');
  if (line != NULL) *line++ = '\0';
  unsigned choice = data[0];
  skep_snapshot s;
  skep_err err;
  if (text != NULL && skep_snapshot_parse(&arena, (choice & 4) != 0 ? text : NULL, (choice & 4) != 0 ? line : text,
                                          (skep_hive_version)(choice & 3), &s, &err) == SKEP_OK)
    check(&ctx, &arena, &s);
  skep_arena_fini(&arena);
  return 0;
}

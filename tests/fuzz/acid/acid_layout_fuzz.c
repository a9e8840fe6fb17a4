/* Lines: a write id list, a transaction list (either may be empty), then names below a partition root. Every name gets
 * a verdict and a reason, none is lost, and the order of listing does not matter. */
#include <string.h>

#include "acid/layout.h"
#include "fuzz/fuzz.h"

enum { MAX_NAMES = 64 };

static uint32_t add_names(skep_arena *arena, char **lines, uint32_t n, skep_layout *layout) {
  layout->dirs = skep_arena_zero(&layout->arena, MAX_NAMES, sizeof *layout->dirs);
  for (uint32_t i = 0; i < n; i++) {
    skep_layout_dir *dir = &layout->dirs[i];
    dir->name = lines[i];
    dir->is_malformed = skep_dir_name_parse(lines[i], &dir->parsed, NULL) != SKEP_OK;
  }
  (void)arena;
  return layout->n_dirs = n;
}

static const skep_layout_dir *find(const skep_layout *layout, const char *name) {
  for (uint32_t i = 0; i < layout->n_dirs; i++) {
    if (strcmp(layout->dirs[i].name, name) == 0) return &layout->dirs[i];
  }
  return NULL;
}

static void check(const skep_ctx *ctx, skep_arena *arena, char **lines, uint32_t n, const skep_snapshot *snapshot) {
  skep_layout_opts opts = {.snapshot = snapshot};
  skep_layout a = {.n_dirs = 0}, b = {.n_dirs = 0};
  skep_err err;
  skep_arena_init(&a.arena, ctx, 1 << 24);
  skep_arena_init(&b.arena, ctx, 1 << 24);
  add_names(arena, lines, n, &a);
  skep_status status = skep_layout_decide(&a, &opts, &err);
  for (uint32_t i = 0; i < n / 2; i++) { /* the same names, last one first */
    char *t = lines[i];
    lines[i] = lines[n - 1 - i];
    lines[n - 1 - i] = t;
  }
  add_names(arena, lines, n, &b);
  FUZZ_CHECK(skep_layout_decide(&b, &opts, &err) == status);
  FUZZ_CHECK(status == SKEP_OK || status == SKEP_ERR_SNAPSHOT);
  for (uint32_t i = 0; i < n && status == SKEP_OK; i++) {
    const skep_layout_dir *dir = find(&a, lines[i]), *other = find(&b, lines[i]);
    FUZZ_CHECK(dir != NULL && other != NULL && dir->reason != NULL && dir->verdict == other->verdict);
  }
  for (uint32_t i = 0; i < a.n_used && status == SKEP_OK; i++) FUZZ_CHECK(a.dirs[i].verdict == SKEP_USED);
  skep_arena_fini(&a.arena);
  skep_arena_fini(&b.arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  skep_arena arena;
  skep_arena_init(&arena, &ctx, 1 << 26);
  char *text = skep_arena_strndup(&arena, size == 0 ? "" : (const char *)data, size);
  char *lines[MAX_NAMES + 2] = {NULL};
  uint32_t n = 0;
  for (char *at = text; at != NULL && n < MAX_NAMES + 2;) {
    char *end = strchr(at, '\n');
    if (end != NULL) *end++ = '\0';
    bool repeated = false;
    for (uint32_t i = 2; i < n; i++) repeated = repeated || strcmp(lines[i], at) == 0;
    if (!repeated) lines[n++] = at;
    at = end;
  }
  skep_snapshot snapshot;
  skep_err err;
  if (n >= 2 && skep_snapshot_parse(&arena, lines[0][0] == '\0' ? NULL : lines[0],
                                    lines[1][0] == '\0' ? NULL : lines[1], SKEP_HIVE_4, &snapshot, &err) == SKEP_OK)
    check(&ctx, &arena, lines + 2, n - 2, &snapshot);
  skep_arena_fini(&arena);
  return 0;
}

/* Choosing directories: Hive's own test vectors, the cases around them, and a comparison with a naive model. */
#include <stdlib.h>

#include "acid/layout.h"
#include "support/test.h"

typedef struct fixture {
  skep_ctx ctx;
  skep_arena arena;
  skep_layout layout;
  skep_err err;
} fixture;

static int setup(void **state) {
  static fixture f;
  memset(&f, 0, sizeof f);
  skep_ctx_init(&f.ctx);
  skep_arena_init(&f.arena, &f.ctx, 64 << 20);
  skep_arena_init(&f.layout.arena, &f.ctx, 64 << 20);
  *state = &f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  skep_arena_fini(&f->arena);
  skep_arena_fini(&f->layout.arena);
  return 0;
}

static void add(fixture *f, const char *name) {
  skep_layout_dir *dir = &f->layout.dirs[f->layout.n_dirs++];
  memset(dir, 0, sizeof *dir);
  dir->name = skep_arena_strndup(&f->layout.arena, name, strlen(name));
  dir->is_malformed = skep_dir_name_parse(name, &dir->parsed, NULL) != SKEP_OK;
}

/* Words separated by blanks. "name!compacted" gives a base that dataFormat; a name without a prefix is an original
 * file. */
static void fill(fixture *f, const char *words) {
  skep_arena_fini(&f->layout.arena);
  skep_arena_init(&f->layout.arena, &f->ctx, 64 << 20);
  skep_layout_file *files = skep_arena_zero(&f->layout.arena, 64, sizeof *files);
  f->layout.dirs = skep_arena_zero(&f->layout.arena, 256, sizeof *f->layout.dirs);
  f->layout.n_dirs = 0;
  uint32_t n_files = 0;
  for (const char *at = words; *at != '\0';) {
    size_t length = strcspn(at, " ");
    char word[128];
    memcpy(word, at, length);
    word[length] = '\0';
    at += length + (at[length] == ' ');
    char *mark = strchr(word, '!');
    if (mark != NULL) *mark = '\0';
    skep_dir_name parsed;
    if (skep_dir_name_parse(word, &parsed, NULL) == SKEP_OK && parsed.kind == SKEP_DIR_OTHER) {
      const char *slash = strrchr(word, '/');
      files[n_files].path = skep_arena_strndup(&f->layout.arena, word, length);
      skep_file_name_parse(slash == NULL ? word : slash + 1, &files[n_files++].name);
      continue;
    }
    add(f, word);
    if (mark != NULL)
      f->layout.dirs[f->layout.n_dirs - 1].data_format = strcmp(mark + 1, "compacted") == 0 ? "compacted" : "truncated";
  }
  if (n_files != 0) {
    add(f, "");
    f->layout.dirs[f->layout.n_dirs - 1].files = files;
    f->layout.dirs[f->layout.n_dirs - 1].n_files = n_files;
  }
}

static skep_status decide(fixture *f, const char *names, const char *write_ids, const char *txns, bool for_compactor) {
  skep_snapshot *s = skep_arena_zero(&f->arena, 1, sizeof *s);
  assert_ok(skep_snapshot_parse(&f->arena, write_ids, txns, SKEP_HIVE_4, s, &f->err), f->err);
  s->for_compactor = for_compactor;
  fill(f, names);
  skep_layout_opts opts = {.snapshot = s};
  return skep_layout_decide(&f->layout, &opts, &f->err);
}

/* Names with a verdict, in order. Originals are shown as "-". */
static const char *names_with(fixture *f, skep_verdict verdict) {
  static char text[4096];
  text[0] = '\0';
  size_t at = 0;
  for (uint32_t i = 0; i < f->layout.n_dirs; i++) {
    const skep_layout_dir *dir = &f->layout.dirs[i];
    if (dir->verdict != verdict) continue;
    at += (size_t)snprintf(text + at, sizeof text - at, "%s%s", at == 0 ? "" : " ",
                           dir->name[0] == '\0' ? "-" : dir->name);
  }
  return text;
}

#define ALL_100 "db.t:100:9223372036854775807::"
#define ALL_4 "db.t:4:9223372036854775807::"
#define OPEN_4 "db.t:100:4:4:"

/* Source: Hive TestAcidUtils (acid-format facts 2.7). */
static void hives_own_vectors(void **state) {
  fixture *f = *state;
  static const struct {
    const char *names, *write_ids;
    bool for_compactor;
    const char *used, *obsolete;
  } cases[] = {
      {"000000_0 000001_1 000002_0 random _done subdir/000000_0 delta_025_025 delta_029_029 delta_025_030 "
       "delta_050_100 "
       "delta_101_101",
       ALL_100, false, "- delta_025_030 delta_050_100", "delta_025_025 delta_029_029"},
      {"base_5 base_10 base_49 delta_025_025 delta_029_029 delta_025_030 delta_050_105 delta_90_120", ALL_100, false,
       "base_49 delta_050_105", "base_10 base_5 delta_025_025 delta_025_030 delta_029_029"},
      {"base_50 delta_40_60 delta_00061_61 delta_000062_62 delta_0000063_63 delta_0060_60 delta_052_55", ALL_100, false,
       "base_50 delta_40_60 delta_00061_61 delta_000062_62 delta_0000063_63", "delta_0060_60 delta_052_55"},
      {"base_50 delta_40_60 delta_0060_60_1 delta_0060_60_4 delta_0060_60_7 delta_00061_61_0 delta_000062_62_0 "
       "delta_000062_62_3 delta_63_63_0 delta_052_55 delta_058_58",
       ALL_100, false, "base_50 delta_40_60 delta_00061_61_0 delta_000062_62_0 delta_000062_62_3 delta_63_63_0",
       "delta_0060_60_1 delta_0060_60_4 delta_0060_60_7 delta_052_55 delta_058_58"},
      {"delta_1_1 delta_2_5 delta_4_4_1 delta_4_4_3 delta_101_101_1", OPEN_4, false, "delta_1_1 delta_2_5", ""},
      {"delta_1_1 delta_2_5", ALL_4, true, "delta_1_1", ""},
      {"delta_1_1 delete_delta_2_2 delta_2_5 delete_delta_2_5 delete_delta_7_7 delta_6_10", ALL_4, true,
       "delta_1_1 delete_delta_2_2", ""},
      {"base_49 delta_050_105 delete_delta_050_105 delete_delta_110_110", ALL_100, false,
       "base_49 delete_delta_050_105 delta_050_105", ""},
      {"base_50 delta_40_60 delete_delta_40_60 delta_61_61 delta_62_62 delta_63_63 delete_delta_64_64 delta_0060_60 "
       "delta_052_55 delete_delta_052_55",
       ALL_100, false, "base_50 delete_delta_40_60 delta_40_60 delta_61_61 delta_62_62 delta_63_63 delete_delta_64_64",
       "delete_delta_052_55 delta_0060_60 delta_052_55"},
      {"delta_40_60 delete_delta_50_50", ALL_100, false, "delta_40_60", "delete_delta_50_50"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_ok(decide(f, cases[i].names, cases[i].write_ids, NULL, cases[i].for_compactor), f->err);
    assert_string_equal(names_with(f, SKEP_USED), cases[i].used);
    char obsolete[2][1024];
    snprintf(obsolete[0], sizeof obsolete[0], "%s", names_with(f, SKEP_OBSOLETE));
    /* the vectors list sets: ours come sorted by name */
    assert_int_equal(strlen(obsolete[0]), strlen(cases[i].obsolete));
    for (const char *at = cases[i].obsolete; *at != '\0';) {
      size_t length = strcspn(at, " ");
      snprintf(obsolete[1], sizeof obsolete[1], "%.*s", (int)length, at);
      if (strstr(obsolete[0], obsolete[1]) == NULL) fail_msg("case %zu: %s is not obsolete", i, obsolete[1]);
      at += length + (at[length] == ' ');
    }
  }
}

static void originals_are_ordered_bytewise_by_path(void **state) {
  fixture *f = *state;
  assert_ok(
      decide(
          f,
          "subdir/000000_0 000002_0 000000_0_copy_2 000000_0_copy_10 000001_1 000000_0_copy_1 _done 000000_0 delta_1_1",
          ALL_100, NULL, false),
      f->err);
  assert_true(f->layout.is_transactional_layout);
  assert_string_equal(names_with(f, SKEP_USED), "- delta_1_1");
  static const char *const want[] = {"000000_0", "000000_0_copy_1", "000000_0_copy_10", "000000_0_copy_2",
                                     "000001_1", "000002_0",        "subdir/000000_0",  "_done"};
  const skep_layout_dir *root = &f->layout.dirs[0];
  assert_int_equal(root->n_files, 8);
  for (uint32_t i = 0; i < root->n_files; i++) {
    assert_string_equal(root->files[i].path, want[i]);
    assert_int_equal(root->files[i].verdict, i == 7 ? SKEP_IGNORED : SKEP_USED);
  }
}

static void odd_file_names_are_data_of_plain_tables_and_reported_in_transactional_ones(void **state) {
  fixture *f = *state;
  assert_ok(decide(f, "in1.txt 000000_0", ALL_100, NULL, false), f->err);
  assert_int_equal(f->layout.dirs[0].files[1].verdict, SKEP_USED);
  assert_ok(decide(f, "random 000000_0 delta_1_1", ALL_100, NULL, false), f->err);
  assert_string_equal(f->layout.dirs[0].files[1].path, "random");
  assert_int_equal(f->layout.dirs[0].files[1].verdict, SKEP_NAME_UNKNOWN);
}

typedef struct reason_case {
  const char *names, *write_ids, *txns, *name;
  skep_verdict verdict;
  const char *reason;
} reason_case;

static const reason_case reason_cases[] = {
    {"base_5 delta_3_3_0", ALL_100, NULL, "delta_3_3_0", SKEP_OBSOLETE, "base_5 covers write ids up to 5"},
    {"base_5 base_9", ALL_100, NULL, "base_5", SKEP_OBSOLETE, "base_9 replaces it"},
    {"base_5 000000_0", ALL_100, NULL, "", SKEP_OBSOLETE,
     "base_5 replaces all files outside of base and delta directories"},
    {"delta_1_4 delta_3_3_0", ALL_100, NULL, "delta_3_3_0", SKEP_OBSOLETE, "delta_1_4 covers write ids 1 to 4"},
    {"delta_5_5_0 delta_5_5_v19", ALL_100, NULL, "delta_5_5_0", SKEP_OBSOLETE, "delta_5_5_v19 covers write id 5"},
    {"delta_101_101_0", ALL_100, NULL, "delta_101_101_0", SKEP_NOT_VISIBLE,
     "write id 101 is above the snapshot's high watermark 100"},
    {"delta_101_103", ALL_100, NULL, "delta_101_103", SKEP_NOT_VISIBLE,
     "write ids 101 to 103 are above the snapshot's high watermark 100"},
    {"delta_4_4_0", OPEN_4, NULL, "delta_4_4_0", SKEP_NOT_VISIBLE, "write id 4 is open in the snapshot"},
    {"delta_1_3 delta_2_4", OPEN_4, NULL, "delta_2_4", SKEP_NOT_VISIBLE,
     "no write id of it above 3 is valid in the snapshot"},
    {"delta_7_7_0", "t:9:1::7", NULL, "delta_7_7_0", SKEP_ABORTED, "write id 7 was aborted"},
    {"delta_7_8", "t:9:1::7,8", NULL, "delta_7_8", SKEP_ABORTED, "write ids 7 to 8 were aborted"},
    {"base_7 delta_3_3", "t:9:1::7", NULL, "base_7", SKEP_ABORTED, "write id 7 was aborted"},
    {"base_7 delta_3_3", "t:9:7:7:", NULL, "base_7", SKEP_NOT_VISIBLE, "write id 7 is open in the snapshot"},
    {"base_4!compacted base_7!compacted", "t:9:6:6:", NULL, "base_7", SKEP_NOT_VISIBLE,
     "compacts write ids up to 7, but 6 is still open in the snapshot"},
    {"delta_1_4_v20 delta_1_1_0", ALL_100, "19:9223372036854775807::", "delta_1_4_v20", SKEP_NOT_VISIBLE,
     "its compaction's transaction 20 is not committed in the snapshot"},
    {"delta_1_4_v18 delta_1_1_0", ALL_100, "19:9223372036854775807::18", "delta_1_4_v18", SKEP_ABORTED,
     "its compaction's transaction 18 was aborted"},
    {"base_4_v18 delta_1_1_0", ALL_100, "19:9223372036854775807::18", "base_4_v18", SKEP_ABORTED,
     "its compaction's transaction 18 was aborted"},
    {"delta_x 000000_0", ALL_100, NULL, "delta_x", SKEP_NAME_UNKNOWN,
     "starts like a directory of an ACID table, but has no such name"},
    {"delta_1_5_v10 delta_1_5_v9", ALL_100, NULL, "delta_1_5_v9", SKEP_OBSOLETE,
     "delta_1_5_v10 covers the same write ids 1 to 5"},
};

static void every_directory_not_used_has_its_reason(void **state) {
  fixture *f = *state;
  for (size_t i = 0; i < sizeof reason_cases / sizeof *reason_cases; i++) {
    const reason_case *c = &reason_cases[i];
    assert_ok(decide(f, c->names, c->write_ids, c->txns, false), f->err);
    const skep_layout_dir *found = NULL;
    for (uint32_t d = 0; d < f->layout.n_dirs; d++) {
      if (strcmp(f->layout.dirs[d].name, c->name) == 0) found = &f->layout.dirs[d];
    }
    assert_non_null(found);
    assert_string_equal(found->reason, c->reason);
    assert_int_equal(found->verdict, c->verdict);
  }
}

static void bases_are_chosen_by_what_made_them(void **state) {
  fixture *f = *state;
  static const struct {
    const char *names, *write_ids, *txns, *used;
  } cases[] = {
      {"base_-9223372036854775808 delta_1_1_0", "t:5:1:1:", NULL, "base_-9223372036854775808"},
      {"base_-9223372036854775808 delta_1_1_0", ALL_100, NULL, "base_-9223372036854775808 delta_1_1_0"},
      {"base_5 base_5_v9 delta_6_6_0", ALL_100, NULL, "base_5_v9 delta_6_6_0"},
      {"base_5_v9 base_5_v20", ALL_100, NULL, "base_5_v20"},
      {"base_5_v9 base_5_v20", ALL_100, "19:9223372036854775807::", "base_5_v9"},
      {"base_6 delta_5_5_0", "t:9:6:6:", NULL, "delta_5_5_0"}, /* an overwrite that is the lowest open id itself */
      {"base_8 delta_5_5_0", "t:9:6:6:", NULL, "base_8"},      /* an overwrite hides open ids below it */
      {"base_5_v7 delta_8_8_0", "t:9:6:6:2,3", NULL, "base_5_v7 delta_8_8_0"}, /* aborted ids below do not matter */
      {"base_20 delta_5_5_0", "t:9:6:6:", NULL, "delta_5_5_0"},
      {"base_3!truncated delta_2_2_0 delta_4_4_0", ALL_100, NULL, "base_3 delta_4_4_0"},
      {"base_3!compacted delta_4_4_0", ALL_100, NULL, "base_3 delta_4_4_0"},
      {"delta_1_1_0 delete_delta_2_2_0 delta_2_2_1", ALL_100, NULL, "delta_1_1_0 delete_delta_2_2_0 delta_2_2_1"},
      {"delta_1_5_v10 delta_1_5_v9 delete_delta_1_5_v9 delete_delta_1_5_v10", ALL_100, NULL,
       "delete_delta_1_5_v10 delta_1_5_v10"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_ok(decide(f, cases[i].names, cases[i].write_ids, cases[i].txns, false), f->err);
    assert_string_equal(names_with(f, SKEP_USED), cases[i].used);
  }
}

static void a_compacted_base_that_is_too_new_means_not_enough_history(void **state) {
  fixture *f = *state;
  assert_fails(decide(f, "base_7_v30 delta_8_8_0", "t:9:6:6:", NULL, false), SKEP_ERR_SNAPSHOT, f->err,
               "not enough history: the oldest base \"base_7_v30\"");
  assert_fails(decide(f, "base_7!compacted", "t:5:9223372036854775807::", NULL, false), SKEP_ERR_SNAPSHOT, f->err,
               "high watermark 5");
  assert_fails(decide(f, "base_7", NULL, "9:6:6:", false), SKEP_ERR_SNAPSHOT, f->err,
               "not enough history");                                               /* ACID v1 */
  assert_ok(decide(f, "base_7", "t:5:9223372036854775807::", NULL, false), f->err); /* an overwrite: just not seen */
  assert_string_equal(names_with(f, SKEP_USED), "");
  assert_ok(decide(f, "base_7_v30 base_8 delta_8_8_0", NULL, NULL, false), f->err);
  assert_string_equal(names_with(f, SKEP_USED), "base_8");
}

static void insert_only_tables_keep_nothing_outside_of_directories(void **state) {
  fixture *f = *state;
  skep_snapshot everything = {.everything = true};
  skep_layout_opts opts = {.snapshot = &everything, .is_insert_only = true};
  fill(f, "000000_0 delta_1_1_0");
  assert_ok(skep_layout_decide(&f->layout, &opts, &f->err), f->err);
  assert_string_equal(names_with(f, SKEP_USED), "delta_1_1_0");
  assert_string_equal(names_with(f, SKEP_IGNORED), "-");
  fill(f, "000000_0");
  assert_ok(skep_layout_decide(&f->layout, &opts, &f->err), f->err);
  assert_string_equal(names_with(f, SKEP_USED), "-");
}

/* --- A naive model, written from the facts alone: booleans over write ids, and the sweep over a plain list. --- */

typedef struct model {
  int hwm, min_open;
  bool open[16], aborted[16];
} model;

static bool model_valid(const model *m, int64_t w) { return w <= m->hwm && !m->open[w] && !m->aborted[w]; }

static int model_range(const model *m, int64_t a, int64_t b, bool aborted) {
  int64_t n = 0;
  for (int64_t w = a; w <= b; w++) n += aborted ? w <= m->hwm && m->aborted[w] : model_valid(m, w);
  return n == 0 ? 0 : n == b - a + 1 ? 2 : 1;
}

static int model_compare(const void *a, const void *b) {
  const skep_layout_dir *x = a, *y = b;
  int64_t kx[3] = {x->parsed.min_write_id, -x->parsed.max_write_id, x->parsed.statement};
  int64_t ky[3] = {y->parsed.min_write_id, -y->parsed.max_write_id, y->parsed.statement};
  for (int i = 0; i < 3; i++) {
    if (kx[i] != ky[i]) return kx[i] < ky[i] ? -1 : 1;
  }
  return strcmp(x->name, y->name);
}

/* The names in use, in order; "?" for not enough history. */
static void model_decide(const model *m, skep_layout_dir *dirs, uint32_t n, char *out, size_t size) {
  int64_t base = -1;
  bool base_compacted = false, oldest_compacted = false;
  int64_t oldest = 99;
  const char *base_name = "";
  for (uint32_t i = 0; i < n; i++) {
    if (dirs[i].parsed.kind != SKEP_DIR_BASE) continue;
    int64_t w = dirs[i].parsed.max_write_id;
    bool compacted = dirs[i].data_format != NULL;
    if (w < oldest) {
      oldest = w;
      oldest_compacted = compacted;
    }
    bool usable = compacted ? w < m->min_open && w <= m->hwm : model_valid(m, w);
    if (usable && w > base) {
      base = w;
      base_compacted = compacted;
      base_name = dirs[i].name;
    }
  }
  (void)base_compacted;
  out[0] = '\0';
  if (base < 0 && oldest < 99 && oldest_compacted) {
    snprintf(out, size, "?");
    return;
  }
  size_t at = base < 0 ? 0 : (size_t)snprintf(out, size, "%s", base_name);
  qsort(dirs, n, sizeof *dirs, model_compare);
  int64_t current = base < 0 ? 0 : base, last_statement = -1;
  const skep_layout_dir *previous = NULL;
  for (uint32_t i = 0; i < n; i++) {
    const skep_dir_name *p = &dirs[i].parsed;
    if (p->kind == SKEP_DIR_BASE || model_range(m, p->min_write_id, p->max_write_id, true) == 2 ||
        model_range(m, p->min_write_id, p->max_write_id, false) == 0)
      continue;
    bool keep = false;
    if (p->max_write_id > current) {
      keep = model_range(m, current + 1, p->max_write_id, false) != 0;
      if (keep) {
        current = p->max_write_id;
        last_statement = p->statement;
      }
    } else if (p->max_write_id == current && last_statement >= 0) {
      keep = true;
    } else if (previous != NULL) {
      keep = previous->parsed.min_write_id == p->min_write_id && previous->parsed.max_write_id == p->max_write_id &&
             previous->parsed.statement == p->statement;
    }
    if (!keep) continue;
    previous = &dirs[i];
    at += (size_t)snprintf(out + at, size - at, "%s%s", at == 0 ? "" : " ", dirs[i].name);
  }
}

static uint64_t next_random(uint64_t *seed) {
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *seed >> 33;
}

static void random_name(uint64_t *seed, char *out, size_t size) {
  int a = (int)(next_random(seed) % 11) + 1, b = a + (int)(next_random(seed) % 3 == 0 ? next_random(seed) % 5 : 0);
  const char *kind = next_random(seed) % 3 == 0 ? "delete_delta" : "delta";
  if (next_random(seed) % 6 == 0) {
    snprintf(out, size, next_random(seed) % 2 == 0 ? "base_%d!compacted" : "base_%d", a);
  } else if (a == b && next_random(seed) % 3 != 0) {
    snprintf(out, size, "%s_%d_%d_%d", kind, a, b, (int)(next_random(seed) % 3));
  } else {
    snprintf(out, size, "%s_%d_%d", kind, a, b);
  }
}

static void decisions_agree_with_a_naive_model(void **state) {
  fixture *f = *state;
  uint64_t seed = 20261129;
  for (int round = 0; round < 4000; round++) {
    char names[1024] = "", ids[256], want[2048];
    size_t at = 0;
    for (int i = 0, n = (int)(next_random(&seed) % 9) + 1; i < n; i++) {
      char name[64], padded[1100], probe[2][80];
      random_name(&seed, name, sizeof name);
      snprintf(padded, sizeof padded, " %s ", names);
      for (int p = 0; p < 2; p++)
        snprintf(probe[p], sizeof probe[p], " %.*s%c", (int)strcspn(name, "!"), name, p == 0 ? ' ' : '!');
      if (strstr(padded, probe[0]) != NULL || strstr(padded, probe[1]) != NULL) continue; /* names are unique */
      at += (size_t)snprintf(names + at, sizeof names - at, "%s%s", at == 0 ? "" : " ", name);
    }
    model m = {.hwm = (int)(next_random(&seed) % 13) + 1, .min_open = 99};
    at = (size_t)snprintf(ids, sizeof ids, "t:%d:", m.hwm);
    char lists[2][64] = {"", ""};
    for (int w = 1; w <= m.hwm; w++) {
      uint64_t r = next_random(&seed) % 8;
      if (r > 1) continue;
      (r == 0 ? m.open : m.aborted)[w] = true;
      if (r == 0 && m.min_open == 99) m.min_open = w;
      size_t end = strlen(lists[r]);
      snprintf(lists[r] + end, sizeof lists[r] - end, end == 0 ? "%d" : ",%d", w);
    }
    if (m.min_open == 99) {
      snprintf(ids + at, sizeof ids - at, "9223372036854775807:%s:%s", lists[0], lists[1]);
    } else {
      snprintf(ids + at, sizeof ids - at, "%d:%s:%s", m.min_open, lists[0], lists[1]);
    }
    fill(f, names);
    model_decide(&m, f->layout.dirs, f->layout.n_dirs, want, sizeof want);
    skep_status status = decide(f, names, ids, NULL, false);
    const char *have = status == SKEP_ERR_SNAPSHOT ? "?" : names_with(f, SKEP_USED);
    if (strcmp(have, want) != 0) fail_msg("%s with %s: have %s, want %s", names, ids, have, want);
  }
}

int main(void) {
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(hives_own_vectors, setup, teardown),
      cmocka_unit_test_setup_teardown(originals_are_ordered_bytewise_by_path, setup, teardown),
      cmocka_unit_test_setup_teardown(odd_file_names_are_data_of_plain_tables_and_reported_in_transactional_ones, setup,
                                      teardown),
      cmocka_unit_test_setup_teardown(every_directory_not_used_has_its_reason, setup, teardown),
      cmocka_unit_test_setup_teardown(bases_are_chosen_by_what_made_them, setup, teardown),
      cmocka_unit_test_setup_teardown(a_compacted_base_that_is_too_new_means_not_enough_history, setup, teardown),
      cmocka_unit_test_setup_teardown(insert_only_tables_keep_nothing_outside_of_directories, setup, teardown),
      cmocka_unit_test_setup_teardown(decisions_agree_with_a_naive_model, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

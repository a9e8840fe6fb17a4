/* From paths to partition roots: partition directories, their typed values, and which of them can hold wanted rows.
 *
 * Source: Hive Warehouse, FileUtils (acid-format facts, section 8). Partitions are pruned before they are listed: by
 * the caller's filters and by what the predicate says about partition columns alone. */
#include <inttypes.h>

#include "acid/plan_int.h"
#include "column/calendar.h"
#include "column/text.h"

enum { MAX_LEVELS = 64, MAX_PARTITIONS = 1 << 20 };

/* The partition directories above the one being looked at. */
typedef struct branch {
  skep_planner *p;
  uint32_t path_index;
  uint32_t depth;
  const char *names[MAX_LEVELS];
  const char *values[MAX_LEVELS]; /* as in skep_split.partition_values */
} branch;

/* --- Values --- */

static bool is_default(const char *text) { return strcmp(text, SKEP_DEFAULT_PARTITION) == 0; }

static bool is_text_kind(const skep_type *type) {
  return type->kind == SKEP_STRING || type->kind == SKEP_CHAR || type->kind == SKEP_VARCHAR;
}

/* Puts the typed value of a text (NULL: NULL) as the only entry of a vector. SKEP_ERR_RANGE: the text is no such value.
 */
static skep_status make_value(skep_planner *p, const skep_type *type, const char *text, skep_vec *out, skep_err *err) {
  static const skep_forms forms = {.boolean = 0};
  SKEP_TRY(skep_vec_init(out, p->ctx, type, &forms, err));
  skep_status status =
      text == NULL ? skep_vec_set_null(out, 1, err) : skep_vec_append_text(out, skep_bytes_of(text, strlen(text)), err);
  if (status != SKEP_OK) skep_vec_fini(out);
  return status;
}

/* Hive 1 and 2 read dates with java.sql.Date: those that the hybrid calendar leaves out (1582-10-05 to 14) are ten days
 * later (seen in Hive 2.3.10). `*text` is replaced by the text of what they read. */
static skep_status skip_missing_days(skep_planner *p, const skep_type *type, const char **text, skep_err *err) {
  bool is_date = type->kind == SKEP_DATE;
  if (p->opts->hive == SKEP_HIVE_3 || p->opts->hive == SKEP_HIVE_4) return SKEP_OK;
  if (!is_date && type->kind != SKEP_TIMESTAMP) return SKEP_OK;
  skep_ts ts = {0};
  int64_t day = 0;
  skep_bytes bytes = skep_bytes_of(*text, strlen(*text));
  if (is_date ? !skep_parse_date(bytes, &day) : !skep_parse_ts(bytes, &ts)) return SKEP_OK;
  if (!is_date) day = ts.seconds / 86400 - (ts.seconds % 86400 < 0);
  int64_t read = skep_days_hybrid_to_proleptic(skep_days_proleptic_to_hybrid(day));
  if (read == day) return SKEP_OK;
  ts.seconds += (read - day) * 86400;
  skep_buf shown;
  skep_buf_init(&shown, p->ctx, 64);
  if (is_date) {
    skep_text_date(read, &shown);
  } else {
    skep_text_ts(ts, &shown);
  }
  skep_status status = skep_buf_check(&shown, "partition value", err);
  if (status == SKEP_OK) {
    *text = skep_buf_copy(&shown, p->arena);
    if (*text == NULL) status = skep_plan_no_memory(err);
  }
  skep_buf_fini(&shown);
  return status;
}

/* Hive casts a directory's text to the column's type: what cannot be cast is NULL, and so is the default partition, but
 * for texts, where it reads back as its own name (seen in Hive 4.0.1). */
static skep_status directory_value(skep_planner *p, const skep_type *type, const char *text, const char **out,
                                   skep_err *err) {
  *out = NULL;
  if (is_default(text) && !is_text_kind(type)) return SKEP_OK;
  skep_vec vec;
  skep_status status = make_value(p, type, text, &vec, err);
  if (status == SKEP_ERR_RANGE) return SKEP_OK;
  if (status != SKEP_OK) return status;
  skep_vec_fini(&vec);
  *out = text;
  return skip_missing_days(p, type, out, err);
}

/* One canonical text per typed value, for comparing: 01 and 1 are the same int. */
static skep_status canonical(skep_planner *p, const skep_type *type, const char *text, skep_buf *out, skep_err *err) {
  skep_vec vec;
  skep_text style = {.style = SKEP_TEXT_COPY, .null_text = "\\N"};
  SKEP_TRY(make_value(p, type, text, &vec, err));
  skep_status status = skep_text_value(&style, &vec, 0, out, err);
  skep_vec_fini(&vec);
  return status == SKEP_OK ? skep_buf_check(out, "partition value", err) : status;
}

static bool same_name(const char *a, const char *b, size_t length_b) {
  if (strlen(a) != length_b) return false;
  for (size_t i = 0; i < length_b; i++) {
    char x = a[i], y = b[i];
    if (x >= 'A' && x <= 'Z') x = (char)(x + 32);
    if (y >= 'A' && y <= 'Z') y = (char)(y + 32);
    if (x != y) return false;
  }
  return true;
}

static const skep_type *type_at(const skep_planner *p, uint32_t level) {
  static const skep_type text = {.kind = SKEP_STRING};
  return p->opts->partition_schema == NULL ? &text : p->partitions->children[level];
}

/* --- Filters: "name=value" --- */

static skep_status match_filter(branch *b, uint32_t level, const char *wanted, bool *out, skep_err *err) {
  skep_planner *p = b->p;
  const skep_type *type = type_at(p, level);
  const char *value = is_default(wanted) && !is_text_kind(type) ? NULL : wanted;
  skep_buf have, want;
  skep_buf_init(&have, p->ctx, 1 << 20);
  skep_buf_init(&want, p->ctx, 1 << 20);
  skep_status status = canonical(p, type, value, &want, err);
  if (status == SKEP_ERR_RANGE) status = skep_wrap(err, SKEP_ERR_ARGUMENT, "partition filter");
  if (status == SKEP_OK) status = canonical(p, type, b->values[level], &have, err);
  *out = status == SKEP_OK && have.size == want.size && memcmp(have.data, want.data, have.size) == 0;
  skep_buf_fini(&have);
  skep_buf_fini(&want);
  return status;
}

/* Whether the newest level of the branch passes the filters that name it: those of one column are alternatives. */
static skep_status passes_filters(branch *b, bool *out, skep_err *err) {
  const skep_plan_opts *opts = b->p->opts;
  uint32_t level = b->depth - 1;
  bool is_named = false;
  *out = false;
  for (uint32_t i = 0; i < opts->n_partition_filters && !*out; i++) {
    const char *filter = opts->partition_filters[i];
    const char *equals = strchr(filter, '=');
    if (equals == NULL) return skep_fail(err, SKEP_ERR_ARGUMENT, "a partition filter needs the form name=value");
    if (!same_name(b->names[level], filter, (size_t)(equals - filter))) continue;
    is_named = true;
    SKEP_TRY(match_filter(b, level, equals + 1, out, err));
  }
  *out = *out || !is_named;
  return SKEP_OK;
}

/* --- The predicate, where it speaks of partition columns only --- */

enum { MAY_TRUE = 1, MAY_FALSE = 2, MAY_UNKNOWN = 4, MAY_ALL = 7 };

/* Is `pred` TRUE for the value of one level? */
static skep_status is_true(branch *b, uint32_t level, const skep_pred *pred, skep_arena *scratch, bool *out,
                           skep_err *err) {
  static const skep_type row = {.kind = SKEP_STRUCT};
  static const skep_forms forms = {.boolean = 0};
  const skep_type *column = type_at(b->p, level), *type;
  const skep_pred *bound;
  SKEP_TRY(skep_type_make(scratch, &row, &column, &b->names[level], 1, &type, err));
  SKEP_TRY(skep_pred_bind(scratch, pred, type, &bound, err));
  skep_vec vec;
  SKEP_TRY(skep_vec_init(&vec, b->p->ctx, type, &forms, err));
  const char *value = b->values[level];
  skep_status status = value == NULL ? skep_vec_set_null(&vec.children[0], 1, err)
                                     : skep_vec_append_text(&vec.children[0], skep_bytes_of(value, strlen(value)), err);
  vec.length = 1;
  int32_t selected;
  int64_t n = 0;
  if (status == SKEP_OK) status = skep_pred_filter(b->p->ctx, bound, &vec, &selected, &n, err);
  skep_vec_fini(&vec);
  *out = n == 1;
  return status;
}

static skep_status judge_leaf(branch *b, const skep_pred *leaf, skep_arena *scratch, unsigned *out, skep_err *err) {
  *out = MAY_ALL;
  uint32_t level = 0;
  while (level < b->depth &&
         !(leaf->path_length == 1 && same_name(b->names[level], leaf->names[0], strlen(leaf->names[0]))))
    level++;
  if (level == b->depth) return SKEP_OK;
  const skep_pred *child = leaf;
  skep_pred negated = {.op = SKEP_PRED_NOT, .n_children = 1, .children = &child};
  bool yes, no = false;
  SKEP_TRY(is_true(b, level, leaf, scratch, &yes, err));
  if (!yes) SKEP_TRY(is_true(b, level, &negated, scratch, &no, err));
  *out = yes ? MAY_TRUE : no ? MAY_FALSE : MAY_UNKNOWN;
  return SKEP_OK;
}

/* What AND makes of two sets of possible values; OR is its mirror image. */
static unsigned and_sets(unsigned a, unsigned b) {
  unsigned out = (a | b) & MAY_FALSE;
  out |= a & b & MAY_TRUE;
  bool unknown = ((a & MAY_UNKNOWN) != 0 && (b & (MAY_UNKNOWN | MAY_TRUE)) != 0) ||
                 ((b & MAY_UNKNOWN) != 0 && (a & MAY_TRUE) != 0);
  return unknown ? out | MAY_UNKNOWN : out;
}

static unsigned negate_set(unsigned a) {
  return (a & MAY_UNKNOWN) | ((a & MAY_TRUE) != 0 ? MAY_FALSE : 0) | ((a & MAY_FALSE) != 0 ? MAY_TRUE : 0);
}

/* Depth is bounded by parsing. */
static skep_status judge_pred(branch *b, const skep_pred *pred, skep_arena *scratch, unsigned *out, skep_err *err) {
  if (pred->op == SKEP_PRED_CONST) {
    *out = pred->constant == SKEP_TRUE ? MAY_TRUE : pred->constant == SKEP_FALSE ? MAY_FALSE : MAY_UNKNOWN;
    return SKEP_OK;
  }
  if (pred->op != SKEP_PRED_AND && pred->op != SKEP_PRED_OR && pred->op != SKEP_PRED_NOT)
    return judge_leaf(b, pred, scratch, out, err);
  bool mirrored = pred->op == SKEP_PRED_OR;
  unsigned all = MAY_TRUE;
  for (uint32_t i = 0; i < pred->n_children; i++) {
    unsigned one;
    SKEP_TRY(judge_pred(b, pred->children[i], scratch, &one, err));
    all = and_sets(all, mirrored ? negate_set(one) : one);
  }
  *out = mirrored || pred->op == SKEP_PRED_NOT ? negate_set(all) : all;
  return SKEP_OK;
}

static skep_status may_hold_rows(branch *b, bool *out, skep_err *err) {
  *out = true;
  if (b->p->only_types) return SKEP_OK;
  SKEP_TRY(passes_filters(b, out, err));
  if (!*out || b->p->predicate == NULL) return SKEP_OK;
  skep_arena scratch;
  skep_arena_init(&scratch, b->p->ctx, SIZE_MAX / 2);
  unsigned possible = MAY_ALL;
  skep_status status = judge_pred(b, b->p->predicate, &scratch, &possible, err);
  skep_arena_fini(&scratch);
  *out = (possible & MAY_TRUE) != 0;
  return status;
}

/* --- The walk --- */

/* Links can make a small tree endless in breadth: what is walked has a bound beside that of its depth. */
static skep_status count_partition(skep_planner *p, skep_err *err) {
  uint64_t limit = p->ctx->limits.max_dir_entries < MAX_PARTITIONS ? p->ctx->limits.max_dir_entries : MAX_PARTITIONS;
  if (++p->n_walked <= limit) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_LIMIT, "more than %" PRIu64 " partition directories in one scan", limit);
}

/* Adds "name=value" to the branch. */
static skep_status push(branch *b, const char *component, skep_err *err) {
  skep_planner *p = b->p;
  SKEP_TRY(count_partition(p, err));
  if (b->depth == MAX_LEVELS) return skep_fail(err, SKEP_ERR_LIMIT, "more than %d partition levels", MAX_LEVELS);
  skep_buf name, value;
  skep_buf_init(&name, p->ctx, 1 << 20);
  skep_buf_init(&value, p->ctx, 1 << 20);
  skep_partition_component_parse(component, &name, &value);
  skep_status status = skep_buf_check(&name, "partition name", err);
  if (status == SKEP_OK) status = skep_buf_check(&value, "partition value", err);
  const char *text = NULL;
  if (status == SKEP_OK && value.size != 0 && memchr(value.data, 0, value.size) != NULL)
    status = skep_fail(err, SKEP_ERR_UNSUPPORTED, "a partition value with a NUL character");
  if (status == SKEP_OK) {
    b->names[b->depth] = skep_buf_copy(&name, p->arena);
    text = skep_buf_copy(&value, p->arena);
    if (b->names[b->depth] == NULL || text == NULL) status = skep_plan_no_memory(err);
  }
  skep_buf_fini(&name);
  skep_buf_fini(&value);
  SKEP_TRY(status);
  uint32_t level = b->depth;
  if (p->partitions != NULL) {
    const char *found = b->names[level];
    char quoted[2][128];
    if (level >= p->partitions->n_children || !same_name(p->partitions->names[level], found, strlen(found)))
      return skep_fail(err, SKEP_ERR_ARGUMENT, "partition directory \"%s\" stands where %s%s is expected",
                       skep_quote(quoted[0], sizeof quoted[0], component, strlen(component)),
                       level >= p->partitions->n_children ? "no further partition column" : "the partition column ",
                       level >= p->partitions->n_children
                           ? ""
                           : skep_quote(quoted[1], sizeof quoted[1], p->partitions->names[level],
                                        strlen(p->partitions->names[level])));
  }
  SKEP_TRY(directory_value(p, type_at(p, level), text, &b->values[level], err));
  b->depth++;
  return SKEP_OK;
}

/* Without a partition schema the directories above the first unit name the columns. */
static skep_status name_partitions(branch *b, skep_err *err) {
  static const skep_type row = {.kind = SKEP_STRUCT}, text = {.kind = SKEP_STRING};
  skep_planner *p = b->p;
  if (p->partitions != NULL) {
    if (p->partitions->n_children == b->depth) return SKEP_OK;
    return skep_fail(err, SKEP_ERR_ARGUMENT,
                     "%" PRIu32 " partition directories are above this one, elsewhere %" PRIu32
                     ": the paths do not belong to one table",
                     b->depth, p->partitions->n_children);
  }
  const skep_type *types[MAX_LEVELS];
  for (uint32_t i = 0; i < b->depth; i++) types[i] = &text;
  return skep_type_make(p->arena, &row, types, b->names, b->depth, &p->partitions, err);
}

static skep_status add_unit(branch *b, const char *root, skep_layout *layout, uint64_t size, skep_err *err) {
  skep_planner *p = b->p;
  SKEP_TRY(name_partitions(b, err));
  const char **values = skep_arena_zero(p->arena, (size_t)b->depth + 1, sizeof *values);
  if (values == NULL) return skep_plan_no_memory(err);
  for (uint32_t i = 0; i < b->depth; i++) values[i] = b->values[i];
  SKEP_TRY(skep_grow(p->ctx, (void **)&p->units, &p->units_capacity, p->n_units + 1, sizeof *p->units, err));
  p->units[p->n_units++] = (skep_plan_unit){
      .path_index = b->path_index, .root = root, .layout = layout, .size_bytes = size, .values = values};
  return SKEP_OK;
}

static skep_status not_readable(skep_planner *p, const skep_layout *layout, const skep_layout_dir *dir, uint32_t file,
                                skep_err *err) {
  const char *top = skep_plan_join(p, layout->root, dir->name);
  const char *path = top == NULL ? NULL : skep_plan_join(p, top, dir->files[file].path);
  char quoted[512];
  if (path == NULL) return skep_plan_no_memory(err);
  return skep_fail(err, SKEP_ERR_CORRUPT, "%s is neither a file nor a directory (a link to nowhere?)",
                   skep_quote(quoted, sizeof quoted, path, strlen(path)));
}

/* A file or a link to nowhere in the place of a directory of an ACID table: without it rows would be lost or deleted
 * ones come back. Hive never makes one. */
static bool is_in_place_of_acid_dir(const skep_layout *layout, const skep_layout_dir *dir,
                                    const skep_layout_file *file) {
  skep_dir_name parsed;
  return layout->is_transactional_layout && dir->name[0] == '\0' && !file->is_dir && strchr(file->path, '/') == NULL &&
         skep_dir_name_parse(file->path, &parsed, NULL) == SKEP_OK && parsed.kind != SKEP_DIR_OTHER;
}

static skep_status no_acid_dir(skep_planner *p, const skep_layout *layout, const char *name, skep_err *err) {
  const char *path = skep_plan_join(p, layout->root, name);
  char quoted[512];
  if (path == NULL) return skep_plan_no_memory(err);
  return skep_fail(err, SKEP_ERR_CORRUPT, "%s is named like a directory of an ACID table and is none",
                   skep_quote(quoted, sizeof quoted, path, strlen(path)));
}

/* What stands in the place of rows and holds none: read over, rows would be lost or deleted ones come back. */
static skep_status check_used_dir(skep_planner *p, const skep_layout *layout, const skep_layout_dir *dir,
                                  skep_err *err) {
  char quoted[512];
  const char *top = skep_plan_join(p, layout->root, dir->name);
  if (top == NULL) return skep_plan_no_memory(err);
  if (dir->is_misplaced)
    return skep_fail(err, SKEP_ERR_CORRUPT, "%s holds no file, but directories of an ACID table (a link to itself?)",
                     skep_quote(quoted, sizeof quoted, top, strlen(top)));
  bool acid = dir->parsed.kind != SKEP_DIR_OTHER && dir->content == SKEP_CONTENT_ACID;
  for (uint32_t f = 0; acid && f < dir->n_files; f++) {
    const skep_layout_file *file = &dir->files[f];
    bool is_dir = file->is_dir && file->is_special;
    bool is_large = file->verdict == SKEP_USED && file->name.kind == SKEP_DATA_BUCKET && file->name.bucket > INT32_MAX;
    if (!is_dir && !is_large) continue;
    const char *path = skep_plan_join(p, top, file->path);
    if (path == NULL) return skep_plan_no_memory(err);
    skep_quote(quoted, sizeof quoted, path, strlen(path));
    if (is_dir) return skep_fail(err, SKEP_ERR_CORRUPT, "%s is a directory where a data file belongs", quoted);
    return skep_fail(err, SKEP_ERR_CORRUPT, "%s: the bucket number is beyond 32 bits", quoted);
  }
  return SKEP_OK;
}

/* Unknown names are reported; names that only look like ACID directories stop the reading, as they do in Hive. */
static skep_status report_names(skep_planner *p, const skep_layout *layout, skep_err *err) {
  for (uint32_t i = 0; i < layout->n_dirs; i++) {
    const skep_layout_dir *dir = &layout->dirs[i];
    char quoted[2][256];
    if (dir->is_malformed) {
      skep_dir_name ignored;
      skep_status status = skep_dir_name_parse(dir->name, &ignored, err);
      return skep_wrap(err, status, "%s", skep_quote(quoted[0], sizeof quoted[0], layout->root, strlen(layout->root)));
    }
    if (dir->verdict == SKEP_USED) SKEP_TRY(check_used_dir(p, layout, dir, err));
    if (dir->verdict == SKEP_NAME_UNKNOWN && dir->name[0] != '\0')
      SKEP_TRY(skep_plan_notify(p, skep_plan_join(p, layout->root, dir->name), dir->reason, err));
    for (uint32_t f = 0; f < dir->n_files; f++) {
      if (is_in_place_of_acid_dir(layout, dir, &dir->files[f])) return no_acid_dir(p, layout, dir->files[f].path, err);
      if (dir->files[f].verdict == SKEP_USED && dir->files[f].is_special) return not_readable(p, layout, dir, f, err);
      if (dir->files[f].verdict != SKEP_NAME_UNKNOWN) continue;
      const char *path = skep_plan_join(p, layout->root, dir->name);
      if (path == NULL) return skep_plan_no_memory(err);
      SKEP_TRY(skep_plan_notify(p, skep_plan_join(p, path, dir->files[f].path), dir->files[f].reason, err));
    }
  }
  return SKEP_OK;
}

static skep_status walk(branch *b, const char *root, skep_err *err);

/* --- Directories that are no partition --- */

typedef struct looking {
  skep_planner *p;
  const char *path;
  uint32_t depth;
  bool any; /* a file, or too deep to tell */
} looking;

static skep_status look_into(looking *l, skep_err *err);

static skep_status look_at(void *self, const skep_entry *entry, skep_err *err) {
  looking *l = self;
  if (l->any || entry->name[0] == '.' || entry->name[0] == '_') return SKEP_OK;
  looking below = {.p = l->p, .depth = l->depth + 1};
  l->any = entry->kind != SKEP_ENTRY_DIR || below.depth == MAX_LEVELS;
  if (l->any) return SKEP_OK;
  below.path = skep_plan_join(l->p, l->path, entry->name);
  if (below.path == NULL) return skep_plan_no_memory(err);
  SKEP_TRY(look_into(&below, err));
  l->any = below.any;
  return SKEP_OK;
}

static skep_status look_into(looking *l, skep_err *err) {
  return skep_fs_list(l->p->fs, l->path, false, look_at, l, err);
}

/* Hive leaves empty directories k=v in the table's own for dynamic keys below a static one: they are passed over. */
static bool is_empty_tree(skep_planner *p, const char *root, const char *name) {
  looking l = {.p = p, .path = skep_plan_join(p, root, name)};
  return l.path != NULL && look_into(&l, NULL) == SKEP_OK && !l.any;
}

static bool holds_no_file(const skep_layout *layout) {
  for (uint32_t d = 0; d < layout->n_dirs; d++)
    if (layout->dirs[d].n_files != 0) return false;
  return true;
}

static bool has_data_file(const skep_layout *layout) {
  for (uint32_t d = 0; d < layout->n_used; d++) {
    if (layout->dirs[d].parsed.kind == SKEP_DIR_DELETE_DELTA) continue;
    for (uint32_t f = 0; f < layout->dirs[d].n_files; f++) {
      if (layout->dirs[d].files[f].verdict == SKEP_USED) return true;
    }
  }
  return false;
}

static bool knows_enough(const skep_planner *p) {
  const skep_plan_unit *last = p->n_units == 0 ? NULL : &p->units[p->n_units - 1];
  return p->only_types && last != NULL && (last->layout == NULL || has_data_file(last->layout));
}

static skep_status walk_partitions(branch *b, const skep_layout *layout, skep_err *err) {
  for (uint32_t i = 0; i < layout->n_partitions && !knows_enough(b->p); i++) {
    bool wanted;
    char quoted[512];
    /* The newest partition tells the columns best. */
    const char *name = layout->partitions[b->p->only_types ? layout->n_partitions - 1 - i : i];
    skep_status status = push(b, name, err);
    if (status == SKEP_ERR_ARGUMENT && is_empty_tree(b->p, layout->root, name)) continue;
    if (status != SKEP_OK)
      return skep_wrap(err, status, "%s", skep_quote(quoted, sizeof quoted, layout->root, strlen(layout->root)));
    status = may_hold_rows(b, &wanted, err);
    if (status == SKEP_OK && wanted) {
      const char *child = skep_plan_join(b->p, layout->root, name);
      status = child == NULL ? skep_plan_no_memory(err) : walk(b, child, err);
    }
    b->depth--;
    SKEP_TRY(status);
  }
  return SKEP_OK;
}

static uint32_t levels_below(const branch *b) {
  const skep_planner *p = b->p;
  if (p->opts->roots != NULL) return 0;
  return p->opts->partition_schema == NULL ? SKEP_PARTITIONS_AUTO : p->partitions->n_children - b->depth;
}

/* A table that is list-bucketed by a column has directories like a partitioned one: the column is in the schema. */
static bool is_list_bucketing(const skep_planner *p, const skep_layout *layout) {
  if (p->opts->partition_schema != NULL || p->table == NULL || layout->n_partitions == 0) return false;
  const char *component = layout->partitions[0];
  return skep_type_child(p->table, component, strcspn(component, "="), true) >= 0;
}

/* Partitions whose column stands in the schema of the table would otherwise be taken for list bucketing and be left out
 * (ACID tables have none) or show NULL in that column. */
static skep_status check_list_bucketing(skep_planner *p, const skep_layout *layout, skep_err *err) {
  bool is_acid = false;
  for (uint32_t d = 0; d < layout->n_dirs; d++) {
    for (uint32_t f = 0; f < layout->dirs[d].n_files; f++) {
      const skep_layout_file *file = &layout->dirs[d].files[f];
      is_acid = is_acid || (file->is_dir && file->verdict == SKEP_NAME_UNKNOWN);
    }
  }
  char quoted[512];
  if (is_acid)
    return skep_fail(
        err, SKEP_ERR_ARGUMENT,
        "%s: the schema has a column that names partition directories: it belongs into the partition schema",
        skep_quote(quoted, sizeof quoted, layout->root, strlen(layout->root)));
  return skep_plan_notify(p, layout->root,
                          "directories named like a column of the schema are read as list bucketing (the columns of "
                          "partitions belong into the partition schema)",
                          err);
}

static skep_status walk(branch *b, const char *root, skep_err *err) {
  static const skep_snapshot everything = {.everything = true};
  skep_planner *p = b->p;
  skep_layout_opts opts = {.snapshot = p->only_types ? &everything : &p->opts->snapshot,
                           .hive = p->opts->hive,
                           .is_insert_only = p->opts->insert_only,
                           .partition_levels = levels_below(b)};
  skep_layout *layout;
  SKEP_TRY(skep_layout_read(p->ctx, p->fs, root, &opts, &layout, err));
  skep_status status = SKEP_OK;
  if (is_list_bucketing(p, layout)) {
    skep_layout_free(layout);
    opts.partition_levels = 0;
    SKEP_TRY(skep_layout_read(p->ctx, p->fs, root, &opts, &layout, err));
    status = check_list_bucketing(p, layout, err);
  }
  if (status == SKEP_OK && !p->only_types) status = report_names(p, layout, err);
  if (status == SKEP_OK && layout->partitions != NULL) {
    status = walk_partitions(b, layout, err);
  } else if (status == SKEP_OK) {
    status = add_unit(b, root, layout, 0, err);
    char quoted[512];
    if (status == SKEP_OK) {
      layout = NULL;
    } else if (status == SKEP_ERR_ARGUMENT && holds_no_file(layout)) {
      status = SKEP_OK;
    } else {
      status = skep_wrap(err, status, "%s", skep_quote(quoted, sizeof quoted, root, strlen(root)));
    }
  }
  skep_layout_free(layout);
  return status;
}

/* With a partition schema a path may be a partition, or some levels above one: its own last components count. */
static skep_status push_own_components(branch *b, const char *path, skep_err *err) {
  const skep_type *partitions = b->p->partitions;
  if (b->p->opts->partition_schema == NULL) return SKEP_OK;
  const char *parts[MAX_LEVELS];
  uint32_t n = 0;
  size_t length = strlen(path);
  while (n < partitions->n_children && n < MAX_LEVELS) {
    while (length > 0 && path[length - 1] == '/') length--;
    size_t start = length;
    while (start > 0 && path[start - 1] != '/') start--;
    const char *part = skep_arena_strndup(b->p->arena, path + start, length - start);
    if (part == NULL) return skep_plan_no_memory(err);
    const char *equals = strchr(part, '=');
    if (equals == NULL || equals == part) break;
    parts[n++] = part;
    if (same_name(partitions->names[0], part, (size_t)(equals - part))) {
      for (uint32_t i = n; i > 0; i--) SKEP_TRY(push(b, parts[i - 1], err));
      break;
    }
    length = start;
  }
  return SKEP_OK;
}

static skep_status walk_path(skep_planner *p, uint32_t index, skep_err *err) {
  branch b = {.p = p, .path_index = index};
  const char *path = p->paths[index];
  char quoted[512];
  skep_quote(quoted, sizeof quoted, path, strlen(path));
  skep_stat stat;
  SKEP_TRY(skep_fs_stat(p->fs, path, &stat, err));
  const char *root = skep_arena_strndup(p->arena, path, strlen(path));
  if (root == NULL) return skep_plan_no_memory(err);
  if (stat.kind == SKEP_ENTRY_OTHER)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "%s is neither a file nor a directory", quoted);
  if (stat.kind == SKEP_ENTRY_FILE) {
    if (p->opts->partition_schema != NULL && p->partitions->n_children != 0)
      return skep_fail(err, SKEP_ERR_ARGUMENT, "%s is a file: it has no partition columns", quoted);
    skep_status status = add_unit(&b, root, NULL, stat.size_bytes, err);
    return status == SKEP_OK ? SKEP_OK : skep_wrap(err, status, "%s", quoted);
  }
  skep_status status = push_own_components(&b, path, err);
  bool wanted = true;
  for (uint32_t depth = b.depth, i = 1; status == SKEP_OK && wanted && i <= depth; i++) {
    b.depth = i;
    status = may_hold_rows(&b, &wanted, err);
  }
  return status != SKEP_OK || !wanted ? status : walk(&b, root, err);
}

/* A root that is known with its values. The directory of a partition without rows may be missing. */
static skep_status walk_root(skep_planner *p, const skep_plan_root *known, skep_err *err) {
  branch b = {.p = p};
  uint32_t n = p->partitions == NULL ? 0 : p->partitions->n_children;
  bool wanted = true;
  SKEP_TRY(count_partition(p, err));
  if (n > MAX_LEVELS) return skep_fail(err, SKEP_ERR_LIMIT, "more than %d partition levels", MAX_LEVELS);
  for (; b.depth < n; b.depth++) {
    const char *value = known->values[b.depth];
    if (value != NULL) value = skep_arena_strndup(p->arena, value, strlen(value));
    if (value == NULL && known->values[b.depth] != NULL) return skep_plan_no_memory(err);
    b.names[b.depth] = p->partitions->names[b.depth];
    b.values[b.depth] = NULL;
    if (value != NULL) SKEP_TRY(directory_value(p, type_at(p, b.depth), value, &b.values[b.depth], err));
  }
  if (n != 0) SKEP_TRY(may_hold_rows(&b, &wanted, err));
  if (!wanted) return SKEP_OK;
  const char *root = skep_arena_strndup(p->arena, known->path, strlen(known->path));
  if (root == NULL) return skep_plan_no_memory(err);
  skep_status status = walk(&b, root, err);
  if (status != SKEP_ERR_NOT_FOUND && status != SKEP_ERR_ARGUMENT) return status;
  skep_stat stat; /* mostly it is a directory that is there: only now is it worth a call */
  skep_status there = skep_fs_stat(p->fs, root, &stat, NULL);
  if (there == SKEP_OK && stat.kind == SKEP_ENTRY_FILE) return add_unit(&b, root, NULL, stat.size_bytes, err);
  return status == SKEP_ERR_NOT_FOUND && there == SKEP_ERR_NOT_FOUND ? SKEP_OK : status;
}

static skep_status check_filters(skep_planner *p, skep_err *err) {
  for (uint32_t i = 0; i < p->opts->n_partition_filters; i++) {
    const char *filter = p->opts->partition_filters[i];
    size_t length = strcspn(filter, "=");
    char quoted[128];
    if (p->partitions != NULL && skep_type_child(p->partitions, filter, length, true) >= 0) continue;
    if (p->partitions == NULL && p->n_units == 0)
      continue; /* everything was filtered away: then a level had the name */
    return skep_fail(err, SKEP_ERR_ARGUMENT, "partition filter: there is no partition column \"%s\"",
                     skep_quote(quoted, sizeof quoted, filter, length));
  }
  return SKEP_OK;
}

skep_status skep_plan_walk(skep_planner *p, skep_err *err) {
  if (p->opts->partition_schema != NULL) SKEP_TRY(check_filters(p, err));
  for (uint32_t i = 0; i < p->n_paths; i++) SKEP_TRY(walk_path(p, i, err));
  for (uint32_t i = 0; i < p->opts->n_roots; i++) SKEP_TRY(walk_root(p, &p->opts->roots[i], err));
  return check_filters(p, err);
}

skep_status skep_plan_walk_for_types(skep_planner *p, skep_err *err) {
  skep_status status = SKEP_OK;
  p->only_types = true;
  for (uint32_t i = 0; i < p->n_paths && status == SKEP_OK && !knows_enough(p); i++) status = walk_path(p, i, err);
  p->only_types = false;
  return status;
}

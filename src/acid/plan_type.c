/* What a plan's columns are: from a given schema or from the files, projected; and what its predicate may name.
 *
 * A directory's files may have been written under older schemas. Without a given one the newest file of the newest
 * partition speaks for the table. */
#include <inttypes.h>
#include <stdio.h>

#include "acid/events.h"
#include "acid/plan_int.h"

enum { MAX_CANDIDATES = 12 }; /* tails read for one path */

/* --- Types of files --- */

typedef struct candidate {
  const skep_type *type;
  int quality; /* higher is better */
} candidate;

/* Hive 1 to 3 name the columns of a statement's files _col0, _col1, ... */
static bool has_real_names(const skep_type *type) {
  for (uint32_t i = 0; i < type->n_children; i++) {
    const char *name = type->names[i];
    if (strncmp(name, "_col", 4) != 0) return true;
    for (name += 4; *name != '\0'; name++) {
      if (*name < '0' || *name > '9') return true;
    }
  }
  return false;
}

static int quality_of(const skep_type *type, uint64_t n_rows) {
  if (type->kind != SKEP_STRUCT) return 4;
  return (has_real_names(type) ? 4 : 0) + (type->n_children != 0 ? 2 : 0) + (n_rows != 0 ? 1 : 0);
}

/* Looks at one file; keeps its type when it is better than the best so far, or equally good and wider. */
static skep_status consider(skep_planner *p, const char *path, uint64_t length, bool has_events, candidate *best,
                            skep_err *err) {
  skep_orc_tail *tail;
  SKEP_TRY(skep_plan_tail(p, path, length, &tail, err));
  uint32_t columns[SKEP_EVENT_COLUMNS];
  const skep_type *type = tail->type;
  if (has_events && skep_event_file_kind(tail, columns) != SKEP_EVENT_FILE_NO)
    type = skep_type_by_id(tail->type, columns[SKEP_EVENT_ROW]);
  int quality = quality_of(type, tail->n_rows);
  skep_status status = SKEP_OK;
  bool is_wider = best->type != NULL && quality == best->quality && type->n_children > best->type->n_children;
  if (best->type == NULL || quality > best->quality || is_wider) {
    best->quality = quality;
    status = skep_type_copy(p->arena, type, &best->type, err);
  }
  skep_orc_tail_unref(tail);
  return status;
}

enum { BEST_QUALITY = 7 };

/* Files of a partition root, newest directory first. `budget` bounds the tails that are read. */
static skep_status consider_unit(skep_planner *p, const skep_plan_unit *unit, candidate *best, int *budget,
                                 skep_err *err) {
  const skep_layout *layout = unit->layout;
  for (uint32_t d = layout->n_used; d-- > 0 && *budget > 0 && best->quality < BEST_QUALITY;) {
    const skep_layout_dir *dir = &layout->dirs[d];
    if (dir->parsed.kind == SKEP_DIR_DELETE_DELTA) continue;
    const char *top = skep_plan_join(p, layout->root, dir->name);
    if (top == NULL) return skep_plan_no_memory(err);
    bool has_events = dir->content == SKEP_CONTENT_ACID;
    uint32_t first = UINT32_MAX, last = 0;
    for (uint32_t f = 0; f < dir->n_files; f++) {
      if (dir->files[f].verdict != SKEP_USED) continue;
      if (first == UINT32_MAX) first = f;
      last = f;
    }
    if (first == UINT32_MAX) continue;
    /* Without ACID columns nothing says which file is newer: the first and the last one are asked. */
    uint32_t chosen[2] = {last, first};
    for (int i = 0; i < (first == last ? 1 : 2); i++, (*budget)--) {
      const char *path = skep_plan_join(p, top, dir->files[chosen[i]].path);
      if (path == NULL) return skep_plan_no_memory(err);
      SKEP_TRY(consider(p, path, dir->files[chosen[i]].logical_bytes, has_events, best, err));
    }
  }
  return SKEP_OK;
}

static skep_status consider_root(skep_planner *p, const skep_plan_unit *unit, candidate *best, int *budget,
                                 skep_err *err) {
  if (unit->layout != NULL) return consider_unit(p, unit, best, budget, err);
  (*budget)--;
  return consider(p, unit->root, unit->size_bytes, false, best, err);
}

/* The type of one path's files; NULL when it has none. The last partition is the newest one where partitions are named
 * after time; the first one is asked too, lest a column of it is lost where they are not. */
static skep_status type_of_path(skep_planner *p, uint32_t index, const skep_type **out, skep_err *err) {
  candidate best = {.quality = -1}, other = {.quality = -1};
  int budget = MAX_CANDIDATES;
  size_t first = 0, i = p->n_units;
  while (first < p->n_units && p->units[first].path_index != index) first++;
  while (i > first && budget > 0 && best.quality < BEST_QUALITY) {
    const skep_plan_unit *unit = &p->units[--i];
    if (unit->path_index == index) SKEP_TRY(consider_root(p, unit, &best, &budget, err));
  }
  budget = 1;
  if (i > first) SKEP_TRY(consider_root(p, &p->units[first], &other, &budget, err));
  bool is_wider = other.type != NULL && other.quality == best.quality && other.type->kind == SKEP_STRUCT &&
                  other.type->n_children > best.type->n_children;
  *out = is_wider ? other.type : best.type;
  return SKEP_OK;
}

/* --- Comparing the schemas of several paths --- */

static void print_column(const skep_type *type, uint32_t i, skep_buf *out) {
  char quoted[128];
  skep_buf_printf(out, "%s ", skep_quote(quoted, sizeof quoted, type->names[i], strlen(type->names[i])));
  skep_buf text;
  skep_buf_init(&text, out->ctx, 1 << 20);
  skep_type_print(type->children[i], &text);
  char shown[160];
  skep_buf_text(out, skep_quote(shown, sizeof shown, text.data, text.size));
  skep_buf_fini(&text);
}

static skep_status schemas_differ(skep_planner *p, const char *path_a, const skep_type *a, const char *path_b,
                                  const skep_type *b, skep_err *err) {
  skep_buf text;
  skep_buf_init(&text, p->ctx, 4096);
  uint32_t i = 0;
  bool both = a->kind == SKEP_STRUCT && b->kind == SKEP_STRUCT;
  while (both && i < a->n_children && i < b->n_children && strcmp(a->names[i], b->names[i]) == 0 &&
         skep_type_equal(a->children[i], b->children[i])) {
    i++;
  }
  if (!both) {
    skep_buf_printf(&text, "their rows are %s and %s", skep_kind_name(a->kind), skep_kind_name(b->kind));
  } else if (i == a->n_children || i == b->n_children) {
    skep_buf_printf(&text, "%" PRIu32 " columns and %" PRIu32 "; the first ", a->n_children, b->n_children);
    skep_buf_text(&text, i == a->n_children ? "lacks " : "also has ");
    print_column(i == a->n_children ? b : a, i, &text);
  } else {
    skep_buf_printf(&text, "column %" PRIu32 " is ", i + 1);
    print_column(a, i, &text);
    skep_buf_text(&text, " and ");
    print_column(b, i, &text);
  }
  char quoted[2][200];
  skep_status status =
      skep_fail(err, SKEP_ERR_ARGUMENT, "%s and %s have different schemas: %s",
                skep_quote(quoted[0], sizeof quoted[0], path_a, strlen(path_a)),
                skep_quote(quoted[1], sizeof quoted[1], path_b, strlen(path_b)), skep_buf_string(&text));
  skep_buf_fini(&text);
  return status;
}

static skep_status table_from_files(skep_planner *p, skep_err *err) {
  uint32_t first = 0;
  for (uint32_t i = 0; i < p->n_paths; i++) {
    const skep_type *type;
    SKEP_TRY(type_of_path(p, i, &type, err));
    if (type == NULL) continue;
    if (p->table == NULL) {
      p->table = type;
      first = i;
    } else if (!skep_type_equal(p->table, type)) {
      return schemas_differ(p, p->paths[first], p->table, p->paths[i], type, err);
    }
  }
  return SKEP_OK;
}

/* With a given schema one file of each path is still looked at: another format is better said before anything is
 * delivered. */
static skep_status check_formats(skep_planner *p, skep_err *err) {
  for (uint32_t i = 0; i < p->n_paths; i++) {
    candidate best = {.quality = -1};
    for (size_t u = 0; u < p->n_units && best.type == NULL; u++) {
      const skep_plan_unit *unit = &p->units[u];
      int budget = 1;
      if (unit->path_index != i) continue;
      if (unit->layout == NULL) {
        SKEP_TRY(consider(p, unit->root, unit->size_bytes, false, &best, err));
      } else {
        SKEP_TRY(consider_unit(p, unit, &best, &budget, err));
      }
    }
  }
  return SKEP_OK;
}

/* --- Projection, predicate, what batches have --- */

static skep_status empty_struct(skep_planner *p, const skep_type **out, skep_err *err) {
  static const skep_type row = {.kind = SKEP_STRUCT};
  return skep_type_make(p->arena, &row, NULL, NULL, 0, out, err);
}

static int64_t partition_column(const skep_planner *p, const char *name) {
  return skep_type_child(p->partitions, name, strlen(name), true);
}

/* Adds the names that there are to a message about one that there is not. */
static skep_status tell_columns(const skep_planner *p, skep_status status, skep_err *err) {
  if (status != SKEP_ERR_ARGUMENT || err == NULL || p->table->kind != SKEP_STRUCT) return status;
  const skep_type *const both[] = {p->table, p->partitions};
  char list[400], name[100], message[500];
  size_t at = 0;
  bool all = true;
  for (int i = 0; i < 2; i++) {
    for (uint32_t c = 0; c < both[i]->n_children && all; c++) {
      skep_quote(name, sizeof name, both[i]->names[c], strlen(both[i]->names[c]));
      all = strlen(name) + 8 < sizeof list - at;
      at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", at == 0 ? "" : ", ", all ? name : "...");
    }
  }
  snprintf(message, sizeof message, "%s", err->text);
  return at == 0 ? status : skep_fail(err, status, "%s (there are %s)", message, list);
}

static bool names_unknown_column(const skep_planner *p, const skep_pred *pred) {
  for (uint32_t i = 0; i < pred->n_children; i++) {
    if (names_unknown_column(p, pred->children[i])) return true;
  }
  if (pred->path_length == 0) return false;
  return skep_type_child(p->table, pred->names[0], strlen(pred->names[0]), true) < 0 &&
         partition_column(p, pred->names[0]) < 0;
}

/* Marks the partition columns that a predicate names. */
static void mark_predicate(const skep_planner *p, const skep_pred *pred, bool *wanted) {
  for (uint32_t i = 0; i < pred->n_children; i++) mark_predicate(p, pred->children[i], wanted);
  if (pred->path_length == 0) return;
  int64_t at = partition_column(p, pred->names[0]);
  if (at >= 0) wanted[at] = true;
}

/* Checks names and literals of the predicate against all columns, so that a mistake is said once and early. */
static skep_status check_predicate(skep_planner *p, skep_err *err) {
  if (p->predicate == NULL || p->has_no_columns) return SKEP_OK;
  if (p->table->kind != SKEP_STRUCT)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "the rows have no columns that a predicate could name");
  skep_split all = {.table = p->table,
                    .columns = p->table,
                    .partition_columns = p->partitions,
                    .n_partition_columns = p->partitions->n_children};
  const skep_type *row;
  const skep_pred *bound;
  SKEP_TRY(skep_split_type(p->arena, &all, &row, err));
  skep_status status = skep_pred_bind(p->arena, p->predicate, row, &bound, err);
  if (status != SKEP_OK) return names_unknown_column(p, p->predicate) ? tell_columns(p, status, err) : status;
  skep_buf text;
  skep_buf_init(&text, p->ctx, 1 << 24);
  skep_pred_print(p->predicate, &text);
  status = skep_buf_check(&text, "predicate", err);
  if (status == SKEP_OK) {
    p->common.predicate = skep_buf_copy(&text, p->arena);
    if (p->common.predicate == NULL) status = skep_plan_no_memory(err);
  }
  skep_buf_fini(&text);
  return status;
}

/* Splits the projection into table columns and partition columns. */
static skep_status project(skep_planner *p, bool *wanted_partitions, skep_err *err) {
  const skep_plan_opts *opts = p->opts;
  p->columns = p->table;
  if (opts->n_columns == 0) {
    for (uint32_t i = 0; i < p->partitions->n_children; i++) wanted_partitions[i] = true;
    return SKEP_OK;
  }
  if (p->table->kind != SKEP_STRUCT)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "the rows are %s and have no columns to choose from",
                     skep_kind_name(p->table->kind));
  const char **paths = skep_arena_zero(p->arena, opts->n_columns, sizeof *paths);
  if (paths == NULL) return skep_plan_no_memory(err);
  uint32_t n = 0;
  for (uint32_t i = 0; i < opts->n_columns; i++) {
    int64_t at = partition_column(p, opts->columns[i]);
    if (at >= 0) {
      wanted_partitions[at] = true;
    } else {
      paths[n++] = opts->columns[i];
    }
  }
  if (p->has_no_columns) n = 0;
  if (n == 0) return empty_struct(p, &p->columns, err);
  return tell_columns(p, skep_type_prune(p->arena, p->table, paths, n, &p->columns, err), err);
}

/* The partition columns that splits carry: those delivered, then those that only the predicate names. */
static skep_status choose_partitions(skep_planner *p, const bool *delivered, const bool *named, skep_err *err) {
  uint32_t n = p->partitions->n_children, kept = 0;
  const skep_type **types = skep_arena_zero(p->arena, (size_t)n + 1, sizeof *types);
  const char **names = skep_arena_zero(p->arena, (size_t)n + 1, sizeof *names);
  if (types == NULL || names == NULL) return skep_plan_no_memory(err);
  for (int pass = 0; pass < 2; pass++) {
    for (uint32_t i = 0; i < n; i++) {
      if (pass == 0 ? !delivered[i] : delivered[i] || !named[i]) continue;
      types[kept] = p->partitions->children[i];
      names[kept++] = p->partitions->names[i];
    }
    if (pass == 0) p->common.n_partition_columns = kept;
  }
  p->common.n_partition_values = kept;
  if (kept == 0) return SKEP_OK;
  static const skep_type row = {.kind = SKEP_STRUCT};
  return skep_type_make(p->arena, &row, types, names, kept, &p->common.partition_columns, err);
}

static skep_status settle(skep_planner *p, skep_err *err) {
  size_t n = (size_t)p->partitions->n_children + 1;
  bool *delivered = skep_arena_zero(p->arena, n, sizeof *delivered),
       *named = skep_arena_zero(p->arena, n, sizeof *named);
  if (delivered == NULL || named == NULL) return skep_plan_no_memory(err);
  SKEP_TRY(check_predicate(p, err));
  SKEP_TRY(project(p, delivered, err));
  if (p->predicate != NULL) mark_predicate(p, p->predicate, named);
  SKEP_TRY(choose_partitions(p, delivered, named, err));
  p->common.table = p->table;
  p->common.columns = p->columns;
  if (p->table->kind != SKEP_STRUCT && (p->common.row_ids || p->common.partition_columns != NULL))
    return skep_fail(err, SKEP_ERR_ARGUMENT, "rows that are %s cannot have row ids or partition columns",
                     skep_kind_name(p->table->kind));
  p->plan->columns = p->table;
  return skep_split_type(p->arena, &p->common, &p->plan->type, err);
}

static skep_status check_names(const skep_planner *p, skep_err *err) {
  for (uint32_t i = 0; i < p->partitions->n_children; i++) {
    const char *name = p->partitions->names[i];
    char quoted[128];
    if (skep_type_child(p->table, name, strlen(name), true) < 0) continue;
    return skep_fail(err, SKEP_ERR_ARGUMENT,
                     "\"%s\" is a column of the files and also the name of partition directories",
                     skep_quote(quoted, sizeof quoted, name, strlen(name)));
  }
  return SKEP_OK;
}

/* Everything was filtered away, or the snapshot sees nothing: the columns are those of files that are not read. What
 * cannot be read there is not asked for either. */
static skep_status table_from_other_files(skep_planner *p, skep_err *err) {
  size_t n = p->n_units;
  skep_err other;
  skep_status status = skep_plan_walk_for_types(p, &other);
  if (status == SKEP_OK) status = table_from_files(p, &other);
  for (size_t i = n; i < p->n_units; i++) skep_layout_free(p->units[i].layout);
  p->n_units = n;
  if (status == SKEP_OK) return SKEP_OK;
  p->table = NULL;
  return status == SKEP_ERR_CORRUPT || status == SKEP_ERR_IO ? SKEP_OK : skep_fail(err, status, "%s", other.text);
}

/* Without a file that holds rows there are no rows either: what is asked of the unknown columns cannot matter. But
 * where names were not understood there may well be rows. */
static skep_status settle_without_columns(skep_planner *p, skep_err *err) {
  if (p->n_unknown_names != 0)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "no data file tells the columns: a schema must be given (%s: %s)",
                     p->notices[0].path, p->notices[0].text);
  p->has_no_columns = true;
  SKEP_TRY(empty_struct(p, &p->table, err));
  return skep_plan_notify(p, p->paths[0], "no rows, and no file says what the columns are", err);
}

skep_status skep_plan_types(skep_planner *p, skep_err *err) {
  SKEP_TRY(p->table == NULL ? table_from_files(p, err) : check_formats(p, err));
  if (p->table == NULL && p->n_unknown_names == 0) SKEP_TRY(table_from_other_files(p, err));
  if (p->table == NULL) SKEP_TRY(settle_without_columns(p, err));
  if (p->partitions == NULL) SKEP_TRY(empty_struct(p, &p->partitions, err));
  SKEP_TRY(check_names(p, err));
  return settle(p, err);
}

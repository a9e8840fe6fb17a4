/* Which column of a file feeds which node of the wanted type; pruning of types. Source: ORC Java SchemaEvolution. */
#include "orc/evolution.h"

#include "orc/convert.h"

typedef struct mapper {
  const skep_orc_tail *tail;
  const skep_orc_evolution *how;
  uint32_t *file_column;
  bool *converts;
  bool *wanted;
} mapper;

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static bool same_ignoring_case(const char *a, const char *b) {
  for (; *a != 0 && lower(*a) == lower(*b); a++, b++) {
  }
  return *a == 0 && *b == 0;
}

/* The exact name first; else, ignoring case, the last one (as ORC Java's look-up table keeps it). */
static int64_t find_name(const skep_type *type, const char *name, bool match_case) {
  int64_t found = -1;
  for (uint32_t i = 0; i < type->n_children; i++) {
    if (strcmp(type->names[i], name) == 0) return i;
    if (!match_case && same_ignoring_case(type->names[i], name)) found = i;
  }
  return found;
}

/* Hive before HIVE-4243 wrote _col0, _col1, ... instead of the table's names. */
static bool has_no_names(const skep_type *type) {
  for (uint32_t i = 0; i < type->n_children; i++) {
    const char *name = type->names[i];
    if (strncmp(name, "_col", 4) != 0 || name[4] == 0) return false;
    for (const char *at = name + 4; *at != 0; at++)
      if (*at < '0' || *at > '9') return false;
  }
  return true;
}

static bool same_leaf(const skep_type *a, const skep_type *b) {
  return a->kind == b->kind && a->precision == b->precision && a->scale == b->scale && a->length == b->length;
}

static skep_status refuse(const mapper *m, const skep_type *file, const skep_type *target, skep_err *err) {
  skep_buf from, to;
  char from_text[128], to_text[128];
  skep_buf_init(&from, m->tail->ctx, 1 << 16);
  skep_buf_init(&to, m->tail->ctx, 1 << 16);
  skep_type_print(file, &from);
  skep_type_print(target, &to);
  skep_status st = skep_fail(err, SKEP_ERR_ARGUMENT, "column %u of type %s cannot be read as %s", file->id,
                             skep_quote(from_text, sizeof from_text, from.data, from.size),
                             skep_quote(to_text, sizeof to_text, to.data, to.size));
  skep_buf_fini(&from);
  skep_buf_fini(&to);
  return st;
}

static skep_status map_node(mapper *m, const skep_type *target, const skep_type *file, const skep_type *table,
                            unsigned levels, skep_err *err);

/* Where a field of the target stands in the file, or -1. */
static int64_t find_field(const mapper *m, const skep_type *target, uint32_t i, const skep_type *file,
                          const skep_type *table, bool by_position) {
  if (!by_position) return find_name(file, target->names[i], m->how->match_case);
  int64_t at = i;
  if (table != NULL && table->kind == SKEP_STRUCT) at = find_name(table, target->names[i], false);
  return at < (int64_t)file->n_children ? at : -1;
}

static skep_status map_struct(mapper *m, const skep_type *target, const skep_type *file, const skep_type *table,
                              unsigned levels, skep_err *err) {
  for (uint32_t i = 0; i < target->n_children; i++) {
    int64_t at = find_field(m, target, i, file, table, levels > 0);
    if (at < 0) continue;
    const skep_type *below = NULL;
    if (table != NULL && table->kind == SKEP_STRUCT) {
      int64_t in_table = find_name(table, target->names[i], false);
      if (in_table >= 0) below = table->children[in_table];
    }
    SKEP_TRY(map_node(m, target->children[i], file->children[at], below, levels > 0 ? levels - 1 : 0, err));
  }
  return SKEP_OK;
}

/* The six columns of an ACID file, by name whatever the case; levels are counted from the struct `row`. */
static skep_status map_acid_root(mapper *m, const skep_type *target, const skep_type *file, skep_err *err) {
  m->file_column[target->id] = file->id;
  m->wanted[file->id] = true;
  for (uint32_t i = 0; i < target->n_children; i++) {
    int64_t at = find_name(file, target->names[i], false);
    if (at < 0) continue;
    const skep_type *child = file->children[at];
    unsigned levels = m->how->positional_levels;
    if (child->kind == SKEP_STRUCT && levels == 0 && has_no_names(child)) levels = 1;
    bool is_row = same_ignoring_case(target->names[i], "row");
    SKEP_TRY(map_node(m, target->children[i], child, is_row ? m->how->table : NULL, is_row ? levels : 0, err));
  }
  return SKEP_OK;
}

/* What is not encrypted of such a column is masked: not the data. */
static skep_status refuse_encrypted(const skep_orc_tail *tail, uint32_t id, skep_err *err) {
  char quoted[128];
  for (uint32_t parent = id; parent-- > 0;) { /* ids are in pre-order: the parent's is smaller */
    const skep_type *type = &tail->type[parent];
    for (uint32_t i = 0; type->kind == SKEP_STRUCT && i < type->n_children; i++)
      if (type->children[i]->id == id)
        return skep_fail(err, SKEP_ERR_UNSUPPORTED,
                         "column %u (\"%s\") is encrypted and cannot be read without its key", id,
                         skep_quote(quoted, sizeof quoted, type->names[i], strlen(type->names[i])));
  }
  return skep_fail(err, SKEP_ERR_UNSUPPORTED, "column %u is encrypted and cannot be read without its key", id);
}

static skep_status map_node(mapper *m, const skep_type *target, const skep_type *file, const skep_type *table,
                            unsigned levels, skep_err *err) {
  if (m->tail->is_encrypted[file->id]) return refuse_encrypted(m->tail, file->id, err);
  if (!skep_kind_is_nested(target->kind) || target->kind != file->kind) {
    bool same = same_leaf(target, file);
    if (!same && !skep_orc_can_convert(file, target)) return refuse(m, file, target, err);
    m->converts[target->id] = !same;
  } else if (target->kind == SKEP_STRUCT) {
    SKEP_TRY(map_struct(m, target, file, table, levels, err));
  } else {
    if (target->n_children != file->n_children) return refuse(m, file, target, err);
    for (uint32_t i = 0; i < target->n_children; i++)
      SKEP_TRY(map_node(m, target->children[i], file->children[i], NULL, levels > 0 ? levels - 1 : 0, err));
  }
  m->file_column[target->id] = file->id;
  m->wanted[file->id] = true;
  return SKEP_OK;
}

static skep_status map_same(mapper *m, uint32_t n, skep_err *err) {
  for (uint32_t id = 0; id < n; id++) {
    if (m->tail->is_encrypted[id]) return refuse_encrypted(m->tail, id, err);
    m->file_column[id] = id;
    m->wanted[id] = true;
  }
  return SKEP_OK;
}

static skep_status map_all(mapper *m, const skep_type *target, skep_err *err) {
  const skep_type *file = m->tail->type;
  if (target == file) return map_same(m, file->max_id + 1, err);
  if (m->how->is_acid && target->kind == SKEP_STRUCT && file->kind == SKEP_STRUCT)
    return map_acid_root(m, target, file, err);
  unsigned levels = m->how->positional_levels;
  if (levels == 0 && file->kind == SKEP_STRUCT && has_no_names(file)) levels = 1;
  return map_node(m, target, file, m->how->table, levels, err);
}

skep_status skep_orc_mapping_make(skep_arena *arena, const skep_orc_tail *tail, const skep_type *target,
                                  const skep_orc_evolution *how, const skep_orc_mapping **out, skep_err *err) {
  static const skep_orc_evolution by_name = {0};
  *out = NULL;
  if (target == NULL) target = tail->type;
  uint32_t n_target = target->max_id + 1, n_file = tail->type->max_id + 1;
  skep_orc_mapping *mapping = skep_arena_zero(arena, 1, sizeof *mapping);
  mapper m = {.tail = tail,
              .how = how == NULL ? &by_name : how,
              .file_column = skep_arena_alloc(arena, n_target * sizeof(uint32_t)),
              .converts = skep_arena_zero(arena, n_target, sizeof(bool)),
              .wanted = skep_arena_zero(arena, n_file, sizeof(bool))};
  if (mapping == NULL || m.file_column == NULL || m.converts == NULL || m.wanted == NULL)
    return skep_fail(err, SKEP_ERR_NOMEM, "column mapping");
  for (uint32_t i = 0; i < n_target; i++) m.file_column[i] = SKEP_ORC_MISSING;
  SKEP_TRY(map_all(&m, target, err));
  *mapping = (skep_orc_mapping){.target = target,
                                .file_column = m.file_column,
                                .converts = m.converts,
                                .wanted = m.wanted,
                                .old_conversions = m.how->old_conversions};
  *out = mapping;
  return SKEP_OK;
}

/* ---- pruning ---- */

/* Whether `path` starts with a step called `name`: the length of the step with its dot, 0 if not. */
static size_t step_length(const char *path, const char *name) {
  size_t n = strlen(name);
  for (size_t i = 0; i < n; i++)
    if (lower(path[i]) != lower(name[i])) return 0; /* also at the end of path */
  if (path[n] == 0) return n;
  return path[n] == '.' ? n + 1 : 0;
}

static const char *child_name(const skep_type *type, uint32_t i) {
  if (type->kind == SKEP_STRUCT) return type->names[i];
  if (type->kind == SKEP_LIST) return "element";
  return type->kind == SKEP_MAP ? (i == 0 ? "key" : "value") : "";
}

static void mark_subtree(const skep_type *type, bool *wanted) {
  for (uint32_t id = type->id; id <= type->max_id; id++) wanted[id] = true;
}

/* A name may hold dots itself, so every child whose name fits is tried. */
static bool mark_path(const skep_type *type, const char *path, bool *wanted) {
  if (*path == 0) {
    mark_subtree(type, wanted);
    return true;
  }
  for (uint32_t i = 0; i < type->n_children; i++) {
    size_t n = type->kind == SKEP_UNION ? 0 : step_length(path, child_name(type, i));
    if (n == 0 || !mark_path(type->children[i], path + n, wanted)) continue;
    wanted[type->id] = true;
    if (type->kind == SKEP_MAP) mark_subtree(type->children[0], wanted); /* values mean nothing without their keys */
    return true;
  }
  return false;
}

static skep_status rebuild(skep_arena *arena, const skep_type *type, const bool *wanted, const skep_type **out,
                           skep_err *err) {
  uint32_t n = 0;
  const skep_type **children = skep_arena_zero(arena, type->n_children + 1, sizeof *children);
  const char **names = skep_arena_zero(arena, type->n_children + 1, sizeof *names);
  if (children == NULL || names == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "pruned type");
  for (uint32_t i = 0; i < type->n_children; i++) {
    bool keep = wanted[type->children[i]->id] || type->kind != SKEP_STRUCT;
    if (!keep) continue;
    SKEP_TRY(rebuild(arena, type->children[i], wanted, &children[n], err));
    if (type->kind == SKEP_STRUCT) names[n] = type->names[i];
    n++;
  }
  return skep_type_make(arena, type, children, type->kind == SKEP_STRUCT ? names : NULL, n, out, err);
}

skep_status skep_type_prune(skep_arena *arena, const skep_type *type, const char *const *paths, uint32_t n_paths,
                            const skep_type **out, skep_err *err) {
  char text[128];
  *out = NULL;
  bool *wanted = skep_arena_zero(arena, type->max_id + 1, sizeof *wanted);
  if (wanted == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "pruned type");
  wanted[0] = true;
  for (uint32_t i = 0; i < n_paths; i++)
    if (paths[i][0] == 0 || !mark_path(type, paths[i], wanted))
      return skep_fail(err, SKEP_ERR_ARGUMENT, "no column %s",
                       skep_quote(text, sizeof text, paths[i], strlen(paths[i])));
  return rebuild(arena, type, wanted, out, err);
}

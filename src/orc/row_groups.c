/* Which stripes and row groups can hold a row that satisfies the predicate.
 *
 * Statistics are handed to the search argument only where they speak of the values the reader will show: columns that
 * are converted say nothing, days and seconds are brought into the proleptic calendar first, and a field of a struct
 * may be NULL where its parent is, which its own statistics do not count. */
#include "orc/row_groups.h"

/* What is known of one column of the predicate in the stripe at hand. */
typedef struct known_column {
  uint32_t column;
  uint32_t n_groups, n_blooms;
  const skep_orc_row_group *groups;
  const skep_orc_bloom *blooms;
} known_column;

typedef struct question {
  const skep_orc_chooser *ch;
  const skep_orc_stats *stripe_stats; /* by column; NULL: ask the columns below */
  uint64_t n_rows;
  uint64_t group;
  const known_column *columns;
  uint32_t n_columns;
  skep_orc_stats stats; /* the answer, adjusted */
} question;

enum { CUTOVER_SECONDS_PER_DAY = 86400 };

/* The column of the file that a leaf reads: SKEP_ORC_MISSING when there is none; *known false when its values and its
 * statistics differ or do not belong to rows one to one. */
static uint32_t column_of(const skep_orc_chooser *ch, const skep_pred *leaf, bool *known) {
  const skep_type *node = ch->root;
  *known = false;
  for (uint32_t i = 0; i < leaf->path_length; i++) {
    if (node->kind != SKEP_STRUCT || leaf->path == NULL || leaf->path[i] >= node->n_children) return SKEP_ORC_MISSING;
    node = node->children[leaf->path[i]];
    if (ch->mapping->file_column[node->id] == SKEP_ORC_MISSING) {
      *known = true;
      return SKEP_ORC_MISSING;
    }
  }
  *known = !skep_kind_is_nested(node->kind) && !ch->mapping->converts[node->id];
  return ch->mapping->file_column[node->id];
}

static void adjust_date(skep_orc_stats *s) {
  s->min.i64 = skep_days_hybrid_to_proleptic(s->min.i64);
  s->max.i64 = skep_days_hybrid_to_proleptic(s->max.i64);
}

static int64_t seconds_to_proleptic(int64_t seconds) {
  int64_t day = seconds / CUTOVER_SECONDS_PER_DAY, rest = seconds % CUTOVER_SECONDS_PER_DAY;
  if (rest < 0) day--, rest += CUTOVER_SECONDS_PER_DAY;
  return skep_days_hybrid_to_proleptic(day) * CUTOVER_SECONDS_PER_DAY + rest;
}

/* A timestamp in the second before 1970 is read back one second later than it was written; allow for that. */
static void adjust_ts(skep_orc_stats *s, bool hybrid) {
  s->max.ts.seconds++;
  if (!hybrid) return;
  s->min.ts.seconds = seconds_to_proleptic(s->min.ts.seconds);
  s->max.ts.seconds = seconds_to_proleptic(s->max.ts.seconds);
}

static void adjust(const skep_orc_chooser *ch, const skep_pred *leaf, skep_orc_stats *s) {
  if (s->kind == SKEP_ORC_STATS_DATE && ch->hybrid) adjust_date(s);
  if (s->kind == SKEP_ORC_STATS_TS) adjust_ts(s, ch->hybrid);
  if (leaf->path_length > 1) s->has_null = s->has_null_known = true;
}

/* Days and seconds in a bloom filter cannot be converted: it is used only where both calendars agree. */
static bool bloom_speaks(const skep_orc_chooser *ch, const skep_orc_stats *s, const skep_type *type) {
  if (type->kind == SKEP_DATE) return !ch->hybrid || (s->has_min && s->min.i64 >= SKEP_GREGORIAN_START_DAY);
  if (type->kind == SKEP_TIMESTAMP) return s->kind == SKEP_ORC_STATS_TS && s->has_min && s->min.ts.seconds > 0;
  return true;
}

static bool find_evidence(void *self, const skep_pred *leaf, skep_orc_evidence *out, bool *known) {
  question *q = self;
  uint32_t column = column_of(q->ch, leaf, known);
  *out = (skep_orc_evidence){.n_rows = q->n_rows};
  if (column == SKEP_ORC_MISSING) return !*known;
  if (!*known) return true;
  const skep_orc_stats *stats = NULL;
  if (q->stripe_stats != NULL) {
    stats = &q->stripe_stats[column];
  } else {
    for (uint32_t i = 0; i < q->n_columns; i++) {
      const known_column *k = &q->columns[i];
      if (k->column != column) continue;
      if (q->group < k->n_groups) stats = &k->groups[q->group].stats;
      if (q->group < k->n_blooms && k->blooms[q->group].n_words > 0) out->bloom = &k->blooms[q->group];
    }
  }
  if (stats == NULL) {
    *known = false;
    return true;
  }
  if (out->bloom != NULL && !bloom_speaks(q->ch, stats, leaf->type)) out->bloom = NULL;
  q->stats = *stats;
  adjust(q->ch, leaf, &q->stats);
  out->stats = &q->stats;
  return true;
}

bool skep_orc_choose_stripe(const skep_orc_chooser *ch, uint32_t stripe) {
  if (ch->predicate == NULL) return true;
  const skep_orc_stats *stats = NULL;
  if (ch->tail->stripe_stats != NULL) stats = ch->tail->stripe_stats[stripe];
  if (stats == NULL && ch->tail->n_stripes == 1) stats = ch->tail->file_stats;
  if (stats == NULL) return true;
  question q = {.ch = ch, .stripe_stats = stats, .n_rows = ch->tail->stripes[stripe].n_rows};
  return skep_orc_sarg_may_match(ch->predicate, find_evidence, &q);
}

static uint32_t count_leaves(const skep_pred *p) {
  uint32_t n = p->op > SKEP_PRED_NOT && p->op != SKEP_PRED_CONST;
  for (uint32_t i = 0; i < p->n_children; i++) n += count_leaves(p->children[i]);
  return n;
}

typedef struct loader {
  const skep_orc_chooser *ch;
  skep_orc_access *access;
  skep_arena *arena;
  skep_orc_stripe_dir *dir;
  known_column *columns;
  uint32_t n_columns;
} loader;

static skep_status load_leaf(loader *l, const skep_pred *leaf, skep_err *err) {
  bool known;
  uint32_t column = column_of(l->ch, leaf, &known);
  if (!known || column == SKEP_ORC_MISSING) return SKEP_OK;
  for (uint32_t i = 0; i < l->n_columns; i++)
    if (l->columns[i].column == column) return SKEP_OK;
  known_column *k = &l->columns[l->n_columns++];
  k->column = column;
  SKEP_TRY(skep_orc_stripe_row_index(l->access, l->arena, l->dir, column, &k->n_groups, &k->groups, err));
  return skep_orc_stripe_blooms(l->access, l->arena, l->dir, column, &k->n_blooms, &k->blooms, err);
}

static skep_status load_leaves(loader *l, const skep_pred *p, skep_err *err) {
  for (uint32_t i = 0; i < p->n_children; i++) SKEP_TRY(load_leaves(l, p->children[i], err));
  if (p->op > SKEP_PRED_NOT && p->op != SKEP_PRED_CONST) return load_leaf(l, p, err);
  return SKEP_OK;
}

skep_status skep_orc_choose_groups(const skep_orc_chooser *ch, skep_orc_access *a, skep_arena *arena,
                                   skep_orc_stripe_dir *dir, bool **chosen, uint64_t *n_chosen, skep_err *err) {
  uint64_t n_groups = skep_orc_stripe_groups(ch->tail, dir->stripe);
  *chosen = NULL;
  *n_chosen = n_groups;
  if (ch->predicate == NULL || n_groups == 0) return SKEP_OK;
  loader l = {.ch = ch, .access = a, .arena = arena, .dir = dir};
  l.columns = skep_arena_zero(arena, count_leaves(ch->predicate) + 1, sizeof *l.columns);
  if (l.columns == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "row index");
  SKEP_TRY(load_leaves(&l, ch->predicate, err));
  uint64_t n_known = 0; /* the claimed number of rows may be absurd: go by what the index holds */
  for (uint32_t i = 0; i < l.n_columns; i++)
    n_known = l.columns[i].n_groups > n_known ? l.columns[i].n_groups : n_known;
  if (n_known != n_groups) return SKEP_OK;
  bool *marks = skep_arena_zero(arena, (size_t)n_groups, sizeof *marks);
  if (marks == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "row groups");
  *n_chosen = 0;
  uint64_t stride = ch->tail->row_index_stride;
  for (uint64_t g = 0; g < n_groups; g++) {
    uint64_t left = dir->stripe->n_rows - g * stride;
    question q = {
        .ch = ch, .n_rows = left < stride ? left : stride, .group = g, .columns = l.columns, .n_columns = l.n_columns};
    marks[g] = skep_orc_sarg_may_match(ch->predicate, find_evidence, &q);
    *n_chosen += marks[g];
  }
  if (*n_chosen < n_groups) *chosen = marks;
  return SKEP_OK;
}

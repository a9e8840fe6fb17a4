/* The door of planning: options in, plan out; what kind of table it is. */
#include "acid/plan.h"

#include <inttypes.h>

#include "acid/plan_int.h"

const char *skep_plan_join(skep_planner *p, const char *a, const char *b) {
  size_t n_a = strlen(a), n_b = strlen(b);
  bool slash = n_a != 0 && n_b != 0 && a[n_a - 1] != '/';
  char *text = skep_arena_alloc(p->arena, n_a + n_b + 2);
  if (text == NULL) return NULL;
  memcpy(text, a, n_a);
  if (slash) text[n_a] = '/';
  memcpy(text + n_a + slash, b, n_b + 1);
  return text;
}

skep_status skep_plan_no_memory(skep_err *err) { return skep_fail(err, SKEP_ERR_NOMEM, "planning a scan"); }

skep_status skep_plan_notify(skep_planner *p, const char *path, const char *text, skep_err *err) {
  char quoted[1024];
  if (path == NULL) return skep_plan_no_memory(err);
  SKEP_TRY(skep_grow(p->ctx, (void **)&p->notices, &p->notices_capacity, p->n_notices + 1, sizeof *p->notices, err));
  skep_quote(quoted, sizeof quoted, path, strlen(path));
  skep_plan_notice notice = {.path = skep_arena_strndup(p->arena, quoted, strlen(quoted)),
                             .text = skep_arena_strndup(p->arena, text, strlen(text))};
  if (notice.path == NULL || notice.text == NULL) return skep_plan_no_memory(err);
  p->notices[p->n_notices++] = notice;
  return SKEP_OK;
}

static skep_status parse_struct(skep_planner *p, const char *text, const char *what, const skep_type **out,
                                skep_err *err) {
  skep_status status = skep_type_parse(p->arena, text, strlen(text), out, err);
  if (status != SKEP_OK) return skep_wrap(err, status, "%s", what);
  if ((*out)->kind == SKEP_STRUCT) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_ARGUMENT, "%s: expected struct<...>, found %s", what, skep_kind_name((*out)->kind));
}

static skep_status parse_options(skep_planner *p, skep_err *err) {
  const skep_plan_opts *opts = p->opts;
  if (p->n_paths == 0 && opts->roots == NULL) return skep_fail(err, SKEP_ERR_ARGUMENT, "no path to read");
  if (opts->roots != NULL && (p->n_paths != 0 || opts->schema == NULL))
    return skep_fail(err, SKEP_ERR_ARGUMENT, "known partition roots come with a schema and without paths");
  if (opts->schema != NULL) SKEP_TRY(parse_struct(p, opts->schema, "schema", &p->table, err));
  if (opts->partition_schema != NULL)
    SKEP_TRY(parse_struct(p, opts->partition_schema, "partition schema", &p->partitions, err));
  for (uint32_t i = 0; p->partitions != NULL && i < p->partitions->n_children; i++) {
    if (skep_kind_is_nested(p->partitions->children[i]->kind))
      return skep_fail(err, SKEP_ERR_ARGUMENT,
                       "partition schema: column %" PRIu32 " is %s, partition columns are primitive", i + 1,
                       skep_kind_name(p->partitions->children[i]->kind));
  }
  if (opts->predicate == NULL) return SKEP_OK;
  skep_status status = skep_pred_parse(p->arena, opts->predicate, strlen(opts->predicate), &p->predicate, err);
  return status == SKEP_OK ? SKEP_OK : skep_wrap(err, status, "predicate");
}

/* What the names of used directories and files say. Raw files alone are an insert-only table, a full-ACID one that was
 * only loaded into, or a converted one: the rows are the same, only row ids tell them apart. */
static skep_status classify(skep_planner *p, skep_err *err) {
  const skep_snapshot *s = &p->opts->snapshot;
  bool has_events = false, has_raw = false, has_files = false;
  for (size_t i = 0; i < p->n_units; i++) {
    const skep_layout *layout = p->units[i].layout;
    has_files = has_files || layout == NULL;
    if (layout == NULL) continue;
    p->plan->is_transactional = p->plan->is_transactional || layout->is_transactional_layout;
    skep_layout_rows rows = skep_layout_rows_of(layout);
    has_events = has_events || rows.with_ids;
    has_raw = has_raw || rows.without_ids;
  }
  if (p->opts->row_ids && p->opts->insert_only)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "rows of insert-only tables have no row ids");
  if (p->opts->row_ids && has_files) return skep_fail(err, SKEP_ERR_ARGUMENT, "rows of single files have no row ids");
  if (p->opts->row_ids && !p->plan->is_transactional && s->everything && has_raw)
    return skep_fail(
        err, SKEP_ERR_ARGUMENT,
        "a table without base and delta directories has no row ids (of one that was made transactional they can be "
        "had: give its snapshot)");
  p->is_acid = !p->opts->insert_only && (has_events || p->opts->row_ids);
  p->plan->is_full_acid = p->is_acid;
  p->plan->is_v1 = p->is_acid && s->write_ids_are_txns;
  if (p->is_acid) p->plan->is_transactional = true;
  if (!p->plan->is_transactional || !s->everything) return SKEP_OK;
  const char *path = p->n_paths != 0 ? p->paths[0] : p->opts->roots[0].path;
  return skep_plan_notify(p, path, "no snapshot is given: everything on disk counts as committed", err);
}

static void set_common(skep_planner *p) {
  const skep_plan_opts *opts = p->opts;
  bool by_name = opts->evolution_by_name < 0 ? opts->hive != SKEP_HIVE_4 : opts->evolution_by_name != 0;
  p->common = (skep_split){.hive = opts->hive,
                           .snapshot = opts->snapshot,
                           .evolution = {.positional_levels = by_name ? 0 : 1},
                           .row_ids = opts->row_ids};
  if (opts->calendar >= 0) {
    p->common.unmarked_calendar = (skep_calendar)opts->calendar;
  } else {
    p->common.unmarked_calendar = opts->hive == SKEP_HIVE_3 ? SKEP_CALENDAR_PROLEPTIC : SKEP_CALENDAR_HYBRID;
  }
}

/* The snapshot's lists are the caller's: the plan gets its own. */
static skep_status copy_ids(skep_planner *p, const int64_t **ids, uint32_t n, skep_err *err) {
  if (n == 0) return SKEP_OK;
  int64_t *copy = skep_arena_zero(p->arena, n, sizeof *copy);
  if (copy == NULL) return skep_plan_no_memory(err);
  memcpy(copy, *ids, n * sizeof *copy);
  *ids = copy;
  return SKEP_OK;
}

static skep_status own_snapshot(skep_planner *p, skep_err *err) {
  skep_snapshot *s = &p->common.snapshot;
  SKEP_TRY(copy_ids(p, &s->write_ids.open, s->write_ids.n_open, err));
  SKEP_TRY(copy_ids(p, &s->write_ids.aborted, s->write_ids.n_aborted, err));
  SKEP_TRY(copy_ids(p, &s->txns.open, s->txns.n_open, err));
  SKEP_TRY(copy_ids(p, &s->txns.aborted, s->txns.n_aborted, err));
  if (s->table == NULL) return SKEP_OK;
  s->table = skep_arena_strndup(p->arena, s->table, strlen(s->table));
  return s->table == NULL ? skep_plan_no_memory(err) : SKEP_OK;
}

/* Growing lists become arrays of the plan. */
static skep_status hand_over(skep_planner *p, skep_err *err) {
  skep_plan *plan = p->plan;
  if (p->n_splits > UINT32_MAX || p->n_notices > UINT32_MAX)
    return skep_fail(err, SKEP_ERR_LIMIT, "%zu splits", p->n_splits);
  skep_plan_notice *notices = skep_arena_zero(p->arena, p->n_notices + 1, sizeof *notices);
  plan->splits = skep_arena_zero(p->arena, p->n_splits + 1, sizeof *plan->splits);
  if (notices == NULL || plan->splits == NULL) return skep_plan_no_memory(err);
  if (p->n_splits != 0) memcpy(plan->splits, p->splits, p->n_splits * sizeof *plan->splits);
  if (p->n_notices != 0) memcpy(notices, p->notices, p->n_notices * sizeof *notices);
  plan->n_splits = (uint32_t)p->n_splits;
  plan->notices = notices;
  plan->n_notices = (uint32_t)p->n_notices;
  return SKEP_OK;
}

static skep_status make(skep_planner *p, skep_err *err) {
  SKEP_TRY(parse_options(p, err));
  set_common(p);
  SKEP_TRY(own_snapshot(p, err));
  SKEP_TRY(skep_plan_walk(p, err));
  p->n_unknown_names = p->n_notices;
  SKEP_TRY(classify(p, err));
  SKEP_TRY(skep_plan_types(p, err));
  for (size_t i = 0; i < p->n_units; i++) {
    SKEP_TRY(skep_plan_cut(p, &p->units[i], err));
    skep_layout_free(p->units[i].layout);
    p->units[i].layout = NULL;
  }
  return hand_over(p, err);
}

skep_status skep_plan_make(const skep_ctx *ctx, skep_fs *fs, const char *const *paths, uint32_t n_paths,
                           const skep_plan_opts *opts, skep_plan **out, skep_err *err) {
  *out = NULL;
  skep_plan *plan = skep_alloc_zero(ctx, 1, sizeof *plan);
  if (plan == NULL) return skep_plan_no_memory(err);
  skep_arena_init(&plan->arena, ctx, SIZE_MAX / 2);
  skep_planner p = {
      .ctx = ctx, .fs = fs, .opts = opts, .paths = paths, .n_paths = n_paths, .plan = plan, .arena = &plan->arena};
  skep_status status = make(&p, err);
  for (size_t i = 0; i < p.n_units; i++) skep_layout_free(p.units[i].layout);
  skep_release(ctx, p.units);
  skep_release(ctx, p.notices);
  skep_release(ctx, p.splits);
  if (status != SKEP_OK) {
    skep_plan_free(plan);
    return status;
  }
  *out = plan;
  return SKEP_OK;
}

void skep_plan_free(skep_plan *plan) {
  if (plan == NULL) return;
  const skep_ctx *ctx = plan->arena.ctx;
  skep_arena_fini(&plan->arena);
  skep_release(ctx, plan);
}

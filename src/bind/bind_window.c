/* Windows: the definition behind OVER, by itself or over a named one. */
#include <string.h>

#include "bind/bind_int.h"

static const skep_window *named_window(const scope *s, const char *name) {
  for (uint32_t i = 0; s->select != NULL && i < s->select->n_windows; i++) {
    if (strcmp(s->select->windows[i].name, name) == 0) return s->select->windows[i].window;
  }
  return NULL;
}

static skep_status window_order(binding *b, scope *s, skep_order_list list, skep_bwindow *w) {
  w->order = skep_arena_zero(b->arena, list.n + 1, sizeof *w->order);
  if (w->order == NULL) return skep_bind_nomem(b);
  w->n_order = list.n;
  for (uint32_t i = 0; i < list.n; i++) {
    skep_border *order = &w->order[i];
    SKEP_TRY(skep_bind_expression(b, s, list.items[i].expr, &order->expr));
    order->descending = list.items[i].descending;
    order->nulls_first = skep_bind_nulls_first(b, &list.items[i]);
    order->output = -1;
  }
  return SKEP_OK;
}

static skep_status frame_value(binding *b, scope *s, skep_pos pos, skep_window_bound bound, skep_bx **out) {
  if (bound.value == NULL) return SKEP_OK;
  SKEP_TRY(skep_bind_expression(b, s, bound.value, out));
  const skep_bx *value = *out;
  if (value->op != SKEP_BX_CONST || value->value.is_null || !skep_rule_is_integer(value->type) ||
      value->value.i64 < 0) {
    return skep_bind_unsupported(b, pos, "a window frame bound that is no whole number");
  }
  return SKEP_OK;
}

static skep_frame_bound frame_kind(skep_bound_kind kind) {
  static const skep_frame_bound kinds[] = {[SKEP_BOUND_UNBOUNDED_PRECEDING] = SKEP_FRAME_UNBOUNDED_PRECEDING,
                                           [SKEP_BOUND_PRECEDING] = SKEP_FRAME_PRECEDING,
                                           [SKEP_BOUND_CURRENT_ROW] = SKEP_FRAME_CURRENT_ROW,
                                           [SKEP_BOUND_FOLLOWING] = SKEP_FRAME_FOLLOWING,
                                           [SKEP_BOUND_UNBOUNDED_FOLLOWING] = SKEP_FRAME_UNBOUNDED_FOLLOWING};
  return kinds[kind];
}

/* A definition over the one it names, at most one level of names at a time, bounded by the number of windows. */
static skep_status bind_over(binding *b, scope *s, skep_pos pos, const skep_window *over, uint32_t depth,
                             skep_bwindow *w) {
  if (over->base != NULL) {
    const skep_window *base = named_window(s, over->base);
    if (base == NULL || depth > 16) {
      char name[96];
      skep_quote(name, sizeof name, over->base, strlen(over->base));
      return skep_bind_fail(b, pos, 0, "Window Spec %s refers to an unknown source or to itself", name);
    }
    SKEP_TRY(bind_over(b, s, pos, base, depth + 1, w));
  }
  if (over->partition_by.n != 0) {
    w->partition = skep_arena_zero(b->arena, over->partition_by.n, sizeof *w->partition);
    if (w->partition == NULL) return skep_bind_nomem(b);
    w->n_partition = over->partition_by.n;
    for (uint32_t i = 0; i < w->n_partition; i++) {
      SKEP_TRY(skep_bind_expression(b, s, over->partition_by.items[i], &w->partition[i]));
    }
  }
  if (over->order_by.n != 0) SKEP_TRY(window_order(b, s, over->order_by, w));
  if (over->has_frame) {
    w->has_frame = true;
    w->rows = over->is_rows;
    w->start = frame_kind(over->start.kind);
    w->end = frame_kind(over->end.kind);
    SKEP_TRY(frame_value(b, s, pos, over->start, &w->start_value));
    SKEP_TRY(frame_value(b, s, pos, over->end, &w->end_value));
  }
  return SKEP_OK;
}

skep_status skep_bind_window(binding *b, scope *s, skep_pos pos, const skep_window *over, skep_bwindow *w) {
  return bind_over(b, s, pos, over, 0, w);
}

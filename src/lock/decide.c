/* The deciding part of locks: letters, conflicts, merging, cycles of waiters. No database. */
#include <stdlib.h>
#include <string.h>

#include "lock/lock.h"

static const struct {
  char letter;
  const char *name;
} lock_types[] = {
    [SKEP_LOCK_SHARED_READ] = {'r', "SHARED_READ"},
    [SKEP_LOCK_SHARED_WRITE] = {'w', "SHARED_WRITE"},
    [SKEP_LOCK_EXCL_WRITE] = {'x', "EXCL_WRITE"},
    [SKEP_LOCK_EXCLUSIVE] = {'e', "EXCLUSIVE"},
};

char skep_lock_letter(skep_lock_type type) { return lock_types[type].letter; }
const char *skep_lock_name(skep_lock_type type) { return lock_types[type].name; }

bool skep_lock_of_letter(char letter, skep_lock_type *out) {
  for (int i = 0; i <= SKEP_LOCK_EXCLUSIVE; i++) {
    if (lock_types[i].letter != letter) continue;
    *out = (skep_lock_type)i;
    return true;
  }
  return false;
}

bool skep_lock_conflicts(skep_lock_type wanted, bool wanted_on_database, skep_lock_type existing,
                         bool existing_on_database) {
  static const bool waits[4][4] = {
      /* existing:              r      w      x      e */
      [SKEP_LOCK_SHARED_READ] = {false, false, false, true},
      [SKEP_LOCK_SHARED_WRITE] = {false, false, true, true},
      [SKEP_LOCK_EXCL_WRITE] = {false, true, true, true},
      [SKEP_LOCK_EXCLUSIVE] = {true, true, true, true},
  };
  if (wanted == SKEP_LOCK_SHARED_READ && existing == SKEP_LOCK_EXCLUSIVE && wanted_on_database && !existing_on_database)
    return false;
  if (wanted == SKEP_LOCK_EXCLUSIVE && existing == SKEP_LOCK_SHARED_READ && !wanted_on_database && existing_on_database)
    return false;
  return waits[wanted][existing];
}

/* Either is missing, or both are equal. */
static bool same_or_whole(const char *a, const char *b) { return a == NULL || b == NULL || strcmp(a, b) == 0; }

bool skep_lock_overlap(const skep_lock_component *a, const skep_lock_component *b) {
  if (strcmp(a->database, b->database) != 0) return false;
  if (a->table == NULL || b->table == NULL) return true;
  return strcmp(a->table, b->table) == 0 && same_or_whole(a->partition, b->partition);
}

/* NULL before everything. */
static int compare_texts(const char *a, const char *b) {
  if (a == NULL || b == NULL) return (a != NULL) - (b != NULL);
  return strcmp(a, b);
}

static int compare_objects(const skep_lock_component *a, const skep_lock_component *b) {
  int order = strcmp(a->database, b->database);
  if (order == 0) order = compare_texts(a->table, b->table);
  return order != 0 ? order : compare_texts(a->partition, b->partition);
}

static int compare_components(const void *a, const void *b) {
  const skep_lock_component *x = a, *y = b;
  int order = compare_objects(x, y);
  return order != 0 ? order : (int)y->type - (int)x->type; /* the strongest first */
}

uint32_t skep_lock_merge(skep_lock_component *components, uint32_t n) {
  if (n == 0) return 0;
  qsort(components, n, sizeof *components, compare_components);
  uint32_t kept = 1;
  for (uint32_t i = 1; i < n; i++)
    if (compare_objects(&components[kept - 1], &components[i]) != 0) components[kept++] = components[i];
  return kept;
}

/* Whether the waiting row `a` waits for row `b`. */
static bool waits_for(const skep_lock_row *a, const skep_lock_row *b) {
  return !a->acquired && b->ext_id < a->ext_id && b->txn != a->txn && skep_lock_overlap(&a->on, &b->on) &&
         skep_lock_conflicts(a->on.type, a->on.table == NULL, b->on.type, b->on.table == NULL);
}

static int compare_i64(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* A breadth-first walk over transactions that wait for each other: found[i] was reached from found[from[i]]. */
typedef struct walk {
  int64_t *found;
  uint32_t *from;
  uint32_t n;
} walk;

static void reach(walk *w, int64_t txn, uint32_t from) {
  for (uint32_t i = 0; i < w->n; i++)
    if (w->found[i] == txn) return;
  w->found[w->n] = txn;
  w->from[w->n++] = from;
}

/* Goes one step on from found[at]; true when that leads back to found[0]. Locks outside of transactions end the way:
 * their owners hold nothing else that could be waited for. */
static bool step(walk *w, uint32_t at, const skep_lock_row *rows, uint32_t n_rows) {
  for (uint32_t i = 0; i < n_rows; i++) {
    if (rows[i].txn != w->found[at] || rows[i].acquired) continue;
    for (uint32_t j = 0; j < n_rows; j++) {
      if (rows[j].txn == 0 || !waits_for(&rows[i], &rows[j])) continue;
      if (rows[j].txn == w->found[0]) return true;
      reach(w, rows[j].txn, at);
    }
  }
  return false;
}

skep_status skep_lock_cycle(const skep_lock_row *rows, uint32_t n_rows, int64_t txn, skep_arena *arena, int64_t **txns,
                            uint32_t *n, skep_err *err) {
  *txns = NULL;
  *n = 0;
  walk w = {skep_arena_zero(arena, (size_t)n_rows + 1, sizeof *w.found),
            skep_arena_zero(arena, (size_t)n_rows + 1, sizeof *w.from), 0};
  if (w.found == NULL || w.from == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "cycle of locks");
  reach(&w, txn, 0);
  uint32_t at = 0;
  while (at < w.n && !step(&w, at, rows, n_rows)) at++;
  if (at == w.n) return SKEP_OK;
  uint32_t length = 1;
  for (uint32_t i = at; i != 0; i = w.from[i]) length++;
  int64_t *cycle = skep_arena_zero(arena, length, sizeof *cycle);
  if (cycle == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "cycle of locks");
  cycle[0] = txn;
  for (uint32_t i = at, k = 1; i != 0; i = w.from[i]) cycle[k++] = w.found[i];
  qsort(cycle, length, sizeof *cycle, compare_i64);
  *txns = cycle;
  *n = length;
  return SKEP_OK;
}

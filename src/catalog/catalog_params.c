/* Properties: sorted lists of keys and values, and what they say about a table's kind. */
#include <stdlib.h>
#include <string.h>

#include "catalog/catalog_int.h"

/* Where `key` is, or would be. */
static size_t find(const skep_catalog_params *params, const char *key, bool *found) {
  size_t low = 0, high = params->n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = strcmp(params->items[middle].key, key);
    if (order == 0) {
      *found = true;
      return middle;
    }
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  *found = false;
  return low;
}

const char *skep_catalog_param_get(const skep_catalog_params *params, const char *key) {
  bool found;
  size_t at = find(params, key, &found);
  return found ? params->items[at].value : NULL;
}

static bool equal_ignoring_case(const char *a, const char *b) {
  for (;; a++, b++) {
    char x = *a >= 'A' && *a <= 'Z' ? (char)(*a - 'A' + 'a') : *a;
    char y = *b >= 'A' && *b <= 'Z' ? (char)(*b - 'A' + 'a') : *b;
    if (x != y) return false;
    if (x == '\0') return true;
  }
}

bool skep_catalog_param_is(const skep_catalog_params *params, const char *key, const char *value) {
  const char *is = skep_catalog_param_get(params, key);
  return is != NULL && equal_ignoring_case(is, value);
}

skep_status skep_catalog_param_set(skep_arena *arena, skep_catalog_params *params, const char *key, const char *value,
                                   skep_err *err) {
  bool found;
  size_t at = find(params, key, &found), n = params->n;
  if (!found && value == NULL) return SKEP_OK;
  skep_catalog_param *items = skep_arena_zero(arena, n + 1, sizeof *items);
  if (items == NULL || !catalog_copy_text(arena, &key) || !catalog_copy_text(arena, &value)) return catalog_nomem(err);
  if (at > 0) memcpy(items, params->items, at * sizeof *items);
  size_t next = at;
  if (value != NULL) items[next++] = (skep_catalog_param){key, value};
  size_t rest = found ? at + 1 : at;
  if (rest < n) memcpy(items + next, params->items + rest, (n - rest) * sizeof *items);
  *params = (skep_catalog_params){items, next + (n - rest)};
  return SKEP_OK;
}

static int compare_keys(const void *a, const void *b) {
  return strcmp(((const skep_catalog_param *)a)->key, ((const skep_catalog_param *)b)->key);
}

void catalog_params_sort(skep_catalog_param *items, size_t n) {
  if (n > 1) qsort(items, n, sizeof *items, compare_keys);
}

bool catalog_params_copy(skep_arena *arena, skep_catalog_params *params) {
  if (params->n == 0) {
    params->items = NULL;
    return true;
  }
  skep_catalog_param *items = skep_arena_zero(arena, params->n, sizeof *items);
  if (items == NULL) return false;
  for (size_t i = 0; i < params->n; i++) {
    items[i] = params->items[i];
    if (!catalog_copy_text(arena, &items[i].key) || !catalog_copy_text(arena, &items[i].value)) return false;
  }
  params->items = items;
  return true;
}

/* Source: Hive 4.0 AcidUtils.isTransactionalTable, isInsertOnlyTable: the values in any case; anything but insert_only
 * is full ACID. */
skep_table_kind skep_catalog_kind(const char *table_type, const skep_catalog_params *params) {
  if (strcmp(table_type, "VIRTUAL_VIEW") == 0 || strcmp(table_type, "MATERIALIZED_VIEW") == 0) return SKEP_TABLE_VIEW;
  if (skep_catalog_param_is(params, "transactional", "true"))
    return skep_catalog_param_is(params, "transactional_properties", "insert_only") ? SKEP_TABLE_INSERT_ONLY
                                                                                    : SKEP_TABLE_FULL_ACID;
  return strcmp(table_type, "EXTERNAL_TABLE") == 0 ? SKEP_TABLE_EXTERNAL : SKEP_TABLE_PLAIN;
}

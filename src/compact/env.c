/* Settings, notes, and the table or partition that a queue entry means. */
#include "compact/env.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool skep_compact_bool(const skep_compact_env *env, const char *name, bool otherwise) {
  const char *text = env->config != NULL ? skep_config_get(env->config, name) : NULL;
  bool value;
  return text != NULL && skep_parse_bool(text, &value) ? value : otherwise;
}

int64_t skep_compact_int(const skep_compact_env *env, const char *name, int64_t otherwise) {
  const char *text = env->config != NULL ? skep_config_get(env->config, name) : NULL;
  int64_t value;
  return text != NULL && skep_parse_int(text, &value) ? value : otherwise;
}

int64_t skep_compact_ms(const skep_compact_env *env, const char *name, int64_t bare_unit_ms, int64_t otherwise) {
  const char *text = env->config != NULL ? skep_config_get(env->config, name) : NULL;
  int64_t value;
  return text != NULL && skep_parse_ms(text, bare_unit_ms * 1000000, &value) ? value : otherwise;
}

/* Digits, a point, digits: no locale. */
bool skep_compact_parse_double(const char *text, double *out) {
  double value = 0, unit = 1;
  bool any = false;
  while (*text == ' ') text++;
  for (; *text >= '0' && *text <= '9'; text++, any = true) value = value * 10 + (*text - '0');
  if (*text == '.') {
    for (text++; *text >= '0' && *text <= '9'; text++, any = true) value += (*text - '0') * (unit /= 10);
  }
  while (*text == ' ') text++;
  if (!any || *text != '\0') return false;
  *out = value;
  return true;
}

double skep_compact_double(const skep_compact_env *env, const char *name, double otherwise) {
  const char *text = env->config != NULL ? skep_config_get(env->config, name) : NULL;
  double value;
  return text != NULL && skep_compact_parse_double(text, &value) ? value : otherwise;
}

const char *skep_compact_threshold(const skep_catalog_table *t, const char *name) {
  char key[128];
  snprintf(key, sizeof key, "compactorthreshold.%s", name);
  return skep_catalog_param_get(&t->params, key);
}

void skep_compact_note(const skep_compact_env *env, const char *format, ...) {
  char line[1500];
  va_list args;
  if (env->say == NULL) return;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  env->say(env->say_self, line);
}

skep_status skep_compact_check(const skep_compact_env *env, skep_err *err) {
  return skep_cancel_check(env->cancel, err);
}

bool skep_compact_same_resource(const skep_compaction *a, const skep_compaction *b) {
  return strcmp(a->table, b->table) == 0 && strcmp(a->database, b->database) == 0 &&
         skep_same_text(a->partition, b->partition);
}

skep_status skep_compact_find(const skep_compact_env *env, skep_arena *arena, const char *database, const char *table,
                              const char *partition, skep_compact_target *out, skep_err *err) {
  *out = (skep_compact_target){0};
  skep_status status = skep_catalog_get_table(env->catalog, arena, database, table, &out->t, err);
  if (status == SKEP_ERR_NOT_FOUND) {
    out->t = NULL;
    return SKEP_OK;
  }
  if (status != SKEP_OK) return status;
  const char *location = out->t->location;
  if (partition != NULL) {
    status = skep_catalog_get_partition(env->catalog, arena, out->t, partition, &out->p, err);
    if (status == SKEP_ERR_NOT_FOUND) {
      out->p = NULL;
      return SKEP_OK;
    }
    if (status != SKEP_OK) return status;
    location = out->p->location;
  }
  if (location == NULL || location[0] == '\0') return SKEP_OK;
  return skep_catalog_path(location, &out->path, err);
}

skep_status skep_compact_snapshot_now(skep_db *db, const skep_txn_conf *conf, skep_arena *arena, const char *database,
                                      const char *table, bool in_full, skep_snapshot *out, skep_err *err) {
  skep_txn now;
  skep_txn_ids ids;
  skep_buf text;
  SKEP_TRY(skep_txn_snapshot(db, arena, conf, 0, &now, err));
  SKEP_TRY((in_full ? skep_txn_write_ids_in_full : skep_txn_valid_write_ids)(db, arena, &now.txns, database, table,
                                                                             &ids, err));
  skep_buf_init(&text, skep_db_ctx(db), 1 << 28);
  skep_txn_ids_print(&ids, database, table, &text);
  skep_status status = skep_buf_check(&text, "a list of write ids", err);
  if (status == SKEP_OK)
    status = skep_snapshot_parse(arena, skep_buf_string(&text), now.valid_txns, SKEP_HIVE_4, out, err);
  skep_buf_fini(&text);
  return status;
}

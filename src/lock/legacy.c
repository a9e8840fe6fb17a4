/* Objects, plans and data of the older locks, and the wrappers around their managers: see legacy.h. */
#include "lock/legacy.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *skep_legacy_mode_name(skep_legacy_mode mode) {
  return mode == SKEP_LEGACY_EXCLUSIVE ? "EXCLUSIVE" : "SHARED";
}

/* ---- objects ---- */

static char *put_name(char *at, const char *name) {
  for (; *name != '\0'; name++) {
    if (*name != '/') {
      *at++ = *name;
      continue;
    }
    memcpy(at, "%2F", 3);
    at += 3;
  }
  return at;
}

const char *skep_legacy_object(skep_arena *arena, const char *database, const char *table, const char *partition) {
  size_t n = strlen(database) * 3 + (table == NULL ? 0 : strlen(table) * 3 + 1);
  if (partition != NULL) n += strlen(partition) + 1;
  char *object = skep_arena_alloc(arena, n + 1);
  if (object == NULL) return NULL;
  char *at = put_name(object, database);
  if (table != NULL) *at++ = '/';
  if (table != NULL) at = put_name(at, table);
  if (partition != NULL) {
    *at++ = '/';
    memcpy(at, partition, strlen(partition));
    at += strlen(partition);
  }
  *at = '\0';
  return object;
}

void skep_legacy_object_show(const char *object, skep_buf *out) {
  int n = 0;
  for (; *object != '\0'; object++) skep_buf_byte(out, *object == '/' && n++ < 2 ? '@' : (uint8_t)*object);
}

/* ---- plans ---- */

static int compare_wants(const void *left, const void *right) {
  const skep_legacy_want *a = left, *b = right;
  int order = strcmp(a->object, b->object);
  return order != 0 ? order : (int)b->mode - (int)a->mode;
}

static size_t count_levels(const char *object) {
  size_t n = 1;
  for (; *object != '\0'; object++) n += *object == '/';
  return n;
}

skep_status skep_legacy_plan(skep_arena *arena, const skep_legacy_want *wants, size_t n, skep_legacy_want **out,
                             size_t *n_out, skep_err *err) {
  size_t room = 0, count = 0, kept = 0;
  for (size_t i = 0; i < n; i++) room += count_levels(wants[i].object);
  skep_legacy_want *all = skep_arena_zero(arena, room + 1, sizeof *all);
  if (all == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "%zu locks", room);
  for (size_t i = 0; i < n; i++) {
    all[count++] = wants[i];
    for (const char *slash = strchr(wants[i].object, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
      const char *parent = skep_arena_strndup(arena, wants[i].object, (size_t)(slash - wants[i].object));
      if (parent == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "%zu locks", room);
      all[count++] = (skep_legacy_want){parent, SKEP_LEGACY_SHARED};
    }
  }
  if (count > 1) qsort(all, count, sizeof *all, compare_wants);
  for (size_t i = 0; i < count; i++)
    if (kept == 0 || strcmp(all[kept - 1].object, all[i].object) != 0) all[kept++] = all[i];
  *out = all;
  *n_out = kept;
  return SKEP_OK;
}

/* ---- data ---- */

static void put_field(skep_buf *out, const char *text, size_t max) {
  for (size_t i = 0; text != NULL && text[i] != '\0' && i < max; i++)
    if (text[i] != ':') skep_buf_byte(out, (uint8_t)text[i]);
}

void skep_legacy_data_print(const skep_legacy_data *data, size_t max_query, skep_buf *out) {
  put_field(out, data->query_id, SIZE_MAX);
  skep_buf_printf(out, ":%" PRId64 ":%s:", data->time_ms, data->is_explicit ? "EXPLICIT" : "IMPLICIT");
  put_field(out, data->query, max_query);
  skep_buf_byte(out, ':');
  put_field(out, data->client, SIZE_MAX);
}

static const char *take_field(skep_arena *arena, skep_bytes *text) {
  const uint8_t *end = text->left == 0 ? NULL : memchr(text->at, ':', text->left);
  size_t n = end == NULL ? text->left : (size_t)(end - text->at);
  const char *field = skep_arena_strndup(arena, n == 0 ? "" : (const char *)text->at, n);
  if (n != 0) text->at += n;
  text->left -= n;
  if (end != NULL) {
    text->at++;
    text->left--;
  }
  return field;
}

skep_status skep_legacy_data_parse(skep_arena *arena, skep_bytes text, skep_legacy_data *out, skep_err *err) {
  const char *fields[5];
  for (int i = 0; i < 5; i++)
    if ((fields[i] = take_field(arena, &text)) == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a lock");
  int64_t time_ms = 0;
  for (const char *at = fields[1]; *at >= '0' && *at <= '9' && time_ms < INT64_MAX / 20; at++)
    time_ms = time_ms * 10 + (*at - '0');
  *out = (skep_legacy_data){.query_id = fields[0],
                            .time_ms = time_ms,
                            .is_explicit = strcmp(fields[2], "EXPLICIT") == 0,
                            .query = fields[3],
                            .client = fields[4]};
  return SKEP_OK;
}

/* ---- managers ---- */

void skep_legacy_close(skep_legacy_manager *m) {
  if (m != NULL) m->vt->close(m);
}

skep_status skep_legacy_lock(skep_legacy_manager *m, const skep_legacy_want *wants, size_t n,
                             const skep_legacy_data *data, skep_arena *arena, bool *taken, skep_legacy_held **held,
                             skep_legacy_lock_info *blocker, skep_err *err) {
  skep_legacy_lock_info ignored;
  *held = NULL;
  *taken = false;
  if (blocker == NULL) blocker = &ignored;
  *blocker = (skep_legacy_lock_info){.object = NULL};
  if (n == 0) {
    *taken = true;
    return SKEP_OK;
  }
  skep_status status = m->vt->lock(m, wants, n, data, arena, held, blocker, err);
  if (status != SKEP_OK) return skep_wrap(err, status, "locks (%s)", m->vt->name);
  *taken = blocker->object == NULL;
  return SKEP_OK;
}

skep_status skep_legacy_unlock(skep_legacy_manager *m, skep_legacy_held *held, skep_err *err) {
  if (held == NULL) return SKEP_OK;
  skep_status status = m->vt->unlock(m, held, err);
  return status == SKEP_OK ? status : skep_wrap(err, status, "locks (%s)", m->vt->name);
}

skep_status skep_legacy_check(skep_legacy_manager *m, skep_legacy_held *held, skep_err *err) {
  return held == NULL ? SKEP_OK : m->vt->check(m, held, err);
}

skep_status skep_legacy_unlock_explicit(skep_legacy_manager *m, const char *object, size_t *n, skep_err *err) {
  *n = 0;
  skep_status status = m->vt->unlock_explicit(m, object, n, err);
  return status == SKEP_OK ? status : skep_wrap(err, status, "locks (%s)", m->vt->name);
}

static int compare_locks(const void *left, const void *right) {
  const skep_legacy_lock_info *a = left, *b = right;
  int order = strcmp(a->object, b->object);
  if (order == 0) order = (int)b->mode - (int)a->mode;
  if (order == 0) order = (a->data.time_ms > b->data.time_ms) - (a->data.time_ms < b->data.time_ms);
  return order != 0 ? order : strcmp(a->data.query_id, b->data.query_id);
}

static bool is_inside(const char *object, const char *of) {
  size_t n = strlen(of);
  return strncmp(object, of, n) == 0 && (object[n] == '\0' || object[n] == '/');
}

skep_status skep_legacy_list(skep_legacy_manager *m, const char *object, skep_arena *arena, skep_legacy_lock_info **out,
                             size_t *n, skep_err *err) {
  size_t kept = 0;
  *out = NULL;
  *n = 0;
  skep_status status = m->vt->list(m, arena, out, n, err);
  if (status != SKEP_OK) return skep_wrap(err, status, "locks (%s)", m->vt->name);
  for (size_t i = 0; i < *n; i++)
    if (object == NULL || is_inside((*out)[i].object, object)) (*out)[kept++] = (*out)[i];
  *n = kept;
  if (kept > 1) qsort(*out, kept, sizeof **out, compare_locks);
  return SKEP_OK;
}

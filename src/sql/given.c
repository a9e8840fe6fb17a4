/* See given.h. */
#include "sql/given.h"

#include <stdio.h>
#include <string.h>

#include "sql/ddl_int.h"

struct skep_given {
  skep_bind_table table; /* its texts are behind it in the same block */
  uint64_t source;       /* of the engine */
  struct skep_given *next;
  char relation[40];
  char name[];
};

/* Where it hangs, or where one of that name would. */
static struct skep_given **find(skep_session *s, const char *name) {
  struct skep_given **at = &s->given;
  while (*at != NULL && !ddl_same_word((*at)->name, name)) at = &(*at)->next;
  return at;
}

skep_status skep_given_add(skep_session *s, const char *name, skep_source *source, skep_err *err) {
  char quoted[200];
  size_t length = strlen(name);
  if (length == 0 || strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != length)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "%s is not a name for rows: letters, digits and _ only",
                     skep_quote(quoted, sizeof quoted, name, length));
  struct skep_given **place = find(s, name);
  if (*place != NULL) return skep_fail(err, SKEP_ERR_EXISTS, "rows called %s are given already", (*place)->name);
  skep_engine *engine;
  SKEP_TRY(skep_session_engine(s, &engine, err));
  struct skep_given *g = skep_alloc_zero(s->ctx, 1, sizeof *g + length + 1);
  if (g == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "no memory for a name");
  skep_status status = skep_engine_add_source(engine, source, &g->source, err);
  if (status != SKEP_OK) {
    skep_release(s->ctx, g);
    return status;
  }
  for (size_t i = 0; i < length; i++)
    g->name[i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] - 'A' + 'a' : name[i]);
  snprintf(g->relation, sizeof g->relation, "skep_source(%llu)", (unsigned long long)g->source);
  g->table = (skep_bind_table){.db = "", .name = g->name, .columns = source->type, .relation = g->relation};
  *place = g;
  return SKEP_OK;
}

static void take(skep_session *s, struct skep_given **at) {
  struct skep_given *g = *at;
  *at = g->next;
  skep_engine_remove_source(s->engine, g->source);
  skep_release(s->ctx, g);
}

void skep_given_remove(skep_session *s, const char *name) {
  struct skep_given **at = find(s, name);
  if (*at != NULL) take(s, at);
}

void skep_given_forget(skep_session *s) {
  while (s->given != NULL) take(s, &s->given);
}

const skep_bind_table *skep_given_find(const skep_session *s, const char *name) {
  for (const struct skep_given *g = s->given; g != NULL; g = g->next)
    if (strcmp(g->name, name) == 0) return &g->table;
  return NULL;
}

/* Locations that statements name: their plain form, and whether something may be put there. What a table or partition
 * owns is removed when it is dropped, so nobody else's directory may be it, lie in it or around it. */
#include <stdio.h>
#include <string.h>

#include "sql/ddl_int.h"

/* A URI or an absolute path; "//" becomes "/". "." and ".." are refused: they may lead through links. */
skep_status ddl_location(skep_session *s, const char *text, const char **out, skep_err *err) {
  const char *path;
  *out = NULL;
  if (text == NULL) return SKEP_OK;
  SKEP_TRY(skep_catalog_path(text, &path, err));
  char *plain = skep_arena_alloc(&s->arena, strlen(path) + 2);
  if (plain == NULL) return ddl_nomem(err);
  size_t n = 0;
  for (const char *at = path; *at != '\0';) {
    size_t length = strcspn(at, "/");
    if ((length == 1 && at[0] == '.') || (length == 2 && at[0] == '.' && at[1] == '.'))
      return ddl_semantic_fail(err, 0, "location %s: '.' and '..' are not allowed in it", ddl_quote(s, text));
    if (length > 0) {
      plain[n++] = '/';
      memcpy(plain + n, at, length);
      n += length;
    }
    at += length;
    while (*at == '/') at++;
  }
  if (n == 0) plain[n++] = '/';
  plain[n] = '\0';
  if ((*out = skep_catalog_uri(&s->arena, plain)) == NULL) return ddl_nomem(err);
  return SKEP_OK;
}

/* Who asks: a table (id 0: a new one), with `partition` one of its partitions; table NULL: a database. */
typedef struct asker {
  const skep_catalog_table *table;
  const char *partition;
} asker;

static bool covers(const char *path, const char *other) {
  skep_catalog_relation r = skep_catalog_relate(path, other);
  return r == SKEP_CATALOG_SAME || r == SKEP_CATALOG_AROUND;
}

static skep_status check_roots(skep_session *s, const char *path, const char **why, skep_err *err) {
  const char *metastore = skep_db_url(s->db);
  if (strncmp(metastore, "sqlite:", 7) == 0) metastore += 7;
  if (covers(path, s->warehouse) || covers(path, s->external)) {
    *why = "it is, or contains, the warehouse";
  } else if (metastore[0] == '/' && skep_catalog_relate(path, metastore) != SKEP_CATALOG_APART) {
    *why = "it is, or contains, the metastore";
  }
  (void)err;
  return SKEP_OK;
}

static skep_status check_databases(skep_session *s, const char *path, const char **why, skep_err *err) {
  const char *const *names;
  size_t n;
  SKEP_TRY(skep_catalog_list_databases(s->catalog, &s->arena, &names, &n, err));
  for (size_t i = 0; i < n && *why == NULL; i++) {
    const skep_catalog_db *db;
    SKEP_TRY(skep_catalog_get_database(s->catalog, &s->arena, names[i], &db, err));
    const char *const locations[] = {db->location, db->managed_location};
    for (size_t k = 0; k < 2; k++) {
      const char *there;
      if (locations[k] == NULL || skep_catalog_path(locations[k], &there, NULL) != SKEP_OK) continue;
      if (covers(path, there))
        *why = ddl_join(s, "it is, or contains, the directory of database ", ddl_quote(s, names[i]), "");
    }
  }
  return SKEP_OK;
}

/* The rest of a path that lies in `dir`, without its first '/'. */
static const char *below(const char *path, const char *dir) {
  size_t length = strlen(dir);
  while (length > 0 && dir[length - 1] == '/') length--;
  if (strncmp(path, dir, length) != 0) return NULL;
  path += length;
  while (*path == '/') path++;
  return path;
}

/* A partition may lie below its table, but "k=v" there is kept for the partition of that name. */
static bool is_below_own(const char *path, const char *table, const char *partition) {
  const char *rest = below(path, table);
  return rest != NULL && (strcmp(rest, partition) == 0 || memchr(rest, '=', strcspn(rest, "/")) == NULL);
}

static bool may_share(const asker *who, const char *path, const skep_catalog_place *p) {
  if (who->table == NULL) return p->relation == SKEP_CATALOG_AROUND;
  if (who->table->id == 0 || who->table->id != p->table_id) return false;
  if (who->partition == NULL) {
    if (p->partition == NULL) return true; /* itself, before */
    return p->relation == SKEP_CATALOG_AROUND && is_below_own(p->path, path, p->partition);
  }
  if (p->partition != NULL) return strcmp(p->partition, who->partition) == 0;
  return p->relation == SKEP_CATALOG_INSIDE && is_below_own(path, p->path, who->partition);
}

static skep_status check_places(skep_session *s, const asker *who, const char *path, const char **why, skep_err *err) {
  const skep_catalog_place *places;
  size_t n;
  SKEP_TRY(skep_catalog_list_places(s->catalog, &s->arena, path, &places, &n, err));
  for (size_t i = 0; i < n && *why == NULL; i++) {
    const skep_catalog_place *p = &places[i];
    if (may_share(who, path, p)) continue;
    const char *name = ddl_join(s, p->db, ".", p->table);
    if (name != NULL && p->partition != NULL) name = ddl_join(s, name, " ", p->partition);
    *why = name == NULL ? NULL : ddl_join(s, "it is, contains or lies in the directory of ", ddl_quote(s, name), "");
    if (*why == NULL) return ddl_nomem(err);
  }
  return SKEP_OK;
}

/* *why NULL: it is free. */
static skep_status look(skep_session *s, const asker *who, const char *location, bool *pending, const char **why,
                        skep_err *err) {
  const char *path;
  *why = NULL;
  SKEP_TRY(skep_catalog_path(location, &path, err));
  SKEP_TRY(skep_txn_removal_pending(s->db, location, pending, err));
  if (*pending) {
    *why = "files that were dropped there are still in use; try again later";
    return SKEP_OK;
  }
  SKEP_TRY(check_roots(s, path, why, err));
  if (*why == NULL && who->table != NULL) SKEP_TRY(check_databases(s, path, why, err));
  return *why != NULL ? SKEP_OK : check_places(s, who, path, why, err);
}

skep_status ddl_check_location(skep_session *s, const skep_catalog_table *t, const char *partition,
                               const char *location, skep_err *err) {
  const asker who = {t, partition};
  const char *why;
  bool pending;
  SKEP_TRY(look(s, &who, location, &pending, &why, err));
  if (why == NULL) return SKEP_OK;
  if (pending) return skep_fail(err, SKEP_ERR_BUSY, "location %s: %s", ddl_quote(s, location), why);
  return ddl_semantic_fail(err, 0, "location %s cannot be used: %s", ddl_quote(s, location), why);
}

skep_status ddl_free_location(skep_session *s, const skep_catalog_table *t, const char **location, skep_err *err) {
  enum { TRIES = 10 };
  const asker who = {t, NULL};
  const char *wanted = *location, *why;
  bool pending;
  int64_t now_ms;
  SKEP_TRY(look(s, &who, wanted, &pending, &why, err));
  for (int try = 0; why != NULL; try++) {
    char suffix[40];
    if (try == TRIES) return skep_fail(err, SKEP_ERR_BUSY, "location %s: %s", ddl_quote(s, wanted), why);
    SKEP_TRY(skep_db_now_ms(s->db, &now_ms, err));
    snprintf(suffix, sizeof suffix, ".v%013lld", (long long)now_ms + try);
    if ((*location = ddl_join(s, wanted, suffix, "")) == NULL) return ddl_nomem(err);
    SKEP_TRY(look(s, &who, *location, &pending, &why, err));
  }
  return SKEP_OK;
}

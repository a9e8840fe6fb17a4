/* Which tables and partitions lie at, in or around a directory. */
#include <string.h>

#include "catalog/catalog_int.h"

/* The next part of a path that is not "" or "."; its length is 0 at the end. */
static const char *next_part(const char *at, size_t *length) {
  for (;;) {
    while (*at == '/') at++;
    *length = strcspn(at, "/");
    if (*length != 1 || *at != '.') return at;
    at++;
  }
}

skep_catalog_relation skep_catalog_relate(const char *a, const char *b) {
  for (;;) {
    size_t na, nb;
    a = next_part(a, &na);
    b = next_part(b, &nb);
    if (na == 0 && nb == 0) return SKEP_CATALOG_SAME;
    if (na == 0) return SKEP_CATALOG_AROUND;
    if (nb == 0) return SKEP_CATALOG_INSIDE;
    if (na != nb || memcmp(a, b, na) != 0) return SKEP_CATALOG_APART;
    a += na;
    b += nb;
  }
}

/* Locations of other file systems are nobody's here. */
static skep_status read_places(skep_stmt *stmt, skep_arena *arena, const char *path, catalog_list *out, skep_err *err) {
  skep_status st;
  while ((st = skep_stmt_next(stmt, err)) == SKEP_OK) {
    const char *location = skep_stmt_text(stmt, 1, NULL), *there;
    if (location == NULL || skep_catalog_path(location, &there, NULL) != SKEP_OK) continue;
    skep_catalog_relation relation = skep_catalog_relate(path, there);
    if (relation == SKEP_CATALOG_APART) continue;
    skep_catalog_place *place = catalog_list_add(arena, out, sizeof *place);
    if (place == NULL) return catalog_nomem(err);
    *place = (skep_catalog_place){.sd_id = skep_stmt_i64(stmt, 0), .relation = relation};
    place->path = skep_arena_strndup(arena, there, strlen(there));
    if (place->path == NULL) return catalog_nomem(err);
  }
  return st == SKEP_END ? SKEP_OK : st;
}

/* Whose it is; false: nobody's. */
static skep_status name_place(skep_catalog *catalog, skep_arena *arena, skep_catalog_place *place, bool *found,
                              skep_err *err) {
  skep_stmt *stmt;
  SKEP_TRY(skep_db_query(catalog->db,
                         "SELECT T.\"TBL_ID\", D.\"NAME\", T.\"TBL_NAME\", NULL FROM \"TBLS\" T JOIN \"DBS\" D ON "
                         "D.\"DB_ID\" = T.\"DB_ID\" WHERE T.\"SD_ID\" = ? UNION ALL SELECT T.\"TBL_ID\", "
                         "D.\"NAME\", T.\"TBL_NAME\", P.\"PART_NAME\" FROM \"PARTITIONS\" P JOIN \"TBLS\" T ON "
                         "T.\"TBL_ID\" = P.\"TBL_ID\" JOIN \"DBS\" D ON D.\"DB_ID\" = T.\"DB_ID\" WHERE "
                         "P.\"SD_ID\" = ?",
                         SKEP_PARAMS(skep_p_i64(place->sd_id), skep_p_i64(place->sd_id)), &stmt, err));
  skep_status st = skep_stmt_next(stmt, err);
  *found = st == SKEP_OK;
  if (st == SKEP_OK) {
    place->table_id = skep_stmt_i64(stmt, 0);
    st = skep_stmt_text_copy(stmt, 1, arena, &place->db, err);
    if (st == SKEP_OK) st = skep_stmt_text_copy(stmt, 2, arena, &place->table, err);
    if (st == SKEP_OK) st = skep_stmt_text_copy(stmt, 3, arena, &place->partition, err);
  }
  skep_stmt_done(stmt);
  return st == SKEP_END ? SKEP_OK : st;
}

skep_status skep_catalog_list_places(skep_catalog *catalog, skep_arena *arena, const char *path,
                                     const skep_catalog_place **out, size_t *n, skep_err *err) {
  catalog_list list = {0};
  skep_stmt *stmt;
  *out = NULL;
  *n = 0;
  SKEP_TRY(skep_db_query(catalog->db, "SELECT \"SD_ID\", \"LOCATION\" FROM \"SDS\"", SKEP_NO_PARAMS, &stmt, err));
  skep_status st = read_places(stmt, arena, path, &list, err);
  skep_stmt_done(stmt);
  if (st != SKEP_OK) return st;
  skep_catalog_place *places = list.items;
  for (size_t i = 0; i < list.n; i++) {
    bool found;
    SKEP_TRY(name_place(catalog, arena, &places[i], &found, err));
    if (found && places[i].db != NULL && places[i].table != NULL) places[(*n)++] = places[i];
  }
  *out = places;
  return SKEP_OK;
}

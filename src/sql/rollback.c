/* Metastores older than their warehouse: see rollback.h. */
#include "sql/rollback.h"

#include <inttypes.h>
#include <stdio.h>

#include "acid/dir_write.h"
#include "db/counters.h"
#include "sql/acid_dirs.h"
#include "sql/transaction.h"

#define NOTES_DIR ".skep-metastore"
#define ID_PROPERTY "skep.metastore.id"
enum { NOTE_EVERY_MS = 60000, MAX_NEW_TXNS = 1000000, MAX_ARENA = 1 << 30 };

/* A warehouse and a connection to its metastore. */
typedef struct place {
  const skep_ctx *ctx;
  skep_fs *fs;
  const char *warehouse;
  skep_db *db;
  skep_arena *arena;
} place;

static place place_of(skep_session *s) {
  return (place){.ctx = s->ctx, .fs = s->fs, .warehouse = s->warehouse, .db = s->db, .arena = &s->arena};
}

/* ---- the metastore's id ---- */

static skep_status read_id(const place *p, const char **out, skep_err *err) {
  return skep_db_get_text(
      p->db, "SELECT \"PROPERTY_VALUE\" FROM \"METASTORE_DB_PROPERTIES\" WHERE \"PROPERTY_KEY\" = '" ID_PROPERTY "'",
      SKEP_NO_PARAMS, p->arena, out, err);
}

static skep_status get_id(const place *p, const char **out, skep_err *err) {
  char id[24];
  skep_err why = {0};
  SKEP_TRY(read_id(p, out, err));
  if (*out != NULL) return SKEP_OK;
  snprintf(id, sizeof id, "%016" PRIx64, p->ctx->random(p->ctx->random_self));
  skep_status st = skep_db_run(
      p->db,
      "INSERT INTO \"METASTORE_DB_PROPERTIES\" (\"PROPERTY_KEY\", \"PROPERTY_VALUE\") VALUES ('" ID_PROPERTY "', ?)",
      SKEP_PARAMS(skep_p_text(id)), NULL, &why);
  if (st != SKEP_OK && st != SKEP_ERR_EXISTS) { /* somebody else was faster */
    if (err != NULL) *err = why;
    return st;
  }
  return read_id(p, out, err);
}

static skep_status max_txn(skep_db *db, int64_t *out, skep_err *err) {
  return skep_db_get_i64(db, "SELECT max(\"TXN_ID\") FROM \"TXNS\"", SKEP_NO_PARAMS, out, NULL, err);
}

/* ---- notes ---- */

/* "<id>.<n>.<ms>" */
static bool parse_note(const skep_rollback_notes *n, const char *name, int64_t *txn, int64_t *at_ms) {
  size_t length = strlen(n->id);
  char number[2][24];
  if (strncmp(name, n->id, length) != 0 || name[length] != '.') return false;
  const char *first = name + length + 1, *point = strchr(first, '.');
  if (point == NULL || (size_t)(point - first) >= sizeof number[0] || strlen(point + 1) >= sizeof number[1])
    return false;
  snprintf(number[0], sizeof number[0], "%.*s", (int)(point - first), first);
  snprintf(number[1], sizeof number[1], "%s", point + 1);
  return skep_parse_int(number[0], txn) && skep_parse_int(number[1], at_ms);
}

static skep_status look_at(void *self, const skep_entry *entry, skep_err *err) {
  skep_rollback_notes *n = self;
  int64_t txn, at_ms;
  (void)err;
  if (entry->kind != SKEP_ENTRY_FILE || !parse_note(n, entry->name, &txn, &at_ms)) return SKEP_OK;
  if (n->n_old < sizeof n->old / sizeof n->old[0]) snprintf(n->old[n->n_old++], sizeof n->old[0], "%s", entry->name);
  if (n->any && txn < n->txn) return SKEP_OK;
  n->any = true;
  n->txn = txn;
  n->at_ms = at_ms;
  return SKEP_OK;
}

static const char *notes_dir(const place *p) { return skep_arena_join(p->arena, p->warehouse, "/", NOTES_DIR); }

static skep_status read_notes(const place *p, skep_rollback_notes *n, skep_err *err) {
  const char *dir = notes_dir(p);
  *n = (skep_rollback_notes){0};
  if (dir == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a session");
  SKEP_TRY(get_id(p, &n->id, err));
  if (n->id == NULL) return skep_fail(err, SKEP_ERR_INTERNAL, "the metastore's id does not stay");
  skep_status st = skep_fs_list(p->fs, dir, false, look_at, n, err);
  return st == SKEP_ERR_NOT_FOUND ? SKEP_OK : st;
}

/* Everything up to here is on disk, and stays after a loss of power. */
static skep_status make_durable(skep_session *s, int64_t *txn, skep_err *err) {
  SKEP_TRY(skep_db_begin(s->db, SKEP_DB_WRITE, err));
  skep_status st = max_txn(s->db, txn, err);
  if (st == SKEP_OK)
    st = skep_db_run(s->db,
                     "UPDATE \"METASTORE_DB_PROPERTIES\" SET \"PROPERTY_VALUE\" = \"PROPERTY_VALUE\" WHERE "
                     "\"PROPERTY_KEY\" = '" ID_PROPERTY "'",
                     SKEP_NO_PARAMS, NULL, err);
  return skep_db_end(s->db, false, st, err);
}

static skep_status write_note(skep_session *s, const skep_rollback_notes *n, int64_t now_ms, skep_err *err) {
  char name[120];
  int64_t txn;
  const place p = place_of(s);
  const char *dir = notes_dir(&p);
  if (dir == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a session");
  SKEP_TRY(make_durable(s, &txn, err));
  SKEP_TRY(skep_fs_mkdirs(s->fs, dir, err));
  snprintf(name, sizeof name, "%s.%" PRId64 ".%" PRId64, n->id, txn, now_ms);
  skep_status st = skep_dir_put_file(s->ctx, s->fs, dir, name, "", true, err);
  if (st != SKEP_OK && st != SKEP_ERR_EXISTS) return st;
  for (size_t i = 0; i < n->n_old; i++) {
    skep_buf path;
    if (strcmp(n->old[i], name) == 0) continue;
    skep_buf_init(&path, s->ctx, 1 << 16);
    skep_buf_printf(&path, "%s/%s", dir, n->old[i]);
    if (skep_buf_check(&path, "a path", NULL) == SKEP_OK)
      (void)!skep_fs_remove_file(s->fs, skep_buf_string(&path), NULL); /* another one may have been faster */
    skep_buf_fini(&path);
  }
  return SKEP_OK;
}

/* ---- doors ---- */

skep_status skep_rollback_look(skep_session *s, skep_rollback_notes *n, skep_err *err) {
  int64_t txn;
  const place p = place_of(s);
  SKEP_TRY(read_notes(&p, n, err));
  SKEP_TRY(max_txn(s->db, &txn, err));
  s->rolled_back = n->txn > txn;
  s->noted_txn = n->txn;
  s->has_note = n->any || txn == 0;
  if (s->rolled_back)
    skep_session_note(s,
                      "the metastore is older than its warehouse: it knows transactions up to %lld, and had given out "
                      "%lld before. It was restored from a backup? Writing is refused until skep metastore reseed",
                      (long long)txn, (long long)n->txn);
  return SKEP_OK;
}

static skep_status note(skep_session *s, const skep_rollback_notes *found, skep_err *err) {
  skep_rollback_notes n;
  int64_t txn, now_ms = s->ctx->clock_ms(s->ctx->clock_self);
  const place p = place_of(s);
  if (found == NULL) {
    SKEP_TRY(read_notes(&p, &n, err));
    found = &n;
  }
  SKEP_TRY(max_txn(s->db, &txn, err));
  bool is_old = now_ms < found->at_ms || now_ms - found->at_ms >= NOTE_EVERY_MS;
  bool due = !found->any || (txn > found->txn && is_old);
  return due ? write_note(s, found, now_ms, err) : SKEP_OK;
}

void skep_rollback_note(skep_session *s, const skep_rollback_notes *found) {
  skep_err why = {0};
  if (s->rolled_back) return;
  skep_status st = note(s, found, &why);
  if (st != SKEP_OK) skep_log(s->ctx, SKEP_LOG_WARN, "noting how far the metastore is: %s", why.text);
}

static skep_status refuse(int64_t noted_txn, skep_err *err) {
  return skep_fail(err, SKEP_ERR_CORRUPT,
                   "the metastore is older than its warehouse (it had given out transaction %lld before): nothing is "
                   "written until skep metastore reseed says what the newer files are",
                   (long long)noted_txn);
}

skep_status skep_rollback_check(const skep_session *s, skep_err *err) {
  return s->rolled_back ? refuse(s->noted_txn, err) : SKEP_OK;
}

skep_status skep_rollback_refuse(const skep_ctx *ctx, skep_fs *fs, const char *warehouse, skep_db *db, skep_err *err) {
  skep_arena arena;
  skep_rollback_notes n;
  int64_t txn = 0;
  skep_arena_init(&arena, ctx, 1 << 20);
  const place p = {.ctx = ctx, .fs = fs, .warehouse = warehouse, .db = db, .arena = &arena};
  skep_status st = read_notes(&p, &n, err);
  if (st == SKEP_OK) st = max_txn(db, &txn, err);
  if (st == SKEP_OK && n.txn > txn) st = refuse(n.txn, err);
  skep_arena_fini(&arena);
  return st;
}

/* ---- reseed ---- */

typedef struct reseeding {
  skep_session *s;
  skep_arena arena;
  skep_reseed files;
  skep_reseed_say *say;
  void *say_self;
  int64_t highest_txn; /* in names of directories */
  /* of the table at hand */
  const skep_catalog_table *t;
  int64_t next, highest; /* write ids */
  const char **found;    /* directories above */
  size_t n_found, capacity;
  const char *merged; /* a compaction's output with older rows in it */
} reseeding;

static void tell(reseeding *r, const char *format, ...) SKEP_PRINTF(2, 3);
static void tell(reseeding *r, const char *format, ...) {
  char line[1000];
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  r->say(r->say_self, line);
}

static skep_status find_newer(void *self, const skep_acid_dir *dir, skep_err *err) {
  reseeding *r = self;
  const skep_dir_name *name = &dir->name;
  if (name->visibility_txn > r->highest_txn) r->highest_txn = name->visibility_txn;
  if (name->max_write_id < r->next) return SKEP_OK;
  if (name->max_write_id > r->highest) r->highest = name->max_write_id;
  bool is_base = name->kind == SKEP_DIR_BASE;
  if (name->visibility_txn > 0 && (is_base || name->min_write_id < r->next)) r->merged = dir->path;
  void *grown = r->found;
  SKEP_TRY(skep_arena_grow(&r->arena, &grown, &r->capacity, r->n_found + 1, sizeof *r->found, err));
  r->found = grown;
  r->found[r->n_found++] = dir->path;
  return SKEP_OK;
}

/* Readers pass over names with a point before them. */
static skep_status hide(reseeding *r, const char *path, skep_err *err) {
  const char *name = strrchr(path, '/') + 1;
  skep_buf to;
  skep_buf_init(&to, r->s->ctx, 1 << 16);
  skep_buf_printf(&to, "%.*s.skep_hidden_%s", (int)(name - path), path, name);
  skep_status st = skep_buf_check(&to, "a path", err);
  if (st == SKEP_OK) st = skep_fs_rename_new(r->s->fs, path, skep_buf_string(&to), err);
  skep_buf_fini(&to);
  return st;
}

static skep_status reseed_table(reseeding *r, skep_err *err) {
  const skep_catalog_table *t = r->t;
  r->highest = 0;
  r->n_found = 0;
  r->merged = NULL;
  SKEP_TRY(skep_txn_next_write_id(r->s->db, t->db, t->name, &r->next, err));
  SKEP_TRY(skep_acid_dirs_of_table(r->s, &r->arena, t, find_newer, r, err));
  if (r->n_found == 0) return SKEP_OK;
  if (r->files == SKEP_RESEED_NONE)
    return skep_fail(err, SKEP_ERR_ARGUMENT,
                     "%s.%s: %zu directories of write ids %lld to %lld are newer than the metastore: say --adopt (they "
                     "count as committed) or --hide",
                     t->db, t->name, r->n_found, (long long)r->next, (long long)r->highest);
  if (r->files == SKEP_RESEED_HIDE && r->merged != NULL)
    return skep_fail(err, SKEP_ERR_UNSUPPORTED,
                     "%s.%s: %s is of a compaction and may hold older rows too: it cannot be hidden, only adopted",
                     t->db, t->name, r->merged);
  tell(r, "%s.%s: %zu directories of write ids %lld to %lld: %s", t->db, t->name, r->n_found, (long long)r->next,
       (long long)r->highest, r->files == SKEP_RESEED_ADOPT ? "adopted" : "hidden");
  for (size_t i = 0; i < r->n_found && r->files == SKEP_RESEED_HIDE; i++) SKEP_TRY(hide(r, r->found[i], err));
  return skep_txn_seed_write_id(r->s->db, t->db, t->name, r->highest, err);
}

static skep_status reseed_tables(reseeding *r, skep_err *err) {
  skep_session *s = r->s;
  const char *const *dbs;
  size_t n_dbs, n;
  SKEP_TRY(skep_catalog_list_databases(s->catalog, &r->arena, &dbs, &n_dbs, err));
  for (size_t i = 0; i < n_dbs; i++) {
    const skep_catalog_table_name *tables;
    SKEP_TRY(skep_catalog_list_tables(s->catalog, &r->arena, dbs[i], &tables, &n, err));
    for (size_t k = 0; k < n; k++) {
      skep_catalog_table *t;
      SKEP_TRY(skep_catalog_get_table(s->catalog, &r->arena, dbs[i], tables[k].name, &t, err));
      if (!skep_table_is_transactional(t)) continue;
      r->t = t;
      SKEP_TRY(reseed_table(r, err));
    }
  }
  return SKEP_OK;
}

/* Transaction numbers go on above all that were given out before: empty ones fill the gap. */
static skep_status raise_txns(reseeding *r, skep_err *err) {
  enum { BATCH = 1000 };
  skep_session *s = r->s;
  const skep_txn_conf conf = skep_transaction_conf(s);
  int64_t txn, target = s->noted_txn > r->highest_txn ? s->noted_txn : r->highest_txn;
  SKEP_TRY(max_txn(s->db, &txn, err));
  if (target - txn > MAX_NEW_TXNS)
    return skep_fail(err, SKEP_ERR_LIMIT, "transaction numbers would have to go on from %lld to %lld", (long long)txn,
                     (long long)target);
  if (txn < target) tell(r, "transactions go on from %lld", (long long)target + 1);
  while (txn < target) {
    int64_t ids[BATCH], left = target - txn;
    uint32_t n, wanted = left < BATCH ? (uint32_t)left : BATCH;
    SKEP_TRY(skep_txn_open(s->db, &conf, SKEP_TXN_DEFAULT, wanted, ids, &n, err));
    for (uint32_t i = 0; i < n; i++) SKEP_TRY(skep_txn_commit(s->db, ids[i], NULL, 0, NULL, NULL, err));
    if (n > 0) txn = ids[n - 1];
  }
  return SKEP_OK;
}

static skep_status tell_line(void *self, const char *line, skep_err *err) {
  (void)err;
  tell(self, "%s", line);
  return SKEP_OK;
}

/* Nobody else writes meanwhile: tables and numbers in one database transaction. Numbers first: what the metastore's own
 * rows know is not newer than it. */
static skep_status reseed(reseeding *r, skep_err *err) {
  skep_session *s = r->s;
  SKEP_TRY(skep_db_begin(s->db, SKEP_DB_WRITE, err));
  skep_status st = skep_counters_raise(s->db, tell_line, r, err);
  if (st == SKEP_OK) st = reseed_tables(r, err);
  if (st == SKEP_OK) st = raise_txns(r, err);
  return skep_db_end(s->db, false, st, err);
}

skep_status skep_session_reseed(skep_session *s, skep_reseed files, skep_reseed_say *say, void *self, skep_err *err) {
  reseeding r = {.s = s, .files = files, .say = say, .say_self = self};
  skep_rollback_notes n;
  skep_arena_init(&r.arena, s->ctx, MAX_ARENA);
  skep_status st = reseed(&r, err);
  skep_arena_fini(&r.arena);
  if (st != SKEP_OK) return st;
  s->rolled_back = false;
  const place p = place_of(s);
  SKEP_TRY(read_notes(&p, &n, err));
  return write_note(s, &n, s->ctx->clock_ms(s->ctx->clock_self), err);
}

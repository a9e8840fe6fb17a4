/* Directories with writes in them that become a table's or a partition's: LOCATION of CREATE TABLE and ADD PARTITION,
 * SET LOCATION; and directories that somebody left where a new table or partition would go.
 *
 * What is attached counts as committed, and must never meet a write id that is given out later: the writer of that id
 * would take it for a leftover and remove it, and so would a recovery (housekeep.c). So the table's next write id goes
 * above all that is there. */
#include "sql/acid_dirs.h"
#include "sql/ddl_int.h"
#include "sql/transaction.h"

typedef struct attached {
  const skep_txn_ids *ids; /* of the table; NULL: only looked for */
  int64_t highest;         /* write id; 0: none */
  const char *first;       /* path of one, or NULL */
  const char *clash;       /* path of one with a write id that is open or aborted, or NULL */
} attached;

static bool in_range(const int64_t *ids, uint32_t n, int64_t from, int64_t to) {
  for (uint32_t i = 0; i < n; i++)
    if (ids[i] >= from && ids[i] <= to) return true;
  return false;
}

/* A base stands for all ids up to its own, of which aborted ones are none of its rows. */
static bool clashes(const skep_txn_ids *ids, const skep_dir_name *name) {
  int64_t from = name->kind == SKEP_DIR_BASE ? INT64_MIN : name->min_write_id;
  return in_range(ids->open, ids->n_open, from, name->max_write_id) ||
         in_range(ids->aborted, ids->n_aborted, name->min_write_id, name->max_write_id);
}

static skep_status look(void *self, const skep_acid_dir *dir, skep_err *err) {
  attached *a = self;
  (void)err;
  if (a->first == NULL) a->first = dir->path;
  if (dir->name.max_write_id > a->highest) a->highest = dir->name.max_write_id;
  if (a->ids != NULL && a->clash == NULL && clashes(a->ids, &dir->name)) a->clash = dir->path;
  return SKEP_OK;
}

static skep_status look_in(skep_session *s, const char *location, uint32_t levels, attached *a, skep_err *err) {
  const char *path;
  skep_stat stat;
  SKEP_TRY(skep_catalog_path(location, &path, err));
  skep_status st = skep_fs_stat(s->fs, path, &stat, err);
  if (st == SKEP_ERR_NOT_FOUND || (st == SKEP_OK && stat.kind != SKEP_ENTRY_DIR)) return SKEP_OK;
  if (st != SKEP_OK) return st;
  return skep_acid_dirs(s, &s->arena, path, levels, look, a, err);
}

skep_status ddl_has_writes(skep_session *s, const char *location, uint32_t levels, bool *out, skep_err *err) {
  attached a = {0};
  skep_status st = look_in(s, location, levels, &a, err);
  *out = a.first != NULL;
  return st;
}

skep_status ddl_attach(skep_session *s, const skep_catalog_table *t, const char *location, uint32_t levels, bool *some,
                       skep_err *err) {
  *some = false;
  if (!skep_table_is_transactional(t)) return SKEP_OK;
  const skep_txn_conf conf = skep_transaction_conf(s);
  skep_txn txn;
  skep_txn_ids ids;
  SKEP_TRY(skep_txn_snapshot(s->db, &s->arena, &conf, 0, &txn, err));
  SKEP_TRY(skep_txn_valid_write_ids(s->db, &s->arena, &txn.txns, t->db, t->name, &ids, err));
  attached a = {.ids = &ids};
  SKEP_TRY(look_in(s, location, levels, &a, err));
  if (a.clash != NULL)
    return skep_fail(err, SKEP_ERR_UNSUPPORTED,
                     "%s cannot be attached to %s: its write id is one of a transaction of that table that is open or "
                     "was aborted, so its rows would not be visible",
                     ddl_quote(s, a.clash), ddl_name(s, t));
  *some = a.first != NULL;
  return a.highest > 0 ? skep_txn_seed_write_id(s->db, t->db, t->name, a.highest, err) : SKEP_OK;
}

skep_status ddl_check_unattached(skep_session *s, const skep_catalog_table *t, const char *location, int64_t write_id,
                                 skep_err *err) {
  attached a = {0};
  if (!skep_table_is_transactional(t)) return SKEP_OK;
  SKEP_TRY(look_in(s, location, 0, &a, err));
  if (a.highest < write_id) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_EXISTS,
                   "%s holds writes that are none of %s (up to write id %lld); say LOCATION to attach them",
                   ddl_quote(s, location), ddl_name(s, t), (long long)a.highest);
}

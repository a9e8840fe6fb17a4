/* The older locks in a session: see legacy_locks.h. */
#include "sql/legacy_locks.h"

#include <stdio.h>
#include <string.h>

#include "sql/ddl_int.h"
#include "sql/show_int.h"

/* ---- which manager ---- */

/* The session's manager, and what it was opened with. */
struct skep_session_legacy {
  skep_legacy_manager *manager;
  char *key;   /* all settings that it depends on */
  char *place; /* directory, or servers */
  char *name;  /* ZooKeeper's namespace */
  skep_legacy_zookeeper_opts zookeeper;
};

bool skep_legacy_is_on(const skep_session *s) {
  return skep_ends_with(skep_session_text(s, "hive.txn.manager", ""), "DummyTxnManager");
}

void skep_legacy_forget(skep_session *s) {
  struct skep_session_legacy *l = s->legacy;
  if (l == NULL) return;
  skep_legacy_close(l->manager);
  skep_release(s->ctx, l->key);
  skep_release(s->ctx, l->place);
  skep_release(s->ctx, l->name);
  skep_release(s->ctx, l);
  s->legacy = NULL;
}

static skep_status dup_text(const skep_session *s, const char *text, char **out, skep_err *err) {
  *out = skep_strndup(s->ctx, text, strlen(text));
  return *out != NULL ? SKEP_OK : skep_fail(err, SKEP_ERR_NOMEM, "a lock manager");
}

/* "a,b:1" -> "a:2181,b:1": hosts without a port have hive.zookeeper.client.port. */
static void print_quorum(const skep_session *s, skep_buf *out) {
  const char *at = skep_session_text(s, "hive.zookeeper.quorum", "");
  const char *port = skep_session_text(s, "hive.zookeeper.client.port", "2181");
  while (*at != '\0') {
    size_t n = strcspn(at, ",");
    skep_buf_add(out, at, n);
    if (n != 0 && memchr(at, ':', n) == NULL) skep_buf_printf(out, ":%s", port);
    at += n;
    if (*at == ',') skep_buf_byte(out, (uint8_t)*at++);
  }
}

static int64_t ms_of(const skep_session *s, const char *name, int64_t otherwise) {
  int64_t ms;
  return skep_config_ms(s->config, name, &ms, NULL) == SKEP_OK && ms > 0 ? ms : otherwise;
}

static skep_status open_zookeeper(skep_session *s, struct skep_session_legacy *l, skep_err *err) {
  SKEP_TRY(dup_text(s, skep_session_text(s, "hive.zookeeper.namespace", "hive_zookeeper_namespace"), &l->name, err));
  l->zookeeper = (skep_legacy_zookeeper_opts){.quorum = l->place,
                                              .namespace = l->name,
                                              .session_ms = ms_of(s, "hive.zookeeper.session.timeout", 120000),
                                              .connect_ms = ms_of(s, "hive.zookeeper.connection.timeout", 15000)};
  return skep_legacy_zookeeper_open(s->ctx, &l->zookeeper, &l->manager, err);
}

static skep_status open_manager(skep_session *s, bool zookeeper, const char *key, skep_err *err) {
  struct skep_session_legacy *l = s->legacy = skep_alloc_zero(s->ctx, 1, sizeof *l);
  skep_buf text;
  if (l == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a lock manager");
  SKEP_TRY(dup_text(s, key, &l->key, err));
  skep_buf_init(&text, s->ctx, 1 << 16);
  if (zookeeper) {
    print_quorum(s, &text);
  } else {
    skep_buf_printf(&text, "%s/.skep-locks", s->warehouse);
  }
  skep_status st = skep_buf_check(&text, "a lock manager", err);
  if (st == SKEP_OK) st = dup_text(s, skep_buf_string(&text), &l->place, err);
  skep_buf_fini(&text);
  if (st != SKEP_OK) return st;
  SKEP_TRY(zookeeper ? open_zookeeper(s, l, err) : skep_legacy_files_open(s->ctx, l->place, &l->manager, err));
  int64_t max = skep_session_int(s, "hive.lock.query.string.max.length", 1000000);
  l->manager->max_query = max > 0 ? (size_t)max : 0;
  return SKEP_OK;
}

static skep_status need_manager(skep_session *s, skep_legacy_manager **out, skep_err *err) {
  const char *class = skep_session_text(s, "hive.lock.manager", "");
  const char *quorum = skep_session_text(s, "hive.zookeeper.quorum", "");
  bool zookeeper = skep_ends_with(class, "ZooKeeperHiveLockManager") || (class[0] == '\0' && quorum[0] != '\0');
  if (!zookeeper && class[0] != '\0' && !skep_ends_with(class, "EmbeddedLockManager")) {
    char quoted[200];
    return skep_fail(err, SKEP_ERR_UNSUPPORTED,
                     "hive.lock.manager %s is none of EmbeddedLockManager and "
                     "ZooKeeperHiveLockManager",
                     skep_quote(quoted, sizeof quoted, class, strlen(class)));
  }
  skep_buf key;
  skep_buf_init(&key, s->ctx, 1 << 16);
  skep_buf_printf(&key, "%d", zookeeper);
  if (zookeeper)
    skep_buf_printf(&key, "\n%s\n%s\n%s\n%s", quorum, skep_session_text(s, "hive.zookeeper.client.port", ""),
                    skep_session_text(s, "hive.zookeeper.namespace", ""),
                    skep_session_text(s, "hive.zookeeper.session.timeout", ""));
  skep_status st = skep_buf_check(&key, "a lock manager", err);
  if (st == SKEP_OK && (s->legacy == NULL || strcmp(s->legacy->key, skep_buf_string(&key)) != 0)) {
    skep_legacy_forget(s);
    st = open_manager(s, zookeeper, skep_buf_string(&key), err);
    if (st != SKEP_OK) skep_legacy_forget(s);
  }
  skep_buf_fini(&key);
  if (st == SKEP_OK) *out = s->legacy->manager;
  return st;
}

/* ---- which locks ---- */

/* False: none. */
static bool mode_of(const skep_lock_entity *e, skep_legacy_mode *out) {
  *out = SKEP_LEGACY_EXCLUSIVE;
  switch (e->use) {
    case SKEP_LOCK_USE_READ:
      *out = SKEP_LEGACY_SHARED;
      return e->object != SKEP_LOCK_OBJECT_VIEW;
    case SKEP_LOCK_USE_DDL_SHARED:
      *out = SKEP_LEGACY_SHARED;
      return true;
    case SKEP_LOCK_USE_DDL_NONE:
      return false;
    case SKEP_LOCK_USE_CTAS: /* the table is not there yet: its database is locked, as by any definition */
      return true;
    case SKEP_LOCK_USE_INSERT:
    case SKEP_LOCK_USE_MERGE_INSERT:
    case SKEP_LOCK_USE_INSERT_OVERWRITE:
      if (e->is_partitioned && e->n_partitions == 0) *out = SKEP_LEGACY_SHARED; /* which partitions, its rows say */
      return true;
    case SKEP_LOCK_USE_CHANGE:
    case SKEP_LOCK_USE_DDL_EXCL_WRITE:
    case SKEP_LOCK_USE_DDL_EXCLUSIVE:
      return true;
  }
  return false;
}

skep_status skep_legacy_decide(const skep_lock_entity *entities, uint32_t n, skep_arena *arena, skep_legacy_want **out,
                               size_t *n_out, skep_err *err) {
  size_t room = 1, count = 0;
  for (uint32_t i = 0; i < n; i++) room += entities[i].n_partitions + 1;
  skep_legacy_want *all = skep_arena_zero(arena, room, sizeof *all);
  if (all == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "%zu locks", room);
  for (uint32_t i = 0; i < n; i++) {
    const skep_lock_entity *e = &entities[i];
    skep_legacy_mode mode;
    if (!mode_of(e, &mode)) continue;
    for (uint32_t k = 0; k < (e->n_partitions == 0 ? 1 : e->n_partitions); k++) {
      const char *partition = e->n_partitions == 0 ? NULL : e->partitions[k];
      const char *object = skep_legacy_object(arena, e->database, e->table, partition);
      if (object == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "%zu locks", room);
      all[count++] = (skep_legacy_want){object, mode};
    }
  }
  return skep_legacy_plan(arena, all, count, out, n_out, err);
}

/* ---- taking them ---- */

static skep_legacy_data data_of(skep_session *s, bool is_explicit) {
  const char *query = "";
  if (s->text != NULL) query = skep_arena_strndup(&s->arena, s->text, s->text_length);
  return (skep_legacy_data){.query_id = s->query_id,
                            .time_ms = s->ctx->clock_ms(s->ctx->clock_self),
                            .is_explicit = is_explicit,
                            .query = query == NULL ? "" : query,
                            .client = s->host};
}

static skep_status took_too_long(const skep_legacy_lock_info *b, skep_err *err) {
  char object[200], who[120], client[120];
  skep_quote(object, sizeof object, b->object, strlen(b->object));
  skep_quote(who, sizeof who, b->data.query_id, strlen(b->data.query_id));
  skep_quote(client, sizeof client, b->data.client, strlen(b->data.client));
  return skep_fail(err, SKEP_ERR_BUSY,
                   "Locks on the underlying objects cannot be acquired, retry after some time: %s is locked %s by %s%s "
                   "from %s",
                   object, skep_legacy_mode_name(b->mode), b->data.is_explicit ? "LOCK TABLE, query " : "query ", who,
                   client);
}

/* Hive looks every hive.lock.sleep.between.retries (60 s), hive.lock.numretries (100) times; here pauses begin short,
 * and the whole is as long. Where neither is set, 50 s, as for the other locks. */
static int64_t limit_ms(const skep_session *s) {
  const char *retries = skep_config_get(s->config, "hive.lock.numretries");
  const char *pause = skep_config_get(s->config, "hive.lock.sleep.between.retries");
  if (retries == NULL && pause == NULL) return 50000;
  int64_t n = skep_session_int(s, "hive.lock.numretries", 100), ms = ms_of(s, "hive.lock.sleep.between.retries", 60000);
  if (n <= 1) return 0;
  return n > INT64_MAX / 2 / ms ? INT64_MAX / 2 : (n - 1) * ms;
}

static skep_status take(skep_session *s, const skep_legacy_want *wants, size_t n, bool is_explicit,
                        skep_legacy_held **held, skep_err *err) {
  skep_legacy_manager *m;
  skep_legacy_lock_info blocker;
  int64_t waited = 0, pause = 1, limit = limit_ms(s);
  bool taken = false;
  SKEP_TRY(need_manager(s, &m, err));
  const skep_legacy_data data = data_of(s, is_explicit);
  for (;;) {
    SKEP_TRY(skep_session_check(s, err));
    SKEP_TRY(skep_legacy_lock(m, wants, n, &data, &s->arena, &taken, held, &blocker, err));
    if (taken) return SKEP_OK;
    if (waited >= limit) return took_too_long(&blocker, err);
    if (pause > limit - waited) pause = limit - waited;
    s->ctx->sleep_ms(s->ctx->clock_self, pause);
    waited += pause;
    pause = pause * 2 < 100 ? pause * 2 : 100;
  }
}

skep_status skep_legacy_take(skep_session *s, const skep_lock_entity *entities, uint32_t n, skep_legacy_held **held,
                             skep_err *err) {
  skep_legacy_want *wants;
  size_t n_wants;
  *held = NULL;
  if (!skep_legacy_is_on(s) || !skep_session_bool(s, "hive.support.concurrency", true)) return SKEP_OK;
  SKEP_TRY(skep_legacy_decide(entities, n, &s->arena, &wants, &n_wants, err));
  return n_wants == 0 ? SKEP_OK : take(s, wants, n_wants, false, held, err);
}

void skep_legacy_give_back(skep_session *s, skep_legacy_held **held) {
  skep_err why = {0};
  if (*held != NULL && skep_legacy_unlock(s->legacy->manager, *held, &why) != SKEP_OK)
    skep_log(s->ctx, SKEP_LOG_WARN, "locks stay until this session ends: %s", why.text);
  *held = NULL;
}

skep_status skep_legacy_still_held(skep_session *s, skep_legacy_held *held, skep_err *err) {
  return held == NULL ? SKEP_OK : skep_legacy_check(s->legacy->manager, held, err);
}

/* ---- LOCK, UNLOCK ---- */

typedef struct locking {
  const skep_lock *lock;
  const char *object;
} locking;

/* In a database transaction: what is to be locked is there. */
static skep_status find_object(skep_session *s, void *self, skep_err *err) {
  locking *l = self;
  const skep_lock *lock = l->lock;
  skep_catalog_table *t;
  skep_catalog_partition *p;
  const skep_catalog_db *db;
  if (lock->is_database) {
    SKEP_TRY(ddl_find_database(s, lock->table.name, &db, err));
    l->object = skep_legacy_object(&s->arena, lock->table.name, NULL, NULL);
  } else {
    SKEP_TRY(ddl_find_table(s, &lock->table, false, &t, err));
    const char *partition = NULL;
    if (lock->partition.n != 0) {
      SKEP_TRY(ddl_find_partition(s, t, &lock->partition, &p, err));
      partition = p->name;
    }
    l->object = skep_legacy_object(&s->arena, t->db, t->name, partition);
  }
  return l->object != NULL ? SKEP_OK : ddl_nomem(err);
}

static skep_status unlock(skep_session *s, const locking *l, skep_err *err) {
  skep_legacy_manager *m;
  size_t n;
  SKEP_TRY(need_manager(s, &m, err));
  SKEP_TRY(skep_legacy_unlock_explicit(m, l->object, &n, err));
  if (n != 0) return SKEP_OK;
  return ddl_task_fail(err, 40000, "%s %s is not locked ", l->lock->is_database ? "Database" : "Table",
                       ddl_quote(s, l->lock->table.name));
}

skep_status skep_lock_run(skep_session *s, const skep_statement *statement, skep_result **out, skep_err *err) {
  locking l = {.lock = statement->lock};
  (void)out;
  if (!skep_legacy_is_on(s))
    return ddl_task_fail(err, 10271,
                         "Current transaction manager does not support explicit lock requests.  Transaction manager:   "
                         "org.apache.hadoop.hive.ql.lockmgr.DbTxnManager");
  if (!skep_session_bool(s, "hive.support.concurrency", true))
    return ddl_task_fail(err, 40000, "there is no lock manager: hive.support.concurrency is false");
  SKEP_TRY(ddl_in_transaction(s, SKEP_DB_READ, find_object, &l, err));
  if (statement->kind == SKEP_STMT_UNLOCK) return unlock(s, &l, err);
  skep_legacy_held *held; /* stays NULL */
  const skep_legacy_want want = {l.object, l.lock->exclusive ? SKEP_LEGACY_EXCLUSIVE : SKEP_LEGACY_SHARED};
  return take(s, &want, 1, true, &held, err);
}

/* ---- SHOW LOCKS ---- */

static skep_status show_one(skep_session *s, const skep_legacy_lock_info *lock, bool extended, skep_result *out,
                            skep_err *err) {
  skep_buf text;
  skep_buf_init(&text, s->ctx, 1 << 26);
  skep_legacy_object_show(lock->object, &text);
  skep_status st = skep_buf_check(&text, "a lock", err);
  if (st == SKEP_OK) st = show_row2(out, err, skep_buf_string(&text), skep_legacy_mode_name(lock->mode));
  const char *const names[] = {"LOCK_QUERYID", "LOCK_TIME", "LOCK_MODE", "LOCK_QUERYSTRING"};
  const char *const values[] = {lock->data.query_id, ddl_number(s, lock->data.time_ms),
                                lock->data.is_explicit ? "EXPLICIT" : "IMPLICIT", lock->data.query};
  for (int i = 0; st == SKEP_OK && extended && i < 4; i++) {
    skep_buf_reset(&text);
    skep_buf_printf(&text, "%s:%s", names[i], values[i] != NULL ? values[i] : "");
    st = skep_buf_check(&text, "a lock", err);
    if (st == SKEP_OK) st = show_row2(out, err, skep_buf_string(&text), NULL);
  }
  skep_buf_fini(&text);
  return st;
}

skep_status skep_show_legacy_locks(skep_session *s, const skep_show *show, skep_result **out, skep_err *err) {
  static const char *const names[] = {"tab_name", "mode"};
  skep_legacy_manager *m;
  skep_legacy_lock_info *locks;
  size_t n;
  const char *object = NULL;
  if (show->has_table) {
    skep_catalog_table *t;
    skep_catalog_partition *p = NULL;
    SKEP_TRY(ddl_find_table(s, &show->table, false, &t, err));
    if (show->partition.n != 0) SKEP_TRY(ddl_find_partition(s, t, &show->partition, &p, err));
    object = skep_legacy_object(&s->arena, t->db, t->name, p == NULL ? NULL : p->name);
  } else if (show->db != NULL) {
    object = skep_legacy_object(&s->arena, show->db, NULL, NULL);
  }
  if (object == NULL && (show->has_table || show->db != NULL)) return ddl_nomem(err);
  SKEP_TRY(need_manager(s, &m, err));
  SKEP_TRY(skep_legacy_list(m, object, &s->arena, &locks, &n, err));
  SKEP_TRY(show_new(s, out, err, 2, names));
  for (size_t i = 0; i < n; i++) {
    if (object != NULL && strchr(locks[i].object, '/') == NULL) continue; /* a database's: as Hive leaves them out */
    SKEP_TRY(show_one(s, &locks[i], show->extended, *out, err));
  }
  return SKEP_OK;
}

/* The older locks in ZooKeeper, node for node as Hive's ZooKeeperHiveLockManager makes them.
 *
 *   /<namespace>/<db>/<table>/<k=v>/<k2=v2>          an object, persistent
 *   .../LOCK-SHARED-0000000012, LOCK-EXCLUSIVE-...   a lock: sequential; ephemeral, or (explicit) persistent
 *
 * A lock of an object is ours when no child with a lower number excludes it; otherwise our node goes again.
 * The client library is opened with dlopen: programs without such locks do not need it. */
#include "lock/legacy.h"

#if defined(__has_include)
#if __has_include(<zookeeper/zookeeper.h>)
#define HAS_ZOOKEEPER 1
#endif
#endif

#ifndef HAS_ZOOKEEPER

skep_status skep_legacy_zookeeper_open(const skep_ctx *ctx, const skep_legacy_zookeeper_opts *opts,
                                       skep_legacy_manager **out, skep_err *err) {
  (void)ctx;
  (void)opts;
  *out = NULL;
  return skep_fail(err, SKEP_ERR_UNSUPPORTED,
                   "ZooKeeper: this program was built without its client library "
                   "(libzookeeper-mt-dev)");
}

#else

#define THREADED 1
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zookeeper/zookeeper.h>

enum { MAX_DATA_BYTES = 1 << 20, MAX_NODES = 1000000, MAX_DEPTH = 64, TRIES = 3 };

/* ---- the library ---- */

typedef struct zk_api {
  void *library;
  __typeof__(zookeeper_init2) *init;
  __typeof__(zookeeper_close) *close;
  __typeof__(zoo_state) *state;
  __typeof__(zoo_create) *create;
  __typeof__(zoo_delete) *delete;
  __typeof__(zoo_get) *get;
  __typeof__(zoo_get_children) *get_children;
  __typeof__(deallocate_String_vector) *free_names;
  const struct ACL_vector *acl;
  const int *ephemeral, *sequence, *session_event, *connected, *expired, *auth_failed;
} zk_api;

static bool find(void *library, const char *name, void *out) {
  void *symbol = dlsym(library, name);
  memcpy(out, &symbol, sizeof symbol); /* a function's address in a pointer to one */
  return symbol != NULL;
}

static skep_status load(zk_api *api, skep_err *err) {
  void *lib = dlopen("libzookeeper_mt.so.2", RTLD_NOW | RTLD_LOCAL);
  if (lib == NULL)
    return skep_fail(err, SKEP_ERR_UNSUPPORTED,
                     "ZooKeeper: libzookeeper_mt.so.2 is not on this machine (package "
                     "libzookeeper-mt2)");
  api->library = lib;
  bool all = find(lib, "zookeeper_init2", &api->init) && find(lib, "zookeeper_close", &api->close) &&
             find(lib, "zoo_state", &api->state) && find(lib, "zoo_create", &api->create) &&
             find(lib, "zoo_delete", &api->delete) && find(lib, "zoo_get", &api->get) &&
             find(lib, "zoo_get_children", &api->get_children) &&
             find(lib, "deallocate_String_vector", &api->free_names) && find(lib, "ZOO_OPEN_ACL_UNSAFE", &api->acl) &&
             find(lib, "ZOO_EPHEMERAL", &api->ephemeral) && find(lib, "ZOO_SEQUENCE", &api->sequence) &&
             find(lib, "ZOO_SESSION_EVENT", &api->session_event) && find(lib, "ZOO_CONNECTED_STATE", &api->connected) &&
             find(lib, "ZOO_EXPIRED_SESSION_STATE", &api->expired) &&
             find(lib, "ZOO_AUTH_FAILED_STATE", &api->auth_failed);
  if (all) return SKEP_OK;
  dlclose(lib);
  api->library = NULL;
  return skep_fail(err, SKEP_ERR_UNSUPPORTED, "ZooKeeper: libzookeeper_mt.so.2 is too old");
}

/* ---- the connection ---- */

typedef struct zk {
  skep_legacy_manager base;
  skep_legacy_zookeeper_opts opts;
  zk_api api;
  zhandle_t *handle;    /* NULL: not connected */
  uint64_t connection;  /* counts: locks of an earlier one are lost */
  pthread_mutex_t lock; /* of is_connected, is_lost */
  pthread_cond_t change;
  bool is_connected, is_lost;
} zk;

struct skep_legacy_held {
  uint64_t connection;
  char **nodes;
  size_t n;
};

static void watch(zhandle_t *handle, int type, int state, const char *path, void *self) {
  zk *z = self;
  (void)handle;
  (void)path;
  if (type != *z->api.session_event) return;
  pthread_mutex_lock(&z->lock);
  z->is_connected = state == *z->api.connected;
  if (state == *z->api.expired || state == *z->api.auth_failed) z->is_lost = true;
  pthread_cond_broadcast(&z->change);
  pthread_mutex_unlock(&z->lock);
}

static void no_log(const char *message) { (void)message; }

static void disconnect(zk *z) {
  if (z->handle != NULL) z->api.close(z->handle); /* its ephemeral nodes go with it */
  z->handle = NULL;
}

static bool wait_connected(zk *z) {
  struct timespec end;
  clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_sec += z->opts.connect_ms / 1000;
  end.tv_nsec += z->opts.connect_ms % 1000 * 1000000;
  if (end.tv_nsec >= 1000000000) {
    end.tv_sec++;
    end.tv_nsec -= 1000000000;
  }
  pthread_mutex_lock(&z->lock);
  int timed_out = 0;
  while (!z->is_connected && !z->is_lost && timed_out == 0)
    timed_out = pthread_cond_timedwait(&z->change, &z->lock, &end);
  bool connected = z->is_connected;
  pthread_mutex_unlock(&z->lock);
  return connected;
}

static bool is_lost(zk *z) {
  pthread_mutex_lock(&z->lock);
  bool lost = z->is_lost;
  pthread_mutex_unlock(&z->lock);
  return lost;
}

static skep_status connect_now(zk *z, skep_err *err) {
  char quoted[200];
  if (z->handle != NULL && !is_lost(z)) return SKEP_OK;
  disconnect(z);
  z->is_connected = z->is_lost = false;
  z->connection++;
  z->handle = z->api.init(z->opts.quorum, watch, (int)z->opts.session_ms, NULL, z, 0, no_log);
  if (z->handle != NULL && wait_connected(z)) return SKEP_OK;
  disconnect(z);
  return skep_fail(err, SKEP_ERR_IO, "no connection to ZooKeeper at %s",
                   skep_quote(quoted, sizeof quoted, z->opts.quorum, strlen(z->opts.quorum)));
}

static skep_status failed(int code, const char *what, const char *path, skep_err *err) {
  char quoted[200];
  return skep_fail(err, SKEP_ERR_IO, "ZooKeeper: %s of %s: error %d", what,
                   skep_quote(quoted, sizeof quoted, path, strlen(path)), code);
}

/* ---- nodes ---- */

static const char *join(const zk *z, const char *parent, const char *name, skep_buf *out) {
  skep_buf_init(out, z->base.ctx, 1 << 20);
  skep_buf_printf(out, "%s/%s", parent, name);
  return skep_buf_string(out);
}

/* "/<namespace>" or "/<namespace>/<object>" */
static const char *object_path(const zk *z, const char *object, skep_buf *out) {
  skep_buf_init(out, z->base.ctx, 1 << 20);
  skep_buf_printf(out, "/%s", z->opts.namespace);
  if (object != NULL) skep_buf_printf(out, "/%s", object);
  return skep_buf_string(out);
}

/* The object's node and those above it. */
static skep_status make_object(zk *z, skep_buf *path, skep_err *err) {
  char *text = (char *)path->data;
  for (size_t at = 1; at <= path->size; at++) {
    if (at != path->size && text[at] != '/') continue;
    char kept = text[at];
    text[at] = '\0'; /* a buf's string ends with one already */
    int code = z->api.create(z->handle, text, "", 0, z->api.acl, 0, NULL, 0);
    skep_status status = code == ZOK || code == ZNODEEXISTS ? SKEP_OK : failed(code, "creation", text, err);
    text[at] = kept;
    if (status != SKEP_OK) return status;
  }
  return SKEP_OK;
}

typedef struct lock_name {
  bool is_lock;
  skep_legacy_mode mode;
  uint64_t number;
} lock_name;

static lock_name parse_name(const char *name) {
  static const char *const prefixes[] = {"LOCK-SHARED-", "LOCK-EXCLUSIVE-"};
  lock_name out = {.is_lock = false};
  for (int mode = 0; mode < 2; mode++) {
    size_t n = strlen(prefixes[mode]);
    if (strncmp(name, prefixes[mode], n) != 0 || name[n] == '\0' || strlen(name + n) > 18) continue;
    out = (lock_name){.is_lock = true, .mode = (skep_legacy_mode)mode};
    for (const char *at = name + n; *at != '\0'; at++) {
      if (*at < '0' || *at > '9') return (lock_name){.is_lock = false};
      out.number = out.number * 10 + (uint64_t)(*at - '0');
    }
  }
  return out;
}

/* SKEP_ERR_NOT_FOUND: there is no such node. data: copied to the arena. */
static skep_status get_data(zk *z, const char *path, skep_arena *arena, skep_legacy_data *out, skep_err *err) {
  int size = MAX_DATA_BYTES + 200000;
  char *bytes = skep_alloc(z->base.ctx, (size_t)size);
  if (bytes == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "data of a lock");
  int code = z->api.get(z->handle, path, 0, bytes, &size, NULL);
  skep_status status = SKEP_OK;
  if (code == ZNONODE) {
    status = SKEP_ERR_NOT_FOUND;
  } else if (code != ZOK) {
    status = failed(code, "data", path, err);
  } else {
    status = skep_legacy_data_parse(arena, skep_bytes_of(bytes, size < 0 ? 0 : (size_t)size), out, err);
  }
  skep_release(z->base.ctx, bytes);
  return status;
}

static bool excludes(skep_legacy_mode ours, uint64_t number, lock_name child) {
  return child.is_lock && child.number < number &&
         (child.mode == SKEP_LEGACY_EXCLUSIVE || ours == SKEP_LEGACY_EXCLUSIVE);
}

/* The child that keeps us from the lock, or NULL; borrowed from names. */
static const char *find_blocker(const struct String_vector *names, skep_legacy_mode mode, uint64_t number) {
  for (int32_t i = 0; i < names->count; i++)
    if (excludes(mode, number, parse_name(names->data[i]))) return names->data[i];
  return NULL;
}

static skep_status describe_blocker(zk *z, const char *parent, const char *name, const char *object, skep_arena *arena,
                                    skep_legacy_lock_info *blocker, skep_err *err) {
  skep_buf path;
  const char *text = join(z, parent, name, &path);
  skep_legacy_data data = {.query_id = "", .query = "", .client = ""};
  skep_status status = get_data(z, text, arena, &data, err);
  skep_buf_fini(&path);
  if (status != SKEP_OK && status != SKEP_ERR_NOT_FOUND) return status; /* gone just now: it was in the way */
  const char *copy = skep_arena_strndup(arena, object, strlen(object));
  if (copy == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a lock");
  *blocker = (skep_legacy_lock_info){.object = copy, .mode = parse_name(name).mode, .data = data};
  return SKEP_OK;
}

static void delete_lock(zk *z, const char *node) {
  char *slash = strrchr(node, '/');
  (void)z->api.delete(z->handle, node, -1);
  if (slash == NULL || slash == node) return;
  char *parent = skep_strndup(z->base.ctx, node, (size_t)(slash - node));
  if (parent != NULL) (void)z->api.delete(z->handle, parent, -1); /* when it has no other children, as Hive does */
  skep_release(z->base.ctx, parent);
}

/* ---- locking ---- */

/* Creates the lock's node; *node is the caller's. The parent may be deleted by somebody who unlocks: made again. */
static skep_status create_lock(zk *z, skep_buf *parent, const skep_legacy_want *want, const skep_buf *data,
                               bool is_explicit, char **node, skep_err *err) {
  size_t room = parent->size + 64;
  char name[32];
  int code = ZNONODE;
  *node = skep_alloc(z->base.ctx, room);
  if (*node == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a lock");
  snprintf(name, sizeof name, "LOCK-%s-", skep_legacy_mode_name(want->mode));
  skep_buf path;
  const char *text = join(z, skep_buf_string(parent), name, &path);
  skep_status status = skep_buf_check(&path, "a lock", err);
  int flags = is_explicit ? *z->api.sequence : *z->api.ephemeral | *z->api.sequence;
  for (int tries = 0; status == SKEP_OK && code == ZNONODE && tries < TRIES; tries++) {
    status = make_object(z, parent, err);
    if (status == SKEP_OK)
      code = z->api.create(z->handle, text, (const char *)data->data, (int)data->size, z->api.acl, flags, *node,
                           (int)room);
  }
  if (status == SKEP_OK && code != ZOK) status = failed(code, "creation", text, err);
  skep_buf_fini(&path);
  if (status != SKEP_OK) {
    skep_release(z->base.ctx, *node);
    *node = NULL;
  }
  return status;
}

/* One object: *node NULL when somebody is in the way. */
static skep_status lock_one(zk *z, const skep_legacy_want *want, const skep_buf *data, bool is_explicit,
                            skep_arena *arena, char **node, skep_legacy_lock_info *blocker, skep_err *err) {
  skep_buf parent;
  struct String_vector names = {0, NULL};
  *node = NULL;
  (void)object_path(z, want->object, &parent);
  skep_status status = skep_buf_check(&parent, "a lock", err);
  if (status == SKEP_OK) status = create_lock(z, &parent, want, data, is_explicit, node, err);
  if (status == SKEP_OK) {
    int code = z->api.get_children(z->handle, skep_buf_string(&parent), 0, &names);
    if (code != ZOK) status = failed(code, "children", skep_buf_string(&parent), err);
  }
  const char *found = NULL;
  if (status == SKEP_OK) found = find_blocker(&names, want->mode, parse_name(strrchr(*node, '/') + 1).number);
  if (found != NULL) status = describe_blocker(z, skep_buf_string(&parent), found, want->object, arena, blocker, err);
  if (*node != NULL && (found != NULL || status != SKEP_OK)) {
    delete_lock(z, *node);
    skep_release(z->base.ctx, *node);
    *node = NULL;
  }
  if (names.data != NULL) z->api.free_names(&names);
  skep_buf_fini(&parent);
  return status;
}

static void free_held(zk *z, skep_legacy_held *h) {
  for (size_t i = 0; i < h->n; i++) skep_release(z->base.ctx, h->nodes[i]);
  skep_release(z->base.ctx, h->nodes);
  skep_release(z->base.ctx, h);
}

static void release_nodes(zk *z, skep_legacy_held *h) {
  bool same = z->handle != NULL && z->connection == h->connection && !is_lost(z);
  for (size_t i = h->n; same && i-- > 0;) delete_lock(z, h->nodes[i]);
  free_held(z, h);
}

static skep_status lock_all(zk *z, const skep_legacy_want *wants, size_t n, const skep_legacy_data *data,
                            const skep_buf *text, skep_arena *arena, skep_legacy_held **held,
                            skep_legacy_lock_info *blocker, skep_err *err) {
  skep_legacy_held *h = skep_alloc_zero(z->base.ctx, 1, sizeof *h);
  if (h == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "locks");
  h->nodes = skep_alloc_zero(z->base.ctx, n, sizeof *h->nodes);
  skep_status status = h->nodes == NULL ? skep_fail(err, SKEP_ERR_NOMEM, "%zu locks", n) : SKEP_OK;
  if (status == SKEP_OK) status = connect_now(z, err);
  h->connection = z->connection;
  while (status == SKEP_OK && blocker->object == NULL && h->n < n) {
    status = lock_one(z, &wants[h->n], text, data->is_explicit, arena, &h->nodes[h->n], blocker, err);
    if (status == SKEP_OK && blocker->object == NULL) h->n++;
  }
  if (status == SKEP_OK && blocker->object == NULL) {
    if (data->is_explicit) {
      free_held(z, h);
      h = NULL;
    }
    *held = h;
    return SKEP_OK;
  }
  release_nodes(z, h);
  return status;
}

/* A connection that broke inside a call leaves open whether the node was made: the session ends, with it its ephemeral
 * nodes, and everything begins anew; locks of other statements on it would be lost, so only one holds any at a time. */
static skep_status zk_lock(skep_legacy_manager *m, const skep_legacy_want *wants, size_t n,
                           const skep_legacy_data *data, skep_arena *arena, skep_legacy_held **held,
                           skep_legacy_lock_info *blocker, skep_err *err) {
  zk *z = (zk *)m;
  skep_buf text;
  skep_buf_init(&text, m->ctx, MAX_DATA_BYTES + 100000);
  skep_legacy_data_print(data, m->max_query < MAX_DATA_BYTES ? m->max_query : MAX_DATA_BYTES, &text);
  (void)skep_buf_string(&text);
  skep_status status = skep_buf_check(&text, "data of a lock", err);
  for (int tries = 0; status == SKEP_OK && tries < TRIES; tries++) {
    status = lock_all(z, wants, n, data, &text, arena, held, blocker, err);
    if (status != SKEP_ERR_IO) break;
    disconnect(z);
    if (tries + 1 < TRIES && !data->is_explicit) status = SKEP_OK;
  }
  skep_buf_fini(&text);
  return status;
}

static skep_status zk_unlock(skep_legacy_manager *m, skep_legacy_held *held, skep_err *err) {
  (void)err;
  release_nodes((zk *)m, held); /* what cannot be deleted goes with the session */
  return SKEP_OK;
}

static skep_status zk_check(skep_legacy_manager *m, skep_legacy_held *held, skep_err *err) {
  zk *z = (zk *)m;
  char none[1];
  if (z->handle == NULL || z->connection != held->connection || is_lost(z))
    return skep_fail(err, SKEP_ERR_ABORTED, "the statement's locks are lost: its session with ZooKeeper ended");
  for (size_t i = 0; i < held->n; i++) {
    int size = 0, code = z->api.get(z->handle, held->nodes[i], 0, none, &size, NULL);
    if (code == ZNONODE) return skep_fail(err, SKEP_ERR_ABORTED, "the statement's locks were removed by somebody");
    if (code != ZOK) return failed(code, "data", held->nodes[i], err);
  }
  return SKEP_OK;
}

/* ---- listing ---- */

typedef struct walk {
  zk *z;
  skep_arena *arena;
  skep_legacy_lock_info *locks;
  const char **paths; /* of their nodes */
  size_t n, capacity, paths_capacity;
  size_t n_nodes;
} walk;

static skep_status add_found(walk *w, const char *path, const char *object, lock_name name, skep_err *err) {
  skep_legacy_data data;
  skep_status status = get_data(w->z, path, w->arena, &data, err);
  if (status == SKEP_ERR_NOT_FOUND) return SKEP_OK;
  if (status != SKEP_OK) return status;
  const skep_ctx *ctx = w->z->base.ctx;
  SKEP_TRY(skep_grow(ctx, (void **)&w->locks, &w->capacity, w->n + 1, sizeof *w->locks, err));
  SKEP_TRY(skep_grow(ctx, (void **)&w->paths, &w->paths_capacity, w->n + 1, sizeof *w->paths, err));
  const char *copy = skep_arena_strndup(w->arena, object, strlen(object));
  w->paths[w->n] = skep_arena_strndup(w->arena, path, strlen(path));
  if (copy == NULL || w->paths[w->n] == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "locks");
  w->locks[w->n++] = (skep_legacy_lock_info){.object = copy, .mode = name.mode, .data = data};
  return SKEP_OK;
}

/* object: the path below the namespace; "" at the top. */
static skep_status walk_node(walk *w, const char *path, const char *object, int depth, skep_err *err) {
  struct String_vector names = {0, NULL};
  if (depth > MAX_DEPTH) return skep_fail(err, SKEP_ERR_LIMIT, "ZooKeeper: nodes nested deeper than %d", MAX_DEPTH);
  if (++w->n_nodes > MAX_NODES) return skep_fail(err, SKEP_ERR_LIMIT, "ZooKeeper: more than %d nodes", MAX_NODES);
  int code = w->z->api.get_children(w->z->handle, path, 0, &names);
  if (code == ZNONODE) return SKEP_OK;
  if (code != ZOK) return failed(code, "children", path, err);
  skep_status status = SKEP_OK;
  for (int32_t i = 0; status == SKEP_OK && i < names.count; i++) {
    skep_buf child;
    const char *child_path = join(w->z, path, names.data[i], &child);
    lock_name name = parse_name(names.data[i]);
    status = skep_buf_check(&child, "a node", err);
    if (status == SKEP_OK && name.is_lock && object[0] != '\0') status = add_found(w, child_path, object, name, err);
    if (status == SKEP_OK && !name.is_lock)
      status = walk_node(w, child_path, child_path + strlen(w->z->opts.namespace) + 2, depth + 1, err);
    skep_buf_fini(&child);
  }
  if (names.data != NULL) w->z->api.free_names(&names);
  return status;
}

static skep_status walk_all(walk *w, skep_err *err) {
  skep_buf root;
  SKEP_TRY(connect_now(w->z, err));
  const char *path = object_path(w->z, NULL, &root);
  skep_status status = skep_buf_check(&root, "a node", err);
  if (status == SKEP_OK) status = walk_node(w, path, "", 0, err);
  skep_buf_fini(&root);
  return status;
}

static void walk_fini(walk *w) {
  skep_release(w->z->base.ctx, w->locks);
  skep_release(w->z->base.ctx, w->paths);
}

static skep_status zk_list(skep_legacy_manager *m, skep_arena *arena, skep_legacy_lock_info **out, size_t *n,
                           skep_err *err) {
  walk w = {.z = (zk *)m, .arena = arena};
  skep_status status = walk_all(&w, err);
  if (status == SKEP_OK) {
    *out = skep_arena_zero(arena, w.n + 1, sizeof **out);
    if (*out == NULL) status = skep_fail(err, SKEP_ERR_NOMEM, "%zu locks", w.n);
  }
  if (status == SKEP_OK && w.n != 0) memcpy(*out, w.locks, w.n * sizeof **out);
  if (status == SKEP_OK) *n = w.n;
  walk_fini(&w);
  return status;
}

static skep_status zk_unlock_explicit(skep_legacy_manager *m, const char *object, size_t *n, skep_err *err) {
  skep_arena arena;
  skep_arena_init(&arena, m->ctx, SIZE_MAX / 2);
  walk w = {.z = (zk *)m, .arena = &arena};
  skep_status status = walk_all(&w, err);
  for (size_t i = 0; status == SKEP_OK && i < w.n; i++) {
    if (!w.locks[i].data.is_explicit || strcmp(w.locks[i].object, object) != 0) continue;
    delete_lock(w.z, w.paths[i]);
    ++*n;
  }
  walk_fini(&w);
  skep_arena_fini(&arena);
  return status;
}

/* ---- open and close ---- */

static void zk_close(skep_legacy_manager *m) {
  zk *z = (zk *)m;
  disconnect(z);
  if (z->api.library != NULL) dlclose(z->api.library);
  pthread_cond_destroy(&z->change);
  pthread_mutex_destroy(&z->lock);
  skep_release(m->ctx, z);
}

static const skep_legacy_vtab zk_vtab = {.name = "ZooKeeper",
                                         .lock = zk_lock,
                                         .unlock = zk_unlock,
                                         .check = zk_check,
                                         .unlock_explicit = zk_unlock_explicit,
                                         .list = zk_list,
                                         .close = zk_close};

skep_status skep_legacy_zookeeper_open(const skep_ctx *ctx, const skep_legacy_zookeeper_opts *opts,
                                       skep_legacy_manager **out, skep_err *err) {
  pthread_condattr_t attributes;
  *out = NULL;
  if (opts->quorum == NULL || opts->quorum[0] == '\0')
    return skep_fail(err, SKEP_ERR_ARGUMENT, "ZooKeeper: hive.zookeeper.quorum names no server");
  if (opts->namespace == NULL || opts->namespace[0] == '\0' || opts->namespace[0] == '/')
    return skep_fail(err, SKEP_ERR_ARGUMENT, "ZooKeeper: hive.zookeeper.namespace is no name");
  zk *z = skep_alloc_zero(ctx, 1, sizeof *z);
  if (z == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a lock manager");
  z->base = (skep_legacy_manager){.vt = &zk_vtab, .ctx = ctx, .max_query = 1000000};
  z->opts = *opts;
  if (z->opts.session_ms <= 0 || z->opts.session_ms > INT32_MAX) z->opts.session_ms = 120000;
  if (z->opts.connect_ms <= 0) z->opts.connect_ms = 15000;
  skep_status status = load(&z->api, err);
  if (status != SKEP_OK) {
    skep_release(ctx, z);
    return status;
  }
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_mutex_init(&z->lock, NULL);
  pthread_cond_init(&z->change, &attributes);
  pthread_condattr_destroy(&attributes);
  *out = &z->base;
  return SKEP_OK;
}

#endif

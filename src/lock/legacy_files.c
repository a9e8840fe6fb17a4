/* The older locks between the processes of one machine: files of a directory, held by locks of the operating system.
 *
 *   mutex              locked while the directory is read or changed
 *   i-<number>         a statement's locks; its owner keeps the file locked, so that it counts while the owner lives
 *   e-<number>         explicit locks: count until the file is removed
 *   new                being written; renamed when whole
 *
 * A file: "<bytes of data>\n", the data (legacy.h), '\n', then a line a lock: 'S' or 'E', a blank, the object. Locks
 * are those of open file descriptions (F_OFD_SETLK), so that sessions of one process exclude each other too, and the
 * kernel gives them back whatever way a process ends. Not for network file systems. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lock/legacy.h"

enum { MAX_FILE_BYTES = 64 << 20, MAX_FILES = 1000000 };

typedef struct files {
  skep_legacy_manager base;
  const char *dir;
} files;

struct skep_legacy_held {
  int fd;
  uint64_t number;
};

static skep_status failed(const files *f, const char *what, skep_err *err) {
  char quoted[300];
  int code = errno;
  return skep_fail(err, SKEP_ERR_IO, "%s/%s: %s", skep_quote(quoted, sizeof quoted, f->dir, strlen(f->dir)), what,
                   strerrordesc_np(code) != NULL ? strerrordesc_np(code) : "unknown error");
}

static const char *path_of(const files *f, const char *name, skep_buf *out) {
  skep_buf_init(out, f->base.ctx, 1 << 16);
  skep_buf_printf(out, "%s/%s", f->dir, name);
  return skep_buf_string(out);
}

static skep_status open_file(const files *f, const char *name, int flags, int *fd, skep_err *err) {
  skep_buf path;
  const char *text = path_of(f, name, &path);
  skep_status status = skep_buf_check(&path, "path", err);
  *fd = status == SKEP_OK ? open(text, flags | O_CLOEXEC | O_NOFOLLOW, 0666) : -1;
  if (status == SKEP_OK && *fd < 0) status = errno == ENOENT ? SKEP_ERR_NOT_FOUND : failed(f, name, err);
  skep_buf_fini(&path);
  return status;
}

static void remove_name(const files *f, const char *name) {
  skep_buf path;
  const char *text = path_of(f, name, &path);
  if (path.size != 0) (void)unlink(text);
  skep_buf_fini(&path);
}

/* ---- locks of the operating system ---- */

static int whole_file(int fd, int command, struct flock *lock) {
  *lock = (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET};
  int result;
  do {
    result = fcntl(fd, command, lock);
  } while (result != 0 && errno == EINTR);
  return result;
}

/* make: the directory too. SKEP_ERR_NOT_FOUND: there is none, so nobody has a lock. */
static skep_status begin(files *f, bool make, int *mutex, skep_err *err) {
  struct flock lock;
  if (make && mkdir(f->dir, 0777) != 0 && errno != EEXIST) return failed(f, "", err);
  SKEP_TRY(open_file(f, "mutex", make ? O_RDWR | O_CREAT : O_RDWR, mutex, err));
  if (whole_file(*mutex, F_OFD_SETLKW, &lock) == 0) return SKEP_OK;
  skep_status status = failed(f, "mutex", err);
  close(*mutex);
  return status;
}

static bool is_alive(int fd) {
  struct flock lock;
  return whole_file(fd, F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK; /* in doubt: it counts */
}

/* ---- reading ---- */

typedef struct reading {
  files *f;
  skep_arena *arena;
  skep_legacy_lock_info *locks;
  uint64_t *numbers; /* of their files */
  size_t n, capacity, numbers_capacity;
  uint64_t max_number;
} reading;

static void reading_fini(reading *r) {
  skep_release(r->f->base.ctx, r->locks);
  skep_release(r->f->base.ctx, r->numbers);
}

static skep_status read_bytes(const files *f, int fd, const char *name, skep_buf *out, skep_err *err) {
  uint8_t part[4096];
  ssize_t n;
  while ((n = read(fd, part, sizeof part)) != 0) {
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failed(f, name, err);
    skep_buf_add(out, part, (size_t)n);
    SKEP_TRY(skep_buf_check(out, "a file of locks", err));
  }
  return SKEP_OK;
}

static skep_status damaged(const char *name, skep_err *err) {
  return skep_fail(err, SKEP_ERR_CORRUPT, "%s is no file of locks", name);
}

static skep_status add_lock(reading *r, skep_bytes line, const skep_legacy_data *data, uint64_t number, skep_err *err) {
  const skep_ctx *ctx = r->f->base.ctx;
  SKEP_TRY(skep_grow(ctx, (void **)&r->locks, &r->capacity, r->n + 1, sizeof *r->locks, err));
  SKEP_TRY(skep_grow(ctx, (void **)&r->numbers, &r->numbers_capacity, r->n + 1, sizeof *r->numbers, err));
  const char *object = skep_arena_strndup(r->arena, (const char *)line.at + 2, line.left - 2);
  if (object == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "locks");
  r->numbers[r->n] = number;
  r->locks[r->n++] = (skep_legacy_lock_info){
      .object = object, .mode = line.at[0] == 'E' ? SKEP_LEGACY_EXCLUSIVE : SKEP_LEGACY_SHARED, .data = *data};
  return SKEP_OK;
}

static bool take_line(skep_bytes *text, skep_bytes *line) {
  const uint8_t *end = text->left == 0 ? NULL : memchr(text->at, '\n', text->left);
  if (end == NULL) return false;
  *line = skep_bytes_of(text->at, (size_t)(end - text->at));
  text->left -= line->left + 1;
  text->at = end + 1;
  return true;
}

static skep_status parse(reading *r, skep_bytes text, const char *name, uint64_t number, skep_err *err) {
  skep_legacy_data data;
  skep_bytes line;
  uint64_t n = 0;
  if (!take_line(&text, &line) || line.left == 0 || line.left > 9) return damaged(name, err);
  for (size_t i = 0; i < line.left; i++) {
    if (line.at[i] < '0' || line.at[i] > '9') return damaged(name, err);
    n = n * 10 + (uint64_t)(line.at[i] - '0');
  }
  if (n >= text.left || text.at[n] != '\n') return damaged(name, err);
  SKEP_TRY(skep_legacy_data_parse(r->arena, skep_bytes_of(text.at, n), &data, err));
  text.at += n + 1;
  text.left -= n + 1;
  while (text.left != 0) {
    if (!take_line(&text, &line) || line.left < 3 || line.at[1] != ' ' || (line.at[0] != 'S' && line.at[0] != 'E'))
      return damaged(name, err);
    SKEP_TRY(add_lock(r, line, &data, number, err));
  }
  return SKEP_OK;
}

/* A name "i-12" or "e-12". */
static bool parse_name(const char *name, uint64_t *number) {
  if ((name[0] != 'i' && name[0] != 'e') || name[1] != '-' || name[2] == '\0' || strlen(name) > 20) return false;
  *number = 0;
  for (const char *at = name + 2; *at != '\0'; at++) {
    if (*at < '0' || *at > '9') return false;
    *number = *number * 10 + (uint64_t)(*at - '0');
  }
  return true;
}

static skep_status read_file(reading *r, const char *name, uint64_t number, skep_err *err) {
  int fd;
  skep_buf bytes;
  skep_status status = open_file(r->f, name, O_RDWR, &fd, err);
  if (status == SKEP_ERR_NOT_FOUND) return SKEP_OK; /* unlocked just now */
  if (status != SKEP_OK) return status;
  if (name[0] == 'i' && !is_alive(fd)) {
    remove_name(r->f, name);
    close(fd);
    return SKEP_OK;
  }
  skep_buf_init(&bytes, r->f->base.ctx, MAX_FILE_BYTES);
  status = read_bytes(r->f, fd, name, &bytes, err);
  if (status == SKEP_OK) status = parse(r, skep_bytes_of(bytes.data, bytes.size), name, number, err);
  skep_buf_fini(&bytes);
  close(fd);
  return status;
}

/* Under the mutex. */
static skep_status read_all(reading *r, skep_err *err) {
  DIR *dir = opendir(r->f->dir);
  if (dir == NULL) return failed(r->f, "", err);
  skep_status status = SKEP_OK;
  size_t n = 0;
  for (struct dirent *entry; status == SKEP_OK && (entry = readdir(dir)) != NULL;) {
    uint64_t number;
    if (!parse_name(entry->d_name, &number)) continue;
    if (++n > MAX_FILES) status = skep_fail(err, SKEP_ERR_LIMIT, "more than %d files of locks", MAX_FILES);
    if (number > r->max_number) r->max_number = number;
    if (status == SKEP_OK) status = read_file(r, entry->d_name, number, err);
  }
  closedir(dir);
  return status;
}

/* ---- locking ---- */

static int compare_object(const void *key, const void *want) {
  return strcmp(key, ((const skep_legacy_want *)want)->object);
}

static const skep_legacy_lock_info *find_blocker(const reading *r, const skep_legacy_want *wants, size_t n) {
  for (size_t i = 0; i < r->n; i++) {
    const skep_legacy_want *want = bsearch(r->locks[i].object, wants, n, sizeof *wants, compare_object);
    if (want != NULL && (want->mode == SKEP_LEGACY_EXCLUSIVE || r->locks[i].mode == SKEP_LEGACY_EXCLUSIVE))
      return &r->locks[i];
  }
  return NULL;
}

static void print_locks(const files *f, const skep_legacy_want *wants, size_t n, const skep_legacy_data *data,
                        skep_buf *out) {
  skep_buf text;
  skep_buf_init(&text, f->base.ctx, MAX_FILE_BYTES / 2);
  skep_legacy_data_print(data, f->base.max_query, &text);
  skep_buf_printf(out, "%zu\n", text.size);
  skep_buf_add(out, text.data, text.size);
  skep_buf_byte(out, '\n');
  for (size_t i = 0; i < n; i++)
    skep_buf_printf(out, "%c %s\n", wants[i].mode == SKEP_LEGACY_EXCLUSIVE ? 'E' : 'S', wants[i].object);
  skep_buf_fini(&text);
}

static skep_status write_bytes(const files *f, int fd, const skep_buf *bytes, skep_err *err) {
  for (size_t done = 0; done < bytes->size;) {
    ssize_t n = write(fd, bytes->data + done, bytes->size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failed(f, "new", err);
    done += (size_t)n;
  }
  return SKEP_OK;
}

static skep_status rename_new(const files *f, const char *name, skep_err *err) {
  skep_buf from, to;
  const char *a = path_of(f, "new", &from), *b = path_of(f, name, &to);
  skep_status status = skep_buf_check(&to, "path", err);
  if (status == SKEP_OK && rename(a, b) != 0) status = failed(f, name, err);
  skep_buf_fini(&from);
  skep_buf_fini(&to);
  return status;
}

/* Writes the file of the locks; its descriptor, locked, is the owner's. */
static skep_status write_file(const files *f, const skep_buf *bytes, bool is_explicit, uint64_t number, int *fd,
                              skep_err *err) {
  char name[32];
  struct flock lock;
  snprintf(name, sizeof name, "%c-%010" PRIu64, is_explicit ? 'e' : 'i', number);
  remove_name(f, "new"); /* of a process that died while writing */
  SKEP_TRY(open_file(f, "new", O_RDWR | O_CREAT | O_EXCL, fd, err));
  skep_status status = whole_file(*fd, F_OFD_SETLK, &lock) == 0 ? SKEP_OK : failed(f, "new", err);
  if (status == SKEP_OK) status = write_bytes(f, *fd, bytes, err);
  if (status == SKEP_OK) status = rename_new(f, name, err);
  if (status != SKEP_OK) close(*fd);
  return status;
}

static skep_status take(files *f, const skep_legacy_want *wants, size_t n, const skep_legacy_data *data,
                        uint64_t number, skep_legacy_held **held, skep_err *err) {
  skep_legacy_held *h = skep_alloc_zero(f->base.ctx, 1, sizeof *h);
  skep_buf bytes;
  if (h == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "locks");
  skep_buf_init(&bytes, f->base.ctx, MAX_FILE_BYTES);
  print_locks(f, wants, n, data, &bytes);
  h->number = number;
  skep_status status = skep_buf_check(&bytes, "locks", err);
  if (status == SKEP_OK) status = write_file(f, &bytes, data->is_explicit, number, &h->fd, err);
  skep_buf_fini(&bytes);
  if (status != SKEP_OK || data->is_explicit) {
    if (status == SKEP_OK) close(h->fd);
    skep_release(f->base.ctx, h);
    h = NULL;
  }
  *held = h;
  return status;
}

static skep_status files_lock(skep_legacy_manager *m, const skep_legacy_want *wants, size_t n,
                              const skep_legacy_data *data, skep_arena *arena, skep_legacy_held **held,
                              skep_legacy_lock_info *blocker, skep_err *err) {
  files *f = (files *)m;
  reading r = {.f = f, .arena = arena};
  int mutex;
  SKEP_TRY(begin(f, true, &mutex, err));
  skep_status status = read_all(&r, err);
  if (status == SKEP_OK) {
    const skep_legacy_lock_info *found = find_blocker(&r, wants, n);
    if (found != NULL) {
      *blocker = *found;
    } else {
      status = take(f, wants, n, data, r.max_number + 1, held, err);
    }
  }
  close(mutex);
  reading_fini(&r);
  return status;
}

static skep_status files_unlock(skep_legacy_manager *m, skep_legacy_held *held, skep_err *err) {
  files *f = (files *)m;
  char name[32];
  (void)err;
  snprintf(name, sizeof name, "i-%010" PRIu64, held->number);
  remove_name(f, name); /* when it fails: the next who looks finds it unlocked */
  close(held->fd);
  skep_release(f->base.ctx, held);
  return SKEP_OK;
}

static skep_status files_check(skep_legacy_manager *m, skep_legacy_held *held, skep_err *err) {
  struct stat st;
  (void)m;
  if (fstat(held->fd, &st) == 0 && st.st_nlink != 0) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_ABORTED, "the statement's locks were removed by somebody");
}

/* A file of explicit locks has one lock (LOCK TABLE names one object). */
static skep_status files_unlock_explicit(skep_legacy_manager *m, const char *object, size_t *n, skep_err *err) {
  files *f = (files *)m;
  skep_arena arena;
  int mutex;
  skep_status status = begin(f, false, &mutex, err);
  if (status == SKEP_ERR_NOT_FOUND) return SKEP_OK;
  if (status != SKEP_OK) return status;
  skep_arena_init(&arena, f->base.ctx, SIZE_MAX / 2);
  reading r = {.f = f, .arena = &arena};
  status = read_all(&r, err);
  for (size_t i = 0; status == SKEP_OK && i < r.n; i++) {
    char name[32];
    if (!r.locks[i].data.is_explicit || strcmp(r.locks[i].object, object) != 0) continue;
    snprintf(name, sizeof name, "e-%010" PRIu64, r.numbers[i]);
    remove_name(f, name);
    ++*n;
  }
  close(mutex);
  reading_fini(&r);
  skep_arena_fini(&arena);
  return status;
}

static skep_status files_list(skep_legacy_manager *m, skep_arena *arena, skep_legacy_lock_info **out, size_t *n,
                              skep_err *err) {
  files *f = (files *)m;
  int mutex;
  skep_status status = begin(f, false, &mutex, err);
  if (status == SKEP_ERR_NOT_FOUND) return SKEP_OK;
  if (status != SKEP_OK) return status;
  reading r = {.f = f, .arena = arena};
  status = read_all(&r, err);
  if (status == SKEP_OK) {
    *out = skep_arena_zero(arena, r.n + 1, sizeof **out);
    if (*out == NULL) status = skep_fail(err, SKEP_ERR_NOMEM, "%zu locks", r.n);
  }
  if (status == SKEP_OK && r.n != 0) memcpy(*out, r.locks, r.n * sizeof **out);
  if (status == SKEP_OK) *n = r.n;
  close(mutex);
  reading_fini(&r);
  return status;
}

static void files_close(skep_legacy_manager *m) { skep_release(m->ctx, m); }

static const skep_legacy_vtab files_vtab = {.name = "embedded",
                                            .lock = files_lock,
                                            .unlock = files_unlock,
                                            .check = files_check,
                                            .unlock_explicit = files_unlock_explicit,
                                            .list = files_list,
                                            .close = files_close};

skep_status skep_legacy_files_open(const skep_ctx *ctx, const char *dir, skep_legacy_manager **out, skep_err *err) {
  *out = NULL;
  files *f = skep_alloc_zero(ctx, 1, sizeof *f);
  if (f == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a lock manager");
  f->base = (skep_legacy_manager){.vt = &files_vtab, .ctx = ctx, .max_query = 1000000};
  f->dir = dir;
  *out = &f->base;
  return SKEP_OK;
}

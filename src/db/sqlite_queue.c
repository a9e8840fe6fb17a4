/* Writers in a row, commits synced together: see sqlite_queue.h. */
#include "db/sqlite_queue.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/hash.h"

#define MAGIC UINT64_C(0x31657565755170 /* "pQueue1" */)

enum { PAGE = 4096, BEGIN_BYTE = 1 << 20, SYNC_BYTE, NUMBERS = 1 << 21 };

typedef struct shared {
  uint64_t magic, belongs_to;
  _Atomic uint64_t drawn, served;
  _Atomic uint64_t committed, synced;
  _Atomic uint64_t broken; /* 1: a sync failed */
} shared;

struct skep_sqlite_queue {
  const skep_ctx *ctx;
  int fd;
  shared *all;
  uint64_t number; /* 0: not in the queue */
};

/* ---- bytes of the file, locked ---- */

static int byte_lock(int fd, int command, short type, uint64_t at) {
  struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)at, .l_len = 1};
  int result;
  do {
    result = fcntl(fd, command, &lock);
  } while (result != 0 && errno == EINTR);
  return result;
}

/* Whether nobody has a lower number: the one before it may have given up while others wait still. */
static bool is_first(const skep_sqlite_queue *q) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = NUMBERS, .l_len = (off_t)q->number};
  return fcntl(q->fd, F_OFD_GETLK, &lock) != 0 || lock.l_type == F_UNLCK;
}

/* ---- open ---- */

static uint64_t identity(const char *boot_id, const struct stat *st) {
  uint64_t hash = skep_fnv_step(skep_fnv_text(SKEP_FNV_START, boot_id), (uint64_t)st->st_ino);
  return skep_fnv_step(hash, (uint64_t)st->st_dev);
}

static bool map(skep_sqlite_queue *q, const char *boot_id) {
  struct stat st;
  if (byte_lock(q->fd, F_OFD_SETLKW, F_WRLCK, BEGIN_BYTE) != 0) return false;
  bool fine = fstat(q->fd, &st) == 0 && (st.st_size >= PAGE || ftruncate(q->fd, PAGE) == 0);
  void *page = fine ? mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, q->fd, 0) : MAP_FAILED;
  if (page != MAP_FAILED) {
    q->all = page;
    uint64_t belongs_to = identity(boot_id, &st);
    if (q->all->magic != MAGIC || q->all->belongs_to != belongs_to) {
      memset(page, 0, sizeof *q->all);
      q->all->belongs_to = belongs_to;
      q->all->magic = MAGIC;
    }
  }
  (void)byte_lock(q->fd, F_OFD_SETLK, F_UNLCK, BEGIN_BYTE);
  return q->all != NULL;
}

skep_status skep_sqlite_queue_open(const skep_ctx *ctx, const char *path, const char *boot_id, skep_sqlite_queue **out,
                                   skep_err *err) {
  char name[4096];
  int length = snprintf(name, sizeof name, "%s-queue", path);
  *out = NULL;
  if (length < 0 || (size_t)length >= sizeof name) return SKEP_OK;
  skep_sqlite_queue *q = skep_alloc_zero(ctx, 1, sizeof *q);
  if (q == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "metastore connection");
  q->ctx = ctx;
  q->fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (q->fd < 0 || !map(q, boot_id)) {
    skep_sqlite_queue_close(q);
    return SKEP_OK;
  }
  *out = q;
  return SKEP_OK;
}

void skep_sqlite_queue_close(skep_sqlite_queue *q) {
  if (q == NULL) return;
  if (q->all != NULL) munmap(q->all, PAGE);
  if (q->fd >= 0) close(q->fd); /* the place in the queue with it */
  skep_release(q->ctx, q);
}

/* ---- the row ---- */

/* The next one looks often, those behind it the less the farther away they are. */
static void pause_for(const skep_sqlite_queue *q, uint64_t before) {
  uint64_t served = atomic_load(&q->all->served);
  uint64_t away = before > served ? before - served : 0;
  long ns = 15000 + (long)(away > 20 ? 20 : away) * 40000;
  const struct timespec pause = {.tv_nsec = ns};
  (void)nanosleep(&pause, NULL);
}

skep_status skep_sqlite_queue_enter(skep_sqlite_queue *q, int64_t wait_ns, const _Atomic bool *cancelled) {
  if (q == NULL) return SKEP_OK;
  uint64_t number = atomic_fetch_add(&q->all->drawn, 1) + 1;
  if (number > (UINT64_C(1) << 61) || byte_lock(q->fd, F_OFD_SETLK, F_WRLCK, NUMBERS + number) != 0)
    return SKEP_OK; /* without a place: SQLite's own lock decides */
  q->number = number;
  int64_t start = 0;
  while (!is_first(q)) {
    int64_t now = q->ctx->monotonic_ns(q->ctx->clock_self);
    if (start == 0) start = now;
    if (now - start >= wait_ns || atomic_load(cancelled)) {
      skep_sqlite_queue_leave(q);
      return atomic_load(cancelled) ? SKEP_ERR_CANCELLED : SKEP_ERR_BUSY;
    }
    pause_for(q, number - 1);
  }
  atomic_store(&q->all->served, number);
  return SKEP_OK;
}

void skep_sqlite_queue_leave(skep_sqlite_queue *q) {
  if (q == NULL || q->number == 0) return;
  (void)byte_lock(q->fd, F_OFD_SETLK, F_UNLCK, NUMBERS + q->number);
  q->number = 0;
}

/* ---- syncs ---- */

uint64_t skep_sqlite_queue_committed(skep_sqlite_queue *q) { return atomic_fetch_add(&q->all->committed, 1) + 1; }

skep_status skep_sqlite_queue_sync(skep_sqlite_queue *q, uint64_t commit, skep_sqlite_sync *sync, void *self,
                                   skep_err *err) {
  if (atomic_load(&q->all->synced) >= commit) return SKEP_OK;
  if (byte_lock(q->fd, F_OFD_SETLKW, F_WRLCK, SYNC_BYTE) != 0) {
    const char *why = strerrordesc_np(errno);
    return skep_fail(err, SKEP_ERR_IO, "lock of the queue's file: %s", why != NULL ? why : "unknown error");
  }
  skep_status status = SKEP_OK;
  if (atomic_load(&q->all->synced) < commit) { /* nobody did it for us while we waited */
    uint64_t upto = atomic_load(&q->all->committed);
    status = skep_sqlite_queue_is_broken(q)
                 ? skep_fail(err, SKEP_ERR_IO, "an earlier sync of the write-ahead log failed")
                 : sync(self, err);
    if (status == SKEP_OK) atomic_store(&q->all->synced, upto);
    if (status != SKEP_OK) atomic_store(&q->all->broken, 1);
  }
  (void)byte_lock(q->fd, F_OFD_SETLK, F_UNLCK, SYNC_BYTE);
  return status;
}

bool skep_sqlite_queue_is_broken(const skep_sqlite_queue *q) { return q != NULL && atomic_load(&q->all->broken) != 0; }

void skep_sqlite_queue_mended(skep_sqlite_queue *q) {
  if (q != NULL) atomic_store(&q->all->broken, 0);
}

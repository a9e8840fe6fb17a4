/* The queue of those who write into one SQLite database, and syncs that many commits share. For db_sqlite.c only.
 *
 * SQLite has no queue: who meets a lock sleeps and tries again, and among many processes the unlucky wait for seconds.
 * Here every writer draws a number from a file beside the database ("<path>-queue") and waits for those before it;
 * SQLite's own lock still decides, so nothing but speed depends on the queue. A commit is written into the log under
 * the queue but synced after it, by the first who comes for all who have committed meanwhile: others may see it a
 * moment before it is on disk, but whoever acts on it in this database syncs the same log before saying so.
 *
 * File: a page that all map: what it belongs to, the last number drawn, the number that is served, commits counted and
 * commits synced. A number's holder keeps the byte NUMBERS + number locked (of the open file: F_OFD_SETLK), so that the
 * kernel frees the place of a process that dies. Read together with a restart of the machine or under another inode (a
 * copy) it begins anew: counts of syncs must never outlive the log they speak of. */
#ifndef DB_SQLITE_QUEUE_H
#define DB_SQLITE_QUEUE_H

#include <stdatomic.h>

#include "base/ctx.h"

typedef struct skep_sqlite_queue skep_sqlite_queue;

/* boot_id: of this start of the machine. *out stays NULL, which all functions accept, where there can be no such file:
 * then writers go on without. SKEP_ERR_NOMEM is the only failure. */
SKEP_NODISCARD skep_status skep_sqlite_queue_open(const skep_ctx *ctx, const char *path, const char *boot_id,
                                                  skep_sqlite_queue **out, skep_err *err);
void skep_sqlite_queue_close(skep_sqlite_queue *q);

/* Waits for the turn. SKEP_ERR_BUSY after wait_ns, SKEP_ERR_CANCELLED when *cancelled becomes true; without a text. */
skep_status skep_sqlite_queue_enter(skep_sqlite_queue *q, int64_t wait_ns, const _Atomic bool *cancelled);
void skep_sqlite_queue_leave(skep_sqlite_queue *q); /* not in it: nothing happens */

/* After COMMIT and before _leave; the result is for _sync. */
uint64_t skep_sqlite_queue_committed(skep_sqlite_queue *q);
/* Returns when that commit and all before it are on disk: because somebody has synced since, or sync did now. Its
 * failure, or SKEP_ERR_IO with a text, when that is not known. */
typedef skep_status skep_sqlite_sync(void *self, skep_err *err);
SKEP_NODISCARD skep_status skep_sqlite_queue_sync(skep_sqlite_queue *q, uint64_t commit, skep_sqlite_sync *sync,
                                                  void *self, skep_err *err);

/* A sync has failed, of whichever process: what the system counts as written may not be, and commits that follow in the
 * log would be lost with it. Until everything was copied into the database file and synced there (_mended) no sync
 * succeeds. */
bool skep_sqlite_queue_is_broken(const skep_sqlite_queue *q);
void skep_sqlite_queue_mended(skep_sqlite_queue *q);

#endif

/* Ctrl-C for programs that run statements: it cancels the statement, or wakes up the reader of a terminal or pipe.
 *
 * SIGINT and SIGTERM are blocked in every thread and taken by one that waits for them, so that no signal handler has to
 * know anything. The same thread shows on a terminal that a long statement is alive, and says once, where there is no
 * terminal, for whom one waits. */
#ifndef CLI_INTERRUPTS_H
#define CLI_INTERRUPTS_H

#include <pthread.h>
#include <sys/types.h>

#include "base/ctx.h"

/* What is said on stderr of a statement that runs. */
typedef enum skep_interrupts_show {
  SKEP_SHOW_NOTHING,
  SKEP_SHOW_TIME, /* a line that counts: for people */
  SKEP_SHOW_WAITS /* one line, when it has waited for some seconds: for logs */
} skep_interrupts_show;

typedef struct skep_interrupts {
  const skep_ctx *ctx;
  pthread_t thread, main_thread;
  bool started;
  int wake[2]; /* a byte for each signal: what a reader polls beside its input */
  pthread_mutex_t lock;
  /* under the lock */
  void (*cancel)(void *self); /* of the running statement; NULL: none runs */
  double (*progress)(void *self);
  bool (*waits)(void *self, char *out, size_t size); /* NULL, or set before begin: for whom the statement waits */
  void *self;
  bool interrupted; /* since the last take */
  bool terminated;  /* SIGTERM came */
  bool stop;
  skep_interrupts_show show;
  bool shown;       /* the line stands there */
  bool said_waits;  /* of the running statement */
  int64_t waits_ns; /* since when it is seen to wait; 0: it does not */
  int64_t begin_ns; /* of the running statement */
} skep_interrupts;

/* Call it while the process has one thread: threads made later inherit the blocked signals. */
SKEP_NODISCARD skep_status skep_interrupts_start(skep_interrupts *it, const skep_ctx *ctx, skep_interrupts_show show,
                                                 skep_err *err);
void skep_interrupts_stop(skep_interrupts *it); /* safe when start failed */

/* Around the time in which a statement runs: `cancel` and `progress` (0 to 1; below 0: not known) may be called, from
 * the other thread. A second signal while one is being obeyed ends the process at once. */
void skep_interrupts_begin(skep_interrupts *it, void (*cancel)(void *self), double (*progress)(void *self), void *self);
void skep_interrupts_end(skep_interrupts *it);
/* Removes the line that says how long the statement runs, before something else is printed; it does not come again. */
void skep_interrupts_quiet(skep_interrupts *it);

/* Whether a signal came since the last call; it is forgotten. *terminated is not: the program is to end. */
bool skep_interrupts_take(skep_interrupts *it, bool *terminated);

bool skep_interrupts_pending(skep_interrupts *it); /* the same, not forgotten */

/* read(2) that a signal ends: -1 with errno EINTR. Also when the signal came before the call. */
ssize_t skep_interrupts_read(skep_interrupts *it, int fd, void *out, size_t size);

#endif

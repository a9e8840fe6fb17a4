/* The thread that waits for signals. */
#include "cli/interrupts.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/output.h"

static const int64_t first_ns = 1000000000; /* how long a statement runs before its time is shown */
static const int64_t waits_ns = 3000000000; /* how long one waits before it is said */

static void on_poke(int signal_number) { (void)signal_number; } /* a blocked write returns with EINTR */

static void signals_waited_for(sigset_t *set) {
  sigemptyset(set);
  sigaddset(set, SIGINT);
  sigaddset(set, SIGTERM);
}

static void clear_line(skep_interrupts *it) {
  if (it->shown) fputs("\r\033[K", stderr);
  it->shown = false;
}

static void show_line(skep_interrupts *it) {
  int64_t ns = it->ctx->monotonic_ns(it->ctx->clock_self) - it->begin_ns;
  if (it->cancel == NULL || it->show != SKEP_SHOW_TIME || it->interrupted || ns < first_ns) return;
  double part = it->progress(it->self);
  char whom[160];
  if (it->waits != NULL && it->waits(it->self, whom, sizeof whom)) {
    fprintf(stderr, "\rwaiting for %.1f s: %s (Ctrl-C cancels)\033[K", (double)ns / 1e9, whom);
  } else if (part >= 0) {
    fprintf(stderr, "\rrunning for %.1f s, %.0f %% read (Ctrl-C cancels)\033[K", (double)ns / 1e9, part * 100);
  } else {
    fprintf(stderr, "\rrunning for %.1f s (Ctrl-C cancels)\033[K", (double)ns / 1e9);
  }
  it->shown = true;
}

/* Once a statement: a script's log is no place for a running count. */
static void say_waits(skep_interrupts *it) {
  char whom[600];
  if (it->cancel == NULL || it->show != SKEP_SHOW_WAITS || it->said_waits || it->waits == NULL) return;
  if (!it->waits(it->self, whom, sizeof whom)) {
    it->waits_ns = 0;
    return;
  }
  int64_t now = it->ctx->monotonic_ns(it->ctx->clock_self);
  if (it->waits_ns == 0) it->waits_ns = now;
  if (now - it->waits_ns < waits_ns) return;
  it->said_waits = true;
  fprintf(stderr, "The statement waits for a lock: %s\n", whom);
}

static void on_signal(skep_interrupts *it, int number) {
  bool again = it->cancel != NULL && it->interrupted;
  clear_line(it);
  if (again) _exit(128 + number);
  it->interrupted = true;
  if (number == SIGTERM) it->terminated = true;
  ssize_t ignored = write(it->wake[1], "", 1); /* the pipe holds a byte already when it is full */
  (void)ignored;
  if (it->cancel == NULL) return;
  it->cancel(it->self);
  skep_cli_set_interrupted(true);
  pthread_kill(it->main_thread, SIGUSR1);
}

static void *wait_for_signals(void *self) {
  skep_interrupts *it = self;
  sigset_t set;
  const struct timespec tick = {.tv_nsec = 200000000};
  signals_waited_for(&set);
  bool obeying = false; /* a signal came, and the statement still runs */
  for (bool stop = false; !stop;) {
    bool ticks = it->show != SKEP_SHOW_NOTHING || obeying;
    int number = ticks ? sigtimedwait(&set, NULL, &tick) : sigwaitinfo(&set, NULL);
    pthread_mutex_lock(&it->lock);
    stop = it->stop;
    if (!stop && number > 0) on_signal(it, number);
    if (!stop && number < 0) show_line(it);
    if (!stop && number < 0) say_waits(it);
    if (!stop && number < 0 && obeying && it->cancel != NULL)
      it->cancel(it->self); /* it may have been just beginning */
    obeying = it->interrupted && it->cancel != NULL;
    pthread_mutex_unlock(&it->lock);
  }
  return NULL;
}

static skep_status start(skep_interrupts *it, skep_err *err) {
  sigset_t set;
  signals_waited_for(&set);
  struct sigaction action = {.sa_handler = on_poke}; /* no SA_RESTART */
  sigemptyset(&action.sa_mask);
  sigaction(SIGUSR1, &action, NULL);
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, NULL);
  if (pipe2(it->wake, O_CLOEXEC | O_NONBLOCK) != 0) return skep_fail(err, SKEP_ERR_IO, "cannot make a pipe");
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  if (pthread_create(&it->thread, NULL, wait_for_signals, it) == 0) return SKEP_OK;
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  close(it->wake[0]);
  close(it->wake[1]);
  return skep_fail(err, SKEP_ERR_NOMEM, "cannot start a thread");
}

skep_status skep_interrupts_start(skep_interrupts *it, const skep_ctx *ctx, skep_interrupts_show show, skep_err *err) {
  *it = (skep_interrupts){.ctx = ctx, .show = show, .main_thread = pthread_self()};
  pthread_mutex_init(&it->lock, NULL);
  SKEP_TRY(start(it, err));
  it->started = true;
  return SKEP_OK;
}

void skep_interrupts_stop(skep_interrupts *it) {
  if (!it->started) return;
  pthread_mutex_lock(&it->lock);
  it->stop = true;
  pthread_mutex_unlock(&it->lock);
  pthread_kill(it->thread, SIGINT);
  pthread_join(it->thread, NULL);
  close(it->wake[0]);
  close(it->wake[1]);
  pthread_mutex_destroy(&it->lock);
  it->started = false;
}

void skep_interrupts_begin(skep_interrupts *it, void (*cancel)(void *self), double (*progress)(void *self),
                           void *self) {
  pthread_mutex_lock(&it->lock);
  it->cancel = cancel;
  it->progress = progress;
  it->self = self;
  it->begin_ns = it->ctx->monotonic_ns(it->ctx->clock_self);
  it->said_waits = false;
  it->waits_ns = 0;
  pthread_mutex_unlock(&it->lock);
}

void skep_interrupts_end(skep_interrupts *it) {
  pthread_mutex_lock(&it->lock);
  clear_line(it);
  it->cancel = NULL;
  pthread_mutex_unlock(&it->lock);
}

void skep_interrupts_quiet(skep_interrupts *it) {
  pthread_mutex_lock(&it->lock);
  clear_line(it);
  it->begin_ns = INT64_MAX / 2; /* not shown before that */
  pthread_mutex_unlock(&it->lock);
}

bool skep_interrupts_pending(skep_interrupts *it) {
  pthread_mutex_lock(&it->lock);
  bool came = it->interrupted;
  pthread_mutex_unlock(&it->lock);
  return came;
}

bool skep_interrupts_take(skep_interrupts *it, bool *terminated) {
  uint8_t drained[64];
  pthread_mutex_lock(&it->lock);
  bool came = it->interrupted;
  it->interrupted = false;
  *terminated = it->terminated;
  while (read(it->wake[0], drained, sizeof drained) > 0) continue;
  skep_cli_set_interrupted(false);
  pthread_mutex_unlock(&it->lock);
  return came;
}

ssize_t skep_interrupts_read(skep_interrupts *it, int fd, void *out, size_t size) {
  struct pollfd fds[2] = {{.fd = it->wake[0], .events = POLLIN}, {.fd = fd, .events = POLLIN}};
  for (;;) {
    if (poll(fds, 2, -1) < 0 && errno != EINTR) return -1;
    if (fds[0].revents != 0) {
      errno = EINTR;
      return -1;
    }
    if (fds[1].revents == 0) continue;
    ssize_t n = read(fd, out, size);
    if (n >= 0 || (errno != EINTR && errno != EAGAIN)) return n;
  }
}

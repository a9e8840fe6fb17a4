/* Where metrics go: a file that is replaced now and then, or a port that answers GET /metrics on 127.0.0.1. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/compact_int.h"
#include "compact/metrics.h"

enum {
  MAX_TEXT = 64 << 20,
  EVERY_MS = 15000,
  TICK_MS = 200,
  MAX_REQUEST = 4096,
  MAX_DRAINED = 256,
  PATIENCE_MS = 2000
};

struct skep_compact_exporter {
  const skep_ctx *ctx;
  const skep_compact_counters *counters;
  char *path; /* or NULL: a port */
  int listener;
  skep_compact_seat_open *open;
  void *self;
  pthread_t thread;
  _Atomic bool stop;
};

/* ---- a file ---- */

static skep_status write_whole(const char *path, const skep_buf *text, skep_err *err) {
  (void)unlink(path); /* of one of this number that died; a link that somebody put there is not followed */
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  FILE *f = fd >= 0 ? fdopen(fd, "wb") : NULL;
  if (f == NULL) {
    skep_status status = skep_fail(err, SKEP_ERR_IO, "--metrics: cannot write the file (errno %d)", errno);
    if (fd >= 0) close(fd);
    return status;
  }
  size_t n = fwrite(text->data, 1, text->size, f);
  if (fclose(f) == 0 && n == text->size) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_IO, "--metrics: cannot write the file (errno %d)", errno);
}

/* A reader sees the old text or the new one. */
static skep_status replace_file(const skep_ctx *ctx, const char *path, const skep_buf *text, skep_err *err) {
  size_t room = strlen(path) + 32;
  char *temp = skep_alloc(ctx, room);
  if (temp == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "metrics");
  snprintf(temp, room, "%s.%ld", path, (long)getpid());
  skep_status status = write_whole(temp, text, err);
  if (status == SKEP_OK && rename(temp, path) != 0)
    status = skep_fail(err, SKEP_ERR_IO, "--metrics: cannot replace the file (errno %d)", errno);
  if (status != SKEP_OK) (void)unlink(temp);
  skep_release(ctx, temp);
  return status;
}

skep_status skep_compact_export_file(const skep_compact_env *env, const skep_compact_counters *counters,
                                     const char *path, skep_err *err) {
  skep_buf text;
  skep_buf_init(&text, env->ctx, MAX_TEXT);
  skep_status status = skep_compact_metrics(env, counters, &text, err);
  if (status == SKEP_OK) status = replace_file(env->ctx, path, &text, err);
  skep_buf_fini(&text);
  return status;
}

/* ---- a port ---- */

static bool parse_port(const char *where, uint16_t *port) {
  uint64_t n;
  if (!skep_cli_parse_count(where, &n) || n < 1 || n > 65535) return false;
  *port = (uint16_t)n;
  return true;
}

static skep_status listen_at(uint16_t port, int *out, skep_err *err) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (fd >= 0) (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (fd < 0 || bind(fd, (const struct sockaddr *)&address, sizeof address) != 0 || listen(fd, 16) != 0) {
    skep_status status = skep_fail(err, SKEP_ERR_IO, "--metrics: port %u (errno %d)", port, errno);
    if (fd >= 0) close(fd);
    return status;
  }
  *out = fd;
  return SKEP_OK;
}

static bool wait_readable(int fd, int ms) {
  struct pollfd p = {.fd = fd, .events = POLLIN};
  return poll(&p, 1, ms) > 0;
}

/* A peer has so long for its request, and for taking the answer: one that dawdles keeps the next ones waiting. */
static int64_t deadline(const skep_compact_exporter *e) {
  return e->ctx->monotonic_ns(e->ctx->clock_self) / 1000000 + PATIENCE_MS;
}

/* False: the time is over, or the end has come. */
static bool wait_for(const skep_compact_exporter *e, int fd, short events, int64_t until) {
  while (!atomic_load(&e->stop)) {
    int64_t left = until - e->ctx->monotonic_ns(e->ctx->clock_self) / 1000000;
    struct pollfd p = {.fd = fd, .events = events};
    if (left <= 0) return false;
    if (poll(&p, 1, left < TICK_MS ? (int)left : TICK_MS) > 0) return true;
  }
  return false;
}

/* The request's head. False: it does not end within the room and the time there is, or the peer has gone. */
static bool read_request(const skep_compact_exporter *e, int fd, char *head, size_t size) {
  int64_t until = deadline(e);
  size_t n = 0;
  head[0] = '\0';
  while (n + 1 < size && wait_for(e, fd, POLLIN, until)) {
    ssize_t got = read(fd, head + n, size - 1 - n);
    if (got <= 0) return false;
    n += (size_t)got;
    head[n] = '\0';
    if (memchr(head, '\0', n) != NULL) return false;
    if (strstr(head, "\r\n\r\n") != NULL || strstr(head, "\n\n") != NULL) return true;
  }
  return false;
}

static void send_all(const skep_compact_exporter *e, int fd, const void *bytes, size_t length) {
  const char *at = bytes;
  int64_t until = deadline(e);
  while (length > 0 && wait_for(e, fd, POLLOUT, until)) {
    ssize_t sent = send(fd, at, length, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent <= 0) return;
    at += sent;
    length -= (size_t)sent;
  }
}

/* What the peer still sends is thrown away: a connection closed over unread bytes loses the answer on its way. */
static void drain(const skep_compact_exporter *e, int fd) {
  char bytes[4096];
  int64_t until = deadline(e);
  (void)shutdown(fd, SHUT_WR);
  for (int i = 0; i < MAX_DRAINED && wait_for(e, fd, POLLIN, until); i++)
    if (read(fd, bytes, sizeof bytes) <= 0) return;
}

typedef struct http_answer {
  const char *status, *more; /* further lines of the head, or "" */
  const char *type;
  const void *body;
  size_t length;
} http_answer;

static void answer(const skep_compact_exporter *e, int fd, const http_answer *a, bool with_body) {
  char head[300];
  int n = snprintf(head, sizeof head,
                   "HTTP/1.1 %s\r\n%sContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n", a->status,
                   a->more, a->type, a->length);
  send_all(e, fd, head, (size_t)n);
  if (with_body) send_all(e, fd, a->body, a->length);
  drain(e, fd);
}

static void refuse(const skep_compact_exporter *e, int fd, const char *status, const char *more) {
  static const char hint[] = "GET /metrics\n";
  const http_answer a = {status, more, "text/plain", hint, sizeof hint - 1};
  answer(e, fd, &a, true);
}

/* "GET /metrics HTTP/1.1", with or without a query. */
static bool asks_for(const char *head, const char *path) {
  size_t n = strlen(path);
  return strncmp(head, path, n) == 0 && (head[n] == ' ' || head[n] == '?');
}

static void serve_metrics(skep_compact_exporter *e, int fd, bool with_body) {
  skep_compact_seat seat;
  skep_err err = {0};
  skep_buf text;
  skep_buf_init(&text, e->ctx, MAX_TEXT);
  skep_status status = e->open(e->self, &seat, &err);
  if (status == SKEP_OK) {
    status = skep_compact_metrics(&seat.env, e->counters, &text, &err);
    skep_compact_seat_close(&seat);
  }
  const http_answer good = {"200 OK", "", "text/plain; version=0.0.4; charset=utf-8", text.data, text.size};
  const http_answer bad = {"503 Service Unavailable", "", "text/plain", err.text, strlen(err.text)};
  answer(e, fd, status == SKEP_OK ? &good : &bad, with_body);
  skep_buf_fini(&text);
}

static void serve(skep_compact_exporter *e, int fd) {
  char head[MAX_REQUEST];
  if (!read_request(e, fd, head, sizeof head)) {
    if (head[0] != '\0') refuse(e, fd, "400 Bad Request", "");
    return;
  }
  bool is_get = strncmp(head, "GET ", 4) == 0, is_head = strncmp(head, "HEAD ", 5) == 0;
  const char *path = head + (is_get ? 4 : 5);
  if (!is_get && !is_head) {
    refuse(e, fd, "405 Method Not Allowed", "Allow: GET, HEAD\r\n");
  } else if (!asks_for(path, "/metrics") && !asks_for(path, "/")) {
    refuse(e, fd, "404 Not Found", "");
  } else {
    serve_metrics(e, fd, is_get);
  }
}

/* ---- the thread ---- */

static void export_port(skep_compact_exporter *e) {
  while (!atomic_load(&e->stop)) {
    if (!wait_readable(e->listener, TICK_MS)) continue;
    int fd = accept(e->listener, NULL, NULL);
    if (fd < 0) continue;
    serve(e, fd);
    close(fd);
  }
}

static void export_path(skep_compact_exporter *e) {
  int64_t left = 0;
  while (!atomic_load(&e->stop)) {
    if (left <= 0) {
      skep_compact_seat seat;
      skep_err err = {0};
      skep_status status = e->open(e->self, &seat, &err);
      if (status == SKEP_OK) {
        status = skep_compact_export_file(&seat.env, e->counters, e->path, &err);
        skep_compact_seat_close(&seat);
      }
      if (status != SKEP_OK) fprintf(stderr, "skep: metrics: %s\n", err.text);
      left = EVERY_MS;
    }
    e->ctx->sleep_ms(e->ctx->clock_self, TICK_MS);
    left -= TICK_MS;
  }
}

static void *run_exporter(void *self) {
  skep_compact_exporter *e = self;
  if (e->path != NULL) {
    export_path(e);
  } else {
    export_port(e);
  }
  return NULL;
}

skep_status skep_compact_exporter_start(const skep_ctx *ctx, const char *where, const skep_compact_counters *counters,
                                        skep_compact_seat_open *open, void *self, skep_compact_exporter **out,
                                        skep_err *err) {
  uint16_t port = 0;
  *out = NULL;
  skep_compact_exporter *e = skep_alloc_zero(ctx, 1, sizeof *e);
  if (e == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "metrics");
  e->ctx = ctx;
  e->counters = counters;
  e->open = open;
  e->self = self;
  e->listener = -1;
  skep_status status = SKEP_OK;
  if (parse_port(where, &port)) {
    status = listen_at(port, &e->listener, err);
  } else {
    e->path = skep_strndup(ctx, where, strlen(where));
    if (e->path == NULL) status = skep_fail(err, SKEP_ERR_NOMEM, "metrics");
  }
  if (status == SKEP_OK && pthread_create(&e->thread, NULL, run_exporter, e) != 0)
    status = skep_fail(err, SKEP_ERR_NOMEM, "a thread");
  if (status == SKEP_OK) {
    *out = e;
    return SKEP_OK;
  }
  if (e->listener >= 0) close(e->listener);
  skep_release(ctx, e->path);
  skep_release(ctx, e);
  return status;
}

void skep_compact_exporter_stop(skep_compact_exporter *e) {
  if (e == NULL) return;
  atomic_store(&e->stop, true);
  pthread_join(e->thread, NULL);
  if (e->listener >= 0) close(e->listener);
  skep_release(e->ctx, e->path);
  skep_release(e->ctx, e);
}

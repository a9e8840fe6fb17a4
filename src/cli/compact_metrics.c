/* Where metrics go: a file that is replaced now and then, or a port that answers GET /metrics on 127.0.0.1. */
#include <errno.h>
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

enum { MAX_TEXT = 64 << 20, EVERY_MS = 15000, TICK_MS = 200, MAX_REQUEST = 4096, PATIENCE_MS = 2000 };

struct skep_compact_exporter {
  const skep_ctx *ctx;
  char *path; /* or NULL: a port */
  int listener;
  skep_compact_seat_open *open;
  void *self;
  pthread_t thread;
  _Atomic bool stop;
};

/* ---- a file ---- */

static skep_status write_whole(const char *path, const skep_buf *text, skep_err *err) {
  FILE *f = fopen(path, "wb");
  if (f == NULL) return skep_fail(err, SKEP_ERR_IO, "--metrics: cannot write the file (errno %d)", errno);
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

skep_status skep_compact_export_file(const skep_compact_env *env, const char *path, skep_err *err) {
  skep_buf text;
  skep_buf_init(&text, env->ctx, MAX_TEXT);
  skep_status status = skep_compact_metrics(env, &text, err);
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

/* The request's head, as far as it fits; false: the peer says nothing. */
static bool read_request(int fd, char *head, size_t size) {
  size_t n = 0;
  head[0] = '\0';
  while (n + 1 < size && wait_readable(fd, PATIENCE_MS)) {
    ssize_t got = read(fd, head + n, size - 1 - n);
    if (got <= 0) break;
    n += (size_t)got;
    head[n] = '\0';
    if (strstr(head, "\r\n\r\n") != NULL || strstr(head, "\n\n") != NULL) return true;
  }
  return false;
}

static void send_all(int fd, const void *bytes, size_t length) {
  const char *at = bytes;
  while (length > 0) {
    struct pollfd p = {.fd = fd, .events = POLLOUT};
    if (poll(&p, 1, PATIENCE_MS) <= 0) return;
    ssize_t sent = send(fd, at, length, MSG_NOSIGNAL);
    if (sent <= 0) return;
    at += sent;
    length -= (size_t)sent;
  }
}

static void answer(int fd, const char *status, const char *type, const void *body, size_t length) {
  char head[200];
  int n =
      snprintf(head, sizeof head, "HTTP/1.0 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n",
               status, type, length);
  send_all(fd, head, (size_t)n);
  send_all(fd, body, length);
}

static void serve(skep_compact_exporter *e, int fd) {
  static const char none[] = "GET /metrics\n";
  char head[MAX_REQUEST];
  skep_compact_seat seat;
  skep_err err = {0};
  if (!read_request(fd, head, sizeof head)) return;
  if (strncmp(head, "GET /metrics ", 13) != 0 && strncmp(head, "GET / ", 6) != 0) {
    answer(fd, "404 Not Found", "text/plain", none, sizeof none - 1);
    return;
  }
  skep_buf text;
  skep_buf_init(&text, e->ctx, MAX_TEXT);
  skep_status status = e->open(e->self, &seat, &err);
  if (status == SKEP_OK) {
    status = skep_compact_metrics(&seat.env, &text, &err);
    skep_compact_seat_close(&seat);
  }
  if (status == SKEP_OK) {
    answer(fd, "200 OK", "text/plain; version=0.0.4; charset=utf-8", text.data, text.size);
  } else {
    answer(fd, "503 Service Unavailable", "text/plain", err.text, strlen(err.text));
  }
  skep_buf_fini(&text);
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
        status = skep_compact_export_file(&seat.env, e->path, &err);
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

skep_status skep_compact_exporter_start(const skep_ctx *ctx, const char *where, skep_compact_seat_open *open,
                                        void *self, skep_compact_exporter **out, skep_err *err) {
  uint16_t port = 0;
  *out = NULL;
  skep_compact_exporter *e = skep_alloc_zero(ctx, 1, sizeof *e);
  if (e == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "metrics");
  e->ctx = ctx;
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

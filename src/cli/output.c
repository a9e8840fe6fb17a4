/* Writing to standard output, and the signals that concern it. */
#include "cli/output.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { CAPACITY = 256 << 10 };

/* The one mutable global of the program: a signal handler has no other way to be told where to write. */
static int interrupted; /* __atomic builtins only */

static void on_interrupt(int signal_number) {
  if (__atomic_exchange_n(&interrupted, 1, __ATOMIC_RELAXED) != 0) _exit(128 + signal_number);
}

void skep_cli_signals_install(void) {
  struct sigaction action = {.sa_handler = on_interrupt}; /* no SA_RESTART: a blocked write returns */
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, NULL);
}

bool skep_cli_interrupted(void) { return __atomic_load_n(&interrupted, __ATOMIC_RELAXED) != 0; }

void skep_cli_set_interrupted(bool value) { __atomic_store_n(&interrupted, value, __ATOMIC_RELAXED); }

skep_status skep_cli_output_init(skep_cli_output *out, const skep_ctx *ctx, int fd, skep_err *err) {
  *out = (skep_cli_output){.ctx = ctx, .fd = fd, .data = skep_alloc(ctx, CAPACITY)};
  return out->data != NULL ? SKEP_OK : skep_fail(err, SKEP_ERR_NOMEM, "no memory for an output buffer");
}

void skep_cli_output_fini(skep_cli_output *out) {
  skep_release(out->ctx, out->data);
  out->data = NULL;
}

static bool write_all(skep_cli_output *out, const uint8_t *at, size_t left) {
  if (out->closed || out->error != 0) return false;
  while (left > 0 && !skep_cli_interrupted()) {
    ssize_t n = write(out->fd, at, left);
    if (n >= 0) {
      at += n;
      left -= (size_t)n;
    } else if (errno == EPIPE) {
      out->closed = true;
      return false;
    } else if (errno != EINTR) {
      out->error = errno;
      return false;
    }
  }
  return left == 0;
}

bool skep_cli_output_flush(skep_cli_output *out) {
  size_t size = out->size;
  out->size = 0;
  return write_all(out, out->data, size);
}

bool skep_cli_output_write(skep_cli_output *out, const void *bytes, size_t length) {
  if (length > CAPACITY - out->size) {
    if (!skep_cli_output_flush(out)) return false;
    if (length >= CAPACITY) return write_all(out, bytes, length);
  }
  if (length != 0) memcpy(out->data + out->size, bytes, length);
  out->size += length;
  return !out->closed && out->error == 0;
}

skep_status skep_cli_output_check(const skep_cli_output *out, skep_err *err) {
  if (out->error == 0) return SKEP_OK;
  char text[128];
  return skep_fail(err, SKEP_ERR_IO, "cannot write to standard output: %s", strerror_r(out->error, text, sizeof text));
}

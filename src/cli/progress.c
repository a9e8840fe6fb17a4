/* The progress bar. */
#include "cli/progress.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const int64_t first_ns = 1000000000, every_ns = 200000000;

void skep_cli_progress_init(skep_cli_progress *p, const skep_ctx *ctx, uint64_t total, bool wanted) {
  *p = (skep_cli_progress){.ctx = ctx, .total = total};
  p->enabled = wanted && total > 0 && isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO);
  p->start_ns = p->last_ns = ctx->monotonic_ns(ctx->clock_self);
}

static const char *short_count(char *out, size_t out_size, double n) {
  static const char *const units[] = {"", "k", "M", "G", "T", "P"};
  size_t unit = 0;
  for (; n >= 1000 && unit < 5; unit++) n /= 1000;
  snprintf(out, out_size, unit == 0 || n >= 100 ? "%.0f%s" : "%.1f%s", n, units[unit]);
  return out;
}

static const char *short_time(char *out, size_t out_size, double seconds) {
  uint64_t s = (uint64_t)(seconds + 0.5);
  if (s >= 3600) {
    snprintf(out, out_size, "%uh%02um", (unsigned)(s / 3600 % 100000), (unsigned)(s / 60 % 60));
  } else {
    snprintf(out, out_size, "%u:%02u", (unsigned)(s / 60), (unsigned)(s % 60));
  }
  return out;
}

const char *skep_cli_progress_line(char *out, size_t out_size, unsigned columns, uint64_t done, uint64_t total,
                                   uint64_t rows, double seconds) {
  char count[24], rate[24], eta[24], bar[64];
  if (done > total) done = total;
  double part = total == 0 ? 0 : (double)done / (double)total;
  unsigned width = columns < 60 ? 0 : columns > 100 ? 40 : columns - 56;
  unsigned full = (unsigned)(part * width);
  memset(bar, ' ', sizeof bar);
  memset(bar, '=', full);
  if (full < width) bar[full] = '>';
  bar[width] = '\0';
  short_count(count, sizeof count, (double)rows);
  short_count(rate, sizeof rate, seconds > 0 ? (double)rows / seconds : 0);
  if (part > 0) {
    short_time(eta, sizeof eta, seconds * (1 - part) / part);
  } else {
    snprintf(eta, sizeof eta, "?");
  }
  snprintf(out, out_size, "%s%s%s%3u%%  %s rows  %s/s  ETA %s", width ? "[" : "", bar, width ? "] " : "",
           (unsigned)(part * 100), count, rate, eta);
  return out;
}

void skep_cli_progress_show(skep_cli_progress *p, uint64_t done, uint64_t rows) {
  if (!p->enabled) return;
  int64_t now = p->ctx->monotonic_ns(p->ctx->clock_self);
  if (now - p->start_ns < first_ns || (p->shown && now - p->last_ns < every_ns)) return;
  p->last_ns = now;
  p->shown = true;
  struct winsize size;
  unsigned columns = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
  char line[200];
  skep_cli_progress_line(line, sizeof line, columns, done, p->total, rows, (double)(now - p->start_ns) / 1e9);
  fprintf(stderr, "\r%s\033[K", line);
}

void skep_cli_progress_clear(skep_cli_progress *p) {
  if (!p->shown) return;
  fputs("\r\033[K", stderr);
  p->shown = false;
}

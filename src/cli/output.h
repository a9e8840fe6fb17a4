/* Standard output: one large buffer over a file descriptor, errors kept until asked for.
 *
 * A reader that closed its end of a pipe (head, less) is no error: writing stops quietly. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "base/ctx.h"

typedef struct skep_cli_output {
  const skep_ctx *ctx;
  int fd;
  uint8_t *data;
  size_t size;
  bool closed; /* the reader is gone */
  int error;   /* errno of the first failed write, 0 if none */
} skep_cli_output;

SKEP_NODISCARD skep_status skep_cli_output_init(skep_cli_output *out, const skep_ctx *ctx, int fd, skep_err *err);
void skep_cli_output_fini(skep_cli_output *out); /* does not flush */

/* False when nothing more can be written: reader gone, write failed, or interrupted while blocked. */
bool skep_cli_output_write(skep_cli_output *out, const void *bytes, size_t length);
bool skep_cli_output_flush(skep_cli_output *out);

/* SKEP_OK also when the reader is gone; SKEP_ERR_IO with the reason when a write failed. */
SKEP_NODISCARD skep_status skep_cli_output_check(const skep_cli_output *out, skep_err *err);

/* Signals of a command that writes rows: a closed pipe becomes an error of write, Ctrl-C sets a flag (a second one
 * kills). */
void skep_cli_signals_install(void);
bool skep_cli_interrupted(void);
void skep_cli_set_interrupted(bool value); /* for who takes the signals in another way (interrupts.h) */

#endif

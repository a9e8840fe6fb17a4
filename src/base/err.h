/* Making and wrapping errors; see skep/status.h for what a status is.
 *
 * The lowest layer states the fact with numbers (skep_fail); a layer wraps only when it knows something the lower one
 * could not: path, stripe, column, transaction id (skep_wrap). Both return the status they are given and accept err ==
 * NULL. Untrusted bytes go into messages through skep_quote only. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stddef.h>

#include "skep/status.h"

skep_status skep_fail(skep_err *err, skep_status status, const char *format, ...) SKEP_PRINTF(3, 4);

/* Prepends "context: ", once: a text that begins with it stays as it is (a path that the file system named already).
 * The text is cut at the end when it would not fit. */
skep_status skep_wrap(skep_err *err, skep_status status, const char *format, ...) SKEP_PRINTF(3, 4);

/* Writes at most `length` untrusted bytes as printable ASCII/UTF-8 into `out` (always NUL-terminated, out_size > 0):
 * control and direction characters and invalid UTF-8 as \xNN, a backslash doubled; "..." at the end when it does not
 * fit. Returns out. */
const char *skep_quote(char *out, size_t out_size, const void *bytes, size_t length);

/* SKEP_TRY(call): return from the enclosing function when the call fails (or ends). For functions that own nothing. */
#define SKEP_TRY(call)                              \
  do {                                              \
    skep_status try_status_ = (call);               \
    if (try_status_ != SKEP_OK) return try_status_; \
  } while (0)

#endif

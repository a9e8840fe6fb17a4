/* A growable byte buffer with a maximum. Once an append fails the buffer stays failed, so a caller may append many
 * times and ask once. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdarg.h>

#include "base/arena.h"

typedef struct skep_buf {
  const skep_ctx *ctx;
  uint8_t *data; /* NULL while nothing was appended */
  size_t size;
  size_t capacity;
  size_t max_size;
  skep_status status; /* SKEP_OK, SKEP_ERR_NOMEM or SKEP_ERR_LIMIT; sticky until skep_buf_reset */
} skep_buf;

void skep_buf_init(skep_buf *buf, const skep_ctx *ctx, size_t max_size);
void skep_buf_fini(skep_buf *buf);  /* safe on a zeroed buffer and twice */
void skep_buf_reset(skep_buf *buf); /* keeps the memory, forgets content and failure */

bool skep_buf_reserve(skep_buf *buf, size_t extra); /* room for `extra` more bytes at data + size */
bool skep_buf_add(skep_buf *buf, const void *bytes, size_t length);
bool skep_buf_byte(skep_buf *buf, uint8_t byte);
bool skep_buf_text(skep_buf *buf, const char *text);
bool skep_buf_printf(skep_buf *buf, const char *format, ...) SKEP_PRINTF(2, 3);
bool skep_buf_i64(skep_buf *buf, int64_t value); /* decimal, without printf: for hot paths */
/* The text between two of `quote`, those inside doubled: a name of SQL, or of a type. */
bool skep_buf_quoted(skep_buf *buf, char quote, const char *text);

/* The content as a NUL-terminated string (the NUL is not counted in size); "" when empty or failed. */
const char *skep_buf_string(skep_buf *buf);

/* A copy in an arena; NULL when the buffer has failed or memory is out. */
char *skep_buf_copy(const skep_buf *buf, skep_arena *arena);

/* SKEP_OK, or the sticky status with a message that names `what`. */
SKEP_NODISCARD skep_status skep_buf_check(const skep_buf *buf, const char *what, skep_err *err);

#endif

/* The growable buffer. One byte behind `size` is always kept free for the NUL of skep_buf_string. */
#include "base/buf.h"

#include <stdio.h>
#include <string.h>

enum { BUF_FIRST_BYTES = 64 };

void skep_buf_init(skep_buf *buf, const skep_ctx *ctx, size_t max_size) {
  if (max_size == SIZE_MAX) max_size--; /* room for the NUL */
  *buf = (skep_buf){.ctx = ctx, .max_size = max_size};
}

void skep_buf_fini(skep_buf *buf) {
  if (buf->data != NULL) skep_release(buf->ctx, buf->data);
  buf->data = NULL;
  buf->size = 0;
  buf->capacity = 0;
}

void skep_buf_reset(skep_buf *buf) {
  buf->size = 0;
  buf->status = SKEP_OK;
}

/* The slow half of skep_buf_reserve. */
static bool grow(skep_buf *buf, size_t extra) {
  if (extra > buf->max_size - buf->size) {
    buf->status = SKEP_ERR_LIMIT;
    return false;
  }
  size_t need = buf->size + extra + 1;
  size_t capacity = buf->capacity < BUF_FIRST_BYTES ? BUF_FIRST_BYTES : buf->capacity;
  while (capacity < need) capacity = capacity > SIZE_MAX / 2 ? need : capacity * 2;
  if (capacity > buf->max_size + 1) capacity = buf->max_size + 1;
  uint8_t *data = skep_resize(buf->ctx, buf->data, capacity);
  if (data == NULL) {
    buf->status = SKEP_ERR_NOMEM;
    return false;
  }
  buf->data = data;
  buf->capacity = capacity;
  return true;
}

bool skep_buf_reserve(skep_buf *buf, size_t extra) {
  if (buf->status != SKEP_OK) return false;
  if (extra < buf->capacity - buf->size) return true;
  return grow(buf, extra);
}

bool skep_buf_add(skep_buf *buf, const void *bytes, size_t length) {
  if (!skep_buf_reserve(buf, length)) return false;
  if (length != 0) memcpy(buf->data + buf->size, bytes, length);
  buf->size += length;
  return true;
}

bool skep_buf_byte(skep_buf *buf, uint8_t byte) {
  if (!skep_buf_reserve(buf, 1)) return false;
  buf->data[buf->size++] = byte;
  return true;
}

bool skep_buf_text(skep_buf *buf, const char *text) { return skep_buf_add(buf, text, strlen(text)); }

bool skep_buf_printf(skep_buf *buf, const char *format, ...) {
  if (!skep_buf_reserve(buf, 0)) return false;
  for (int attempt = 0; attempt < 2; attempt++) {
    size_t room = buf->capacity - buf->size;
    va_list args;
    va_start(args, format);
    int n = vsnprintf((char *)buf->data + buf->size, room, format, args);
    va_end(args);
    if (n < 0) break;
    if ((size_t)n < room) {
      buf->size += (size_t)n;
      return true;
    }
    if (!skep_buf_reserve(buf, (size_t)n)) return false;
  }
  buf->status = SKEP_ERR_INTERNAL; /* a bad conversion in our own format */
  return false;
}

bool skep_buf_i64(skep_buf *buf, int64_t value) {
  static const char pairs[] =
      "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849505152535455"
      "5657"
      "585960616263646566676869707172737475767778798081828384858687888990919293949596979899";
  char digits[20];
  size_t at = sizeof digits;
  uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  while (left >= 100) {
    at -= 2;
    memcpy(digits + at, pairs + 2 * (left % 100), 2);
    left /= 100;
  }
  if (left >= 10) {
    at -= 2;
    memcpy(digits + at, pairs + 2 * left, 2);
  } else {
    digits[--at] = (char)('0' + left);
  }
  if (value < 0) digits[--at] = '-';
  return skep_buf_add(buf, digits + at, sizeof digits - at);
}

bool skep_buf_quoted(skep_buf *buf, char quote, const char *text) {
  skep_buf_byte(buf, (uint8_t)quote);
  for (; *text != '\0'; text++) {
    if (*text == quote) skep_buf_byte(buf, (uint8_t)quote);
    skep_buf_byte(buf, (uint8_t)*text);
  }
  return skep_buf_byte(buf, (uint8_t)quote);
}

const char *skep_buf_string(skep_buf *buf) {
  if (buf->status != SKEP_OK || buf->size == 0) return "";
  buf->data[buf->size] = '\0';
  return (const char *)buf->data;
}

char *skep_buf_copy(const skep_buf *buf, skep_arena *arena) {
  return buf->status == SKEP_OK ? skep_arena_strndup(arena, (const char *)buf->data, buf->size) : NULL;
}

skep_status skep_buf_check(const skep_buf *buf, const char *what, skep_err *err) {
  switch (buf->status) {
    case SKEP_OK:
      return SKEP_OK;
    case SKEP_ERR_LIMIT:
      return skep_fail(err, SKEP_ERR_LIMIT, "%s is longer than %zu bytes", what, buf->max_size);
    case SKEP_ERR_NOMEM:
      return skep_fail(err, SKEP_ERR_NOMEM, "out of memory for %s after %zu bytes", what, buf->size);
    default:
      return skep_fail(err, buf->status, "cannot format %s", what);
  }
}

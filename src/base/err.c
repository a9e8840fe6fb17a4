/* Making, wrapping and quoting of error texts. Nothing here allocates: errors must work when memory is out. */
#include "base/err.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

const char *skep_status_name(skep_status status) {
  switch (status) {
#define STATUS_NAME(symbol, name, meaning) \
  case symbol:                             \
    return name;
    SKEP_STATUS_TABLE(STATUS_NAME)
#undef STATUS_NAME
  }
  return "unknown";
}

/* Removes a UTF-8 sequence that was cut in the middle at the end of text[0..length). Returns the new length. */
static size_t drop_cut_sequence(char *text, size_t length) {
  size_t start = length;
  while (start > 0 && length - start < 3 && ((uint8_t)text[start - 1] & 0xc0) == 0x80) start--;
  if (start == 0 || (uint8_t)text[start - 1] < 0xc0) return length;
  start--;
  if (skep_utf8_length((const uint8_t *)text + start, length - start) != 0) return length;
  text[start] = '\0';
  return start;
}

/* Formats into text[0..size); the result is cut to whole UTF-8 sequences. Returns its length. */
static size_t format_cut(char *text, size_t size, const char *format, va_list args) {
  int n = vsnprintf(text, size, format, args);
  if (n < 0) {
    text[0] = '\0';
    return 0;
  }
  if ((size_t)n < size) return (size_t)n;
  return drop_cut_sequence(text, size - 1);
}

skep_status skep_fail(skep_err *err, skep_status status, const char *format, ...) {
  if (err == NULL) return status;
  char text[sizeof err->text]; /* an argument may point into err->text */
  va_list args;
  va_start(args, format);
  size_t length = format_cut(text, sizeof text, format, args);
  va_end(args);
  memcpy(err->text, text, length + 1);
  err->status = status;
  return status;
}

skep_status skep_wrap(skep_err *err, skep_status status, const char *format, ...) {
  if (err == NULL) return status;
  char text[2 * sizeof err->text + 2];
  va_list args;
  va_start(args, format);
  size_t length = format_cut(text, sizeof err->text, format, args);
  va_end(args);
  size_t inner = strnlen(err->text, sizeof err->text - 1);
  memcpy(text + length, ": ", 2);
  if (inner >= length + 2 && memcmp(err->text, text, length + 2) == 0) {
    err->status = status;
    return status;
  }
  memcpy(text + length + 2, err->text, inner);
  length += 2 + inner;
  if (length >= sizeof err->text) {
    length = sizeof err->text - 1;
    text[length] = '\0';
    length = drop_cut_sequence(text, length);
  }
  memcpy(err->text, text, length);
  err->text[length] = '\0';
  err->status = status;
  return status;
}

/* Characters that could move the cursor, start a terminal sequence or turn the direction of the text around. */
static bool is_control(uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x200e && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069) || c == 0x061c || c == 0xfeff;
}

/* One piece of the output: the quoted form of the bytes at `at`. Returns how many input bytes it stands for. */
static size_t quote_piece(const uint8_t *at, size_t left, char piece[16], size_t *piece_size) {
  static const char hex[] = "0123456789abcdef";
  size_t n = skep_utf8_length(at, left);
  if (n == 1 && *at == '\\') {
    memcpy(piece, "\\\\", 2);
    *piece_size = 2;
    return 1;
  }
  if (n != 0 && !is_control(skep_utf8_decode(at, n))) {
    memcpy(piece, at, n);
    *piece_size = n;
    return n;
  }
  if (n == 0) n = 1;
  for (size_t i = 0; i < n; i++) {
    piece[4 * i] = '\\';
    piece[4 * i + 1] = 'x';
    piece[4 * i + 2] = hex[at[i] >> 4];
    piece[4 * i + 3] = hex[at[i] & 15];
  }
  *piece_size = 4 * n;
  return n;
}

const char *skep_quote(char *out, size_t out_size, const void *bytes, size_t length) {
  const uint8_t *at = bytes;
  size_t used = 0, fits = 0; /* `fits`: the longest prefix of pieces that leaves room for "..." */
  while (length > 0) {
    char piece[16];
    size_t piece_size;
    size_t n = quote_piece(at, length, piece, &piece_size);
    if (piece_size > out_size - 1 - used) break;
    memcpy(out + used, piece, piece_size);
    used += piece_size;
    if (used + 3 < out_size) fits = used;
    at += n;
    length -= n;
  }
  if (length > 0) {
    size_t room = out_size - 1 - fits;
    size_t dots = room < 3 ? room : 3;
    memset(out + fits, '.', dots);
    used = fits + dots;
  }
  out[used] = '\0';
  return out;
}

/* See string_map.h. */
#include "txn/string_map.h"

#include <string.h>

enum { MAX_LENGTH = 1 << 20, MAX_PAIRS = 1000 };

/* "<number>:" */
static bool take_length(skep_bytes *at, size_t *out) {
  size_t n = 0;
  uint8_t c = 0;
  if (at->left >= 3 && memcmp(at->at, "-1:", 3) == 0) { /* a sibling of the class writes -1 for null */
    skep_bytes ignored;
    *out = 0;
    return skep_bytes_take(at, 3, &ignored);
  }
  bool any = false;
  while (skep_bytes_u8(at, &c) && c >= '0' && c <= '9') {
    n = n * 10 + (size_t)(c - '0');
    any = true;
    if (n > MAX_LENGTH) return false;
  }
  *out = n;
  return any && c == ':';
}

/* A byte that does not continue a character is a unit, one that begins four bytes counts two. */
static bool take_text(skep_bytes *at, skep_bytes *out) {
  size_t units;
  if (!take_length(at, &units)) return false;
  size_t n = 0;
  while (units > 0 && n < at->left) {
    uint8_t c = at->at[n++];
    units -= c >= 0xf0 && units > 1 ? 2 : 1;
    while (n < at->left && (at->at[n] & 0xc0) == 0x80) n++;
  }
  return units == 0 && skep_bytes_take(at, n, out);
}

bool skep_string_map_next(const char *map, size_t size, size_t *at, skep_bytes *key, skep_bytes *value) {
  size_t n;
  if (map == NULL || *at > size) return false;
  skep_bytes rest = skep_bytes_of(map + *at, size - *at);
  if (*at == 0 && (!take_length(&rest, &n) || n == 0)) return false;
  if (!take_text(&rest, key) || !take_text(&rest, value)) return false;
  *at = size - rest.left;
  return true;
}

bool skep_string_map_get(const char *map, size_t size, const char *key, skep_bytes *value) {
  skep_bytes k, v;
  size_t at = 0, length = strlen(key);
  bool found = false;
  while (skep_string_map_next(map, size, &at, &k, &v)) {
    if (k.left != length || memcmp(k.at, key, length) != 0) continue;
    *value = v;
    found = v.left > 0;
  }
  return found;
}

static size_t java_length(skep_bytes text) {
  size_t units = 0;
  for (size_t i = 0; i < text.left; i++) {
    uint8_t c = text.at[i];
    if ((c & 0xc0) != 0x80) units += c >= 0xf0 ? 2 : 1;
  }
  return units;
}

static void put_text(skep_buf *out, skep_bytes text) {
  skep_buf_printf(out, "%zu:", java_length(text));
  skep_buf_add(out, text.at, text.left);
}

void skep_string_map_begin(skep_buf *out, size_t n) { skep_buf_printf(out, "%zu:", n); }

void skep_string_map_add(skep_buf *out, skep_bytes key, skep_bytes value) {
  put_text(out, key);
  put_text(out, value);
}

static bool is_key(skep_bytes k, const char *key) { return k.left == strlen(key) && memcmp(k.at, key, k.left) == 0; }

void skep_string_map_with(const char *map, size_t size, const char *key, const char *value, skep_buf *out) {
  skep_bytes k, v;
  size_t n = value != NULL ? 1 : 0, at = 0;
  while (n < MAX_PAIRS && skep_string_map_next(map, size, &at, &k, &v)) n += is_key(k, key) ? 0 : 1;
  skep_string_map_begin(out, n);
  at = 0;
  for (size_t i = value != NULL ? 1 : 0; i < n && skep_string_map_next(map, size, &at, &k, &v);) {
    if (is_key(k, key)) continue;
    skep_string_map_add(out, k, v);
    i++;
  }
  if (value != NULL) skep_string_map_add(out, skep_bytes_of(key, strlen(key)), skep_bytes_of(value, strlen(value)));
}

/* LIKE patterns. Source: Hive's UDFLike: '_' is one character, '%' any number, "\_" and "\%" are these characters
 * themselves, and every other backslash is an ordinary one. Line ends are characters like others. */
#include "column/like.h"
#include "base/utf8.h"

static bool is_escape(skep_bytes pattern, size_t i) {
  return pattern.at[i] == '\\' && i + 1 < pattern.left && (pattern.at[i + 1] == '%' || pattern.at[i + 1] == '_');
}

skep_like skep_like_of(skep_bytes pattern) {
  skep_like like = {.pattern = pattern};
  size_t i = 0;
  while (i < pattern.left && pattern.at[i] != '%' && pattern.at[i] != '_' && !is_escape(pattern, i)) i++;
  like.prefix_length = i;
  like.is_plain = i == pattern.left;
  like.is_prefix = i + 1 == pattern.left && pattern.at[i] == '%';
  return like;
}

/* Bytes of the character at `at`; a byte that starts none is one by itself. */
static size_t char_length(const uint8_t *at, size_t left) {
  size_t n = skep_utf8_length(at, left);
  return n == 0 ? 1 : n;
}

/* Matches the general pattern from left to right; when a part fails, only the last % has to take one character more (an
 * earlier one could not help, since what followed it was matched at its first place). */
static bool matches(skep_bytes pattern, skep_bytes value) {
  size_t p = 0, v = 0, retry_p = SIZE_MAX, retry_v = 0;
  while (v < value.left) {
    if (p < pattern.left && pattern.at[p] == '%') {
      retry_p = ++p;
      retry_v = v;
      continue;
    }
    if (p < pattern.left && pattern.at[p] == '_') {
      p++;
      v += char_length(value.at + v, value.left - v);
      continue;
    }
    if (p < pattern.left) {
      size_t at = p + is_escape(pattern, p);
      if (pattern.at[at] == value.at[v]) {
        p = at + 1;
        v++;
        continue;
      }
    }
    if (retry_p == SIZE_MAX) return false;
    p = retry_p;
    retry_v += char_length(value.at + retry_v, value.left - retry_v);
    v = retry_v;
  }
  while (p < pattern.left && pattern.at[p] == '%') p++;
  return p == pattern.left;
}

bool skep_like_matches(const skep_like *like, skep_bytes value) {
  size_t n = like->prefix_length;
  if (value.left < n || (n != 0 && memcmp(value.at, like->pattern.at, n) != 0)) return false;
  if (like->is_plain) return value.left == n;
  if (like->is_prefix) return true;
  skep_bytes rest = {like->pattern.at + n, like->pattern.left - n};
  return matches(rest, (skep_bytes){value.at + n, value.left - n});
}

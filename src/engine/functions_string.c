/* Functions of strings by characters. A character is a code point; a byte that begins none counts as one, so that texts
 * which are no UTF-8 keep their bytes.
 *
 * Source: hiveql facts 8.2 and golden 18-functions (Hive 4.0.1). */
#include <limits.h>

#include "base/utf8.h"
#include "column/like.h"
#include "engine/function.h"

enum { MAX_STRING = 1 << 28 };

static size_t char_bytes(const uint8_t *at, size_t left) {
  if (*at < 0x80) return 1;
  size_t n = skep_utf8_length(at, left);
  return n == 0 ? 1 : n;
}

static int64_t count_chars(skep_bytes s) {
  int64_t n = 0;
  for (size_t i = 0; i < s.left; i += char_bytes(s.at + i, s.left - i)) n++;
  return n;
}

/* Bytes of the first n characters; all when there are fewer. */
static size_t prefix_bytes(skep_bytes s, int64_t n) {
  size_t i = 0;
  for (; n > 0 && i < s.left; n--) i += char_bytes(s.at + i, s.left - i);
  return i;
}

static skep_bytes from(skep_bytes s, size_t n) { return skep_bytes_of(s.at + n, s.left - n); }

static void put(skep_call *c, int64_t i, skep_bytes s) { skep_call_put_bytes(c, i, s.at, s.left); }

/* Position of `part` in `s` at or behind `start` bytes; SIZE_MAX: none. */
static size_t find(skep_bytes s, skep_bytes part, size_t start) {
  if (start > s.left || part.left > s.left - start) return SIZE_MAX;
  if (part.left == 0) return start;
  const uint8_t *at = memmem(s.at + start, s.left - start, part.at, part.left);
  return at == NULL ? SIZE_MAX : (size_t)(at - s.at);
}

/* The loop over rows with a result. */
#define EACH_ROW(c, i)                 \
  for (int64_t i = 0; i < (c)->n; i++) \
    if (skep_row_valid(c, i))

/* ---- lengths and parts ---- */

static skep_status length(skep_call *c, skep_err *err) {
  int32_t *out = c->out_data;
  (void)err;
  EACH_ROW(c, i) out[i] = (int32_t)count_chars(skep_arg_bytes(c, 0, i));
  return SKEP_OK;
}

static skep_status octet_length(skep_call *c, skep_err *err) {
  int32_t *out = c->out_data;
  (void)err;
  EACH_ROW(c, i) out[i] = (int32_t)skep_arg_bytes(c, 0, i).left;
  return SKEP_OK;
}

/* Where a part begins and how long it is, in units (characters or bytes) of a whole of n. Position 0 is 1, negative
 * ones count from the end; beyond either end nothing is left. */
static void part_of(int64_t n, int64_t position, int64_t wanted, int64_t *start, int64_t *count) {
  *start = *count = 0;
  if (wanted <= 0 || position > n || -position > n) return;
  *start = position > 0 ? position - 1 : position < 0 ? n + position : 0;
  *count = n - *start < wanted ? n - *start : wanted;
}

static skep_status substr(skep_call *c, skep_err *err) {
  const int32_t *position = c->data[1], *wanted = c->n_args > 2 ? c->data[2] : NULL;
  (void)err;
  EACH_ROW(c, i) {
    skep_bytes s = skep_arg_bytes(c, 0, i);
    int64_t start, count;
    part_of(count_chars(s), position[i], wanted == NULL ? INT64_MAX : wanted[i], &start, &count);
    s = from(s, prefix_bytes(s, start));
    put(c, i, skep_bytes_of(s.at, prefix_bytes(s, count)));
  }
  return SKEP_OK;
}

static skep_status substr_bytes(skep_call *c, skep_err *err) {
  const int32_t *position = c->data[1], *wanted = c->n_args > 2 ? c->data[2] : NULL;
  (void)err;
  EACH_ROW(c, i) {
    skep_bytes s = skep_arg_bytes(c, 0, i);
    int64_t start, count;
    part_of((int64_t)s.left, position[i], wanted == NULL ? INT64_MAX : wanted[i], &start, &count);
    put(c, i, skep_bytes_of(s.at + start, (size_t)count));
  }
  return SKEP_OK;
}

/* The first n characters: CAST to CHAR and VARCHAR. */
static skep_status cut(skep_call *c, skep_err *err) {
  const int32_t *n = c->data[1];
  (void)err;
  EACH_ROW(c, i) {
    skep_bytes s = skep_arg_bytes(c, 0, i);
    put(c, i, skep_bytes_of(s.at, prefix_bytes(s, n[i])));
  }
  return SKEP_OK;
}

static skep_status rtrim_blanks(skep_call *c, skep_err *err) {
  (void)err;
  EACH_ROW(c, i) {
    skep_bytes s = skep_arg_bytes(c, 0, i);
    while (s.left > 0 && s.at[s.left - 1] == ' ') s.left--;
    put(c, i, s);
  }
  return SKEP_OK;
}

/* ---- trim: characters of a set, blanks by default ---- */

typedef enum side { LEFT = 1, RIGHT = 2, BOTH = 3 } side;

static bool is_in_set(skep_bytes set, const uint8_t *at, size_t n) {
  for (size_t i = 0; i < set.left;) {
    size_t m = char_bytes(set.at + i, set.left - i);
    if (m == n && memcmp(set.at + i, at, n) == 0) return true;
    i += m;
  }
  return false;
}

/* Bytes of the last character: back over continuation bytes, if that makes one whole character. */
static size_t last_char_bytes(skep_bytes s) {
  size_t n = 1;
  while (n < 4 && n < s.left && (s.at[s.left - n] & 0xc0) == 0x80) n++;
  return char_bytes(s.at + s.left - n, n) == n ? n : 1;
}

static skep_status trim(skep_call *c, side which) {
  EACH_ROW(c, i) {
    skep_bytes s = skep_arg_bytes(c, 0, i), set = c->n_args > 1 ? skep_arg_bytes(c, 1, i) : skep_bytes_of(" ", 1);
    while ((which & LEFT) != 0 && s.left > 0) {
      size_t n = char_bytes(s.at, s.left);
      if (!is_in_set(set, s.at, n)) break;
      s = from(s, n);
    }
    while ((which & RIGHT) != 0 && s.left > 0) {
      size_t n = last_char_bytes(s);
      if (!is_in_set(set, s.at + s.left - n, n)) break;
      s.left -= n;
    }
    put(c, i, s);
  }
  return SKEP_OK;
}

static skep_status trim_both(skep_call *c, skep_err *err) {
  (void)err;
  return trim(c, BOTH);
}
static skep_status trim_left(skep_call *c, skep_err *err) {
  (void)err;
  return trim(c, LEFT);
}
static skep_status trim_right(skep_call *c, skep_err *err) {
  (void)err;
  return trim(c, RIGHT);
}

/* ---- padding ---- */

static skep_status pad(skep_call *c, bool left, skep_err *err) {
  const int32_t *wanted = c->data[1];
  EACH_ROW(c, i) {
    skep_bytes s = skep_arg_bytes(c, 0, i), fill = skep_arg_bytes(c, 2, i);
    int64_t n = count_chars(s), missing = wanted[i] - n, fill_chars = count_chars(fill);
    if (wanted[i] < 0) return skep_fail(err, SKEP_ERR_RUNTIME, "String index out of range: %d", wanted[i]);
    if (fill.left == 0) {
      skep_call_set_null(c, i);
      continue;
    }
    if (missing <= 0) {
      put(c, i, skep_bytes_of(s.at, prefix_bytes(s, wanted[i])));
      continue;
    }
    if (missing > MAX_STRING / 4) return skep_fail(err, SKEP_ERR_LIMIT, "a string of %d characters", wanted[i]);
    skep_buf_reset(c->text);
    if (!left) skep_buf_add(c->text, s.at, s.left);
    for (; missing >= fill_chars; missing -= fill_chars) skep_buf_add(c->text, fill.at, fill.left);
    skep_buf_add(c->text, fill.at, prefix_bytes(fill, missing));
    if (left) skep_buf_add(c->text, s.at, s.left);
    SKEP_TRY(skep_call_put_text(c, i, err));
  }
  return SKEP_OK;
}

static skep_status lpad(skep_call *c, skep_err *err) { return pad(c, true, err); }
static skep_status rpad(skep_call *c, skep_err *err) { return pad(c, false, err); }

static skep_status repeat_bytes(skep_call *c, int64_t i, skep_bytes s, int64_t n, skep_err *err) {
  if (n > 0 && s.left > (size_t)(MAX_STRING / n))
    return skep_fail(err, SKEP_ERR_LIMIT, "a string repeated %d times", (int)n);
  skep_buf_reset(c->text);
  for (; n > 0; n--) skep_buf_add(c->text, s.at, s.left);
  return skep_call_put_text(c, i, err);
}

static skep_status repeat(skep_call *c, skep_err *err) {
  const int32_t *n = c->data[1];
  EACH_ROW(c, i) SKEP_TRY(repeat_bytes(c, i, skep_arg_bytes(c, 0, i), n[i], err));
  return SKEP_OK;
}

static skep_status space(skep_call *c, skep_err *err) {
  const int32_t *n = c->data[0];
  EACH_ROW(c, i) SKEP_TRY(repeat_bytes(c, i, skep_bytes_of(" ", 1), n[i], err));
  return SKEP_OK;
}

/* ---- searching ---- */

static int32_t char_position(skep_bytes s, size_t at) {
  return at == SIZE_MAX ? 0 : (int32_t)count_chars(skep_bytes_of(s.at, at)) + 1;
}

static skep_status instr(skep_call *c, skep_err *err) {
  int32_t *out = c->out_data;
  (void)err;
  EACH_ROW(c, i) {
    skep_bytes s = skep_arg_bytes(c, 0, i);
    out[i] = char_position(s, find(s, skep_arg_bytes(c, 1, i), 0));
  }
  return SKEP_OK;
}

/* NULL positions are 0, and nothing is found from 0 on. */
static skep_status locate(skep_call *c, skep_err *err) {
  const int32_t *start = c->data[2];
  int32_t *out = c->out_data;
  (void)err;
  for (int64_t i = 0; i < c->n; i++) {
    if (!skep_arg_valid(c, 0, i) || !skep_arg_valid(c, 1, i)) {
      skep_call_set_null(c, i);
      continue;
    }
    skep_bytes part = skep_arg_bytes(c, 0, i), s = skep_arg_bytes(c, 1, i);
    out[i] = 0;
    if (skep_arg_valid(c, 2, i) && start[i] > 0 && start[i] - 1 <= count_chars(s))
      out[i] = char_position(s, find(s, part, prefix_bytes(s, start[i] - 1)));
  }
  return SKEP_OK;
}

static skep_status like(skep_call *c, skep_err *err) {
  uint8_t *out = c->out_data;
  skep_like pattern = {.is_plain = false};
  bool is_known = false;
  (void)err;
  EACH_ROW(c, i) {
    skep_bytes text = skep_arg_bytes(c, 1, i);
    bool is_same = is_known && text.left == pattern.pattern.left &&
                   (text.left == 0 || memcmp(text.at, pattern.pattern.at, text.left) == 0);
    if (!is_same) pattern = skep_like_of(text);
    is_known = true;
    out[i] = skep_like_matches(&pattern, skep_arg_bytes(c, 0, i));
  }
  return SKEP_OK;
}

/* Java's String.replace: an empty text to look for is found around every character. */
static skep_status replace(skep_call *c, skep_err *err) {
  EACH_ROW(c, i) {
    skep_bytes s = skep_arg_bytes(c, 0, i), old = skep_arg_bytes(c, 1, i), new = skep_arg_bytes(c, 2, i);
    skep_buf_reset(c->text);
    for (size_t at = 0;;) {
      size_t found = find(s, old, at);
      if (found == SIZE_MAX) {
        skep_buf_add(c->text, s.at + at, s.left - at);
        break;
      }
      skep_buf_add(c->text, s.at + at, found - at);
      skep_buf_add(c->text, new.at, new.left);
      at = found + old.left;
      if (old.left != 0) continue;
      if (at == s.left) break;
      size_t n = char_bytes(s.at + at, s.left - at);
      skep_buf_add(c->text, s.at + at, n);
      at += n;
    }
    SKEP_TRY(skep_call_put_text(c, i, err));
  }
  return SKEP_OK;
}

/* The place of a character among those of `list`, counted from 0; -1: none. */
static int64_t place_of(skep_bytes list, const uint8_t *at, size_t n) {
  int64_t place = 0;
  for (size_t i = 0; i < list.left; place++) {
    size_t m = char_bytes(list.at + i, list.left - i);
    if (m == n && memcmp(list.at + i, at, n) == 0) return place;
    i += m;
  }
  return -1;
}

static skep_status translate(skep_call *c, skep_err *err) {
  EACH_ROW(c, i) {
    skep_bytes s = skep_arg_bytes(c, 0, i), old = skep_arg_bytes(c, 1, i), new = skep_arg_bytes(c, 2, i);
    skep_buf_reset(c->text);
    for (size_t at = 0, n; at < s.left; at += n) {
      n = char_bytes(s.at + at, s.left - at);
      int64_t place = place_of(old, s.at + at, n);
      if (place < 0) {
        skep_buf_add(c->text, s.at + at, n);
        continue;
      }
      skep_bytes rest = from(new, prefix_bytes(new, place));
      skep_buf_add(c->text, rest.at, prefix_bytes(rest, 1));
    }
    SKEP_TRY(skep_call_put_text(c, i, err));
  }
  return SKEP_OK;
}

static size_t find_last(skep_bytes s, skep_bytes part, size_t end) {
  for (size_t at = end; at >= part.left && part.left != 0; at--) {
    if (memcmp(s.at + at - part.left, part.at, part.left) == 0) return at - part.left;
  }
  return SIZE_MAX;
}

/* What is before the n-th delimiter, or behind the n-th from the end. */
static skep_status substring_index(skep_call *c, skep_err *err) {
  const int32_t *count = c->data[2];
  (void)err;
  EACH_ROW(c, i) {
    skep_bytes s = skep_arg_bytes(c, 0, i), part = skep_arg_bytes(c, 1, i);
    int64_t n = count[i];
    size_t at = n > 0 ? 0 : s.left;
    if (n == 0 || part.left == 0) {
      put(c, i, skep_bytes_of(NULL, 0));
      continue;
    }
    bool found = true;
    for (int64_t k = n > 0 ? n : -n; k > 0 && found; k--) {
      size_t next = n > 0 ? find(s, part, at) : find_last(s, part, at);
      found = next != SIZE_MAX;
      if (found) at = n > 0 && k > 1 ? next + part.left : next;
    }
    put(c, i, !found ? s : n > 0 ? skep_bytes_of(s.at, at) : from(s, at + part.left));
  }
  return SKEP_OK;
}

/* The place of a text in a list with commas; 0 when it has a comma itself. */
static skep_status find_in_set(skep_call *c, skep_err *err) {
  int32_t *out = c->out_data;
  (void)err;
  EACH_ROW(c, i) {
    skep_bytes s = skep_arg_bytes(c, 0, i), list = skep_arg_bytes(c, 1, i);
    out[i] = 0;
    if (s.left != 0 && memchr(s.at, ',', s.left) != NULL) continue;
    int32_t place = 1;
    for (size_t at = 0;; place++) {
      size_t end = find(list, skep_bytes_of(",", 1), at);
      if (end == SIZE_MAX) end = list.left;
      if (end - at == s.left && (s.left == 0 || memcmp(list.at + at, s.at, s.left) == 0)) {
        out[i] = place;
        break;
      }
      if (end == list.left) break;
      at = end + 1;
    }
  }
  return SKEP_OK;
}

/* ---- single characters ---- */

static skep_status ascii(skep_call *c, skep_err *err) {
  int32_t *out = c->out_data;
  (void)err;
  EACH_ROW(c, i) {
    skep_bytes s = skep_arg_bytes(c, 0, i);
    out[i] = s.left == 0 ? 0 : (int8_t)s.at[0];
  }
  return SKEP_OK;
}

/* The character of a number's low byte; nothing for negative ones. */
static skep_status chr(skep_call *c, skep_err *err) {
  const int64_t *a = c->data[0];
  (void)err;
  EACH_ROW(c, i) {
    unsigned v = (unsigned)((uint64_t)a[i] & 255);
    uint8_t bytes[2] = {(uint8_t)v, 0};
    size_t n = a[i] < 0 ? 0 : 1;
    if (n != 0 && v >= 0x80) {
      bytes[0] = (uint8_t)(0xc0 | v >> 6);
      bytes[1] = (uint8_t)(0x80 | (v & 0x3f));
      n = 2;
    }
    put(c, i, skep_bytes_of(bytes, n));
  }
  return SKEP_OK;
}

static skep_status reverse(skep_call *c, skep_err *err) {
  EACH_ROW(c, i) {
    skep_bytes s = skep_arg_bytes(c, 0, i);
    skep_buf_reset(c->text);
    while (s.left > 0) {
      size_t n = last_char_bytes(s);
      skep_buf_add(c->text, s.at + s.left - n, n);
      s.left -= n;
    }
    SKEP_TRY(skep_call_put_text(c, i, err));
  }
  return SKEP_OK;
}

/* For text that DuckDB decodes itself: bytes that are no UTF-8 become U+FFFD, as Java reads them. */
static skep_status utf8(skep_call *c, skep_err *err) {
  EACH_ROW(c, i) {
    skep_bytes s = skep_arg_bytes(c, 0, i);
    size_t good = skep_utf8_valid_length(s.at, s.left);
    if (good == s.left) {
      put(c, i, s);
      continue;
    }
    skep_buf_reset(c->text);
    for (;;) {
      skep_buf_add(c->text, s.at, good);
      s = from(s, good);
      if (s.left == 0) break;
      skep_buf_add(c->text, "\xef\xbf\xbd", 3);
      s = from(s, skep_utf8_broken_length(s.at, s.left));
      good = skep_utf8_valid_length(s.at, s.left);
    }
    SKEP_TRY(skep_call_put_text(c, i, err));
  }
  return SKEP_OK;
}

static skep_status same_bytes(skep_call *c, skep_err *err) {
  (void)err;
  EACH_ROW(c, i) put(c, i, skep_arg_bytes(c, 0, i));
  return SKEP_OK;
}

/* The texts of a list with a separator between them; NULLs are passed over. */
static skep_status concat_ws(skep_call *c, skep_err *err) {
  const duckdb_list_entry *lists = c->data[1];
  duckdb_vector child = skep_duck.list_vector_get_child(c->args[1]);
  const skep_view *texts = skep_duck.vector_get_data(child);
  const uint64_t *valid = skep_duck.vector_get_validity(child);
  EACH_ROW(c, i) {
    skep_bytes separator = skep_arg_bytes(c, 0, i);
    bool is_first = true;
    skep_buf_reset(c->text);
    for (uint64_t k = lists[i].offset; k < lists[i].offset + lists[i].length; k++) {
      if (valid != NULL && (valid[k / 64] >> (k % 64) & 1) == 0) continue;
      size_t n = texts[k].inlined.length;
      if (!is_first) skep_buf_add(c->text, separator.at, separator.left);
      skep_buf_add(c->text, n <= sizeof texts[k].inlined.bytes ? (const void *)texts[k].inlined.bytes : texts[k].far.at,
                   n);
      is_first = false;
    }
    SKEP_TRY(skep_call_put_text(c, i, err));
  }
  return SKEP_OK;
}

/* ---- distances ---- */

static skep_status levenshtein_row(skep_call *c, int64_t i, skep_err *err) {
  skep_bytes a = skep_arg_bytes(c, 0, i), b = skep_arg_bytes(c, 1, i);
  int64_t n = count_chars(b), x = 0;
  if (n > 100000) return skep_fail(err, SKEP_ERR_LIMIT, "levenshtein of a string of %d characters", (int)n);
  int32_t *row = skep_alloc(c->ctx, ((size_t)n + 1) * sizeof *row);
  if (row == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "levenshtein");
  for (int64_t k = 0; k <= n; k++) row[k] = (int32_t)k;
  for (size_t p = 0, m; p < a.left; p += m) {
    m = char_bytes(a.at + p, a.left - p);
    int32_t corner = (int32_t)x++;
    row[0] = (int32_t)x;
    int64_t k = 1;
    for (size_t q = 0, l; q < b.left; q += l, k++) {
      l = char_bytes(b.at + q, b.left - q);
      int32_t cost = corner + (l != m || memcmp(a.at + p, b.at + q, m) != 0);
      corner = row[k];
      if (row[k - 1] + 1 < cost) cost = row[k - 1] + 1;
      row[k] = row[k] + 1 < cost ? row[k] + 1 : cost;
    }
  }
  ((int32_t *)c->out_data)[i] = row[n];
  skep_release(c->ctx, row);
  return SKEP_OK;
}

static skep_status levenshtein(skep_call *c, skep_err *err) {
  EACH_ROW(c, i) SKEP_TRY(levenshtein_row(c, i, err));
  return SKEP_OK;
}

/* Letter, and three digits for the consonants that follow; as Apache's Soundex (H and W do not part equal codes). */
static skep_status soundex(skep_call *c, skep_err *err) {
  static const char codes[] = "01230120022455012623010202";
  (void)err;
  EACH_ROW(c, i) {
    skep_bytes s = skep_arg_bytes(c, 0, i);
    char out[4] = {'0', '0', '0', '0'};
    size_t n = 0;
    char last = 0;
    for (size_t at = 0; at < s.left && n < 4; at++) {
      uint8_t ch = s.at[at] >= 'a' && s.at[at] <= 'z' ? (uint8_t)(s.at[at] - 32) : s.at[at];
      if (ch < 'A' || ch > 'Z') continue;
      char code = codes[ch - 'A'];
      if (n == 0) {
        out[n++] = (char)ch;
        last = code;
        continue;
      }
      if (ch == 'H' || ch == 'W') continue;
      if (code != '0' && code != last) out[n++] = code;
      last = code;
    }
    put(c, i, skep_bytes_of(out, n == 0 ? 0 : 4));
  }
  return SKEP_OK;
}

/* Java's Character.isWhitespace: the separators of Unicode but those that do not break, and some controls. */
static bool is_java_space(skep_bytes ch) {
  static const char *const wide[] = {"\xe1\x9a\x80", "\xe2\x80\xa8", "\xe2\x80\xa9", "\xe2\x81\x9f", "\xe3\x80\x80"};
  uint8_t first = ch.at[0];
  if (ch.left == 1) return first == ' ' || (first >= 9 && first <= 13) || (first >= 28 && first <= 31);
  if (ch.left != 3) return false;
  for (size_t k = 0; k < sizeof wide / sizeof *wide; k++)
    if (memcmp(ch.at, wide[k], 3) == 0) return true;
  return first == 0xe2 && ch.at[1] == 0x80 && ch.at[2] >= 0x80 && ch.at[2] <= 0x8a && ch.at[2] != 0x87; /* U+2000.. */
}

/* Words begin behind white space: their first characters of the second text, all others of the first, which is the same
 * one in the other case. The sharp s has no capital. */
static skep_status title(skep_call *c, skep_err *err) {
  EACH_ROW(c, i) {
    skep_bytes low = skep_arg_bytes(c, 0, i), high = skep_arg_bytes(c, 1, i);
    bool is_first = true;
    skep_buf_reset(c->text);
    while (low.left > 0) {
      size_t n = char_bytes(low.at, low.left), m = high.left > 0 ? char_bytes(high.at, high.left) : 0;
      skep_bytes ch = skep_bytes_of(low.at, n), big = skep_bytes_of(high.at, m);
      bool sharp_s = n == 2 && memcmp(ch.at, "\xc3\x9f", 2) == 0;
      bool raise = is_first && m > 0 && !sharp_s;
      skep_buf_add(c->text, raise ? big.at : ch.at, raise ? big.left : ch.left);
      is_first = is_java_space(ch);
      low = skep_bytes_of(low.at + n, low.left - n);
      high = skep_bytes_of(high.at + m, high.left - m);
    }
    SKEP_TRY(skep_call_put_text(c, i, err));
  }
  return SKEP_OK;
}

/* ---- regular expressions: DuckDB's (RE2), with Java's ways of saying things ---- */

/* "$1" of Java's replacement text is "\1"; a backslash makes what follows literal. */
static skep_status replacement(skep_call *c, skep_err *err) {
  EACH_ROW(c, i) {
    skep_bytes s = skep_arg_bytes(c, 0, i);
    skep_buf_reset(c->text);
    for (size_t at = 0; at < s.left; at++) {
      uint8_t ch = s.at[at];
      if (ch == '$') {
        if (at + 1 == s.left || s.at[at + 1] < '0' || s.at[at + 1] > '9')
          return skep_fail(err, SKEP_ERR_RUNTIME, "Illegal group reference");
        skep_buf_byte(c->text, '\\');
        continue;
      }
      if (ch == '\\') {
        if (++at == s.left) return skep_fail(err, SKEP_ERR_RUNTIME, "character to be escaped is missing");
        ch = s.at[at];
      }
      if (ch == '\\') skep_buf_byte(c->text, '\\');
      skep_buf_byte(c->text, ch);
    }
    SKEP_TRY(skep_call_put_text(c, i, err));
  }
  return SKEP_OK;
}

const skep_function skep_functions_string[] = {
    {.name = "skep_length", .args = "v", .result = 'i', .body = length},
    {.name = "skep_length", .args = "x", .result = 'i', .body = octet_length},
    {.name = "skep_octet_length", .args = "v", .result = 'i', .body = octet_length},
    {.name = "skep_octet_length", .args = "x", .result = 'i', .body = octet_length},
    {.name = "skep_substr", .args = "vi", .result = 'v', .body = substr},
    {.name = "skep_substr", .args = "vii", .result = 'v', .body = substr},
    {.name = "skep_substr", .args = "xi", .result = 'x', .body = substr_bytes},
    {.name = "skep_substr", .args = "xii", .result = 'x', .body = substr_bytes},
    {.name = "skep_cut", .args = "vi", .result = 'v', .body = cut},
    {.name = "skep_rtrim_blanks", .args = "v", .result = 'v', .body = rtrim_blanks},
    {.name = "skep_trim", .args = "v", .result = 'v', .body = trim_both},
    {.name = "skep_trim", .args = "vv", .result = 'v', .body = trim_both},
    {.name = "skep_ltrim", .args = "v", .result = 'v', .body = trim_left},
    {.name = "skep_ltrim", .args = "vv", .result = 'v', .body = trim_left},
    {.name = "skep_rtrim", .args = "v", .result = 'v', .body = trim_right},
    {.name = "skep_rtrim", .args = "vv", .result = 'v', .body = trim_right},
    {.name = "skep_lpad", .args = "viv", .result = 'v', .body = lpad},
    {.name = "skep_rpad", .args = "viv", .result = 'v', .body = rpad},
    {.name = "skep_repeat", .args = "vi", .result = 'v', .body = repeat},
    {.name = "skep_space", .args = "i", .result = 'v', .body = space},
    {.name = "skep_instr", .args = "vv", .result = 'i', .body = instr},
    {.name = "skep_locate", .args = "vvi", .result = 'i', .body = locate, .sees_nulls = true},
    {.name = "skep_like", .args = "vv", .result = 'b', .body = like},
    {.name = "skep_replace", .args = "vvv", .result = 'v', .body = replace},
    {.name = "skep_translate", .args = "vvv", .result = 'v', .body = translate},
    {.name = "skep_substring_index", .args = "vvi", .result = 'v', .body = substring_index},
    {.name = "skep_find_in_set", .args = "vv", .result = 'i', .body = find_in_set},
    {.name = "skep_ascii", .args = "v", .result = 'i', .body = ascii},
    {.name = "skep_chr", .args = "l", .result = 'v', .body = chr},
    {.name = "skep_reverse", .args = "v", .result = 'v', .body = reverse},
    {.name = "skep_utf8", .args = "v", .result = 'v', .body = utf8},
    {.name = "skep_text", .args = "x", .result = 'v', .body = same_bytes},
    {.name = "skep_bytes", .args = "v", .result = 'x', .body = same_bytes},
    {.name = "skep_levenshtein", .args = "vv", .result = 'i', .body = levenshtein},
    {.name = "skep_soundex", .args = "v", .result = 'v', .body = soundex},
    {.name = "skep_title", .args = "vv", .result = 'v', .body = title},
    {.name = "skep_replacement", .args = "v", .result = 'v', .body = replacement},
    /* Java turns the sharp s into two letters. */
    {.name = "skep_upper", .macro = "(s) AS upper(replace(skep_utf8(s), 'ß', 'SS'))"},
    {.name = "skep_initcap", .macro = "(s) AS skep_title(lower(skep_utf8(s)), upper(skep_utf8(s)))"},
    {.name = "skep_lower", .macro = "(s) AS lower(skep_utf8(s))"},
    {.name = "skep_concat_ws", .args = "vV", .result = 'v', .body = concat_ws},
    {.name = "skep_regexp_like", .macro = "(s, re) AS regexp_matches(skep_utf8(s), skep_utf8(re))"},
    {.name = "skep_regexp_extract", .macro = "(s, re, i) AS regexp_extract(skep_utf8(s), skep_utf8(re), i)"},
    {.name = "skep_regexp_replace",
     .macro = "(s, re, rep) AS regexp_replace(skep_utf8(s), skep_utf8(re), skep_replacement(skep_utf8(rep)), 'g')"},
    {.name = "skep_split",
     .macro = "(s, re) AS CASE WHEN re = '' THEN list_append(string_split(skep_utf8(s), ''), '') "
              "ELSE string_split_regex(skep_utf8(s), skep_utf8(re)) END"},
    {.name = NULL},
};
